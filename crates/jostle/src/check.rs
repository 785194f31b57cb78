//! What cannot be asked about is refused here, before anything is computed.

use jostle_narrowphase::Motion;
use jostle_shape::MAX_LENGTH;

use crate::error::{CastError, PairError};

/// Refuses pairs that cannot be asked about.
pub fn pairs(count: usize, pairs: &[[u32; 2]]) -> Result<(), PairError> {
    // First whether there is anything to refuse, a register of pairs at a time.
    let mut wrong = false;
    for &[a, b] in pairs {
        wrong |= a.max(b) as usize >= count || a == b;
    }
    if !wrong {
        return Ok(());
    }
    pairs.iter().enumerate().try_for_each(|(index, &pair)| self::pair(count, index, pair, false))
}

/// Refuses pair `index` if it names a body that does not exist, or the same body twice but where its second is
/// `elsewhere`.
pub fn pair(count: usize, index: usize, [a, b]: [u32; 2], elsewhere: bool) -> Result<(), PairError> {
    if let Some(&body) = [a, b].iter().find(|&&body| body as usize >= count) {
        return Err(PairError::MissingBody { index, body, count });
    }
    if a == b && !elsewhere {
        return Err(PairError::SameBody { index, body: a });
    }
    Ok(())
}

/// Refuses motions that cannot be followed.
pub fn motion(motion: Motion) -> Result<(), CastError> {
    if !(0.0..=f64::MAX).contains(&motion.duration) {
        return Err(CastError::Duration(motion.duration));
    }
    if !(0.0..=MAX_LENGTH).contains(&motion.target) {
        return Err(CastError::Target(motion.target));
    }
    Ok(())
}
