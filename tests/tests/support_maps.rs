//! Custom shapes: a superquadric, whose support map works lane by lane, and a cone of vision (that of an example).

use jostle::lanes::{Lanes, Scalar, Vec3, Vector};
use jostle::{
    Aabb, Bodies, Body, CustomShape, D2, D3, MAX_WIDTH, Pose, Precision, Proximity, Shape, Status, SupportMap,
    distance, proximity,
};
use jostle_tests::{Ground, Random, every_pair, full, length};
use jostle_verify::Tolerance;

#[path = "../../crates/jostle/examples/vision.rs"]
mod vision;
use vision::Vision;

/// All points with `sum(abs(x_i / r_i)^p) <= 1`: between an octahedron (p = 1), an ellipsoid (2) and a box (large).
#[derive(Clone, Debug)]
struct Superquadric {
    radii: [f64; 3],
    power: f64,
}

/// References to the shapes, evaluated one lane at a time: lanes have no powers.
struct OneByOne<'s, L: Lanes> {
    shapes: [&'s Superquadric; MAX_WIDTH],
    scale: L,
}

impl Superquadric {
    /// The conjugate power q, with 1/p + 1/q = 1, gives h(d) = |r d|_q, and its gradient the point.
    fn furthest(&self, direction: [f64; 3]) -> [f64; 3] {
        let conjugate = self.power / (self.power - 1.0);
        let stretched = core::array::from_fn::<f64, 3, _>(|k| self.radii[k] * direction[k]);
        let largest = stretched.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if largest == 0.0 {
            return [0.0; 3];
        }
        let parts = stretched.map(|x| libm::pow(x.abs() / largest, conjugate));
        let height = libm::pow(parts.iter().sum(), 1.0 - 1.0 / conjugate);
        core::array::from_fn(|k| {
            let slope = libm::pow(stretched[k].abs() / largest, conjugate - 1.0) / height;
            self.radii[k] * slope.copysign(stretched[k])
        })
    }
}

impl<L: Lanes> SupportMap<D3, L> for OneByOne<'_, L> {
    #[inline(always)]
    fn support(&self, direction: Vec3<L>, _: L::Mask) -> Vec3<L> {
        let mut numbers = [[L::Scalar::default(); MAX_WIDTH]; 3];
        for lane in 0..L::WIDTH {
            let along = core::array::from_fn(|k| direction.get(k).lane(lane).to_f64());
            for (k, x) in self.shapes[lane].furthest(along).into_iter().enumerate() {
                numbers[k][lane] = L::Scalar::from_f64(x);
            }
        }
        Vec3::from_fn(|k| L::load(&numbers[k])) * self.scale
    }
}

impl CustomShape<D3> for Superquadric {
    type Packed<'a, L: Lanes> = OneByOne<'a, L>;
    #[inline(always)]
    fn pack<L: Lanes>(shapes: [&Self; MAX_WIDTH], scale: L) -> OneByOne<'_, L> {
        OneByOne { shapes, scale }
    }
    fn bounds(&self) -> Aabb<D3> {
        Aabb { lower: self.radii.map(|r| -r), upper: self.radii }
    }
}

/// Checks every pair of a crowd against its own proof.
fn crowd<S: Ground, U: CustomShape<S>, T: Precision>(shapes: Vec<Shape<S, U>>, side: f64) {
    let mut random = Random::new(11);
    let mut bodies = Bodies::new();
    for shape in shapes {
        bodies.add_shape(shape).expect("a few shapes");
    }
    let count = 40;
    for i in 0..count {
        let at = S::array(|_| random.range(0.0, side));
        let shape = i % bodies.shapes().len() as u32;
        bodies.push(Body::new(shape, at).with_rotation(S::any_rotation(&mut random))).expect("good bodies");
    }
    let columns = bodies.columns();
    let rows: Vec<Proximity<S, T>> = distance(&columns, &every_pair(count)).expect("good pairs");
    let mut overlaps = 0;
    for row in &rows {
        let tolerance = if size_of::<T>() == 4 {
            Tolerance::single()
        } else {
            // Distances of shapes of which only the support map is known are searched for.
            Tolerance { size: 1e-7, coord: 1e-7, ..Tolerance::double() }
        };
        let held = full(&columns, row, &tolerance);
        assert!(held.is_ok(), "{held:?}\n{row:?}");
        assert_ne!(row.status, Status::Unconverged, "{row:?}");
        overlaps += usize::from(row.status == Status::Overlapping);
    }
    assert!(overlaps > 10, "{overlaps} of {} overlap", rows.len());
}

