//! Where GJK ended on a pair. Callers that will soon ask for the same pair again (frame by frame) keep it, and the next
//! search begins there.
//!
//! What is kept are points of the two cores, each in its own body's frame (`Box2D` keeps the numbers of vertices;
//! points serve curved cores and the user's own as well). However the bodies have moved, these are points of theirs: a
//! search that begins with them is as sound as any other, and shorter the less they have moved.
//!
//! A point of B is known in lanes only as a difference, which rounds. One that was kept before is therefore kept as it
//! was: or rounding would carry it off the body, frame by frame.

use jostle_lanes::{Lanes, Mask, Rot, Scalar, Vector, prefetch};

use crate::frame::PairLanes;
use crate::gjk::{FinalSimplex, KnownSimplex};
use crate::pick::Pick;
use crate::simplex::{SimplexSpace, Vertex};

/// Where the search for a pair's distance ended, if there was one yet.
///
/// It holds for the two bodies of the pair, in the order in which they were asked for, wherever they are; not for other
/// shapes.
#[derive(Clone, Copy, Debug)]
pub struct SimplexCache<S: SimplexSpace, T: Scalar> {
    /// Vertex by vertex the point of A, then that of B, in their own frames, metres. The first number is NaN where
    /// nothing is known.
    rows: S::Rows<T>,
}

impl<S: SimplexSpace, T: Scalar> Default for SimplexCache<S, T> {
    /// Nothing is known.
    fn default() -> Self {
        let mut cache = Self { rows: S::Rows::<T>::default() };
        cache.forget();
        cache
    }
}

impl<S: SimplexSpace, T: Scalar> SimplexCache<S, T> {
    /// Nothing is known any more: the two are others, or have other shapes.
    pub fn forget(&mut self) {
        self.rows.as_mut()[0][0] = nothing();
    }
}

/// What is kept of some pairs.
#[derive(Debug)]
pub struct Caches<'c, S: SimplexSpace, T: Scalar> {
    /// Of these pairs and others.
    pub all: &'c mut [SimplexCache<S, T>],
    /// Which of them is each pair's; [`Caches::NONE`] where it has none.
    pub places: &'c [u32],
}

impl<S: SimplexSpace, T: Scalar> Caches<'_, S, T> {
    /// The place of what is not kept.
    pub const NONE: u32 = u32::MAX;

    /// What is kept of a pair.
    #[inline(always)]
    fn of<'a>(&'a self, pick: &Pick, none: &'a SimplexCache<S, T>) -> &'a SimplexCache<S, T> {
        self.all.get(self.places[pick.row as usize] as usize).unwrap_or(none)
    }
    /// Asks for the memory of what is kept of a pair.
    #[inline(always)]
    pub fn prefetch(&self, pick: &Pick) {
        if let Some(kept) = self.all.get(self.places[pick.row as usize] as usize) {
            prefetch(kept);
        }
    }
    /// True if anything is kept of any of these pairs.
    #[inline(always)]
    pub fn any(&self, picks: &[Pick]) -> bool {
        let mut any = false;
        for pick in picks {
            any |= self.places[pick.row as usize] != Self::NONE;
        }
        any
    }
}

/// No number.
fn nothing<T: Scalar>() -> T {
    -T::INFINITY + T::INFINITY
}

/// What is known of W pairs, in A's frame, scaled; and the points of B as they were kept.
#[derive(Clone, Copy, Debug)]
pub struct Recalled<S: SimplexSpace, L: Lanes> {
    /// The vertices, where they are now.
    pub known: KnownSimplex<S, L>,
    kept: [S::Vector<L>; 3],
}

/// Recalls what is known of the pairs of a packet. Lanes beyond the last pair repeat it. (Set apart, as [`remember`]
/// is: few searches are warm.)
#[inline(always)]
pub fn recall<S: SimplexSpace, L: Lanes>(
    caches: &Caches<'_, S, L::Scalar>,
    picks: &[Pick],
    pair: &PairLanes<S, L>,
) -> Recalled<S, L> {
    L::enter(
        #[inline(always)]
        || recall_here(caches, picks, pair),
    )
}

