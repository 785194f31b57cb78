//! The walls: a hopper with a slit above a tray, between two panes.

use glam::DQuat;
use jostle::{Body, D3, Handle, Pipeline, PipelineError, Shape};

use super::solver::Touch;

/// Half the thickness of walls, metres: more than a grain falls in a step.
const THICK: f64 = 0.2;

/// The walls, in metres. `y` is up from the tray's floor; the slit is along `z`, above the origin.
#[derive(Clone, Copy, Debug)]
pub struct Walls {
    /// Half the tray's width.
    pub half: f64,
    /// Half the distance between the panes.
    pub depth: f64,
    /// The height of the slit.
    pub outlet: f64,
    /// Half the slit's width.
    pub slit: f64,
    /// Half the hopper's width above its slanted plates (at 45 degrees).
    pub hopper: f64,
    /// The height of the walls.
    pub top: f64,
}

/// The role of a box of the silo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The floor, the sides, and the hopper.
    Wall,
    /// In front and behind: pictures leave it out.
    Pane,
    /// Closes the slit until the grains have settled.
    Gate,
}

/// A box of the silo.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallBox {
    pub(super) role: Role,
    pub(super) middle: [f64; 3],
    pub(super) half: [f64; 3],
    /// Which way it is slanted about `z`: see [`slanted`].
    pub(super) slant: f64,
}

impl Walls {
    /// The walls for `count` grains that are put in `spacing` apart.
    pub(super) fn for_grains(count: usize, spacing: f64) -> Self {
        let scale = (count as f64 / 20_000.0).cbrt();
        let (slit, hopper, depth) = ((0.75 * scale).max(0.4), (3.8 * scale).max(0.8), (0.5 * scale).max(0.25));
        let outlet = 3.1 * scale + 0.1;
        let mut walls = Self { half: 6.2 * scale, depth, outlet, slit, hopper, top: 1e3 };
        let highest = walls.places(spacing).nth(count).map_or(0.0, |[_, y, _]| y);
        walls.top = highest + 1.0;
        walls
    }

    /// Places for grains in the hopper, from below, without end.
    pub(super) fn places(&self, spacing: f64) -> impl Iterator<Item = [f64; 3]> + use<> {
        let Self { depth, outlet, slit, hopper, .. } = *self;
        let deep = (2.0 * depth / spacing).floor().max(1.0) as usize;
        (0..).flat_map(move |layer| {
            let y = outlet + (layer as f64 + 0.6) * spacing;
            // Room beside the slanted plates for a ball about the whole grain.
            let half = (slit + y - outlet - 0.71 * spacing).min(hopper - 0.5 * spacing);
            let wide = (2.0 * half / spacing).floor() as usize + 1;
            (0..wide * deep).map(move |index| {
                let x = ((index % wide) as f64 - (wide - 1) as f64 / 2.0) * spacing;
                let z = ((index / wide) as f64 - (deep - 1) as f64 / 2.0) * spacing;
                [x, y, z]
            })
        })
    }

    /// All boxes that the silo is made of.
    pub(super) fn boxes(&self) -> Vec<WallBox> {
        let Self { half, depth, outlet, slit, hopper, top } = *self;
        let deep = depth + 2.0 * THICK;
        let upright = |role, middle, half| WallBox { role, middle, half, slant: 0.0 };
        let mut boxes = vec![upright(Role::Wall, [0.0, -THICK, 0.0], [half + 2.0 * THICK, THICK, deep])];
        let rise = hopper - slit;
        for side in [-1.0, 1.0] {
            boxes.push(upright(Role::Wall, [side * (half + THICK), top / 2.0, 0.0], [THICK, top / 2.0, deep]));
            let bin = f64::midpoint(outlet + rise, top);
            let outside = [side * (hopper + THICK / 2.0), bin, 0.0];
            boxes.push(upright(Role::Wall, outside, [THICK / 2.0, top - bin, deep]));
            let along = rise * core::f64::consts::FRAC_1_SQRT_2;
            let off = THICK / 2.0 * core::f64::consts::FRAC_1_SQRT_2;
            let middle = [side * (f64::midpoint(slit, hopper) + off), outlet + rise / 2.0 - off, 0.0];
            boxes.push(WallBox { role: Role::Wall, middle, half: [along, THICK / 2.0, deep], slant: side });
        }
        for side in [-1.0, 1.0] {
            let middle = [0.0, top / 2.0, side * (depth + THICK)];
            boxes.push(upright(Role::Pane, middle, [half + 2.0 * THICK, top / 2.0 + THICK, THICK]));
        }
        boxes.push(upright(Role::Gate, [0.0, outlet - THICK / 2.0, 0.0], [slit + THICK, THICK / 2.0, deep]));
        boxes
    }

    /// Puts the walls into an empty pipeline, and gives the gate.
    pub(super) fn build(&self, world: &mut Pipeline<D3, f32, Touch>) -> Result<Option<Handle>, PipelineError> {
        let mut gate = None;
        for WallBox { role, middle, half, slant } in self.boxes() {
            let shape = world.add_shape(Shape::cuboid(half)?)?;
            let handle = world.insert(Body::new(shape, middle).with_rotation(slanted(slant).to_array()).fixed())?;
            if role == Role::Gate {
                gate = Some(handle);
            }
        }
        Ok(gate)
    }

    /// Whether a place is in the silo: above its floor and between its walls.
    pub fn hold(&self, [x, y, z]: [f64; 3]) -> bool {
        y > 0.0 && x.abs() < self.half && z.abs() < self.depth && y < self.top
    }
}

/// An eighth of a turn about `z`, one way (1) or the other (-1), or none (0).
pub(super) fn slanted(way: f64) -> DQuat {
    // The cosine of half of 45 degrees, and its sine.
    let cos = (0.5 + 0.5 * core::f64::consts::FRAC_1_SQRT_2).sqrt();
    let sin = way * (1.0 - cos * cos).sqrt();
    if way == 0.0 { DQuat::IDENTITY } else { DQuat::from_xyzw(0.0, 0.0, sin, cos) }
}
