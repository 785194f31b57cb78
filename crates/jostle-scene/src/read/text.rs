//! Scenes as text: one pass over the text, straight into columns.
//!
//! What the bodies mean depends on `dimension` and `shapes`, and keys may come in any order. So two short passes look
//! for these two first and end where they are found; in a document that opens with them, they read next to nothing.

use std::fmt::{Formatter, Result as Shown};
use std::marker::PhantomData;

use jostle::{D2, D3};
use serde::de::{DeserializeSeed, Deserializer as _, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Deserializer, Error};

use super::bodies::BodyList;
use super::place::{Place, Step};
use super::shapes::Shapes;
use super::value::{Components, Keys, List, Number, Unsigned, each};
use crate::error::{SceneError, quoted};
use crate::input::{filled_text, text_of_scene};
use crate::scene::{AnyScene, Scene, SceneSpace};
use crate::spec::{ShapeSpec, SpecError};

/// Reads a scene that is text.
pub(super) fn read_text(name: &str, bytes: &[u8]) -> Result<AnyScene, SceneError> {
    let text = text_of_scene(name, bytes)?;
    match find_dimension(name, text)? {
        2 => Ok(read_in::<D2>(name, text)?.into()),
        _ => Ok(read_in::<D3>(name, text)?.into()),
    }
}

/// Reads a list of shapes alone, as it stands in a scene under `shapes`.
///
/// ```
/// use jostle::D3;
/// use jostle_scene::{ShapeSpec, read_shapes};
///
/// let shapes = read_shapes::<D3>("shapes", br#"[{"type": "sphere", "radius": 1.5}]"#)?;
/// assert_eq!(shapes, [ShapeSpec::Ball { radius: 1.5 }]);
/// # Ok::<(), jostle_scene::SceneError>(())
/// ```
///
/// # Errors
/// If there is nothing, the text is not JSON in UTF-8, or it is not a list of shapes as the scene format has them; the
/// error names the JSON path. Whether each gives a shape says [`ShapeSpec::shape`].
pub fn read_shapes<S: SceneSpace>(name: &str, bytes: &[u8]) -> Result<Vec<ShapeSpec<S>>, SceneError> {
    let text = filled_text(name, bytes)?;
    let mut json = Deserializer::from_str(text);
    let mut place = Place::default();
    place.enter(Step::Key("shapes"));
    List(Shapes { place: &mut place, space: PhantomData })
        .deserialize(&mut json)
        .and_then(|shapes| json.end().map(|()| shapes))
        .map_err(|error| refusal(name, text, &place, &error))
}

/// Reads the lengths of a periodic box alone, as they stand in a scene under `periodic`.
#[cfg(feature = "arrow")]
pub(crate) fn read_lengths<S: SceneSpace>(name: &str, text: &str) -> Result<S::Array<f64>, SceneError> {
    let mut json = Deserializer::from_str(text);
    let (mut place, mut lengths) = (Place::default(), S::array(|_| 0.0));
    List(Components { place: &mut place, number: Number::Length, into: lengths.as_mut() })
        .deserialize(&mut json)
        .and_then(|()| json.end())
        .map_err(|error| refusal(name, text, &place, &error))?;
    Ok(lengths)
}

/// What `serde_json` says, in our words and with our place.
fn refusal(name: &str, text: &str, place: &Place, error: &Error) -> SceneError {
    let (line, column) = (error.line(), error.column());
    let sentence = error.to_string();
    let reason = sentence.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&sentence);
    match error.classify() {
        Category::Syntax if reason == "number out of range" => {
            SceneError::value(name, place.to_string(), "the number is too large for f64")
        }
        Category::Syntax if let Some(word) = not_finite_at(text, line, column) => {
            SceneError::value(name, place.to_string(), format!("{word} is not a finite number"))
        }
        Category::Data => SceneError::value(name, place.to_string(), reason),
        Category::Eof => {
            let reason = format!("the text ends too early ({reason})");
            SceneError::Syntax { name: name.to_owned(), line, column, reason }
        }
        Category::Syntax | Category::Io => {
            SceneError::Syntax { name: name.to_owned(), line, column, reason: reason.to_owned() }
        }
    }
}

