//! A thin layer over the rasteriser: filled outlines, lines, and text that needs no font of the system (its letters
//! are images, compiled in).

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Stroke,
    Transform,
};

/// A picture to draw on; coordinates in pixels, y down.
#[derive(Clone, Debug)]
pub struct Canvas {
    pixmap: Pixmap,
    mask: Option<Mask>,
}

/// The sizes of text.
#[derive(Clone, Copy, Debug)]
pub enum Size {
    /// 16 pixels.
    Small,
    /// 20 pixels.
    Middle,
    /// 32 pixels, bold.
    Large,
}

impl Size {
    fn raster(self) -> (FontWeight, RasterHeight) {
        match self {
            Size::Small => (FontWeight::Regular, RasterHeight::Size16),
            Size::Middle => (FontWeight::Regular, RasterHeight::Size20),
            Size::Large => (FontWeight::Bold, RasterHeight::Size32),
        }
    }
}

fn paint(colour: Color) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(colour);
    paint
}

/// A closed path through points.
pub fn polygon(points: &[[f32; 2]]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    let (first, rest) = points.split_first()?;
    builder.move_to(first[0], first[1]);
    for point in rest {
        builder.line_to(point[0], point[1]);
    }
    builder.close();
    builder.finish()
}

impl Canvas {
    /// Filled with one colour; `None` if a side is zero or absurd.
    pub fn new(width: u32, height: u32, ground: Color) -> Option<Self> {
        let mut pixmap = Pixmap::new(width, height)?;
        pixmap.fill(ground);
        Some(Self { pixmap, mask: None })
    }

    /// Restricts what is drawn from now on to a rectangle.
    pub fn clip(&mut self, [x, y, width, height]: [f32; 4]) {
        let rectangle = Rect::from_xywh(x, y, width, height).map(PathBuilder::from_rect);
        let mask = Mask::new(self.pixmap.width(), self.pixmap.height());
        self.mask = rectangle.zip(mask).map(|(path, mut mask)| {
            mask.fill_path(&path, FillRule::Winding, false, Transform::identity());
            mask
        });
    }

    /// Removes the restriction.
    pub fn unclip(&mut self) {
        self.mask = None;
    }

    /// Fills a path.
    pub fn fill(&mut self, path: &Path, colour: Color) {
        let mask = self.mask.as_ref();
        self.pixmap.fill_path(path, &paint(colour), FillRule::Winding, Transform::identity(), mask);
    }

    /// Draws along a path.
    pub fn stroke(&mut self, path: &Path, width: f32, colour: Color) {
        let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
        self.pixmap.stroke_path(path, &paint(colour), &stroke, Transform::identity(), self.mask.as_ref());
    }

    /// A line.
    pub fn line(&mut self, from: [f32; 2], to: [f32; 2], width: f32, colour: Color) {
        let mut builder = PathBuilder::new();
        builder.move_to(from[0], from[1]);
        builder.line_to(to[0], to[1]);
        if let Some(path) = builder.finish() {
            self.stroke(&path, width, colour);
        }
    }

    /// A disc.
    pub fn disc(&mut self, centre: [f32; 2], radius: f32, colour: Color) {
        if let Some(path) = PathBuilder::from_circle(centre[0], centre[1], radius) {
            self.fill(&path, colour);
        }
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, [x, y, width, height]: [f32; 4], colour: Color) {
        if let Some(rectangle) = Rect::from_xywh(x, y, width, height) {
            self.fill(&PathBuilder::from_rect(rectangle), colour);
        }
    }

    /// A frame just inside a rectangle.
    pub fn frame(&mut self, [x, y, width, height]: [f32; 4], line: f32, colour: Color) {
        if let Some(inner) = Rect::from_xywh(x + line / 2.0, y + line / 2.0, width - line, height - line) {
            self.stroke(&PathBuilder::from_rect(inner), line, colour);
        }
    }

    /// One pixel, even outside the clip.
    pub fn dot(&mut self, x: usize, y: usize, colour: Color) {
        let width = self.pixmap.width() as usize;
        if x < width
            && let Some(pixel) = self.pixmap.pixels_mut().get_mut(y * width + x)
        {
            *pixel = colour.premultiply().to_color_u8();
        }
    }

