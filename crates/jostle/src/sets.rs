//! Two sets of bodies in one scene, for as long as a question takes.

use jostle_lanes::Space;
use jostle_shape::{Bodies, Columns, CustomShape, Filters};

use crate::error::ContactsError;

/// Both sets in one scene, the second behind the first.
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

/// A predicate of the caller's, if there is one: of a body of the set that asks, and of one of the scene.
pub type PairPredicate<'w> = Option<&'w (dyn Fn(u32, u32) -> bool + Sync)>;

/// Which bodies of a scene are met by those of a set that asks and is counted on from them.
#[derive(Clone, Copy)]
pub struct ProbeFilter<'m> {
    /// The first who asks.
    pub border: u32,
    scene: Filters<'m>,
    probes: Filters<'m>,
    wanted: PairPredicate<'m>,
    /// Nobody is left out.
    all: bool,
}

impl<'m> ProbeFilter<'m> {
    /// As both sets' filters say, and the caller.
    pub fn new<S: Space, U: CustomShape<S>>(
        scene: &Columns<'m, S, U>,
        probes: &Columns<'m, S, U>,
        wanted: PairPredicate<'m>,
    ) -> Self {
        let (border, scene, probes) = (scene.len() as u32, scene.filters(), probes.filters());
        Self { border, scene, probes, wanted, all: wanted.is_none() && scene.is_empty() && probes.is_empty() }
    }

    /// Whether one who asks meets a body of the scene.
    #[inline]
    pub fn holds(&self, agent: u32, body: u32) -> bool {
        self.all || self.allows(agent, body)
    }

    fn allows(&self, agent: u32, body: u32) -> bool {
        let place = agent - self.border;
        self.scene.meet_across(body, &self.probes, place) && self.wanted.is_none_or(|wanted| wanted(place, body))
    }
}
