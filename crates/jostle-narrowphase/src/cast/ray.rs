//! A point on its way against a shape whose surface is known in closed form: no search.
//!
//! Planes, a cylinder, a cone or a ball each let the point in at one share of its way and out at another; it is in the
//! shape from where it has come through all of them until it leaves the first (slabs: Kay and Kajiya 1986; polyhedra:
//! Haines, *Graphics Gems II*, 1991; cylinders and cones: Ericson, *Real-Time Collision Detection*, 5.3). A search for
//! the same takes ten times as long.
//!
//! Surfaces are moved outward by a little, so that rounding makes no impact late and loses none. Where that is not
//! enough to be sure (the point begins in the shape or at it, what is flat or thin beyond measure), and where corners
//! are rounded, nothing is told here: then the search decides.

use jostle_lanes::{Kernel, Lanes, Least, Mask, Rot, Vector, dispatch};
use jostle_shape::{BodySet, Core, CustomShape, Facets, MAX_WIDTH, Shape};

use super::passage::{AS_ASKED, Passage};
use super::row::{Cast, CastStatus, Motion};
use crate::kernels::Dimension;

/// How far surfaces are moved outward: a share of the pair's magnitude, as much as the search leaves of a gap before
/// its last plane tells the rest. Hits are early by as much.
const SURFACE_ROOM: f64 = 1e-12;
/// Of hulls whose edges are farther than this from the planes of their faces, as a share of the reach, the planes do
/// not tell.
const SOUND: f64 = 1e-12;
/// Cones whose radius grows faster than this with the height are left alone: where their side meets the base, room
/// grows in the same way.
const STEEPEST: f64 = 10.0;
/// Squares of ways that are as good as none.
const STILL: f64 = 1e-280;
/// Capsules no wider than so many times the room leave the normal open.
const THIN: f64 = 1e5;
/// Ways along a cone, or nearly so, as a share of the squares that cancel out: their quadratic tells nothing.
const ALONG: f64 = 1e-4;
/// Sizes whose squares neither vanish nor overflow.
const ORDINARY: core::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// What becomes of the point.
#[derive(Clone, Copy, Debug)]
enum Meeting {
    /// It passes by.
    Never,
    /// It meets the surface after a share of its way, where this is the outward normal.
    At(f64, [f64; 3]),
    /// It begins in the shape, or at it.
    Begins,
    /// The search has to tell.
    Unclear,
}

/// True for what is nothing but a point.
fn is_point<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> bool {
    matches!(shape.core(), Core::Point) && shape.radius() == 0.0
}

/// What is known of a point and a shape.
#[derive(Clone, Copy, Debug)]
pub enum SurfaceTells<S: Dimension> {
    /// All.
    Row(Cast<S>),
    /// It is in the shape before it moves, or at it.
    Begins,
    /// Nothing.
    Nothing,
}

