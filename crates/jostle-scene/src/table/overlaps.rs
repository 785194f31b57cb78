//! Tables of yes and no: `a,b,overlap`, 1 or 0.

use super::{Cells, CsvCells, JsonCells, TableFormat};
use crate::number::push_index;

impl TableFormat {
    /// Appends what stands before the first row of a table of overlaps.
    pub fn push_overlap_header(self, out: &mut Vec<u8>) {
        if self == TableFormat::Csv {
            out.extend_from_slice(b"a,b,overlap\n");
        }
    }

    /// Appends a row: whether a pair overlaps.
    ///
    /// ```
    /// use jostle_scene::TableFormat;
    ///
    /// let mut text = Vec::new();
    /// TableFormat::Csv.push_overlap_header(&mut text);
    /// TableFormat::Csv.push_overlap(&mut text, [3, 1], true);
    /// TableFormat::JsonLines.push_overlap(&mut text, [3, 2], false);
    /// assert_eq!(text, b"a,b,overlap\n3,1,1\n{\"a\":3,\"b\":2,\"overlap\":0}\n");
    /// ```
    pub fn push_overlap(self, out: &mut Vec<u8>, pair: [u32; 2], overlap: bool) {
        match self {
            TableFormat::Csv => push(out, pair, overlap, &CsvCells),
            TableFormat::JsonLines => push(out, pair, overlap, &JsonCells),
        }
    }
}

#[inline]
fn push(out: &mut Vec<u8>, pair: [u32; 2], overlap: bool, cells: &impl Cells) {
    cells.open(out, "a");
    push_index(out, pair[0]);
    cells.next(out, "b");
    push_index(out, pair[1]);
    cells.next(out, "overlap");
    push_index(out, u32::from(overlap));
    cells.close(out);
}