/// The word that JSON lacks but many programs write, if the error is about one.
fn not_finite_at(text: &str, line: usize, column: usize) -> Option<String> {
    let line = text.split('\n').nth(line.checked_sub(1)?)?.as_bytes();
    // The parser stops at the first letter, or at the one that is not as in `null`.
    (column.saturating_sub(3)..column).find_map(|start| {
        let (before, word) = line.split_at_checked(start)?;
        let mut names = ["NaN", "nan", "Infinity", "infinity", "Inf", "inf"].into_iter();
        let name = names.find(|name| word.starts_with(name.as_bytes()))?;
        Some(if before.ends_with(b"-") { format!("-{name}") } else { name.to_owned() })
    })
}

const KEYS: &[&str] = &["format", "version", "dimension", "periodic", "shapes", "bodies", "pairs"];
const SCENE: &str = "a scene: an object with the key `format`";

/// Checks one of the three keys that say what the document is.
fn read_head<'de, A: MapAccess<'de>>(key: &str, map: &mut A) -> Result<u32, A::Error> {
    let refuse = |message: String| Err(A::Error::custom(message));
    if key == "format" {
        let format = map.next_value::<std::borrow::Cow<'de, str>>()?;
        return if format == "jostle-scene" {
            Ok(0)
        } else {
            refuse(format!("{} is not `jostle-scene`", quoted(&format)))
        };
    }
    let number = map.next_value_seed(Unsigned("a number that this version knows"))?;
    match (key, number) {
        ("version", 1) | ("dimension", 2 | 3) => Ok(number),
        ("version", _) => refuse(format!("version {number} is not known (this reads version 1)")),
        _ => refuse(format!("{number} is neither 2 nor 3")),
    }
}

/// The first pass: reads as far as `dimension`.
struct FindDimension<'p> {
    place: &'p mut Place,
    found: &'p mut Option<u32>,
}

impl<'de> Visitor<'de> for FindDimension<'_> {
    type Value = ();
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str(SCENE)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys = Keys::new(KEYS);
        while let Some(key) = keys.next(&mut map, self.place)? {
            match key {
                "format" | "version" => _ = read_head(key, &mut map)?,
                "dimension" => {
                    *self.found = Some(read_head(key, &mut map)?);
                    return Err(A::Error::custom("found"));
                }
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
            self.place.leave();
        }
        keys.require(&["format", "version", "dimension"])
    }
}

fn find_dimension(name: &str, text: &str) -> Result<u32, SceneError> {
    let (mut place, mut found) = (Place::default(), None);
    let visitor = FindDimension { place: &mut place, found: &mut found };
    let result = Deserializer::from_str(text).deserialize_map(visitor);
    match (found, result) {
        (Some(dimension), _) => Ok(dimension),
        (None, Err(error)) => Err(refusal(name, text, &place, &error)),
        (None, Ok(())) => unreachable!("the key `dimension` is required"),
    }
}

/// The second pass: reads as far as `shapes`.
struct FindShapes<'p, S: SceneSpace> {
    place: &'p mut Place,
    found: &'p mut Option<Vec<ShapeSpec<S>>>,
}

impl<'de, S: SceneSpace> Visitor<'de> for FindShapes<'_, S> {
    type Value = ();
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str(SCENE)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys = Keys::new(KEYS);
        while let Some(key) = keys.next(&mut map, self.place)? {
            if key == "shapes" {
                let seed = List(Shapes { place: &mut *self.place, space: PhantomData });
                *self.found = Some(map.next_value_seed(seed)?);
                return Err(A::Error::custom("found"));
            }
            map.next_value::<IgnoredAny>()?;
            self.place.leave();
        }
        keys.require(&["shapes"])
    }
}

