//! How the bodies of a scene move relative to each other.
//!
//! A body that is cast through a moving scene is followed relative to the velocity that most of the scene has. The box
//! of a body with another velocity grows by the difference, and so do the boxes of the branches above it: a car widens
//! its own branches and no others. (When every box grew by the way of the fastest body, one body in 20,000 walkers that
//! left at 42 m/s, for 3 s, made a cast through all take a hundred times as long.)

use jostle_lanes::Lanes;
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, CustomShape};
use jostle_tasks as tasks;

use crate::bounds::{below, reach};
use crate::origin::Middle;
use crate::packs::{PACK, PACKS_PER_TASK};
use crate::tree::{Tree, WaitingNode, pile_up};

/// The lowest and the highest velocity of each of up to sixteen bodies or branches along each axis, relative to
/// [`Drift::common`]: metres a second.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    slowest: [[f32; PACK]; 3],
    fastest: [[f32; PACK]; 3],
}

impl Beside {
    const NOTHING: Self = Self { slowest: [[0.0; PACK]; 3], fastest: [[0.0; PACK]; 3] };

    /// The bounds of a branch's children, from those of the bodies or branches in each child.
    fn over(children: &[Self]) -> Self {
        let mut all = Self::NOTHING;
        for (at, child) in children.iter().enumerate() {
            for k in 0..3 {
                all.slowest[k][at] = child.slowest[k].iter().copied().fold(0.0, f32::min);
                all.fastest[k][at] = child.fastest[k].iter().copied().fold(0.0, f32::max);
            }
        }
        all
    }

    /// By how much the boxes from `at` on grow along an axis, below and above, within this many seconds.
    #[inline(always)]
    pub fn within<L: Lanes<Scalar = f32>>(&self, seconds: f32, axis: usize, at: usize) -> [L; 2] {
        let seconds = L::splat(seconds);
        [L::load(&self.slowest[axis][at..]) * seconds, L::load(&self.fastest[axis][at..]) * seconds]
    }
}

/// The velocities of a scene's bodies. Keeps its memory.
#[derive(Debug)]
pub struct Drift<S: Dimension> {
    /// The velocity that most bodies have: the median of a sample, along each axis.
    pub common: S::Array<f64>,
    /// The lowest and the highest velocity along each axis.
    pub all: [S::Array<f64>; 2],
    /// The relative velocities of each pack's bodies; empty where all bodies have the same velocity.
    packs: Vec<Beside>,
    /// The relative velocities of each branch's children, level by level, as in the tree.
    levels: Vec<Vec<Beside>>,
}

impl<S: Dimension> Default for Drift<S> {
    fn default() -> Self {
        let none = S::array(|_| 0.0);
        Self { common: none, all: [none; 2], packs: Vec::new(), levels: Vec::new() }
    }
}

impl<S: Dimension> Drift<S> {
    /// Looks at the bodies that meet any other; these are the ones in the tree.
    pub fn look<U: CustomShape<S>>(&mut self, scene: &Columns<'_, S, U>, tree: &Tree) {
        let (velocities, filters) = (scene.velocities(), scene.filters());
        let counts = |body: usize| !filters.meets_nobody(body as u32);
        let Self { common, all, packs, levels } = self;
        packs.clear();
        levels.iter_mut().for_each(Vec::clear);
        *all = reach::<S>(velocities, counts);
        *common = Middle::<S>::of(velocities, counts).place;
        if (0..S::DIMENSION).all(|k| all[0][k] >= all[1][k]) {
            return;
        }
        let of_pack = |bodies: &[u32]| {
            let mut beside = Beside::NOTHING;
            for (at, &body) in bodies.iter().enumerate() {
                for k in 0..S::DIMENSION {
                    let way = velocities[body as usize][k] - common[k];
                    beside.slowest[k][at] = below(way).min(0.0);
                    beside.fastest[k][at] = -below(-way).min(0.0);
                }
            }
            beside
        };
        let tree = tree.packs();
        packs.resize(tree.len(), Beside::NOTHING);
        tasks::for_each_few(packs, PACKS_PER_TASK, |few, besides| {
            for (beside, pack) in besides.iter_mut().zip(&tree[few * PACKS_PER_TASK..]) {
                *beside = of_pack(pack.members());
            }
        });
        pile_up(levels, |below, above| {
            above.clear();
            above.extend(below.unwrap_or(packs).chunks(PACK).map(Beside::over));
        });
    }

    /// The relative velocities of a branch's children or a pack's bodies; `None` where all bodies have the same
    /// velocity.
    pub fn beside(&self, waiting: WaitingNode) -> Option<&Beside> {
        let [level, index] = waiting.place();
        match level {
            0 => self.packs.get(index),
            level => self.levels.get(level - 1)?.get(index),
        }
    }
}
