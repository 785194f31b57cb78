//! The built-in solvers of each class behind entry points that are compiled here, once.
//!
//! Users' crates call the non-generic functions below, so that they neither recompile the kernels nor run them
//! unoptimised: not those of custom shapes either, which kernels know by a pointer (`families/custom.rs`).

use arrayvec::ArrayVec;
use jostle_lanes::{D2, D3, Kernel, Scalar, Space, dispatch_at, prefetch};
use jostle_shape::{BodySet, Core, MAX_WIDTH, Shape};

use crate::by_families::ByFamilies;
use crate::cast::advance::{Course, Impact, Sweep, advance_one};
use crate::class::Class;
use crate::curved::depth::FrustumFrustumDepth;
use crate::depth::DepthSpace;
use crate::depth_search::Searched;
use crate::direct::{AskColumns, ColumnJob, ColumnKernel};
use crate::distance::{Distance, Stage};
use crate::faceted::FacetedDepth;
use crate::families::{AnyFamily, BoxFamily, Families, Family, FrustumFamily, HullFamily, with_customs};
use crate::packet::{Job, Packets};
use crate::pick::{PAIRS_PER_BATCH, Pick};
use crate::polytope::{PolytopeDepth, PolytopeSpace};
use crate::query::{Query, Solve, SolveSpace};
use crate::records::Source;
use crate::resolve::{AnyPair, Effort, Memory, Resolved, resolve};
use crate::solvers::{BoxBox, BoxBoxDepth, PointBox, PointPoint, SegmentBox, SegmentSegment};
use crate::within::{Side, Within, decide};

/// So few pairs of balls, and of capsules, are answered one by one: to fill lanes and to turn answers into rows again
/// takes 870 instructions for a register of eight balls, each by itself some 130. (One; two; four balls in
/// lanes 421; 242; 150 ns a pair, one by one 318; 211; 160; capsules 540; 288; 181, one by one 410; 301; 248.)
const FEW_BALLS: usize = 3;
const FEW_CAPSULES: usize = 1;

impl<S: SolveSpace, Q: Query<S>> Job<'_, S, Q> {
    /// `H` says where the kernel is compiled (see [`dispatch_at`]).
    #[inline]
    fn solve_with<H, V: Solve<S, Q>>(self, solver: V) {
        dispatch_at::<H, Q::Scalar, _>(self.picks.len(), Packets { job: self, solver });
    }

    /// The same where a `few` are answered one by one.
    #[inline]
    fn solve_or_one_by_one<H, V: Solve<S, Q>>(self, few: usize, solver: V) {
        if self.picks.len() > few {
            self.solve_with::<H, V>(solver);
        } else {
            Packets { job: self, solver }.run::<Q::Scalar>();
        }
    }

    /// Two cores known by their support maps.
    #[inline]
    fn solve_families<H, A: Family<S>, B: Family<S>>(self, first: A, second: B) {
        dispatch_at::<H, Q::Scalar, _>(self.picks.len(), ByFamilies { job: self, first, second });
    }
}

impl<S: SolveSpace, Q: AskColumns<S>> ColumnJob<'_, S, Q> {
    #[inline]
    fn solve_with<H, V: Solve<S, Q>>(self, solver: V) {
        dispatch_at::<H, Q::Scalar, _>(self.rows.len(), ColumnKernel { direct: self, solver });
    }

    /// The same where a `few` are answered one by one.
    #[inline]
    fn solve_or_one_by_one<H, V: Solve<S, Q>>(self, few: usize, solver: V) {
        if self.rows.len() > few {
            self.solve_with::<H, V>(solver);
        } else {
            ColumnKernel { direct: self, solver }.run::<Q::Scalar>();
        }
    }
}

