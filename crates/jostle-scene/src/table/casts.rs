//! Tables of casts: `a,b,status,time,px,py,pz,nx,ny,nz`, in the plane without the columns that end in z. What neither hits
//! nor starts has neither time, point nor normal.

use std::marker::PhantomData;

use jostle::{Cast, CastStatus, Scalar, Space};

use super::{CellType, Cells, NORMAL, TableColumn, TableLayout, TableRow};

const POINT: [&str; 3] = ["px", "py", "pz"];
const STATUS: [&str; 4] =
    [CastStatus::Hit.name(), CastStatus::Miss.name(), CastStatus::Start.name(), CastStatus::Unconverged.name()];

/// A cast, its time and normal in precision `T`. The time is rounded down: bodies that move for as long do not pass each
/// other.
///
/// ```
/// use jostle::{Cast, CastStatus, D2};
/// use jostle_scene::{CastRow, TableLayout, TableWriter};
///
/// let (status, time) = (CastStatus::Hit, 0.1);
/// let hit = Cast::<D2> { b: 1, status, time, point: [0.5, 0.0], normal: [1.0, 0.0], ..Cast::default() };
/// let miss = Cast::<D2> { b: 2, time: 5.0, ..Cast::default() };
/// let mut writer = TableWriter::new(Vec::new(), TableLayout::default())?;
/// writer.write(&CastRow::<D2, f32>::new(hit))?;
/// writer.write(&CastRow::<D2, f32>::new(miss))?;
/// assert_eq!(writer.finish()?, b"a,b,status,time,px,py,nx,ny\n0,1,hit,0.099999994,0.5,0,1,0\n0,2,miss,,,,,\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CastRow<S: Space, T> {
    cast: Cast<S>,
    precision: PhantomData<T>,
}

impl<S: Space, T: Scalar> CastRow<S, T> {
    /// The row of a cast.
    pub fn new(cast: Cast<S>) -> Self {
        Self { cast, precision: PhantomData }
    }
}

impl<S: Space, T: Scalar> TableRow for CastRow<S, T> {
    fn columns(_: TableLayout) -> Vec<TableColumn> {
        let mut columns = vec![
            TableColumn::new("a", CellType::U32),
            TableColumn::new("b", CellType::U32),
            TableColumn::new("status", CellType::Word(&STATUS)),
            TableColumn::new("time", CellType::of::<T>()).nullable(),
        ];
        columns.extend(POINT[..S::DIMENSION].iter().map(|name| TableColumn::new(name, CellType::F64).nullable()));
        columns
            .extend(NORMAL[..S::DIMENSION].iter().map(|name| TableColumn::new(name, CellType::of::<T>()).nullable()));
        columns
    }
    #[inline]
    fn cells(&self, _: TableLayout, cells: &mut impl Cells) {
        let Cast { a, b, status, time, point, normal, .. } = &self.cast;
        cells.index(*a);
        cells.index(*b);
        cells.word(status.name());
        if matches!(status, CastStatus::Hit | CastStatus::Start) {
            cells.number(T::round_down(*time));
            cells.numbers(point.as_ref());
            cells.numbers(S::array(|k| T::from_f64(normal[k])).as_ref());
        } else {
            cells.none();
            for _ in 0..2 * S::DIMENSION {
                cells.none();
            }
        }
    }
}
