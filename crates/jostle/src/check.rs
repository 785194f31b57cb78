//! Refuses invalid queries, before anything is computed.

use jostle_lanes::Space;
use jostle_narrowphase::Motion;
use jostle_shape::{Columns, CustomShape, MAX_LENGTH, is_length};

use crate::error::{CastError, PairError};

/// Refuses pairs that name a missing or absent body, or one body twice.
pub fn pairs<S: Space, U: CustomShape<S>>(bodies: &Columns<'_, S, U>, pairs: &[[u32; 2]]) -> Result<(), PairError> {
    // First whether there is anything to refuse, a register of pairs at a time.
    let (count, mut wrong) = (bodies.len(), !bodies.filters().absent.is_empty());
    for &[a, b] in pairs {
        wrong |= a.max(b) as usize >= count || a == b;
    }
    if !wrong {
        return Ok(());
    }
    pairs.iter().enumerate().try_for_each(|(index, &pair)| self::pair(bodies, index, pair, false))
}

/// Refuses pair `index` if it names a body that does not exist, or the same body twice, unless the second is an image
/// `elsewhere`.
pub fn pair<S: Space, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    index: usize,
    [a, b]: [u32; 2],
    elsewhere: bool,
) -> Result<(), PairError> {
    let count = bodies.len();
    if let Some(&body) = [a, b].iter().find(|&&body| body as usize >= count) {
        return Err(PairError::MissingBody { index, body, count });
    }
    if let Some(&body) = [a, b].iter().find(|&&body| bodies.filters().is_absent(body)) {
        return Err(PairError::AbsentBody { index, body });
    }
    if a == b && !elsewhere {
        return Err(PairError::SameBody { index, body: a });
    }
    Ok(())
}

/// Refuses motions whose duration or target is out of range.
pub fn motion(motion: Motion) -> Result<(), CastError> {
    if !(0.0..=f64::MAX).contains(&motion.duration) {
        return Err(CastError::Duration(motion.duration));
    }
    if !is_length(motion.target) {
        return Err(CastError::Target(motion.target));
    }
    Ok(())
}

/// Refuses rays whose numbers are not finite or beyond 1e15.
pub fn ray<S: Space>(index: usize, ray: &[S::Array<f64>; 2]) -> Result<(), CastError> {
    for (what, numbers) in ["from", "way"].into_iter().zip(ray) {
        for (axis, &value) in numbers.as_ref().iter().enumerate() {
            if !(-MAX_LENGTH..=MAX_LENGTH).contains(&value) {
                return Err(CastError::Ray { index, what, axis, value });
            }
        }
    }
    Ok(())
}
