//! Bodies in packs of sixteen, so that all of a pack are tested at once: what trees over bodies have as leaves.
//!
//! Bodies are halved along the axis on which their inner points differ most, at whole packs, until one pack is left:
//! near packs stand near each other, and any sixteen that begin at a multiple of sixteen are a branch of their own.
//! What a test needs of a body lies in its pack, column by column.

use jostle_broadphase::Bounds;
use jostle_lanes::{Rotation, Vector};
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, Core, CustomShape, Shape};
use jostle_tasks::{self as tasks, Few};

use crate::bounds::{self, below};

/// Bodies of a pack: as many as the widest register has lanes.
pub const PACK: usize = 16;
/// Bodies below which halving is one task's work.
const PIECE: usize = 4096;
/// Packs that are one task's work.
const FEW: usize = 64;
/// Bodies that a task looks at before they are packed.
const MEMBERS: usize = 1024;
/// Relative room for what distances and bounds are rounded by: five times what boxes have for the former.
pub const ROUNDING: f32 = 5.0 * bounds::ROUNDING as f32;

/// A box, in `f32`, rounded outward; in the plane the third axis is of no use.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    pub lower: [f32; 3],
    pub upper: [f32; 3],
}

impl Around {
    /// Of nobody.
    pub const NOTHING: Self = Self { lower: [f32::INFINITY; 3], upper: [f32::NEG_INFINITY; 3] };

    /// The box about two boxes.
    pub fn with(&self, other: &Self) -> Self {
        let mut both = *self;
        for k in 0..3 {
            both.lower[k] = self.lower[k].min(other.lower[k]);
            both.upper[k] = self.upper[k].max(other.upper[k]);
        }
        both
    }
}

/// What is known of a body before anybody asks for its distance.
#[derive(Clone, Copy, Debug)]
struct Member<S: Dimension> {
    body: u32,
    /// A point of it.
    point: S::Array<f32>,
    /// It holds the ball of this radius about that point, and what its distances are rounded by.
    round: f32,
}

/// Up to sixteen bodies that are near each other, as columns.
#[derive(Clone, Debug)]
pub struct Pack {
    pub lower: [[f32; PACK]; 3],
    pub upper: [[f32; PACK]; 3],
    pub point: [[f32; PACK]; 3],
    pub round: [f32; PACK],
    pub body: [u32; PACK],
    pub len: usize,
    /// About all of them.
    pub around: Around,
}

impl Pack {
    const EMPTY: Self = Self {
        lower: [[0.0; PACK]; 3],
        upper: [[0.0; PACK]; 3],
        point: [[0.0; PACK]; 3],
        round: [0.0; PACK],
        body: [u32::MAX; PACK],
        len: 0,
        around: Around::NOTHING,
    };

    fn new<S: Dimension>(members: &[Member<S>], first: u32, bounds: &Bounds<S>) -> Self {
        let mut pack = Self { len: members.len(), ..Self::EMPTY };
        for (at, member) in members.iter().enumerate() {
            let (lower, upper) = bounds.get(member.body as usize);
            for k in 0..S::DIMENSION {
                pack.lower[k][at] = lower[k];
                pack.upper[k][at] = upper[k];
                pack.point[k][at] = member.point[k];
                pack.around.lower[k] = pack.around.lower[k].min(lower[k]);
                pack.around.upper[k] = pack.around.upper[k].max(upper[k]);
            }
            pack.round[at] = member.round;
            pack.body[at] = first + member.body;
        }
        pack
    }

    /// The box of the body at a place.
    pub fn around_of(&self, at: usize) -> Around {
        let Self { lower: [a, b, c], upper: [d, e, f], .. } = self;
        Around { lower: [a[at], b[at], c[at]], upper: [d[at], e[at], f[at]] }
    }
}

/// How bodies become members of packs. Keeps its memory.
#[derive(Debug)]
pub struct Packing<S: Dimension> {
    /// Of each shape a point, and how large a ball about it it holds; of none where these are more than the bodies.
    inner: Vec<(S::Array<f64>, f32)>,
    members: Vec<Member<S>>,
}

impl<S: Dimension> Default for Packing<S> {
    fn default() -> Self {
        Self { inner: Vec::new(), members: Vec::new() }
    }
}

