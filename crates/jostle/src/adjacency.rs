//! Neighbour lists as particle codes keep them: for each body the indices of its partners, all lists in one array.

use core::ops::Range;

use jostle_narrowphase::{Dimension, Precision, Proximity};
use jostle_shape::CustomShape;

use crate::pipeline::Pipeline;
use crate::shifted::{PairImage, Shifted};
use crate::whose::Whose;

/// Whose lists a pair is entered in: particle codes call such lists half and full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListKind {
    /// The list of its first body alone: each pair comes once, as equal and opposite forces need it.
    Half,
    /// The lists of both bodies.
    #[default]
    Full,
}

impl ListKind {
    /// Whether a pair is entered in the list of its first body, and whether in that of its second.
    fn entered(self) -> [bool; 2] {
        [true, self == Self::Full]
    }
}

/// Compressed lists: the partners of body `i` are `neighbours[offsets[i]..offsets[i + 1]]`, in the order of the pairs
/// that they were made from. Where these are ordered by `a`, then by `b`, as all near pairs are, partners ascend. Keeps
/// its memory from one call to the next.
///
/// (For a cutoff between centres, as in particle codes: balls of radius `r` are within a cutoff of `2 * r` or more if
/// they are within a margin of `cutoff - 2 * r`; [points](crate::Shape::point) if they are within a margin of the
/// cutoff.)
///
/// ```
/// use jostle::{Adjacency, Bodies, Body, D2, Engine, ListKind, Shape};
///
/// let mut bodies = Bodies::<D2>::new();
/// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
/// for x in [0.0, 1.25, 2.75] {
///     bodies.push(Body::new(disc, [x, 0.0]))?;
/// }
/// let mut rows = Vec::new();
/// Engine::<D2>::new().contacts(&bodies.columns(), 0.6, &mut rows)?;
///
/// let mut lists = Adjacency::new();
/// assert_eq!((lists.len(), lists.offsets()), (0, &[0][..]));
/// lists.gather_rows(bodies.len(), &rows, ListKind::Full);
/// assert_eq!((lists.offsets(), lists.neighbours()), (&[0, 1, 3, 4][..], &[1, 0, 2, 1][..]));
/// assert_eq!(rows[lists.rows_of(2)[0] as usize].distance, 0.5); // the distance of the neighbour of body 2
///
/// lists.gather_pairs(bodies.len(), &[[0, 2]], ListKind::Half);
/// assert_eq!((lists.of(0), lists.of(2)), (&[2][..], &[][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjacency {
    /// One more than there are bodies.
    offsets: Vec<usize>,
    neighbours: Vec<u32>,
    /// For each neighbour, the index of the pair that it comes from.
    rows: Vec<u32>,
    /// Where space repeats, which image of its body each neighbour is.
    images: Vec<[i32; 3]>,
}

impl Default for Adjacency {
    fn default() -> Self {
        Self::new()
    }
}

impl Adjacency {
    /// Lists of no bodies.
    pub fn new() -> Self {
        Self { offsets: vec![0], neighbours: Vec::new(), rows: Vec::new(), images: Vec::new() }
    }

    /// Replaces the lists by those of the pairs of one set of bodies, as from [`Engine::pairs`](crate::Engine::pairs)
    /// (pairs whose bounds overlap).
    ///
    /// # Panics
    /// If a pair names a body that is not below `count`, or there are more than `u32::MAX` pairs.
    pub fn gather_pairs(&mut self, count: usize, pairs: &[[u32; 2]], kind: ListKind) {
        self.fill::<false>([count; 2], pairs.len(), |index| pairs[index], |_| [0; 3], kind.entered());
    }

    /// Replaces the lists by those of the rows of a query about one set of bodies (pairs within the margin). For rows
    /// of two sets: [`Adjacency::gather_between`].
    ///
    /// # Panics
    /// As [`Adjacency::gather_pairs`].
    pub fn gather_rows<S: Dimension, T: Precision>(&mut self, count: usize, rows: &[Proximity<S, T>], kind: ListKind) {
        self.fill::<false>([count; 2], rows.len(), |index| pair(&rows[index]), |_| [0; 3], kind.entered());
    }

