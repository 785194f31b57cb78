//! Solids in space: balls and convex polyhedra with a depth buffer, in parallel projection, at four samples a pixel.
//!
//! A sample that lies behind its surroundings is darkened, as less light gets there: without that, a heap of equal
//! grains looks like a flat pattern.

use tiny_skia::Color;

type Vector = [f64; 3];

/// Samples per pixel along each axis.
const SAMPLES: usize = 2;
/// Where the light comes from: the left, above, and the viewer's side, in the camera's frame (right, up, away).
const LIGHT: Vector = [-0.45, 0.75, -0.48];
/// The brightness of surfaces that face away from the light.
const AMBIENT: f64 = 0.45;

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A camera in a parallel projection. `y` is up.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    /// The point in the middle of the picture, metres.
    pub target: Vector,
    /// The angle by which the camera has gone around the target, radians; at 0 it looks along `z`, and `x` is to the
    /// right.
    pub yaw: f64,
    /// How far it looks down, radians.
    pub pitch: f64,
    /// Pixels a metre.
    pub scale: f64,
}

/// Solids, drawn in any order.
///
/// ```
/// use jostle_picture::{Camera, GROUND, Solids, faces, rgb};
///
/// let camera = Camera { target: [0.0; 3], yaw: 0.4, pitch: 0.3, scale: 20.0 };
/// let mut solids = Solids::new([64, 48], camera, rgb(GROUND));
/// solids.ball([0.0, 0.0, 0.0], 0.5, rgb(0xff_00_00));
/// let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]];
/// for face in faces(&corners) {
///     let face: Vec<[f64; 3]> = face.into_iter().map(|corner| corners[corner]).collect();
///     solids.face(&face, rgb(0x00_ff_00));
/// }
/// let pixels = solids.image(0.1);
/// assert_eq!(pixels.len(), 64 * 48);
/// assert!(pixels[24 * 64 + 32 - 4][0] > 90); // the ball, red and in the light
/// ```
#[derive(Clone, Debug)]
pub struct Solids {
    size: [usize; 2],
    camera: Camera,
    /// Right, up, away.
    axes: [Vector; 3],
    ground: [f32; 3],
    depth: Vec<f32>,
    colour: Vec<[f32; 3]>,
}

impl Solids {
    /// An empty picture of so many pixels.
    pub fn new(size: [usize; 2], camera: Camera, ground: Color) -> Self {
        let [sin, cos] = [camera.yaw.sin(), camera.yaw.cos()];
        let [down, level] = [camera.pitch.sin(), camera.pitch.cos()];
        let away = [sin * level, -down, cos * level];
        let right = [cos, 0.0, -sin];
        let ground = [ground.red(), ground.green(), ground.blue()];
        let samples = size[0] * size[1] * SAMPLES * SAMPLES;
        let axes = [right, cross(away, right), away];
        Self { size, camera, axes, ground, depth: vec![f32::INFINITY; samples], colour: vec![ground; samples] }
    }

    /// Where a point is: samples from the left, samples from the top, and metres away.
    fn project(&self, point: Vector) -> Vector {
        let offset = minus(point, self.camera.target);
        let scale = self.camera.scale * SAMPLES as f64;
        let middle = self.size.map(|side| (side * SAMPLES) as f64 / 2.0);
        let [right, up, away] = self.axes.map(|axis| dot(axis, offset));
        [middle[0] + right * scale, middle[1] - up * scale, away]
    }

    /// Colours the samples of a row from `from` to `to` where nothing is nearer; `at` gives depth and brightness.
    fn span(&mut self, row: usize, [from, to]: [f64; 2], colour: Color, at: impl Fn(f64) -> (f64, f64)) {
        let width = self.size[0] * SAMPLES;
        let first = (from - 0.5).ceil().max(0.0) as usize;
        let end = ((to - 0.5).ceil().max(0.0) as usize).min(width);
        for column in first..end {
            let (depth, light) = at(column as f64 + 0.5);
            let index = row * width + column;
            if (depth as f32) < self.depth[index] {
                self.depth[index] = depth as f32;
                let light = light as f32;
                self.colour[index] = [colour.red(), colour.green(), colour.blue()].map(|part| part * light);
            }
        }
    }

