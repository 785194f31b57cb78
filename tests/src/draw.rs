//! Random pairs in conditions that are hard for a solver.

use jostle::{Bodies, Body};
use jostle_scene::ShapeSpec;

use crate::kind::feature;
use crate::place::{Ground, Posed, V, along};
use crate::{Kind, Random, Style, draw_shape, length, unit};

/// How the two bodies of a pair are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// Anywhere near each other.
    Any,
    /// Apart.
    Apart,
    /// A gap of 1e-3 to 1e-7 of the size.
    Near,
    /// Exactly touching, as far as rounding lets them.
    Touch,
    /// Overlapping by 1e-7 to 1e-3 of the size.
    Shallow,
    /// Faces or edges flat against each other: equal rotations, a gap of any sign or none.
    Face,
    /// The same with one rotation off by 1e-9 to 1e-4.
    Tilted,
    /// Overlapping deeply.
    Deep,
    /// Centre on centre.
    Concentric,
    /// One inside the other.
    Inside,
}

impl Condition {
    /// All of them.
    pub const ALL: [Condition; 10] = [
        Condition::Any,
        Condition::Apart,
        Condition::Near,
        Condition::Touch,
        Condition::Shallow,
        Condition::Face,
        Condition::Tilted,
        Condition::Deep,
        Condition::Concentric,
        Condition::Inside,
    ];
    /// A word for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Condition::Any => "any",
            Condition::Apart => "apart",
            Condition::Near => "near",
            Condition::Touch => "touch",
            Condition::Shallow => "shallow",
            Condition::Face => "face",
            Condition::Tilted => "tilted",
            Condition::Deep => "deep",
            Condition::Concentric => "concentric",
            Condition::Inside => "inside",
        }
    }
}

/// A pair: two shapes of a pool and their poses.
#[derive(Clone, Debug)]
pub struct Drawn<S: Ground> {
    /// The condition it was drawn for.
    pub condition: Condition,
    /// The shapes' indices.
    pub shapes: [usize; 2],
    /// The rotations.
    pub rotations: [S::Rotation<f64>; 2],
    /// The positions.
    pub positions: [V; 2],
}

impl<S: Ground> Drawn<S> {
    /// Adds both bodies to a scene in which the shapes of the pool begin at index `first`; returns their indices.
    ///
    /// # Panics
    /// If a body is refused, which would be a mistake of the drawing.
    pub fn push_to(&self, bodies: &mut Bodies<S>, first: usize) -> [u32; 2] {
        core::array::from_fn(|side| {
            let body = Body::new((first + self.shapes[side]) as u32, S::narrow(self.positions[side]));
            bodies.push(body.with_rotation(self.rotations[side])).expect("drawn bodies are valid")
        })
    }
}

/// Shapes of sizes within a factor of 1e4, about `size`.
pub fn draw_pool<S: Ground>(
    kinds: &[Kind],
    count: usize,
    size: f64,
    random: &mut Random,
) -> Vec<(Kind, f64, ShapeSpec<S>)> {
    (0..count)
        .map(|i| {
            let kind = kinds[i % kinds.len()];
            let style = random.pick(&[Style::Even, Style::Even, Style::Plate, Style::Needle, Style::Flat]);
            // Most sizes are similar, some far apart.
            let size = size * if random.chance(0.6) { random.log(0.3, 3.0) } else { random.log(1e-2, 1e2) };
            (kind, size, draw_shape(kind, style, size, random))
        })
        .collect()
}

