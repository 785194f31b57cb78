//! The values that scenes are made of, each with its own refusals: numbers, indices, flags, points, keys.

use std::fmt::{Formatter, Result as Shown};

use jostle::MAX_LENGTH;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::place::{Place, Step};
use crate::error::quoted;
use crate::number::shown;

/// What a number must be, beside finite.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    /// At least 0, at most 1e15.
    Length,
    /// At most 1e15 in size.
    Coordinate,
    /// Anything.
    Any,
}

impl Number {
    /// What is wrong with a number, if anything.
    #[inline]
    pub(crate) fn check(self, value: f64) -> Result<f64, String> {
        let refuse = |what| Err(format!("{} {what}", shown(value)));
        match self {
            _ if !value.is_finite() => refuse("is not a finite number"),
            Number::Length if value < 0.0 => refuse("is negative"),
            Number::Length | Number::Coordinate if value.abs() > MAX_LENGTH => refuse("is beyond 1e15 in size"),
            _ => Ok(value),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Number {
    type Value = f64;
    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_f64(self)
    }
}

impl Visitor<'_> for Number {
    type Value = f64;
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str("a number")
    }
    #[inline]
    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        self.check(value).map_err(E::custom)
    }
    #[inline]
    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        self.check(value as f64).map_err(E::custom)
    }
    #[inline]
    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        self.check(value as f64).map_err(E::custom)
    }
}

/// Whether a quaternion is a unit quaternion as nearly as `f64` can be.
#[inline]
pub(crate) fn is_unit(rotation: &[f64]) -> bool {
    // Division by the norm leaves an error of at most 12 roundings in the computed square.
    (rotation.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() <= 16.0 * 0.5 * f64::EPSILON
}

/// Divides a quaternion by its norm, unless it is a unit quaternion already: what was normalised once is left as it is,
/// so that reading what was written changes nothing.
#[inline]
pub(crate) fn normalise(rotation: &mut [f64]) -> Result<(), String> {
    let norm = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
    // Written so that NaN is refused, and both ends are accepted: 1 - 0.999 is more than 1e-3.
    if !(0.999..=1.001).contains(&norm) {
        return Err(format!("the quaternion's norm is {}, not within 1e-3 of 1", shown(norm)));
    }
    if !is_unit(rotation) {
        for x in rotation {
            *x /= norm;
        }
    }
    Ok(())
}

/// A 32-bit unsigned integer; the text says what it is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsigned(pub(super) &'static str);

impl Unsigned {
    fn refuse<E: Error>(self, value: &str) -> E {
        E::custom(format_args!("{value} is not {}", self.0))
    }
}

impl<'de> DeserializeSeed<'de> for Unsigned {
    type Value = u32;
    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u32, D::Error> {
        deserializer.deserialize_u32(self)
    }
}

impl Visitor<'_> for Unsigned {
    type Value = u32;
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str(self.0)
    }
    #[inline]
    fn visit_u64<E: Error>(self, value: u64) -> Result<u32, E> {
        u32::try_from(value).map_err(|_| self.refuse(&value.to_string()))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<u32, E> {
        Err(self.refuse(&value.to_string()))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<u32, E> {
        // The value alone would be one that is allowed.
        let whole = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
        let written = if whole { " with a point or an exponent" } else { "" };
        Err(self.refuse(&format!("{}{written}", shown(value))))
    }
}

/// `true` or `false`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flag;

impl<'de> DeserializeSeed<'de> for Flag {
    type Value = bool;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_bool(self)
    }
}

impl Visitor<'_> for Flag {
    type Value = bool;
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str("true or false")
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<bool, E> {
        Ok(value)
    }
}

/// A list, as its visitor reads it.
pub(super) struct List<V>(pub(super) V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for List<V> {
    type Value = V::Value;
    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        deserializer.deserialize_seq(self.0)
    }
}

/// Exactly as many numbers as there is room for.
pub(super) struct Components<'p> {
    pub(super) place: &'p mut Place,
    pub(super) number: Number,
    pub(super) into: &'p mut [f64],
}

impl<'de> Visitor<'de> for Components<'_> {
    type Value = ();
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        write!(f, "a list of {} numbers", self.into.len())
    }
    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let count = self.into.len();
        for (index, to) in self.into.iter_mut().enumerate() {
            self.place.enter(Step::Index(index));
            let element = seq.next_element_seed(self.number)?;
            self.place.leave();
            *to = element.ok_or_else(|| {
                let plural = if index == 1 { "" } else { "s" };
                A::Error::custom(format_args!("has {index} component{plural} instead of {count}"))
            })?;
        }
        if seq.next_element::<IgnoredAny>()?.is_some() {
            return Err(A::Error::custom(format_args!("has more than {count} components")));
        }
        Ok(())
    }
}

/// The key of an object, which must be one of those known.
struct Key(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Key {
    type Value = usize;
    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = usize;
    fn expecting(&self, f: &mut Formatter<'_>) -> Shown {
        f.write_str("a key")
    }
    #[inline]
    fn visit_str<E: Error>(self, key: &str) -> Result<usize, E> {
        self.0
            .iter()
            .position(|name| *name == key)
            .ok_or_else(|| E::custom(format_args!("unknown key {} (known: {})", quoted(key), self.0.join(", "))))
    }
}

/// The keys of one object: each known, none twice.
pub(super) struct Keys {
    known: &'static [&'static str],
    seen: u32,
}

impl Keys {
    pub(super) fn new(known: &'static [&'static str]) -> Self {
        Self { known, seen: 0 }
    }
    /// The next key; the place is then that of its value.
    #[inline]
    pub(super) fn next<'de, A: MapAccess<'de>>(
        &mut self,
        map: &mut A,
        place: &mut Place,
    ) -> Result<Option<&'static str>, A::Error> {
        let Some(index) = map.next_key_seed(Key(self.known))? else { return Ok(None) };
        let key = self.known[index];
        if self.seen & (1 << index) != 0 {
            return Err(A::Error::custom(format_args!("the key `{key}` stands twice")));
        }
        self.seen |= 1 << index;
        place.enter(Step::Key(key));
        Ok(Some(key))
    }
    /// Whether this key was there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.known.iter().position(|name| *name == key).is_some_and(|index| self.seen & (1 << index) != 0)
    }
    /// Refuses an object without one of these keys.
    #[inline]
    pub(super) fn require<E: Error>(&self, keys: &[&str]) -> Result<(), E> {
        match keys.iter().find(|key| !self.has(key)) {
            None => Ok(()),
            Some(key) => Err(E::custom(format_args!("the key `{key}` is missing"))),
        }
    }
}

/// Calls `item` for every element of a list, with the place of the element.
#[inline]
pub(super) fn each<'de, A, T, N>(mut seq: A, place: &mut Place, mut next: N) -> Result<usize, A::Error>
where
    A: SeqAccess<'de>,
    N: FnMut(&mut A, &mut Place, usize) -> Result<Option<T>, A::Error>,
{
    let mut index = 0;
    loop {
        place.enter(Step::Index(index));
        let element = next(&mut seq, place, index)?;
        place.leave();
        if element.is_none() {
            return Ok(index);
        }
        index += 1;
    }
}
