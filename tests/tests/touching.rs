//! Bodies whose numbers make them touch exactly: their distance is zero, not rounding, so that they are among the
//! contacts within a margin of zero, in either precision.

use jostle::{Bodies, Body, Boundary, D3, Engine, Precision, Proximity, Shape, Status, contacts, distance, overlap};
use jostle_tests::Random;

/// Unit quaternions of the rotations that take the axes to each other: half turns, and turns about a diagonal.
const ROTATIONS: [[f64; 4]; 6] = [
    [0.0, 0.0, 0.0, 1.0],
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.5, 0.5, 0.5, 0.5],
    [-0.5, 0.5, -0.5, 0.5],
];

/// A brick that is turned, and its half extents along the world's axes.
struct Brick {
    shape: Shape<D3>,
    rotation: [f64; 4],
    extents: [f64; 3],
}

/// A box of whole half extents, as a box or as the hull of its corners.
fn draw(random: &mut Random) -> Brick {
    let half: [f64; 3] = core::array::from_fn(|_| f64::from(1 + random.below(3) as u32));
    let rotation = random.below(ROTATIONS.len());
    let corner = |number: u32| core::array::from_fn(|k| if number >> k & 1 == 0 { -half[k] } else { half[k] });
    let shape = if random.chance(0.5) {
        Shape::cuboid(half)
    } else {
        Shape::convex(&(0..8).map(corner).collect::<Vec<[f64; 3]>>())
    };
    let [x, y, z] = half;
    // About a diagonal: x becomes y, y becomes z.
    let extents = if rotation < 4 { half } else { [z, x, y] };
    Brick { shape: shape.expect("good"), rotation: ROTATIONS[rotation], extents }
}

/// So many pairs of bricks, far from each other; those of each pair touch by faces, edges or corners.
fn touching_bricks(count: u32) -> (Bodies<D3>, Vec<[u32; 2]>) {
    let (random, mut bodies) = (&mut Random::new(61), Bodies::new());
    for pair in 0..count {
        let [one, other] = [draw(random), draw(random)];
        let (first, axes) = (random.below(3), 1 + random.below(3));
        let place: [f64; 3] = core::array::from_fn(|k| {
            let reach = one.extents[k] + other.extents[k];
            let meets = (k + 3 - first) % 3 < axes;
            random.sign() * if meets { reach } else { f64::from(random.below(reach as usize) as u32) }
        });
        for (brick, at) in [(one, [0.0; 3]), (other, place)] {
            let shape = bodies.add_shape(brick.shape).expect("room");
            let at = [at[0] + 20.0 * f64::from(pair), at[1], at[2]];
            bodies.push(Body::new(shape, at).with_rotation(brick.rotation)).expect("good");
        }
    }
    (bodies, (0..count).map(|pair| [2 * pair, 2 * pair + 1]).collect())
}

fn touch<T: Precision>() {
    let (bodies, pairs) = touching_bricks(4000);
    let bodies = bodies.columns();
    let rows = distance::<T, _, _>(&bodies, &pairs).expect("good");
    for row in &rows {
        assert_eq!((row.status, row.distance.to_f64()), (Status::Touching, 0.0), "{row:?}");
    }
    let named = |rows: &[Proximity<D3, T>]| rows.iter().map(|row| [row.a, row.b]).collect::<Vec<_>>();
    assert_eq!(named(&contacts::<T, _, _>(&bodies, 0.0).expect("good")), pairs);
    let (mut engine, mut near) = (Engine::<D3, T>::new(), Vec::new());
    engine.near_pairs(&bodies, 0.0, &mut near).expect("good");
    assert_eq!((near, engine.count_contacts(&bodies, 0.0)), (pairs.clone(), Ok(pairs.len() as u64)));
    assert!(overlap::<T, _, _>(&bodies, &pairs, Boundary::Closed).expect("good").into_iter().all(|overlaps| overlaps));
}

#[test]
fn the_distance_of_bricks_that_touch_is_zero() {
    touch::<f32>();
    touch::<f64>();
}
