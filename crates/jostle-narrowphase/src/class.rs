//! Which solver a pair of kinds gets.
//!
//! Fifteen classes, not thirty-six kinds of pairs: points and segments are frustums without width to frustums and
//! boxes without width to hulls and custom shapes, a cone is a cylinder, and the order of the two does not matter.

use jostle_lanes::{Scalar, Space};

use crate::record::{KIND_NUMBERS, Kind, Record};

/// A solver and the kinds it serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Balls.
    PointPoint,
    /// Capsules and balls.
    SegmentSegment,
    /// A ball against a box.
    PointBox,
    /// A capsule against a box.
    SegmentBox,
    /// Boxes.
    BoxBox,
    /// Boxes against a frustum.
    BoxFrustum,
    /// Boxes, capsules, balls against a hull.
    BoxHull,
    /// Capsules and balls against a frustum.
    SegmentFrustum,
    /// Two frustums.
    FrustumFrustum,
    /// A frustum and a hull.
    FrustumHull,
    /// Two hulls.
    HullHull,
    /// The user's own against what counts as a box.
    BoxCustom,
    /// The user's own against a frustum.
    FrustumCustom,
    /// The user's own against a hull.
    HullCustom,
    /// Two of the user's own.
    CustomCustom,
}

impl Class {
    /// All, in the order of their numbers.
    pub const ALL: [Class; 15] = [
        Class::PointPoint,
        Class::SegmentSegment,
        Class::PointBox,
        Class::SegmentBox,
        Class::BoxBox,
        Class::BoxFrustum,
        Class::BoxHull,
        Class::SegmentFrustum,
        Class::FrustumFrustum,
        Class::FrustumHull,
        Class::HullHull,
        Class::BoxCustom,
        Class::FrustumCustom,
        Class::HullCustom,
        Class::CustomCustom,
    ];

    /// True if a second solver in lanes finds the depth of pairs that the distance left open; `f64` finds that of the
    /// others, one by one.
    pub fn has_depth(self) -> bool {
        !matches!(self, Class::PointPoint | Class::SegmentSegment) && !self.is_custom()
    }

    /// True if a distance is searched for, by the library's own support maps.
    pub fn is_searched(self) -> bool {
        !matches!(self, Class::PointPoint | Class::SegmentSegment | Class::PointBox | Class::SegmentBox | Class::BoxBox)
            && !self.is_custom()
    }

    /// True if one of the two is the user's own.
    fn is_custom(self) -> bool {
        matches!(self, Class::BoxCustom | Class::FrustumCustom | Class::HullCustom | Class::CustomCustom)
    }

    /// The number of the class of two bodies, with [`SWAPPED`] set if the second one's kind is the simpler one.
    #[inline(always)]
    pub fn of<S: Space, T: Scalar>(first: &Record<S, T>, second: &Record<S, T>) -> u8 {
        // A table, not branches: in a mixed list of pairs the next class cannot be predicted.
        SORTED[first.kind_number()][second.kind_number()]
    }

    /// The number of the class of two bodies of one kind.
    pub fn of_kind(number: usize) -> u8 {
        SORTED[number][number]
    }

    /// The class of two kinds, the first not above the second.
    const fn of_sorted(first: Kind, second: Kind) -> Self {
        match (first, second) {
            // No wildcards, into which a new kind would fall unseen.
            (Kind::Point, Kind::Point) => Class::PointPoint,
            (Kind::Point | Kind::Segment, Kind::Segment) => Class::SegmentSegment,
            (Kind::Point, Kind::Box) => Class::PointBox,
            (Kind::Segment, Kind::Box) => Class::SegmentBox,
            (Kind::Box, Kind::Box) => Class::BoxBox,
            (Kind::Point | Kind::Segment, Kind::Frustum) => Class::SegmentFrustum,
            (Kind::Box, Kind::Frustum) => Class::BoxFrustum,
            (Kind::Frustum, Kind::Frustum) => Class::FrustumFrustum,
            (Kind::Point | Kind::Segment | Kind::Box, Kind::Hull) => Class::BoxHull,
            (Kind::Frustum, Kind::Hull) => Class::FrustumHull,
            (Kind::Hull, Kind::Hull) => Class::HullHull,
            (Kind::Point | Kind::Segment | Kind::Box, Kind::Custom) => Class::BoxCustom,
            (Kind::Frustum, Kind::Custom) => Class::FrustumCustom,
            (Kind::Hull, Kind::Custom) => Class::HullCustom,
            (Kind::Custom, Kind::Custom) => Class::CustomCustom,
            (Kind::Segment | Kind::Box | Kind::Frustum | Kind::Hull | Kind::Custom, Kind::Point)
            | (Kind::Box | Kind::Frustum | Kind::Hull | Kind::Custom, Kind::Segment)
            | (Kind::Frustum | Kind::Hull | Kind::Custom, Kind::Box)
            | (Kind::Hull | Kind::Custom, Kind::Frustum)
            | (Kind::Custom, Kind::Hull) => panic!("the first is above the second"),
        }
    }
}

/// Set beside the number of a class where the second kind is the simpler one.
pub const SWAPPED: u8 = 0x80;

/// The classes of any two kinds; what is beyond them is in no record.
const SORTED: [[u8; KIND_NUMBERS]; KIND_NUMBERS] = {
    let mut table = [[0; KIND_NUMBERS]; KIND_NUMBERS];
    let (mut first, mut second) = (0, 0);
    while first < Kind::ALL.len() {
        let (a, b) = (Kind::ALL[first], Kind::ALL[second]);
        table[first][second] =
            if first <= second { Class::of_sorted(a, b) as u8 } else { Class::of_sorted(b, a) as u8 | SWAPPED };
        second += 1;
        if second == Kind::ALL.len() {
            (first, second) = (first + 1, 0);
        }
    }
    table
};
