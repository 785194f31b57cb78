//! Rows as columns: one array per property, for array code.

use jostle_narrowphase::{Dimension, Minimum, Precision, Proximity, Status};

/// Rows of [`Proximity`] as columns, all of one length.
///
/// ```
/// use jostle::{Columns, D2, ProximityColumns, Rotations, Shape};
///
/// let shapes = [Shape::<D2>::ball(0.5)?];
/// let position = [[0.0, 0.0], [3.0, 0.0], [0.0, 1.5]];
/// let bodies = Columns::new(&shapes, &[0; 3], &position, Rotations::Identity)?;
/// let rows = jostle::distance::<f32, _, _>(&bodies, &[[0, 1], [0, 2]])?;
/// let columns = ProximityColumns::from(rows.as_slice());
/// assert_eq!(columns.distance, [2.0, 0.5]);
/// assert_eq!(columns.normal, [[1.0, 0.0], [0.0, 1.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProximityColumns<S: Dimension, T: Precision> {
    /// Indices of the two bodies.
    pub pair: Vec<[u32; 2]>,
    /// Signed distances.
    pub distance: Vec<T>,
    /// Unit vectors from `a` to `b`, world frame.
    pub normal: Vec<S::Array<T>>,
    /// Points on `a`'s surface, world frame.
    pub witness_a: Vec<S::Array<f64>>,
    /// Points on `b`'s surface, world frame.
    pub witness_b: Vec<S::Array<f64>>,
    /// Lower bounds of the signed distances.
    pub lower: Vec<T>,
    /// Upper bounds of the signed distances.
    pub upper: Vec<T>,
    /// What the bounds prove.
    pub status: Vec<Status>,
    /// Whether depths are proved to be the minimum.
    pub minimum: Vec<Minimum>,
}

impl<S: Dimension, T: Precision> ProximityColumns<S, T> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.pair.len()
    }
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.pair.is_empty()
    }
    /// Removes all rows; their memory stays, for those of the next frame.
    ///
    /// ```
    /// use jostle::{D2, Proximity, ProximityColumns};
    ///
    /// let mut columns = ProximityColumns::<D2, f32>::from(&[Proximity::default(); 3][..]);
    /// columns.clear();
    /// assert!(columns.is_empty() && columns.status.is_empty() && columns.distance.capacity() >= 3);
    /// ```
    pub fn clear(&mut self) {
        let Self { pair, distance, normal, witness_a, witness_b, lower, upper, status, minimum } = self;
        pair.clear();
        [distance, lower, upper].into_iter().for_each(Vec::clear);
        normal.clear();
        [witness_a, witness_b].into_iter().for_each(Vec::clear);
        status.clear();
        minimum.clear();
    }
    /// Appends rows.
    pub fn extend(&mut self, rows: &[Proximity<S, T>]) {
        self.pair.extend(rows.iter().map(|row| [row.a, row.b]));
        self.distance.extend(rows.iter().map(|row| row.distance));
        self.normal.extend(rows.iter().map(|row| row.normal));
        self.witness_a.extend(rows.iter().map(|row| row.witness_a));
        self.witness_b.extend(rows.iter().map(|row| row.witness_b));
        self.lower.extend(rows.iter().map(|row| row.lower));
        self.upper.extend(rows.iter().map(|row| row.upper));
        self.status.extend(rows.iter().map(|row| row.status));
        self.minimum.extend(rows.iter().map(|row| row.minimum));
    }
}

impl<S: Dimension, T: Precision> From<&[Proximity<S, T>]> for ProximityColumns<S, T> {
    fn from(rows: &[Proximity<S, T>]) -> Self {
        let mut columns = Self::default();
        columns.extend(rows);
        columns
    }
}
