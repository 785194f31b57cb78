//! Where points of the plane are in a picture.

/// Converts metres to pixels.
///
/// ```
/// use jostle_picture::Lens;
///
/// let lens = Lens { origin: [10.0, 0.0], scale: 8.0, panel: [100.0, 50.0, 320.0, 240.0] };
/// assert_eq!(lens.point([12.0, 5.0]), [116.0, 250.0]); // up is up
/// assert!(lens.shows([96.0, 60.0], lens.length(1.0)) && !lens.shows([90.0, 60.0], 8.0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lens {
    /// What is in the panel's lower left corner, metres.
    pub origin: [f64; 2],
    /// Pixels a metre.
    pub scale: f64,
    /// The panel: left, top, width, height, pixels.
    pub panel: [f32; 4],
}

impl Lens {
    /// Where a point is, pixels, y down.
    pub fn point(&self, [x, y]: [f64; 2]) -> [f32; 2] {
        let [left, top, _, height] = self.panel;
        let along = ((x - self.origin[0]) * self.scale) as f32;
        let up = ((y - self.origin[1]) * self.scale) as f32;
        [left + along, top + height - up]
    }
    /// How long a length is, pixels.
    pub fn length(&self, metres: f64) -> f32 {
        (metres * self.scale) as f32
    }
    /// Whether the panel shows anything of a body that reaches at most `reach` pixels from a point of the picture.
    pub fn shows(&self, [x, y]: [f32; 2], reach: f32) -> bool {
        let [left, top, width, height] = self.panel;
        x + reach > left && x - reach < left + width && y + reach > top && y - reach < top + height
    }
}
