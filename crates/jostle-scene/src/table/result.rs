//! Result tables in memory, all numbers as `f64`, and the words that their rows use.

use jostle::{Minimum, Status};

use super::proximity::ResultColumns;
use crate::error::quoted;

/// A row of a result table; in the plane every third component is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ResultRow {
    /// Index of the first body.
    pub a: u32,
    /// Index of the second body.
    pub b: u32,
    /// Signed distance, metres.
    pub distance: f64,
    /// Point on the surface of `a`, metres.
    pub witness_a: [f64; 3],
    /// Point on the surface of `b`, metres.
    pub witness_b: [f64; 3],
    /// Unit normal from `a` to `b`.
    pub normal: [f64; 3],
    /// The shift of `b`'s image; zero but in periodic scenes.
    pub shift: [f64; 3],
    /// What is known of the distance, if the table says it.
    pub certificate: Option<Certificate>,
}

/// The last four columns of a table with certificates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Lower bound of the signed distance.
    pub lower: f64,
    /// Upper bound of the signed distance.
    pub upper: f64,
    /// What the bounds show.
    pub status: Status,
    /// Whether a depth is shown to be the minimum (column `minimal`).
    pub minimum: Minimum,
}

/// A result table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultTable {
    /// 2 or 3; none where there is neither a header nor a row: JSON Lines without rows.
    pub dimension: Option<usize>,
    /// Whether it has the columns of periodic scenes.
    pub shift: bool,
    /// Whether it has the columns of the certificate.
    pub certificate: bool,
    /// The rows, in their order.
    pub rows: Vec<ResultRow>,
}

impl ResultTable {
    /// A table without rows.
    pub(crate) fn with_columns(columns: ResultColumns) -> Self {
        let ResultColumns { dimension, shift, certificate } = columns;
        Self { dimension: Some(dimension), shift, certificate, rows: Vec::new() }
    }
    /// Which columns it has; none where there is neither a header nor a row.
    pub(crate) fn columns(&self) -> Option<ResultColumns> {
        let Self { dimension, shift, certificate, .. } = *self;
        dimension.map(|dimension| ResultColumns { dimension, shift, certificate })
    }
}

pub(crate) fn status(word: &str) -> Result<Status, String> {
    [Status::Separated, Status::Touching, Status::Overlapping, Status::Unconverged]
        .into_iter()
        .find(|status| status.name() == word)
        .ok_or_else(|| format!("`status` is {}, none that is known", quoted(word)))
}

pub(crate) fn minimum(word: &str) -> Result<Minimum, String> {
    [Minimum::Proved, Minimum::Searched]
        .into_iter()
        .find(|minimum| minimum.name() == word)
        .ok_or_else(|| format!("`minimal` is {}, neither `proved` nor `searched`", quoted(word)))
}