/// What the surface tells, if one of a pair is a point and the surface of the other is known.
pub fn cast_point<S: Dimension>(
    bodies: &impl BodySet<S>,
    pair: [u32; 2],
    passage: &Passage<S>,
    motion: Motion,
) -> SurfaceTells<S> {
    let [a, b] = pair.map(|body| body as usize);
    let shapes = [a, b].map(|body| bodies.shape_at(bodies.shape_of(body)));
    let a_is_point = is_point(shapes[0]);
    let ordinary = [passage.size(), passage.length()].iter().all(|size| ORDINARY.contains(size));
    if motion.target != 0.0 || !(a_is_point || is_point(shapes[1])) || !ordinary {
        return SurfaceTells::Nothing;
    }
    // The point as it is seen from the other body, which stays: B moves by the sweep, A against it.
    let (body, shape, sign) = if a_is_point { (b, shapes[1], -1.0) } else { (a, shapes[0], 1.0) };
    let [from, to] = [a, b].map(|body| bodies.position(body));
    let rotation = S::rot(bodies.rotation(body).as_ref());
    let between = S::Vector::from_fn(|k| sign * ((to[k] - from[k]) + passage.shift[k]));
    let along = S::Vector::from_fn(|k| sign * passage.sweep[k]);
    let (between, along, centre) = (rotation.unrotate(between), rotation.unrotate(along), shape.core_centre());
    let numbers = |number: &dyn Fn(usize) -> f64| {
        core::array::from_fn::<f64, 3, _>(|k| if k < S::DIMENSION { number(k) } else { 0.0 })
    };
    let way = Way {
        from: numbers(&|k| between.get(k) - centre[k]),
        along: numbers(&|k| along.get(k)),
        room: SURFACE_ROOM * (passage.size() + passage.margin),
    };
    match way.meets(shape) {
        Meeting::Begins if passage.is_start() => SurfaceTells::Begins,
        Meeting::Begins | Meeting::Unclear => SurfaceTells::Nothing,
        Meeting::Never => SurfaceTells::Row(Cast::without_contact(pair, CastStatus::Miss, motion.duration)),
        Meeting::At(share, outward) => {
            let outward = rotation.rotate(S::Vector::from_fn(|k| outward[k]));
            let normal = S::array(|k| sign * outward.get(k));
            let come = |k: usize| (to[k] - from[k]) + (passage.shift[k] + share * passage.sweep[k]);
            let near = if a_is_point { from } else { S::array(|k| from[k] + come(k)) };
            SurfaceTells::Row(passage.hit(pair, motion, AS_ASKED, share, normal, near))
        }
    }
}

/// A point's way, in the frame of a shape's core, metres.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: [f64; 3],
    along: [f64; 3],
    /// How far surfaces are moved outward.
    room: f64,
}

/// The part of a way that is on the inner side of some surfaces, as shares of it, and the outward normal of the one
/// through which it comes in last.
#[derive(Clone, Copy, Debug)]
struct Inside {
    enter: f64,
    leave: f64,
    outward: [f64; 3],
}

impl Inside {
    const ALL: Self = Self { enter: f64::NEG_INFINITY, leave: f64::INFINITY, outward: [0.0; 3] };

    /// What of it is on the inner side of a plane, which is a gap away at the beginning; that changes at a rate.
    fn behind(self, gap: f64, rate: f64, outward: [f64; 3]) -> Self {
        let share = -gap / rate;
        if rate < 0.0 {
            if share > self.enter { Self { enter: share, outward, ..self } } else { self }
        } else if rate > 0.0 {
            Self { leave: self.leave.min(share), ..self }
        } else if gap > 0.0 {
            Self { leave: f64::NEG_INFINITY, ..self }
        } else {
            self
        }
    }

    /// What that comes to, if these are all surfaces.
    fn meeting(self) -> Meeting {
        let Self { enter, leave, outward } = self;
        if enter > leave || enter > 1.0 || leave < 0.0 {
            Meeting::Never
        } else if enter > 0.0 {
            Meeting::At(enter, outward)
        } else {
            Meeting::Begins
        }
    }
}

impl Way {
    fn meets<S: Dimension, U: CustomShape<S>>(&self, shape: &Shape<S, U>) -> Meeting {
        let sharp = shape.radius() == 0.0;
        match shape.core() {
            Core::Segment { half_length } if shape.radius() > THIN * self.room => {
                self.capsule(*half_length, shape.radius() + self.room)
            }
            Core::Box { half_extents } if sharp => self.cuboid(half_extents.as_ref()),
            Core::Frustum { half_height, base_radius, top_radius } if sharp && S::DIMENSION == 3 => {
                self.frustum(*half_height, [*base_radius, *top_radius])
            }
            Core::Hull(hull) if sharp => match hull.facets() {
                Some(facets) if facets.slack() <= SOUND * hull.reach() => self.polytope::<S>(facets),
                _ => Meeting::Unclear,
            },
            _ => Meeting::Unclear,
        }
    }

    /// The place after a share of the way.
    fn after(&self, share: f64) -> [f64; 3] {
        core::array::from_fn(|k| self.from[k] + share * self.along[k])
    }

