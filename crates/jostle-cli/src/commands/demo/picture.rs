//! The picture of the demo: a window of the crowd with true outlines, coloured by the distance to the nearest
//! neighbour, witness segments between near pairs; beside it a map of the whole, the numbers and a legend.

use jostle::{Columns, Core, D2, Proximity};
use jostle_picture::{
    Canvas, Color, GROUND, Lens, OVERLAP, PANEL, QUIET, STONE, Size, TEXT, WITNESS, faded, of_density, of_gap, outline,
    polygon, rgb,
};

use super::density::Density;

/// What is drawn.
pub struct View<'a> {
    /// Everybody.
    pub bodies: &'a Columns<'a, D2>,
    /// Everybody's velocity: they look along it.
    pub velocities: &'a [[f64; 2]],
    /// The pairs within the margin.
    pub rows: &'a [Proximity<D2, f32>],
    /// The margin, metres.
    pub margin: f64,
    /// What the demo found, from the most important line on.
    pub lines: &'a [String],
}

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;
/// The window: x, y, width, height.
const WINDOW: [f32; 4] = [32.0, 32.0, 1304.0, 1016.0];
/// Pixels a metre in the window.
const SCALE: f64 = 62.0;
/// The column beside it.
const LEFT: f32 = 1368.0;
const COLUMN: f32 = 520.0;
const MAP_TOP: f32 = 234.0;

/// The square that everything lies in.
struct Hall {
    origin: [f64; 2],
    size: f64,
}

impl Hall {
    fn of(bodies: &Columns<'_, D2>) -> Self {
        let (mut lower, mut upper) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for position in bodies.positions() {
            for axis in 0..2 {
                lower[axis] = lower[axis].min(position[axis]);
                upper[axis] = upper[axis].max(position[axis]);
            }
        }
        let size = (upper[0] - lower[0]).max(upper[1] - lower[1]);
        if size.is_finite() {
            Self { origin: lower, size: size.max(1.0) }
        } else {
            Self { origin: [0.0; 2], size: 1.0 }
        }
    }
}

/// Draws everything and gives the bytes of a PNG file.
pub fn draw(view: &View<'_>) -> Result<Vec<u8>, String> {
    let mut canvas = Canvas::new(WIDTH, HEIGHT, rgb(GROUND)).ok_or("the picture has no size")?;
    let hall = Hall::of(view.bodies);
    let fixed = view.bodies.filters().fixed;
    let people = view.bodies.positions().iter().enumerate();
    let people = people.filter(|(index, _)| !fixed.get(*index).copied().unwrap_or(false)).map(|(_, point)| *point);
    let density = Density::new(people, hall.origin, hall.size, COLUMN as usize);
    let lens = window(view, &hall, &density);
    draw_window(&mut canvas, view, &lens);
    draw_numbers(&mut canvas, view);
    draw_map(&mut canvas, &density, &hall, &lens);
    draw_legend(&mut canvas, view.margin);
    canvas.png()
}

/// Where the window looks: the place near a pillar (or anywhere, where there is none) with the most varied density.
fn window(view: &View<'_>, hall: &Hall, density: &Density) -> Lens {
    let [_, _, width, height] = WINDOW;
    let size = [f64::from(width) / SCALE, f64::from(height) / SCALE];
    let cell = hall.size / density.side as f64;
    let spread = |origin: [f64; 2]| {
        let column = ((origin[0] - hall.origin[0]) / cell).max(0.0) as usize;
        let row = ((origin[1] - hall.origin[1]) / cell).max(0.0) as usize;
        let (wide, high) = ((size[0] / cell) as usize, (size[1] / cell) as usize);
        let rows = density.values.chunks_exact(density.side).skip(row).take(high);
        let values: Vec<f32> = rows.flat_map(|row| row.iter().skip(column).take(wide)).copied().collect();
        let count = values.len().max(1) as f32;
        let mean = values.iter().sum::<f32>() / count;
        mean * values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count
    };
    let fixed = view.bodies.filters().fixed;
    let pillars =
        fixed.iter().enumerate().filter(|(_, fixed)| **fixed).map(|(index, _)| view.bodies.positions()[index]);
    let middle = [hall.origin[0] + hall.size / 2.0, hall.origin[1] + hall.size / 2.0];
    let origins = pillars.chain([middle]).map(|[x, y]| [x - size[0] * 0.58, y - size[1] * 0.45]);
    let inside = origins.map(|origin| {
        [0, 1].map(|axis| {
            let end = (hall.origin[axis] + hall.size - size[axis]).max(hall.origin[axis]);
            origin[axis].clamp(hall.origin[axis], end)
        })
    });
    let best = inside.max_by(|p, q| spread(*p).total_cmp(&spread(*q))).unwrap_or(hall.origin);
    Lens { origin: best, scale: SCALE, panel: WINDOW }
}

