//! The rows of `contacts` and `distance`.

use jostle::{Dimension, Minimum, Precision, Proximity, Scalar, Shifted, Space, Status};

use super::cells::{CellType, Cells, TableColumn};
use super::layout::{TableLayout, TableRow};
use super::names::{A, B, CERTIFICATE, DISTANCE, NORMAL, SHIFT, WITNESS_A, WITNESS_B};

const STATUS_WORDS: [&str; 4] =
    [Status::Separated.name(), Status::Touching.name(), Status::Overlapping.name(), Status::Unconverged.name()];
const MINIMAL_WORDS: [&str; 2] = [Minimum::Proved.name(), Minimum::Searched.name()];

/// Which columns a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResultColumns {
    /// 2 or 3.
    pub(crate) dimension: usize,
    /// Those of periodic scenes.
    pub(crate) shift: bool,
    /// The certificate.
    pub(crate) certificate: bool,
}

impl ResultColumns {
    /// Those of an open scene in space, without the certificate.
    pub(crate) const SPACE: Self = Self { dimension: 3, shift: false, certificate: false };
    /// Those of an open scene in the plane, without the certificate.
    pub(crate) const PLANE: Self = Self { dimension: 2, ..Self::SPACE };

    /// The columns of each result table that there is.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let with = |plain: Self| {
            let periodic = Self { shift: true, ..plain };
            [plain, periodic, Self { certificate: true, ..plain }, Self { certificate: true, ..periodic }]
        };
        [Self::PLANE, Self::SPACE].into_iter().flat_map(with)
    }

    /// In their order; `number` is the type of distances, normals and bounds.
    pub(crate) fn list(self, number: CellType) -> Vec<TableColumn> {
        let mut columns = vec![
            TableColumn::new(A, CellType::U32),
            TableColumn::new(B, CellType::U32),
            TableColumn::new(DISTANCE, number),
        ];
        let mut add = |names: [&'static str; 3], cell| {
            columns.extend(names[..self.dimension].iter().map(|name| TableColumn::new(name, cell)));
        };
        add(WITNESS_A, CellType::F64);
        add(WITNESS_B, CellType::F64);
        add(NORMAL, number);
        if self.shift {
            add(SHIFT, CellType::F64);
        }
        if self.certificate {
            let cells = [number, number, CellType::Word(&STATUS_WORDS), CellType::Word(&MINIMAL_WORDS)];
            columns.extend(CERTIFICATE.into_iter().zip(cells).map(|(name, cell)| TableColumn::new(name, cell)));
        }
        columns
    }

    /// Their names, in their order.
    pub(crate) fn names(self) -> Vec<&'static str> {
        self.list(CellType::F64).into_iter().map(|column| column.name).collect()
    }

    /// Whether a column that not every table has is among them. (The list is not made: this is asked for each row.)
    ///
    /// # Panics
    /// If every table has it, or none.
    pub(super) fn has(self, optional: &str) -> bool {
        const IN_SPACE: [&str; 3] = [WITNESS_A[2], WITNESS_B[2], NORMAL[2]];
        let in_space = self.dimension == 3;
        if IN_SPACE.contains(&optional) {
            in_space
        } else if SHIFT.contains(&optional) {
            self.shift && (in_space || optional != SHIFT[2])
        } else if CERTIFICATE.contains(&optional) {
            self.certificate
        } else {
            unreachable!("no table lacks the column {optional}, or this does not know it")
        }
    }
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
        let TableLayout { shift, certificate, .. } = layout;
        ResultColumns { dimension: S::DIMENSION, shift, certificate }.list(CellType::of::<T>())
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
