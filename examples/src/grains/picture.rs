//! Pictures of the grains: the silo through its pane, the stream from near, and curves over time.

use glam::{DQuat, DVec3};
use jostle_picture::{
    Camera, Canvas, Color, Curve, GROUND, PANEL, Plot, QUIET, STONE, Size, Solids, TEXT, faded, grouped, plot, rgb,
};

use super::silo::{Role, WallBox, slanted};
use super::{OPENS, Silo};

/// The colours of layers of sand, from below.
const LAYERS: [u32; 6] = [0xe9_c4_6a, 0xc8_55_3d, 0x2a_9d_8f, 0xf4_a2_61, 0x8d_9f_c9, 0xf1_e3_c4];
/// The thickness of a layer for 20,000 grains, metres.
const LAYER: f64 = 0.5;
/// The depth of a hollow that is drawn dark, metres.
const ROUGHNESS: f64 = 0.12;

/// Measurements over time, each with its second.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// The total energy, kilojoules.
    pub energy: Vec<[f64; 2]>,
    /// The energy of motion, kilojoules.
    pub motion: Vec<[f64; 2]>,
    /// The heap's slope, degrees.
    pub slope: Vec<[f64; 2]>,
    /// Thousands of grains through the slit.
    pub passed: Vec<[f64; 2]>,
}

impl Course {
    /// Takes the measurements.
    pub fn note(&mut self, silo: &Silo) {
        let (time, [motion, height]) = (silo.time(), silo.energy());
        self.energy.push([time, 1e-3 * (motion + height)]);
        self.motion.push([time, 1e-3 * motion]);
        self.slope.push([time, silo.slope()]);
        self.passed.push([time, 1e-3 * silo.passed() as f64]);
    }
    /// The most by which the slope differed from the last one during the last second measured, degrees.
    pub fn unrest(&self) -> f64 {
        let Some([end, last]) = self.slope.last().copied() else { return 0.0 };
        let late = self.slope.iter().filter(|[time, _]| *time > end - 1.0);
        late.map(|[_, slope]| (slope - last).abs()).fold(0.0, f64::max)
    }
}

/// The still: 1920 by 1080.
///
/// # Errors
/// If there is no memory for it.
pub fn still(silo: &Silo, course: &Course, until: f64) -> Result<Canvas, String> {
    let mut canvas = Canvas::new(1920, 1080, rgb(GROUND)).ok_or("the picture has no size")?;
    let count = silo.slots().count();
    draw(&mut canvas, silo, [32, 32, 1240, 1016], None);
    canvas.frame([32.0, 32.0, 1240.0, 1016.0], 1.5, faded(TEXT, 0.2));

    let (left, width) = (1304.0, 584.0);
    canvas.text(&format!("{} grains", grouped(count)), [left, 26.0], Size::Large, rgb(TEXT));
    let now = format!("{:.1} s: {} through the slit", silo.time(), grouped(silo.passed()));
    canvas.text(&now, [left, 66.0], Size::Middle, rgb(QUIET));
    canvas.text("balls, boxes, stones; contacts by jostle", [left, 92.0], Size::Middle, rgb(QUIET));
    let near = [left as usize, 128, width as usize, 300];
    draw(&mut canvas, silo, near, Some(290.0));
    canvas.frame(near.map(|side| side as f32), 1.5, faded(TEXT, 0.2));

    let [amber, rose, blue] = [0xff_c8_57, 0xf0_6c_7c, 0x6f_9c_e8].map(rgb);
    let energy = [
        Curve { name: "all", points: &course.energy, colour: blue },
        Curve { name: "of motion", points: &course.motion, colour: rose },
    ];
    let passed = [Curve { name: "", points: &course.passed, colour: amber }];
    let slope = [Curve { name: "", points: &course.slope, colour: amber }];
    for (index, (title, curves)) in
        [("Energy, kJ", &energy[..]), ("Through the slit, thousands", &passed), ("Slope of the heap, degrees", &slope)]
            .into_iter()
            .enumerate()
    {
        plot(&mut canvas, [left, 444.0 + 204.0 * index as f32, width, 196.0], &Plot { title, until, curves });
    }
    Ok(canvas)
}