fn draw_window(canvas: &mut Canvas, view: &View<'_>, lens: &Lens) {
    let margin = view.margin as f32;
    let mut nearest = vec![f32::INFINITY; view.bodies.len()];
    for row in view.rows {
        for body in [row.a, row.b] {
            nearest[body as usize] = nearest[body as usize].min(row.distance);
        }
    }
    canvas.rectangle(WINDOW, rgb(PANEL));
    canvas.clip(WINDOW);
    // A faint grid of metres, so that sizes can be read off.
    let [left, top, width, height] = WINDOW;
    for axis in 0..2 {
        let first = lens.origin[axis].ceil() as i64;
        let extent = f64::from([width, height][axis]) / lens.scale;
        for metre in first..=(lens.origin[axis] + extent) as i64 {
            let [x, y] = lens.point([metre as f64, metre as f64]);
            let strength = if metre % 5 == 0 { 0.09 } else { 0.035 };
            let (from, to) = if axis == 0 { ([x, top], [x, top + height]) } else { ([left, y], [left + width, y]) };
            canvas.line(from, to, 1.0, faded(TEXT, strength));
        }
    }
    let fixed = view.bodies.filters().fixed;
    for index in 0..view.bodies.len() {
        let centre = lens.point(view.bodies.positions()[index]);
        if !lens.shows(centre, lens.length(view.bodies.shape(index).reach())) {
            continue;
        }
        let Some(corners) = outline(view.bodies, index) else { continue };
        let corners: Vec<[f32; 2]> = corners.into_iter().map(|corner| lens.point(corner)).collect();
        let Some(path) = polygon(&corners) else { continue };
        if fixed.get(index).copied().unwrap_or(false) {
            canvas.fill(&path, rgb(STONE));
            canvas.stroke(&path, 2.5, faded(TEXT, 0.35));
            continue;
        }
        let colour = of_gap(nearest[index] / margin);
        canvas.fill(&path, colour);
        canvas.stroke(&path, 1.4, rgb(GROUND));
        if !matches!(view.bodies.shape(index).core(), Core::Box { .. }) {
            draw_head(canvas, view, lens, index, colour);
        }
    }
    for row in view.rows {
        let (from, to) = (lens.point(row.witness_a), lens.point(row.witness_b));
        if !lens.shows(from, 0.0) && !lens.shows(to, 0.0) {
            continue;
        }
        if row.distance < 0.0 {
            canvas.line(from, to, 3.0, rgb(WITNESS));
        } else {
            let near = 1.0 - (row.distance / margin).clamp(0.0, 1.0);
            canvas.line(from, to, 1.0 + near, faded(WITNESS, 0.16 + 0.64 * near * near));
            for end in [from, to] {
                canvas.disc(end, 1.2 + 0.8 * near, faded(WITNESS, 0.3 + 0.7 * near * near));
            }
        }
    }
    // The scale, on a quiet plate.
    let bar = [left + 28.0, top + height - 34.0];
    let end = [bar[0] + lens.length(2.0), bar[1]];
    canvas.rectangle([left + 14.0, bar[1] - 32.0, lens.length(2.0) + 28.0, 52.0], faded(GROUND, 0.82));
    canvas.line(bar, end, 3.0, rgb(TEXT));
    canvas.text(
        "2 m",
        [bar[0] + lens.length(1.0) - Canvas::text_width("2 m", Size::Small) / 2.0, bar[1] - 26.0],
        Size::Small,
        rgb(TEXT),
    );
    canvas.unclip();
    canvas.frame(WINDOW, 1.5, faded(TEXT, 0.25));
}

