//! Boxes by their sides, held against GJK, the exact polygon, and cases that can be worked out by hand.

use jostle_lanes::{D2, Space, Vec2, Vector};
use jostle_shape::BoxCore;

use super::{Sided, bounds};
use crate::boxes::pair::Boxes;
use crate::depth::{DepthSpace, POINT_LIMIT, Tolerance};
use crate::gjk::{Cores, gjk};
use crate::tests::Draw;

type TwoBoxes = Boxes<D2, f64>;

fn boxes(a: [f64; 2], b: [f64; 2], offset: [f64; 2], angle: f64) -> TwoBoxes {
    let vector = |[x, y]: [f64; 2]| Vec2 { x, y };
    Boxes { a: vector(a), b: vector(b), offset: vector(offset), rotation: D2::rot(&[angle]), magnitude: 2.0 }
}

#[test]
fn boxes_and_gjk_agree() {
    let mut draw = Draw(29);
    let mut expander = <D2 as DepthSpace>::Expander::default();
    let (mut inside, mut upright, mut slanting) = (0, 0, 0);
    for round in 0..4000 {
        let mut extents = || draw.number().abs() * 0.5;
        let (mut a, b) = ([extents(), extents()], [extents(), extents()]);
        match round % 4 {
            1 => a[0] = 0.0,
            2 => a = [0.0; 2],
            _ => {}
        }
        // Parallel, or nearly, or not at all.
        let angle = [0.0, 1e-9 * draw.number(), 3.0 * draw.number()][round % 3];
        let offset = draw.vector::<D2>();
        let two = boxes(a, b, [offset.x, offset.y], angle);
        let [core_a, core_b] = [two.a, two.b].map(|half_extents| BoxCore { half_extents });
        let cores = Cores::<D2, f64, _, _> { a: &core_a, b: &core_b, offset: two.offset, rotation: two.rotation };
        let found = gjk(&cores, 1e-15, true);
        let facing = (&two).facing();
        let [lower, upper] = bounds(&two, 2.0);
        let (a, meet) = facing.point(2.0);
        if found.overlap {
            let support = |direction: Vec2<f64>| cores.support(direction, true).w;
            let exact = Tolerance { absolute: 1e-14, relative: 0.0, points: POINT_LIMIT };
            let least = D2::least_depth(&mut expander, &support, exact).upper;
            assert!((facing.gap + least).abs() < 1e-12 && meet, "{facing:?} {least}");
            assert!(lower <= -least + 1e-12 && upper >= -least - 1e-12);
            inside += 1;
        } else if found.distance > 1e-6 {
            assert!((facing.between().length_squared().sqrt() - found.distance).abs() < 1e-12, "{facing:?} {found:?}");
            assert!(lower <= found.distance + 1e-12 && upper >= found.distance - 1e-12 && upper - lower < 1e-12);
            *if meet { &mut upright } else { &mut slanting } += 1;
        }
        let outside = |point: Vec2<f64>, half: Vec2<f64>| (point.abs() - half).max_component();
        assert!(outside(a, two.a) < 1e-14, "{a:?}");
    }
    assert!(inside > 500 && upright > 500 && slanting > 500, "{inside} {upright} {slanting}");
}

/// What lies flat against each other meets in the middle of what it shares, and at the nearest ends where that is
/// nothing.
#[test]
fn stretches_meet_in_their_middle() {
    let facing = |two: TwoBoxes| (&two).facing().point(2.0);
    let side_by_side = facing(boxes([1.0, 1.0], [1.0, 1.0], [3.0, 0.5], 0.0));
    assert_eq!(side_by_side, (Vec2 { x: 1.0, y: 0.25 }, true));
    // One on top of the other, turned upside down.
    let (point, _) = facing(boxes([1.0, 0.25], [0.25, 0.5], [0.5, 0.75], std::f64::consts::PI));
    assert!((point - Vec2 { x: 0.5, y: 0.25 }).length_squared() < 1e-30);
    let two = boxes([1.0, 1.0], [1.0, 1.0], [3.0, 5.0], 0.0);
    let facing = (&two).facing();
    assert_eq!((facing.point(2.0), facing.between()), ((Vec2 { x: 1.0, y: 1.0 }, false), Vec2 { x: 1.0, y: 3.0 }));
    let off = bounds(&two, 2.0).map(|bound| bound - 10.0_f64.sqrt());
    assert!(off[0].abs() < 1e-15 && (off[1] - facing.off).abs() < 1e-15, "{off:?}");
}
