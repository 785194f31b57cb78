//! Result tables: one row a pair, or whatever a command answers, as CSV, JSON Lines or Arrow IPC.
//!
//! ```text
//! a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz          in the plane without the columns that end in z
//!     [,sx,sy,sz]                                  in periodic scenes: the shift of b's image
//!     [,lower,upper,status,minimal]                with the certificate
//! ```
//!
//! In text every number is the shortest decimal that reads back as the same value of its type: `0.1` for `0.1f32`, `2`
//! for 2, `0` also for minus zero, `1e300`. What is not finite is `inf`, `-inf` or `nan`, in JSON Lines as a string,
//! for JSON has no such numbers. A cell without a value is empty, `null` in JSON Lines.
//!
//! A kind of row says what its columns are and hands over its cells ([`TableRow`]); formats know nothing of rows.

mod casts;
pub(crate) mod cells;
pub(crate) mod columns;
pub(crate) mod layout;
pub(crate) mod names;
mod overlaps;
pub(crate) mod proximity;
mod read;
pub(crate) mod result;
mod writer;

pub use casts::CastRow;
pub use cells::{CellType, Cells, TableColumn};
pub use layout::{TableFormat, TableLayout, TableRow};
pub use overlaps::OverlapRow;
pub(crate) use read::json_reason;
pub use read::{read_table, read_table_file};
pub use result::{Certificate, ResultRow, ResultTable};
pub use writer::TableWriter;