    /// Replaces the lists by those of the rows of a query about two sets of bodies, as from
    /// [`between`](crate::between()) or [`SceneIndex::contacts`](crate::SceneIndex::contacts), whose `a` is an index
    /// into one set and whose `b` into the other: for each of the `count` bodies of one set, which `whose` names, the
    /// partners of the other set.
    ///
    /// ```
    /// use jostle::{Adjacency, Bodies, Body, D2, Shape, Whose, between};
    ///
    /// let (mut people, mut walls) = (Bodies::<D2>::new(), Bodies::<D2>::new());
    /// people.add_shape(Shape::ball(0.25)?)?;
    /// walls.add_shape(Shape::cuboid([10.0, 0.125])?)?;
    /// for x in [0.0, 1.0, 2.0] {
    ///     people.push(Body::new(0, [x, 0.5]))?;
    /// }
    /// walls.push(Body::new(0, [0.0, 9.0]).fixed())?;
    /// walls.push(Body::new(0, [0.0, 0.0]).fixed())?;
    /// let rows = between::<f32, _, _>(&people.columns(), &walls.columns(), 0.25, u64::MAX)?;
    ///
    /// let mut lists = Adjacency::new();
    /// lists.gather_between(people.len(), &rows, Whose::First);
    /// assert_eq!((lists.len(), lists.of(2)), (3, &[1][..])); // the walls near the third
    /// lists.gather_between(walls.len(), &rows, Whose::Second);
    /// assert_eq!((lists.of(0), lists.of(1)), (&[][..], &[0, 1, 2][..])); // the people near each wall
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If a row names a body of that set that is not below `count`, or there are more than `u32::MAX` rows.
    pub fn gather_between<S: Dimension, T: Precision>(&mut self, count: usize, rows: &[Proximity<S, T>], whose: Whose) {
        let counts = [count, usize::MAX];
        self.fill::<false>(counts, rows.len(), |index| pair(&rows[index]), |_| [0; 3], whose.entered());
    }

    /// Replaces the lists by those of the rows of a query about one set of bodies in space that repeats;
    /// [`Adjacency::images_of`] gives the image that each partner is. For rows of two sets:
    /// [`Adjacency::gather_images_between`]. A row of a body and its own image makes two entries of a
    /// [`Full`](ListKind::Full) list, one for each of the two images that are opposite each other.
    ///
    /// ```
    /// use jostle::{Adjacency, Bodies, Body, D2, Lattice, ListKind, Shape, periodic_contacts};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
    /// bodies.push(Body::new(disc, [0.5, 0.0]))?;
    /// bodies.push(Body::new(disc, [9.25, 0.0]))?;
    /// let ring = Lattice::orthogonal([10.0, 0.0])?;
    /// let rows = periodic_contacts::<f32, _, _>(&bodies.columns(), &ring, 0.5, u64::MAX)?;
    ///
    /// let mut lists = Adjacency::new();
    /// lists.gather_images(bodies.len(), &rows, ListKind::Full);
    /// assert_eq!((lists.of(0), lists.images_of(0)), (&[1][..], &[[-1, 0, 0]][..]));
    /// assert_eq!((lists.of(1), lists.images_of(1)), (&[0][..], &[[1, 0, 0]][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// As [`Adjacency::gather_pairs`].
    pub fn gather_images<S: Dimension, T: Precision>(&mut self, count: usize, rows: &[Shifted<S, T>], kind: ListKind) {
        let (pair, image) = (|index: usize| pair(&rows[index].row), |index: usize| rows[index].image);
        self.fill::<true>([count; 2], rows.len(), pair, image, kind.entered());
    }

    /// [`Adjacency::gather_between`] where space repeats, of the rows of [`periodic_between`](crate::periodic_between):
    /// [`Adjacency::images_of`] gives the image of the other set's body that each partner is, seen from the body whose
    /// list it is.
    ///
    /// ```
    /// use jostle::{Adjacency, Bodies, Body, D2, Lattice, Shape, Whose, periodic_between};
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
    /// let mut lists = Adjacency::new();
    /// lists.gather_images_between(people.len(), &rows, Whose::First);
    /// assert_eq!((lists.of(0), lists.images_of(0)), (&[1][..], &[[-1, 0, 0]][..]));
    /// lists.gather_images_between(bags.len(), &rows, Whose::Second);
    /// assert_eq!((lists.of(1), lists.images_of(1)), (&[0][..], &[[1, 0, 0]][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// As [`Adjacency::gather_between`].
    pub fn gather_images_between<S: Dimension, T: Precision>(
        &mut self,
        count: usize,
        rows: &[Shifted<S, T>],
        whose: Whose,
    ) {
        let (pair, image) = (|index: usize| pair(&rows[index].row), |index: usize| rows[index].image);
        self.fill::<true>([count, usize::MAX], rows.len(), pair, image, whose.entered());
    }

