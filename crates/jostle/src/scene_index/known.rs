//! Where the records for a question come from: what the shapes of a scene have to be looked at for is kept from one
//! question to the next.

use jostle_narrowphase::{Dimension, Precision, Records, Source, Templates};
use jostle_shape::{BodySet as _, CustomShape, TwoSets};

use crate::narrowphase::source_of;

/// Records for questions of one kind.
pub struct KnownRecords<S: Dimension, T: Precision> {
    records: Records<S, T>,
    /// The state of the scene, counted from one, whose shapes they are of.
    state: u64,
    /// Templates of its shapes were made.
    made: bool,
    /// About how many pairs there were since it is in that state.
    pairs: usize,
}

impl<S: Dimension, T: Precision> Default for KnownRecords<S, T> {
    fn default() -> Self {
        Self { records: Records::default(), state: 0, made: false, pairs: 0 }
    }
}

impl<S: Dimension, T: Precision> KnownRecords<S, T> {
    /// The records for about so many pairs of those who ask and a scene, which is in the state of that number. `make`
    /// makes all that the question needs. Templates of the scene's shapes are made once there were so many pairs that
    /// it would have paid.
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
        // Those who ask are counted on from the scene.
        let scene = bodies.sides()[0].shape;
        self.records.keep(if self.made { scene } else { 0 });
        let pays = Templates::<S, T>::worth_making;
        let templates = pays(pairs, bodies.shape_count() - scene) && (self.made || pays(self.pairs, scene));
        self.made |= templates || pairs > bodies.count();
        source_of(bodies, pairs, templates, &mut self.records, make)
    }
}
