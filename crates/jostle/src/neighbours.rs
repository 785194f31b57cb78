//! Each agent's nearest neighbours, nearest first: what models of crowds, flocks and robots need.
//!
//! Distances and directions are those between true outlines, so that a long wall or a wide body is as near as its
//! nearest point, not as its centre.

use core::cmp::Ordering;

use jostle_narrowphase::{Dimension, Precision, Proximity};

use crate::gather::{Gatherer, Gathering, NearRows};
use crate::order::by_distance;
use crate::shifted::Shifted;
use crate::whose::Whose;

/// One neighbour of a body (the agent), seen from the agent.
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
    /// The nearest point on the agent's own surface, where a push by this neighbour acts: `point` less `distance` times
    /// `direction`.
    pub own_point: S::Array<f64>,
    /// Where space repeats, which image of the neighbour it is: the multiple of each lattice vector that is added to
    /// the neighbour's position ([`Lattice::shift`](crate::Lattice::shift) gives metres), with the agent at its own.
    /// Zeros for the neighbour itself, and in open space.
    pub image: [i32; 3],
}

impl<S: Dimension, T: Precision> Neighbour<S, T> {
    /// The second body of a row, seen from the first.
    #[inline(always)]
    pub(crate) fn from_first(row: &Proximity<S, T>) -> Self {
        let Proximity { b: body, distance, normal: direction, witness_a: own_point, witness_b: point, .. } = *row;
        Self { body, distance, direction, point, own_point, image: [0; 3] }
    }
    /// The first body of a row, seen from the second.
    #[inline(always)]
    pub(crate) fn from_second(row: &Proximity<S, T>) -> Self {
        let direction = S::array(|k| -row.normal[k]);
        let Proximity { a: body, distance, witness_a: point, witness_b: own_point, .. } = *row;
        Self { body, distance, direction, point, own_point, image: [0; 3] }
    }
    /// The same with both bodies shifted.
    #[inline(always)]
    pub(crate) fn shifted(&self, shift: &S::Array<f64>) -> Self {
        let [point, own_point] = [self.point, self.own_point].map(|point| S::array(|k| point[k] + shift[k]));
        Self { point, own_point, ..*self }
    }
    /// Nearest first; equally near ones by their index, two images of one body by the place of `point`, and by image
    /// where that place is the same.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let by_place = || {
            let places = self.point.as_ref().iter().zip(other.point.as_ref());
            places.map(|(a, b)| a.total_cmp(b)).fold(Ordering::Equal, Ordering::then)
        };
        let by_distance = by_distance(self.distance.to_f64(), other.distance.to_f64());
        by_distance.then(self.body.cmp(&other.body)).then_with(by_place).then(self.image.cmp(&other.image))
    }
}

/// The neighbour lists of all agents; keeps its memory from call to call.
///
/// [`Neighbours::of`] is the list of one agent, [`Neighbours::iter`] goes over all of them. Lists lie in one array,
/// [`Neighbours::all`], in places that [`Neighbours::spans`] names.
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
    gatherer: Gatherer,
}