    fn cuboid(&self, half_extents: &[f64]) -> Meeting {
        let mut inside = Inside::ALL;
        for (k, half) in half_extents.iter().enumerate() {
            for sign in [1.0, -1.0] {
                let mut outward = [0.0; 3];
                outward[k] = sign;
                inside = inside.behind(sign * self.from[k] - half - self.room, sign * self.along[k], outward);
            }
        }
        inside.meeting()
    }

    fn polytope<S: Dimension>(&self, facets: &Facets) -> Meeting {
        dispatch(Planes { way: self, nodes: facets.blocks(), dimension: S::DIMENSION }).meeting()
    }

    /// Where the way comes nearest to a point, seen in these axes: after which share, how far it is then from there,
    /// and the square of the way's length.
    fn nearest(&self, from: [f64; 3], axes: &[usize]) -> (f64, f64, f64) {
        let sum = |f: &dyn Fn(usize) -> f64| axes.iter().map(|&k| f(k)).sum::<f64>();
        let speed = sum(&|k| self.along[k] * self.along[k]);
        let share = -sum(&|k| from[k] * self.along[k]) / speed;
        // From the place itself: of the difference of two squares nothing would be left where the shape is thin.
        let distance = sum(&|k| {
            let offset = from[k] + share * self.along[k];
            offset * offset
        })
        .sqrt();
        (share, distance, speed)
    }

    /// What of the way is within a radius of a point, or of a line along the axis that is left out.
    fn within(&self, from: [f64; 3], axes: &[usize], radius: f64) -> Inside {
        let (share, distance, speed) = self.nearest(from, axes);
        // What does not move to speak of would come to no end of shares.
        let squared = if speed > STILL { (radius - distance) * (radius + distance) / speed } else { f64::NAN };
        let mut outward = [0.0; 3];
        if squared >= 0.0 {
            let half = squared.sqrt();
            let enter = share - half;
            let place = axes.iter().map(|&k| (k, from[k] + enter * self.along[k]));
            let length = place.clone().map(|(_, x)| x * x).sum::<f64>().sqrt();
            place.for_each(|(k, x)| outward[k] = x / length);
            Inside { enter, leave: share + half, outward }
        } else if squared < 0.0 {
            Inside { leave: f64::NEG_INFINITY, ..Inside::ALL }
        } else {
            // It stands, or goes along the line.
            let away = axes.iter().map(|&k| from[k] * from[k]).sum::<f64>().sqrt();
            if away > radius { Inside { leave: f64::NEG_INFINITY, ..Inside::ALL } } else { Inside::ALL }
        }
    }

    /// Within a radius of a segment along y.
    fn capsule(&self, half_length: f64, radius: f64) -> Meeting {
        let side = self.within(self.from, &[0, 2], radius);
        if side.enter > side.leave {
            return Meeting::Never;
        }
        // Where it is first within the radius of the line: beside the segment, or beyond one end, where it meets that
        // end's ball or nothing.
        let first = side.enter.max(0.0);
        let y = self.from[1] + first * self.along[1];
        if y.abs() <= half_length {
            return side.meeting();
        }
        let end = half_length.copysign(y);
        self.within([self.from[0], self.from[1] - end, self.from[2]], &[0, 1, 2], radius).meeting()
    }

    /// About y, from the first radius at the lower end to the second at the upper.
    fn frustum(&self, half_height: f64, [base, top]: [f64; 2]) -> Meeting {
        let growth = (top - base) / (2.0 * half_height);
        // What has no height (NaN) is left to the search.
        if growth.is_nan() || growth.abs() > STEEPEST {
            return Meeting::Unclear;
        }
        let slope = (1.0 + growth * growth).sqrt();
        let between = self.between(half_height);
        if between.enter > between.leave || between.leave < 0.0 {
            return Meeting::Never;
        }
        let side = FrustumSide { middle: 0.5 * base + 0.5 * top + self.room * slope, growth };
        let first = between.enter.max(0.0);
        if side.gap(self.after(first)) <= 0.0 {
            return between.meeting();
        }
        match self.through(side, first) {
            Some(share) if share > between.leave || share > 1.0 => Meeting::Never,
            Some(share) if share.is_finite() => {
                let place = self.after(share);
                let length = off_axis(place) * slope;
                let outward = [place[0] / length, -growth / slope, place[2] / length];
                if outward.iter().all(|x| x.is_finite()) { Meeting::At(share, outward) } else { Meeting::Unclear }
            }
            _ => Meeting::Unclear,
        }
    }

