//! Boxes of balls: pairs whose balls meet are all found, whatever rounding did to their boxes, and none whose balls are
//! clearly apart.

mod support;

use jostle_broadphase::{Bounds, ColumnSweep};
use jostle_lanes::{D2, D3, Isa, Scalar, Space};
use support::{Random, brute, on_threads, put_into_layers};

/// The balls that the boxes are made of.
struct Balls<S: Space> {
    centres: Vec<S::Array<f64>>,
    radii: Vec<f64>,
    bounds: Bounds<S>,
}

impl<S: Space> Balls<S> {
    fn none() -> Self {
        let mut bounds = Bounds::new();
        bounds.set_round(true);
        Self { centres: Vec::new(), radii: Vec::new(), bounds }
    }

    fn push(&mut self, centre: S::Array<f64>, radius: f64) {
        // As far outward as is allowed: a digit more than necessary.
        let lower = S::array(|k| f32::round_down(centre[k] - radius).next_down());
        let upper = S::array(|k| f32::round_up(centre[k] + radius).next_up());
        self.bounds.push(lower, upper);
        self.centres.push(centre);
        self.radii.push(radius);
    }

    /// The distance of two balls.
    fn gap(&self, a: usize, b: usize) -> f64 {
        let (from, to) = (self.centres[a], self.centres[b]);
        let squared: f64 = (0..S::DIMENSION).map(|k| (to[k] - from[k]) * (to[k] - from[k])).sum();
        squared.sqrt() - self.radii[a] - self.radii[b]
    }

    /// How far the furthest bound is from the origin.
    fn furthest(&self) -> f64 {
        let columns = (0..S::DIMENSION).flat_map(|k| [self.bounds.lower(k), self.bounds.upper(k)]);
        columns.flatten().fold(0.0, |most, &x| most.max(f64::from(x).abs()))
    }

    /// Compares what is found with all pairs; returns how many pairs of boxes were left out.
    fn check(&self, name: &str) -> usize {
        let boxes = brute(&self.bounds);
        let furthest = self.furthest();
        let doubt = 64.0 * f64::from(f32::EPSILON) * furthest;
        // A pair that seems to touch does.
        let touch = 4.0 * f64::EPSILON * furthest;
        let mut left_out = 0;
        for alone in [usize::MAX, 1 << 15] {
            let mut first: Option<Vec<[u32; 2]>> = None;
            for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
                for threads in 1..=3 {
                    let found = on_threads(threads, || {
                        let mut sweep = ColumnSweep::<S>::with(isa, alone);
                        sweep.build(&self.bounds).expect("sound bounds");
                        sweep.pairs(&|_, _| true, None).expect("no limit")
                    });
                    assert!(first.get_or_insert_with(|| found.clone()) == &found, "{name}: {isa} on {threads} threads");
                }
            }
            let mut found = first.expect("portable lanes are always there");
            let mut layered = self.bounds.clone();
            let apart = put_into_layers(&mut layered, found.len() as u64);
            let mut sweep = ColumnSweep::<S>::with(Isa::choose().expect("no wish"), alone);
            sweep.build(&layered).expect("sound bounds");
            let kept: Vec<_> = found.iter().copied().filter(|&[a, b]| !apart(a, b)).collect();
            assert!(sweep.pairs(&|_, _| true, None) == Ok(kept), "{name}: in layers");
            found.sort_unstable();
            assert!(found.windows(2).all(|two| two[0] < two[1]), "{name}: one is there twice");
            for &[a, b] in &boxes {
                let (gap, is_found) = (self.gap(a as usize, b as usize), found.binary_search(&[a, b]).is_ok());
                assert!(is_found || gap > touch, "{name}: {a} and {b} meet by {gap:e}");
                assert!(!is_found || gap <= doubt + 1e-18, "{name}: {a} and {b} are {gap:e} apart");
                left_out += usize::from(!is_found);
            }
            assert!(found.iter().all(|pair| boxes.binary_search(pair).is_ok()), "{name}: boxes do not overlap");
        }
        left_out
    }
}

fn way<S: Space>(r: &mut Random) -> S::Array<f64> {
    let way: S::Array<f64> = S::array(|_| f64::from(r.normal()));
    let length = (0..S::DIMENSION).map(|k| way[k] * way[k]).sum::<f64>().sqrt().max(1e-3);
    S::array(|k| way[k] / length)
}

/// Strewn balls of all sizes, about 4 partners each; some huge.
fn strewn<S: Space>(r: &mut Random, count: usize, scale: f64, spread: f64) -> Balls<S> {
    let mut balls = Balls::none();
    let edge = (count as f64).powf(1.0 / S::DIMENSION as f64);
    for i in 0..count {
        let radius = if i % 500 == 7 { 6.0 } else { 0.6 * f64::from(r.between(1.0 - spread as f32, 1.0)) };
        balls.push(S::array(|_| scale * edge * (f64::from(r.unit()) - 0.5)), scale * radius);
    }
    balls
}

/// Two by two they touch, along any direction, or miss by a round-off of an `f64`.
fn touching<S: Space>(r: &mut Random, count: usize, far: f64) -> Balls<S> {
    let mut balls = Balls::none();
    for _ in 0..count / 2 {
        let centre: S::Array<f64> = S::array(|_| far * f64::from(r.between(-1.0, 1.0)));
        let (one, other) = (f64::from(r.between(0.01, 1.0)), f64::from(r.between(0.01, 1.0)));
        let way = way::<S>(r);
        balls.push(centre, one);
        balls.push(S::array(|k| centre[k] + (one + other) * way[k]), other);
    }
    balls
}

fn holds<S: Space>() {
    let mut r = Random::new(0x0BA1_1500);
    for count in [0, 1, 2, 5, 17, 100, 126, 127, 128, 500, 2000] {
        strewn::<S>(&mut r, count, 1.0, 0.0).check(&format!("{count} alike"));
    }
    for scale in [1e-38, 1e-30, 1e-22, 1e-18, 1e-6, 1e6, 1e12, 1e15] {
        let left_out = strewn::<S>(&mut r, 1500, scale, 0.9).check(&format!("in units of {scale:e}"));
        // Squares of smaller numbers lose their digits.
        assert!(left_out > 500 || scale < 1e-18, "{scale:e}: {left_out}");
    }
    for (count, far) in [(200, 0.0), (600, 1.0), (2000, 100.0), (2000, 1e4), (2000, 1e7), (600, 1e12)] {
        touching::<S>(&mut r, count, far).check(&format!("touching, up to {far:e} away"));
    }
    // Enough for several regions and tasks.
    assert!(strewn::<S>(&mut r, 36_000, 1.0, 0.1).check("many") > 10_000);
}

#[test]
fn balls_that_meet_are_found_in_the_plane() {
    holds::<D2>();
}

#[test]
fn balls_that_meet_are_found_in_space() {
    holds::<D3>();
}

/// Where squares or bounds may be infinite, only boxes are tested.
#[test]
fn what_is_too_far_is_found_by_boxes() {
    let mut r = Random::new(7);
    let far = strewn::<D2>(&mut r, 300, 1e17, 0.5).bounds;
    let mut endless = strewn::<D2>(&mut r, 300, 1.0, 0.5).bounds;
    endless.set(5, [f32::NEG_INFINITY; 2], [f32::INFINITY; 2]);
    for bounds in [far, endless] {
        let mut sweep = ColumnSweep::new();
        sweep.build(&bounds).expect("sound bounds");
        assert_eq!(sweep.sorted_pairs(&|_, _| true, None).expect("no limit"), brute(&bounds));
    }
}
