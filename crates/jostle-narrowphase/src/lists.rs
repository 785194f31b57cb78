//! Pairs sorted into classes, with the records of their bodies: each class is a batch that one solver is given.

use jostle_lanes::prefetch_far_at;
use jostle_shape::BodySet;
use jostle_tasks::reserve;

use crate::class::{Class, SWAPPED};
use crate::kernels::{Dimension, Precision};
use crate::pick::{PAIRS_PER_BATCH, Pick};
use crate::record::{Record, RecordSpace};
use crate::records::{BODIES_AHEAD, Source, make_each, make_records};
use crate::templates::Templates;

/// Pairs sorted into classes, with the records of their bodies.
pub struct Lists<S: Dimension, T: Precision> {
    /// The number of each pair's class, and whether its bodies are [`SWAPPED`].
    classes: Vec<u8>,
    picks: Vec<Pick>,
    unsorted: Vec<Pick>,
    local: Vec<Record<S, T>>,
    /// The pairs whose records are made because their picks name none.
    asked: Vec<[u32; 2]>,
}

impl<S: Dimension, T: Precision> Default for Lists<S, T> {
    fn default() -> Self {
        Self { classes: Vec::new(), picks: Vec::new(), unsorted: Vec::new(), local: Vec::new(), asked: Vec::new() }
    }
}

/// Pairs of one class, and the records that they name.
#[derive(Clone, Copy)]
pub struct Batch<'l, S: Dimension, T: Precision> {
    pub class: Class,
    pub records: &'l [Record<S, T>],
    pub picks: &'l [Pick],
}

impl<S: Dimension, T: Precision> Lists<S, T> {
    /// Makes room for so many pairs.
    pub fn reserve(&mut self, pairs: usize) {
        reserve(&mut self.classes, pairs);
        reserve(&mut self.picks, pairs);
        reserve(&mut self.unsorted, pairs);
    }

    /// Makes room for the records of so many pairs, where none are made beforehand.
    pub fn reserve_records(&mut self, pairs: usize) {
        reserve(&mut self.local, 2 * pairs);
        reserve(&mut self.asked, pairs);
    }

    /// Makes the records of some of `pairs`, whose picks name no records yet.
    pub fn make<'l>(
        &'l mut self,
        bodies: &impl BodySet<S>,
        templates: &Templates<S, T>,
        pairs: &[[u32; 2]],
        picks: &mut [Pick],
    ) -> &'l [Record<S, T>] {
        let Self { asked, local, .. } = self;
        asked.clear();
        for (place, pick) in (0..).zip(picks) {
            asked.push(pairs[pick.row as usize]);
            pick.records = [2 * place, 2 * place + 1];
        }
        local.resize(2 * asked.len(), Record::default());
        make_records(templates, bodies, asked.as_flattened(), local);
        local
    }

    /// Sorts `pairs` by class; gives batches of at most [`PAIRS_PER_BATCH`].
    pub fn sort<'l, P: BodySet<S>>(
        &'l mut self,
        bodies: &P,
        source: Source<'l, S, T>,
        pairs: &[[u32; 2]],
    ) -> impl Iterator<Item = Batch<'l, S, T>> + use<'l, S, T, P> {
        let Self { classes, picks, unsorted, local, .. } = self;
        let found = find_records(bodies, source, pairs.as_flattened(), local);
        let records = found.records;
        let [every, some] = pick(&found, pairs, classes, picks);
        // Where each class begins; one behind the other.
        let mut starts = [0_usize; Class::ALL.len() + 1];
        if every == some && some & SWAPPED == 0 {
            starts[usize::from(some) + 1..].fill(pairs.len());
        } else {
            counting_sort(classes, picks, unsorted, &mut starts);
        }
        let picks = &picks[..];
        let occurs = move |&(number, _): &(usize, Class)| starts[number] < starts[number + 1];
        Class::ALL.into_iter().enumerate().filter(occurs).flat_map(move |(number, class)| {
            let of_class = &picks[starts[number]..starts[number + 1]];
            of_class.chunks(PAIRS_PER_BATCH).map(move |picks| Batch { class, records, picks })
        })
    }
}

