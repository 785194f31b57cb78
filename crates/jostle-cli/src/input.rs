//! What commands read, and what they refuse of it.

use std::path::Path;

use jostle::{MAX_LENGTH, is_length};
use jostle_scene::{AnyScene, ResultTable, SceneError, input_name, read_pairs_file, read_scene_file, read_table_file};

use crate::args::{AskedPairs, Common, Format};
use crate::failure::{Failure, Outcome};
use crate::progress::Progress;

/// A scene and the name that messages call it.
pub fn scene(path: &Path, common: &Common) -> Outcome<(String, AnyScene)> {
    let _progress = Progress::begin("reading the scene", None, common.quiet);
    Ok((input_name(path), read_scene_file(path)?))
}

/// A result table and the name that messages call it. Its content tells its format; where it has none, `--format jsonl`
/// says that these are JSON Lines without rows.
pub fn table(path: &Path, common: &Common) -> Outcome<(String, ResultTable)> {
    let _progress = Progress::begin("reading the results", None, common.quiet);
    let table = match read_table_file(path) {
        Err(SceneError::EmptyTable { .. }) if common.format == Some(Format::Jsonl) => ResultTable::default(),
        read => read?,
    };
    Ok((input_name(path), table))
}

/// A scene and the pairs that are asked about.
pub struct PairQuestion {
    /// What messages call the scene.
    pub name: String,
    /// The scene.
    pub scene: AnyScene,
    /// At least one pair of bodies that are there.
    pub pairs: Vec<[u32; 2]>,
}

/// Reads the scene, and the pairs that `--pairs` or else the scene lists; refuses an empty list.
pub fn pair_question(asked: &AskedPairs, common: &Common) -> Outcome<PairQuestion> {
    if let Some(pairs) = &asked.pairs {
        one_from_standard_input(&asked.scene, pairs)?;
    }
    let (name, scene) = scene(&asked.scene, common)?;
    let pairs = match &asked.pairs {
        Some(path) => {
            let pairs = read_pairs_file(path, scene.body_count())?;
            if pairs.is_empty() {
                return Err(Failure::Input(format!("{}: lists no pairs", input_name(path))));
            }
            pairs
        }
        None => listed_pairs(&name, &scene)?,
    };
    Ok(PairQuestion { name, scene, pairs })
}

/// The pairs that a scene lists: at least one.
fn listed_pairs(name: &str, scene: &AnyScene) -> Outcome<Vec<[u32; 2]>> {
    match scene.pairs() {
        Some(pairs) if !pairs.is_empty() => Ok(pairs.to_vec()),
        _ => Err(Failure::Input(format!(
            "{name}: lists no pairs; name a file with --pairs, or in JSON put them under `pairs`"
        ))),
    }
}

/// Refuses a length on the command line that is negative, not finite or too large.
pub fn length(option: &str, value: f64) -> Outcome {
    if is_length(value) {
        return Ok(());
    }
    Err(Failure::Input(format!("{option} is {value}, which is not a number of metres from 0 to {MAX_LENGTH:e}")))
}

/// Refuses a duration on the command line that is negative or not finite.
pub fn duration(option: &str, value: f64) -> Outcome {
    // Written so that NaN is refused.
    if (0.0..=f64::MAX).contains(&value) {
        return Ok(());
    }
    Err(Failure::Input(format!("{option} is {value}, which is not a finite number of seconds from 0 on")))
}

/// Refuses two inputs from one standard input.
pub fn one_from_standard_input(first: &Path, second: &Path) -> Outcome {
    if first.as_os_str() == "-" && second.as_os_str() == "-" {
        return Err(Failure::Input("only one input can come from standard input".to_owned()));
    }
    Ok(())
}
