//! How a table is written, and what a row hands over to be written.

use super::cells::{Cells, TableColumn};
use crate::form::ArrowForm;

/// How rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
/// /// How many neighbours a body has, and how far the nearest is, if there is one.
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
