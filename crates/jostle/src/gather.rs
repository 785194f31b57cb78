//! Enters rows in the lists of their bodies, and picks the nearest few of each list.
//!
//! A neighbour is 80 bytes and more. What is entered, picked and put in order are [ranks](Rank), and only neighbours
//! that stay are written. Where few are wanted, a list is kept in order and has no more ranks than these; otherwise it
//! takes up to twice as many, of which the nearer half is then kept. So the time for each rank and the memory for each
//! list are bounded, however many neighbours a body has.

use core::cmp::Ordering;
use core::fmt;

use jostle_lanes::{prefetch, prefetch_at};
use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_tasks::{self as tasks, Divide, make_room};

use crate::near::Near;
use crate::neighbours::Neighbour;
use crate::rank::{Rank, sort_nearest};
use crate::shifted::Shifted;
use crate::weight;

/// How many rows ahead memory is prefetched.
const ROWS_AHEAD: usize = 16;
/// Agents whose lists one task sorts and writes.
const AGENTS_PER_TASK: usize = 256;
/// Up to so many nearest are kept in order while ranks are entered.
const FEW: usize = 16;
/// Rows are numbered by the bits of a `u32`, of which one tells the sides of a row apart.
const MOST_ROWS: usize = (u32::MAX / 2) as usize;

/// Which neighbours are gathered.
#[derive(Clone, Copy, Debug)]
pub struct Gathering {
    /// Metres.
    pub radius: f64,
    /// The most neighbours of each agent.
    pub k: usize,
    /// Whether a row is entered in the list of its first body, and whether in that of its second.
    pub entered: [bool; 2],
}

/// Rows whose two bodies are neighbours of each other.
pub trait NearRows<S: Dimension, T: Precision>: Sync {
    /// The number of rows.
    fn count(&self) -> usize;
    /// A row.
    fn row(&self, index: usize) -> &Proximity<S, T>;
    /// Which image of its second body a row is about, and its offset in metres from the body's own position.
    fn image(&self, index: usize) -> ([i32; 3], S::Array<f64>);

    /// The neighbour that a body has by a row. Seen from the second body, it is the first body that is shifted, the
    /// opposite way.
    #[inline(always)]
    fn seen(&self, at: u32) -> Neighbour<S, T> {
        let (index, from_second) = line(at);
        let (row, (image, shift)) = (self.row(index), self.image(index));
        if from_second {
            let second = Neighbour { image: image.map(|k| -k), ..Neighbour::from_second(row) };
            second.shifted(&S::array(|k| -shift[k]))
        } else {
            Neighbour { image, ..Neighbour::from_first(row) }
        }
    }
    /// The order of neighbours; those that are equal in it come as their rows do.
    #[inline(always)]
    fn order(&self, a: Rank, b: Rank) -> Ordering {
        a.order(
            b,
            #[cold]
            || self.seen(a.at()).order(&self.seen(b.at())).then(a.at().cmp(&b.at())),
        )
    }
}

/// The row that a rank is found at, and whether it is seen from the row's second body.
fn line(at: u32) -> (usize, bool) {
    (at as usize / 2, at % 2 == 1)
}

/// Rows of open space.
impl<S: Dimension, T: Precision> NearRows<S, T> for &[Proximity<S, T>] {
    fn count(&self) -> usize {
        self.len()
    }
    fn row(&self, index: usize) -> &Proximity<S, T> {
        &self[index]
    }
    fn image(&self, _: usize) -> ([i32; 3], S::Array<f64>) {
        Default::default()
    }
}

impl<S: Dimension, T: Precision> NearRows<S, T> for &[Shifted<S, T>] {
    fn count(&self) -> usize {
        self.len()
    }
    fn row(&self, index: usize) -> &Proximity<S, T> {
        &self[index].row
    }
    fn image(&self, index: usize) -> ([i32; 3], S::Array<f64>) {
        (self[index].image, self[index].shift)
    }
}

/// Which rows are entered in whose lists.
struct Entries<'e, R, T, A> {
    rows: &'e R,
    within: Near<T>,
    /// As in [`Gathering`].
    entered: [bool; 2],
    /// The number of bodies of which some are agents, and which are.
    count: usize,
    is_agent: A,
}

