//! Curves over time, with just enough ticks and labels to read numbers from.

use tiny_skia::{Color, PathBuilder};

use crate::canvas::{Canvas, Size};
use crate::colour::{PANEL, QUIET, TEXT, faded, rgb};

/// One curve.
///
/// Its name stands above the plot, to the right, in its colour.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Its points, ordered by x.
    pub points: &'a [[f64; 2]],
    /// Its colour.
    pub colour: Color,
}

/// What is plotted. The x axis is seconds, from 0; the y axis begins at 0, or lower if a curve does.
#[derive(Clone, Copy, Debug)]
pub struct Plot<'a> {
    /// Above it: what and in which unit.
    pub title: &'a str,
    /// Where the x axis ends, seconds.
    pub until: f64,
    /// The curves.
    pub curves: &'a [Curve<'a>],
}

/// The largest of 1, 2 and 5 times a power of ten of which `range` holds at least `count`; but at least 1e-6.
fn tick(range: f64, count: f64) -> f64 {
    let mut power = 1e-6;
    'all: loop {
        for [factor, next] in [[1.0, 2.0], [2.0, 5.0], [5.0, 10.0]] {
            if range / (power * next) < count {
                break 'all power * factor;
            }
        }
        power *= 10.0;
    }
}

fn label(value: f64, step: f64) -> String {
    let digits = if step >= 1.0 { 0 } else { (-step.log10()).ceil() as usize };
    format!("{value:.digits$}")
}

/// Draws curves into a panel (left, top, width, height, pixels).
pub fn plot(canvas: &mut Canvas, panel: [f32; 4], plot: &Plot<'_>) {
    let [left, top, width, height] = panel;
    canvas.rectangle(panel, rgb(PANEL));
    canvas.text(plot.title, [left + 12.0, top + 8.0], Size::Small, rgb(TEXT));
    let values = || plot.curves.iter().flat_map(|curve| curve.points).map(|point| point[1]).filter(|y| y.is_finite());
    let low = values().fold(0.0, f64::min);
    let high = values().fold(low + 1e-6, f64::max);
    let high = low + 1.08 * (high - low);
    let [inner_left, inner_top] = [left + 62.0, top + 36.0];
    let [inner_width, inner_height] = [width - 80.0, height - 68.0];
    let until = plot.until.max(1e-6);
    let place = |[x, y]: [f64; 2]| {
        let along = (x / until) as f32 * inner_width;
        let up = ((y - low) / (high - low)) as f32 * inner_height;
        [inner_left + along, inner_top + inner_height - up]
    };
    let step = tick(high - low, 3.0);
    for index in (low / step).ceil() as i64..=(high / step) as i64 {
        let value = index as f64 * step;
        let [x, y] = place([0.0, value]);
        canvas.line([x, y], [x + inner_width, y], 1.0, faded(TEXT, 0.10));
        let text = label(value, step);
        canvas.text(&text, [x - 8.0 - Canvas::text_width(&text, Size::Small), y - 9.0], Size::Small, rgb(QUIET));
    }
    let step = tick(until, 4.0);
    for index in 0..=(until / step + 1e-9) as i64 {
        let value = index as f64 * step;
        let [x, y] = place([value, low]);
        canvas.line([x, y], [x, y + 5.0], 1.0, faded(TEXT, 0.4));
        let text = if index == 0 { "0 s".to_owned() } else { label(value, step) };
        canvas.text(&text, [x - Canvas::text_width(&text, Size::Small) / 2.0, y + 8.0], Size::Small, rgb(QUIET));
    }
    let mut right = left + width - 14.0;
    for curve in plot.curves.iter().rev().filter(|curve| !curve.name.is_empty()) {
        right -= Canvas::text_width(curve.name, Size::Small);
        canvas.text(curve.name, [right, top + 8.0], Size::Small, curve.colour);
        right -= 22.0;
    }
    for curve in plot.curves {
        let mut builder = PathBuilder::new();
        for (index, point) in curve.points.iter().filter(|point| point[1].is_finite()).enumerate() {
            let [x, y] = place(*point);
            if index == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
        }
        if let Some(path) = builder.finish() {
            canvas.stroke(&path, 2.2, curve.colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{label, tick};

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(tick(10.0, 3.0), 2.0);
        assert_eq!(tick(13.0, 3.0), 2.0);
        assert_eq!(tick(61.0, 4.0), 10.0);
        assert_eq!(label(0.5, tick(1.9, 3.0)), "0.5");
        assert_eq!(label(40.0, 20.0), "40");
    }
}
