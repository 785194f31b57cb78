//! The answer for one pair: how far apart, along which normal, at which points, and how sure.

use core::fmt;

use jostle_lanes::{Scalar, Space};

/// What the bounds of a pair's distance show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Status {
    /// The lower bound is above zero: there is a plane between the bodies.
    Separated,
    /// Neither separation nor overlap can be shown, also not in `f64`.
    #[default]
    Touching,
    /// The bodies have a point in common.
    Overlapping,
    /// The iteration ended before the bounds met; they are true, but wider apart than promised.
    Unconverged,
}

/// Whether a penetration depth is known to be the minimum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Minimum {
    /// No shorter translation separates the bodies, as `upper` proves. Distances of separated bodies always are proved.
    #[default]
    Proved,
    /// The shortest translation that a search found, as for curved shapes. `lower` is still proved by the normal; the
    /// least depth is at least `-upper`, which may be far less.
    Searched,
}

/// What is known of one pair of bodies, `a` and `b`.
///
/// `witness_b - witness_a = distance * normal` up to rounding, also where the bodies overlap. A row that is written by
/// hand ends in `..Proximity::default()`.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Proximity<S: Space, T: Scalar> {
    /// Index of the first body.
    pub a: u32,
    /// Index of the second body.
    pub b: u32,
    /// Signed distance, metres: above zero separated, below zero minus the penetration depth. Of bodies that touch it
    /// is zero if it is nothing but rounding.
    pub distance: T,
    /// Lower bound of the signed distance, every rounding counted: proved by the normal.
    pub lower: T,
    /// Upper bound of the signed distance, every rounding counted. Of a depth that was only searched for it is true,
    /// but may be far above: it is the depth of a point that both bodies share.
    pub upper: T,
    /// Unit vector from `a` to `b`, world frame: moving `b` by `-distance * normal` makes the two touch.
    pub normal: S::Array<T>,
    /// Point on the surface of `a`, world frame, metres.
    pub witness_a: S::Array<f64>,
    /// Point on the surface of `b`, world frame, metres.
    pub witness_b: S::Array<f64>,
    /// What the bounds show.
    pub status: Status,
    /// Whether a depth is shown to be the minimum.
    pub minimum: Minimum,
    /// Without meaning and room: rows are aligned by it.
    #[doc(hidden)]
    pub alignment: S::RowAlignment<T>,
}

impl<S: Space, T: Scalar> fmt::Debug for Proximity<S, T> {
    /// Without what means nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { a, b, distance, lower, upper, normal, witness_a, witness_b, status, minimum, alignment: _ } = self;
        f.debug_struct("Proximity")
            .field("a", a)
            .field("b", b)
            .field("distance", distance)
            .field("lower", lower)
            .field("upper", upper)
            .field("normal", normal)
            .field("witness_a", witness_a)
            .field("witness_b", witness_b)
            .field("status", status)
            .field("minimum", minimum)
            .finish()
    }
}

impl<S: Space, T: Scalar> Proximity<S, T> {
    /// The same answer seen from the other body.
    ///
    /// ```
    /// # mod jostle { pub use jostle_lanes::*; pub use jostle_narrowphase::*; }
    /// use jostle::{D2, Proximity};
    ///
    /// let (normal, witness_b) = ([0.0, 1.0], [0.0, 2.0]);
    /// let row = Proximity::<D2, f32> { a: 3, b: 5, normal, witness_b, ..Proximity::default() };
    /// let flipped = row.flipped();
    /// assert_eq!((flipped.a, flipped.b, flipped.normal, flipped.witness_a), (5, 3, [0.0, -1.0], [0.0, 2.0]));
    /// assert_eq!(flipped.flipped(), row);
    /// ```
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            // Zero stays what it was.
            normal: S::array(|k| T::ZERO - self.normal[k]),
            witness_a: self.witness_b,
            witness_b: self.witness_a,
            ..*self
        }
    }
}

impl<S: Space> Proximity<S, f64> {
    /// The same answer in another type, its bounds rounded outward. What these do not show any more, as of bodies of
    /// 1e-45 m in `f32`, is not said.
    pub(crate) fn narrowed<T: Scalar>(&self) -> Proximity<S, T> {
        let (lower, upper) = (T::round_down(self.lower), T::round_up(self.upper));
        let status = match self.status {
            Status::Separated | Status::Overlapping => Status::of(lower, upper),
            status => status,
        };
        Proximity {
            a: self.a,
            b: self.b,
            distance: T::from_f64(self.distance),
            lower,
            upper,
            normal: S::array(|k| T::from_f64(self.normal[k])),
            witness_a: self.witness_a,
            witness_b: self.witness_b,
            status,
            minimum: self.minimum,
            alignment: Default::default(),
        }
    }
}

impl Status {
    /// What two bounds show that are as near to each other as they have to be.
    #[inline(always)]
    pub(crate) fn of<T: Scalar>(lower: T, upper: T) -> Self {
        if lower > T::ZERO {
            Status::Separated
        } else if upper < T::ZERO {
            Status::Overlapping
        } else {
            Status::Touching
        }
    }
    /// The word in result tables.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Separated => "separated",
            Status::Touching => "touching",
            Status::Overlapping => "overlapping",
            Status::Unconverged => "unconverged",
        }
    }
}

impl Minimum {
    /// The word in result tables.
    pub const fn name(self) -> &'static str {
        match self {
            Minimum::Proved => "proved",
            Minimum::Searched => "searched",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Proximity, Status};
    use jostle_lanes::{D2, D3, Scalar, Space};

    #[test]
    fn what_means_nothing_is_not_shown() {
        let row = format!("{:?}", Proximity::<D2, f32> { a: 3, upper: 0.5, ..Proximity::default() });
        assert_eq!(
            row,
            "Proximity { a: 3, b: 0, distance: 0.0, lower: 0.0, upper: 0.5, normal: [0.0, 0.0], witness_a: [0.0, 0.0], \
             witness_b: [0.0, 0.0], status: Touching, minimum: Proved }"
        );
    }

    #[test]
    fn a_row_of_the_plane_is_a_cache_line() {
        fn layout<S: Space, T: Scalar>() -> (usize, usize) {
            (size_of::<Proximity<S, T>>(), align_of::<Proximity<S, T>>())
        }
        assert_eq!((layout::<D2, f32>(), layout::<D2, f64>()), ((64, 64), (88, 8)));
        assert_eq!((layout::<D3, f32>(), layout::<D3, f64>()), ((88, 8), (112, 8)));
    }

    #[test]
    fn what_narrower_bounds_do_not_show_is_not_said() {
        let status = |lower: f64, upper: f64| {
            let row = Proximity::<D2, f64> { lower, upper, status: Status::of(lower, upper), ..Proximity::default() };
            row.narrowed::<f32>().status
        };
        assert_eq!(status(1.0, 2.0), Status::Separated);
        assert_eq!(status(-2.0, -1.0), Status::Overlapping);
        assert_eq!(status(1e-300, 2e-300), Status::Touching);
        assert_eq!(status(-2e-300, -1e-300), Status::Touching);
        let open = Proximity::<D2, f64> { lower: 1.0, upper: 2.0, status: Status::Unconverged, ..Proximity::default() };
        assert_eq!(open.narrowed::<f32>().status, Status::Unconverged);
    }
}
