//! The point of a convex set nearest to the origin, with its proof.
//!
//! Fully corrective Frank-Wolfe (P. Wolfe, *Finding the nearest point in a polytope*, 1976): keep a few of the set's
//! points, take the nearest point of their hull, add the set's furthest point towards the origin, drop points without
//! weight. How the answer was found does not matter, because only its proof is relied on: the nearest point is a mean
//! of points of the set (so the distance is at most its length), and the plane through the furthest point bounds the
//! distance from below. Both numbers are returned.

use crate::vector::{V, along, cross, dot, length, neg, sub, unit};

/// What is known of the distance from the origin to a convex set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// The set lies beyond the plane at this distance along `direction`; negative or zero if none was found.
    pub lower: f64,
    /// The length of a mean of points of the set.
    pub upper: f64,
    /// Unit vector from the origin to the set, of the best plane.
    pub direction: V,
}

/// The point of the affine hull of `points` (at most 4) nearest to the origin, as weights that sum to one; none if the
/// points are dependent.
fn affine(points: &[V]) -> Option<Vec<f64>> {
    let k = points.len() - 1;
    // Gram-Schmidt, twice, on the edges from point 0: E = Q R.
    let (mut q, mut r) = (Vec::with_capacity(k), [[0.0; 3]; 3]);
    for j in 0..k {
        let edge = sub(points[j + 1], points[0]);
        let whole = length(edge);
        let mut rest = edge;
        for _ in 0..2 {
            for (i, &base) in q.iter().enumerate() {
                let c = dot(rest, base);
                r[i][j] += c;
                rest = along(rest, -c, base);
            }
        }
        r[j][j] = length(rest);
        if r[j][j] <= 1e-14 * whole {
            return None;
        }
        q.push(unit(rest)?);
    }
    // R l = -Q^T p0, from the last to the first.
    let mut weights = vec![0.0; k + 1];
    for i in (0..k).rev() {
        let mut right = -dot(points[0], q[i]);
        for j in i + 1..k {
            right -= r[i][j] * weights[j + 1];
        }
        weights[i + 1] = right / r[i][i];
    }
    weights[0] = 1.0 - weights[1..].iter().sum::<f64>();
    Some(weights)
}

fn mean(points: &[V], weights: &[f64]) -> V {
    points.iter().zip(weights).fold([0.0; 3], |sum, (&p, &w)| along(sum, w, p))
}

/// The point of the hull of at most five points that is nearest to the origin, and the points that it is a mean of.
/// Every subset that contains the last point is tried, so that it does not matter which are dependent.
fn corrected(points: &[V]) -> (Vec<V>, V) {
    let last = points.len() - 1;
    let mut best = (vec![points[last]], points[last]);
    for others in 1_u32..1 << last {
        let some: Vec<V> = (0..=last).filter(|&i| i == last || others >> i & 1 == 1).map(|i| points[i]).collect();
        if some.len() > 4 {
            continue;
        }
        let Some(mut weights) = affine(&some) else { continue };
        // A point that the next step needs may have no weight yet, or less than none by rounding. That is set to zero,
        // so that the result is a mean of points.
        if weights.iter().any(|&w| w < -1e-15) {
            continue;
        }
        let all: f64 = weights.iter().map(|w| w.max(0.0)).sum();
        for weight in &mut weights {
            *weight = weight.max(0.0) / all;
        }
        let v = mean(&some, &weights);
        if length(v) < length(best.1) {
            best = (some, v);
        }
    }
    best
}

/// How many starts are tried before a gap between the bounds is accepted.
const STARTS: u32 = 64;

/// Directions that fill the sphere evenly, however many are used: heights along y by the golden ratio, angles about y
/// by the golden angle. The offsets 0.3 and 0.7 keep the first direction away from the axes.
fn spiral(i: u32) -> V {
    let i = f64::from(i);
    let height = 1.0 - 2.0 * ((i * 0.618_033_988_749_894_8 + 0.3) % 1.0);
    let (s, c) = libm::sincos(2.399_963_229_728_653 * i + 0.7);
    let round = (1.0 - height * height).sqrt();
    [round * c, height, round * s]
}

/// The distance from the origin to the set whose furthest point along `n` is `support(n)`; `size` is the scale of the
/// set's coordinates.
pub(crate) fn nearest(support: impl Fn(V) -> V, size: f64) -> Nearest {
    let mut best = Nearest { lower: f64::NEG_INFINITY, upper: f64::INFINITY, direction: [0.0; 3] };
    // A walk may end early at points that are too nearly dependent for weights; another start comes another way. One
    // start is nearly always enough; where large faces are nearly coplanar it may take a dozen.
    for start in 0..STARTS {
        walk(&support, size, spiral(start), &mut best);
        if best.upper <= 1e-13 * size || best.upper - best.lower <= 1e-13 * size {
            break;
        }
    }
    best
}

