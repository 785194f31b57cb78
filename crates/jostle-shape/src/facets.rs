//! The faces and edges of a convex hull in the form that a search for the least depth needs: its Gauss map.
//!
//! A *node* is a unit normal with the hull's furthest reach along it: one for each face (coplanar triangles count as
//! one). An *arc* joins the nodes of two faces that share an edge: along the great circle between their normals that
//! edge is furthest (Gregorius 2013). The least depth of a hull and a frustum is searched for at nodes and along arcs,
//! that of two polygons at their nodes.
//!
//! Arcs longer than a quarter turn get a node in their middle, which is no face but does no harm. So plates (two
//! faces), segments (none) and points have the same structure, and no search needs a special case for them. The nodes'
//! planes always enclose the hull and nothing more. As sharp corners have a node too, a point that is beyond none of
//! the planes by more than rounding is not outside by much more.

mod plane;
mod space;

use jostle_lanes::{Aligned, Lanes, Scalar, Vec3, prefetch_lines};

use crate::blocks::{Table, Tables};
use crate::polytope::grained;

/// Hulls of more points than this have no facets: these would take many times the memory of the points.
pub(crate) const MOST_POINTS: usize = 512;

/// The Gauss map of a hull, relative to the hull's centre.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
pub struct Facets {
    tables: Tables<1>,
    /// The two points of the edge of each arc, in one word.
    edges: Aligned<u32>,
    nodes: u16,
    arcs: u16,
    slack: f64,
}

const NODES: usize = 0;
const ENDS: usize = 1;

/// The normals along which an edge of the hull is furthest: the edge's two points, and the nodes at the arc's ends, at
/// most a quarter turn apart.
#[derive(Clone, Copy, Debug)]
struct Arc {
    points: [u16; 2],
    nodes: [u16; 2],
}

/// A normal (or point) while [`Facets`] are made.
type Normal = [f64; 3];

/// Nodes and arcs under construction.
#[derive(Debug, Default)]
struct Map {
    normals: Vec<Normal>,
    arcs: Vec<Arc>,
}

impl Map {
    fn node(&mut self, normal: Normal) -> u16 {
        let length = dot(normal, normal).sqrt();
        self.normals.push(normal.map(|x| x / length));
        (self.normals.len() - 1) as u16
    }

    /// The arc between two nodes, through `outward` (a direction off the edge, away from the hull) if it is long.
    fn arc(&mut self, points: [u16; 2], nodes: [u16; 2], outward: impl FnOnce() -> Normal) {
        let [from, to] = nodes.map(|i| self.normals[usize::from(i)]);
        if dot(from, to) >= 0.0 {
            self.arcs.push(Arc { points, nodes });
        } else {
            let middle = self.node(outward());
            self.arcs.push(Arc { points, nodes: [nodes[0], middle] });
            self.arcs.push(Arc { points, nodes: [middle, nodes[1]] });
        }
    }
}

/// A corner is sharp if the cosine of the angle between each of its edges and their mean is above this.
const TIP: f64 = 0.9;

impl Map {
    /// Adds a node at each sharp corner, in the middle of its edges' directions: the faces about the tip of a needle
    /// say next to nothing about where it ends.
    fn tips(&mut self, points: &[Normal], edges: impl Iterator<Item = [usize; 2]> + Clone) {
        let away = |at: usize, from: usize| {
            let way: Normal = core::array::from_fn(|k| points[at][k] - points[from][k]);
            let length = dot(way, way).sqrt();
            way.map(|x| x / length)
        };
        let ends = edges.flat_map(|[from, to]| [[from, to], [to, from]]);
        let mut middle = vec![[0.0; 3]; points.len()];
        for [from, to] in ends.clone() {
            let way = away(to, from);
            for k in 0..3 {
                middle[to][k] += way[k];
            }
        }
        let mut sharp = vec![true; points.len()];
        for [from, to] in ends {
            let along = dot(away(to, from), middle[to]);
            // NaN is not sharp.
            sharp[to] &= along > TIP * dot(middle[to], middle[to]).sqrt();
        }
        for (middle, sharp) in middle.into_iter().zip(sharp) {
            if sharp && middle != [0.0; 3] {
                self.node(middle);
            }
        }
    }
}

