//! What a kernel needs of one body, in one cache line: 64 bytes in space and single precision. Eight of its numbers
//! stand side by side, so that those of W bodies are transposed into lanes at once.

use jostle_lanes::{Lanes, Rot, Scalar, Space, Vector};
use jostle_shape::{BodySet, Core, CustomShape, MAX_SHAPES, MAX_WIDTH, Rotations, Shape};

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
    /// All, the simpler ones first.
    pub const ALL: [Kind; 6] = [Kind::Point, Kind::Segment, Kind::Box, Kind::Frustum, Kind::Hull, Kind::Custom];

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

/// The most numbers that describe a rotation in memory.
pub const ROTATION_ROOM: usize = 4;
/// Where the numbers of a shape stand in its record's block.
pub const NUMBERS: usize = ROTATION_ROOM;
/// Where the radius does.
pub const RADIUS: usize = NUMBERS + 3;
const KIND_SHIFT: u32 = 28;
const _: () = assert!(MAX_SHAPES < 1 << KIND_SHIFT, "a shape's index is beside its kind");
/// Set in the code of what is too far beside its own position for `f32`.
const ASIDE: u32 = 1 << 31;
/// Set in the code of a shape if [`Form::is_searched_long`].
const SEARCHED_LONG: u32 = 1;
/// A hull is aside if its centre is so many times its own reach from its position: where it is turned to is then
/// rounded by more than what is asked of points on its surface, though by no more than what widens the bounds.
const LEVER: f64 = 8.0;

/// Numbers of kinds in records are below this.
pub const KIND_NUMBERS: usize = 8;

#[inline(always)]
fn kind_of(code: u32) -> Kind {
    Kind::ALL[kind_number(code).min(Kind::ALL.len() - 1)]
}

#[inline(always)]
fn kind_number(code: u32) -> usize {
    (code >> KIND_SHIFT) as usize & (KIND_NUMBERS - 1)
}

/// One body, ready to be packed.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Record<S: Space, T: Scalar> {
    /// Where the body is in the world.
    pub position: S::Array<f64>,
    /// Four numbers of its rotation (a quaternion, or cosine and sine), three of its shape, and the radius that sweeps
    /// the core.
    ///
    /// Those of the shape are half extents; base radius, half height and top radius, so that a segment is a frustum
    /// without width; for hulls where the turned core centre is, seen from the position (never added to it: far from
    /// the origin the sum would lose what the hull is made of); nothing for the others.
    pub block: [T; 8],
    /// The largest distance of a point of the shape from the core's centre, and of that from the position, rounded up.
    pub reach: T,
    /// Kind and shape.
    code: u32,
}

/// How large a shape is: of a ball, all that there is to know.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(8))]
pub struct Size<T> {
    /// See [`Record::reach`].
    pub reach: T,
    /// The radius of the ball that sweeps the core.
    pub radius: T,
}

/// What all bodies of one shape share, but for a hull's centre: its size once more, so that it is in one place.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(8))]
pub struct Form<T> {
    /// The second half of a record's block, without a hull's centre.
    pub half: [T; 4],
    /// See [`Size`].
    pub reach: T,
    /// The kind as in a record's code, [`ASIDE`], and [`SEARCHED_LONG`] where that has the shape.
    code: u32,
}

/// How far the core's centre is from the position; a rotation may lengthen that by its rounding.
fn lever<S: Space, U: CustomShape<S>>(shape: &Shape<S, U>) -> f64 {
    match shape.core() {
        Core::Hull(hull) => hull.centre().as_ref().iter().map(|x| x * x).sum::<f64>().sqrt() * (1.0 + 1e-14),
        Core::Point | Core::Segment { .. } | Core::Box { .. } | Core::Frustum { .. } | Core::Custom(_) => 0.0,
    }
}

/// [`Record::reach`] of a shape of which no more is asked.
pub fn reach_of<S: Space, T: Scalar, U: CustomShape<S>>(shape: &Shape<S, U>) -> T {
    T::round_up(shape.reach() + lever(shape))
}

impl<T: Scalar> Size<T> {
    /// That of a shape.
    #[inline(always)]
    pub fn of<S: Space, U: CustomShape<S>>(shape: &Shape<S, U>) -> Self {
        Self { reach: reach_of(shape), radius: T::from_f64(shape.radius()) }
    }
}

