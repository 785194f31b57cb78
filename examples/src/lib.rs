//! Two simulations on [`jostle::Pipeline`], each in the few files of its module; the programs in `src/bin` run them,
//! print a summary and make pictures:
//!
//! - [`crowd`]: 20,000 people leave a station hall; discs, capsules and people with luggage, by the social-force model.
//! - [`grains`]: 20,000 balls, boxes and stones run out of a hopper and make a heap; impulses with friction.
//!
//! ```text
//! cargo run --release -p jostle-examples --bin crowd
//! cargo run --release -p jostle-examples --bin grains -- --help
//! ```
//!
//! What uses jostle is `Station::step` and `Silo::step` with the functions that they call.
//!
//! ```
//! use jostle_examples::crowd::Station;
//!
//! let mut station = Station::new(100, 7)?;
//! for _ in 0..20 {
//!     station.step()?;
//! }
//! assert_eq!(station.inside(), 100); // it takes more than a fifth of a second to get through a door
//! # Ok::<(), jostle::PipelineError>(())
//! ```

pub mod crowd;
pub mod grains;
pub mod random;
pub mod show;
