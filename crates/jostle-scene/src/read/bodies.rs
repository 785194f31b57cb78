//! The list of bodies, straight from the text into columns: a scene of millions is never held in any other form.

use std::fmt::{Formatter, Result as Shown};

use jostle::{Bodies, Body};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::place::Place;
use super::value::{Components, Flag, Keys, List, Number, Unsigned, each, normalise};
use crate::scene::SceneSpace;

/// Reads a list of bodies into `bodies`, whose shapes are there already.
pub(super) struct BodyList<'p, S: SceneSpace> {
    pub(super) place: &'p mut Place,
    pub(super) bodies: &'p mut Bodies<S>,
}

impl<'de, S: SceneSpace> Visitor<'de> for BodyList<'_, S> {
    type Value = ();
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str("a list of bodies")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        let bodies = self.bodies;
        each(seq, self.place, |seq, place, _| seq.next_element_seed(OneBody { place, bodies: &mut *bodies }))?;
        Ok(())
    }
}

struct OneBody<'p, S: SceneSpace> {
    place: &'p mut Place,
    bodies: &'p mut Bodies<S>,
}

impl<'de, S: SceneSpace> DeserializeSeed<'de> for OneBody<'_, S> {
    type Value = ();
    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

const KEYS: &[&str] = &["shape", "position", "rotation", "velocity", "group", "mask", "static", "parent"];

impl<'de, S: SceneSpace> Visitor<'de> for OneBody<'_, S> {
    type Value = ();
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str("a body: an object with the keys `shape` and `position`")
    }
    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let place = self.place;
        let mut keys = Keys::new(KEYS);
        let mut body = Body::<S>::new(0, S::array(|_| 0.0));
        while let Some(key) = keys.next(&mut map, place)? {
            let mut point = |map: &mut A, into: &mut [f64]| {
                map.next_value_seed(List(Components { place: &mut *place, number: Number::Coordinate, into }))
            };
            match key {
                "shape" => {
                    body.shape = map.next_value_seed(Unsigned("the index of a shape"))?;
                    let count = self.bodies.shapes().len();
                    if body.shape as usize >= count {
                        let shape = body.shape;
                        return Err(A::Error::custom(format_args!("shape {shape} does not exist (there are {count})")));
                    }
                }
                "position" => point(&mut map, body.position.as_mut())?,
                "velocity" => point(&mut map, body.velocity.as_mut())?,
                "rotation" if S::ROTATION_LEN == 1 => body.rotation[0] = map.next_value_seed(Number::Any)?,
                "rotation" => {
                    let into = body.rotation.as_mut();
                    map.next_value_seed(List(Components { place: &mut *place, number: Number::Any, into }))?;
                    normalise(into).map_err(A::Error::custom)?;
                }
                "group" => body.group = map.next_value_seed(BITS)?,
                "mask" => body.mask = map.next_value_seed(BITS)?,
                "static" => body.fixed = map.next_value_seed(Flag)?,
                _ => body.parent = Some(map.next_value_seed(BITS)?),
            }
            place.leave();
        }
        keys.require(&["shape", "position"])?;
        self.bodies.push(body).map_err(A::Error::custom)?;
        Ok(())
    }
}

const BITS: Unsigned = Unsigned("a 32-bit unsigned integer");
