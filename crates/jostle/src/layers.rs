//! Bodies sorted into layers of the broadphase by what filters say of them, so that boxes of bodies that never meet are
//! not even pairs.
//!
//! Bodies of the same group, mask, staticness and parent are of one kind, and which kinds meet is looked up once. In
//! most scenes there are few kinds, whatever the number of bodies; but for parents, of which there may be thousands. So
//! there are kinds without parents, too: where layers do not tell all, filters are asked about the pairs that are left.

use arrayvec::ArrayVec;
use jostle_broadphase::Layers;
use jostle_shape::Filters;

/// What else tells boxes apart: each is on one of two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Nothing: sides do not count.
    One,
    /// No two boxes of the second side are a pair.
    SecondApart,
    /// Nor are two of the first: only boxes of different sides are.
    BothApart,
}

/// What layers tell of bodies that meet any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Which pairs meet: all whose layers are not kept apart.
    All,
    /// Some of the pairs that do not meet. Filters have to be asked about the others.
    Some,
}

impl Told {
    /// Whether two bodies meet, of which a pair was found.
    #[inline]
    pub fn meet(self, filters: &Filters<'_>, a: u32, b: u32) -> bool {
        self == Self::All || filters.meet(a, b)
    }
}

/// Puts boxes into layers, given the body of each and whether it is on the second side.
pub fn put(
    layers: &mut Layers,
    filters: &Filters<'_>,
    sides: Sides,
    boxes: impl Iterator<Item = (usize, bool)> + Clone,
) -> Told {
    // Which bodies are absent is not asked: their boxes are not swept.
    let with_parents = Filters { absent: &[], ..*filters };
    let without = Filters { parent: &[], ..with_parents };
    layers.clear();
    if sides == Sides::One && with_parents.is_empty() {
        return Told::All;
    }
    // A layer for each kind on each side that counts.
    let each = if sides == Sides::One { 1 } else { 2 };
    let most = Layers::MOST / usize::from(each);
    let few_parents = {
        let mut kinds = Kinds::new(with_parents, most);
        filters.parent.is_empty() || boxes.clone().all(|(body, _)| usize::from(kinds.of(body)) + 1 < most)
    };
    let mut kinds = Kinds::new(if few_parents { with_parents } else { without }, most);
    layers.set(boxes.map(|(body, second)| each * kinds.of(body) + (u8::from(second) & (each - 1))));
    let mut any = false;
    for (a, b) in (0..kinds.count()).flat_map(|a| (0..=a).map(move |b| (a, b))) {
        for (side, other) in (0..each).flat_map(|side| (0..each).map(move |other| (side, other))) {
            let by_side = match sides {
                Sides::One => false,
                Sides::SecondApart => side == 1 && other == 1,
                Sides::BothApart => side == other,
            };
            if by_side || !kinds.meet(a, b) {
                layers.keep_apart(each * a + side, each * b + other);
                any = true;
            }
        }
    }
    if !any {
        layers.clear();
    }
    if few_parents && !kinds.more { Told::All } else { Told::Some }
}

/// Slots of the table of kinds: a power of two, several for each kind.
const SLOTS: usize = 128;

/// What filters say of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    group: u32,
    mask: u32,
    parent: Option<u32>,
    fixed: bool,
}

/// The kinds of bodies met so far, numbered in this order.
struct Kinds<'f> {
    filters: Filters<'f>,
    list: ArrayVec<Kind, { Layers::MOST }>,
    most: usize,
    /// True if there were more kinds: these share the last number.
    more: bool,
    /// The number of each kind plus one, or zero, where its hash or the next empty slot is.
    table: [u8; SLOTS],
    /// The last body's kind and its number, as most often the next one's is the same.
    last: Option<(Kind, u8)>,
}

impl<'f> Kinds<'f> {
    /// None, of up to `most` kinds.
    fn new(filters: Filters<'f>, most: usize) -> Self {
        Self { filters, list: ArrayVec::new(), most, more: false, table: [0; SLOTS], last: None }
    }

    /// The number of a body's kind.
    #[inline]
    fn of(&mut self, body: usize) -> u8 {
        let Filters { group, mask, parent, fixed, .. } = self.filters;
        let kind = Kind {
            group: group.get(body).copied().unwrap_or(u32::MAX),
            mask: mask.get(body).copied().unwrap_or(u32::MAX),
            parent: parent.get(body).copied().flatten(),
            fixed: fixed.get(body).copied().unwrap_or(false),
        };
        match self.last {
            Some((last, number)) if last == kind => number,
            _ => {
                let number = self.find(kind);
                self.last = Some((kind, number));
                number
            }
        }
    }