/// A picture of the animation.
///
/// # Errors
/// If there is no memory for it.
pub fn frame(silo: &Silo) -> Result<Canvas, String> {
    let mut canvas = Canvas::new(480, 400, rgb(GROUND)).ok_or("the picture has no size")?;
    draw(&mut canvas, silo, [0, 0, 480, 400], None);
    canvas.text(&format!("{:.1} s", silo.time()), [12.0, 10.0], Size::Middle, rgb(TEXT));
    Ok(canvas)
}

/// The silo in a panel (left, top, width, height): all of it, or the surroundings of the slit at `near` pixels a metre.
fn draw(canvas: &mut Canvas, silo: &Silo, [left, top, width, height]: [usize; 4], near: Option<f64>) {
    let walls = silo.walls();
    let size = walls.half / 6.2;
    let fit = width as f64 / (2.0 * walls.half + 0.5 * size);
    let camera = match near {
        None => {
            let middle = height as f64 / fit / 2.0 - 0.45 * size;
            Camera { target: [0.0, middle, 0.0], yaw: 0.0, pitch: 0.1, scale: fit }
        }
        Some(scale) => {
            let peak = silo
                .slots()
                .map(|slot| silo.world().positions()[slot])
                .filter(|[x, y, _]| *y < walls.outlet - 0.3 * size && x.abs() < 0.4);
            let peak = peak.map(|[_, y, _]| y).fold(0.4, f64::max);
            Camera { target: [0.0, peak - 0.25, 0.0], yaw: 0.35, pitch: 0.38, scale }
        }
    };
    let mut solids = Solids::new([width, height], camera, rgb(PANEL));
    for WallBox { role, middle, half, slant } in walls.boxes() {
        let shown = match role {
            Role::Wall => true,
            Role::Pane => false,
            Role::Gate => silo.time() <= OPENS,
        };
        if shown {
            draw_box(&mut solids, middle, half, slanted(slant));
        }
    }
    for slot in silo.slots() {
        let kind = silo.kind(slot);
        let (position, rotation) = (silo.world().positions()[slot], silo.world().rotations()[slot]);
        let colour = colour(silo, slot, size);
        if kind.corners.is_empty() {
            solids.ball(position, kind.reach, colour);
            continue;
        }
        let rotation = DQuat::from_array(rotation);
        let corners: Vec<DVec3> =
            kind.corners.iter().map(|&corner| DVec3::from(position) + rotation * corner).collect();
        for face in &kind.faces {
            let face: Vec<[f64; 3]> = face.iter().map(|&corner| corners[corner].to_array()).collect();
            solids.face(&face, colour);
        }
    }
    canvas.image(&solids.image(ROUGHNESS), width, [left, top]);
}

/// The colour of a grain by its height when the gate was opened (before: by its height now), a little lighter or darker
/// at random.
fn colour(silo: &Silo, slot: usize, size: f64) -> Color {
    let height = if silo.time() > OPENS { silo.layer[slot] } else { silo.world().positions()[slot][1] };
    let layer = ((height - silo.walls().outlet) / (LAYER * size)).max(0.0) as usize;
    let base = rgb(LAYERS[layer % LAYERS.len()]);
    let shade = 0.86 + 0.14 * (slot.wrapping_mul(2_654_435_761) % 1024) as f32 / 1023.0;
    Color::from_rgba(base.red() * shade, base.green() * shade, base.blue() * shade, 1.0).unwrap_or(base)
}

fn draw_box(solids: &mut Solids, middle: [f64; 3], half: [f64; 3], rotation: DQuat) {
    for axis in 0..3 {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [-1.0, 1.0] {
            let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[p, q]| {
                let mut corner = [0.0; 3];
                (corner[axis], corner[next], corner[last]) = (side * half[axis], p * side * half[next], q * half[last]);
                (DVec3::from(middle) + rotation * DVec3::from(corner)).to_array()
            });
            solids.face(&corners, rgb(STONE));
        }
    }
}