    /// What of the way is between the two ends of a frustum.
    fn between(&self, half_height: f64) -> Inside {
        let (y, rate) = (self.from[1], self.along[1]);
        let all = Inside::ALL.behind(y - half_height - self.room, rate, [0.0, 1.0, 0.0]);
        all.behind(-y - half_height - self.room, -rate, [0.0, -1.0, 0.0])
    }

    /// After which share the way goes through the side of a frustum, if it is outside of it after `first`; infinity if
    /// it never does.
    fn through(&self, side: FrustumSide, first: f64) -> Option<f64> {
        let FrustumSide { middle, growth } = side;
        let [dx, dy, dz] = self.along;
        // The square of the distance from the axis less that of the radius: a quadratic.
        let (outward, grows) = (dx * dx + dz * dz, (growth * dy) * (growth * dy));
        let square = outward - grows;
        let half_slope = |[x, y, z]: [f64; 3]| x * dx + z * dz - growth * dy * (middle + growth * y);
        let size = ALONG * (outward + grows);
        let mut share = if square > size {
            let lowest = first - half_slope(self.after(first)) / square;
            // From the place itself, as for a cylinder.
            let valley = side.squares(self.after(lowest));
            if lowest < first || valley > 0.0 {
                return Some(f64::INFINITY);
            }
            lowest - (-valley / square).sqrt()
        } else if square < -size {
            let place = self.after(first);
            let (half, value) = (half_slope(place), side.squares(place));
            let root = (half * half - square * value).sqrt();
            first + if half < 0.0 { value / (root - half) } else { -(half + root) / square }
        } else {
            return None;
        };
        // The root may be off by more than rounding where the way is nearly along a line of the side. The gap to the
        // side itself is convex along the way: from wherever Newton's method starts, its next place is never late.
        for _ in 0..3 {
            let place = self.after(share);
            let rate = (place[0] * dx + place[2] * dz) / off_axis(place) - growth * dy;
            if rate < 0.0 {
                share -= side.gap(place) / rate;
            }
        }
        Some(share.max(first))
    }
}

/// How far a place is from the y axis.
fn off_axis([x, _, z]: [f64; 3]) -> f64 {
    (x * x + z * z).sqrt()
}

/// The side of a frustum: how wide it is at the height of the origin, and by how much wider a metre above.
#[derive(Clone, Copy, Debug)]
struct FrustumSide {
    middle: f64,
    growth: f64,
}

impl FrustumSide {
    /// How far the side is from the axis at a place's height.
    fn radius(self, [_, y, _]: [f64; 3]) -> f64 {
        self.middle + self.growth * y
    }
    /// How much farther from the axis a place is than the side, metres.
    fn gap(self, place: [f64; 3]) -> f64 {
        off_axis(place) - self.radius(place)
    }
    /// The square of its distance from the axis less that of the radius.
    fn squares(self, place: [f64; 3]) -> f64 {
        self.gap(place) * (off_axis(place) + self.radius(place))
    }
}

/// What of a way is behind all planes of a polytope.
struct Planes<'p> {
    way: &'p Way,
    /// Normals and offsets, in blocks.
    nodes: &'p [f64],
    dimension: usize,
}

