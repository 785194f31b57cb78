//! The forms that generators choose from: few shapes, shared by many bodies.

use jostle::{D2, D3, Space};

use super::random::{Random, micro};
use crate::scene::SceneSpace;
use crate::spec::ShapeSpec;

/// A ball of this radius.
pub(super) fn ball<S: Space>(radius: f64) -> ShapeSpec<S> {
    ShapeSpec::Ball { radius: micro(radius) }
}

/// A segment along y with a radius.
pub(super) fn capsule<S: Space>(half_length: f64, radius: f64) -> ShapeSpec<S> {
    ShapeSpec::Capsule { half_length: micro(half_length), radius: micro(radius) }
}

/// A box with sharp edges.
pub(super) fn cuboid<S: Space>(half_extents: S::Array<f64>) -> ShapeSpec<S> {
    ShapeSpec::Box { half_extents: S::array(|k| micro(half_extents[k])), rounding: 0.0 }
}

/// A box whose sides are between half of `size` and all of it.
fn any_cuboid<S: Space>(size: f64, random: &mut Random) -> ShapeSpec<S> {
    cuboid(S::array(|_| size * random.between(0.5, 1.0)))
}

/// A cylinder with sharp rims.
pub(super) fn cylinder(half_height: f64, radius: f64) -> ShapeSpec<D3> {
    ShapeSpec::Cylinder { half_height: micro(half_height), radius: micro(radius), rounding: 0.0 }
}

/// A hull of `count` random points on an ellipsoid whose axes are between 0.6 of `size` and all of it.
pub(super) fn hull<S: Space>(count: usize, size: f64, random: &mut Random) -> ShapeSpec<S> {
    let axes: S::Array<f64> = S::array(|_| size * random.between(0.6, 1.0));
    let points = (0..count)
        .map(|_| {
            let direction = random.direction::<S>();
            S::array(|k| micro(axes[k] * direction[k]))
        })
        .collect();
    ShapeSpec::Convex { points, rounding: 0.0 }
}

/// What differs between the forms of the plane and of space.
pub(super) trait Forms: SceneSpace {
    /// How many sorts of form a mixture takes from.
    const SORTS: usize;
    /// A form of this sort, about as far from its centre everywhere as `size`.
    fn form(sort: usize, size: f64, random: &mut Random) -> ShapeSpec<Self>;
}

impl Forms for D2 {
    const SORTS: usize = 4;
    fn form(sort: usize, size: f64, random: &mut Random) -> ShapeSpec<Self> {
        match sort {
            0 => ball(size),
            1 => capsule(0.6 * size, 0.4 * size),
            2 => any_cuboid(size, random),
            _ => hull(3 + random.below(14), size, random),
        }
    }
}

impl Forms for D3 {
    const SORTS: usize = 6;
    fn form(sort: usize, size: f64, random: &mut Random) -> ShapeSpec<Self> {
        match sort {
            0 => ball(size),
            1 => capsule(0.6 * size, 0.4 * size),
            2 => any_cuboid(size, random),
            3 => cylinder(0.8 * size, size * random.between(0.4, 0.8)),
            4 => {
                let radius = micro(size * random.between(0.4, 0.8));
                ShapeSpec::Cone { half_height: micro(0.8 * size), radius, rounding: 0.0 }
            }
            _ => hull(8 + random.below(25), size, random),
        }
    }
}

/// A palette: `each` forms of every sort; `size` says how large the next one is. The last of each sort that can have
/// one has a rounding.
pub(super) fn palette<S: Forms>(
    each: usize,
    random: &mut Random,
    mut size: impl FnMut(&mut Random) -> f64,
) -> Vec<ShapeSpec<S>> {
    let mut forms = Vec::with_capacity(each * S::SORTS);
    for sort in 0..S::SORTS {
        for member in 0..each {
            let size = size(random);
            let mut form = S::form(sort, size, random);
            if member + 1 == each
                && let ShapeSpec::Box { rounding, .. } | ShapeSpec::Convex { rounding, .. } = &mut form
            {
                *rounding = micro(0.1 * size);
            }
            forms.push(form);
        }
    }
    forms
}
