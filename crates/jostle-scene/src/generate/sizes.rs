//! What makes grids and trees sweat: `clustered` and `mixed`.

use jostle::Body;

use super::draft::{Draft, Refusal};
use super::form::{Forms, palette};
use super::random::Random;
use super::volume::cube;

/// Mixed shapes in normally distributed clusters far apart: more and larger ones as the number of bodies grows.
pub(super) fn clustered<S: Forms>(draft: &mut Draft<'_, S>, count: usize, random: &mut Random) -> Result<(), Refusal> {
    let forms = palette(4, random, |random| random.between(0.1, 0.2));
    let shapes = draft.forms(forms)?;
    let clusters = ((count as f64).sqrt() / 4.0).ceil().max(1.0) as usize;
    let members = count.div_ceil(clusters);
    let deviation = cube::<S>(members, if S::DIMENSION == 2 { 0.05 } else { 0.08 })[0];
    let sides = cube::<S>(clusters, 12.0 * deviation + 1.0);
    let centres: Vec<S::Array<f64>> = (0..clusters).map(|_| random.point::<S>(sides)).collect();
    let drifts: Vec<S::Array<f64>> = (0..clusters).map(|_| random.gaussian::<S>(0.5)).collect();
    for _ in 0..count {
        let cluster = random.below(clusters);
        let offset = random.gaussian::<S>(deviation);
        let own = random.gaussian::<S>(0.1);
        let shape = shapes + random.below(4 * S::SORTS) as u32;
        let body = Body::new(shape, S::array(|k| centres[cluster][k] + offset[k]));
        draft.push(
            body.with_rotation(random.rotation::<S>()).with_velocity(S::array(|k| drifts[cluster][k] + own[k])),
        )?;
    }
    Ok(())
}

/// Mixed shapes of log-normal size, the largest about a hundred times the smallest, and ten huge ones (fewer among
/// less than a hundred bodies) of a tenth of the world and more.
pub(super) fn mixed<S: Forms>(draft: &mut Draft<'_, S>, count: usize, random: &mut Random) -> Result<(), Refusal> {
    let forms = palette(40, random, |random| (0.25 * libm::exp(0.75 * random.normal())).clamp(0.02, 2.5));
    let palette_len = forms.len();
    let shapes = draft.forms(forms)?;
    let sides = cube::<S>(count, if S::DIMENSION == 2 { 0.58 } else { 0.87 });
    let huge = 10.min(count / 10);
    let mut giants = Vec::with_capacity(huge);
    for giant in 0..huge {
        let size = sides[0] * random.between(0.05, 0.1);
        giants.push(S::form(giant % S::SORTS, size, random));
    }
    let giants = draft.forms(giants)?;
    for index in 0..count {
        let shape = if index < huge { giants + index as u32 } else { shapes + random.below(palette_len) as u32 };
        let body = Body::new(shape, random.point::<S>(sides));
        draft.push(body.with_rotation(random.rotation::<S>()).with_velocity(random.gaussian::<S>(0.5)))?;
    }
    Ok(())
}