    /// Gathers pairs and images, as [`PeriodicEngine::pairs`](crate::PeriodicEngine::pairs) finds them (bounds
    /// overlap), into a list for each of `count` bodies: the neighbour lists of a particle code.
    ///
    /// ```
    /// use jostle::{Adjacency, Bodies, Body, D3, Lattice, ListKind, PeriodicEngine, Shape};
    ///
    /// let mut gas = Bodies::<D3>::new();
    /// let atom = gas.add_shape(Shape::point())?;
    /// for i in 0..1000 {
    ///     gas.push(Body::new(atom, [i % 10, i / 10 % 10, i / 100].map(f64::from)))?;
    /// }
    /// let mut engine = PeriodicEngine::<D3>::new(Lattice::orthogonal([10.0; 3])?);
    /// let (mut pairs, mut lists) = (Vec::new(), Adjacency::new());
    /// // Pairs whose coordinates all differ by at most 1.1: those at a distance of up to 1.1 are among them.
    /// engine.pairs(&gas.columns(), 1.1, &mut pairs)?;
    /// lists.gather_image_pairs(gas.len(), &pairs, ListKind::Full);
    /// assert_eq!((lists.of(0).len(), lists.of(0)[2], lists.images_of(0)[2]), (26, 10, [0, 0, 0]));
    /// assert_eq!((lists.of(0)[1], lists.images_of(0)[1]), (9, [-1, 0, 0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// As [`Adjacency::gather_pairs`].
    pub fn gather_image_pairs(&mut self, count: usize, pairs: &[PairImage], kind: ListKind) {
        self.fill::<true>([count; 2], pairs.len(), |index| pairs[index].0, |index| pairs[index].1, kind.entered());
    }

    /// Gathers the contacts of a pipeline's last frame into a list for each slot, with images where its space repeats.
    ///
    /// ```
    /// use jostle::{Adjacency, Body, D2, Lattice, ListKind, Pipeline, Shape};
    ///
    /// let mut ring = Pipeline::<D2>::new();
    /// ring.set_lattice(Lattice::orthogonal([10.0, 0.0])?);
    /// let disc = ring.add_shape(Shape::ball(0.5)?)?;
    /// for x in 0..10 {
    ///     ring.insert(Body::new(disc, [f64::from(x), 0.0]))?;
    /// }
    /// ring.update()?;
    /// let mut lists = Adjacency::new();
    /// lists.gather_contacts(&ring, ListKind::Full);
    /// assert_eq!((lists.of(0), lists.images_of(0)), (&[1, 9][..], &[[0, 0, 0], [-1, 0, 0]][..]));
    /// assert_eq!(ring.contacts()[lists.rows_of(9)[1] as usize].a, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there are more than `u32::MAX` contacts.
    pub fn gather_contacts<S, T, D, U>(&mut self, pipeline: &Pipeline<S, T, D, U>, kind: ListKind)
    where
        S: Dimension,
        T: Precision,
        D: Copy + Default + Send + Sync,
        U: CustomShape<S>,
    {
        let (count, rows, images) = (pipeline.slots(), pipeline.contacts(), pipeline.images());
        if images.is_empty() {
            self.gather_rows(count, rows, kind);
        } else {
            self.fill::<true>(
                [count; 2],
                rows.len(),
                |index| pair(&rows[index]),
                |index| images[index],
                kind.entered(),
            );
        }
    }