/// The points scaled to a size of about one, for predicates that are exact there.
fn scaled(points: &[Normal]) -> Vec<Normal> {
    let size = points.iter().flatten().fold(0.0, |size: f64, x| size.max(x.abs()));
    // Points smaller than the smallest normal number are scaled by the largest finite factor.
    let scale = 1.0 / size.max(f64::MIN_POSITIVE).power_of_two();
    points
        .iter()
        .map(|&[x, y, z]| {
            let Vec3 { x, y, z } = grained(Vec3 { x: x * scale, y: y * scale, z: z * scale });
            [x, y, z]
        })
        .collect()
}

/// The edges of arcs, packed.
fn edges(arcs: &[Arc]) -> Aligned<u32> {
    let mut edges = Aligned::zeroed(arcs.len());
    for (edge, arc) in bytemuck::cast_slice_mut(edges.as_mut_slice()).iter_mut().zip(arcs) {
        *edge = arc.points;
    }
    edges
}

fn dot(a: Normal, b: Normal) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Facets {
    /// From distinct points relative to their centre. `None` if there are too many of them, or if they lie so that
    /// rounding leaves no sound map.
    pub(crate) fn new(points: &[Normal], dimension: usize) -> Option<Self> {
        if points.len() > MOST_POINTS {
            return None;
        }
        let scaled = scaled(points);
        let map = if dimension == 2 { plane::map(&scaled) } else { space::map(&scaled)? };
        let along = |normal: Normal, i: usize| dot(points[i], normal);
        let offset = |normal: Normal| (0..points.len()).map(|i| along(normal, i)).fold(f64::NEG_INFINITY, f64::max);
        let offsets: Vec<f64> = map.normals.iter().map(|&normal| offset(normal)).collect();
        // The search relies on an edge's points being as far along its nodes as any.
        let slack = map
            .arcs
            .iter()
            .flat_map(|arc| arc.nodes.into_iter().flat_map(|node| arc.points.map(|point| (node, point))))
            .map(|(node, point)| offsets[usize::from(node)] - along(map.normals[usize::from(node)], usize::from(point)))
            .fold(0.0, f64::max);
        let width = dimension + 1;
        let (normals, arcs) = (&map.normals, &map.arcs);
        let number = |i: usize, k: usize| if k < dimension { normals[i][k] } else { offsets[i] };
        if !(0..offsets.len()).all(|i| (0..width).all(|k| number(i, k).is_finite())) {
            return None;
        }
        let end = |i: usize, k: usize| number(usize::from(arcs[i].nodes[k / width]), k % width);
        let tables = Tables::new(&[
            Table { rows: normals.len(), width, number: &number },
            Table { rows: arcs.len(), width: 2 * width, number: &end },
        ]);
        let edges = edges(arcs);
        let [nodes, arcs] = [normals.len(), arcs.len()].map(|len| u16::try_from(len).expect("some six to a point"));
        Some(Self { tables, edges, nodes, arcs, slack })
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        usize::from(self.nodes)
    }
    /// False: even a point has nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes == 0
    }
    /// How many arcs there are; none in the plane.
    #[inline(always)]
    pub fn arcs(&self) -> usize {
        usize::from(self.arcs)
    }
    /// The nodes: unit normal and the hull's reach along it, in [blocks](crate::place_in_blocks) of rows of three or
    /// four numbers, filled up with copies of node 0.
    #[inline(always)]
    pub fn blocks<T: Scalar>(&self) -> &[T] {
        self.tables.view(NODES)
    }
    /// The two nodes at the ends of each arc, at most a quarter turn apart: in [blocks](crate::place_in_blocks) of rows
    /// of eight numbers, filled up with copies of arc 0. (Looking nodes up arc by arc takes several times as long.)
    #[inline(always)]
    pub fn ends<T: Scalar>(&self) -> &[T] {
        self.tables.view(ENDS)
    }
    /// The edge of each arc: the indices of its two points.
    #[inline(always)]
    pub fn edges(&self) -> &[[u16; 2]] {
        &bytemuck::cast_slice(self.edges.as_slice())[..self.arcs()]
    }
    /// How far an edge's points may fall short of the hull's reach along its nodes: a length, zero but for rounding.
    pub fn slack(&self) -> f64 {
        self.slack
    }
    /// Prefetches what a search reads first.
    #[inline(always)]
    pub(crate) fn prefetch<T: Scalar>(&self) {
        prefetch_lines(self.tables.all::<T>(), 64);
        prefetch_lines(self.edges.as_slice(), 16);
    }
}

#[cfg(test)]
mod tests;
