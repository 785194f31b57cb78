//! What a kernel needs of one body, in one cache line: 64 bytes in space and single precision.

use jostle_lanes::{Rotation, Scalar, Space, Vector};
use jostle_shape::{Columns, Core, CustomShape};

/// Which support map a core has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A point.
    Point,
    /// A segment along y.
    Segment,
    /// A box.
    Box,
    /// A cylinder, cone or frustum about y.
    Frustum,
    /// A convex hull.
    Hull,
    /// The user's own.
    Custom,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::Point, Kind::Segment, Kind::Box, Kind::Frustum, Kind::Hull, Kind::Custom];

    /// The kind of a core.
    pub fn of<S: Space, U>(core: &Core<S, U>) -> Self {
        match core {
            Core::Point => Kind::Point,
            Core::Segment { .. } => Kind::Segment,
            Core::Box { .. } => Kind::Box,
            Core::Frustum { .. } => Kind::Frustum,
            Core::Hull(_) => Kind::Hull,
            Core::Custom(_) => Kind::Custom,
        }
    }
}

/// The most numbers that describe a turn in memory.
pub const TURN: usize = 4;
const KIND_SHIFT: u32 = 28;

/// One body, ready to be packed.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Record<S: Space, T: Scalar> {
    /// Where the body is in the world.
    pub position: S::Array<f64>,
    /// Quaternion, or cosine and sine.
    pub turn: [T; TURN],
    /// Half extents; half height, base and top radius; for hulls where the turned core centre is, seen from the position
    /// (never added to it: far from the origin the sum would lose what the hull is made of); nothing for the others.
    pub numbers: [T; 3],
    /// The radius that sweeps the core.
    pub radius: T,
    /// The largest distance of a point of the shape from the core's centre, and of that from the position, rounded up.
    pub reach: T,
    /// Kind and shape.
    code: u32,
}

impl<S: RecordSpace, T: Scalar> Record<S, T> {
    /// The record of one body.
    #[inline]
    pub fn new<U: CustomShape<S>>(bodies: &Columns<'_, S, U>, body: usize) -> Self {
        let shape = bodies.shape(body);
        let kind = Kind::of(shape.core());
        let position = bodies.positions()[body];
        let numbers = match shape.core() {
            Core::Segment { half_length } => [0.0, *half_length, 0.0],
            Core::Box { half_extents } => {
                core::array::from_fn(|k| half_extents.as_ref().get(k).copied().unwrap_or(0.0))
            }
            Core::Frustum { half_height, base_radius, top_radius } => [*half_height, *base_radius, *top_radius],
            Core::Point | Core::Hull(_) | Core::Custom(_) => [0.0; 3],
        };
        // A ball looks the same from everywhere, and need not pay for the sine of its angle.
        let turn = if kind == Kind::Point { S::unturned() } else { S::stored_turn(bodies.turns().get(body)) };
        let (numbers, lever) = if kind == Kind::Hull {
            let offset = shape.core_centre();
            let turned = S::stored_rotation::<f64>(turn).rotate(S::Vector::from_fn(|k| offset[k]));
            let turned: [f64; 3] = core::array::from_fn(|k| if k < S::DIMENSION { turned.get(k) } else { 0.0 });
            (turned, turned.iter().map(|x| x * x).sum::<f64>().sqrt())
        } else {
            (numbers, 0.0)
        };
        Self {
            position,
            turn: turn.map(T::from_f64),
            numbers: numbers.map(T::from_f64),
            radius: T::from_f64(shape.radius()),
            reach: T::round_up(shape.reach() + lever),
            code: bodies.shape_indices()[body] | (kind as u32) << KIND_SHIFT,
        }
    }
}

impl<S: Space, T: Scalar> Record<S, T> {
    /// The kind of its core.
    #[inline(always)]
    pub fn kind(&self) -> Kind {
        Kind::ALL[((self.code >> KIND_SHIFT) as usize).min(5)]
    }
    /// Coordinate `axis` of the core's centre, seen from the position.
    #[inline(always)]
    pub fn centre(&self, axis: usize) -> f64 {
        if self.kind() == Kind::Hull { self.numbers[axis].to_f64() } else { 0.0 }
    }
    /// The index of its shape.
    #[inline(always)]
    pub fn shape(&self) -> u32 {
        self.code & ((1 << KIND_SHIFT) - 1)
    }
}

/// How a space keeps rotations in records.
pub trait RecordSpace: Space {
    /// No rotation.
    fn unturned() -> [f64; TURN];
    /// From the user's numbers.
    fn stored_turn(turn: Self::Turn<f64>) -> [f64; TURN];
    /// The rotation, lane by lane.
    fn stored_rotation<L: jostle_lanes::Lanes>(turn: [L; TURN]) -> Self::Rotation<L>;
}

impl RecordSpace for jostle_lanes::D2 {
    fn unturned() -> [f64; TURN] {
        [1.0, 0.0, 0.0, 0.0]
    }
    #[inline]
    fn stored_turn(turn: [f64; 1]) -> [f64; TURN] {
        if turn == [0.0] {
            return Self::unturned();
        }
        let rotation = Self::rotation(&turn);
        [rotation.cos, rotation.sin, 0.0, 0.0]
    }
    #[inline(always)]
    fn stored_rotation<L: jostle_lanes::Lanes>(turn: [L; TURN]) -> jostle_lanes::Rot2<L> {
        jostle_lanes::Rot2 { cos: turn[0], sin: turn[1] }
    }
}

impl RecordSpace for jostle_lanes::D3 {
    fn unturned() -> [f64; TURN] {
        [0.0, 0.0, 0.0, 1.0]
    }
    #[inline]
    fn stored_turn(turn: [f64; 4]) -> [f64; TURN] {
        turn
    }
    #[inline(always)]
    fn stored_rotation<L: jostle_lanes::Lanes>(turn: [L; TURN]) -> jostle_lanes::Rot3<L> {
        jostle_lanes::Rot3::from_quaternion(turn[0], turn[1], turn[2], turn[3])
    }
}