    /// Makes the lists of `counts[0]` bodies, whose partners are below `counts[1]`. `entered`: whether a pair goes into
    /// the list of its first body, and whether into that of its second. Where space repeats (`AROUND`), the images of
    /// the partners are kept.
    fn fill<const AROUND: bool>(
        &mut self,
        counts: [usize; 2],
        pairs: usize,
        pair: impl Fn(usize) -> [u32; 2],
        image: impl Fn(usize) -> [i32; 3],
        [first, second]: [bool; 2],
    ) {
        assert!(u32::try_from(pairs).is_ok(), "{pairs} pairs are more than u32 counts");
        let Self { offsets, neighbours, rows, images } = self;
        let count = counts[0];
        // Counted one place too high, so that filling moves each start to where the next list begins.
        offsets.clear();
        offsets.resize(count + 2, 0);
        let mut enter = |body: u32, partner: u32| {
            for (body, count) in [body, partner].into_iter().zip(counts) {
                assert!((body as usize) < count, "body {body} of {count}");
            }
            offsets[body as usize + 2] += 1;
        };
        for [a, b] in (0..pairs).map(&pair) {
            if first {
                enter(a, b);
            }
            if second {
                enter(b, a);
            }
        }
        for body in 2..offsets.len() {
            offsets[body] += offsets[body - 1];
        }
        let total = offsets[count + 1];
        neighbours.resize(total, 0);
        rows.resize(total, 0);
        images.resize(if AROUND { total } else { 0 }, [0; 3]);
        let mut enter = |body: u32, partner: u32, index: usize, sign: i32| {
            let place = &mut offsets[body as usize + 1];
            neighbours[*place] = partner;
            rows[*place] = index as u32;
            if AROUND {
                images[*place] = image(index).map(|k| sign * k);
            }
            *place += 1;
        };
        for (index, [a, b]) in (0..pairs).map(pair).enumerate() {
            if first {
                enter(a, b, index, 1);
            }
            if second {
                enter(b, a, index, -1);
            }
        }
        offsets.truncate(count + 1);
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Where each body's list begins, and as the last entry where the last list ends.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }
    /// All lists, one after the other.
    pub fn neighbours(&self) -> &[u32] {
        &self.neighbours
    }
    /// For each entry of all lists, which image the neighbour is: [`Adjacency::images_of`] of all bodies, one after the
    /// other. Empty where the lists were made of pairs or rows of open space.
    ///
    /// ```
    /// use jostle::{Adjacency, ListKind};
    ///
    /// let mut lists = Adjacency::new();
    /// lists.gather_image_pairs(2, &[([0, 1], [0, 0, 0]), ([0, 1], [-1, 0, 0])], ListKind::Full);
    /// assert_eq!((lists.offsets(), lists.neighbours()), (&[0, 2, 4][..], &[1, 1, 0, 0][..]));
    /// assert_eq!(lists.images(), [[0, 0, 0], [-1, 0, 0], [0, 0, 0], [1, 0, 0]]);
    /// assert_eq!(lists.rows(), [0, 1, 0, 1]);
    /// ```
    pub fn images(&self) -> &[[i32; 3]] {
        &self.images
    }
    /// For each entry of all lists, the index of the pair or row that the neighbour comes from: [`Adjacency::rows_of`]
    /// of all bodies, one after the other. ([`Adjacency::images`] has an example.)
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }
    /// The partners of one body; empty for a body that does not exist.
    pub fn of(&self, body: usize) -> &[u32] {
        &self.neighbours[self.list(body)]
    }
    /// Which images the partners of one body are, seen from it: the multiple of each lattice vector. Empty where the
    /// lists were made of pairs or rows of open space.
    pub fn images_of(&self, body: usize) -> &[[i32; 3]] {
        if self.images.is_empty() { &[] } else { &self.images[self.list(body)] }
    }
    /// The indices of the pairs or rows that [`Adjacency::of`] comes from, in the same order.
    pub fn rows_of(&self, body: usize) -> &[u32] {
        &self.rows[self.list(body)]
    }
    /// The part of the arrays that is a body's list.
    fn list(&self, body: usize) -> Range<usize> {
        if body < self.len() { self.offsets[body]..self.offsets[body + 1] } else { 0..0 }
    }
}

/// The two bodies of a row.
fn pair<S: Dimension, T: Precision>(row: &Proximity<S, T>) -> [u32; 2] {
    [row.a, row.b]
}
