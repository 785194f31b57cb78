//! Every operation of lanes, masks, vectors and rotations, under every instruction set of this machine, bit for bit
//! against width 1: all pairs of nasty numbers, then ordinary numbers and random bits.
//!
//! An operation is written once over lanes; `Rows` runs it over columns of numbers. NaN equals NaN, whatever its
//! payload; -0.0 and 0.0 differ.

mod common;
mod random;

use common::{Number, columns, instruction_sets};
use jostle_lanes::{
    D2, D3, Isa, Kernel, Lanes, Least, Mask, Rot, Rot2, Rot3, Scalar, Space, Vec2, Vec3, Vector, dispatch_on,
};
use random::Random;

/// What operations put their results into.
struct Sink<L: Lanes> {
    numbers: Vec<L>,
    masks: Vec<L::Mask>,
}

impl<L: Lanes> Sink<L> {
    #[inline(always)]
    fn number(&mut self, number: L) {
        self.numbers.push(number);
    }
    #[inline(always)]
    fn numbers<V: Vector<L>>(&mut self, vector: V) {
        for k in 0..V::DIMENSION {
            self.number(vector.get(k));
        }
    }
    #[inline(always)]
    fn rotation<V: Vector<L>, R: Rot<L, V>>(&mut self, rotation: R) {
        for k in 0..R::ENTRIES {
            self.number(rotation.entry(k));
        }
        for k in 0..V::DIMENSION {
            self.numbers(rotation.column(k));
        }
    }
    #[inline(always)]
    fn mask(&mut self, mask: L::Mask) {
        self.masks.push(mask);
    }
}

/// Something to compute, lane by lane, from a row of numbers.
trait Operation {
    const INPUTS: usize;
    fn apply<L: Lanes>(inputs: &[L], sink: &mut Sink<L>);
}

/// Runs an operation over columns: the keys of all results, row by row.
struct Rows<'a, T, O> {
    columns: &'a [Vec<T>],
    operation: std::marker::PhantomData<O>,
}

impl<T: Number, O: Operation> Kernel<T> for Rows<'_, T, O> {
    type Output = Vec<Vec<u64>>;
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> Vec<Vec<u64>> {
        let rows = self.columns[0].len();
        let mut keys = vec![Vec::new(); rows];
        for first in (0..rows).step_by(L::WIDTH) {
            let inputs: Vec<L> = self.columns.iter().map(|column| L::load(&column[first..])).collect();
            let mut sink = Sink { numbers: Vec::new(), masks: Vec::new() };
            O::apply(&inputs, &mut sink);
            for result in sink.numbers {
                // Exactly as long as the lanes are wide, so that memory checkers notice one number too many.
                let mut numbers = vec![T::ZERO; L::WIDTH];
                result.store(&mut numbers);
                for (lane, number) in numbers.into_iter().enumerate() {
                    assert_eq!(number.key(), result.lane(lane).key());
                    keys[first + lane].push(number.key());
                }
            }
            for mask in sink.masks {
                let bits = mask.to_bits();
                assert_eq!(bits >> (L::WIDTH - 1) >> 1, 0, "bits above the width");
                assert_eq!(mask.any(), bits != 0);
                assert_eq!(mask.all(), bits.count_ones() as usize == L::WIDTH);
                assert_eq!(L::Mask::from_bits(bits).to_bits(), bits);
                (0..L::WIDTH).for_each(|lane| keys[first + lane].push(u64::from(bits >> lane & 1)));
            }
        }
        keys
    }
}

fn same_at_every_width<T: Number, O: Operation>() {
    let columns = columns::<T>(O::INPUTS.max(2), 2048);
    let rows = || Rows::<T, O> { columns: &columns, operation: std::marker::PhantomData };
    let reference = rows().run::<T>();
    assert!(!reference[0].is_empty());
    for isa in instruction_sets() {
        let found = dispatch_on(isa, rows());
        for (row, (found, expected)) in found.iter().zip(&reference).enumerate() {
            let inputs: Vec<T> = columns.iter().map(|column| column[row]).collect();
            let differing: Vec<usize> = (0..expected.len()).filter(|&k| found[k] != expected[k]).collect();
            assert!(
                differing.is_empty(),
                "{isa}: results {differing:?} of {inputs:?}: {found:x?} instead of {expected:x?}"
            );
        }
    }
}

