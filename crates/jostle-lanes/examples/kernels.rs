//! Three small kernels of the kinds that jostle is made of, to time and to disassemble (`.ci/no-calls.sh`): a plain
//! loop over columns, a box test that packs survivors, and a closed form that turns points from frame to frame.
//!
//! `cargo run --release -p jostle-lanes --example kernels`; `JOSTLE_ISA` chooses the instruction set.

use std::hint::black_box;
use std::time::Instant;

use jostle_lanes::{Isa, Kernel, Lanes, Mask, Rot, Rot3, Scalar, Vec3, Vector, dispatch};

const N: usize = 4096;

#[inline(always)]
fn vector<L: Lanes>(columns: &[Vec<L::Scalar>; 4], row: usize) -> Vec3<L> {
    Vec3::from_fn(
        #[inline(always)]
        |k| L::load(&columns[k][row..]),
    )
}

/// Distances between two sets of spheres given as columns `x, y, z, radius`.
struct Gaps<'a, T> {
    a: &'a [Vec<T>; 4],
    b: &'a [Vec<T>; 4],
    out: &'a mut [T],
}

impl<T: Scalar> Kernel<T> for Gaps<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        for i in (0..N).step_by(L::WIDTH) {
            let reach = L::load(&self.a[3][i..]) + L::load(&self.b[3][i..]);
            let gap = (vector::<L>(self.b, i) - vector(self.a, i)).length_squared().sqrt() - reach;
            L::select(gap.gt(L::zero()), gap, L::zero()).store(&mut self.out[i..]);
        }
    }
}

/// Ids of the boxes that overlap the first one, as the sweep's inner loop does it.
struct Partners<'a> {
    low: &'a [Vec<f32>; 4],
    high: &'a [Vec<f32>; 4],
    ids: &'a [u32],
    flags: &'a [u32],
    out: &'a mut [u32],
}

impl Kernel<f32> for Partners<'_> {
    type Output = usize;
    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> usize {
        let low: [L; 3] = [L::splat(self.low[0][0]), L::splat(self.low[1][0]), L::splat(self.low[2][0])];
        let high: [L; 3] = [L::splat(self.high[0][0]), L::splat(self.high[1][0]), L::splat(self.high[2][0])];
        let mut count = 0;
        for i in (0..N).step_by(L::WIDTH) {
            let mut hit = L::bits_disjoint(&self.flags[i..], self.flags[0]);
            for k in 0..3 {
                hit = hit & low[k].le(L::load(&self.high[k][i..])) & L::load(&self.low[k][i..]).le(high[k]);
            }
            if hit.any() {
                count += L::left_pack(hit, &self.ids[i..], &mut self.out[count..]);
            }
        }
        count
    }
}

/// Points of one body's frame in another's, and the farthest of them along x.
struct Turn<'a, T> {
    quaternion: &'a [Vec<T>; 4],
    points: &'a [Vec<T>; 4],
    out: &'a mut [T],
}

impl<T: Scalar> Kernel<T> for Turn<'_, T> {
    type Output = T;
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> T {
        let mut farthest = -L::splat(T::INFINITY);
        for i in (0..N).step_by(L::WIDTH) {
            let Vec3 { x, y, z } = vector::<L>(self.quaternion, i);
            let turn = Rot3::from_quaternion(x, y, z, L::load(&self.quaternion[3][i..]));
            let point = vector(self.points, i);
            let there = turn.inverse_times(turn).rotate(turn.unrotate(point));
            there.abs().max_component().store(&mut self.out[i..]);
            farthest = farthest.max(there.x);
        }
        farthest.reduce_max()
    }
}

fn time<R>(what: &str, mut work: impl FnMut() -> R) {
    let rounds = 2000;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..rounds {
            black_box(work());
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{what:12} {:7.3} ns a row", best / (rounds * N) as f64 * 1e9);
}

fn columns<T: Scalar>(seed: u32) -> [Vec<T>; 4] {
    let mut state = seed;
    std::array::from_fn(|_| {
        (0..N)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                T::from_f64(f64::from(state >> 8) / f64::from(1 << 24))
            })
            .collect()
    })
}

fn bench<T: Scalar>() {
    let (a, b, mut out) = (columns::<T>(1), columns::<T>(2), vec![T::ZERO; N]);
    time(&format!("gaps {}", T::NAME), || dispatch(Gaps { a: &a, b: &b, out: black_box(&mut out) }));
    time(&format!("turn {}", T::NAME), || dispatch(Turn { quaternion: &a, points: &b, out: black_box(&mut out) }));
}

fn main() -> Result<(), jostle_lanes::IsaError> {
    println!("{}", Isa::choose()?);
    bench::<f32>();
    bench::<f64>();
    let low = columns(3);
    let high = std::array::from_fn(|k: usize| low[k].iter().map(|x| x + 0.1).collect());
    let ids: Vec<u32> = (0..N as u32).collect();
    let (flags, mut out) = (vec![0; N], vec![0; N + 16]);
    time("partners f32", || {
        dispatch(Partners { low: &low, high: &high, ids: &ids, flags: &flags, out: black_box(&mut out) })
    });
    Ok(())
}
