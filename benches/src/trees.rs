//! The rivals that are trees: parry's BVH (rebuilt, refitted), rstar, broccoli (in the plane).

use rstar::RTree;
use rstar::primitives::{GeomWithData, Rectangle};

use crate::boxes::Boxes;

/// The trees that there are for a number of dimensions.
pub trait TreeSpace<const N: usize> {
    /// parry's tree.
    type Bvh: Bvh<N>;
    /// broccoli, which works in the plane only; false in space.
    fn broccoli(boxes: &Boxes<N>, memory: &mut Vec<Leaf>, out: &mut Vec<[u32; 2]>) -> bool;
}

/// A box of the plane for broccoli.
pub type Leaf = (broccoli::aabb::Rect<f32>, u32);

/// parry's tree with its memory.
pub trait Bvh<const N: usize>: Default {
    /// Builds the tree from nothing and finds all pairs that meet.
    fn rebuilt(&mut self, boxes: &Boxes<N>, out: &mut Vec<[u32; 2]>);
    /// Moves the leaves of the last tree, refits it, improves it a little, and finds all pairs that meet.
    fn refitted(&mut self, boxes: &Boxes<N>, out: &mut Vec<[u32; 2]>);
}

macro_rules! bvh {
    ($name:ident, $parry:ident, $n:literal, $space:ty, $vector:expr, $broccoli:expr) => {
        #[doc = concat!("The tree of `", stringify!($parry), "`.")]
        #[derive(Default)]
        pub struct $name {
            tree: $parry::partitioning::Bvh,
            workspace: $parry::partitioning::BvhWorkspace,
        }

        impl $name {
            fn aabbs(boxes: &Boxes<$n>) -> impl Iterator<Item = (usize, $parry::bounding_volume::Aabb)> {
                let vector = $vector;
                let aabb = move |(&lower, &upper)| $parry::bounding_volume::Aabb::new(vector(lower), vector(upper));
                boxes.lower.iter().zip(&boxes.upper).map(aabb).enumerate()
            }

            fn pairs(&mut self, out: &mut Vec<[u32; 2]>) {
                out.clear();
                self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
                    out.push([a.min(b), a.max(b)]);
                });
            }
        }

        impl Bvh<$n> for $name {
            fn rebuilt(&mut self, boxes: &Boxes<$n>, out: &mut Vec<[u32; 2]>) {
                let strategy = $parry::partitioning::BvhBuildStrategy::Binned;
                self.tree = $parry::partitioning::Bvh::from_iter(strategy, Self::aabbs(boxes));
                self.pairs(out);
            }

            fn refitted(&mut self, boxes: &Boxes<$n>, out: &mut Vec<[u32; 2]>) {
                for (leaf, aabb) in Self::aabbs(boxes) {
                    self.tree.insert_or_update_partially(aabb, leaf as u32, 0.0);
                }
                self.tree.refit(&mut self.workspace);
                self.tree.optimize_incremental(&mut self.workspace);
                self.pairs(out);
            }
        }

        impl TreeSpace<$n> for $space {
            type Bvh = $name;
            fn broccoli(boxes: &Boxes<$n>, memory: &mut Vec<Leaf>, out: &mut Vec<[u32; 2]>) -> bool {
                $broccoli(boxes, memory, out)
            }
        }
    };
}

bvh!(Bvh3, parry3d, 3, jostle_lanes::D3, |p: [f32; 3]| parry3d::math::Vector::new(p[0], p[1], p[2]), |_, _, _| false);
bvh!(Bvh2, parry2d, 2, jostle_lanes::D2, |p: [f32; 2]| parry2d::math::Vector::new(p[0], p[1]), sweeps);

/// rstar: bulk loading, then the pairs of the tree with itself.
pub fn rstar<const N: usize>(boxes: &Boxes<N>, out: &mut Vec<[u32; 2]>) {
    out.clear();
    let leaf = |(id, (&lower, &upper))| GeomWithData::new(Rectangle::from_corners(lower, upper), id as u32);
    let tree = RTree::bulk_load(boxes.lower.iter().zip(&boxes.upper).enumerate().map(leaf).collect());
    let pairs = tree.intersection_candidates_with_other_tree(&tree);
    out.extend(pairs.filter(|(a, b)| a.data < b.data).map(|(a, b)| [a.data, b.data]));
}

/// rstar over centres: for each of some discs or balls of one radius the distances of the `most` nearest others,
/// nearest first. (Only where all are alike is the body with the nearest centre the nearest one.)
pub fn rstar_nearest<const N: usize>(centres: &[[f64; N]], radius: f64, most: usize, out: &mut Vec<f32>)
where
    [f64; N]: rstar::Point<Scalar = f64>,
{
    out.clear();
    let tree = RTree::bulk_load(centres.iter().enumerate().map(|(id, &at)| GeomWithData::new(at, id as u32)).collect());
    for (id, centre) in centres.iter().enumerate() {
        let others = tree.nearest_neighbor_iter_with_distance_2(*centre).filter(|(other, _)| other.data != id as u32);
        out.extend(others.take(most).map(|(_, squared)| (squared.sqrt() - 2.0 * radius) as f32));
    }
}

/// broccoli: a tree of sweeps, in the plane.
fn sweeps(boxes: &Boxes<2>, leaves: &mut Vec<Leaf>, out: &mut Vec<[u32; 2]>) -> bool {
    out.clear();
    leaves.clear();
    let leaf = |(id, (l, u)): (usize, (&[f32; 2], &[f32; 2]))| (broccoli::rect(l[0], u[0], l[1], u[1]), id as u32);
    leaves.extend(boxes.lower.iter().zip(&boxes.upper).enumerate().map(leaf));
    broccoli::Tree::new(leaves).find_colliding_pairs(|a, b| {
        let (a, b) = (*a.unpack_inner(), *b.unpack_inner());
        out.push([a.min(b), a.max(b)]);
    });
    true
}
