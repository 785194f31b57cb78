//! Scenes and the answer by brute force.
#![allow(dead_code)]

use jostle_broadphase::{Bounds, ColumnSweep, Layers};
use jostle_lanes::{Isa, Space};
pub use jostle_tasks::on_threads;

#[path = "../../../../tests/src/split_mix.rs"]
mod split_mix;

use split_mix::SplitMix64;

/// Numbers in single precision: the same on every machine.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64(seed))
    }
    pub fn word(&mut self) -> u64 {
        self.0.bits()
    }
    pub fn unit(&mut self) -> f32 {
        (self.word() >> 40) as f32 / 16_777_216.0
    }
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }
    /// About normal: mean 0, deviation 1.
    pub fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }
}

pub fn boxes<S: Space>(len: usize, mut f: impl FnMut(usize) -> (S::Array<f32>, S::Array<f32>)) -> Bounds<S> {
    let mut bounds = Bounds::new();
    for i in 0..len {
        let (lower, upper) = f(i);
        bounds.push(lower, upper);
    }
    bounds.validate().expect("the scene is sound");
    bounds
}

/// Boxes from centres and half sizes.
pub fn around<S: Space>(len: usize, mut f: impl FnMut(usize) -> (S::Array<f32>, S::Array<f32>)) -> Bounds<S> {
    boxes(len, |i| {
        let (centre, half) = f(i);
        (S::array(|k| centre[k] - half[k]), S::array(|k| centre[k] + half[k]))
    })
}

pub fn brute<S: Space>(bounds: &Bounds<S>) -> Vec<[u32; 2]> {
    let len = bounds.len();
    let mut pairs = Vec::new();
    for a in 0..len {
        for b in a + 1..len {
            let meet = (0..S::DIMENSION)
                .all(|k| bounds.lower(k)[a] <= bounds.upper(k)[b] && bounds.lower(k)[b] <= bounds.upper(k)[a]);
            if meet {
                pairs.push([a as u32, b as u32]);
            }
        }
    }
    pairs
}

/// Puts boxes into some layers, of which about one pair in three is kept apart; returns whether two boxes are.
pub fn put_into_layers<S: Space>(bounds: &mut Bounds<S>, seed: u64) -> impl Fn(u32, u32) -> bool + Sync + use<S> {
    let mut r = Random::new(seed);
    let count = [1, 2, 3, 7, Layers::MOST][r.word() as usize % 5];
    let of: Vec<u8> = (0..bounds.len()).map(|_| (r.word() % count as u64) as u8).collect();
    let mut apart = vec![[false; Layers::MOST]; Layers::MOST];
    let layers = bounds.layers_mut();
    layers.clear();
    layers.set(of.iter().copied());
    for a in 0..count {
        for b in 0..=a {
            if r.word().is_multiple_of(3) {
                layers.keep_apart(a as u8, b as u8);
                (apart[a][b], apart[b][a]) = (true, true);
            }
        }
    }
    move |a, b| apart[usize::from(of[a as usize])][usize::from(of[b as usize])]
}

/// Compares what is found of boxes in layers with what filters leave of all pairs, `alone` boxes forming one region.
fn check_layers<S: Space>(name: &str, bounds: &Bounds<S>, alone: usize, all: &[[u32; 2]]) {
    let mut layered = bounds.clone();
    for (seed, isa) in (all.len() as u64..).zip(Isa::ALL.into_iter().filter(|isa| isa.available())) {
        let apart = put_into_layers(&mut layered, seed);
        let expected: Vec<_> = all.iter().copied().filter(|&[a, b]| !apart(a, b)).collect();
        let found = on_threads(1 + seed as usize % 3, || {
            let mut sweep = ColumnSweep::<S>::with(isa, alone);
            sweep.build(&layered).expect("sound bounds");
            sweep.pairs(&|_, _| true, None).expect("no limit")
        });
        assert!(found == expected, "{name}: {isa}, in layers, up to {alone} boxes in one region");
    }
}

/// Compares the sweep with brute force, and its order with itself for every instruction set and 1 to 3 threads.
pub fn check<S: Space>(name: &str, bounds: &Bounds<S>) -> Vec<[u32; 2]> {
    let all = |_: u32, _: u32| true;
    let mut sweep = ColumnSweep::<S>::new();
    sweep.build(bounds).expect("sound bounds");
    let pairs = sweep.pairs(&all, None).expect("no limit");
    let sorted = sweep.sorted_pairs(&all, None).expect("no limit");
    let expected = brute(bounds);
    if sorted != expected {
        let extra = sorted.iter().filter(|p| expected.binary_search(p).is_err()).count();
        let missing = expected.iter().filter(|p| sorted.binary_search(p).is_err()).count();
        panic!(
            "{name}: {} pairs for {}: {extra} wrong, {missing} missing, {} double",
            sorted.len(),
            expected.len(),
            sorted.windows(2).filter(|w| w[0] == w[1]).count()
        );
    }
    let mut sorted_here = pairs.clone();
    sorted_here.sort_unstable();
    assert_eq!(sorted_here, expected, "{name}: unsorted");
    assert_eq!(sweep.count(&all), expected.len() as u64, "{name}: count");
    let mut chunked = Vec::new();
    let mut chunk_pairs = Vec::new();
    for chunk in 0..sweep.chunk_count() {
        sweep.chunk_pairs(chunk, &all, &mut chunk_pairs);
        chunked.extend_from_slice(&chunk_pairs);
    }
    assert_eq!(chunked, pairs, "{name}: by chunks");
    let odd = |a: u32, b: u32| (a + b).is_multiple_of(3);
    let filtered: Vec<_> = pairs.iter().copied().filter(|p| odd(p[0], p[1])).collect();
    assert_eq!(sweep.pairs(&odd, None).expect("no limit"), filtered, "{name}: filtered");
    assert_eq!(sweep.count(&odd), filtered.len() as u64, "{name}: filtered count");
    // As one region, and dealt out to regions as more boxes are: the same pairs, in another order.
    for alone in [usize::MAX, 1 << 15] {
        let mut first: Option<Vec<[u32; 2]>> = None;
        for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
            for threads in 1..=3 {
                let other = on_threads(threads, || {
                    let mut sweep = ColumnSweep::<S>::with(isa, alone);
                    sweep.build(bounds).expect("sound bounds");
                    sweep.pairs(&all, None).expect("no limit")
                });
                let first = first.get_or_insert_with(|| {
                    let mut sorted_here = other.clone();
                    sorted_here.sort_unstable();
                    assert_eq!(sorted_here, expected, "{name}: up to {alone} boxes in one region");
                    other.clone()
                });
                assert!(
                    other == *first,
                    "{name}: {isa} on {threads} threads differs, up to {alone} boxes in one region"
                );
            }
        }
        check_layers(name, bounds, alone, first.as_deref().expect("portable lanes are always there"));
        if alone == usize::MAX {
            assert_eq!(first.as_deref(), Some(&pairs[..]), "{name}: not what the default finds");
        }
    }
    expected
}
