//! Blocks of nodes, and of arcs, whose normals lie together, with a cap of the sphere about each: so that a search leaves most
//! blocks of a large hull unseen.
//!
//! The normals n of a block are within r of its middle c, and the hull's reach along each is at least h. So a point p lies
//! behind each of their planes by at least h - c.p - r |p|.

use super::Normal;
use crate::MAX_WIDTH;
use crate::neighbours::pay;

/// Room for rounding, `f32` included: relative to the length of normals, and to the hull's reach.
const ROUNDING: f64 = 1e-6;

/// The caps of blocks: rows of the middle (two or three numbers), the radius and the least reach; none where blocks are few. `nodes`
/// gives the normals and reaches that a row of a block stands for.
pub(super) fn caps<'n, N>(rows: usize, dimension: usize, nodes: impl Fn(usize) -> N) -> Vec<Vec<f64>>
where
    N: IntoIterator<Item = (&'n Normal, f64)>,
{
    if !pay(rows) {
        return Vec::new();
    }
    let cap = |block: usize| {
        let within = || (block * MAX_WIDTH..rows.min((block + 1) * MAX_WIDTH)).flat_map(&nodes);
        let sum = within().fold([0.0; 3], |sum, (n, _)| core::array::from_fn(|k| sum[k] + n[k]));
        // Of normals all around, any middle is as good.
        let length = super::dot(sum, sum).sqrt().max(1e-3);
        let middle = sum.map(|x| x / length);
        let away = |n: &Normal| {
            let between: Normal = core::array::from_fn(|k| n[k] - middle[k]);
            super::dot(between, between).sqrt()
        };
        let radius = within().map(|(n, _)| away(n)).fold(0.0, f64::max);
        let least = within().map(|(_, reach)| reach).fold(f64::INFINITY, f64::min);
        let most = within().map(|(_, reach)| reach.abs()).fold(0.0, f64::max);
        let sizes = [radius + ROUNDING, least - ROUNDING * most];
        middle[..dimension].iter().copied().chain(sizes).collect()
    };
    (0..rows.div_ceil(MAX_WIDTH)).map(cap).collect()
}