    fn find(&mut self, kind: Kind) -> u8 {
        let rest = u64::from(kind.fixed) | kind.parent.map_or(0, |parent| 2 | u64::from(parent) << 2);
        let mixed = (u64::from(kind.group) << 32 | u64::from(kind.mask)) ^ rest.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let mut slot = (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57) as usize;
        while self.table[slot % SLOTS] != 0 {
            let number = self.table[slot % SLOTS] - 1;
            if self.list[usize::from(number)] == kind {
                return number;
            }
            slot += 1;
        }
        let number = self.list.len() as u8;
        // The last number is kept for what comes when there is no other.
        if usize::from(number) + 1 == self.most {
            self.more = true;
            return number;
        }
        self.list.push(kind);
        self.table[slot % SLOTS] = number + 1;
        number
    }

    /// How many numbers are in use.
    fn count(&self) -> u8 {
        self.list.len() as u8 + u8::from(self.more)
    }

    /// Whether bodies of two kinds meet, as far as their numbers tell.
    fn meet(&self, a: u8, b: u8) -> bool {
        let of = |kind: u8| self.list.get(usize::from(kind));
        let (Some(a), Some(b)) = (of(a), of(b)) else { return true };
        let [group, mask] = [[a.group, b.group], [a.mask, b.mask]];
        let (parent, fixed) = ([a.parent, b.parent], [a.fixed, b.fixed]);
        Filters { group: &group, mask: &mask, parent: &parent, fixed: &fixed, absent: &[] }.meet(0, 1)
    }
}

#[cfg(test)]
mod tests {
    use jostle_broadphase::Layers;
    use jostle_shape::Filters;

    use super::{Sides, Told, put};

    /// Numbers that look random.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, most: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % most
        }
    }

    /// All pairs of bodies of scenes with so many different groups and masks, and parents: layers leave out only what
    /// does not meet, and all of it if they say so.
    fn check(kinds: u64, parents: u64, sides: Sides) -> bool {
        let mut r = Numbers(kinds);
        let count = 150;
        let kind: Vec<u64> = (0..count).map(|_| r.below(kinds)).collect();
        let bits: Vec<[u32; 2]> = (0..kinds).map(|_| [0, 1].map(|_| r.below(1 << 6) as u32)).collect();
        let [group, mask] = [0, 1].map(|k| kind.iter().map(|&kind| bits[kind as usize][k]).collect::<Vec<_>>());
        let fixed: Vec<bool> = (0..count).map(|_| r.below(3) == 0).collect();
        let parent: Vec<Option<u32>> =
            (0..count).map(|_| Some(r.below(parents + 2) as u32).filter(|&n| u64::from(n) < parents)).collect();
        let second: Vec<bool> = (0..count).map(|_| r.below(2) == 1).collect();
        let mut filters = Filters { group: &group, mask: &mask, fixed: &fixed, parent: &parent, absent: &[] };
        // Some columns are not there.
        if r.below(4) == 0 {
            filters.group = &[];
        }
        if r.below(4) == 0 {
            filters.mask = &[];
        }
        if r.below(3) == 0 {
            filters.fixed = &[];
        }
        if parents == 0 {
            filters.parent = &[];
        }
        let mut layers = Layers::default();
        let told_all = Told::All == put(&mut layers, &filters, sides, (0..count).map(|body| (body, second[body])));
        for a in 0..count {
            for b in 0..a {
                let on_sides = match sides {
                    Sides::One => true,
                    Sides::SecondApart => !(second[a] && second[b]),
                    Sides::BothApart => second[a] != second[b],
                };
                let meet = filters.meet(a as u32, b as u32);
                let apart = layers.are_apart(a, b);
                assert!(!(apart && meet && on_sides), "{a} and {b} of {kinds} kinds meet");
                assert!(apart || on_sides, "{a} and {b} of {kinds} kinds are on sides that do not meet");
                assert!(apart || meet || !told_all, "{a} and {b} of {kinds} kinds do not meet");
            }
        }
        told_all
    }

    #[test]
    fn layers_leave_out_what_filters_leave_out() {
        for sides in [Sides::One, Sides::SecondApart, Sides::BothApart] {
            for kinds in 1..60 {
                assert!(check(kinds, 0, sides) || kinds > 3, "{kinds} kinds");
                assert!(check(kinds, 2, sides) || kinds > 2, "{kinds} kinds and two parents");
                assert!(!check(kinds, 100, sides), "a hundred parents");
            }
        }
    }

    #[test]
    fn where_all_meet_there_are_no_layers() {
        let mut layers = Layers::default();
        layers.set([3, 3].into_iter());
        let bodies = (0..2).map(|body| (body, false));
        assert_eq!(put(&mut layers, &Filters::default(), Sides::One, bodies.clone()), Told::All);
        assert!(layers.is_empty());
        let filters = Filters { group: &[1, 2], mask: &[3, 3], ..Filters::default() };
        assert_eq!(put(&mut layers, &filters, Sides::One, bodies), Told::All);
        assert!(layers.is_empty());
    }
}
