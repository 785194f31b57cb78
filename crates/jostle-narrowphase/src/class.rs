//! Which solver a pair of kinds gets, and the built-in solvers behind entry points that are compiled here, once.
//!
//! Twelve classes, not thirty-six kinds of pairs: points and segments are boxes to everything but each other, a cone is a
//! cylinder, and the order of the two does not matter. Users' crates call the non-generic functions below, so that they
//! neither recompile the kernels nor run them unoptimised; only classes with a custom shape are instantiated there.

use core::cell::RefCell;

use jostle_lanes::{D2, D3, Scalar, Space, dispatch};
use jostle_shape::{Core, CustomShape, Hull, Shape};

use crate::depth::DepthSpace;
use crate::gjk::Met;
use crate::packet::{CHUNK, Open, Packets, Pick};
use crate::polytope::{PolytopeDepth, PolytopeFamily, PolytopeSpace, Room};
use crate::proximity::Proximity;
use crate::record::{Kind, Record};
use crate::solve::{
    BoxBox, BoxBoxDepth, BoxFamily, CustomFamily, FrustumFamily, General, HullFamily, PointPoint, SegmentSegment,
    Solve, SolveSpace,
};

/// A solver and the kinds it serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Balls.
    PointPoint,
    /// Capsules and balls.
    SegmentSegment,
    /// Boxes, capsules, balls.
    BoxBox,
    /// The same against a frustum.
    BoxFrustum,
    /// The same against a hull.
    BoxHull,
    /// Two frustums.
    FrustumFrustum,
    /// A frustum and a hull.
    FrustumHull,
    /// Two hulls.
    HullHull,
    /// The user's own against what counts as a box.
    BoxCustom,
    /// The user's own against a frustum.
    FrustumCustom,
    /// The user's own against a hull.
    HullCustom,
    /// Two of the user's own.
    CustomCustom,
}

impl Class {
    /// All, in the order of their numbers.
    pub const ALL: [Class; 12] = [
        Class::PointPoint,
        Class::SegmentSegment,
        Class::BoxBox,
        Class::BoxFrustum,
        Class::BoxHull,
        Class::FrustumFrustum,
        Class::FrustumHull,
        Class::HullHull,
        Class::BoxCustom,
        Class::FrustumCustom,
        Class::HullCustom,
        Class::CustomCustom,
    ];

    /// True if lanes can find the depth of its pairs; `f64` finds that of the others, one by one.
    pub fn has_depth(self) -> bool {
        matches!(self, Class::BoxBox | Class::BoxHull | Class::HullHull)
    }

    /// The class of two kinds, the first not above the second.
    #[inline]
    pub fn of(first: Kind, second: Kind) -> Self {
        match (first, second) {
            (Kind::Point, Kind::Point) => Class::PointPoint,
            (_, Kind::Point | Kind::Segment) => Class::SegmentSegment,
            (_, Kind::Box) => Class::BoxBox,
            (Kind::Frustum, Kind::Frustum) => Class::FrustumFrustum,
            (_, Kind::Frustum) => Class::BoxFrustum,
            (Kind::Hull, Kind::Hull) => Class::HullHull,
            (Kind::Frustum, Kind::Hull) => Class::FrustumHull,
            (_, Kind::Hull) => Class::BoxHull,
            (Kind::Custom, Kind::Custom) => Class::CustomCustom,
            (Kind::Hull, Kind::Custom) => Class::HullCustom,
            (Kind::Frustum, Kind::Custom) => Class::FrustumCustom,
            (_, Kind::Custom) => Class::BoxCustom,
        }
    }
}

/// Pairs of one class, and all that their solver needs.
pub struct Job<'j, S: Space, T: Scalar> {
    /// The bodies.
    pub records: &'j [Record<S, T>],
    /// The pairs.
    pub picks: &'j [Pick],
    /// Where their answers go.
    pub rows: &'j mut [Proximity<S, T>],
    /// Takes the pairs that the solver leaves open.
    pub open: &'j mut Open<S, T>,
    /// What was met of the pairs, if they were found to overlap.
    pub met: &'j [Met<S, T>],
    /// Memory for the search for a depth.
    pub room: &'j mut Room<T>,
}

