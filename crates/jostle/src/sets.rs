//! Two sets of bodies in one scene, for as long as a question takes.

use jostle_lanes::Space;
use jostle_shape::{Bodies, Body, BodyError, Columns, CustomShape, Filters, ShapeError};

use crate::error::ContactsError;

/// Both sets in one scene, the second behind the first.
pub fn together<S: Space, U: CustomShape<S>>(
    first: &Columns<'_, S, U>,
    second: &Columns<'_, S, U>,
) -> Result<Bodies<S, U>, ContactsError> {
    let mut both = Bodies::<S, U>::new();
    both.reserve(first.len() + second.len());
    append::<_, _, ContactsError>(&mut both, first)?;
    append::<_, _, ContactsError>(&mut both, second)?;
    Ok(both)
}

/// Puts a set behind bodies that are there, its shapes behind theirs.
pub fn append<S: Space, U: CustomShape<S>, E: From<ShapeError> + From<BodyError>>(
    bodies: &mut Bodies<S, U>,
    set: &Columns<'_, S, U>,
) -> Result<(), E> {
    let first_shape = bodies.shapes().len() as u32;
    // Few bodies bring the shapes that they have, not all that there are.
    let few = set.len() < set.shapes().len();
    if !few {
        for shape in set.shapes() {
            bodies.add_shape(shape.clone())?;
        }
    }
    for index in 0..set.len() {
        let shape =
            if few { bodies.add_shape(set.shape(index).clone())? } else { first_shape + set.shape_indices()[index] };
        bodies.push(body(set, index, shape))?;
    }
    Ok(())
}

/// A body of a set, with another number of its shape.
fn body<S: Space, U: CustomShape<S>>(set: &Columns<'_, S, U>, index: usize, shape: u32) -> Body<S> {
    let filters = set.filters();
    // A body of its own cannot be absent: without a group and a mask it meets nobody either.
    let bits = |column: &[u32]| {
        if filters.is_absent(index as u32) { 0 } else { column.get(index).copied().unwrap_or(u32::MAX) }
    };
    Body {
        shape,
        position: set.positions()[index],
        turn: set.turns().get(index),
        velocity: set.velocity(index),
        group: bits(filters.group),
        mask: bits(filters.mask),
        parent: filters.parent.get(index).copied().flatten(),
        fixed: filters.fixed.get(index).copied().unwrap_or(false),
    }
}

/// A predicate of the caller's, if there is one: of a body of the set that asks, and of one of the scene.
pub type Wanted<'w> = Option<&'w (dyn Fn(u32, u32) -> bool + Sync)>;

/// Which bodies of a scene are met by those of a set that asks and is counted on from them.
#[derive(Clone, Copy)]
pub struct Meeting<'m> {
    /// The first who asks.
    pub border: u32,
    scene: Filters<'m>,
    asking: Filters<'m>,
    wanted: Wanted<'m>,
}

impl<'m> Meeting<'m> {
    /// As both sets' filters say, and the caller.
    pub fn new<S: Space, U: CustomShape<S>>(
        scene: &Columns<'m, S, U>,
        asking: &Columns<'m, S, U>,
        wanted: Wanted<'m>,
    ) -> Self {
        Self { border: scene.len() as u32, scene: scene.filters(), asking: asking.filters(), wanted }
    }

    /// Whether one who asks meets a body of the scene.
    #[inline]
    pub fn holds(&self, agent: u32, body: u32) -> bool {
        let place = agent - self.border;
        self.scene.meet_across(body, &self.asking, place) && self.wanted.is_none_or(|wanted| wanted(place, body))
    }
}
