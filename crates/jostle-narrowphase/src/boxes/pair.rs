//! Two boxes, one pair per lane, and what both searches ask of them.

use jostle_lanes::{Lanes, Rot, Space, Vector};
use jostle_shape::BoxCore;

use crate::frame::PairLanes;

/// Two placed boxes, one pair per lane.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<S: Space, L: Lanes> {
    /// A's half extents.
    pub a: S::Vector<L>,
    /// B's half extents.
    pub b: S::Vector<L>,
    /// B's centre in A's frame.
    pub offset: S::Vector<L>,
    /// B's rotation in A's frame.
    pub rotation: S::Rot<L>,
    /// The pair's magnitude.
    pub magnitude: L,
}

impl<S: Space, L: Lanes> Boxes<S, L> {
    /// The boxes of a pair.
    #[inline(always)]
    pub fn of(pair: &PairLanes<S, L>) -> Self {
        let [a, b] = [half_extents::<S, L>(&pair.numbers[0]), half_extents::<S, L>(&pair.numbers[1])];
        Self { a, b, offset: pair.offset, rotation: pair.rotation, magnitude: pair.magnitude }
    }
    /// Their support maps.
    #[inline(always)]
    pub fn maps(&self) -> [BoxCore<S, L>; 2] {
        [BoxCore { half_extents: self.a }, BoxCore { half_extents: self.b }]
    }
    /// A's point and B's after going from body to body, with B's centre at `offset`: alternating projections (Bauschke
    /// and Borwein 1993).
    #[inline(always)]
    pub fn swept(&self, from: S::Vector<L>, offset: S::Vector<L>) -> [S::Vector<L>; 2] {
        let (mut point, mut of_b) = (from, from);
        for _ in 0..SWEEPS {
            of_b = self.rotation.rotate(inside::<S, L>(self.rotation.unrotate(point - offset), self.b)) + offset;
            point = inside::<S, L>(of_b, self.a);
        }
        [point, of_b]
    }
    /// How far B has to move along `axis` to be free of A, times the axis' length.
    #[inline(always)]
    pub fn overlap(&self, axis: S::Vector<L>) -> L {
        let along_b = self.rotation.unrotate(axis);
        self.a.dot(axis.abs()) + self.b.dot(along_b.abs()) - self.offset.dot(axis).abs()
    }
}

/// How often points go from body to body.
const SWEEPS: u32 = 2;

/// A box's half extents among the numbers of its record.
#[inline(always)]
pub fn half_extents<S: Space, L: Lanes>(numbers: &[L; 3]) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| numbers[k],
    )
}

/// The point of a box that is furthest along a direction: of an edge or a face that is the middle, where it rises by no
/// more than `flat`.
#[inline(always)]
pub fn corner<S: Space, L: Lanes>(half: S::Vector<L>, direction: S::Vector<L>, flat: L) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| {
            let (half, along) = (half.get(k), direction.get(k));
            L::select((half * along).abs().gt(flat), half.copysign(along), L::zero())
        },
    )
}

/// The number in [-`most`, `most`] that is nearest to one.
#[inline(always)]
pub fn clamp<L: Lanes>(at: L, most: L) -> L {
    at.min(most).max(-most)
}

/// The point of a box that is nearest to a point.
#[inline(always)]
pub fn inside<S: Space, L: Lanes>(point: S::Vector<L>, half: S::Vector<L>) -> S::Vector<L> {
    point.zip(
        half,
        #[inline(always)]
        |at, half| clamp(at, half),
    )
}

/// How many components are zero.
#[inline(always)]
pub fn zeros<S: Space, L: Lanes>(v: S::Vector<L>) -> L {
    let mut count = L::zero();
    for k in 0..S::DIMENSION {
        count = count + L::select(v.get(k).eq(L::zero()), L::one(), L::zero());
    }
    count
}
