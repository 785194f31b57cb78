//! Pairs, each with an image of its second body, as a scene that does not repeat: two bodies for each, the first where its
//! numbers say, the second at its own plus the shift.

use jostle_narrowphase::Dimension;
use jostle_shape::{BodyError, Columns, CustomShape, Turns};

use super::{Asked, Lattice};

/// The bodies, two a pair. Keeps its memory.
#[derive(Debug)]
pub(super) struct Apart<S: Dimension> {
    shape: Vec<u32>,
    position: Vec<S::Array<f64>>,
    /// None where no body is turned.
    turn: Vec<S::Turn<f64>>,
    pairs: Vec<[u32; 2]>,
}

impl<S: Dimension> Default for Apart<S> {
    fn default() -> Self {
        Self { shape: Vec::new(), position: Vec::new(), turn: Vec::new(), pairs: Vec::new() }
    }
}

impl<S: Dimension> Apart<S> {
    /// Sets up these pairs.
    pub fn new<U: CustomShape<S>>(bodies: &Columns<'_, S, U>, lattice: &Lattice<S>, asked: &[Asked]) -> Self {
        let mut apart = Self::default();
        apart.set(bodies, lattice, asked);
        apart
    }

    /// The same in place of those that were there.
    pub fn set<U: CustomShape<S>>(&mut self, bodies: &Columns<'_, S, U>, lattice: &Lattice<S>, asked: &[Asked]) {
        let Self { shape, position, turn, pairs } = self;
        shape.clear();
        position.clear();
        turn.clear();
        let each = || asked.iter().flat_map(|(pair, _)| pair.map(|body| body as usize));
        shape.extend(each().map(|body| bodies.shape_indices()[body]));
        position.extend(asked.iter().flat_map(|&(pair, image)| {
            let ([a, b], shift) = (pair.map(|body| bodies.positions()[body as usize]), lattice.shift(image));
            [a, S::array(|k| b[k] + shift[k])]
        }));
        if !matches!(bodies.turns(), Turns::Identity) {
            turn.extend(each().map(|body| bodies.turns().get(body)));
        }
        pairs.clear();
        pairs.extend((0..asked.len() as u32).map(|k| [2 * k, 2 * k + 1]));
    }

    /// The pairs, in the order given, by the places of their bodies here.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// The bodies, of the shapes of those that they stand for.
    pub fn columns<'c, U: CustomShape<S>>(&'c self, of: &Columns<'c, S, U>) -> Result<Columns<'c, S, U>, BodyError> {
        let turns = if self.turn.is_empty() { Turns::Identity } else { Turns::Double(&self.turn) };
        Columns::new(of.shapes(), &self.shape, &self.position, turns)
    }
}
