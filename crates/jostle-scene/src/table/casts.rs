//! Tables of casts: `a,b,status,time,px,py,pz,nx,ny,nz`, in the plane without the columns that end in z. What neither
//! hits nor starts has neither time, point nor normal. In periodic scenes with the columns `sx,sy,sz` behind them: the
//! shift of the image of `b` that is met.

use std::marker::PhantomData;

use jostle::{Cast, CastStatus, Scalar, ShiftedCast, Space};

use super::cells::{CellType, Cells, TableColumn};
use super::layout::{TableLayout, TableRow};
use super::names::{A, B, NORMAL, POINT, SHIFT, STATUS, TIME};

const STATUS_WORDS: [&str; 4] =
    [CastStatus::Hit.name(), CastStatus::Miss.name(), CastStatus::Start.name(), CastStatus::Unconverged.name()];

/// A cast, its normal in precision `T`. Time and point are `f64`, as positions are: what moves fast goes far in the
/// last digit of an `f32`.
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
/// assert_eq!(writer.finish()?, b"a,b,status,time,px,py,nx,ny\n0,1,hit,0.1,0.5,0,1,0\n0,2,miss,,,,,\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CastRow<S: Space, T> {
    cast: Cast<S>,
    shift: S::Array<f64>,
    precision: PhantomData<T>,
}

impl<S: Space, T: Scalar> CastRow<S, T> {
    /// The row of a cast. Where the layout has a shift, it is zero.
    pub fn new(cast: Cast<S>) -> Self {
        Self { cast, shift: S::array(|_| 0.0), precision: PhantomData }
    }
    /// The row of a cast in a scene that repeats.
    pub fn shifted(cast: ShiftedCast<S>) -> Self {
        Self { shift: cast.shift, ..Self::new(cast.row) }
    }
}

impl<S: Space, T: Scalar> TableRow for CastRow<S, T> {
    fn columns(layout: TableLayout) -> Vec<TableColumn> {
        let mut columns = vec![
            TableColumn::new(A, CellType::U32),
            TableColumn::new(B, CellType::U32),
            TableColumn::new(STATUS, CellType::Word(&STATUS_WORDS)),
            TableColumn::new(TIME, CellType::F64).nullable(),
        ];
        columns.extend(POINT[..S::DIMENSION].iter().map(|name| TableColumn::new(name, CellType::F64).nullable()));
        columns
            .extend(NORMAL[..S::DIMENSION].iter().map(|name| TableColumn::new(name, CellType::of::<T>()).nullable()));
        if layout.shift {
            columns.extend(SHIFT[..S::DIMENSION].iter().map(|name| TableColumn::new(name, CellType::F64).nullable()));
        }
        columns
    }
    #[inline]
    fn cells(&self, layout: TableLayout, cells: &mut impl Cells) {
        let Cast { a, b, status, time, point, normal, .. } = &self.cast;
        cells.index(*a);
        cells.index(*b);
        cells.word(status.name());
        if matches!(status, CastStatus::Hit | CastStatus::Start) {
            cells.number(*time);
            cells.numbers(point.as_ref());
            cells.numbers(S::array(|k| T::from_f64(normal[k])).as_ref());
            if layout.shift {
                cells.numbers(self.shift.as_ref());
            }
        } else {
            cells.none();
            let vectors = 2 + usize::from(layout.shift);
            for _ in 0..vectors * S::DIMENSION {
                cells.none();
            }
        }
    }
}