impl<S: PolytopeSpace, T: Precision> Job<'_, S, Distance<'_, S, T>> {
    /// The depth of overlapping polytopes.
    #[inline]
    fn solve_polytope_depth<H>(self, families: Families<'_, S>) {
        let Distance { simplices, room, .. } = *self.query;
        room.borrow_mut().open(self.picks.len().min(MAX_WIDTH));
        self.solve_with::<H, _>(Searched(PolytopeDepth { families, simplices, room }));
    }

    /// The depth of frustums and polytopes that overlap.
    #[inline]
    fn solve_faceted_depth<H>(self, families: Families<'_, S>, side: usize) {
        let room = self.query.room;
        room.borrow_mut().open_blocks(self.picks.len().min(MAX_WIDTH));
        self.solve_with::<H, _>(Searched(FacetedDepth { families, side, room }));
    }
}

/// The plane or space, with its kernels. Users name it in bounds and never call it.
pub trait Dimension: PolytopeSpace + DepthSpace {
    #[doc(hidden)]
    fn solve_f32(class: Class, job: Job<'_, Self, Distance<'_, Self, f32>>, families: Families<'_, Self>);
    #[doc(hidden)]
    fn solve_f64(class: Class, job: Job<'_, Self, Distance<'_, Self, f64>>, families: Families<'_, Self>);
    #[doc(hidden)]
    fn direct_f32(class: Class, direct: ColumnJob<'_, Self, Distance<'_, Self, f32>>);
    #[doc(hidden)]
    fn direct_f64(class: Class, direct: ColumnJob<'_, Self, Distance<'_, Self, f64>>);
    #[doc(hidden)]
    fn direct_within(class: Class, direct: ColumnJob<'_, Self, Within>);
    #[doc(hidden)]
    fn solve_within(class: Class, job: Job<'_, Self, Within>, families: Families<'_, Self>);
    #[doc(hidden)]
    fn solve_sweep(class: Class, job: Job<'_, Self, Sweep<'_, Self>>, families: Families<'_, Self>);
    /// One pair's distance (see [`crate::resolve`]).
    #[doc(hidden)]
    fn resolve(two: &AnyPair<'_, Self>, effort: Effort, memory: &mut Memory<Self>) -> Resolved<Self>;
    /// On which side of a limit it is (see `within.rs`).
    #[doc(hidden)]
    fn decide(two: &AnyPair<'_, Self>, limit: f64, memory: &mut Memory<Self>) -> Side;
    /// When its two bodies meet (see [`crate::cast`]).
    #[doc(hidden)]
    fn advance(
        two: &AnyPair<'_, Self>,
        course: Course<Self, f64>,
        from: f64,
        memory: &mut Memory<Self>,
    ) -> Impact<Self, f64>;
}

/// A question whose kernels are compiled here.
pub trait BuiltIn<S: Dimension>: Query<S, Scalar: Precision> {
    /// Solves the pairs of a class.
    fn solve(class: Class, job: Job<'_, S, Self>, families: Families<'_, S>);
}

impl<S: Dimension, T: Precision> BuiltIn<S> for Distance<'_, S, T> {
    fn solve(class: Class, job: Job<'_, S, Self>, families: Families<'_, S>) {
        T::solve(class, job, families);
    }
}

impl<S: Dimension> BuiltIn<S> for Within {
    fn solve(class: Class, job: Job<'_, S, Self>, families: Families<'_, S>) {
        S::solve_within(class, job, families);
    }
}

/// One that is asked without records, too.
pub trait BuiltInColumns<S: Dimension>: BuiltIn<S> + AskColumns<S> {
    /// Solves pairs of bodies that are all of a class.
    fn direct(class: Class, direct: ColumnJob<'_, S, Self>);
}

impl<S: Dimension, T: Precision> BuiltInColumns<S> for Distance<'_, S, T> {
    fn direct(class: Class, direct: ColumnJob<'_, S, Self>) {
        T::direct(class, direct);
    }
}

impl<S: Dimension> BuiltInColumns<S> for Within {
    fn direct(class: Class, direct: ColumnJob<'_, S, Self>) {
        S::direct_within(class, direct);
    }
}

impl<S: Dimension> BuiltIn<S> for Sweep<'_, S> {
    fn solve(class: Class, job: Job<'_, S, Self>, families: Families<'_, S>) {
        S::solve_sweep(class, job, families);
    }
}

/// `f32` or `f64`: the precision of the answers. Users name it in bounds and never call it.
pub trait Precision: Scalar {
    /// True if there is no wider type to ask.
    #[doc(hidden)]
    const WIDEST: bool;
    #[doc(hidden)]
    const EFFORT: Effort;
    #[doc(hidden)]
    fn solve<S: Dimension>(class: Class, job: Job<'_, S, Distance<'_, S, Self>>, families: Families<'_, S>);
    #[doc(hidden)]
    fn direct<S: Dimension>(class: Class, direct: ColumnJob<'_, S, Distance<'_, S, Self>>);
    /// The same records if they are those of `f32`, whose lanes say which pairs are near.
    #[doc(hidden)]
    fn singles<S: Dimension>(source: Source<'_, S, Self>) -> Option<Source<'_, S, f32>>;
}

impl Precision for f32 {
    const WIDEST: bool = false;
    const EFFORT: Effort = Effort::F32;
    fn solve<S: Dimension>(class: Class, job: Job<'_, S, Distance<'_, S, f32>>, families: Families<'_, S>) {
        S::solve_f32(class, job, families);
    }
    fn direct<S: Dimension>(class: Class, direct: ColumnJob<'_, S, Distance<'_, S, f32>>) {
        S::direct_f32(class, direct);
    }
    fn singles<S: Dimension>(source: Source<'_, S, f32>) -> Option<Source<'_, S, f32>> {
        Some(source)
    }
}

impl Precision for f64 {
    const WIDEST: bool = true;
    const EFFORT: Effort = Effort::F64;
    fn solve<S: Dimension>(class: Class, job: Job<'_, S, Distance<'_, S, f64>>, families: Families<'_, S>) {
        S::solve_f64(class, job, families);
    }
    fn direct<S: Dimension>(class: Class, direct: ColumnJob<'_, S, Distance<'_, S, f64>>) {
        S::direct_f64(class, direct);
    }
    fn singles<S: Dimension>(_: Source<'_, S, f64>) -> Option<Source<'_, S, f32>> {
        None
    }
}

/// The solvers of a question that knows nothing but support maps. `$sharing` says which pairs of cores have a kernel of
/// their own:
///
/// - `each_pair_alone`: each combination of hulls, frustums and boxes, and in space balls and capsules against boxes;
///   one kernel serves whatever meets the user's own;
/// - `hulls_alone`: two hulls, and in space balls against boxes. One kernel serves all other combinations;
/// - `all_together`: none. One kernel serves all combinations.
///
/// Where balls or capsules against boxes have no kernel, that of two boxes serves them.
///
/// (Balls, capsules, two boxes and two frustums always have one. Where lanes are those of old machines,
/// `Lanes::FALLBACK`, one serves all others: `by_families.rs`.) A kernel that serves several combinations branches on
/// the family at each support (of hulls in `f64` 1 to 6 % of the time).
macro_rules! solve {
    ($sharing:ident, $space:ident, $home:ty, $class:ident, $job:ident, $families:ident) => {
        match ($class, $families) {
            (Class::PointPoint, _) => $job.solve_or_one_by_one::<$home, _>(FEW_BALLS, PointPoint),
            (Class::SegmentSegment, _) => $job.solve_or_one_by_one::<$home, _>(FEW_CAPSULES, SegmentSegment),
            // In space: in the plane the sides of two boxes tell as soon.
            (Class::PointBox, _) if hulls_alone!($sharing) && $space::DIMENSION == 3 => {
                $job.solve_with::<$home, _>(PointBox)
            }
            (Class::SegmentBox, _) if each_alone!($sharing) && $space::DIMENSION == 3 => {
                $job.solve_with::<$home, _>(SegmentBox)
            }
            (Class::PointBox | Class::SegmentBox | Class::BoxBox, _) => $job.solve_with::<$home, _>(BoxBox),
            // Points and segments are frustums whose radii are zero. (The plane has no frustums: nothing is compiled
            // for them there.)
            (Class::SegmentFrustum | Class::FrustumFrustum, _) if $space::DIMENSION == 3 => {
                $job.solve_families::<$home, _, _>(FrustumFamily, FrustumFamily)
            }
            (Class::BoxHull, [_, AnyFamily::Hull(hulls)]) if each_alone!($sharing) => {
                $job.solve_families::<$home, _, _>(BoxFamily, hulls)
            }
            (Class::HullHull, [AnyFamily::Hull(first), AnyFamily::Hull(second)]) if hulls_alone!($sharing) => {
                $job.solve_families::<$home, _, _>(first, second)
            }
            (Class::BoxFrustum, _) if each_alone!($sharing) && $space::DIMENSION == 3 => {
                $job.solve_families::<$home, _, _>(BoxFamily, FrustumFamily)
            }
            (Class::FrustumHull, [_, AnyFamily::Hull(hulls)]) if each_alone!($sharing) && $space::DIMENSION == 3 => {
                $job.solve_families::<$home, _, _>(FrustumFamily, hulls)
            }
            (_, [first, AnyFamily::Custom(second)]) if each_alone!($sharing) => {
                $job.solve_families::<$home, _, _>(first, second)
            }
            (_, [first, second]) if !each_alone!($sharing) => $job.solve_families::<$home, _, _>(first, second),
            (class, _) => unreachable!("no built-in solver for {class:?}"),
        }
    };
}

/// Whether hulls, frustums and boxes have kernels of their own against each other (see `solve!`).
macro_rules! each_alone {
    (each_pair_alone) => {
        true
    };
    (hulls_alone) => {
        false
    };
    (all_together) => {
        false
    };
}

/// Whether two hulls have a kernel of their own, and balls against boxes (see `solve!`).
macro_rules! hulls_alone {
    (each_pair_alone) => {
        true
    };
    (hulls_alone) => {
        true
    };
    (all_together) => {
        false
    };
}

/// The solvers of depths.
macro_rules! solve_depth {
    ($space:ident, $home:ty, $class:ident, $job:ident, $families:ident) => {
        match $class {
            Class::PointBox | Class::SegmentBox | Class::BoxBox => $job.solve_with::<$home, _>(BoxBoxDepth),
            Class::BoxHull | Class::HullHull => $job.solve_polytope_depth::<$home>($families),
            Class::FrustumFrustum if $space::DIMENSION == 3 => $job.solve_with::<$home, _>(FrustumFrustumDepth),
            // Segments are boxes here, whose edges are searched.
            Class::SegmentFrustum | Class::BoxFrustum if $space::DIMENSION == 3 => {
                $job.solve_faceted_depth::<$home>($families, 0)
            }
            Class::FrustumHull if $space::DIMENSION == 3 => $job.solve_faceted_depth::<$home>($families, 1),
            _ => unreachable!("no solver for the depth of {:?}", $class),
        }
    };
}

/// The methods of [`Dimension`] for one space. Of each: its name (and of distances that of the place where their depths
/// are compiled), what is asked (of distances, in which precision), and which kernels there are (see `solve!`).
macro_rules! built_in {
    (
        $space:ident:
        distances { $($distance:ident, depths at $depth:ident: $t:ty, $distance_sharing:ident;)+ }
        columns { $($direct:ident: $asked:ty;)+ }
        others { $($other:ident: $query:ty, $sharing:ident;)+ }
    ) => {
        impl Dimension for $space {
            $(
                #[inline(never)]
                fn $distance(
                    class: Class,
                    job: Job<'_, $space, Distance<'_, $space, $t>>,
                    families: Families<'_, $space>,
                ) {
                    type DistanceHome<S> = homes::$distance::Home<S>;
                    type DepthHome<S> = homes::$depth::Home<S>;
                    match job.query.stage {
                        Stage::Distance => {
                            solve!($distance_sharing, $space, DistanceHome<$space>, class, job, families)
                        }
                        Stage::Depth => solve_depth!($space, DepthHome<$space>, class, job, families),
                    }
                }
            )+
            $(
                #[inline(never)]
                fn $direct(class: Class, direct: ColumnJob<'_, $space, $asked>) {
                    type ColumnHome<S> = homes::$direct::Home<S>;
                    match class {
                        Class::PointPoint => direct.solve_or_one_by_one::<ColumnHome<$space>, _>(FEW_BALLS, PointPoint),
                        Class::SegmentSegment => direct.solve_or_one_by_one::<ColumnHome<$space>, _>(FEW_CAPSULES, SegmentSegment),
                        Class::BoxBox => direct.solve_with::<ColumnHome<$space>, _>(BoxBox),
                        _ => unreachable!("no solver without records for {class:?}"),
                    }
                }
            )+
            $(
                #[inline(never)]
                fn $other(class: Class, job: Job<'_, $space, $query>, families: Families<'_, $space>) {
                    solve!($sharing, $space, homes::$other::Home<$space>, class, job, families)
                }
            )+
            #[inline(never)]
            fn resolve(two: &AnyPair<'_, $space>, effort: Effort, memory: &mut Memory<$space>) -> Resolved<$space> {
                resolve(two, effort, memory)
            }
            #[inline(never)]
            fn decide(two: &AnyPair<'_, $space>, limit: f64, memory: &mut Memory<$space>) -> Side {
                decide(two, limit, memory)
            }
            #[inline(never)]
            fn advance(
                two: &AnyPair<'_, $space>,
                course: Course<$space, f64>,
                from: f64,
                memory: &mut Memory<$space>,
            ) -> Impact<$space, f64> {
                advance_one(two, course, from, memory)
            }
        }
    };
}

built_in! { D2:
    distances {
        solve_f32, depths at depth_f32: f32, each_pair_alone;
        solve_f64, depths at depth_f64: f64, hulls_alone;
    }
    columns {
        direct_f32: Distance<'_, D2, f32>;
        direct_f64: Distance<'_, D2, f64>;
        direct_within: Within;
    }
    others {
        solve_within: Within, each_pair_alone;
        solve_sweep: Sweep<'_, D2>, all_together;
    }
}
built_in! { D3:
    distances {
        solve_f32, depths at depth_f32: f32, each_pair_alone;
        solve_f64, depths at depth_f64: f64, hulls_alone;
    }
    columns {
        direct_f32: Distance<'_, D3, f32>;
        direct_f64: Distance<'_, D3, f64>;
        direct_within: Within;
    }
    others {
        solve_within: Within, each_pair_alone;
        solve_sweep: Sweep<'_, D3>, all_together;
    }
}

/// Places for the kernels to be compiled at, side by side (see [`dispatch_at`]).
mod homes {
    macro_rules! homes {
        ($($home:ident)+) => {
            $(pub mod $home {
                pub struct Home<S>(core::marker::PhantomData<S>);
            })+
        };
    }
    homes!(solve_f32 depth_f32 direct_f32 solve_f64 depth_f64 direct_f64 solve_within direct_within solve_sweep);
}

/// What the simpler of the two is, where that is no hull and not the user's own.
fn simpler<'s, S: Space>(class: Class) -> AnyFamily<'s, S> {
    match class {
        Class::FrustumFrustum | Class::FrustumHull | Class::FrustumCustom => AnyFamily::Frustum,
        _ => AnyFamily::Box,
    }
}

/// How many picks ahead the memory of their shapes is asked for.
const SHAPES_OF_PICKS_AHEAD: usize = 16;

/// So few shapes are in the first level of the cache or the second: to ask for their memory takes longer than to wait
/// for it.
const SHAPES_AT_HAND: usize = 64;

/// Looks something up for every pick, and asks for it (`find`), in shapes that are asked for ahead, and hands the table
/// on: on the stack, so that nothing is allocated.
#[inline]
fn with_table<'t, X: 't, Y: 't>(
    picks: &[Pick],
    at_hand: bool,
    shape: impl Fn(&Pick) -> &'t Y,
    find: impl Fn(&'t Y) -> &'t X,
    then: impl FnOnce(&[&'t X]),
) {
    let mut table = ArrayVec::<&X, PAIRS_PER_BATCH>::new();
    table.extend(picks.iter().enumerate().map(|(place, pick)| {
        if !at_hand && let Some(ahead) = picks.get(place + SHAPES_OF_PICKS_AHEAD) {
            prefetch(shape(ahead));
        }
        find(shape(pick))
    }));
    then(&table);
}

/// Solves the pairs of one class, custom shapes included: at least one, at most [`PAIRS_PER_BATCH`]. `bodies` are those
/// whose records the pairs name.
pub fn solve_class<'s, S: Dimension, Q: BuiltIn<S>, P: BodySet<S>>(class: Class, job: Job<'_, S, Q>, bodies: &'s P) {
    let (records, picks) = (job.records, job.picks);
    let at_hand = bodies.shape_count() <= SHAPES_AT_HAND;
    let first = |pick: &Pick| bodies.shape_at(records[pick.records[0] as usize].shape() as usize);
    let second = |pick: &Pick| bodies.shape_at(records[pick.records[1] as usize].shape() as usize);
    let hull = |shape: &'s Shape<S, P::Custom>| match shape.core() {
        Core::Hull(hull) => {
            if !at_hand {
                hull.prefetch();
            }
            &**hull
        }
        _ => unreachable!("the records sort hulls from the others"),
    };
    let custom = |shape: &'s Shape<S, P::Custom>| match shape.core() {
        Core::Custom(custom) => {
            prefetch(custom);
            custom
        }
        _ => unreachable!("the records sort custom shapes from the others"),
    };
    match class {
        Class::BoxHull | Class::FrustumHull => with_table(picks, at_hand, second, hull, |second| {
            Q::solve(class, job, [simpler(class), AnyFamily::Hull(HullFamily { all: second, at_hand })]);
        }),
        Class::HullHull => with_table(picks, at_hand, first, hull, |first| {
            with_table(picks, at_hand, second, hull, |second| {
                Q::solve(class, job, [first, second].map(|hulls| AnyFamily::Hull(HullFamily { all: hulls, at_hand })));
            });
        }),
        Class::BoxCustom | Class::FrustumCustom => with_table(picks, at_hand, second, custom, |second| {
            with_customs(second, |second| {
                Q::solve(class, job, [simpler(class), AnyFamily::Custom(second)]);
            });
        }),
        Class::HullCustom => with_table(picks, at_hand, first, hull, |first| {
            with_table(picks, at_hand, second, custom, |second| {
                with_customs(second, |second| {
                    Q::solve(
                        class,
                        job,
                        [AnyFamily::Hull(HullFamily { all: first, at_hand }), AnyFamily::Custom(second)],
                    );
                });
            });
        }),
        Class::CustomCustom => with_table(picks, at_hand, first, custom, |first| {
            with_table(picks, at_hand, second, custom, |second| {
                with_customs(first, |first| {
                    with_customs(second, |second| {
                        Q::solve(class, job, [AnyFamily::Custom(first), AnyFamily::Custom(second)]);
                    });
                });
            });
        }),
        // Frustums come second there, and segments are frustums or boxes as it suits.
        Class::BoxFrustum | Class::SegmentFrustum => {
            Q::solve(class, job, [AnyFamily::Box, AnyFamily::Frustum]);
        }
        _ => Q::solve(class, job, [simpler(class), simpler(class)]),
    }
}