impl<S: Dimension> Packing<S> {
    /// Packs those bodies who meet anybody; the first body is called `first`. Their `bounds` are seen from the
    /// `origin`.
    pub fn pack<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        first: u32,
        origin: S::Array<f64>,
        bounds: &Bounds<S>,
        packs: &mut Vec<Pack>,
    ) {
        let mut members = core::mem::take(&mut self.members);
        self.inner.clear();
        if bodies.shapes().len() <= bodies.len() {
            self.inner.extend(bodies.shapes().iter().map(inner));
        }
        let nobody = Member { body: u32::MAX, point: S::array(|_| 0.0), round: 0.0 };
        members.clear();
        members.resize(bodies.len(), nobody);
        tasks::for_each_few(&mut members, MEMBERS, |few, members| {
            for (index, place) in (few * MEMBERS..).zip(members) {
                *place = self.member(bodies, index, origin);
            }
        });
        let filters = bodies.filters();
        if filters.may_leave_out() {
            members.retain(|member| !filters.meets_nobody(member.body));
        }
        halve::<S>(&mut members);
        packs.resize(members.len().div_ceil(PACK), Pack::EMPTY);
        tasks::each((Few::of(&members[..], FEW * PACK), Few::of(&mut packs[..], FEW)), |_, (members, packs)| {
            for (members, pack) in members.list.chunks(PACK).zip(packs.list) {
                *pack = Pack::new(members, first, bounds);
            }
        });
        self.members = members;
    }

    fn member<U: CustomShape<S>>(&self, bodies: &Columns<'_, S, U>, index: usize, origin: S::Array<f64>) -> Member<S> {
        let known = self.inner.get(bodies.shape_indices()[index] as usize);
        let (offset, round) = known.copied().unwrap_or_else(|| inner(bodies.shape(index)));
        let turned = S::rotation(bodies.turns().get(index).as_ref()).rotate(S::Vector::from_fn(|k| offset[k]));
        let position = bodies.positions()[index];
        Member { body: index as u32, point: S::array(|k| ((position[k] - origin[k]) + turned.get(k)) as f32), round }
    }
}

/// A point of a shape, and how large a ball about it it holds.
fn inner<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> (S::Array<f64>, f32) {
    (shape.inner_point(), inner_radius(shape))
}

/// The radius of a ball about [`Shape::inner_point`] that the shape holds, the larger the better, less what distances
/// to it are rounded by: from point to point in `f32`, and as answers. It may be below zero.
fn inner_radius<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> f32 {
    let core = match shape.core() {
        Core::Box { half_extents } => half_extents.as_ref().iter().copied().fold(f64::INFINITY, f64::min),
        _ => 0.0,
    };
    below(core + shape.radius() - f64::from(ROUNDING) * shape.reach())
}

/// How many of so many packs the first half has: half of the branches of sixteen, 256 and so on that are in them, all
/// but the last of them whole.
pub fn half_of(packs: usize) -> usize {
    let mut branch = 1;
    while branch * PACK < packs {
        branch *= PACK;
    }
    packs.div_ceil(branch) / 2 * branch
}

/// Orders bodies so that each half of each half is on one side of the other.
fn halve<S: Dimension>(members: &mut [Member<S>]) {
    if members.len() <= PACK {
        return;
    }
    let mut ends = [[f32::INFINITY, f32::NEG_INFINITY]; 3];
    for member in &*members {
        for (k, ends) in ends.iter_mut().enumerate().take(S::DIMENSION) {
            let x = member.point[k];
            *ends = [ends[0].min(x), ends[1].max(x)];
        }
    }
    let widest = (0..S::DIMENSION)
        .max_by(|&i, &j| (ends[i][1] - ends[i][0]).total_cmp(&(ends[j][1] - ends[j][0])))
        .unwrap_or_default();
    let half = half_of(members.len().div_ceil(PACK)) * PACK;
    let order = |a: &Member<S>, b: &Member<S>| a.point[widest].total_cmp(&b.point[widest]).then(a.body.cmp(&b.body));
    members.select_nth_unstable_by(half, order);
    let (front, back) = members.split_at_mut(half);
    if front.len() > PIECE {
        tasks::join(|| halve::<S>(front), || halve::<S>(back));
    } else {
        halve::<S>(front);
        halve::<S>(back);
    }
}
