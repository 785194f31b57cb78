//! Colours: two ramps, chosen so that near pairs glow on a dark ground and also differ in lightness.

use tiny_skia::Color;

/// A colour from its hexadecimal red, green and blue.
pub fn rgb(hex: u32) -> Color {
    Color::from_rgba8((hex >> 16) as u8, (hex >> 8) as u8, hex as u8, 255)
}

/// A colour from its hexadecimal red, green and blue, with an opacity from 0 to 1.
pub fn faded(hex: u32, alpha: f32) -> Color {
    let mut colour = rgb(hex);
    colour.set_alpha(alpha);
    colour
}

/// The ground of the whole picture.
pub const GROUND: u32 = 0x0c_11_1b;
/// The ground of a panel.
pub const PANEL: u32 = 0x12_19_27;
/// Text.
pub const TEXT: u32 = 0xe8_ec_f2;
/// Text of less weight.
pub const QUIET: u32 = 0x8b_97_ab;
/// Pillars and walls.
pub const STONE: u32 = 0x3b_46_5a;
/// Bodies that overlap.
pub const OVERLAP: u32 = 0xff_3d_57;
/// Witness segments.
pub const WITNESS: u32 = 0xff_ff_ff;

/// From touching to the margin: amber, orange, rose, violet, slate.
const GAPS: [u32; 5] = [0xff_c8_57, 0xf9_84_5c, 0xc4_5a_8c, 0x6d_52_9c, 0x3d_4f_7d];
/// From empty to packed.
const DENSITIES: [u32; 6] = [0x12_19_27, 0x1d_2f_55, 0x2b_5d_86, 0x2f_94_97, 0x7c_c9_87, 0xf5_ee_9e];

fn ramp(stops: &[u32], at: f32) -> Color {
    let last = stops.len() - 1;
    let along = at.clamp(0.0, 1.0) * last as f32;
    let from = (along as usize).min(last.saturating_sub(1));
    let part = along - from as f32;
    let (low, high) = (rgb(stops[from]), rgb(stops[from + 1]));
    let mix = |a: f32, b: f32| a + (b - a) * part;
    Color::from_rgba(mix(low.red(), high.red()), mix(low.green(), high.green()), mix(low.blue(), high.blue()), 1.0)
        .unwrap_or(low)
}

/// The colour of a body whose nearest neighbour is `gap` away: 0 is touching, 1 the margin.
pub fn of_gap(gap: f32) -> Color {
    if gap < 0.0 { rgb(OVERLAP) } else { ramp(&GAPS, gap) }
}

/// The colour of a place: 0 is empty, 1 is packed.
pub fn of_density(density: f32) -> Color {
    ramp(&DENSITIES, density)
}