    /// Copies an image (rows of red, green, blue) with its upper left corner to a pixel, even outside the clip. What
    /// would lie beyond the right or lower border is left out.
    pub fn image(&mut self, pixels: &[[u8; 3]], width: usize, [left, top]: [usize; 2]) {
        let [across, down] = self.size().map(|side| side as usize);
        for (row, line) in pixels.chunks_exact(width.max(1)).enumerate().take(down.saturating_sub(top)) {
            for (column, &[red, green, blue]) in line.iter().enumerate().take(across.saturating_sub(left)) {
                if let Some(pixel) = PremultipliedColorU8::from_rgba(red, green, blue, 255) {
                    self.pixmap.pixels_mut()[(top + row) * across + left + column] = pixel;
                }
            }
        }
    }

    /// Text from its upper left corner; letters that the font lacks become question marks.
    pub fn text(&mut self, text: &str, [left, top]: [f32; 2], size: Size, colour: Color) {
        let (weight, height) = size.raster();
        let advance = get_raster_width(weight, height);
        let [red, green, blue] = [colour.red(), colour.green(), colour.blue()].map(|part| part * 255.0);
        let stride = self.pixmap.width() as usize;
        for (index, letter) in text.chars().enumerate() {
            let Some(raster) = get_raster(letter, weight, height).or_else(|| get_raster('?', weight, height)) else {
                continue;
            };
            let (x, y) = (left as usize + index * advance, top as usize);
            for (row, levels) in raster.rows().enumerate() {
                for (column, &level) in levels.iter().enumerate().filter(|(column, _)| x + column < stride) {
                    let at = (y + row) * stride + x + column;
                    let Some(pixel) = self.pixmap.pixels_mut().get_mut(at) else { continue };
                    let part = f32::from(level) / 255.0;
                    let mix = |from: u8, to: f32| (f32::from(from) * (1.0 - part) + to * part).round() as u8;
                    let mixed = [mix(pixel.red(), red), mix(pixel.green(), green), mix(pixel.blue(), blue)];
                    if let Some(new) = PremultipliedColorU8::from_rgba(mixed[0], mixed[1], mixed[2], 255) {
                        *pixel = new;
                    }
                }
            }
        }
    }

    /// How wide a text is.
    pub fn text_width(text: &str, size: Size) -> f32 {
        let (weight, height) = size.raster();
        (text.chars().count() * get_raster_width(weight, height)) as f32
    }

    /// Width and height.
    pub fn size(&self) -> [u32; 2] {
        [self.pixmap.width(), self.pixmap.height()]
    }

    /// Red, green, blue and 255 of every pixel, row by row from the top.
    pub fn rgba(&self) -> &[u8] {
        self.pixmap.data()
    }

    /// The picture at half the size: each pixel the mean of four. A side of an odd number of pixels loses one.
    ///
    /// # Panics
    /// If a side is one pixel only.
    pub fn half(&self) -> Self {
        let [width, height] = self.size().map(|side| side / 2);
        let mut pixmap = Pixmap::new(width, height).expect("half a picture has a size");
        let old = self.pixmap.pixels();
        let stride = self.pixmap.width() as usize;
        for (index, pixel) in pixmap.pixels_mut().iter_mut().enumerate() {
            let at = index / width as usize * 2 * stride + index % width as usize * 2;
            let four = [at, at + 1, at + stride, at + stride + 1].map(|at| old[at]);
            let mean = |part: fn(PremultipliedColorU8) -> u8| {
                (four.iter().map(|pixel| u32::from(part(*pixel))).sum::<u32>() + 2) / 4
            };
            let [red, green, blue] =
                [mean(|pixel| pixel.red()), mean(|pixel| pixel.green()), mean(|pixel| pixel.blue())]
                    .map(|part| part as u8);
            *pixel = PremultipliedColorU8::from_rgba(red, green, blue, 255).unwrap_or(*pixel);
        }
        Self { pixmap, mask: None }
    }

    /// The picture as a PNG file.
    ///
    /// # Errors
    /// If it is too large for the format.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        self.pixmap.encode_png().map_err(|error| error.to_string())
    }
}