#[inline(always)]
fn recall_here<S: SimplexSpace, L: Lanes>(
    caches: &Caches<'_, S, L::Scalar>,
    picks: &[Pick],
    pair: &PairLanes<S, L>,
) -> Recalled<S, L> {
    let (last, none) = (picks.len() - 1, SimplexCache::default());
    let mut columns = [[L::zero(); 8]; 3];
    for (group, columns) in columns.iter_mut().enumerate().take(S::ROWS) {
        *columns = L::gather_rows(
            #[inline(always)]
            |lane| &caches.of(&picks[lane.min(last)], &none).rows.as_ref()[group],
        );
    }
    let mut vertices = [Vertex { w: S::Vector::zero(), a: S::Vector::zero() }; 3];
    let mut kept = [S::Vector::zero(); 3];
    let mut place = 0;
    for at in 0..S::DIMENSION {
        let a = S::Vector::from_fn(
            #[inline(always)]
            |k| columns[(place + k) / 8][(place + k) % 8] * pair.scale,
        );
        place += S::DIMENSION;
        kept[at] = S::Vector::from_fn(
            #[inline(always)]
            |k| columns[(place + k) / 8][(place + k) % 8],
        );
        place += S::DIMENSION;
        let b = pair.rotation.rotate(kept[at] * pair.scale) + pair.offset;
        vertices[at] = Vertex { w: a - b, a };
    }
    if S::DIMENSION == 2 {
        vertices[2] = vertices[1];
    }
    let some = columns[0][0].eq(columns[0][0]);
    Recalled { known: KnownSimplex { vertices, some }, kept }
}

/// Keeps where the search for the pairs of a packet ended.
#[inline(always)]
pub fn remember<S: SimplexSpace, L: Lanes>(
    caches: &mut Caches<'_, S, L::Scalar>,
    picks: &[Pick],
    pair: &PairLanes<S, L>,
    simplex: &FinalSimplex<S, L>,
) {
    L::enter(
        #[inline(always)]
        || remember_here(caches, picks, pair, simplex),
    );
}

#[inline(always)]
fn remember_here<S: SimplexSpace, L: Lanes>(
    caches: &mut Caches<'_, S, L::Scalar>,
    picks: &[Pick],
    pair: &PairLanes<S, L>,
    simplex: &FinalSimplex<S, L>,
) {
    let before = recall_here(caches, picks, pair);
    let mut columns = [[L::zero(); 8]; 3];
    let (mut place, mut sum) = (0, L::zero());
    for vertex in &simplex[1..][..S::DIMENSION] {
        let mut b = pair.rotation.unrotate(vertex.a - vertex.w - pair.offset) * pair.unscale;
        for (was, kept) in before.known.vertices.iter().zip(before.kept) {
            let same = before.known.some & same::<S, L>(vertex.w, was.w) & same::<S, L>(vertex.a, was.a);
            b = S::Vector::select(same, kept, b);
        }
        for point in [vertex.a * pair.unscale, b] {
            for k in 0..S::DIMENSION {
                let number = point.get(k);
                columns[place / 8][place % 8] = number;
                sum = sum + number.abs();
                place += 1;
            }
        }
    }
    // What is beyond the type's range is of no use.
    columns[0][0] = L::select(sum.lt(L::splat(L::Scalar::INFINITY)), columns[0][0], L::splat(nothing()));
    let mut rows = [[[L::Scalar::ZERO; 8]; jostle_shape::MAX_WIDTH]; 3];
    for group in 0..S::ROWS {
        L::scatter_rows(&columns[group], &mut rows[group]);
    }
    for (lane, pick) in picks.iter().enumerate() {
        if let Some(cache) = caches.all.get_mut(caches.places[pick.row as usize] as usize) {
            for group in 0..S::ROWS {
                cache.rows.as_mut()[group] = rows[group][lane];
            }
        }
    }
}

/// True where two vectors are the same.
#[inline(always)]
fn same<S: SimplexSpace, L: Lanes>(one: S::Vector<L>, other: S::Vector<L>) -> L::Mask {
    let mut same = L::Mask::splat(true);
    for k in 0..S::DIMENSION {
        same = same & one.get(k).eq(other.get(k));
    }
    same
}