impl<R, T: Precision, A: Fn(u32) -> bool> Entries<'_, R, T, A> {
    /// Calls `enter` for each agent in whose list a row is entered, with the rank of its neighbour. (Called in two
    /// places, not in a loop: that would have agents and ranks written to memory and read again.)
    #[inline(always)]
    fn row<S: Dimension>(&self, index: usize, mut enter: impl FnMut(usize, Rank))
    where
        R: NearRows<S, T>,
    {
        let &Proximity { a, b, distance, .. } = self.rows.row(index);
        if !self.within.holds(distance) || distance.to_f64().is_nan() {
            return;
        }
        let [of_first, of_second] = self.entered;
        if of_first && self.holds(a) {
            enter(a as usize, Rank::new(distance, 2 * index as u32));
        }
        if of_second && self.holds(b) {
            enter(b as usize, Rank::new(distance, 2 * index as u32 + 1));
        }
    }
    /// Whether a body is an agent.
    #[inline(always)]
    fn holds(&self, body: u32) -> bool {
        assert!((body as usize) < self.count, "body {body} of {}", self.count);
        (self.is_agent)(body)
    }
}

/// Memory for gathering.
#[derive(Default)]
pub struct Gatherer {
    /// Where each agent's ranks begin, and how many there are.
    lists: Vec<[u32; 2]>,
    /// The lists, with room between them.
    ranks: Vec<Rank>,
}

/// Neighbours are printed without what they were gathered with.
impl fmt::Debug for Gatherer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gatherer")
    }
}

/// A copy starts with no memory: what is in it is of no use after a call.
impl Clone for Gatherer {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Gatherer {
    /// Writes the neighbours that are `wanted` of `count` bodies into `list`, and into `spans` where those of each body
    /// begin and how many there are. If it panics, there are no spans.
    pub fn gather<S: Dimension, T: Precision>(
        &mut self,
        count: usize,
        rows: &impl NearRows<S, T>,
        wanted: Gathering,
        is_agent: impl Fn(u32) -> bool,
        spans: &mut Vec<[u32; 2]>,
        list: &mut Vec<Neighbour<S, T>>,
    ) {
        assert!(rows.count() <= MOST_ROWS, "{} rows are more than {MOST_ROWS}", rows.count());
        let Gathering { radius, k, entered } = wanted;
        spans.clear();
        let entries = Entries { rows, within: Near::new(radius), entered, count, is_agent };
        // (At least one, so that there is a last one to compare others to.)
        self.make_lists(&entries, k.max(1));
        self.enter(&entries, k.max(1));
        make_room(spans, count);
        let mut total = 0;
        spans.extend(self.lists.iter().map(|&[_, entered]| {
            let kept = u32::try_from(k).map_or(entered, |k| entered.min(k));
            total += kept;
            [total - kept, kept]
        }));
        make_room(list, total as usize);
        list.resize(total as usize, Neighbour::default());
        let Self { lists, ranks } = self;
        let ranked = RankedLists { lists, ranks, spans, list };
        tasks::run(weight::of_lists(lists), || tasks::each(ranked, |_, few| few.write(rows, k)));
    }

    /// Makes an empty list for each body, with [room](room_for) for the `k` nearest or for as many ranks as will be
    /// entered. To count these, all rows have to be read, which are long: so not if room for `k` each is little enough.
    fn make_lists<S: Dimension, T: Precision>(
        &mut self,
        entries: &Entries<'_, impl NearRows<S, T>, T, impl Fn(u32) -> bool>,
        k: usize,
    ) {
        let Self { lists, ranks } = self;
        let (count, rows) = (entries.count, entries.rows.count());
        let all = rows * entries.entered.iter().filter(|&&entered| entered).count();
        let most = room_for(k).min(all);
        lists.clear();
        make_room(lists, count);
        let mut room = 0;
        let mut list = |most: usize| {
            room += most;
            [(room - most) as u32, 0]
        };
        if most.saturating_mul(count) <= all {
            lists.extend((0..count).map(|_| list(most)));
        } else {
            lists.resize(count, [0; 2]);
            for index in 0..rows {
                entries.row(
                    index,
                    #[inline(always)]
                    |agent, _| lists[agent][1] += 1,
                );
            }
            for entry in lists {
                *entry = list(most.min(entry[1] as usize));
            }
        }
        // Room for the most there can be of so many rows: it does not change as bodies come nearer to each other.
        make_room(ranks, most.saturating_mul(count).min(all));
        ranks.resize(room.max(ranks.len()), Rank::default());
    }