impl Kernel<f64> for Planes<'_> {
    type Output = Inside;

    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) -> Inside {
        let Self { way: Way { from, along, room }, nodes, dimension } = self;
        let (mut enter, mut leave, mut beyond) = (Least::<L>::new(), L::splat(f64::INFINITY), L::Mask::splat(false));
        for block in nodes.chunks_exact((dimension + 1) * MAX_WIDTH) {
            for at in (0..MAX_WIDTH).step_by(L::WIDTH) {
                let (mut gap, mut rate) = (-L::load(&block[dimension * MAX_WIDTH + at..]) - L::splat(*room), L::zero());
                for k in 0..dimension {
                    let normal = L::load(&block[k * MAX_WIDTH + at..]);
                    gap = gap + normal * L::splat(from[k]);
                    rate = rate + normal * L::splat(along[k]);
                }
                let share = gap / rate;
                let (comes_in, goes_out) = (rate.lt(L::zero()), rate.gt(L::zero()));
                // Least: the shares' negatives are shown.
                enter.see(L::select(comes_in, share, L::splat(f64::INFINITY)));
                leave = L::select(goes_out, leave.min(-share), leave);
                beyond = beyond | (!comes_in & !goes_out & gap.gt(L::zero()));
            }
        }
        let (enter, node) = enter.found();
        let leave = if beyond.any() { f64::NEG_INFINITY } else { leave.reduce_min() };
        let (block, at) = (node / MAX_WIDTH * MAX_WIDTH * (dimension + 1), node % MAX_WIDTH);
        let mut outward = [0.0; 3];
        for k in 0..dimension {
            outward[k] = nodes[block + k * MAX_WIDTH + at];
        }
        Inside { enter: -enter, leave, outward }
    }
}

#[cfg(test)]
mod tests {
    use jostle_lanes::{D2, D3, Rot2, Space};
    use jostle_shape::{Bodies, Body, ShapeError};

    use super::super::crossings::Crossing;
    use super::*;
    use crate::records::Source;

    /// Casts a fan of rays at a body, and says how many of them hit; all have to be told by its surface.
    fn told<S: Dimension>(shape: Result<Shape<S>, ShapeError>, rotation: S::Rotation<f64>) -> usize {
        let (mut bodies, motion) = (Bodies::<S>::new(), Motion::lasting(1.0));
        let [shape, point] = [shape.unwrap(), Shape::point()].map(|shape| bodies.add_shape(shape).unwrap());
        bodies.push(Body::new(shape, S::array(|_| 5.0)).with_rotation(rotation)).unwrap();
        let (mut hits, rays) = (0, 200);
        for ray in 0..rays {
            // All around, and further past the middle with every turn.
            let (angle, aside) = (f64::from(ray) * 0.7, f64::from(ray) * 0.01);
            let Rot2 { cos, sin } = D2::rot(&[angle]);
            let direction = [cos, sin, 0.4 * cos];
            let from = S::array(|k| 5.0 - 10.0 * direction[k] + aside * [-sin, cos, 0.3][k]);
            let body = Body::new(point, from).with_velocity(S::array(|k| 20.0 * direction[k]));
            let agent = bodies.push(body).unwrap();
            for pair in [[0, agent], [agent, 0]] {
                let columns = bodies.columns();
                match Crossing::of(&columns, Source::OnDemand, pair, motion) {
                    Crossing::Answer(row) => assert_eq!(row.status, CastStatus::Miss),
                    Crossing::Passage(passage, _) => match cast_point(&columns, pair, &passage, motion) {
                        SurfaceTells::Row(row) => hits += usize::from(row.status == CastStatus::Hit),
                        other => panic!("ray {ray}: {other:?}"),
                    },
                }
            }
        }
        hits
    }

    /// How far a place is from a frustum, metres; below zero inside.
    fn apart(half_height: f64, [base, top]: [f64; 2], place: [f64; 3]) -> f64 {
        let growth = (top - base) / (2.0 * half_height);
        let side = FrustumSide { middle: 0.5 * base + 0.5 * top, growth };
        (place[1].abs() - half_height).max(side.gap(place) / (1.0 + growth * growth).sqrt())
    }

