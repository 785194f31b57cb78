//! One solver for each class whose packets need no search: closed forms and separating axes.

use jostle_lanes::{Lanes, Mask, Scalar};
use jostle_shape::MAX_WIDTH;

use crate::answer::{Answer, Nearly};
use crate::boxes::depth::{least_axis, witness};
use crate::boxes::pair::Boxes;
use crate::distance::{AskedDistance, Distance};
use crate::families::AnyPacked;
use crate::frame::{PairLanes, Traits};
use crate::query::{Query, Solve, SolveSpace};

/// Balls.
#[derive(Clone, Copy, Debug)]
pub struct PointPoint;

/// Capsules, and balls against capsules.
#[derive(Clone, Copy, Debug)]
pub struct SegmentSegment;

/// Balls against boxes.
#[derive(Clone, Copy, Debug)]
pub struct PointBox;

/// Capsules against boxes.
#[derive(Clone, Copy, Debug)]
pub struct SegmentBox;

/// Boxes.
#[derive(Clone, Copy, Debug)]
pub struct BoxBox;

/// The depth of boxes, balls and capsules that overlap a box.
#[derive(Clone, Copy, Debug)]
pub struct BoxBoxDepth;

macro_rules! asks {
    ($solver:ident, $question:ident, $traits:ident) => {
        impl<S: SolveSpace, Q: Query<S>> Solve<S, Q> for $solver {
            const LONG: bool = false;
            type PacketScratch<'s, L: Lanes> = ();
            #[inline(always)]
            fn traits(&self) -> Traits {
                Traits::$traits
            }
            #[inline(always)]
            fn solve<L: Lanes<Scalar = Q::Scalar>>(
                &self,
                (): &mut (),
                asked: Q::Asked<L>,
                pair: &PairLanes<S, L>,
                _: &[usize; MAX_WIDTH],
            ) -> Q::Answer<L> {
                Q::$question(asked, pair)
            }
        }
    };
}

asks!(PointPoint, points, ROUND);
asks!(SegmentSegment, segments, TURNED);
asks!(PointBox, point_box, TURNED);
asks!(SegmentBox, segment_box, TURNED);
asks!(BoxBox, boxes, TURNED);

impl<S: SolveSpace, T: Scalar> Solve<S, Distance<'_, S, T>> for BoxBoxDepth {
    const LONG: bool = false;
    type PacketScratch<'s, L: Lanes> = ();
    #[inline(always)]
    fn solve<L: Lanes<Scalar = T>>(
        &self,
        (): &mut (),
        _: AskedDistance<S, L>,
        pair: &PairLanes<S, L>,
        _: &[usize; MAX_WIDTH],
    ) -> Answer<S, L> {
        let boxes = Boxes::of(pair);
        let least = least_axis(&boxes);
        let (point, fits) = witness(&boxes, &least);
        let nearly = Nearly::flat(pair.magnitude);
        let proved = Answer::freed(pair, &least.axis, point, fits, nearly);
        let rest = Answer::lacks_points(pair, &least.axis, fits);
        if !rest.any() {
            return proved;
        }
        let [a, b] = boxes.maps().map(AnyPacked::Box);
        proved.with_points(&Answer::inside(pair, [&a, &b], &least.axis, rest), rest)
    }
}