/// A pair of shapes from the pool. `far` is the largest coordinate.
pub fn draw_pair<S: Ground>(
    pool: &[(Kind, f64, ShapeSpec<S>)],
    condition: Condition,
    far: f64,
    random: &mut Random,
) -> Drawn<S> {
    let mut shapes = [random.below(pool.len()), random.below(pool.len())];
    if condition == Condition::Face || condition == Condition::Tilted {
        // Features fit best between two bodies of one shape.
        if random.chance(0.25) {
            shapes[1] = shapes[0];
        }
    }
    let [(_, size_a, spec_a), (_, size_b, spec_b)] = shapes.map(|i| &pool[i]);
    let size = size_a.max(*size_b);
    let rotations = draw_rotations::<S>(condition, random);
    let position = match random.below(3) {
        0 => [0.0; 3],
        1 => S::direction(random).map(|x| x * size.min(far)),
        _ => {
            let far = if far > 0.0 { random.log((1e-3 * size).min(far), far) } else { 0.0 };
            S::direction(random).map(|x| x * far)
        }
    };
    let a = Posed { spec: spec_a, rotation: rotations[0], position };
    let b = Posed { spec: spec_b, rotation: rotations[1], position };
    let offset = draw_offset(condition, [(&a, *size_a), (&b, *size_b)], random);
    debug_assert!(unit(offset).is_some() || length(offset) == 0.0);
    let positions = [position, core::array::from_fn(|k| position[k] + offset[k])];
    Drawn { condition, shapes, rotations, positions }
}

/// The rotations of a pair: equal or nearly so where features shall fit.
fn draw_rotations<S: Ground>(condition: Condition, random: &mut Random) -> [S::Rotation<f64>; 2] {
    let first = match random.below(4) {
        0 => S::identity_rotation(),
        1 => S::right_turn(random),
        _ => S::any_rotation(random),
    };
    let second = match condition {
        Condition::Face | Condition::Tilted => {
            let mut rotation = first;
            if random.chance(0.3) {
                rotation = S::spun(rotation, random.range(-3.0, 3.0));
            }
            if condition == Condition::Tilted {
                rotation = S::tilted(rotation, random.log(1e-9, 1e-4), random);
            }
            rotation
        }
        _ => match random.below(6) {
            0 => first,
            1 => S::identity_rotation(),
            2 => S::right_turn(random),
            _ => S::any_rotation(random),
        },
    };
    [first, second]
}

/// The position of the second body relative to the first. Both are given at one position, with their sizes.
fn draw_offset<S: Ground>(condition: Condition, pair: [(&Posed<'_, S>, f64); 2], random: &mut Random) -> V {
    let [(a, size_a), (b, size_b)] = pair;
    let (size, small) = (size_a.max(size_b), size_a.min(size_b));
    // The position of B relative to A at which the two are `gap` apart along n.
    let touching = |n: V, gap: f64| {
        let (p, q) = (a.reach(n), b.reach(n.map(|x| -x)));
        along(core::array::from_fn(|k| p[k] - q[k]), gap, n)
    };
    match condition {
        Condition::Any => {
            let n = S::direction(random);
            let full = touching(n, 0.0);
            let side = S::direction(random).map(|x| x * 0.3 * size);
            let t = random.range(-0.2, 1.6);
            core::array::from_fn(|k| full[k] * t + side[k])
        }
        Condition::Apart => touching(S::direction(random), size * random.log(1e-2, 30.0)),
        Condition::Near => touching(S::direction(random), size * random.log(1e-7, 1e-3)),
        Condition::Touch => touching(S::direction(random), 0.0),
        Condition::Shallow => touching(S::direction(random), -size * random.log(1e-7, 1e-3)),
        Condition::Face | Condition::Tilted => {
            let n = S::rotate(a.rotation, feature(a.spec, random));
            let gap = match random.below(5) {
                0 => size * random.log(1e-7, 1e-1),
                1 => -size * random.log(1e-7, 1e-3),
                2 => -small * random.range(0.0, 1.0),
                _ => 0.0,
            };
            let slide = S::direction(random).map(|x| x * small * random.pick(&[0.0, 0.2, 1.0]));
            let slide = along(slide, -crate::dot(slide, n), n);
            let at = touching(n, gap);
            core::array::from_fn(|k| at[k] + slide[k])
        }
        Condition::Deep => {
            let n = S::direction(random);
            let full = touching(n, 0.0);
            let t = random.range(0.0, 0.9);
            full.map(|x| x * t)
        }
        Condition::Concentric => [0.0; 3],
        Condition::Inside => {
            let n = S::direction(random);
            let p = if size_a > size_b { a.reach(n) } else { b.reach(n).map(|x| -x) };
            let t = random.range(0.0, 0.8);
            p.map(|x| x * t)
        }
    }
}
