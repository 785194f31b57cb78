//! Pairs, each with an image of its second body, as a scene that does not repeat: two bodies for each pair.
//!
//! If a shift were added to a position, the sum would be rounded as coarsely as the farther of the two requires,
//! perhaps hundreds of periods away, and a certificate would not hold for the positions that the user gave. So along an
//! axis with a shift, positions are relative to the pair's first body, and the second is at the sum of all three
//! numbers, rounded once: as the difference of two positions is in open space.

use jostle_lanes::sum_of_three;
use jostle_narrowphase::{Cast, CastStatus, Dimension, Precision, Proximity};
use jostle_shape::{Columns, CustomShape, Filters, Rotations};

/// The bodies, two for each pair. Keeps its memory.
#[derive(Debug)]
pub(crate) struct Apart<S: Dimension> {
    /// The bodies that each pair stands for.
    names: Vec<[u32; 2]>,
    /// The origin that the positions of each pair are relative to.
    origins: Vec<S::Array<f64>>,
    /// The pairs, by the places of their bodies here.
    pairs: Vec<[u32; 2]>,
    shape: Vec<u32>,
    position: Vec<S::Array<f64>>,
    /// Empty where no body is rotated.
    rotation: Vec<S::Rotation<f64>>,
}

impl<S: Dimension> Default for Apart<S> {
    fn default() -> Self {
        let (names, pairs, shape) = (Vec::new(), Vec::new(), Vec::new());
        Self { names, origins: Vec::new(), pairs, shape, position: Vec::new(), rotation: Vec::new() }
    }
}

impl<S: Dimension> Apart<S> {
    /// Removes all pairs.
    pub fn clear(&mut self) {
        let Self { names, origins, pairs, shape, position, rotation } = self;
        names.clear();
        origins.clear();
        pairs.clear();
        shape.clear();
        position.clear();
        rotation.clear();
    }

    /// Makes room for this many pairs.
    pub fn reserve(&mut self, count: usize) {
        let Self { names, origins, pairs, shape, position, rotation } = self;
        names.reserve(count);
        origins.reserve(count);
        pairs.reserve(count);
        shape.reserve(2 * count);
        position.reserve(2 * count);
        rotation.reserve(2 * count);
    }

    /// Adds a pair, whose second body is shifted (metres).
    pub fn push<U: CustomShape<S>>(&mut self, bodies: &Columns<'_, S, U>, pair: [u32; 2], shift: &S::Array<f64>) {
        let [a, b] = pair.map(|body| bodies.positions()[body as usize]);
        let first = self.shape.len() as u32;
        self.names.push(pair);
        self.pairs.push([first, first + 1]);
        // Adding -0.0 changes nothing, not even the sign of a zero.
        self.origins.push(S::array(|k| if shift[k] == 0.0 { -0.0 } else { a[k] }));
        let seen_a = S::array(|k| if shift[k] == 0.0 { a[k] } else { 0.0 });
        let seen_b = S::array(|k| if shift[k] == 0.0 { b[k] } else { sum_of_three(b[k], shift[k], -a[k]) });
        self.position.extend([seen_a, seen_b]);
        self.shape.extend(pair.map(|body| bodies.shape_indices()[body as usize]));
        if !matches!(bodies.rotations(), Rotations::Identity) {
            self.rotation.extend(pair.map(|body| bodies.rotations().get(body as usize)));
        }
    }

    /// The pairs, in the order given, by the places of their bodies here.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// The bodies, with the shapes of those that they stand for.
    pub fn columns<'c, U: CustomShape<S>>(&'c self, of: &Columns<'c, S, U>) -> Columns<'c, S, U> {
        let rotations = if self.rotation.is_empty() { Rotations::Identity } else { Rotations::Double(&self.rotation) };
        Columns::trusted(of.shapes(), &self.shape, &self.position, rotations, &[], Filters::default())
    }

    /// The place among the pairs given of the pair whose first body is at this place here.
    pub fn place(first: u32) -> usize {
        first as usize / 2
    }

    /// Turns a row about a pair here into one about the bodies that it stands for, in the world frame.
    pub fn row<T: Precision>(&self, row: &Proximity<S, T>) -> Proximity<S, T> {
        let at = Self::place(row.a);
        let [a, b] = self.names[at];
        let [witness_a, witness_b] = [&row.witness_a, &row.witness_b].map(|point| self.in_world(at, point));
        Proximity { a, b, witness_a, witness_b, ..*row }
    }

    /// The same for a cast.
    pub fn cast(&self, cast: &Cast<S>) -> Cast<S> {
        let at = Self::place(cast.a);
        let [a, b] = self.names[at];
        let point = match cast.status {
            CastStatus::Hit | CastStatus::Start => self.in_world(at, &cast.point),
            CastStatus::Miss | CastStatus::Unconverged => cast.point,
        };
        Cast { a, b, point, ..*cast }
    }

    fn in_world(&self, at: usize, point: &S::Array<f64>) -> S::Array<f64> {
        S::array(|k| self.origins[at][k] + point[k])
    }
}
