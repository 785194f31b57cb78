//! The rows of `contacts` and `distance`.

use jostle::{Dimension, Minimum, Precision, Proximity, Scalar, Shifted, Space, Status};

use super::cells::{CellType, Cells, TableColumn};
use super::layout::{TableLayout, TableRow};
use super::names::{A, B, CERTIFICATE, DISTANCE, NORMAL, SHIFT, WITNESS_A, WITNESS_B};

const STATUS_WORDS: [&str; 4] =
    [Status::Separated.name(), Status::Touching.name(), Status::Overlapping.name(), Status::Unconverged.name()];
const MINIMAL_WORDS: [&str; 2] = [Minimum::Proved.name(), Minimum::Searched.name()];

/// The columns of a table, in their order; `number` is the type of distances, normals and bounds.
pub(crate) fn columns(dimension: usize, number: CellType, shift: bool, certificate: bool) -> Vec<TableColumn> {
    let mut columns = vec![
        TableColumn::new(A, CellType::U32),
        TableColumn::new(B, CellType::U32),
        TableColumn::new(DISTANCE, number),
    ];
    let mut add = |names: [&'static str; 3], cell| {
        columns.extend(names[..dimension].iter().map(|name| TableColumn::new(name, cell)));
    };
    add(WITNESS_A, CellType::F64);
    add(WITNESS_B, CellType::F64);
    add(NORMAL, number);
    if shift {
        add(SHIFT, CellType::F64);
    }
    if certificate {
        let cells = [number, number, CellType::Word(&STATUS_WORDS), CellType::Word(&MINIMAL_WORDS)];
        columns.extend(CERTIFICATE.into_iter().zip(cells).map(|(name, cell)| TableColumn::new(name, cell)));
    }
    columns
}

fn cells<S: Space, T: Scalar>(
    row: &Proximity<S, T>,
    shift: &S::Array<f64>,
    layout: TableLayout,
    cells: &mut impl Cells,
) {
    cells.index(row.a);
    cells.index(row.b);
    cells.number(row.distance);
    cells.numbers(row.witness_a.as_ref());
    cells.numbers(row.witness_b.as_ref());
    cells.numbers(row.normal.as_ref());
    if layout.shift {
        cells.numbers(shift.as_ref());
    }
    if layout.certificate {
        cells.numbers(&[row.lower, row.upper]);
        cells.word(row.status.name());
        cells.word(row.minimum.name());
    }
}

/// Where the layout has a shift, it is zero.
impl<S: Space, T: Scalar> TableRow for Proximity<S, T> {
    fn columns(layout: TableLayout) -> Vec<TableColumn> {
        columns(S::DIMENSION, CellType::of::<T>(), layout.shift, layout.certificate)
    }
    #[inline]
    fn cells(&self, layout: TableLayout, out: &mut impl Cells) {
        cells(self, &S::array(|_| 0.0), layout, out);
    }
}

impl<S: Dimension, T: Precision> TableRow for Shifted<S, T> {
    fn columns(layout: TableLayout) -> Vec<TableColumn> {
        Proximity::<S, T>::columns(layout)
    }
    #[inline]
    fn cells(&self, layout: TableLayout, out: &mut impl Cells) {
        cells(&self.row, &self.shift, layout, out);
    }
}
