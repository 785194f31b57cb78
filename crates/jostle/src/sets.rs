//! Two sets of bodies in one scene, for the duration of one query.

use jostle_lanes::Space;
use jostle_shape::{Bodies, Columns, CustomShape, Filters};

use crate::error::ContactsError;

/// Copies both sets into one scene, the second set behind the first.
pub fn together<S: Space, U: CustomShape<S>>(
    first: &Columns<'_, S, U>,
    second: &Columns<'_, S, U>,
) -> Result<Bodies<S, U>, ContactsError> {
    let mut both = Bodies::<S, U>::new();
    both.reserve(first.len() + second.len());
    both.push_all(first)?;
    both.push_all(second)?;
    Ok(both)
}

/// A caller's optional predicate: of the index of a query body within its own set, and the index of a body of the
/// scene.
pub type PairPredicate<'w> = Option<&'w (dyn Fn(u32, u32) -> bool + Sync)>;

/// Which pairs of a query body and a body of the scene may meet. Query bodies are numbered after those of the scene.
#[derive(Clone, Copy)]
pub struct ProbeFilter<'m> {
    /// The number of the first query body, which is the number of bodies in the scene.
    pub border: u32,
    scene: Filters<'m>,
    probes: Filters<'m>,
    wanted: PairPredicate<'m>,
    /// True if no filter and no predicate can rule out a pair.
    all: bool,
}

impl<'m> ProbeFilter<'m> {
    /// From the filters of both sets and the caller's predicate.
    pub fn new<S: Space, U: CustomShape<S>>(
        scene: &Columns<'m, S, U>,
        probes: &Columns<'m, S, U>,
        wanted: PairPredicate<'m>,
    ) -> Self {
        let (border, scene, probes) = (scene.len() as u32, scene.filters(), probes.filters());
        Self { border, scene, probes, wanted, all: wanted.is_none() && scene.is_empty() && probes.is_empty() }
    }

    /// Whether a query body (`agent`) may meet a body of the scene.
    #[inline]
    pub fn holds(&self, agent: u32, body: u32) -> bool {
        self.all || self.allows(agent, body)
    }

    fn allows(&self, agent: u32, body: u32) -> bool {
        let place = agent - self.border;
        self.scene.meet_across(body, &self.probes, place) && self.wanted.is_none_or(|wanted| wanted(place, body))
    }
}
