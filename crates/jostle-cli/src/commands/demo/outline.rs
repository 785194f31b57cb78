//! The true outline of a body of the plane, as a polygon fine enough for the eye.

use jostle::{Columns, Core, D2};

/// How many corners a full turn gets.
const CORNERS: usize = 48;

/// The outline of body `index`, in metres, counter-clockwise; `None` for shapes whose corners are not at hand.
pub fn outline(bodies: &Columns<'_, D2>, index: usize) -> Option<Vec<[f64; 2]>> {
    let shape = bodies.shape(index);
    let corners = match shape.core() {
        Core::Point => vec![[0.0, 0.0]],
        Core::Segment { half_length } => vec![[0.0, -half_length], [0.0, *half_length]],
        Core::Box { half_extents: [x, y] } => vec![[*x, -y], [*x, *y], [-x, *y], [-x, -y]],
        Core::Hull(_) | Core::Frustum { .. } | Core::Custom(_) => return None,
    };
    let [angle] = bodies.turns().get(index);
    let (sin, cos) = angle.sin_cos();
    let [x, y] = bodies.positions()[index];
    let placed = |[px, py]: [f64; 2]| [x + cos * px - sin * py, y + sin * px + cos * py];
    Some(swept(&corners, shape.radius()).into_iter().map(placed).collect())
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
        let shapes = [Shape::ball(0.5), Shape::capsule(1.0, 0.5), Shape::cuboid([2.0, 1.0])];
        for shape in shapes {
            let shape = bodies.add_shape(shape.unwrap()).unwrap();
            bodies.push(Body::new(shape, [10.0, 20.0])).unwrap();
        }
        let reach = |index: usize, axis: usize| {
            let outline = outline(&bodies.columns(), index).unwrap();
            let centre = [10.0, 20.0][axis];
            outline.iter().map(|point| (point[axis] - centre).abs()).fold(0.0, f64::max)
        };
        for (index, [x, y]) in [[0.5, 0.5], [0.5, 1.5], [2.0, 1.0]].into_iter().enumerate() {
            assert!((reach(index, 0) - x).abs() < 2e-3, "{index}");
            assert!((reach(index, 1) - y).abs() < 2e-3, "{index}");
        }
    }
}