/// The direction of `v`, the point of a simplex that is nearest to the origin, from the simplex itself: at a right
/// angle to an edge, along the normal of a triangle. Where `v` is short, its own rounding would turn it by far more.
/// (In the plane a triangle contains the origin.)
fn outward(points: &[V], v: V) -> Option<V> {
    let direction = unit(v)?;
    let better = match *points {
        [p, q] => unit(sub(q, p)).and_then(|edge| {
            let across = along(direction, -dot(direction, edge), edge);
            let across = unit(across)?;
            unit(along(across, -dot(across, edge), edge))
        }),
        [p, q, r] => unit(cross(sub(q, p), sub(r, p))),
        _ => None,
    };
    Some(match better.map(|better| (better, dot(better, direction))) {
        Some((better, along)) if along > 0.5 => better,
        Some((better, along)) if along < -0.5 => neg(better),
        _ => direction,
    })
}

/// One walk, from the furthest point against `start`; updates `found` where it finds better bounds.
fn walk(support: impl Fn(V) -> V, size: f64, start: V, found: &mut Nearest) {
    let noise = 1e-16 * size;
    let mut points = vec![support(neg(start))];
    let mut v = points[0];
    let mut best = Nearest { upper: length(v), ..*found };
    for _ in 0..500 {
        let Some(direction) = outward(&points, v) else { break };
        let new = support(neg(direction));
        let plane = dot(new, direction);
        if plane > best.lower {
            (best.lower, best.direction) = (plane, direction);
        }
        let gained = dot(sub(v, new), direction);
        if gained <= noise || points.contains(&new) {
            break;
        }
        points.push(new);
        let (kept, next) = corrected(&points);
        // A step of v that makes progress may be too short to show in its length.
        if length(next) > length(v) + noise {
            break;
        }
        points = kept;
        v = next;
        best.upper = best.upper.min(length(v));
        if best.upper <= noise || points.len() > 3 {
            // The origin is in the set: on a point of it, or inside a tetrahedron.
            break;
        }
    }
    *found = Nearest { upper: best.upper.min(found.upper), ..best };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hull(points: &[V]) -> impl Fn(V) -> V + '_ {
        |n| points.iter().copied().max_by(|p, q| dot(*p, n).total_cmp(&dot(*q, n))).unwrap_or_default()
    }

    #[test]
    fn points_on_the_faces_of_a_box() {
        let mut worst: f64 = 0.0;
        for i in 0..2000 {
            let x = f64::from(i);
            let h = [1.0, 0.25 + 0.25 * (x * 0.37).sin().abs(), 0.5];
            let p = [h[0] * (x * 1.3).sin(), h[1], h[2] * (x * 0.77).cos()];
            let corners: Vec<V> =
                (0..8).map(|c| sub([0, 1, 2].map(|k| if c >> k & 1 == 1 { h[k] } else { -h[k] }), p)).collect();
            let found = nearest(hull(&corners), 2.0);
            if found.upper > 1e-9 {
                eprintln!("{i} {found:?} {corners:?}");
            }
            worst = worst.max(found.upper);
        }
        assert!(worst < 1e-14, "{worst}");
    }

    /// A point on the face of a hull whose corners are far apart, with another face very near it: found by fuzzing, as
    /// the freed row of a depth of 4.3e-5.
    #[test]
    #[allow(clippy::unreadable_literal)] // the numbers as they were found
    fn a_point_on_a_face_beside_another() {
        let far = [
            [0.999_908_450_059_564_3, 0.999_908_450_059_564_3, 0.0],
            [0.0, 4.625, -100.0],
            [-100.0, -99.996_948_242_187_5, -99.993_896_577_507_26],
            [-81.245_040_969_224_65, 81.245_040_969_224_65, -100.0],
            [100.0, 1.125, 1.124_965_667_724_609_4],
            [0.0, 2.051, 2.051],
            [2.051, 1.0, 0.0],
            [32.0, 31.999_023_437_5, 31.998_046_904_802_322],
        ];
        for on in [
            [0.999_969_482_440_530_2, 0.999_908_616_194_108_4, 0.999_938_800_529_855],
            [0.999_969_482_440_530_3, 0.999_908_616_194_108_6, 0.999_938_800_529_854_8],
        ] {
            let corners: Vec<V> = far.iter().map(|&p| sub(p, on)).collect();
            let found = nearest(hull(&corners), 200.0);
            assert!(found.upper < 1e-12, "{found:?}");
        }
    }

    /// A point on an edge to which the nearest point of two other corners comes within 1e-8 of the size: the next step
    /// of v is too short to show in its length. (Found by the soak program.)
    #[test]
    #[allow(clippy::unreadable_literal)] // the numbers as they were found
    fn a_point_on_an_edge_beside_another() {
        let on = [8.839491248529568e-6, -6.527340763258892e-7, 3.287803793679831e-6];
        let points = [
            [-4.46762989748404e-6, -4.317680675959747e-6, -1.2161911682429177e-5],
            [-1.0152553230500092e-5, -3.712835039729186e-6, 2.366746750456195e-6],
            [-1.0623818747537863e-5, 3.0952130083751172e-6, 1.2289411467686663e-7],
            [1.2361704686197293e-5, -1.0274788710838715e-6, -5.7137311375651e-6],
            [6.676781353181238e-6, -4.226332348533095e-7, 8.814927295320275e-6],
            [6.205515836143466e-6, 6.385414813250994e-6, 6.571074659540945e-6],
            [1.236170458653254e-5, -1.0274788035998401e-6, -5.713730911880456e-6],
            [6.6767808228201315e-6, -4.2263287574032704e-7, 8.814928496290115e-6],
            [-1.799305281300986e-6, -1.6419326576090545e-6, -7.4787515594654535e-6],
            [2.3516309302306325e-6, 4.568285952885332e-7, 6.641919900886801e-6],
            [6.676781301039118e-6, -4.226331995473419e-7, 8.814927413392868e-6],
            [8.689429693297137e-7, 1.0338670686456237e-6, -2.795418511444117e-6],
        ];
        let found = nearest(|n| sub(hull(&points)(n), on), 2e-5);
        assert!(found.upper < 1e-17, "{found:?}");
    }

    /// A point on a face of a sliver, nearer to a point inside than to any corner of the face. (Found by fuzzing.)
    #[test]
    #[allow(clippy::unreadable_literal)] // the numbers as they were found
    fn a_point_on_a_face_beside_a_point_inside() {
        let on = [-3.654330225251599e-10, 3.654330235956788e-10, 1.1151206751920135e-14];
        let points = [
            [0.49999999999954525, 0.49998474121048275, 0.49996948288708154],
            [0.4999542250293274, 0.49993896763720613, 0.4999237107107035],
            [0.49990845424980535, 0.49990845424980535, -0.5],
            [-0.4999847412109375, -0.4999694828875363, -0.49995422502978215],
            [-0.24997711251489108, -0.24996948381883044, -0.24996185535557913],
            [-0.24995422712513005, -0.24994659912747608, -0.24993897136261012],
            [-0.24993134383052507, -0.2499389711298363, 0.25],
            [0.24951171875, 0.24950410425662994, 0.24949648999563578],
            [0.24948887596701042, 0.24948887596701042, 0.0],
            [0.0, 0.0, 0.0],
        ];
        let found = nearest(|n| sub(hull(&points)(n), on), 1.0);
        assert!(found.upper < 1e-15, "{found:?}");
    }

    /// Points of a face, beside other points that are lower by less than rounding turns a short vector to the face.
    #[test]
    fn points_on_faces_that_are_nearly_coplanar() {
        let mut worst: f64 = 0.0;
        for i in 0..2000 {
            let x = f64::from(i);
            let wave = |a: f64, b: f64| (a * x + b).sin();
            let normal = unit([1.0, 0.3 * wave(0.7, 0.0), 0.3 * wave(1.1, 1.0)]).unwrap();
            let (s, t) = crate::vector::tangents(normal);
            let corner = |k: u32, below: f64| {
                let k = f64::from(k);
                let flat = along(crate::vector::scale(s, 100.0 * wave(1.3, 2.1 * k)), 100.0 * wave(0.9, 3.7 * k), t);
                along(flat, -below, normal)
            };
            let mut corners: Vec<V> =
                (0..12).map(|k| corner(k, if k < 3 { 0.0 } else { 1e-6 * f64::from(k) })).collect();
            let on = mean(&corners[..3], &[0.25, 0.35, 0.4]);
            for p in &mut corners {
                *p = sub(*p, on);
            }
            worst = worst.max(nearest(hull(&corners), 200.0).upper);
        }
        assert!(worst < 1e-12, "{worst}");
    }
}