macro_rules! operations {
    ($($(#[$documentation:meta])* $test:ident $name:ident $inputs:literal ($i:ident, $sink:ident) $body:block)*) => {$(
        $(#[$documentation])*
        struct $name;
        impl Operation for $name {
            const INPUTS: usize = $inputs;
            #[inline(always)]
            fn apply<L: Lanes>($i: &[L], $sink: &mut Sink<L>) $body
        }
        #[test]
        fn $test() {
            same_at_every_width::<f32, $name>();
            same_at_every_width::<f64, $name>();
        }
    )*};
}

operations! {
    arithmetic Arithmetic 4 (i, sink) {
        let (a, b, c, d) = (i[0], i[1], i[2], i[3]);
        let unary = [-a, a.sqrt(), a.abs(), b.abs(), a.power_of_two()];
        for number in unary.into_iter().chain([a + b, a - b, a * b, a / b, a.copysign(b), a.min(b), a.max(b)]) {
            sink.number(number);
        }
        // Fused, these would round once.
        for number in [a * b + c, a * b - c, c - a * b, a * b + c * d] {
            sink.number(number);
        }
        for number in [L::zero(), L::one(), L::constant(0.1), L::splat(L::Scalar::UNIT_ROUNDOFF)] {
            sink.number(number);
        }
    }
    comparisons Comparisons 4 (i, sink) {
        let (a, b, c, d) = (i[0], i[1], i[2], i[3]);
        for mask in [a.lt(b), a.le(b), a.gt(b), a.ge(b), a.eq(b)] {
            sink.mask(mask);
            sink.mask(!mask);
            sink.number(L::select(mask, a, b));
            sink.number(L::select(!mask, c, d));
            sink.number(L::select(mask, L::zero(), -a));
        }
    }
    masks Masks 4 (i, sink) {
        let (p, q, r) = (i[0].lt(i[1]), i[2].lt(i[3]), i[0].ge(i[2]));
        for mask in [p & q, p | q, p ^ q, !(p & q) | r, (p ^ r) & !q, L::Mask::splat(true), L::Mask::splat(false)] {
            sink.mask(mask);
            sink.number(L::select(mask, i[0], i[3]));
        }
        sink.mask(p & L::Mask::splat(true));
        sink.mask(p | L::Mask::splat(false));
    }
    plane Plane 5 (i, sink) {
        let (u, v, s) = (Vec2 { x: i[0], y: i[1] }, Vec2 { x: i[2], y: i[3] }, i[4]);
        vectors(u, v, s, sink);
        sink.number(u.cross(v));
        sink.numbers(u.perpendicular());
    }
    space Space3 7 (i, sink) {
        let (u, v, s) = (Vec3 { x: i[0], y: i[1], z: i[2] }, Vec3 { x: i[3], y: i[4], z: i[5] }, i[6]);
        vectors(u, v, s, sink);
        sink.numbers(u.cross(v));
    }
    plane_rotations PlaneRotations 6 (i, sink) {
        rotations::<L, Vec2<L>, Rot2<L>>(i, sink);
    }
    space_rotations SpaceRotations 21 (i, sink) {
        rotations::<L, Vec3<L>, Rot3<L>>(i, sink);
        sink.rotation(Rot3::from_quaternion(i[0], i[1], i[2], i[3]));
    }
}

#[inline(always)]
fn vectors<L: Lanes, V: Vector<L>>(u: V, v: V, s: L, sink: &mut Sink<L>) {
    for vector in [u + v, u - v, -u, u * s, u.abs(), V::zero(), V::unit(1), u.map(L::sqrt), u.zip(v, L::max)] {
        sink.numbers(vector);
    }
    sink.numbers(V::select(s.gt(u.get(0)), u, v));
    for number in [u.dot(v), u.length_squared(), u.max_component(), u.sum()] {
        sink.number(number);
    }
}

#[inline(always)]
fn rotations<L: Lanes, V: Vector<L>, R: Rot<L, V>>(i: &[L], sink: &mut Sink<L>) {
    let (first, second) = (R::from_entries(|k| i[k]), R::from_entries(|k| i[R::ENTRIES + k]));
    let vector = V::from_fn(|k| i[2 * R::ENTRIES + k]);
    sink.rotation(R::identity());
    sink.rotation(first);
    sink.rotation(first.inverse_times(second));
    sink.numbers(first.rotate(vector));
    sink.numbers(first.unrotate(vector));
}

/// The extremes of each group of `WIDTH` numbers, against a fold over its lanes.
struct Extremes<'a, T>(&'a [T]);

impl<T: Number> Kernel<T> for Extremes<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        for first in 0..self.0.len() - L::WIDTH {
            let (lanes, numbers) = (L::load(&self.0[first..]), &self.0[first..first + L::WIDTH]);
            let least = numbers.iter().fold(T::INFINITY, |a, &b| if b < a { b } else { a });
            let greatest = numbers.iter().fold(-T::INFINITY, |a, &b| if b > a { b } else { a });
            assert!(lanes.reduce_min() == least, "{least} is the least of {numbers:?}");
            assert!(lanes.reduce_max() == greatest, "{greatest} is the greatest of {numbers:?}");
            let shifted = L::from_fn(|lane| numbers[L::WIDTH - 1 - lane]);
            for (lane, &number) in numbers.iter().rev().enumerate() {
                assert_eq!(shifted.lane(lane).key(), number.key());
            }
        }
    }
}