impl<S: Dimension, T: Precision> Neighbours<S, T> {
    /// Lists of no agents.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all agents, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.spans.clear();
        self.list.clear();
    }

    /// The neighbours of the agent in slot (or with index) `agent`, nearest first, equally near ones by their slots;
    /// empty for an agent that does not exist.
    pub fn of(&self, agent: usize) -> &[Neighbour<S, T>] {
        match self.spans.get(agent) {
            Some(&[first, count]) => &self.list[first as usize..(first + count) as usize],
            None => &[],
        }
    }

    /// How many agents there are, including those without neighbours.
    ///
    /// ```
    /// use jostle::{D2, Neighbours};
    ///
    /// let nobody = Neighbours::<D2>::new();
    /// assert!(nobody.is_empty() && nobody.len() == 0 && nobody.iter().next().is_none());
    /// ```
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// True if there is no agent.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The lists of all agents, as [`Neighbours::of`] gives them, in the agents' order.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Neighbours, Shape, nearest};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
    /// for x in [0.0, 1.25, 2.75] {
    ///     bodies.push(Body::new(disc, [x, 0.0]))?;
    /// }
    /// let mut neighbours = Neighbours::<D2>::new();
    /// nearest(&bodies.columns(), 1, &mut neighbours)?;
    /// let distances: Vec<f32> = neighbours.iter().flatten().map(|near| near.distance).collect();
    /// assert_eq!(distances, [0.25, 0.25, 0.5]);
    /// // The same by hand, as for a language that has arrays only:
    /// for (agent, &[first, count]) in neighbours.spans().iter().enumerate() {
    ///     assert_eq!(neighbours.all()[first as usize..][..count as usize], *neighbours.of(agent));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Neighbour<S, T>]> {
        self.spans.iter().map(|&[first, count]| &self.list[first as usize..(first + count) as usize])
    }

    /// Where each agent's neighbours begin in [`Neighbours::all`], and how many there are: `[first, count]`, one for
    /// each agent. (These are not offsets: lists lie there in any order, with or without room between them.
    /// [`Neighbours::iter`] has an example.)
    pub fn spans(&self) -> &[[u32; 2]] {
        &self.spans
    }

    /// The array that contains all lists, at [`Neighbours::spans`]; entries outside of these mean nothing.
    pub fn all(&self) -> &[Neighbour<S, T>] {
        &self.list
    }

    /// The same as [`Neighbours::of`], mutable.
    pub(crate) fn of_mut(&mut self, agent: usize) -> &mut [Neighbour<S, T>] {
        match self.spans.get(agent) {
            Some(&[first, count]) => &mut self.list[first as usize..(first + count) as usize],
            None => &mut [],
        }
    }

    /// Sets the number of agents, none of which has neighbours yet, and returns their spans and the empty list, with
    /// room for `total` neighbours.
    pub(crate) fn renew(&mut self, agents: usize, total: usize) -> (&mut [[u32; 2]], &mut Vec<Neighbour<S, T>>) {
        let Self { spans, list, .. } = self;
        spans.clear();
        spans.resize(agents, [0; 2]);
        list.clear();
        list.reserve(total);
        (spans, list)
    }

    /// Sorts the rows of a query about one set of bodies by agent: of `count` bodies, those for which `is_agent` holds
    /// get up to `k` neighbours within `radius` (metres), out of those in the rows. For rows of two sets:
    /// [`Neighbours::gather_between`]; where space repeats: [`Neighbours::gather_images`].
    /// ([`Pipeline::neighbours`](crate::Pipeline::neighbours) does so for its contacts, and refuses a radius beyond its
    /// margin.)
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
    /// If a row within the radius names a body that is not below `count`, or there are 2^31 rows or more.
    pub fn gather(
        &mut self,
        count: usize,
        rows: &[Proximity<S, T>],
        radius: f64,
        k: usize,
        is_agent: impl Fn(u32) -> bool,
    ) {
        let wanted = Gathering { radius, k, entered: [true; 2] };
        self.gather_all(count, &rows, wanted, is_agent);
    }

    /// Sorts the rows of a query about two sets of bodies, as from [`between`](crate::between()) or
    /// [`SceneIndex::contacts`](crate::SceneIndex::contacts), whose `a` is an index into one set and whose `b` into the
    /// other: each of the `count` bodies of one set, which `whose` names, gets up to `k` neighbours of the other set
    /// within `radius` (metres), out of those in the rows.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Neighbours, SceneIndex, Shape, Whose};
    ///
    /// let (mut people, mut exits) = (Bodies::<D2>::new(), Bodies::<D2>::new());
    /// people.add_shape(Shape::ball(0.25)?)?;
    /// exits.add_shape(Shape::point())?;
    /// for x in [0.0, 1.0, 2.0] {
    ///     people.push(Body::new(0, [x, 0.0]))?;
    /// }
    /// exits.push(Body::new(0, [9.0, 0.0]))?;
    /// exits.push(Body::new(0, [2.5, 0.0]))?;
    /// let (index, mut rows) = (SceneIndex::<D2>::new(&exits.columns())?, Vec::new());
    /// index.contacts(&people.columns(), 2.0, &mut rows)?; // people are the first set, exits the second
    ///
    /// let mut neighbours = Neighbours::default();
    /// neighbours.gather_between(people.len(), &rows, 2.0, 4, Whose::First);
    /// assert_eq!((neighbours.of(0), neighbours.of(1)[0].body), (&[][..], 1));
    /// neighbours.gather_between(exits.len(), &rows, 2.0, 4, Whose::Second);
    /// let who: Vec<u32> = neighbours.of(1).iter().map(|near| near.body).collect();
    /// assert_eq!((neighbours.len(), who), (2, vec![2, 1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If a row within the radius names a body of that set that is not below `count`, or there are 2^31 rows or more.
    pub fn gather_between(&mut self, count: usize, rows: &[Proximity<S, T>], radius: f64, k: usize, whose: Whose) {
        let wanted = Gathering { radius, k, entered: whose.entered() };
        self.gather_all(count, &rows, wanted, |_| true);
    }

    /// [`Neighbours::gather`] where space repeats, of rows as from [`periodic_contacts`](crate::periodic_contacts):
    /// each neighbour comes with its [image](Neighbour::image), seen from the agent at its own position. A body has its
    /// own image as a neighbour twice, once for each of the two that are opposite each other.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Lattice, Neighbours, Shape, periodic_contacts};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
    /// bodies.push(Body::new(disc, [0.5, 0.0]))?;
    /// bodies.push(Body::new(disc, [9.25, 0.0]))?;
    /// let ring = Lattice::orthogonal([10.0, 0.0])?;
    /// let rows = periodic_contacts::<f32, _, _>(&bodies.columns(), &ring, 0.5, u64::MAX)?;
    ///
    /// let mut neighbours = Neighbours::default();
    /// neighbours.gather_images(bodies.len(), &rows, 0.5, 4, |_| true);
    /// let near = neighbours.of(1)[0]; // seen from the second, the first is a period further
    /// assert_eq!((near.body, near.image, near.own_point, near.point), (0, [1, 0, 0], [9.75, 0.0], [10.0, 0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// As [`Neighbours::gather`].
    pub fn gather_images(
        &mut self,
        count: usize,
        rows: &[Shifted<S, T>],
        radius: f64,
        k: usize,
        is_agent: impl Fn(u32) -> bool,
    ) {
        let wanted = Gathering { radius, k, entered: [true; 2] };
        self.gather_all(count, &rows, wanted, is_agent);
    }

    /// [`Neighbours::gather_between`] where space repeats, of the rows of
    /// [`periodic_between`](crate::periodic_between): each neighbour comes with its [image](Neighbour::image), seen
    /// from the agent at its own position.
    ///
    /// ```
    /// use jostle::{Bodies, Body, D2, Lattice, Neighbours, Shape, Whose, periodic_between};
    ///
    /// let (mut people, mut bags) = (Bodies::<D2>::new(), Bodies::<D2>::new());
    /// people.add_shape(Shape::ball(0.25)?)?;
    /// bags.add_shape(Shape::ball(0.25)?)?;
    /// people.push(Body::new(0, [0.5, 0.0]))?;
    /// bags.push(Body::new(0, [5.0, 0.0]))?;
    /// bags.push(Body::new(0, [9.5, 0.0]))?;
    /// let ring = Lattice::orthogonal([10.0, 0.0])?;
    /// let rows = periodic_between::<f32, _, _>(&people.columns(), &bags.columns(), &ring, 1.0, u64::MAX)?;
    ///
    /// let mut neighbours = Neighbours::default();
    /// neighbours.gather_images_between(bags.len(), &rows, 1.0, 4, Whose::Second);
    /// let near = neighbours.of(1)[0];
    /// assert_eq!((near.body, near.image, near.own_point, near.point), (0, [1, 0, 0], [9.75, 0.0], [10.25, 0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// As [`Neighbours::gather_between`].
    pub fn gather_images_between(&mut self, count: usize, rows: &[Shifted<S, T>], radius: f64, k: usize, whose: Whose) {
        let wanted = Gathering { radius, k, entered: whose.entered() };
        self.gather_all(count, &rows, wanted, |_| true);
    }

    /// [`Neighbours::gather`] of what is `wanted`.
    pub(crate) fn gather_all(
        &mut self,
        count: usize,
        rows: &impl NearRows<S, T>,
        wanted: Gathering,
        is_agent: impl Fn(u32) -> bool,
    ) {
        let Self { spans, list, gatherer } = self;
        gatherer.gather(count, rows, wanted, is_agent, spans, list);
    }
}
