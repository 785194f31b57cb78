//! Pictures of what `jostle` answers: for the command's demo and the example simulations.
//!
//! [`Canvas`] draws in the plane, [`Solids`] in space, [`plot()`] draws curves, [`film()`] makes a GIF of canvases.
//! No font or window of the system is needed, and the same calls give the same bytes.
//!
//! ```
//! use jostle_picture::{Canvas, Curve, GROUND, Plot, Size, TEXT, film, plot, rgb};
//!
//! let mut canvas = Canvas::new(320, 180, rgb(GROUND)).ok_or("no size")?;
//! canvas.text("a parabola", [10.0, 6.0], Size::Small, rgb(TEXT));
//! let points: Vec<[f64; 2]> = (0..=20).map(|x| [f64::from(x), f64::from(x * x)]).collect();
//! let curves = [Curve { name: "", points: &points, colour: rgb(0xff_c8_57) }];
//! plot(&mut canvas, [10.0, 30.0, 300.0, 140.0], &Plot { title: "x squared", until: 20.0, curves: &curves });
//! assert!(canvas.png()?.starts_with(b"\x89PNG"));
//! assert!(film(&[canvas.half(), canvas.half()], 10, 32)?.starts_with(b"GIF89a"));
//! # Ok::<(), String>(())
//! ```

mod canvas;
mod colour;
mod film;
mod lens;
mod number;
mod outline;
mod plot;
mod solids;

pub use canvas::{Canvas, Size, polygon};
pub use colour::{GROUND, OVERLAP, PANEL, QUIET, STONE, TEXT, WITNESS, faded, of_density, of_gap, rgb};
pub use film::{film, small_png};
pub use lens::Lens;
pub use number::grouped;
pub use outline::outline;
pub use plot::{Curve, Plot, plot};
pub use solids::{Camera, Solids, faces};
pub use tiny_skia::{Color, Path};
