//! Pairs with images, parted: those of bodies themselves, which are solved where they are, and those with an image of
//! the second body, each of which is placed for itself.

use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_shape::{Columns, CustomShape};

use super::apart::Apart;
use super::shifted::Asked;
use crate::lattice::Lattice;

/// How many pairs ahead the bodies of those elsewhere are asked for.
const PAIRS_AHEAD: usize = 16;

/// Some pairs, parted. Keeps its memory.
pub(super) struct Parted<S: Dimension> {
    here: Vec<[u32; 2]>,
    apart: Apart<S>,
    /// Of those elsewhere.
    images: Vec<[i32; 3]>,
}

impl<S: Dimension> Default for Parted<S> {
    fn default() -> Self {
        Self { here: Vec::new(), apart: Apart::default(), images: Vec::new() }
    }
}

impl<S: Dimension> Parted<S> {
    /// Takes these in place of those that were there.
    pub fn set<U: CustomShape<S>>(&mut self, bodies: &Columns<'_, S, U>, lattice: &Lattice<S>, asked: &[Asked]) {
        let Self { here, apart, images } = self;
        here.clear();
        apart.clear();
        images.clear();
        for (place, &(pair, image)) in asked.iter().enumerate() {
            if let Some(&(ahead, image)) = asked.get(place + PAIRS_AHEAD)
                && image != [0; 3]
            {
                for body in ahead {
                    bodies.prefetch(body as usize, true);
                }
            }
            if image == [0; 3] {
                here.push(pair);
            } else {
                apart.push(bodies, pair, &lattice.shift(image));
                images.push(image);
            }
        }
    }

    /// Those of bodies themselves.
    pub fn here(&self) -> &[[u32; 2]] {
        &self.here
    }

    /// The others, as pairs of bodies that stand for them.
    pub fn elsewhere<'c, U: CustomShape<S>>(
        &'c self,
        bodies: &Columns<'c, S, U>,
    ) -> (Columns<'c, S, U>, &'c [[u32; 2]]) {
        (self.apart.columns(bodies), self.apart.pairs())
    }

    /// Whom a pair of these stands for, and which image it is about.
    pub fn asked(&self, [first, _]: [u32; 2]) -> Asked {
        let place = Apart::<S>::place(first);
        (self.apart.name(place), self.images[place])
    }

    /// Makes of the answer about one of these that about whom it stands for, and says which image it is about.
    pub fn name<T: Precision>(&self, row: &mut Proximity<S, T>) -> [i32; 3] {
        let image = self.images[Apart::<S>::place(row.a)];
        *row = self.apart.row(row);
        image
    }
}
