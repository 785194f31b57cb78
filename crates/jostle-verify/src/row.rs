//! A row of a result table as it claims to be, and the tolerance that it is checked with.

use jostle_lanes::Space;

/// What a row's status column says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// There is a plane between the bodies: `lower` is above zero.
    Separated,
    /// The bodies have a point in common.
    Overlapping,
    /// Neither can be shown.
    Touching,
    /// The bounds are true, but wider apart than promised.
    Unconverged,
}

/// What a row's column `minimal` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Minimal {
    /// No direction has less depth.
    Proved,
    /// The best of a search.
    Searched,
}

macro_rules! words {
    ($type:ident: $($variant:ident = $word:literal),+) => {
        impl $type {
            /// The word in result tables.
            pub const fn name(self) -> &'static str {
                match self { $($type::$variant => $word),+ }
            }
        }
        impl std::str::FromStr for $type {
            type Err = UnknownWord;
            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word {
                    $($word => Ok($type::$variant),)+
                    _ => Err(UnknownWord { word: word.to_owned(), known: &[$($word),+] }),
                }
            }
        }
    };
}

words!(Claim: Separated = "separated", Overlapping = "overlapping", Touching = "touching", Unconverged = "unconverged");
words!(Minimal: Proved = "proved", Searched = "searched");

/// A word that a status or `minimal` column may not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is none of {known:?}")]
pub struct UnknownWord {
    word: String,
    known: &'static [&'static str],
}

/// One row of a result table: what it claims about a pair.
///
/// ```
/// use jostle_shape::D2;
/// use jostle_verify::{Claim, Row};
///
/// let row = Row::<D2>::new(0, 1, 2.0, [1.0, 0.0], [3.0, 0.0], [1.0, 0.0]);
/// let row = Row { lower: Some(1.99), upper: Some(2.01), status: Some("separated".parse()?), ..row };
/// assert_eq!(row.status, Some(Claim::Separated));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<S: Space> {
    /// Index of the first body.
    pub a: u32,
    /// Index of the second body.
    pub b: u32,
    /// Signed distance, metres; below zero minus the depth.
    pub distance: f64,
    /// Point on the surface of `a`, world frame.
    pub witness_a: S::Array<f64>,
    /// Point on the surface of `b`, world frame.
    pub witness_b: S::Array<f64>,
    /// Unit vector from `a` to `b`.
    pub normal: S::Array<f64>,
    /// How `b`'s image is shifted in a periodic scene; zero otherwise.
    pub shift: S::Array<f64>,
    /// Lower bound of the signed distance, if the table has certificates.
    pub lower: Option<f64>,
    /// Upper bound of the signed distance, if the table has certificates.
    pub upper: Option<f64>,
    /// What the bounds show, if the table has certificates.
    pub status: Option<Claim>,
    /// Whether a depth is shown to be the least, if the table has certificates.
    pub minimal: Option<Minimal>,
}

impl<S: Space> Row<S> {
    /// A row without certificate and without shift.
    pub fn new(
        a: u32,
        b: u32,
        distance: f64,
        witness_a: S::Array<f64>,
        witness_b: S::Array<f64>,
        normal: S::Array<f64>,
    ) -> Self {
        let shift = S::array(|_| 0.0);
        let (lower, upper, status, minimal) = (None, None, None, None);
        Self { a, b, distance, witness_a, witness_b, normal, shift, lower, upper, status, minimal }
    }
}

/// How exact a row must be. A length may be wrong by `size` times the larger extent of the two shapes plus `coord`
/// times the largest coordinate that either body has in a frame at the position of `a`, plus the rounding of `f64`. A
/// tolerance that is negative, NaN or infinite lets no row pass ([`Failure::Tolerance`](crate::Failure::Tolerance)).
///
/// ```
/// use jostle_verify::Tolerance;
///
/// assert_eq!(Tolerance::default(), Tolerance::single());
/// assert!(Tolerance::double().size < Tolerance::single().size);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Part of the larger shape's extent.
    pub size: f64,
    /// Part of the largest coordinate relative to the position of `a`.
    pub coord: f64,
    /// How far the normal's length may be from one.
    pub unit: f64,
    /// The relative amount by which a depth that has to be searched for (of curved bodies, or of hulls of more than 64
    /// points) may exceed the least one, unless it is said to be proved.
    pub depth: f64,
    /// Replaces `size` and `coord`, where it is larger, in rows with a depth that is not said to be proved: that of
    /// curved bodies is searched for, also in `f64`.
    pub searched: f64,
}

impl Tolerance {
    /// For results computed in `f32`.
    pub const fn single() -> Self {
        Self { size: 1e-5, coord: 2e-6, unit: 1e-5, depth: 0.01, searched: 0.0 }
    }
    /// For results computed in `f64`.
    pub const fn double() -> Self {
        Self { size: 1e-10, coord: 1e-10, unit: 1e-10, depth: 0.01, searched: 1e-7 }
    }
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::single()
    }
}