impl<T: Scalar> Form<T> {
    /// That of a shape.
    #[inline(always)]
    pub fn of<S: Space, U: CustomShape<S>>(shape: &Shape<S, U>) -> Self {
        let numbers = match shape.core() {
            Core::Segment { half_length } => [0.0, *half_length, 0.0],
            Core::Box { half_extents } => {
                core::array::from_fn(|k| half_extents.as_ref().get(k).copied().unwrap_or(0.0))
            }
            Core::Frustum { half_height, base_radius, top_radius } => [*base_radius, *half_height, *top_radius],
            Core::Point | Core::Hull(_) | Core::Custom(_) => [0.0; 3],
        };
        let aside = !T::DOUBLE && lever(shape) > LEVER * shape.reach();
        let searched_long = match shape.core() {
            Core::Hull(hull) => hull.len() > MAX_WIDTH,
            Core::Custom(_) => true,
            Core::Point | Core::Segment { .. } | Core::Box { .. } | Core::Frustum { .. } => false,
        };
        let (aside, searched_long) = (if aside { ASIDE } else { 0 }, if searched_long { SEARCHED_LONG } else { 0 });
        let kind = Kind::of(shape.core()) as u32;
        let (Size { reach, radius }, code) = (Size::of(shape), kind << KIND_SHIFT | aside | searched_long);
        let [x, y, z] = numbers.map(T::from_f64);
        Self { half: [x, y, z, radius], reach, code }
    }
    /// That of a ball.
    #[inline(always)]
    pub fn of_ball(Size { reach, radius }: Size<T>) -> Self {
        Self { half: [T::ZERO, T::ZERO, T::ZERO, radius], reach, code: 0 }
    }
    /// How large the shape is.
    #[inline(always)]
    pub fn size(&self) -> Size<T> {
        Size { reach: self.reach, radius: self.half[3] }
    }
    /// See [`Templates::is_searched_long`](crate::Templates::is_searched_long).
    pub fn is_searched_long(&self) -> bool {
        self.code & SEARCHED_LONG != 0
    }
    /// True for balls: they look the same from everywhere.
    #[inline(always)]
    pub fn is_point(&self) -> bool {
        self.kind_number() == Kind::Point as usize
    }
    /// True for hulls.
    #[inline(always)]
    pub fn is_hull(&self) -> bool {
        self.kind_number() == Kind::Hull as usize
    }
    /// The number of its kind, below `KIND_NUMBERS`.
    #[inline(always)]
    pub fn kind_number(&self) -> usize {
        kind_number(self.code)
    }
}

impl<S: RecordSpace, T: Scalar> Record<S, T> {
    /// The record of one body.
    #[inline]
    pub fn new(bodies: &impl BodySet<S>, body: usize) -> Self {
        let shape = bodies.shape_at(bodies.shape_of(body));
        Self::placed(&Form::of(shape), || shape.core_centre(), bodies, body)
    }

    /// The record of a body of whose shape this is the `form`, and that, if it is a hull, the `centre` in the shape's
    /// frame.
    #[inline(always)]
    pub(crate) fn placed(
        form: &Form<T>,
        centre: impl FnOnce() -> S::Array<f64>,
        bodies: &impl BodySet<S>,
        body: usize,
    ) -> Self {
        // A ball looks the same from everywhere, and need not pay for the memory of its angle, nor for the sine.
        let rotation = if form.is_point() {
            S::unturned()
        } else {
            S::stored_rotation::<T, _>(as_numbers::<S>(bodies.rotation(body)))
        };
        Self::assembled(form, centre, bodies.shape_of(body), bodies.position(body), rotation)
    }

    /// The record of a ball.
    #[inline(always)]
    pub(crate) fn of_ball(size: Size<T>, shape: usize, position: S::Array<f64>) -> Self {
        Self::assembled(&Form::of_ball(size), || S::array(|_| 0.0), shape, position, S::unturned())
    }

    /// The record of a body from its parts; of the rotation as it is stored.
    #[inline(always)]
    pub(crate) fn assembled(
        form: &Form<T>,
        centre: impl FnOnce() -> S::Array<f64>,
        shape: usize,
        position: S::Array<f64>,
        rotation: [f64; ROTATION_ROOM],
    ) -> Self {
        let mut block = [T::ZERO; 8];
        block[NUMBERS..].copy_from_slice(&form.half);
        if form.is_point() {
            block[..NUMBERS].copy_from_slice(&S::unturned().map(T::from_f64));
            return Self { position, block, reach: form.reach, code: form.code & !SEARCHED_LONG | shape as u32 };
        }
        for k in 0..ROTATION_ROOM {
            block[k] = T::from_f64(rotation[k]);
        }
        if form.is_hull() {
            let centre = centre();
            let centre = S::Vector::from_fn(|k| centre[k]);
            let turned = S::stored_rot::<f64>(rotation).rotate(centre);
            for k in 0..S::DIMENSION {
                block[NUMBERS + k] = T::from_f64(turned.get(k));
            }
        }
        Self { position, block, reach: form.reach, code: form.code & !SEARCHED_LONG | shape as u32 }
    }
}

