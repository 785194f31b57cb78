//! For each agent those who are near, nearest first: what models of crowds, flocks and robots ask for.
//!
//! Distances and directions are those between true outlines, so that a long wall or a wide body is as near as its
//! nearest point, not as its centre.

use core::cmp::Ordering;

use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_tasks::{self as tasks, make_room};

use crate::near::Near;
use crate::order::by_distance;

/// One neighbour of a body (the agent), seen from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Neighbour<S: Dimension, T: Precision> {
    /// Its slot (or index).
    pub body: u32,
    /// Signed distance of the two outlines, metres.
    pub distance: T,
    /// Unit vector from the agent to the neighbour, world frame: along it the two are `distance` apart.
    pub direction: S::Array<T>,
    /// The nearest point on the neighbour's surface, world frame, metres.
    pub point: S::Array<f64>,
    /// The nearest point on the agent's own surface, where a push of this neighbour acts: `point` less `distance` times
    /// `direction`.
    pub own_point: S::Array<f64>,
    /// Where space repeats, which image of the neighbour it is: how many of each of the lattice's vectors are added to
    /// its position ([`Lattice::shift`](crate::Lattice::shift) gives metres), with the agent at its own. Zeros for the
    /// neighbour itself, and in open space.
    pub image: [i32; 3],
}

impl<S: Dimension, T: Precision> Neighbour<S, T> {
    /// The second of a row's two, seen from the first.
    pub(crate) fn from_first(row: &Proximity<S, T>) -> Self {
        let Proximity { b: body, distance, normal: direction, witness_a: own_point, witness_b: point, .. } = *row;
        Self { body, distance, direction, point, own_point, image: [0; 3] }
    }
    /// The first, seen from the second.
    pub(crate) fn from_second(row: &Proximity<S, T>) -> Self {
        let direction = S::array(|k| -row.normal[k]);
        let Proximity { a: body, distance, witness_a: point, witness_b: own_point, .. } = *row;
        Self { body, distance, direction, point, own_point, image: [0; 3] }
    }
    /// The same, both bodies shifted.
    pub(crate) fn shifted(&self, shift: &S::Array<f64>) -> Self {
        let [point, own_point] = [self.point, self.own_point].map(|point| S::array(|k| point[k] + shift[k]));
        Self { point, own_point, ..*self }
    }
    /// Nearest first, equally near ones by their bodies, two images of one body by where they are, and by which they
    /// are where they have that point in common.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let by_place = || {
            let places = self.point.as_ref().iter().zip(other.point.as_ref());
            places.map(|(a, b)| a.total_cmp(b)).fold(Ordering::Equal, Ordering::then)
        };
        let by_distance = by_distance(self.distance.to_f64(), other.distance.to_f64());
        by_distance.then(self.body.cmp(&other.body)).then_with(by_place).then(self.image.cmp(&other.image))
    }
}

/// The neighbours of all agents; keeps its memory from call to call.
///
/// ```
/// use jostle::{Body, D2, Neighbours, Pipeline, Shape};
///
/// let mut street = Pipeline::<D2>::new();
/// let disc = street.add_shape(Shape::ball(0.25)?)?;
/// let wall = street.add_shape(Shape::cuboid([50.0, 0.125])?)?;
/// street.insert(Body::new(wall, [0.0, -0.5]).fixed())?;
/// let walker = street.insert(Body::new(disc, [20.0, 0.0]))?;
/// let other = street.insert(Body::new(disc, [20.5625, 0.0]))?;
/// street.set_margin(1.0)?;
/// street.update()?;
///
/// let mut neighbours = Neighbours::default();
/// street.neighbours(1.0, 8, &mut neighbours)?; // within a metre, at most eight
/// let near = neighbours.of(walker.index());
/// assert_eq!((near.len(), near[0].body as usize, near[0].distance), (2, other.index(), 0.0625));
/// assert_eq!((near[1].body, near[1].direction), (0, [0.0, -1.0])); // the wall, straight below
/// assert_eq!((near[1].own_point, near[1].point), ([20.0, -0.25], [20.0, -0.375]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Neighbours<S: Dimension, T: Precision = f32> {
    /// Where each agent's neighbours begin in `list`, and how many there are.
    spans: Vec<[u32; 2]>,
    list: Vec<Neighbour<S, T>>,
}

impl<S: Dimension, T: Precision> Neighbours<S, T> {
    /// Neighbours of nobody.
    pub fn new() -> Self {
        Self::default()
    }

    /// The neighbours of the agent in slot (or with index) `agent`, nearest first, equally near ones by their slots;
    /// none for one that does not exist.
    pub fn of(&self, agent: usize) -> &[Neighbour<S, T>] {
        match self.spans.get(agent) {
            Some(&[first, count]) => &self.list[first as usize..(first + count) as usize],
            None => &[],
        }
    }

