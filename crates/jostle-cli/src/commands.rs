//! What each command does, a file each.

pub mod bench;
pub mod cast;
pub mod checksum;
pub mod contacts;
pub mod demo;
pub mod distance;
pub mod generate;
pub mod nearest;
pub mod overlap;
pub mod trajectory;
pub mod verify;

use jostle::{ContactsError, Lattice};
use jostle_scene::{Scene, SceneSpace};

use crate::args::Common;
use crate::failure::{Failure, Outcome};
use crate::idle::note_no_images;

/// Answers a question that is generic over space and precision for a scene read at run time.
macro_rules! ask {
    ($scene:expr, $precision:expr, $function:ident($($argument:expr),*)) => {
        match ($scene, $precision) {
            (jostle_scene::AnyScene::Plane(scene), $crate::args::Precision::F32) => {
                $function::<jostle::D2, f32>(scene, $($argument),*)
            }
            (jostle_scene::AnyScene::Plane(scene), $crate::args::Precision::F64) => {
                $function::<jostle::D2, f64>(scene, $($argument),*)
            }
            (jostle_scene::AnyScene::Space(scene), $crate::args::Precision::F32) => {
                $function::<jostle::D3, f32>(scene, $($argument),*)
            }
            (jostle_scene::AnyScene::Space(scene), $crate::args::Precision::F64) => {
                $function::<jostle::D3, f64>(scene, $($argument),*)
            }
        }
    };
}
pub(crate) use ask;

/// What a refusal of the engine means for the scene called `name`, of a command that has `--limit`, or that is asked
/// about listed pairs and so never finds too many.
pub fn refused(name: &str, error: &ContactsError) -> Failure {
    const COUNT: &str = "ask for their number with contacts --count";
    match error {
        // Engines take a higher limit for this one, so raising it further would change nothing.
        ContactsError::TooManyPairs(too_many) if too_many.limit >= u64::from(u32::MAX) => {
            refused_but(name, error, &format!("choose a smaller --margin, or {COUNT}"))
        }
        ContactsError::TooManyPairs(_) => refused_but(name, error, &format!("raise --limit, or {COUNT}")),
        _ => refused_but(name, error, COUNT),
    }
}

/// The same, where `remedy` says what helps against too many rows in this command.
pub fn refused_but(name: &str, error: &ContactsError, remedy: &str) -> Failure {
    match error {
        ContactsError::TooManyPairs(too_many) => {
            let limit = too_many.limit;
            Failure::Other(format!("{name}: there are more than {limit} pairs to hold in memory; {remedy}"))
        }
        ContactsError::Memory(_) => Failure::Other(format!("{name}: {error}; {remedy}")),
        // All else is about what was given.
        error => Failure::Input(format!("{name}: {error}")),
    }
}

/// How the scene called `name` repeats, if it does.
pub fn lattice<S: SceneSpace>(scene: &Scene<S>, name: &str) -> Outcome<Option<Lattice<S>>> {
    scene.lattice().map_err(|error| Failure::Input(format!("{name}: periodic: {error}")))
}

/// The same, where bodies meet their own images if they are to.
pub fn lattice_of<S: SceneSpace>(
    scene: &Scene<S>,
    name: &str,
    self_images: bool,
    common: &Common,
) -> Outcome<Option<Lattice<S>>> {
    let lattice = lattice(scene, name)?;
    if self_images && lattice.is_none() {
        note_no_images(name, common);
    }
    Ok(lattice.map(|lattice| if self_images { lattice.with_self_images() } else { lattice }))
}

#[cfg(test)]
mod tests {
    use jostle::TooManyPairs;

    use super::*;

    #[test]
    fn what_cannot_help_is_not_offered() {
        let too_many = |limit: u64| ContactsError::from(TooManyPairs { limit, found: limit + 1 });
        let said = |failure: Failure| match failure {
            Failure::Other(sentence) => sentence,
            _ => panic!("too many pairs are no bad input"),
        };
        let few = said(refused("s", &too_many(5)));
        assert_eq!(
            few,
            "s: there are more than 5 pairs to hold in memory; raise --limit, or ask for their number with contacts \
             --count"
        );
        assert!(!said(refused("s", &too_many(u64::from(u32::MAX)))).contains("--limit"));
        assert_eq!(
            said(refused_but("s", &too_many(7), "ask for fewer")),
            "s: there are more than 7 pairs to hold in memory; ask for fewer"
        );
    }
}