/// What is asked of a class's pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Their distance; those that overlap are left open.
    Distance,
    /// The depth of those that overlap.
    Depth,
}

impl<S: SolveSpace, T: Scalar> Job<'_, S, T> {
    #[inline]
    fn solve_with<V: Solve<S, T>>(self, solver: V) {
        let Self { records, picks, rows, open, .. } = self;
        dispatch::<T, _>(Packets { records, picks, solver, rows, open });
    }
}

impl<S: PolytopeSpace, T: Scalar> Job<'_, S, T> {
    /// The depth of overlapping polytopes.
    #[inline]
    fn search<A: PolytopeFamily<S>, B: PolytopeFamily<S>>(self, a: A, b: B) {
        let Self { records, picks, rows, open, met, room } = self;
        let solver = PolytopeDepth { a, b, met, room: RefCell::new(room) };
        dispatch::<T, _>(Packets { records, picks, solver, rows, open });
    }
}

/// The hulls of the picks of a class: of their first bodies, and of their second (none where that is not a hull).
pub type Hulls<'h, S> = [&'h [&'h Hull<S>]; 2];

/// The plane or space, with its kernels. Users name it in bounds and never call it.
pub trait Dimension: PolytopeSpace + DepthSpace {
    #[doc(hidden)]
    fn solve_single(class: Class, stage: Stage, job: Job<'_, Self, f32>, hulls: Hulls<'_, Self>);
    #[doc(hidden)]
    fn solve_double(class: Class, stage: Stage, job: Job<'_, Self, f64>, hulls: Hulls<'_, Self>);
}

/// `f32` or `f64`: the precision of the answers. Users name it in bounds and never call it.
pub trait Precision: Scalar {
    /// True if there is no wider type to ask.
    #[doc(hidden)]
    const WIDEST: bool;
    #[doc(hidden)]
    fn solve<S: Dimension>(class: Class, stage: Stage, job: Job<'_, S, Self>, hulls: Hulls<'_, S>);
}

impl Precision for f32 {
    const WIDEST: bool = false;
    fn solve<S: Dimension>(class: Class, stage: Stage, job: Job<'_, S, f32>, hulls: Hulls<'_, S>) {
        S::solve_single(class, stage, job, hulls);
    }
}

impl Precision for f64 {
    const WIDEST: bool = true;
    fn solve<S: Dimension>(class: Class, stage: Stage, job: Job<'_, S, f64>, hulls: Hulls<'_, S>) {
        S::solve_double(class, stage, job, hulls);
    }
}

macro_rules! built_in {
    ($space:ident, $single:ident, $double:ident) => {
        impl Dimension for $space {
            #[inline(never)]
            fn $single(class: Class, stage: Stage, job: Job<'_, $space, f32>, hulls: Hulls<'_, $space>) {
                built_in!(solve $space, class, stage, job, hulls)
            }
            #[inline(never)]
            fn $double(class: Class, stage: Stage, job: Job<'_, $space, f64>, hulls: Hulls<'_, $space>) {
                built_in!(solve $space, class, stage, job, hulls)
            }
        }
    };
    (solve $space:ident, $class:ident, $stage:ident, $job:ident, $hulls:ident) => {
        match ($stage, $class) {
            (Stage::Distance, Class::PointPoint) => $job.solve_with(PointPoint),
            (Stage::Distance, Class::SegmentSegment) => $job.solve_with(SegmentSegment),
            (Stage::Distance, Class::BoxBox) => $job.solve_with(BoxBox),
            (Stage::Depth, Class::BoxBox) => $job.solve_with(BoxBoxDepth),
            (Stage::Depth, Class::BoxHull) => $job.search(BoxFamily, HullFamily($hulls[1])),
            (Stage::Depth, Class::HullHull) => $job.search(HullFamily($hulls[0]), HullFamily($hulls[1])),
            (Stage::Distance, Class::BoxHull) => $job.solve_with(General(BoxFamily, HullFamily($hulls[1]))),
            (Stage::Distance, Class::HullHull) => $job.solve_with(General(HullFamily($hulls[0]), HullFamily($hulls[1]))),
            // The plane has no frustums: nothing is compiled for them there.
            (Stage::Distance, Class::BoxFrustum) if $space::DIMENSION == 3 => $job.solve_with(General(BoxFamily, FrustumFamily)),
            (Stage::Distance, Class::FrustumFrustum) if $space::DIMENSION == 3 => $job.solve_with(General(FrustumFamily, FrustumFamily)),
            (Stage::Distance, Class::FrustumHull) if $space::DIMENSION == 3 => {
                $job.solve_with(General(FrustumFamily, HullFamily($hulls[1])))
            }
            _ => unreachable!("no built-in solver for the {:?} of {:?}", $stage, $class),
        }
    };
}

built_in!(D2, solve_single, solve_double);
built_in!(D3, solve_single, solve_double);

/// Looks something up for every pick and hands the table on: on the stack, so that nothing is allocated.
#[inline]
fn with_table<'t, X: 't>(picks: &[Pick], find: impl Fn(&Pick) -> &'t X, then: impl FnOnce(&[&'t X])) {
    let mut table = [find(&picks[0]); CHUNK];
    for (slot, pick) in table.iter_mut().zip(picks) {
        *slot = find(pick);
    }
    then(&table[..picks.len()]);
}