    /// Enters all ranks but those that are known not to be among the `k` nearest.
    fn enter<S: Dimension, T: Precision>(
        &mut self,
        entries: &Entries<'_, impl NearRows<S, T>, T, impl Fn(u32) -> bool>,
        k: usize,
    ) {
        let Self { lists, ranks } = self;
        let rows = entries.rows;
        let order = |a, b| rows.order(a, b);
        for index in 0..rows.count() {
            // The lists of second bodies lie all over the memory.
            if entries.entered[1] && index + ROWS_AHEAD < rows.count() {
                let soon = rows.row(index + ROWS_AHEAD).b;
                if let Some(&[first, count]) = lists.get(soon as usize) {
                    prefetch_at(ranks, first as usize + (count as usize).min(k - 1));
                }
            }
            entries.row(
                index,
                #[inline(always)]
                |agent, rank| {
                    let [first, count] = &mut lists[agent];
                    let (list, entered) = (&mut ranks[*first as usize..], *count as usize);
                    // The farthest of the first `k` is the last of them.
                    if entered >= k && order(list[k - 1], rank).is_lt() {
                        return;
                    }
                    *count = if k <= FEW {
                        insert(list, entered, rank, k, order)
                    } else {
                        append(list, entered, rank, k, order)
                    } as u32;
                },
            );
        }
    }
}

/// The most ranks that a list has room for of which the `k` nearest are wanted.
fn room_for(k: usize) -> usize {
    if k <= FEW { k } else { k.saturating_mul(2) }
}

/// Inserts a rank in a list that is in order, of at most `k`, and returns how many there are now. If the list is full,
/// the last one gives way.
#[inline(always)]
fn insert(list: &mut [Rank], entered: usize, rank: Rank, k: usize, order: impl Fn(Rank, Rank) -> Ordering) -> usize {
    let last = entered.min(k - 1);
    let mut place = last;
    while place > 0 && order(rank, list[place - 1]).is_lt() {
        list[place] = list[place - 1];
        place -= 1;
    }
    list[place] = rank;
    last + 1
}

/// Appends a rank to a list, and returns how many there are now: if it is full, the `k` nearest remain. From `k` on the
/// farthest of the first `k` is the last of them.
#[inline(always)]
fn append(list: &mut [Rank], entered: usize, rank: Rank, k: usize, order: impl Fn(Rank, Rank) -> Ordering) -> usize {
    list[entered] = rank;
    let entered = entered + 1;
    if entered != k && entered != room_for(k) {
        return entered;
    }
    list[..entered].select_nth_unstable_by(k - 1, |&a, &b| order(a, b));
    k
}

/// The lists of some agents, and the places where the nearest of them are written.
struct RankedLists<'l, S: Dimension, T: Precision> {
    /// As in [`Gatherer`]: with places in all ranks, of which `ranks` are those from the first of these lists on.
    lists: &'l [[u32; 2]],
    ranks: &'l mut [Rank],
    /// As in [`Neighbours`](crate::Neighbours), of which `list` is a part in the same way.
    spans: &'l [[u32; 2]],
    list: &'l mut [Neighbour<S, T>],
}

impl<S: Dimension, T: Precision> Divide for RankedLists<'_, S, T> {
    fn tasks(&self) -> usize {
        self.lists.len().div_ceil(AGENTS_PER_TASK)
    }
    fn divide(self, at: usize) -> (Self, Self) {
        let agent = at * AGENTS_PER_TASK;
        let place = |spans: &[[u32; 2]]| (spans[agent][0] - spans[0][0]) as usize;
        let (ranks, back_ranks) = self.ranks.split_at_mut(place(self.lists));
        let (list, back_list) = self.list.split_at_mut(place(self.spans));
        let (lists, back_lists) = self.lists.split_at(agent);
        let (spans, back_spans) = self.spans.split_at(agent);
        let back = Self { lists: back_lists, ranks: back_ranks, spans: back_spans, list: back_list };
        (Self { lists, ranks, spans, list }, back)
    }
}

impl<S: Dimension, T: Precision> RankedLists<'_, S, T> {
    /// Writes the `k` nearest of each list.
    fn write(self, rows: &impl NearRows<S, T>, k: usize) {
        let Self { lists, ranks, list, .. } = self;
        let mut kept = 0;
        for &[first, count] in lists {
            let first = (first - lists[0][0]) as usize;
            let nearest = sort_nearest(&mut ranks[first..][..count as usize], k, |a, b| rows.order(a, b)).len();
            // Without room between lists, it is known which ranks are looked up next.
            ranks.copy_within(first..first + nearest, kept);
            kept += nearest;
        }
        for (place, near) in list[..kept].iter_mut().enumerate() {
            if let Some(soon) = ranks[..kept].get(place + ROWS_AHEAD) {
                prefetch(rows.row(line(soon.at()).0));
            }
            *near = rows.seen(ranks[place].at());
        }
    }
}

#[cfg(test)]
mod tests {
    use jostle_lanes::{D2, D3};

    use super::*;
    use crate::neighbours::Neighbours;

