//! Some bodies of a set, gathered into columns of their own.

use jostle_narrowphase::Dimension;
use jostle_shape::{BodyError, Columns, CustomShape, Filters, Rotations};

/// The columns, without velocities. Keeps its memory.
#[derive(Debug)]
pub struct GatheredBodies<S: Dimension> {
    shape: Vec<u32>,
    position: Vec<S::Array<f64>>,
    rotation: Vec<S::Rotation<f64>>,
    group: Vec<u32>,
    mask: Vec<u32>,
    parent: Vec<Option<u32>>,
    fixed: Vec<bool>,
}

impl<S: Dimension> Default for GatheredBodies<S> {
    fn default() -> Self {
        let (shape, position, rotation) = (Vec::new(), Vec::new(), Vec::new());
        Self { shape, position, rotation, group: Vec::new(), mask: Vec::new(), parent: Vec::new(), fixed: Vec::new() }
    }
}

impl<S: Dimension> GatheredBodies<S> {
    /// The bodies of a `set` that `who` names, none of them absent.
    pub fn columns<'c, U: CustomShape<S>>(
        &'c mut self,
        set: &Columns<'c, S, U>,
        who: &[u32],
    ) -> Result<Columns<'c, S, U>, BodyError> {
        let Self { shape, position, rotation, group, mask, parent, fixed } = self;
        let (filters, rotations) = (set.filters(), set.rotations());
        gather(set.shape_indices(), who, shape);
        gather(set.positions(), who, position);
        gather(filters.group, who, group);
        gather(filters.mask, who, mask);
        gather(filters.parent, who, parent);
        gather(filters.fixed, who, fixed);
        rotation.clear();
        let rotations = if matches!(rotations, Rotations::Identity) {
            rotations
        } else {
            rotation.extend(who.iter().map(|&body| rotations.get(body as usize)));
            Rotations::Double(rotation)
        };
        let filters = Filters { group, mask, parent, fixed, absent: &[] };
        Columns::new(set.shapes(), shape, position, rotations)?.with_filters(filters)
    }
}

/// Of a column that may be left out, some entries.
fn gather<X: Copy>(column: &[X], who: &[u32], to: &mut Vec<X>) {
    to.clear();
    if !column.is_empty() {
        to.extend(who.iter().map(|&body| column[body as usize]));
    }
}
