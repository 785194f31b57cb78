//! Tables of yes and no: `a,b,overlap`, 1 or 0.

use super::cells::{CellType, Cells, TableColumn};
use super::layout::{TableLayout, TableRow};
use super::names::{A, B, OVERLAP};

/// Whether a pair overlaps.
///
/// ```
/// use jostle_scene::{OverlapRow, TableLayout, TableWriter};
///
/// let mut writer = TableWriter::new(Vec::new(), TableLayout::default())?;
/// writer.write(&OverlapRow { pair: [3, 1], overlap: true })?;
/// writer.write(&OverlapRow { pair: [3, 2], overlap: false })?;
/// assert_eq!(writer.finish()?, b"a,b,overlap\n3,1,1\n3,2,0\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverlapRow {
    /// The bodies.
    pub pair: [u32; 2],
    /// The answer.
    pub overlap: bool,
}

impl TableRow for OverlapRow {
    fn columns(_: TableLayout) -> Vec<TableColumn> {
        [A, B, OVERLAP].map(|name| TableColumn::new(name, CellType::U32)).into()
    }
    #[inline]
    fn cells(&self, _: TableLayout, cells: &mut impl Cells) {
        cells.index(self.pair[0]);
        cells.index(self.pair[1]);
        cells.index(u32::from(self.overlap));
    }
}