/// Solves the pairs of one class, custom shapes included: at least one, at most [`CHUNK`].
pub fn solve_class<S: Dimension, T: Precision, U: CustomShape<S>>(
    class: Class,
    stage: Stage,
    job: Job<'_, S, T>,
    shapes: &[Shape<S, U>],
) {
    let (records, picks) = (job.records, job.picks);
    let core = |pick: &Pick, side: usize| shapes[records[pick.records[side] as usize].shape() as usize].core();
    let hull = |pick: &Pick, side| match core(pick, side) {
        Core::Hull(hull) => &**hull,
        _ => unreachable!("the records sort hulls from the others"),
    };
    let custom = |pick: &Pick, side| match core(pick, side) {
        Core::Custom(custom) => custom,
        _ => unreachable!("the records sort custom shapes from the others"),
    };
    let second_custom = |pick: &Pick| custom(pick, 1);
    match class {
        Class::BoxHull | Class::FrustumHull => {
            with_table(picks, |pick| hull(pick, 1), |second| T::solve(class, stage, job, [&[], second]));
        }
        Class::HullHull => with_table(
            picks,
            |pick| hull(pick, 0),
            |first| {
                with_table(picks, |pick| hull(pick, 1), |second| T::solve(class, stage, job, [first, second]));
            },
        ),
        Class::BoxCustom => with_table(picks, second_custom, |second| {
            job.solve_with(General(BoxFamily, CustomFamily(second)));
        }),
        Class::FrustumCustom => with_table(picks, second_custom, |second| {
            job.solve_with(General(FrustumFamily, CustomFamily(second)));
        }),
        Class::HullCustom => with_table(
            picks,
            |pick| hull(pick, 0),
            |first| {
                with_table(picks, second_custom, |second| {
                    job.solve_with(General(HullFamily(first), CustomFamily(second)));
                });
            },
        ),
        Class::CustomCustom => with_table(
            picks,
            |pick| custom(pick, 0),
            |first| {
                with_table(picks, second_custom, |second| {
                    job.solve_with(General(CustomFamily(first), CustomFamily(second)));
                });
            },
        ),
        _ => T::solve(class, stage, job, [&[], &[]]),
    }
}
