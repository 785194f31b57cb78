//! Checks results against their own proof, in `f64`, by other methods than those that computed them.
//!
//! A row of a result table says how far apart two convex bodies are, along which normal, at which points. This crate
//! reads the shapes' numbers and nothing else of the library: it places the bodies itself, evaluates supports itself,
//! and looks for the least depth of overlapping bodies by enumeration or by branch and bound, where the library uses
//! GJK and expanding polytopes in lanes. So an error in a kernel is not repeated here. (Support maps of custom shapes
//! are the user's own in both.)
//!
//! | question | how it is answered |
//! | --- | --- |
//! | is a witness point on its body? | its distance from the core, and the supporting plane along the normal |
//! | is the distance right? | the two points bound it from above, the gap along the normal from below |
//! | is the depth the least? | polytopes: all face normals and edge crossings; others: the whole sphere, with a bound |
//! | is a row missing? ([`missing_rows`]) | boxes sorted and swept along one axis, distances as found here |
//! | is one there twice? ([`repeated_rows`]) | bodies and shifts of all rows |
//! | are the bounds true, and near enough? | against the distance as found here, to the rounding of `f64` |
//!
//! ```
//! use jostle_shape::{Bodies, Body, D3, Shape};
//! use jostle_verify::{Row, Tolerance, verify};
//!
//! let mut bodies = Bodies::<D3>::new();
//! let cube = bodies.add_shape(Shape::cuboid([1.0; 3])?)?;
//! let ball = bodies.add_shape(Shape::ball(0.5)?)?;
//! bodies.push(Body::new(cube, [0.0; 3]))?;
//! bodies.push(Body::new(ball, [0.0, 2.0, 0.0]))?;
//!
//! let row = Row::new(0, 1, 0.5, [0.0, 1.0, 0.0], [0.0, 1.5, 0.0], [0.0, 1.0, 0.0]);
//! assert!(verify(&bodies.columns(), &[row], &Tolerance::double()).passed());
//!
//! let lie = Row { normal: [1.0, 0.0, 0.0], ..row };
//! let report = verify(&bodies.columns(), &[lie], &Tolerance::double());
//! for failure in &report.failures[0].1 {
//!     println!("row 0: {failure}");
//! }
//! assert!(!report.passed());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod depth;
mod failure;
mod features;
mod missing;
mod nearest;
mod pair;
mod placed;
mod polytope;
mod row;
mod sphere;
mod vector;

pub use check::{Report, Verdict, verify, verify_periodic, verify_row};
pub use depth::{Depth, minimum_depth};
pub use failure::{Failure, Side};
pub use missing::{Missing, missing_rows, repeated_rows};
pub use row::{Claim, Minimal, Row, Tolerance, UnknownWord};