/// A head, a little ahead of the shoulders: one sees where people go.
fn draw_head(canvas: &mut Canvas, view: &View<'_>, lens: &Lens, index: usize, body: Color) {
    let [x, y] = view.bodies.positions()[index];
    let [along, across] = view.velocities.get(index).copied().unwrap_or_default();
    let speed = along.hypot(across).max(1e-9);
    let centre = lens.point([x + 0.045 * along / speed, y + 0.045 * across / speed]);
    let light = |part: f32| (part + 0.62 * (1.0 - part)).min(1.0);
    let colour = Color::from_rgba(light(body.red()), light(body.green()), light(body.blue()), 0.9).unwrap_or(body);
    canvas.disc(centre, lens.length(0.085), colour);
}

fn draw_numbers(canvas: &mut Canvas, view: &View<'_>) {
    let mut top = WINDOW[1] - 4.0;
    for (index, line) in view.lines.iter().enumerate() {
        let (size, height, colour) = match index {
            0 => (Size::Large, 50.0, TEXT),
            1 | 2 => (Size::Middle, 30.0, TEXT),
            _ => (Size::Middle, 30.0, QUIET),
        };
        canvas.text(line, [LEFT, top], size, rgb(colour));
        top += height;
    }
}

fn draw_map(canvas: &mut Canvas, density: &Density, hall: &Hall, lens: &Lens) {
    let highest = density.highest().max(1e-6);
    for (index, value) in density.values.iter().enumerate() {
        let (column, row) = (index % density.side, index / density.side);
        let y = MAP_TOP as usize + density.side - 1 - row;
        canvas.dot(LEFT as usize + column, y, of_density(value / highest));
    }
    let map = [LEFT, MAP_TOP, COLUMN, COLUMN];
    canvas.frame(map, 1.5, faded(TEXT, 0.25));
    // Where the window is.
    let scale = f64::from(COLUMN) / hall.size;
    let whole = Lens { origin: hall.origin, scale, panel: map };
    let [_, _, width, height] = lens.panel;
    let [wide, high] = [f64::from(width) / lens.scale, f64::from(height) / lens.scale];
    let [x, y] = whole.point([lens.origin[0], lens.origin[1] + high]);
    canvas.frame([x, y, whole.length(wide), whole.length(high)], 2.0, rgb(WITNESS));

    let top = MAP_TOP + COLUMN + 16.0;
    draw_bar(canvas, top, of_density);
    let most = format!("{highest:.1} people per square metre");
    draw_ends(canvas, top + 20.0, "0", &most);
}

fn draw_bar(canvas: &mut Canvas, top: f32, colour: fn(f32) -> Color) {
    for step in 0..COLUMN as usize {
        canvas.rectangle([LEFT + step as f32, top, 1.0, 14.0], colour(step as f32 / COLUMN));
    }
}

fn draw_ends(canvas: &mut Canvas, top: f32, low: &str, high: &str) {
    canvas.text(low, [LEFT, top], Size::Small, rgb(QUIET));
    let right = LEFT + COLUMN - Canvas::text_width(high, Size::Small);
    canvas.text(high, [right, top], Size::Small, rgb(QUIET));
}

fn draw_legend(canvas: &mut Canvas, margin: f64) {
    let top = MAP_TOP + COLUMN + 84.0;
    canvas.text("Distance to the nearest neighbour", [LEFT, top], Size::Middle, rgb(TEXT));
    draw_bar(canvas, top + 32.0, of_gap);
    draw_ends(canvas, top + 52.0, "touching", &format!("{margin} m and more"));

    let row = top + 92.0;
    canvas.disc([LEFT + 16.0, row + 10.0], 11.0, rgb(OVERLAP));
    canvas.text("overlapping: depth and normal are known", [LEFT + 46.0, row], Size::Middle, rgb(TEXT));
    let row = row + 34.0;
    canvas.line([LEFT + 4.0, row + 10.0], [LEFT + 28.0, row + 10.0], 2.0, rgb(WITNESS));
    canvas.disc([LEFT + 4.0, row + 10.0], 3.0, rgb(WITNESS));
    canvas.disc([LEFT + 28.0, row + 10.0], 3.0, rgb(WITNESS));
    canvas.text("nearest points of a pair", [LEFT + 46.0, row], Size::Middle, rgb(TEXT));
    let row = row + 34.0;
    canvas.disc([LEFT + 16.0, row + 10.0], 11.0, rgb(STONE));
    canvas.text("pillars (static)", [LEFT + 46.0, row], Size::Middle, rgb(TEXT));
}
