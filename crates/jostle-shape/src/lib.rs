//! Convex shapes and the bodies that place them.
//!
//! A [`Shape`] is a convex *core* swept by a ball of some radius: a sphere is a point plus a radius, a capsule a
//! segment plus a radius, a rounded box a box plus a radius. Only cores have support maps ([`SupportMap`], written once
//! over lanes); radii are added at the end, exactly. Bodies are columns ([`Columns`] borrowed, [`Bodies`] kept).
//!
//! This crate deals with shapes, poses, bounds, and which pairs filters let meet; not with algorithms on pairs.
//!
//! ```
//! use jostle_shape::{Bodies, Body, D3, Shape};
//!
//! let mut bodies = Bodies::<D3>::new();
//! let crate_shape = bodies.add_shape(Shape::cuboid([0.5, 0.5, 0.5])?)?;
//! let ball = bodies.add_shape(Shape::ball(0.25)?)?;
//! bodies.push(Body::new(crate_shape, [0.0, 0.0, 0.0]))?;
//! bodies.push(Body::new(ball, [0.0, 2.0, 0.0]).with_group(2))?;
//! assert_eq!(bodies.columns().len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aabb;
mod blocks;
mod bodies;
mod cell_table;
mod cells;
mod column;
mod columns;
mod convert;
mod copies;
mod counts;
mod custom;
mod error;
mod extents;
mod facets;
mod hull;
mod limits;
mod moves;
mod neighbours;
mod packed;
mod points;
mod polytope;
mod pose;
mod set;
mod shape;
mod sum;
mod support;

pub use aabb::Aabb;
pub use blocks::{place_in_blocks, rows_into_lanes, vector_at};
pub use bodies::{Bodies, Body, BodyColumns, Checked, MotionMut};
pub use column::Column;
pub use columns::{Columns, Filters, Rotations};
pub use convert::widen;
#[cfg(feature = "glam")]
pub use convert::{positions2, positions3, quaternions, quaternions_single};
pub use counts::{MAX_POINTS, MAX_SHAPES, MAX_WIDTH};
pub use custom::{CustomShape, Guarded, NoCustom};
pub use error::{BodyError, Problem, ShapeError};
pub use extents::Extents;
pub use facets::Facets;
pub use hull::{Hull, MAX_POLYGON};
pub use jostle_lanes::{D2, D3, Space};
pub use limits::{MAX_LENGTH, is_length};
pub use packed::{PackedPoints, Rows};
pub use points::Points;
pub use polytope::{Face, Polytope, grained};
pub use pose::Pose;
pub use set::{BodySet, CountedOn, TwoSets};
pub use shape::{Core, Shape, Shape2, Shape3};
pub use sum::{PackedSum, Sum};
pub use support::{BoxCore, FrustumCore, HullCore, SingleHull, SupportMap};
