//! One pair from the user's own numbers, in `f64`: what lanes leave open is decided from these.

use jostle_shape::{BodySet, CustomShape, MAX_WIDTH, Shape};

use crate::frame::{PairLanes, Placing, Traits, gather};
use crate::query::SolveSpace;
use crate::record::Record;
use crate::resolve::{AnyCore, AnyPair, OwnCore, own_core};

/// The pair.
pub struct OnePair<'b, S: SolveSpace, U: CustomShape<S>> {
    /// Its bodies.
    pub records: [Record<S, f64>; 2],
    /// The two, seen from the first.
    pub pair: PairLanes<S, f64>,
    shapes: [&'b Shape<S, U>; 2],
    own: [OwnCore<'b, S, U>; 2],
}

impl<'b, S: SolveSpace, U: CustomShape<S>> OnePair<'b, S, U> {
    /// The pair of two bodies, where `placing` says.
    pub fn placed(bodies: &'b impl BodySet<S, Custom = U>, pair: [u32; 2], placing: &impl Placing) -> Self {
        let [a, b] = pair.map(|body| body as usize);
        let records = [Record::new(bodies, a), Record::new(bodies, b)];
        let (pairs, mut table) = ([[&records[0], &records[1]]; MAX_WIDTH], [[0.0; 8]; MAX_WIDTH]);
        let pair: PairLanes<S, f64> = gather(&pairs, Traits::ANY, placing, &mut table, |_| {});
        let shapes = [a, b].map(|body| bodies.shape_at(bodies.shape_of(body)));
        let own = shapes.map(|shape| own_core(shape, pair.scale));
        Self { records, pair, shapes, own }
    }
    /// The same, whatever the shapes' type.
    pub fn any(&self) -> AnyPair<'_, S> {
        let ([a, b], [own_a, own_b], scale) = (self.shapes, &self.own, self.pair.scale);
        AnyPair { pair: self.pair, maps: [AnyCore::new(a, scale, own_a), AnyCore::new(b, scale, own_b)] }
    }
}