fn built_in<S: Ground, U>() -> Vec<Shape<S, U>> {
    let half = S::array(|k| 0.5 + 0.25 * k as f64);
    [Shape::ball(0.5), Shape::capsule(0.75, 0.25), Shape::cuboid(half)].map(|shape| shape.expect("good shapes")).into()
}

#[test]
fn superquadrics_take_part() {
    let shapes = || {
        let mut all: Vec<Shape<D3, Superquadric>> = [1.25, 1.5, 2.0, 3.0, 8.0]
            .map(|power| Shape::custom(Superquadric { radii: [1.0, 0.5, 0.75], power }))
            .into();
        all.extend(built_in());
        all
    };
    crowd::<D3, _, f32>(shapes(), 5.0);
    crowd::<D3, _, f64>(shapes(), 5.0);
}

/// A superquadric with power 2 is an ellipsoid; along an axis every power reaches as far, along the diagonal of equal
/// radii by 3^(1/2 - 1/p) times the radius.
#[test]
fn superquadrics_are_as_large_as_they_should_be() {
    let point = Shape::ball(0.0).expect("a point");
    for power in [1.5, 2.0, 4.0, 10.0] {
        let shape = Shape::<D3, _>::custom(Superquadric { radii: [0.75; 3], power });
        let to = |at: [f64; 3]| -> Proximity<D3, f64> {
            proximity((&shape, Pose::default()), (&point, Pose::at(at))).expect("good poses")
        };
        assert!((to([0.0, 3.0, 0.0]).distance - 2.25).abs() < 1e-9, "{power}");
        let diagonal = 0.75 * libm::pow(3.0, 0.5 - 1.0 / power);
        let row = to([2.0; 3]);
        assert!((row.distance - (2.0 * 3_f64.sqrt() - diagonal)).abs() < 1e-9, "{power}: {row:?}");
        assert!(row.normal.iter().all(|n| (n - 1.0 / 3_f64.sqrt()).abs() < 1e-6), "{power}: {row:?}");
    }
}

#[test]
fn cones_of_vision_take_part() {
    let shapes = || {
        let mut all: Vec<Shape<D2, Vision>> = [0.0, 0.25, 1.0, core::f64::consts::FRAC_PI_2]
            .map(|half_angle| Shape::custom(Vision::new(2.0, half_angle)))
            .into();
        all.extend(built_in());
        all
    };
    crowd::<D2, _, f32>(shapes(), 7.0);
    crowd::<D2, _, f64>(shapes(), 7.0);
}

/// A cone of range 2, 60 degrees to either side: ahead the arc is nearest, to the side the straight edge, behind the
/// apex, beyond the end of an edge the corner.
#[test]
fn a_cone_of_vision_sees_what_it_should() {
    let (s, c) = (0.75_f64.sqrt(), 0.5);
    let sight = Shape::<D2, _>::custom(Vision::new(2.0, core::f64::consts::FRAC_PI_3));
    let point = Shape::ball(0.0).expect("a point");
    let cases = [
        ([0.0, 5.0], 3.0),
        ([3.0, 4.0], 3.0),
        // Beside the edge along (s, c): its normal is (c, -s).
        ([1.0, -1.0], c + s),
        ([-1.0, -1.0], c + s),
        ([0.0, -1.0], 1.0),
        ([-0.25, -2.0], length([0.25, 2.0, 0.0])),
        ([2.0 * s + 0.6, 2.0 * c - 0.8], 1.0),
        ([0.0, 1.0], -s),
        ([0.0, 1.5], -0.5),
    ];
    for (at, wanted) in cases {
        let row: Proximity<D2, f64> = proximity((&sight, Pose::default()), (&point, Pose::at(at))).expect("good poses");
        let allowed = if wanted < 0.0 { 1e-6 } else { 1e-9 };
        assert!((row.distance - wanted).abs() < allowed, "{at:?}: {wanted} and {row:?}");
    }
}
