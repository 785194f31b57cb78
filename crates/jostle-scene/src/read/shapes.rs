//! The list of shapes. The keys that a shape may have depend on its `type`, which may come last: so all values are
//! kept until the object ends.

use std::fmt::{Formatter, Result as Shown};
use std::marker::PhantomData;

use jostle::MAX_POINTS;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use super::place::{Place, Step};
use super::value::{Components, Keys, List, Number, each};
use crate::error::quoted;
use crate::scene::SceneSpace;
use crate::spec::ShapeSpec;

/// Reads a list of shapes.
pub(super) struct Shapes<'p, S> {
    pub(super) place: &'p mut Place,
    pub(super) space: PhantomData<S>,
}

impl<'de, S: SceneSpace> Visitor<'de> for Shapes<'_, S> {
    type Value = Vec<ShapeSpec<S>>;
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str("a list of shapes")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        let mut shapes = Vec::new();
        each(seq, self.place, |seq, place, _| {
            let spec = seq.next_element_seed(OneShape { place, space: PhantomData::<S> })?;
            Ok(spec.map(|spec| shapes.push(spec)))
        })?;
        Ok(shapes)
    }
}

struct OneShape<'p, S> {
    place: &'p mut Place,
    space: PhantomData<S>,
}

impl<'de, S: SceneSpace> DeserializeSeed<'de> for OneShape<'_, S> {
    type Value = ShapeSpec<S>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ShapeSpec<S>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

const KEYS: &[&str] = &["type", "radius", "half_length", "half_height", "half_extents", "points", "rounding"];

impl<'de, S: SceneSpace> Visitor<'de> for OneShape<'_, S> {
    type Value = ShapeSpec<S>;
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str("a shape: an object with the key `type`")
    }
    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<ShapeSpec<S>, A::Error> {
        let place = self.place;
        let mut keys = Keys::new(KEYS);
        let mut kind = String::new();
        let [mut radius, mut half_length, mut half_height, mut rounding] = [0.0; 4];
        let mut half_extents = S::array(|_| 0.0);
        let mut points = Vec::new();
        while let Some(key) = keys.next(&mut map, place)? {
            match key {
                "type" => kind = map.next_value()?,
                "radius" => radius = map.next_value_seed(Number::Length)?,
                "half_length" => half_length = map.next_value_seed(Number::Length)?,
                "half_height" => half_height = map.next_value_seed(Number::Length)?,
                "rounding" => rounding = map.next_value_seed(Number::Length)?,
                "half_extents" => {
                    let into = half_extents.as_mut();
                    map.next_value_seed(List(Components { place: &mut *place, number: Number::Length, into }))?;
                }
                _ => points = map.next_value_seed(List(HullPoints::<S> { place: &mut *place, space: PhantomData }))?,
            }
            place.leave();
        }
        keys.require(&["type"])?;
        let (required, spec): (&[&str], _) = match &*kind {
            ball if ball == S::BALL => (&["radius"], ShapeSpec::Ball { radius }),
            "capsule" => (&["half_length", "radius"], ShapeSpec::Capsule { half_length, radius }),
            "box" => (&["half_extents", "rounding"], ShapeSpec::Box { half_extents, rounding }),
            "cylinder" if S::DIMENSION == 3 => {
                (&["half_height", "radius", "rounding"], ShapeSpec::Cylinder { half_height, radius, rounding })
            }
            "cone" if S::DIMENSION == 3 => {
                (&["half_height", "radius", "rounding"], ShapeSpec::Cone { half_height, radius, rounding })
            }
            "convex" => (&["points", "rounding"], ShapeSpec::Convex { points, rounding }),
            other => {
                place.enter(Step::Key("type"));
                let dimension = S::DIMENSION;
                return Err(A::Error::custom(format_args!(
                    "unknown type {} (in {dimension}D: {})",
                    quoted(other),
                    S::TYPES
                )));
            }
        };
        if let Some(key) = KEYS[1..].iter().find(|key| keys.has(key) && !required.contains(key)) {
            return Err(A::Error::custom(format_args!("unknown key `{key}` for a {kind}")));
        }
        for key in required.iter().filter(|key| **key != "rounding") {
            keys.require(&[key])?;
        }
        Ok(spec)
    }
}

struct HullPoints<'p, S> {
    place: &'p mut Place,
    space: PhantomData<S>,
}

impl<'de, S: SceneSpace> Visitor<'de> for HullPoints<'_, S> {
    type Value = Vec<S::Array<f64>>;
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str("a list of points")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        let mut points = Vec::new();
        each(seq, self.place, |seq, place, _| {
            let mut point = S::array(|_| 0.0);
            let into = point.as_mut();
            let found =
                seq.next_element_seed(List(Components { place: &mut *place, number: Number::Coordinate, into }))?;
            if found.is_some() && points.len() == MAX_POINTS {
                place.leave();
                return Err(A::Error::custom("has more than 65,535 points"));
            }
            Ok(found.map(|()| points.push(point)))
        })?;
        if points.is_empty() {
            return Err(A::Error::custom("is empty: a convex shape needs at least one point"));
        }
        Ok(points)
    }
}
