//! Batch collision and distance queries between convex bodies, in the plane and in space: broadphase, signed distances
//! and penetration depths, witness points, k-nearest neighbours, shape casts and rays.
//!
//! Four entry points:
//!
//! - a [`Pipeline`]: frame after frame, for bodies that move, come and go, with events and with what you keep beside
//!   each contact;
//! - [`contacts`] (or an [`Engine`], which keeps its memory from one call to the next): all pairs of a scene that are
//!   within a margin of each other;
//! - [`distance()`] (or a [`Narrowphase`], which keeps its memory): the pairs you name, in the order you name them;
//! - [`proximity`]: two shapes.
//!
//! And besides:
//!
//! - [`nearest()`], [`nearest_between`]: the k nearest of each body, or of each body of a second set, however far;
//! - [`between()`], [`Engine::contacts_between`]: two sets of bodies against each other; [`Engine::contacts_where`]: a
//!   predicate of yours;
//! - [`SceneIndex`]: a scene that stays, for many queries: near pairs, the k nearest, shape casts, rays;
//! - [`overlap()`], [`within`]: yes or no; [`Engine::count_contacts`]: how many; [`Engine::visit_contacts`]: rows as
//!   they are found;
//! - [`cast()`]: when bodies that move first meet, and where;
//! - [`PeriodicEngine`], [`periodic_distance`] and its likes, and [`Lattice`]: space that repeats;
//! - [`Neighbours`]: of contacts, each body's nearest few; [`Adjacency`]: neighbour lists as offsets and indices (of
//!   contacts between two sets: [`Whose`]);
//!   [`ProximityColumns`]: answers as one array per property;
//! - [`Shape`]: balls, capsules, boxes (`cuboid`), convex hulls, in space cylinders, cones and frustums; `rounded`,
//!   `sum`; [`CustomShape`]: shapes of your own;
//! - [`Filters`]: groups, masks, static bodies, parents;
//! - of a pipeline: [`Statics`]: which slots are static; [`Skin`]: for how long it keeps its list.
//!
//! Where functions are generic (`contacts::<f32, _, _>`), the first type is that of the answers.
//!
//! If you come from parry or rapier: `contact` and `distance` are [`proximity`], or [`distance()`] for many pairs;
//! `cast_shapes` is [`cast()`], a `QueryPipeline` a [`SceneIndex`], `InteractionGroups` are [`Filters`], a
//! `ColliderHandle` is a [`Handle`]. There are no manifolds: one pair of points per contact.
//!
//! Distances come as [`Proximity`]: signed distance, unit normal, a witness point on each true surface, and a proof: a
//! lower and an upper bound that hold for the numbers as given, all rounding counted. Lengths are in whatever unit you
//! use, the same throughout (metres in these pages); positions are `f64`, answers `f32` or `f64` as you choose; angles
//! are radians, rotations unit quaternions `[x, y, z, w]`.
//!
//! A simulation over time (see [`Pipeline`] for whole frames of a crowd and of grains):
//!
//! ```
//! use jostle::{Body, D2, Event, Pipeline, Shape};
//!
//! let mut hall = Pipeline::<D2>::new();
//! hall.set_margin(0.1)?;
//! let walker = hall.add_shape(Shape::ball(0.25)?)?;
//! for i in 0..10 {
//!     hall.insert(Body::new(walker, [0.7 * f64::from(i), 0.0]))?;
//! }
//! let mut met = 0;
//! for _frame in 0..20 {
//!     let middle = 3.15;
//!     for position in hall.positions_mut() {
//!         position[0] += 0.01 * (middle - position[0]); // all move to the middle
//!     }
//!     hall.update()?;
//!     for contact in hall.contacts() {
//!         // ... contact.a and contact.b are the bodies' places in every column, as Handle::index is
//! #       assert!(contact.a < contact.b);
//!     }
//!     met += hall.events().iter().filter(|event| matches!(event, Event::Began(_))).count();
//! }
//! assert_eq!((met, hall.contacts().len()), (9, 9));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! One frame, from bodies that you keep; nothing is carried over to the next call but buffers:
//!
//! ```
//! use jostle::{Bodies, Body, D2, Engine, Shape};
//!
//! let mut crowd = Bodies::<D2>::new();
//! let walker = crowd.add_shape(Shape::ball(0.25)?)?;
//! for i in 0..100 {
//!     crowd.push(Body::new(walker, [0.45 * f64::from(i % 10), 0.55 * f64::from(i / 10)]))?;
//! }
//! let mut engine = Engine::<D2>::new();
//! let mut contacts = Vec::new();
//! engine.contacts(&crowd.columns(), 0.1, &mut contacts)?;
//! for contact in &contacts {
//!     let push: [f32; 2] = contact.normal.map(|n| n * (0.1 - contact.distance));
//!     // ... apply `push` to contact.b and its opposite to contact.a
//! #   assert!(push[0].is_finite());
//! }
//! # assert_eq!(contacts.len(), 180);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A batch:
//!
//! ```
//! use jostle::{Columns, D3, Rotations, Shape};
//!
//! let shapes = [Shape::<D3>::cuboid([0.5; 3])?, Shape::capsule(1.0, 0.25)?];
//! let position = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0]];
//! let bodies = Columns::new(&shapes, &[0, 1, 0], &position, Rotations::Identity)?;
//! let answers = jostle::distance::<f32, _, _>(&bodies, &[[0, 1], [2, 0]])?;
//! assert!((answers[0].distance - 1.25).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! After an error, whatever a query writes into is as it was, or empty: it never holds a part of an answer.
//!
//! Answers are the same bits for any number of threads, any order of the pairs and every instruction set. Work runs on
//! the rayon pool that the call is made from: install your own to choose the threads. The widest instruction set that
//! the machine has is used (for a handful of pairs, lanes of half its width), or a narrower one that the environment
//! variable `JOSTLE_ISA` names (`sse2`, `avx2`, `avx512`; elsewhere than on x86-64 there is but one, `neon` or
//! `portable`). If it names an unknown set or one that the machine lacks, a query panics, at the latest the first that
//! has work for lanes: call [`Isa::choose`] to find out beforehand.

