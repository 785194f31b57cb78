//! Who sees whom: cones of vision are a shape of our own, in a crowd of walkers.
//!
//! ```text
//! cargo run --release -p jostle --example vision
//! ```

use jostle::lanes::{Lanes, Scalar, Vec2, Vector};
use jostle::{Aabb, Bodies, Body, CustomShape, D2, Engine, MAX_WIDTH, Shape, SupportMap};

/// A sector of a disc: what is within `range` of the origin and within `half_angle` of the y axis, which is ahead.
#[derive(Clone, Copy, Debug)]
pub struct Vision {
    range: f64,
    /// Where the arc ends, on the right.
    corner: [f64; 2],
}

impl Vision {
    /// Lengths in metres; the angle in radians, at most a right one, beyond which a sector is not convex.
    ///
    /// # Panics
    /// If it is beyond.
    pub fn new(range: f64, half_angle: f64) -> Self {
        assert!((0.0..=core::f64::consts::FRAC_PI_2).contains(&half_angle), "a sector of {half_angle} is not convex");
        Self { range, corner: [range * half_angle.sin(), range * half_angle.cos()] }
    }
}

/// A sector per lane.
pub struct Packed<L: Lanes> {
    range: L,
    corner: Vec2<L>,
}

impl<L: Lanes> SupportMap<D2, L> for Packed<L> {
    #[inline(always)]
    fn support(&self, direction: Vec2<L>, _: L::Mask) -> Vec2<L> {
        let zero = L::zero();
        // Both halves are alike: look at the right one.
        let along = Vec2 { x: direction.x.abs(), y: direction.y };
        // On the arc if the direction is no further from straight ahead than the corner is.
        let ahead = (self.corner.x * along.y).ge(self.corner.y * along.x) & along.y.gt(zero);
        let length = along.length_squared().sqrt();
        let on_arc = along * (self.range / L::select(ahead, length, L::one()));
        // Otherwise the corner or the eye, whichever is further.
        let corner = self.corner.dot(along).gt(zero);
        let behind = Vec2 { x: L::select(corner, self.corner.x, zero), y: L::select(corner, self.corner.y, zero) };
        let right = Vec2::select(ahead, on_arc, behind);
        Vec2 { x: right.x.copysign(direction.x), y: right.y }
    }
}

impl CustomShape<D2> for Vision {
    type Packed<'a, L: Lanes> = Packed<L>;
    #[inline(always)]
    fn pack<L: Lanes>(shapes: [&Self; MAX_WIDTH], scale: L) -> Packed<L> {
        let number = |f: fn(&Vision) -> f64| L::from_fn(|lane| L::Scalar::from_f64(f(shapes[lane]))) * scale;
        Packed {
            range: number(|vision| vision.range),
            corner: Vec2 { x: number(|vision| vision.corner[0]), y: number(|vision| vision.corner[1]) },
        }
    }
    fn bounds(&self) -> Aabb<D2> {
        let [side, _] = self.corner;
        Aabb { lower: [-side, 0.0], upper: [side, self.range] }
    }
}

#[allow(dead_code, reason = "the suites use the shape alone")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    const WALKERS: u32 = 1;
    const SIGHT: u32 = 2;
    let mut bodies = Bodies::<D2, Vision>::new();
    let walker = bodies.add_shape(Shape::ball(0.25)?)?;
    let sight = bodies.add_shape(Shape::custom(Vision::new(4.0, 45_f64.to_radians())))?;
    // A ring of walkers who all look to the middle, and one who stands there and looks up.
    for i in 0..6 {
        let angle = f64::from(i) * core::f64::consts::TAU / 6.0;
        let place = [3.0 * angle.sin(), -3.0 * angle.cos()];
        bodies.push(Body::new(walker, place).with_group(WALKERS).with_mask(SIGHT).with_parent(i))?;
        bodies
            .push(Body::new(sight, place).with_rotation([angle]).with_group(SIGHT).with_mask(WALKERS).with_parent(i))?;
    }
    bodies.push(Body::new(walker, [0.0, 0.0]).with_group(WALKERS).with_mask(SIGHT).with_parent(6))?;
    bodies.push(Body::new(sight, [0.0, 0.0]).with_group(SIGHT).with_mask(WALKERS).with_parent(6))?;

    let mut seen = Vec::new();
    Engine::<D2>::new().contacts(&bodies.columns(), 0.0, &mut seen)?;
    for row in &seen {
        let (eye, other) = if bodies.get(row.a as usize).shape == sight { (row.a, row.b) } else { (row.b, row.a) };
        println!("{} sees {}", eye / 2, other / 2);
    }
    Ok(())
}
