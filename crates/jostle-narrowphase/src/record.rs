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

/// What all bodies of one shape share: made once a shape, so that a body costs a copy and its own place and rotation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Template<S: Space, T: Scalar> {
    /// Its rotation is to be filled in; so is a hull's centre.
    block: [T; 8],
    reach: T,
    code: u32,
    /// See [`Template::is_searched_long`].
    searched_long: bool,
    /// The core's centre in the shape's frame; zero for all but hulls.
    centre: S::Array<f64>,
}

/// How far the core's centre is from the position; a rotation may lengthen that by its rounding.
fn lever<S: Space, U: CustomShape<S>>(shape: &Shape<S, U>) -> f64 {
    match shape.core() {
        Core::Hull(hull) => hull.centre().as_ref().iter().map(|x| x * x).sum::<f64>().sqrt() * (1.0 + 1e-14),
        _ => 0.0,
    }
}

/// [`Template::reach`] of a shape of which no more is asked.
pub fn reach_of<S: Space, T: Scalar, U: CustomShape<S>>(shape: &Shape<S, U>) -> T {
    T::round_up(shape.reach() + lever(shape))
}

impl<S: RecordSpace, T: Scalar> Template<S, T> {
    /// The template of shape `index`.
    #[inline]
    pub fn new<U: CustomShape<S>>(shape: &Shape<S, U>, index: u32) -> Self {
        let kind = Kind::of(shape.core());
        let numbers = match shape.core() {
            Core::Segment { half_length } => [0.0, *half_length, 0.0],
            Core::Box { half_extents } => {
                core::array::from_fn(|k| half_extents.as_ref().get(k).copied().unwrap_or(0.0))
            }
            Core::Frustum { half_height, base_radius, top_radius } => [*base_radius, *half_height, *top_radius],
            Core::Point | Core::Hull(_) | Core::Custom(_) => [0.0; 3],
        };
        let (centre, lever) = (shape.core_centre(), lever(shape));
        let aside = !T::DOUBLE && lever > LEVER * shape.reach();
        let mut block = [T::ZERO; 8];
        block[NUMBERS..RADIUS].copy_from_slice(&numbers.map(T::from_f64));
        block[RADIUS] = T::from_f64(shape.radius());
        Self {
            block,
            reach: reach_of(shape),
            code: index | (kind as u32) << KIND_SHIFT | if aside { ASIDE } else { 0 },
            searched_long: match shape.core() {
                Core::Hull(hull) => hull.len() > MAX_WIDTH,
                core => matches!(core, Core::Custom(_)),
            },
            centre,
        }
    }
}

impl<S: Space, T: Scalar> Template<S, T> {
    /// True if a search for the distance of such a shape takes so long that it is worth knowing where the last one
    /// ended: for hulls of more than sixteen points, and the user's own shapes. (For others the memory that it takes
    /// costs more than the steps that it saves.)
    pub fn is_searched_long(&self) -> bool {
        self.searched_long
    }
    /// No point of a body of this shape is farther from its position than this.
    pub fn reach(&self) -> T {
        self.reach
    }
    /// As a record's, without its rotation and a hull's centre.
    #[inline(always)]
    pub(crate) fn block(&self) -> &[T; 8] {
        &self.block
    }
    /// True for balls: they look the same from everywhere.
    #[inline(always)]
    pub fn is_point(&self) -> bool {
        self.kind_number() == Kind::Point as usize
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
        let shape = bodies.shape_of(body);
        Self::placed(&Template::new(bodies.shape_at(shape), shape as u32), bodies, body)
    }

    /// The record of a body whose shape's template is at hand.
    #[inline(always)]
    pub fn placed(template: &Template<S, T>, bodies: &impl BodySet<S>, body: usize) -> Self {
        let mut rotation = as_numbers::<S>(bodies.rotation(body));
        // A ball looks the same from everywhere, and need not pay for the sine of its angle.
        if !template.is_point() {
            rotation = S::stored_rotation::<T, _>(rotation);
        }
        Self::assembled(template, bodies.position(body), rotation)
    }

    /// The record of a body from its parts; of the rotation as it is stored.
    #[inline(always)]
    pub(crate) fn assembled(
        template: &Template<S, T>,
        position: S::Array<f64>,
        rotation: [f64; ROTATION_ROOM],
    ) -> Self {
        let kind = kind_of(template.code);
        let rotation = if kind == Kind::Point { S::unturned() } else { rotation };
        let mut block = template.block;
        for k in 0..ROTATION_ROOM {
            block[k] = T::from_f64(rotation[k]);
        }
        if kind == Kind::Hull {
            let centre = S::Vector::from_fn(|k| template.centre[k]);
            let turned = S::stored_rot::<f64>(rotation).rotate(centre);
            for k in 0..S::DIMENSION {
                block[NUMBERS + k] = T::from_f64(turned.get(k));
            }
        }
        Self { position, block, reach: template.reach, code: template.code }
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
