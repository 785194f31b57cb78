//! Result tables: one row a pair, or whatever a command answers, as CSV, JSON Lines or Arrow IPC.
//!
//! ```text
//! a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz          in the plane without the columns that end in z
//!     [,sx,sy,sz]                                  in periodic scenes: the shift of b's image
//!     [,lower,upper,status,minimal]                with the certificate
//! ```
//!
//! In text every number is the shortest decimal that reads back as the same value of its type: `0.1` for `0.1f32`, `2`
//! for 2, `0` also for minus zero, `1e300`. What is not finite is `inf`, `-inf` or `nan`, in JSON Lines as a string, for
//! JSON has no such numbers. A cell without a value is empty, `null` in JSON Lines.
//!
//! A kind of row says what its columns are and hands over its cells ([`TableRow`]); formats know nothing of rows.

mod casts;
mod cells;
mod overlaps;
mod proximity;
mod read;
mod writer;

pub use casts::CastRow;
pub use cells::{CellType, Cells, TableColumn};
pub use overlaps::OverlapRow;
#[cfg(feature = "arrow")]
pub(crate) use proximity::CERTIFICATE;
pub(crate) use proximity::{NORMAL, SHIFT, WITNESS_A, WITNESS_B, columns};
pub use read::{Certificate, ResultRow, ResultTable, read_table, read_table_file};
#[cfg(feature = "arrow")]
pub(crate) use read::{minimum, names, status, table_where};
pub use writer::TableWriter;

use crate::ArrowForm;

/// How rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TableFormat {
    /// A header, then one line a row, cells separated by commas.
    #[default]
    Csv,
    /// One object a line, its keys the columns.
    JsonLines,
    /// Record batches of 65,536 rows, each column in its own type.
    Arrow(ArrowForm),
}

/// What a table looks like: its format, and the columns beside those that are always there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TableLayout {
    /// CSV, JSON Lines or Arrow IPC.
    pub format: TableFormat,
    /// With the columns `lower`, `upper`, `status`, `minimal`.
    pub certificate: bool,
    /// With the columns `sx`, `sy`, `sz` of periodic scenes.
    pub shift: bool,
}

/// A row of some table.
///
/// ```
/// use jostle_scene::{CellType, Cells, TableColumn, TableLayout, TableRow, TableWriter};
///
/// /// How many neighbours somebody has, and how far the nearest is, if there is one.
/// struct Neighbours { body: u32, count: u64, nearest: Option<f64> }
///
/// impl TableRow for Neighbours {
///     fn columns(_: TableLayout) -> Vec<TableColumn> {
///         vec![
///             TableColumn::new("body", CellType::U32),
///             TableColumn::new("count", CellType::U64),
///             TableColumn::new("nearest", CellType::F64).nullable(),
///         ]
///     }
///     fn cells(&self, _: TableLayout, cells: &mut impl Cells) {
///         cells.index(self.body);
///         cells.count(self.count);
///         match self.nearest {
///             Some(distance) => cells.number(distance),
///             None => cells.none(),
///         }
///     }
/// }
///
/// let mut writer = TableWriter::new(Vec::new(), TableLayout::default())?;
/// writer.write(&Neighbours { body: 0, count: 2, nearest: Some(0.5) })?;
/// writer.write(&Neighbours { body: 1, count: 0, nearest: None })?;
/// assert_eq!(writer.finish()?, b"body,count,nearest\n0,2,0.5\n1,0,\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait TableRow: Sync {
    /// The columns of a table of this layout.
    fn columns(layout: TableLayout) -> Vec<TableColumn>;
    /// Hands over one cell for each column, in their order and of their types.
    fn cells(&self, layout: TableLayout, cells: &mut impl Cells);
}