    fn rows(&self, low: f64, high: f64) -> std::ops::Range<usize> {
        let height = self.size[1] * SAMPLES;
        (low - 0.5).ceil().max(0.0) as usize..((high - 0.5).ceil().max(0.0) as usize).min(height)
    }

    /// A ball.
    pub fn ball(&mut self, centre: Vector, radius: f64, colour: Color) {
        let [x, y, away] = self.project(centre);
        let size = radius * self.camera.scale * SAMPLES as f64;
        for row in self.rows(y - size, y + size) {
            let up = (y - row as f64 - 0.5) / size;
            let half = (1.0 - up * up).max(0.0).sqrt();
            self.span(row, [x - half * size, x + half * size], colour, |at| {
                let right = (at - x) / size;
                let front = (1.0 - up * up - right * right).max(0.0).sqrt();
                (away - front * radius, brightness([right, up, -front]))
            });
        }
    }

    /// A flat convex face, its corners counter-clockwise seen from outside; not drawn if seen from behind.
    pub fn face(&mut self, corners: &[Vector], colour: Color) {
        let &[a, b, c, ..] = corners else { return };
        let normal = cross(minus(b, a), minus(c, a));
        let length = dot(normal, normal).sqrt();
        let normal = self.axes.map(|axis| dot(axis, normal) / length);
        // Written so that NaN, of a face without an area, is not drawn.
        if !matches!(normal[2].partial_cmp(&-1e-9), Some(std::cmp::Ordering::Less)) {
            return;
        }
        let points: Vec<Vector> = corners.iter().map(|corner| self.project(*corner)).collect();
        let light = brightness(normal);
        let low = points.iter().map(|point| point[1]).fold(f64::INFINITY, f64::min);
        let high = points.iter().map(|point| point[1]).fold(f64::NEG_INFINITY, f64::max);
        // Depth over the picture's plane: a metre of the face's plane rises by the slope of its normal.
        let scale = self.camera.scale * SAMPLES as f64;
        let [slope_x, slope_y] = [-normal[0] / normal[2] / scale, normal[1] / normal[2] / scale];
        let start = points[0];
        for row in self.rows(low, high) {
            let y = row as f64 + 0.5;
            let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
            for (index, p) in points.iter().enumerate() {
                let q = points[(index + 1) % points.len()];
                if (p[1] <= y) != (q[1] <= y) {
                    let x = p[0] + (y - p[1]) / (q[1] - p[1]) * (q[0] - p[0]);
                    ends = [ends[0].min(x), ends[1].max(x)];
                }
            }
            let row_depth = start[2] + slope_y * (y - start[1]);
            self.span(row, ends, colour, |x| (row_depth + slope_x * (x - start[0]), light));
        }
    }

    /// The pixels, row by row from the top: red, green, blue. They are darkened where the surroundings within
    /// `roughness` metres are nearer, the most where those are nearer by as much.
    pub fn image(&self, roughness: f64) -> Vec<[u8; 3]> {
        let [width, height] = self.size.map(|side| side * SAMPLES);
        let steps = [1, 2, 4].map(|part| (part as f64 * roughness * self.camera.scale * SAMPLES as f64 / 4.0) as isize);
        let shaded = |column: usize, row: usize| {
            let index = row * width + column;
            let here = self.depth[index];
            if here == f32::INFINITY {
                return self.ground;
            }
            let mut hidden = 0.0;
            for step in steps {
                for [x, y] in [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]] {
                    let x = (column as isize + x * step.max(1)).clamp(0, width as isize - 1);
                    let y = (row as isize + y * step.max(1)).clamp(0, height as isize - 1);
                    let above = (here - self.depth[y as usize * width + x as usize]) / roughness as f32;
                    hidden += above.clamp(0.0, 1.0);
                }
            }
            let light = 1.0 - 0.75 * (hidden / (8 * steps.len()) as f32).powf(0.8);
            self.colour[index].map(|part| part * light)
        };
        let pixel = |index: usize| {
            let (column, row) = (index % self.size[0] * SAMPLES, index / self.size[0] * SAMPLES);
            let mut sum = [0.0; 3];
            for sample in 0..SAMPLES * SAMPLES {
                let colour = shaded(column + sample % SAMPLES, row + sample / SAMPLES);
                (0..3).for_each(|k| sum[k] += colour[k]);
            }
            sum.map(|part| (part / (SAMPLES * SAMPLES) as f32 * 255.0).round().clamp(0.0, 255.0) as u8)
        };
        (0..self.size[0] * self.size[1]).map(pixel).collect()
    }
}

