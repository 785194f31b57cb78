//! The outline of a body of the plane, as a polygon that looks smooth.

use jostle::{Columns, Core, D2};

/// The number of corners of a full circle.
const CORNERS: usize = 48;

/// The outline of body `index`, in metres, counter-clockwise; `None` for custom shapes, whose corners are not at hand.
///
/// # Panics
/// If there is no such body.
pub fn outline(bodies: &Columns<'_, D2>, index: usize) -> Option<Vec<[f64; 2]>> {
    let shape = bodies.shape(index);
    let corners = match shape.core() {
        Core::Point => vec![[0.0, 0.0]],
        Core::Segment { half_length } => vec![[0.0, -half_length], [0.0, *half_length]],
        Core::Box { half_extents: [x, y] } => vec![[*x, -y], [*x, *y], [-x, *y], [-x, -y]],
        Core::Hull(hull) => {
            let [x, y] = hull.centre();
            hull_of((0..hull.len()).map(|point| hull.point(point)).map(|[px, py]| [x + px, y + py]).collect())
        }
        Core::Frustum { .. } | Core::Custom(_) => return None,
    };
    let [angle] = bodies.rotations().get(index);
    let (sin, cos) = angle.sin_cos();
    let [x, y] = bodies.positions()[index];
    let placed = |[px, py]: [f64; 2]| [x + cos * px - sin * py, y + sin * px + cos * py];
    Some(swept(&corners, shape.radius()).into_iter().map(placed).collect())
}

/// The corners of the convex hull of some points, counter-clockwise (Andrew's monotone chain, 1979).
fn hull_of(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    let mut hull: Vec<[f64; 2]> = Vec::with_capacity(points.len() + 1);
    // Along the lower side, then back along the upper one.
    let back: Vec<[f64; 2]> = points.iter().rev().skip(1).copied().collect();
    let mut kept = 1;
    for (half, points) in [points, back].into_iter().enumerate() {
        for point in points {
            while let [.., p, q] = hull[..]
                && hull.len() > kept
                && (q[0] - p[0]) * (point[1] - p[1]) <= (q[1] - p[1]) * (point[0] - p[0])
            {
                hull.pop();
            }
            hull.push(point);
        }
        if half == 0 {
            kept = hull.len();
        }
    }
    hull.pop();
    hull
}

/// A convex polygon (counter-clockwise; a point and a segment are polygons too), swept by a disc.
fn swept(corners: &[[f64; 2]], radius: f64) -> Vec<[f64; 2]> {
    if radius == 0.0 {
        return corners.to_vec();
    }
    // Every direction's furthest corner, moved out by the radius along it.
    (0..CORNERS)
        .filter_map(|step| {
            let (sin, cos) = (std::f64::consts::TAU * (step as f64 + 0.5) / CORNERS as f64).sin_cos();
            let along = |corner: &[f64; 2]| corner[0] * cos + corner[1] * sin;
            let furthest = corners.iter().copied().max_by(|p, q| along(p).total_cmp(&along(q)));
            furthest.map(|[x, y]| [x + radius * cos, y + radius * sin])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jostle::{Bodies, Body, Shape};

    #[test]
    fn outlines_are_as_large_as_their_bodies() {
        let mut bodies = Bodies::<D2>::new();
        let hull = [[-1.0, -2.0], [1.0, 2.0], [0.0, 0.5], [1.0, -2.0], [-1.0, 2.0], [0.25, 0.0]];
        let shapes = [Shape::ball(0.5), Shape::capsule(1.0, 0.5), Shape::cuboid([2.0, 1.0]), Shape::convex(&hull)];
        for shape in shapes {
            let shape = bodies.add_shape(shape.unwrap()).unwrap();
            bodies.push(Body::new(shape, [10.0, 20.0])).unwrap();
        }
        let reach = |index: usize, axis: usize| {
            let outline = outline(&bodies.columns(), index).unwrap();
            let centre = [10.0, 20.0][axis];
            outline.iter().map(|point| (point[axis] - centre).abs()).fold(0.0, f64::max)
        };
        for (index, [x, y]) in [[0.5, 0.5], [0.5, 1.5], [2.0, 1.0], [1.0, 2.0]].into_iter().enumerate() {
            assert!((reach(index, 0) - x).abs() < 2e-3, "{index}");
            assert!((reach(index, 1) - y).abs() < 2e-3, "{index}");
        }
        assert_eq!(outline(&bodies.columns(), 3).unwrap().len(), 4); // without those inside
    }
}
