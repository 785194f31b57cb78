//! Tables of casts: `a,b,status,time,px,py,pz,nx,ny,nz`, in the plane without the columns that end in z. What neither hits
//! nor starts has neither time, point nor normal: empty cells, in JSON Lines `null`.

use jostle::{Cast, CastStatus, Scalar, Space};

use super::{Cells, CsvCells, JsonCells, NORMAL, TableFormat};
use crate::number::push_index;

const POINT: [&str; 3] = ["px", "py", "pz"];

impl TableFormat {
    /// Appends what stands before the first row of a table of casts.
    pub fn push_cast_header<S: Space>(self, out: &mut Vec<u8>) {
        if self == TableFormat::Csv {
            let mut names = vec!["a", "b", "status", "time"];
            names.extend_from_slice(&POINT[..S::DIMENSION]);
            names.extend_from_slice(&NORMAL[..S::DIMENSION]);
            out.extend_from_slice(names.join(",").as_bytes());
            out.push(b'\n');
        }
    }

    /// Appends a row, its time and normal in precision `T`. The time is rounded down: bodies that move for as long do
    /// not pass each other.
    ///
    /// ```
    /// use jostle::{Cast, CastStatus, D2};
    /// use jostle_scene::TableFormat;
    ///
    /// let (status, time) = (CastStatus::Hit, 0.1);
    /// let hit = Cast::<D2> { b: 1, status, time, point: [0.5, 0.0], normal: [1.0, 0.0], ..Cast::default() };
    /// let miss = Cast::<D2> { b: 2, time: 5.0, ..Cast::default() };
    /// let mut text = Vec::new();
    /// TableFormat::Csv.push_cast_header::<D2>(&mut text);
    /// TableFormat::Csv.push_cast::<D2, f32>(&mut text, &hit);
    /// TableFormat::Csv.push_cast::<D2, f64>(&mut text, &hit);
    /// TableFormat::Csv.push_cast::<D2, f64>(&mut text, &miss);
    /// assert_eq!(
    ///     std::str::from_utf8(&text)?,
    ///     "a,b,status,time,px,py,nx,ny\n0,1,hit,0.099999994,0.5,0,1,0\n0,1,hit,0.1,0.5,0,1,0\n0,2,miss,,,,,\n"
    /// );
    /// # Ok::<(), std::str::Utf8Error>(())
    /// ```
    pub fn push_cast<S: Space, T: Scalar>(self, out: &mut Vec<u8>, row: &Cast<S>) {
        match self {
            TableFormat::Csv => push::<S, T>(out, row, &CsvCells),
            TableFormat::JsonLines => push::<S, T>(out, row, &JsonCells),
        }
    }
}

#[inline]
fn push<S: Space, T: Scalar>(out: &mut Vec<u8>, row: &Cast<S>, cells: &impl Cells) {
    cells.open(out, "a");
    push_index(out, row.a);
    cells.next(out, "b");
    push_index(out, row.b);
    cells.next(out, "status");
    cells.word(out, row.status.name());
    if matches!(row.status, CastStatus::Hit | CastStatus::Start) {
        cells.numbers(out, &["time"], &[T::round_down(row.time)]);
        cells.numbers(out, &POINT, row.point.as_ref());
        cells.numbers(out, &NORMAL, S::array(|k| T::from_f64(row.normal[k])).as_ref());
    } else {
        for name in ["time"].iter().chain(&POINT[..S::DIMENSION]).chain(&NORMAL[..S::DIMENSION]) {
            cells.next(out, name);
            cells.empty(out);
        }
    }
    cells.close(out);
}