/// The records of the bodies of some pairs.
struct FoundRecords<'l, S: Dimension, T: Precision> {
    records: &'l [Record<S, T>],
    /// Two for each pair, one behind the other; otherwise one for each body.
    by_row: bool,
    /// The kind of all bodies, if they are of one.
    only: Option<usize>,
}

/// Finds the records of bodies, or makes them in `local`.
fn find_records<'l, S: Dimension, T: Precision>(
    bodies: &impl BodySet<S>,
    source: Source<'l, S, T>,
    indices: &[u32],
    local: &'l mut Vec<Record<S, T>>,
) -> FoundRecords<'l, S, T> {
    let mut only = None;
    match source {
        Source::All(records) => return FoundRecords { records, by_row: false, only },
        Source::Templates(templates) => {
            local.resize(indices.len(), Record::default());
            make_records(templates, bodies, indices, local);
            only = templates.kind();
        }
        Source::OnDemand => make_each(bodies, indices, local),
    }
    FoundRecords { records: local, by_row: true, only }
}

/// Picks all pairs, as [`classify`] does.
fn pick<S: Dimension, T: Precision>(
    found: &FoundRecords<'_, S, T>,
    pairs: &[[u32; 2]],
    classes: &mut Vec<u8>,
    picks: &mut Vec<Pick>,
) -> [u8; 2] {
    let FoundRecords { records, by_row, only } = *found;
    let by_itself = |row: u32| [2 * row, 2 * row + 1];
    if let Some(kind) = only {
        // All pairs are of one class, so no record is looked at: to look took 3 of the 23 ns of two balls in the cache.
        picks.resize(pairs.len(), Pick::default());
        for (row, pick) in (0..).zip(picks.iter_mut()) {
            *pick = Pick { records: by_itself(row), row, ..Pick::default() };
        }
        return [Class::of_kind(kind); 2];
    }
    if by_row {
        return classify(records, pairs, classes, picks, |row, _| by_itself(row));
    }
    // Also where all are of one kind: what is looked at has come by the time that it is needed.
    classify(records, pairs, classes, picks, |row, pair| {
        if let Some(&[a, b]) = pairs.get(row as usize + BODIES_AHEAD) {
            prefetch_far_at(records, a as usize);
            prefetch_far_at(records, b as usize);
        }
        pair
    })
}

/// Finds the classes of all pairs, and picks them as if they were all of one class and the bodies of none swapped:
/// often they are. Says which bits all classes have in common, and which any of them has. Records are looked at once.
#[inline(always)]
fn classify<S: RecordSpace, T: Precision>(
    records: &[Record<S, T>],
    pairs: &[[u32; 2]],
    classes: &mut Vec<u8>,
    picks: &mut Vec<Pick>,
    records_of: impl Fn(u32, [u32; 2]) -> [u32; 2],
) -> [u8; 2] {
    classes.resize(pairs.len(), 0);
    picks.resize(pairs.len(), Pick::default());
    let (mut every, mut some) = (u8::MAX, 0);
    for ((row, &pair), (known, pick)) in pairs.iter().enumerate().zip(classes.iter_mut().zip(picks)) {
        let row = row as u32;
        let asked = records_of(row, pair);
        let [a, b] = asked.map(|record| &records[record as usize]);
        let class = Class::of(a, b);
        (every, some) = (every & class, some | class);
        *known = class;
        *pick = Pick { records: asked, row, ..Pick::default() };
    }
    [every, some]
}

/// Sorts picks by class, those of one class staying in order, and puts the simpler body of each first.
fn counting_sort(classes: &[u8], picks: &mut Vec<Pick>, unsorted: &mut Vec<Pick>, starts: &mut [usize]) {
    for class in classes {
        starts[usize::from(class & !SWAPPED) + 1] += 1;
    }
    for class in 1..starts.len() {
        starts[class] += starts[class - 1];
    }
    let mut next = [0; Class::ALL.len() + 1];
    next.copy_from_slice(starts);
    core::mem::swap(picks, unsorted);
    picks.resize(unsorted.len(), Pick::default());
    for (&class, pick) in classes.iter().zip(unsorted.iter()) {
        let place = &mut next[usize::from(class & !SWAPPED)];
        let swapped = class & SWAPPED != 0;
        let [a, b] = pick.records;
        picks[*place] = Pick { records: if swapped { [b, a] } else { [a, b] }, swapped, ..*pick };
        *place += 1;
    }
}