fn brightness(normal: Vector) -> f64 {
    AMBIENT + (1.0 - AMBIENT) * dot(normal, LIGHT).max(0.0)
}

/// The faces of the convex hull of some points of space, each as the indices of its corners, counter-clockwise seen
/// from outside. All triples are tried: for shapes of a few dozen points.
pub fn faces(points: &[Vector]) -> Vec<Vec<usize>> {
    let size = points.iter().flatten().fold(0.0, |size: f64, x| size.max(x.abs()));
    let mut faces: Vec<Vec<usize>> = Vec::new();
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            for k in j + 1..points.len() {
                let mut normal = cross(minus(points[j], points[i]), minus(points[k], points[i]));
                let length = dot(normal, normal).sqrt();
                if length < 1e-12 * size * size {
                    continue;
                }
                let heights =
                    |normal: Vector| points.iter().map(move |point| dot(minus(*point, points[i]), normal) / length);
                if heights(normal).any(|height| height > 1e-9 * size) {
                    normal = normal.map(|x| -x);
                    if heights(normal).any(|height| height > 1e-9 * size) {
                        continue;
                    }
                }
                let flat = |(index, height): (usize, f64)| (height.abs() <= 1e-9 * size).then_some(index);
                let corners: Vec<usize> = heights(normal).enumerate().filter_map(flat).collect();
                if !faces.iter().any(|face| same(face, &corners)) {
                    faces.push(around(points, corners, normal));
                }
            }
        }
    }
    faces
}

fn same(face: &[usize], corners: &[usize]) -> bool {
    face.len() == corners.len() && corners.iter().all(|corner| face.contains(corner))
}

/// Corners of a face, ordered about its middle.
fn around(points: &[Vector], mut corners: Vec<usize>, normal: Vector) -> Vec<usize> {
    let count = corners.len() as f64;
    let middle = [0, 1, 2].map(|k| corners.iter().map(|&corner| points[corner][k]).sum::<f64>() / count);
    let along = minus(points[corners[0]], middle);
    let across = cross(normal, along);
    let length = (dot(normal, normal)).sqrt();
    let angle = |corner: usize| {
        let offset = minus(points[corner], middle);
        dot(offset, across).atan2(dot(offset, along) * length)
    };
    corners.sort_by(|&p, &q| angle(p).total_cmp(&angle(q)));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_has_six_faces_of_four_corners_that_look_outward() {
        let corner = |index: usize| [0, 1, 2].map(|k| if index >> k & 1 == 0 { -1.0 } else { 1.0 });
        let corners: Vec<Vector> = (0..8).map(corner).collect();
        let faces = faces(&corners);
        assert_eq!(faces.len(), 6);
        for face in faces {
            assert_eq!(face.len(), 4);
            let [a, b, c] = [0, 1, 2].map(|k| corners[face[k]]);
            assert!(dot(cross(minus(b, a), minus(c, a)), a) > 3.9, "{face:?}");
        }
    }

    #[test]
    fn the_nearer_of_two_is_seen_whatever_the_order() {
        let camera = Camera { target: [0.0; 3], yaw: 0.0, pitch: 0.0, scale: 10.0 };
        let [red, blue] = [0xff_00_00, 0x00_00_ff].map(crate::rgb);
        let seen = |red_first: bool| {
            let mut solids = Solids::new([20, 20], camera, crate::rgb(0));
            let square = [[-1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [1.0, -1.0, -1.0]];
            if red_first {
                solids.face(&square, red);
            }
            solids.ball([0.0; 3], 0.9, blue);
            if !red_first {
                solids.face(&square, red);
            }
            solids.image(0.1)[10 * 20 + 10]
        };
        assert_eq!(seen(true), seen(false));
        assert!(seen(true)[0] > 50 && seen(true)[2] == 0, "{:?}", seen(true));
    }
}