fn find_shapes<S: SceneSpace>(name: &str, text: &str) -> Result<Vec<ShapeSpec<S>>, SceneError> {
    let (mut place, mut found) = (Place::default(), None);
    let visitor = FindShapes { place: &mut place, found: &mut found };
    let result = Deserializer::from_str(text).deserialize_map(visitor);
    match (found, result) {
        (Some(shapes), _) => Ok(shapes),
        (None, Err(error)) => Err(refusal(name, text, &place, &error)),
        (None, Ok(())) => unreachable!("the key `shapes` is required"),
    }
}

/// The last pass: everything else.
struct ReadAll<'p, S: SceneSpace> {
    place: &'p mut Place,
    scene: &'p mut Scene<S>,
}

impl<'de, S: SceneSpace> Visitor<'de> for ReadAll<'_, S> {
    type Value = ();
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str(SCENE)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { place, scene } = self;
        let mut keys = Keys::new(KEYS);
        while let Some(key) = keys.next(&mut map, place)? {
            match key {
                "format" | "version" | "dimension" => _ = read_head(key, &mut map)?,
                "shapes" => _ = map.next_value::<IgnoredAny>()?,
                "bodies" => map.next_value_seed(List(BodyList { place: &mut *place, bodies: &mut scene.bodies }))?,
                "pairs" => scene.pairs = Some(map.next_value_seed(List(Pairs { place: &mut *place }))?),
                _ => {
                    let mut lengths = S::array(|_| 0.0);
                    let into = lengths.as_mut();
                    map.next_value_seed(List(Components { place: &mut *place, number: Number::Length, into }))?;
                    scene.periodic = Some(lengths);
                }
            }
            place.leave();
        }
        keys.require(&["format", "version", "bodies"])
    }
}

/// Pairs of integers; whether the bodies exist can only be said at the end of the document.
struct Pairs<'p> {
    place: &'p mut Place,
}

impl<'de> Visitor<'de> for Pairs<'_> {
    type Value = Vec<[u32; 2]>;
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str("a list of pairs")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        each(seq, self.place, |seq, place, _| {
            Ok(seq.next_element_seed(List(Pair { place }))?.map(|pair| pairs.push(pair)))
        })?;
        Ok(pairs)
    }
}

struct Pair<'p> {
    place: &'p mut Place,
}

impl<'de> Visitor<'de> for Pair<'_> {
    type Value = [u32; 2];
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str("a pair: a list of two bodies")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<[u32; 2], A::Error> {
        let mut pair = [0; 2];
        let count = each(seq, self.place, |seq, _, index| {
            let body = seq.next_element_seed(Unsigned("the index of a body"))?;
            if let (Some(body), Some(to)) = (body, pair.get_mut(index)) {
                *to = body;
            }
            Ok(body)
        })?;
        if count == 2 { Ok(pair) } else { Err(A::Error::custom(format_args!("a pair names 2 bodies, not {count}"))) }
    }
}

/// What is wrong with a pair among so many bodies, if anything.
pub(crate) fn check_pair([a, b]: [u32; 2], bodies: usize) -> Result<(), String> {
    match [a, b].into_iter().find(|&body| body as usize >= bodies) {
        Some(body) => Err(format!("body {body} does not exist (there are {bodies})")),
        None if a == b => Err(format!("a pair of body {a} with itself")),
        None => Ok(()),
    }
}

fn read_in<S: SceneSpace>(name: &str, text: &str) -> Result<Scene<S>, SceneError> {
    let mut scene = Scene::new();
    for (index, spec) in find_shapes(name, text)?.into_iter().enumerate() {
        let refused = |error: SpecError| SceneError::value(name, format!("shapes[{index}]"), error.to_string());
        scene.add_shape(spec).map_err(refused)?;
    }
    let mut place = Place::default();
    let mut json = Deserializer::from_str(text);
    json.deserialize_map(ReadAll { place: &mut place, scene: &mut scene })
        .and_then(|()| json.end())
        .map_err(|error| refusal(name, text, &place, &error))?;
    for (index, pair) in scene.pairs.iter().flatten().enumerate() {
        check_pair(*pair, scene.bodies.len())
            .map_err(|reason| SceneError::value(name, format!("pairs[{index}]"), reason))?;
    }
    Ok(scene)
}
