//! Splits pairs with images into those of two bodies at their own positions, which are solved there, and those with an
//! image of the second body, whose bodies are placed for each pair.

use jostle_broadphase::Paired;
use jostle_narrowphase::{Cast, Dimension, Precision, Proximity};
use jostle_shape::{Columns, CustomShape};

use super::apart::Apart;
use crate::lattice::Lattice;
use crate::shifted::PairImage;

/// How many pairs ahead the bodies of pairs with an image are prefetched.
const PAIRS_AHEAD: usize = 16;

/// Pairs, split. Keeps its memory.
pub(super) struct Parted<S: Dimension> {
    here: Vec<[u32; 2]>,
    apart: Apart<S>,
    /// For each pair with an image, its place among the pairs given, and the image.
    elsewhere: Vec<(u32, [i32; 3])>,
}

impl<S: Dimension> Default for Parted<S> {
    fn default() -> Self {
        Self { here: Vec::new(), apart: Apart::default(), elsewhere: Vec::new() }
    }
}

impl<S: Dimension> Parted<S> {
    /// Replaces the pairs by `asked`; `image` returns which image of its second body each is about.
    pub fn set<U: CustomShape<S>, E: Paired>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        lattice: &Lattice<S>,
        asked: &[E],
        image: impl Fn(&E) -> [i32; 3],
    ) {
        let Self { here, apart, elsewhere } = self;
        here.clear();
        apart.clear();
        elsewhere.clear();
        for (place, one) in asked.iter().enumerate() {
            if let Some(ahead) = asked.get(place + PAIRS_AHEAD)
                && image(ahead) != [0; 3]
            {
                for body in ahead.pair() {
                    bodies.prefetch_with_rotation(body as usize);
                }
            }
            let (pair, image) = (one.pair(), image(one));
            if image == [0; 3] {
                here.push(pair);
            } else {
                apart.push(bodies, pair, &lattice.shift(image));
                elsewhere.push((place as u32, image));
            }
        }
    }

    /// The pairs of two bodies at their own positions.
    pub fn here(&self) -> &[[u32; 2]] {
        &self.here
    }

    /// The pairs with an image, as pairs of bodies that stand for theirs.
    pub fn elsewhere<'c, U: CustomShape<S>>(
        &'c self,
        bodies: &Columns<'c, S, U>,
    ) -> (Columns<'c, S, U>, &'c [[u32; 2]]) {
        (self.apart.columns(bodies), self.apart.pairs())
    }

    /// The place among the pairs given of the one that a pair of these stands for.
    pub fn place(&self, [first, _]: [u32; 2]) -> usize {
        self.elsewhere[Apart::<S>::place(first)].0 as usize
    }

    /// Turns a row about one of these pairs into one about the bodies that it stands for, and returns which image it is
    /// about.
    pub fn name<T: Precision>(&self, row: &mut Proximity<S, T>) -> [i32; 3] {
        let (_, image) = self.elsewhere[Apart::<S>::place(row.a)];
        *row = self.apart.row(row);
        image
    }

    /// The same for a cast.
    pub fn cast(&self, cast: &Cast<S>) -> Cast<S> {
        self.apart.cast(cast)
    }
}

/// The answers about some pairs in their order, from those about bodies at their own positions (`here`) and the others.
pub(super) fn in_turn<'a, X>(asked: &'a [PairImage], here: &'a [X], elsewhere: &'a [X]) -> impl Iterator<Item = &'a X> {
    let (mut here, mut elsewhere) = (here.iter(), elsewhere.iter());
    // There is one answer for each pair.
    asked.iter().filter_map(move |&(_, image)| if image == [0; 3] { here.next() } else { elsewhere.next() })
}