    /// Numbers below `most`, at random.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, most: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % most
        }
    }

    /// Rows in any order, many of them alike in part: of few pairs, distances, points and images, and a body's own.
    /// Some distances are equal in `f32` alone, zeros of either sign, or none.
    fn rows<S: Dimension, T: Precision>(dice: &mut Dice, bodies: u64, count: usize) -> Vec<Shifted<S, T>> {
        let distances = [-0.5, -1e-300, -0.0, 0.0, 1e-300, 0.25, 0.25 + 1e-15, 0.75, 1.0, 1.5, f64::NAN];
        let mut row = || {
            let distance = match dice.below(3) {
                0 => dice.below(1 << 20) as f64 / 1e6,
                _ => distances[dice.below(distances.len() as u64) as usize],
            };
            let [a, b] = [0; 2].map(|_| dice.below(bodies) as u32);
            let [witness_a, witness_b, shift] = [0; 3].map(|_| S::array(|_| dice.below(3) as f64 - 1.0));
            let normal = S::array(|_| T::from_f64(dice.below(100) as f64));
            let image = [0; 3].map(|_| dice.below(3) as i32 - 1);
            let distance = T::from_f64(distance);
            let row = Proximity { a, b, distance, normal, witness_a, witness_b, ..Proximity::default() };
            Shifted { row, image, shift }
        };
        (0..count).map(|_| row()).collect()
    }

    /// What is to be gathered: everything that is near, sorted as a whole.
    fn model<S: Dimension, T: Precision>(
        agent: u32,
        rows: &impl NearRows<S, T>,
        wanted: Gathering,
    ) -> Vec<Neighbour<S, T>> {
        let mut list = Vec::new();
        for index in 0..rows.count() {
            let row = rows.row(index);
            for (side, body) in [row.a, row.b].into_iter().enumerate() {
                if wanted.entered[side] && body == agent && row.distance.to_f64() <= wanted.radius {
                    list.push(rows.seen((2 * index + side) as u32));
                }
            }
        }
        list.sort_by(Neighbour::order);
        list.truncate(wanted.k);
        list
    }

    fn hold<S: Dimension, T: Precision>(
        near: &mut Neighbours<S, T>,
        bodies: u32,
        rows: &impl NearRows<S, T>,
        wanted: Gathering,
    ) {
        let is_agent = |body: u32| body % 7 != 3;
        for threads in [1, 3] {
            tasks::on_threads(threads, || near.gather_all(bodies as usize, rows, wanted, is_agent));
            assert_eq!(near.len(), bodies as usize);
            for agent in 0..bodies {
                let expected = if is_agent(agent) { model(agent, rows, wanted) } else { Vec::new() };
                // As text, which tells zeros of either sign apart, too.
                let (found, expected) = (format!("{:?}", near.of(agent as usize)), format!("{expected:?}"));
                assert_eq!(found, expected, "agent {agent}, {wanted:?}");
            }
        }
    }

    fn lists_are_those_of_the_model<S: Dimension, T: Precision>(seed: u64) {
        let (mut dice, mut near) = (Dice(seed), Neighbours::<S, T>::new());
        // One body with many rows, many bodies with few, and lists of several tasks.
        for (bodies, count) in [(1, 200), (3, 0), (9, 500), (40, 1000), (2 * AGENTS_PER_TASK as u64 + 1, 800)] {
            let rows = rows::<S, T>(&mut dice, bodies, count);
            let alone: Vec<_> = rows.iter().map(|near| near.row).collect();
            for k in [0, 1, 3, 8, FEW, FEW + 1, 40, usize::MAX] {
                for entered in [[true; 2], [true, false], [false, true]] {
                    let wanted = Gathering { radius: 1.0, k, entered };
                    hold(&mut near, bodies as u32, &rows.as_slice(), wanted);
                    hold(&mut near, bodies as u32, &alone.as_slice(), wanted);
                }
            }
        }
    }

    #[test]
    fn lists_are_those_of_the_model_in_the_plane() {
        lists_are_those_of_the_model::<D2, f32>(1);
        lists_are_those_of_the_model::<D2, f64>(2);
    }

    #[test]
    fn lists_are_those_of_the_model_in_space() {
        lists_are_those_of_the_model::<D3, f32>(3);
        lists_are_those_of_the_model::<D3, f64>(4);
    }

    #[test]
    fn a_row_of_no_body_leaves_no_lists() {
        let mut near = Neighbours::<D2, f32>::new();
        let row = |b: u32| [Proximity { b, ..Proximity::default() }];
        near.gather(2, &row(1), 1.0, 3, |_| true);
        let again = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            near.gather(2, &row(2), 1.0, 3, |_| true);
        }));
        assert!(again.is_err() && near.is_empty());
    }
}
