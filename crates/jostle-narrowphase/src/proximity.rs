//! The answer for one pair: how far apart, along which normal, at which points, and how sure.

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
    /// `upper` proves it: no direction frees the bodies sooner. Distances of separated bodies always are.
    #[default]
    Proved,
    /// The best of a search, as for curved shapes; `lower` is still proved by the normal, and `upper` shows how much
    /// less the depth might be.
    Searched,
}

/// What is known of one pair of bodies, `a` and `b`.
///
/// `witness_b - witness_a = distance * normal` up to rounding, also where the bodies overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Proximity<S: Space, T: Scalar> {
    /// Index of the first body.
    pub a: u32,
    /// Index of the second body.
    pub b: u32,
    /// Signed distance, metres: above zero separated, zero touching, below zero minus the penetration depth.
    pub distance: T,
    /// Lower bound of the signed distance, every rounding counted: proved by the normal.
    pub lower: T,
    /// Upper bound of the signed distance, every rounding counted. Of a depth that was only searched for it is true, but
    /// may be far above: it is the depth of a point that both bodies share.
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
}

impl<S: Space> Proximity<S, f64> {
    /// The same answer in another type, its bounds rounded outward.
    pub(crate) fn narrowed<T: Scalar>(&self) -> Proximity<S, T> {
        Proximity {
            a: self.a,
            b: self.b,
            distance: T::from_f64(self.distance),
            lower: T::round_down(self.lower),
            upper: T::round_up(self.upper),
            normal: S::array(|k| T::from_f64(self.normal[k])),
            witness_a: self.witness_a,
            witness_b: self.witness_b,
            status: self.status,
            minimum: self.minimum,
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
