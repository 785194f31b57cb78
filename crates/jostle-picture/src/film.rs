//! Files of few colours: animations as GIF, which slides and browsers play, and small PNG files.
//!
//! One palette serves all frames, and what has not changed since the frame before is transparent: both keep files
//! small.

use color_quant::NeuQuant;
use gif::{Encoder, Frame, Repeat};

use crate::canvas::Canvas;

/// About how many pixels of all frames together the palette is chosen from.
const SAMPLED: usize = 400_000;

/// The bytes of a GIF file that repeats `frames`, all of one size, each shown for `hundredths` of a second, in at most
/// `colours` (at most 255) colours.
///
/// # Errors
/// If there is no frame, or they differ in size or are too large for the format.
pub fn film(frames: &[Canvas], hundredths: u16, colours: usize) -> Result<Vec<u8>, String> {
    let first = frames.first().ok_or("an animation needs a frame")?;
    let [width, height] = first.size().map(|side| u16::try_from(side).map_err(|_| "the frames are too large"));
    let (width, height) = (width?, height?);
    let pixels: Vec<&[u8]> = frames.iter().map(Canvas::rgba).collect();
    if frames.iter().any(|frame| frame.size() != first.size()) {
        return Err("the frames differ in size".to_owned());
    }
    let palette = palette(&pixels, colours);
    let mut colour_map = palette.color_map_rgb();
    let transparent = (colour_map.len() / 3) as u8;
    colour_map.extend([0; 3]);

    let mut bytes = Vec::new();
    let text = |error: gif::EncodingError| error.to_string();
    let mut encoder = Encoder::new(&mut bytes, width, height, &colour_map).map_err(text)?;
    encoder.set_repeat(Repeat::Infinite).map_err(text)?;
    let mut shown: Vec<u8> = Vec::new();
    for frame in pixels {
        let indices: Vec<u8> = frame.chunks_exact(4).map(|pixel| palette.index_of(pixel) as u8).collect();
        let same = |(index, shown): (&u8, &u8)| if index == shown { transparent } else { *index };
        let changed = if shown.is_empty() { indices.clone() } else { indices.iter().zip(&shown).map(same).collect() };
        shown = indices;
        let mut frame = Frame::from_indexed_pixels(width, height, changed, Some(transparent));
        frame.delay = hundredths;
        frame.dispose = gif::DisposalMethod::Keep;
        encoder.write_frame(&frame).map_err(text)?;
    }
    drop(encoder);
    Ok(bytes)
}

/// The colours that suit these pictures best.
fn palette(pictures: &[&[u8]], colours: usize) -> NeuQuant {
    let pixels = pictures.iter().map(|picture| picture.len() / 4).sum::<usize>();
    let stride = (pixels / SAMPLED).max(1);
    let some = pictures.iter().flat_map(|picture| picture.chunks_exact(4)).step_by(stride);
    NeuQuant::new(3, colours.clamp(2, 255), &some.flatten().copied().collect::<Vec<u8>>())
}

/// A PNG file in at most `colours` (at most 255) colours: a third of the size, and hardly a visible difference.
///
/// ```
/// use jostle_picture::{Canvas, GROUND, of_gap, rgb, small_png};
///
/// let mut canvas = Canvas::new(320, 200, rgb(GROUND)).ok_or("no size")?;
/// for step in 0..40_u16 {
///     canvas.disc([8.0 * f32::from(step), 100.0], f32::from(step), of_gap(f32::from(step) / 40.0));
/// }
/// assert!(small_png(&canvas, 16)?.len() < canvas.png()?.len());
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// If it is too large for the format.
pub fn small_png(canvas: &Canvas, colours: usize) -> Result<Vec<u8>, String> {
    let [width, height] = canvas.size();
    let palette = palette(&[canvas.rgba()], colours);
    let indices: Vec<u8> = canvas.rgba().chunks_exact(4).map(|pixel| palette.index_of(pixel) as u8).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(palette.color_map_rgb());
    encoder.set_compression(png::Compression::High);
    // Filters predict gradual changes, which indices of colours do not have.
    encoder.set_filter(png::Filter::NoFilter);
    let text = |error: png::EncodingError| error.to_string();
    let mut writer = encoder.write_header().map_err(text)?;
    writer.write_image_data(&indices).map_err(text)?;
    writer.finish().map_err(text)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::film;
    use crate::{Canvas, rgb};

    #[test]
    fn frames_of_another_shape_are_refused_though_they_have_as_many_pixels() {
        let frames = [[20, 10], [10, 20]].map(|[width, height]| Canvas::new(width, height, rgb(0)).unwrap());
        assert!(film(&frames[..1], 10, 16).is_ok());
        assert_eq!(film(&frames, 10, 16).unwrap_err(), "the frames differ in size");
    }
}
