//! The Gauss map of a polygon: the normals of its sides.

use robust::{Coord, orient2d};

use super::{Map, Normal};

/// The map of at least one point.
pub(super) fn map(points: &[Normal]) -> Map {
    let mut map = Map::default();
    let corners = corners(points);
    match corners[..] {
        [_] => {
            for axis in [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]] {
                map.node(axis);
            }
        }
        [from, to] => {
            let [x, y, _] = edge(points, from, to);
            // Its ends bound it too, though they are no sides.
            for normal in [[y, -x, 0.0], [-y, x, 0.0], [x, y, 0.0], [-x, -y, 0.0]] {
                map.node(normal);
            }
        }
        _ => {
            let sides = corners.iter().enumerate().map(|(i, &from)| [from, corners[(i + 1) % corners.len()]]);
            for [from, to] in sides.clone() {
                let [x, y, _] = edge(points, from, to);
                map.node([y, -x, 0.0]);
            }
            map.tips(points, sides);
        }
    }
    map
}

fn edge(points: &[Normal], from: usize, to: usize) -> Normal {
    std::array::from_fn(|k| points[to][k] - points[from][k])
}

/// The corners of the convex hull, counter-clockwise: Andrew's monotone chain (1979), with an exact predicate.
pub(super) fn corners(points: &[Normal]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    // Minus zero is zero.
    let key = |i: usize, k: usize| points[i][k] + 0.0;
    order.sort_by(|&i, &j| key(i, 0).total_cmp(&key(j, 0)).then(key(i, 1).total_cmp(&key(j, 1))));
    let coord = |i: usize| Coord { x: points[i][0], y: points[i][1] };
    let mut chain: Vec<usize> = Vec::new();
    let mut half = |order: &mut dyn Iterator<Item = usize>| {
        let start = chain.len();
        for i in order {
            while chain.len() >= start + 2
                && orient2d(coord(chain[chain.len() - 2]), coord(chain[chain.len() - 1]), coord(i)) <= 0.0
            {
                chain.pop();
            }
            chain.push(i);
        }
        // The last point begins the other half.
        if chain.len() > start + 1 {
            chain.pop();
        }
    };
    half(&mut order.iter().copied());
    if order.len() > 1 {
        half(&mut order.iter().rev().copied());
    }
    chain
}