impl<S: Space, T: Scalar> Record<S, T> {
    /// The kind of its core.
    #[inline(always)]
    pub fn kind(&self) -> Kind {
        kind_of(self.code)
    }
    /// The number of its kind, below `KIND_NUMBERS`.
    #[inline(always)]
    pub fn kind_number(&self) -> usize {
        kind_number(self.code)
    }
    /// True if this precision may not decide what its pairs are: its core is too far from its position.
    #[inline(always)]
    pub fn is_aside(&self) -> bool {
        self.code & ASIDE != 0
    }
    /// True for balls: they look the same from everywhere.
    #[inline]
    pub fn is_point(&self) -> bool {
        self.kind() == Kind::Point
    }
    /// Coordinate `axis` of the core's centre, seen from the position.
    #[inline(always)]
    pub fn centre(&self, axis: usize) -> f64 {
        if self.kind() == Kind::Hull { self.block[NUMBERS + axis].to_f64() } else { 0.0 }
    }
    /// The index of its shape.
    #[inline(always)]
    pub fn shape(&self) -> u32 {
        self.code & ((1 << KIND_SHIFT) - 1)
    }
}

/// The user's numbers for the rotation of a body.
#[inline(always)]
pub fn given_rotation<S: Space>(rotations: &Rotations<'_, S>, body: usize) -> [f64; ROTATION_ROOM] {
    as_numbers::<S>(rotations.get(body))
}

/// A rotation as the user gives it, as numbers.
#[inline(always)]
pub fn as_numbers<S: Space>(given: S::Rotation<f64>) -> [f64; ROTATION_ROOM] {
    let mut rotation = [0.0; ROTATION_ROOM];
    rotation[..S::ROTATION_LEN].copy_from_slice(given.as_ref());
    rotation
}

/// How a space keeps rotations in records.
pub trait RecordSpace: Space {
    /// Rotations are stored as the user gives them.
    const ROTATIONS_AS_GIVEN: bool;
    /// No rotation.
    fn unturned() -> [f64; ROTATION_ROOM];
    /// Makes of the user's numbers of some bodies, one to a lane, what is stored as numbers of type `T`.
    fn stored_rotation<T: Scalar, L: Lanes<Scalar = f64>>(rotation: [L; ROTATION_ROOM]) -> [L; ROTATION_ROOM];
    /// The rotation, lane by lane.
    fn stored_rot<L: Lanes>(rotation: [L; ROTATION_ROOM]) -> Self::Rot<L>;
}

impl RecordSpace for jostle_lanes::D2 {
    const ROTATIONS_AS_GIVEN: bool = false;

    fn unturned() -> [f64; ROTATION_ROOM] {
        [1.0, 0.0, 0.0, 0.0]
    }
    #[inline(always)]
    fn stored_rotation<T: Scalar, L: Lanes<Scalar = f64>>([angle, ..]: [L; ROTATION_ROOM]) -> [L; ROTATION_ROOM] {
        let rotation = Self::rot_for::<T, L>(&[angle]);
        [rotation.cos, rotation.sin, L::zero(), L::zero()]
    }
    #[inline(always)]
    fn stored_rot<L: Lanes>(rotation: [L; ROTATION_ROOM]) -> jostle_lanes::Rot2<L> {
        jostle_lanes::Rot2 { cos: rotation[0], sin: rotation[1] }
    }
}

impl RecordSpace for jostle_lanes::D3 {
    const ROTATIONS_AS_GIVEN: bool = true;

    fn unturned() -> [f64; ROTATION_ROOM] {
        [0.0, 0.0, 0.0, 1.0]
    }
    #[inline(always)]
    fn stored_rotation<T: Scalar, L: Lanes<Scalar = f64>>(rotation: [L; ROTATION_ROOM]) -> [L; ROTATION_ROOM] {
        rotation
    }
    #[inline(always)]
    fn stored_rot<L: Lanes>(rotation: [L; ROTATION_ROOM]) -> jostle_lanes::Rot3<L> {
        jostle_lanes::Rot3::from_quaternion(rotation[0], rotation[1], rotation[2], rotation[3])
    }
}