    /// The same, to be changed.
    pub(crate) fn of_mut(&mut self, agent: usize) -> &mut [Neighbour<S, T>] {
        match self.spans.get(agent) {
            Some(&[first, count]) => &mut self.list[first as usize..(first + count) as usize],
            None => &mut [],
        }
    }

    /// Room for the neighbours of so many agents, none yet, and their list, empty.
    pub(crate) fn renew(&mut self, agents: usize, total: usize) -> (&mut [[u32; 2]], &mut Vec<Neighbour<S, T>>) {
        let Self { spans, list } = self;
        spans.clear();
        spans.resize(agents, [0; 2]);
        list.clear();
        list.reserve(total);
        (spans, list)
    }

    /// Sorts the rows of a query by agent: of `count` bodies those for which `is_agent` holds get up to `k`
    /// neighbours within `radius`, of those that are among the rows.
    /// ([`Pipeline::neighbours`](crate::Pipeline::neighbours) does so for its contacts, and refuses a radius that is
    /// beyond its margin.)
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Engine, Neighbours, Shape};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
    /// for x in [0.0, 1.25, 2.75] {
    ///     bodies.push(Body::new(disc, [x, 0.0]))?;
    /// }
    /// let mut rows = Vec::new();
    /// Engine::<D2>::new().contacts(&bodies.columns(), 1.0, &mut rows)?;
    /// let mut neighbours = Neighbours::default();
    /// neighbours.gather(bodies.len(), &rows, 1.0, 4, |_| true);
    /// let of_the_middle: Vec<u32> = neighbours.of(1).iter().map(|other| other.body).collect();
    /// assert_eq!(of_the_middle, [0, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If a row names a body that is not below `count`, or agents have more than `u32::MAX` neighbours in all.
    pub fn gather(
        &mut self,
        count: usize,
        rows: &[Proximity<S, T>],
        radius: f64,
        k: usize,
        is_agent: impl Fn(u32) -> bool,
    ) {
        self.gather_images(count, rows, radius, k, is_agent, |_| ([0; 3], S::array(|_| 0.0)));
    }

    /// The same where the second body of row `i` is the image `image(i)`, which is so many metres from its own place.
    /// Seen from that body, it is the first that stands elsewhere.
    pub(crate) fn gather_images(
        &mut self,
        count: usize,
        rows: &[Proximity<S, T>],
        radius: f64,
        k: usize,
        is_agent: impl Fn(u32) -> bool,
        image: impl Fn(usize) -> ([i32; 3], S::Array<f64>),
    ) {
        let Self { spans, list } = self;
        spans.clear();
        make_room(spans, count);
        spans.resize(count, [0; 2]);
        let within = Near::<T>::new(radius);
        let is_near = |row: &Proximity<S, T>| within.holds(row.distance) && !row.distance.to_f64().is_nan();
        let near = || rows.iter().enumerate().filter(|(_, row)| is_near(row));
        for (_, row) in near() {
            for body in [row.a, row.b] {
                spans[body as usize][1] += u32::from(is_agent(body));
            }
        }
        let listed: u64 = spans.iter().map(|&[_, count]| u64::from(count)).sum();
        assert!(u32::try_from(listed).is_ok(), "{listed} neighbours are more than u32 counts");
        let mut sum = 0;
        for [first, count] in spans.iter_mut() {
            *first = sum;
            sum += core::mem::take(count);
        }
        make_room(list, sum as usize);
        list.resize(sum as usize, Neighbour::default());
        for (index, row) in near() {
            let (image, shift) = image(index);
            let first = Neighbour { image, ..Neighbour::from_first(row) };
            let second = Neighbour { image: image.map(|k| -k), ..Neighbour::from_second(row) };
            let second = second.shifted(&S::array(|k| -shift[k]));
            for (agent, neighbour) in [(row.a, first), (row.b, second)] {
                if is_agent(agent) {
                    let [first, count] = &mut spans[agent as usize];
                    list[(*first + *count) as usize] = neighbour;
                    *count += 1;
                }
            }
        }
        sort(spans, list, 0);
        for [_, count] in spans.iter_mut() {
            *count = (*count).min(u32::try_from(k).unwrap_or(u32::MAX));
        }
    }
}

/// Agents that one task sorts.
const PIECE: usize = 4096;

/// Sorts each agent's part of the list, which begins at `offset`.
fn sort<S: Dimension, T: Precision>(spans: &[[u32; 2]], list: &mut [Neighbour<S, T>], offset: usize) {
    if spans.len() > PIECE {
        let (front, back) = spans.split_at(spans.len() / 2);
        let middle = back[0][0] as usize;
        let (front_list, back_list) = list.split_at_mut(middle - offset);
        tasks::join(|| sort(front, front_list, offset), || sort(back, back_list, middle));
        return;
    }
    for &[first, count] in spans {
        let near = &mut list[first as usize - offset..][..count as usize];
        near.sort_unstable_by(Neighbour::order);
    }
}
