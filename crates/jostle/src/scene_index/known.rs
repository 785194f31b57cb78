//! Where the records for a query come from. Templates of the scene's shapes are kept from one query to the next.

use jostle_narrowphase::{Dimension, Precision, Records, Source, Templates};
use jostle_shape::{BodySet as _, CustomShape, TwoSets};

use crate::narrowphase::source_of;

/// The records for queries of one kind.
pub struct KnownRecords<S: Dimension, T: Precision> {
    records: Records<S, T>,
    /// The state of the scene whose shapes the templates are of, counted from one.
    state: u64,
    /// Whether templates of the scene's shapes were made in this state.
    made: bool,
    /// About how many pairs there were since the scene is in this state.
    pairs: usize,
}

impl<S: Dimension, T: Precision> Default for KnownRecords<S, T> {
    fn default() -> Self {
        Self { records: Records::default(), state: 0, made: false, pairs: 0 }
    }
}

impl<S: Dimension, T: Precision> KnownRecords<S, T> {
    /// The source of records for about `pairs` pairs of query bodies and a scene, whose state has the number `state`.
    /// `make` makes all records that the query needs. Templates of the scene's shapes are made once there have been
    /// enough pairs for that to have paid.
    pub fn source<'r, 'b, U: CustomShape<S>>(
        &'r mut self,
        state: u64,
        bodies: &TwoSets<'b, S, U>,
        pairs: usize,
        make: impl Fn(&mut Records<S, T>, &TwoSets<'b, S, U>),
    ) -> Source<'r, S, T> {
        if self.state != state {
            (self.state, self.made, self.pairs) = (state, false, 0);
        }
        self.pairs = self.pairs.saturating_add(pairs);
        // Shapes of the query bodies are numbered after those of the scene.
        let scene = bodies.sides()[0].shape;
        self.records.keep(if self.made { scene } else { 0 });
        let pays = Templates::<S, T>::worth_making;
        let templates = pays(pairs, bodies.shape_count() - scene) && (self.made || pays(self.pairs, scene));
        self.made |= templates || pairs > bodies.count();
        source_of(bodies, pairs, templates, &mut self.records, make)
    }
}