#[test]
fn extremes_over_the_lanes() {
    fn check<T: Number>() {
        let numbers: Vec<T> = columns::<T>(2, 1024).concat().into_iter().filter(|x| x.finite()).collect();
        Extremes(&numbers).run::<T>();
        for isa in instruction_sets() {
            dispatch_on(isa, Extremes(&numbers));
        }
    }
    check::<f32>();
    check::<f64>();
}

/// The least of whole rows of lanes.
struct LeastOf<'a, T>(&'a [T]);

impl<T: Scalar> Kernel<T> for LeastOf<'_, T> {
    type Output = (f64, usize);
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> (f64, usize) {
        let mut least = Least::<L>::new();
        for row in self.0.chunks_exact(L::WIDTH) {
            least.see(L::load(row));
        }
        let (value, place) = least.found();
        (value.to_f64(), place)
    }
}

#[test]
fn the_first_of_the_least() {
    let mut random = Random::new(19);
    for isa in instruction_sets() {
        for round in 0..200 {
            // Few different numbers, so that there are equal ones in several rows and lanes; some are NaN.
            let mut number = || match random.below(9) {
                8 => f64::NAN,
                k => k as f64 - 3.0,
            };
            let numbers: Vec<f64> = (0..64).map(|_| if round == 0 { f64::NAN } else { number() }).collect();
            let (mut value, mut place) = (f64::INFINITY, 0);
            for (at, &number) in numbers.iter().enumerate() {
                if number < value {
                    (value, place) = (number, at);
                }
            }
            let single: Vec<f32> = numbers.iter().map(|&x| x as f32).collect();
            assert_eq!(dispatch_on(isa, LeastOf(&numbers)), (value, place), "{isa}");
            assert_eq!(dispatch_on(isa, LeastOf(&single)), (value, place), "{isa}");
        }
    }
}

/// The requested instruction set is the one that runs.
#[test]
fn widths() {
    struct Width;
    impl<T: Scalar> Kernel<T> for Width {
        type Output = usize;
        #[inline(always)]
        fn run<L: Lanes<Scalar = T>>(self) -> usize {
            L::WIDTH
        }
    }
    for isa in instruction_sets() {
        let widths = match isa {
            Isa::Portable => (4, 2),
            Isa::Avx2 => (8, 4),
            Isa::Avx512 => (16, 8),
        };
        assert_eq!((dispatch_on::<f32, _>(isa, Width), dispatch_on::<f64, _>(isa, Width)), widths);
    }
}

/// Width 1 is the reference, so it is compared with the documentation.
#[test]
fn the_scalar_reference() {
    for (a, b) in [(1.0, 2.0), (2.0, 1.0), (f64::NAN, 1.0), (1.0, f64::NAN), (0.0, -0.0), (-0.0, 0.0)] {
        assert_eq!(Lanes::min(a, b).key(), (if a < b { a } else { b }).key());
        assert_eq!(Lanes::max(a, b).key(), (if a > b { a } else { b }).key());
    }
    assert_eq!(Lanes::min(f64::NAN, 1.0), 1.0);
    assert!(Lanes::min(1.0, f64::NAN).is_nan());
    assert_eq!((-f32::splat(0.0)).to_bits(), 1 << 31);
    assert_eq!(<f32 as Scalar>::UNIT_ROUNDOFF, f32::EPSILON / 2.0);
    assert_eq!(<f64 as Scalar>::UNIT_ROUNDOFF, f64::EPSILON / 2.0);
    assert_eq!(f32::column(&[1.0], &[2.0]), [1.0]);
    assert_eq!(f64::column(&[1.0], &[2.0]), [2.0]);
}

#[test]
fn rotations_turn_the_right_way() {
    use core::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
    let quarter = D2::rot(&[FRAC_PI_2]);
    let y = quarter.rotate(Vec2 { x: 1.0, y: 0.0 });
    assert!((y - Vec2 { x: 0.0, y: 1.0 }).length_squared() < 1e-30);
    assert_eq!(D2::rot(&D2::identity_rotation()), Rot2::identity());

    // A quarter about z, once with norm 1 and once with norm 3.
    for norm in [1.0, 3.0] {
        let quarter = D3::rot(&[0.0, 0.0, norm * FRAC_1_SQRT_2, norm * FRAC_1_SQRT_2]);
        let turned = quarter.rotate(Vec3 { x: 1.0, y: 0.0, z: 2.0 });
        assert!((turned - Vec3 { x: 0.0, y: 1.0, z: 2.0 }).length_squared() < 1e-30);
        let back = quarter.unrotate(turned);
        assert!((back - Vec3 { x: 1.0, y: 0.0, z: 2.0 }).length_squared() < 1e-30);
        assert!((quarter.inverse_times(quarter).column(1) - Vec3::unit(1)).length_squared() < 1e-30);
    }
    assert_eq!(D3::rot(&D3::identity_rotation()), Rot3::identity());
    assert_eq!(D3::array(|k| k), [0, 1, 2]);
    assert_eq!(D2::array(|k| k), [0, 1]);
}