    #[test]
    fn sides_of_frustums_are_never_met_late() {
        let frustums = [
            (0.5, [0.6, 0.0]),
            (0.26, [0.0, 0.65]),
            (1.0, [0.3, 0.5]),
            (0.05, [0.44, 0.44 * (1.0 + 1e-9)]),
            (0.05, [0.001, 0.001 * (1.0 + 1e-9)]),
        ];
        let mut hits = 0;
        for (half_height, radii) in frustums {
            let [base, top] = radii;
            for tilt in 0..12 {
                let askew = 0.5 * [1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12, 0.0][tilt];
                for turn in 0..40 {
                    // To a place of the side, about along the line that is on the other side of the axis.
                    let (at, share) = (f64::from(turn) * 0.7, f64::from(turn % 9 + 1) / 10.0);
                    let Rot2 { cos, sin } = D2::rot(&[at]);
                    let y = half_height * (2.0 * share - 1.0);
                    let radius = base + share * (top - base);
                    let upward = if turn % 2 == 0 { 1.0 } else { -1.0 };
                    let along = [
                        upward * (base - top) * cos - askew * half_height * sin,
                        upward * 2.0 * half_height + askew * half_height * cos,
                        upward * (base - top) * sin - askew * half_height * (cos + sin),
                    ];
                    let place = [radius * cos, y, radius * sin];
                    let from = core::array::from_fn(|k| place[k] - 0.7 * along[k]);
                    let way = Way { from, along, room: 1e-12 * (half_height + base + top) };
                    match way.frustum(half_height, radii) {
                        Meeting::At(share, _) => {
                            let apart = apart(half_height, radii, way.after(share));
                            assert!((-1e-15..1e-10).contains(&apart), "{apart:e} after {share} of {way:?}, {radii:?}");
                            hits += 1;
                        }
                        Meeting::Never => {
                            for k in 0..1000 {
                                let apart = apart(half_height, radii, way.after(f64::from(k) / 1000.0));
                                assert!(apart > -1e-12, "passed by {apart:e}: {way:?}, {radii:?}");
                            }
                        }
                        Meeting::Begins | Meeting::Unclear => {}
                    }
                }
            }
        }
        assert!(hits > 800, "{hits}");
    }

    #[test]
    fn what_hardly_moves_aside_begins_where_it_is() {
        let way = Way { from: [0.97e-10, 0.0, 0.0], along: [2.63e-162, 1e-10, 0.0], room: 1e-22 };
        assert!(matches!(way.capsule(1.0, 1e-10), Meeting::Begins));
    }

    #[test]
    fn surfaces_tell_when_they_are_met() {
        let turned = [0.5, -0.1, 0.7, 0.5];
        let corners: Vec<[f64; 3]> = (0..24_u32)
            .map(|i| {
                let (z, angle) = (f64::from(i) / 11.5 - 1.0, f64::from(i) * 2.4);
                let radius = (1.0 - z * z).max(0.0).sqrt();
                let Rot2 { cos, sin } = D2::rot(&[angle]);
                [radius * cos, radius * sin, z]
            })
            .collect();
        let solids = [
            Shape::capsule(1.0, 0.3),
            Shape::cuboid([1.0, 0.5, 0.25]),
            Shape::cylinder(0.5, 1.0),
            Shape::cone(0.5, 1.0),
            Shape::convex(&corners),
        ];
        for solid in solids {
            let hits = told::<D3>(solid, turned);
            assert!((40..360).contains(&hits), "{hits} of 400");
        }
        let pentagon = [[1.0, 0.0], [0.3, 0.9], [-0.8, 0.6], [-0.8, -0.6], [0.3, -0.9]];
        for flat in [Shape::capsule(1.0, 0.3), Shape::cuboid([1.0, 0.5]), Shape::convex(&pentagon)] {
            let hits = told::<D2>(flat, [0.4]);
            assert!((40..360).contains(&hits), "{hits} of 400");
        }
    }
}
