//! The broadphase's scenes: boxes with about six partners each, seeded.

use jostle_broadphase::Bounds;
use jostle_lanes::{D2, D3, Space};

use crate::random::Random;

/// The mean number of partners of a box, in scenes that allow to choose it.
const PARTNERS: f64 = 6.0;
/// Boxes in a cluster.
const CLUSTER: usize = 1000;

/// Boxes of `N` dimensions.
#[derive(Clone, Debug, Default)]
pub struct Boxes<const N: usize> {
    /// Lower corners.
    pub lower: Vec<[f32; N]>,
    /// Upper corners.
    pub upper: Vec<[f32; N]>,
}

/// How boxes are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Uniform, of similar sizes.
    Uniform,
    /// In clusters of a thousand, dense in the middle, with nothing between them.
    Clustered,
    /// Log-normal sizes, and ten huge boxes.
    Mixed,
    /// Nine of ten as if uniform, each tenth anywhere in a region a thousand times as long along each axis.
    Scattered,
}

/// jostle's space for a number of dimensions.
pub trait BoxSpace<const N: usize>: Space {}
impl BoxSpace<2> for D2 {}
impl BoxSpace<3> for D3 {}

impl<const N: usize> Boxes<N> {
    /// Replaces all boxes.
    pub fn replace(&mut self, boxes: &mut dyn Iterator<Item = [[f32; N]; 2]>) {
        self.lower.clear();
        self.upper.clear();
        for [lower, upper] in boxes {
            self.lower.push(lower);
            self.upper.push(upper);
        }
    }

    /// A scene of `count` boxes.
    pub fn new(scene: Scene, count: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut boxes = Self { lower: Vec::with_capacity(count), upper: Vec::with_capacity(count) };
        let huge = if scene == Scene::Mixed { 10.min(count / 20) } else { 0 };
        let half: Vec<[f64; N]> = (huge..count)
            .map(|_| match scene {
                Scene::Mixed => {
                    let size = 0.3 * libm::exp(0.5 * random.bell());
                    core::array::from_fn(|_| size * random.between(0.7, 1.0))
                }
                _ => core::array::from_fn(|_| random.between(0.25, 0.5)),
            })
            .collect();
        match scene {
            Scene::Uniform | Scene::Mixed | Scene::Scattered => {
                let side = (half.len() as f64 * neighbourhood(&half, &mut random) / PARTNERS).powf(1.0 / N as f64);
                for (number, half) in half.iter().enumerate() {
                    let wide = if scene == Scene::Scattered && number % 10 == 0 { 499.5 * side } else { 0.0 };
                    let centre = core::array::from_fn(|_| random.between(-wide, side + wide));
                    boxes.push(&centre, half);
                }
                for _ in 0..huge {
                    let centre = core::array::from_fn(|_| random.between(0.0, side));
                    boxes.push(&centre, &[0.1 * side; N]);
                }
            }
            Scene::Clustered => {
                let clusters = count.div_ceil(CLUSTER);
                // Two points of one cluster, each the sum of three uniform ones: the density that they have on average.
                let spread = 1.55;
                let inner = (CLUSTER.min(count) as f64 * neighbourhood(&half, &mut random) / PARTNERS)
                    .powf(1.0 / N as f64)
                    / spread;
                let side = 4.0 * inner * (clusters as f64).powf(1.0 / N as f64);
                let middles: Vec<[f64; N]> =
                    (0..clusters).map(|_| core::array::from_fn(|_| random.between(0.0, side))).collect();
                for half in &half {
                    let middle = middles[random.below(clusters)];
                    let centre = core::array::from_fn(|k| {
                        middle[k] + inner * (0..3).map(|_| random.between(-0.5, 0.5)).sum::<f64>()
                    });
                    boxes.push(&centre, half);
                }
            }
        }
        // The huge boxes are mixed with the others.
        let mut order: Vec<usize> = (0..boxes.lower.len()).collect();
        random.shuffle(&mut order);
        Self {
            lower: order.iter().map(|&i| boxes.lower[i]).collect(),
            upper: order.iter().map(|&i| boxes.upper[i]).collect(),
        }
    }

    fn push(&mut self, centre: &[f64; N], half: &[f64; N]) {
        self.lower.push(core::array::from_fn(|k| (centre[k] - half[k]) as f32));
        self.upper.push(core::array::from_fn(|k| (centre[k] + half[k]) as f32));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lower.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.lower.is_empty()
    }

    /// Whether two of them overlap or touch.
    #[inline]
    pub fn meet(&self, a: usize, b: usize) -> bool {
        (0..N).all(|k| self.lower[a][k] <= self.upper[b][k] && self.lower[b][k] <= self.upper[a][k])
    }

    /// The same boxes for jostle.
    pub fn bounds<S: BoxSpace<N>>(&self) -> Bounds<S> {
        let mut bounds = Bounds::with_capacity(self.len());
        for (lower, upper) in self.lower.iter().zip(&self.upper) {
            bounds.push(S::array(|k| lower[k]), S::array(|k| upper[k]));
        }
        bounds
    }

    /// Moves every box by `step` along its own direction of `ways`.
    pub fn drift(&mut self, ways: &[[f32; N]], step: f32) {
        for (way, (lower, upper)) in ways.iter().zip(self.lower.iter_mut().zip(&mut self.upper)) {
            for k in 0..N {
                lower[k] += step * way[k];
                upper[k] += step * way[k];
            }
        }
    }
}

/// The mean volume around a box in which the centre of another must lie for the two to meet.
fn neighbourhood<const N: usize>(half: &[[f64; N]], random: &mut Random) -> f64 {
    const SAMPLES: usize = 20_000;
    let volume = |_| {
        let (a, b) = (half[random.below(half.len())], half[random.below(half.len())]);
        (0..N).map(|k| 2.0 * (a[k] + b[k])).product::<f64>()
    };
    (0..SAMPLES).map(volume).sum::<f64>() / SAMPLES as f64
}