mod adjacency;
mod between;
mod bounds;
mod cast;
mod check;
mod chunks;
mod clock;
mod collector;
mod crossing;
mod cull;
mod engine;
mod error;
mod gather;
mod gathered;
mod images;
mod lattice;
mod layers;
mod listed;
mod members;
mod narrowphase;
mod near;
mod nearest;
mod neighbours;
mod order;
mod origin;
mod overlap;
mod packs;
mod periodic;
mod pipeline;
mod query;
mod question;
mod rank;
mod report;
mod rods;
mod rows;
mod scene_index;
mod sets;
mod shifted;
mod swept;
mod table;
mod tree;
mod tree_search;
mod vicinity;
mod weight;
mod whose;
mod worker;

pub use adjacency::{Adjacency, ListKind};
pub use between::{between, nearest_between};
pub use cast::{cast, cast_into};
pub use engine::{Engine, contacts};
pub use error::{CastError, ContactsError, PairError, WithinError};
pub use jostle_broadphase::{BoundsError, MOST_BOXES as MAX_BODIES, TooManyPairs};
pub use jostle_lanes::{D2, D3, Isa, IsaError, Scalar, Space};
pub use jostle_narrowphase::{Cast, CastStatus, Dimension, Minimum, Motion, Precision, Proximity, Side, Status};
pub use jostle_shape::{
    Aabb, Bodies, Body, BodyColumns, BodyError, Column, Columns, Core, CustomShape, Extents, Filters, Hull, MAX_LENGTH,
    MAX_POINTS, MAX_POLYGON, MAX_SHAPES, MAX_WIDTH, MotionMut, NoCustom, PackedSum, Pose, Problem, Rotations, Shape,
    Shape2, Shape3, ShapeError, Sum, SupportMap, is_length, widen,
};
#[cfg(feature = "glam")]
pub use jostle_shape::{positions2, positions3, quaternions, quaternions_single};
pub use lattice::{Lattice, LatticeError};
pub use narrowphase::Narrowphase;
pub use nearest::nearest;
pub use neighbours::{Neighbour, Neighbours};
pub use overlap::{Boundary, overlap, within, within_into};
pub use periodic::{
    PeriodicEngine, ShiftedCast, count_periodic_contacts, image_distance, periodic_between, periodic_cast,
    periodic_contacts, periodic_distance, periodic_nearest, periodic_nearest_between, periodic_overlap, periodic_pairs,
};
pub use pipeline::{
    ColumnsMut, Event, Fault, Frame, Handle, Phase, Piece, Pipeline, PipelineError, Skin, Solving, Statics,
};
pub use query::{distance, distance_into, proximity};
pub use report::Report;
pub use scene_index::SceneIndex;
pub use shifted::{PairImage, Shifted};
pub use table::ProximityColumns;
pub use whose::Whose;

/// Lanes, vectors and rotations: what a custom shape's support map is written with.
pub mod lanes {
    pub use jostle_lanes::{Lanes, Mask, Rot, Rot2, Rot3, Scalar, Space, Vec2, Vec3, Vector};
}

/// Everything that is kept from call to call can be sent to another thread, and shared by many for reading.
const fn is_for_any_thread<T: Send + Sync>() {}
const _: () = {
    is_for_any_thread::<Engine<D3>>();
    is_for_any_thread::<PeriodicEngine<D3>>();
    is_for_any_thread::<Narrowphase<D3>>();
    is_for_any_thread::<Pipeline<D3>>();
    is_for_any_thread::<SceneIndex<D3>>();
};

/// The examples of README.md compile and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
