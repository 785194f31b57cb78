//! Records of many bodies: where the solvers of a batch of pairs have them from, and the kernel that makes several at
//! once.
//!
//! A record is little work but a long chain of it (the sine of an angle, the centre of a hull), begun by a wait for
//! memory. So memory is asked for some eighty bodies ahead, and rotations are worked out in lanes, a body each: one by
//! one they took half the time of two capsules in the plane.

use jostle_lanes::{Kernel, Lanes, Scalar, dispatch, prefetch_far};
use jostle_shape::BodySet;
use jostle_tasks::for_each_few;

use crate::angles::{ANGLES_TOGETHER, Angles};
use crate::record::{Record, RecordSpace, as_numbers};
use crate::templates::{TemplateColumns, Templates};

/// How many bodies ahead memory is asked for: more than have their rotations worked out at once ([`ANGLES_TOGETHER`]),
/// so that all of these have been.
pub(crate) const BODIES_AHEAD: usize = 80;

/// Bodies whose records one thread makes at once.
const RECORDS_PER_TASK: usize = 1024;

/// Where the records of the bodies of some pairs come from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'r, S: RecordSpace, T: Scalar> {
    /// One for each body, made beforehand.
    All(&'r [Record<S, T>]),
    /// Made for the bodies of each pair, from the templates of all shapes.
    Templates(&'r Templates<S, T>),
    /// Made for the bodies of each pair: for few pairs among many shapes.
    OnDemand,
}

impl<'r, S: RecordSpace, T: Scalar> Source<'r, S, T> {
    /// For so many pairs, on this thread: templates, if that pays.
    pub(crate) fn for_few(templates: &'r mut Templates<S, T>, bodies: &impl BodySet<S>, pairs: usize) -> Self {
        if !Templates::<S, T>::worth_making(pairs, bodies.shape_count()) {
            return Source::OnDemand;
        }
        templates.make_here(bodies);
        Source::Templates(templates)
    }
}

/// The records of all bodies and the templates they are made from: made once a query, in parallel, and kept for the
/// memory.
#[derive(Debug)]
pub struct Records<S: RecordSpace, T: Scalar> {
    templates: Templates<S, T>,
    /// So many templates, the first, are good for the next question as well.
    known: usize,
    made: Vec<Record<S, T>>,
}

impl<S: RecordSpace, T: Scalar> Default for Records<S, T> {
    fn default() -> Self {
        Self { templates: Templates::default(), known: 0, made: Vec::new() }
    }
}

impl<S: RecordSpace, T: Scalar> Records<S, T> {
    /// Makes the templates of the shapes alone: each batch of pairs then makes the records of its own bodies.
    pub fn make_templates(&mut self, bodies: &impl BodySet<S>) {
        self.templates.make(bodies, self.known);
    }

    /// From now on the first `shapes` shapes (or as many as there are templates) of any set for which something is made
    /// are those of the last one, so that they need not be looked at again: until this is said anew. With 0 all are
    /// looked at, as before anything is said. Sets to come have at least so many shapes.
    ///
    /// ```
    /// use jostle_narrowphase::{Proximity, Records, Scratch, solve_pairs};
    /// use jostle_shape::{Bodies, Body, D2, Shape, TwoSets};
    ///
    /// let mut wall = Bodies::<D2>::new();
    /// let shape = wall.add_shape(Shape::cuboid([8.0, 0.5])?)?;
    /// wall.push(Body::new(shape, [0.0, 0.0]))?;
    /// let mut records = Records::<D2, f32>::default();
    /// for radius in [0.5, 0.25] {
    ///     let mut disc = Bodies::<D2>::new();
    ///     let shape = disc.add_shape(Shape::ball(radius)?)?;
    ///     disc.push(Body::new(shape, [1.0, 2.0]))?;
    ///     let (both, mut rows) = (TwoSets::new(wall.columns(), disc.columns())?, [Proximity::default()]);
    ///     records.make_templates(&both);
    ///     solve_pairs(&both, records.template_source(), &[[1, 0]], &mut rows, &mut Scratch::default());
    ///     assert_eq!(f64::from(rows[0].distance), 1.5 - radius);
    ///     // The wall's is not looked at again, the next disc's is.
    ///     records.keep(wall.shapes().len());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep(&mut self, shapes: usize) {
        self.known = shapes.min(self.templates.len());
    }

    /// Makes the records of `bodies`.
    pub fn make(&mut self, bodies: &impl BodySet<S>) {
        self.make_templates(bodies);
        self.make_all(bodies);
    }

    fn make_all(&mut self, bodies: &impl BodySet<S>) {
        let Self { templates, made, .. } = self;
        made.resize(bodies.count(), Record::default());
        for_each_few(made, RECORDS_PER_TASK, |share, records| {
            let first = (share * RECORDS_PER_TASK) as u32;
            let mut numbers = [0; RECORDS_PER_TASK];
            for (place, number) in numbers.iter_mut().enumerate() {
                *number = first + place as u32;
            }
            make_records(templates, bodies, &numbers[..records.len()], records);
        });
    }

    /// Makes of the records what distances and casts need ([`Records::source`] gives it): all of them, or the
    /// templates alone where [all are balls](Templates::only_balls).
    pub fn make_for_distances(&mut self, bodies: &impl BodySet<S>) {
        self.make_templates(bodies);
        if self.templates.only_balls() {
            self.made.clear();
        } else {
            self.make_all(bodies);
        }
    }

    /// True if planes rule out pairs of some of these shapes sooner than their distance is known: in space, where it is
    /// searched for.
    pub fn ask_planes(&self) -> bool {
        self.templates.ask_planes()
    }

    /// How many of the shapes are hulls of space: their points are looked at wherever they are met.
    ///
    /// ```
    /// use jostle_narrowphase::Records;
    /// use jostle_shape::{Bodies, D3, Shape};
    ///
    /// let mut bodies = Bodies::<D3>::new();
    /// bodies.add_shape(Shape::ball(0.5)?)?;
    /// bodies.add_shape(Shape::convex(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?)?;
    /// let mut records = Records::<D3, f32>::default();
    /// records.make(&bodies.columns());
    /// assert_eq!(records.hulls(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hulls(&self) -> usize {
        self.templates.hulls()
    }
    /// True if all shapes are balls.
    ///
    /// ```
    /// use jostle_narrowphase::Records;
    /// use jostle_shape::{Bodies, D3, Shape};
    ///
    /// let (mut bodies, mut records) = (Bodies::<D3>::new(), Records::<D3, f32>::default());
    /// bodies.add_shape(Shape::ball(1.0)?)?;
    /// bodies.add_shape(Shape::ball(0.5)?)?;
    /// records.make(&bodies.columns());
    /// assert!(records.only_balls());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn only_balls(&self) -> bool {
        self.templates.only_balls()
    }

    /// The records, if any were made: for lists of pairs that name most bodies, or bodies more than once.
    pub fn source(&self) -> Source<'_, S, T> {
        if self.made.is_empty() { self.template_source() } else { Source::All(&self.made) }
    }

    /// The templates: for lists of pairs that name each body about once, whose records would only travel through
    /// memory.
    pub fn template_source(&self) -> Source<'_, S, T> {
        Source::Templates(&self.templates)
    }
}

/// Makes the records of the bodies `numbers` of `bodies`, in their order, from the templates of all shapes.
///
/// ```
/// use jostle_narrowphase::{Record, Templates, make_records};
/// use jostle_shape::{Bodies, Body, D2, Shape};
///
/// let mut bodies = Bodies::<D2>::new();
/// let stick = bodies.add_shape(Shape::capsule(2.0, 0.25)?)?;
/// for x in 0..40 {
///     bodies.push(Body::new(stick, [f64::from(x), 0.0]).with_rotation([0.1 * f64::from(x)]))?;
/// }
/// let mut templates = Templates::<D2, f32>::default();
/// templates.push(&bodies.shapes()[0]);
/// let mut records = [Record::<D2, f32>::default(); 2];
/// make_records(&templates, &bodies.columns(), &[7, 3], &mut records);
/// assert_eq!(records[1].block, Record::<D2, f32>::new(&bodies.columns(), 3).block);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If there are not as many `records` as `numbers`, or there is no such body or template.
pub fn make_records<S: RecordSpace, T: Scalar>(
    templates: &Templates<S, T>,
    bodies: &impl BodySet<S>,
    numbers: &[u32],
    records: &mut [Record<S, T>],
) {
    assert_eq!(numbers.len(), records.len(), "a record for each number");
    let (columns, at_hand) = (templates.columns(0), templates.at_hand());
    if columns.forms.is_empty() {
        make_balls(columns, at_hand, bodies, numbers, records);
    } else {
        dispatch(Make { templates: columns, at_hand, bodies: *bodies, numbers, records });
    }
}

/// The same without templates, in place of the `records` that are there: for few bodies among many shapes.
pub(crate) fn make_each<S: RecordSpace, T: Scalar>(
    bodies: &impl BodySet<S>,
    numbers: &[u32],
    records: &mut Vec<Record<S, T>>,
) {
    records.clear();
    records.reserve(numbers.len());
    for &body in &numbers[..numbers.len().min(BODIES_AHEAD)] {
        bodies.prefetch_with_rotation(body as usize);
    }
    // Whether a body so far had a rotation that matters: balls have none, as below.
    let mut turned = false;
    // By then the numbers of their shapes are known, and by then these are.
    let (mut soon, mut at_once) = (numbers.iter().skip(BODIES_AHEAD / 2), numbers.iter().skip(BODIES_AHEAD / 4));
    for (place, &body) in numbers.iter().enumerate() {
        let record = Record::new(bodies, body as usize);
        turned |= !record.is_point();
        if let Some(&ahead) = numbers.get(place + BODIES_AHEAD) {
            bodies.prefetch(ahead as usize, turned);
        }
        if let Some(&soon) = soon.next() {
            prefetch_far(bodies.shape_at(bodies.shape_of(soon as usize)));
        }
        if let Some(&at_once) = at_once.next() {
            bodies.shape_at(bodies.shape_of(at_once as usize)).prefetch_size();
        }
        records.push(record);
    }
}

/// The same of balls, which are not turned.
fn make_balls<S: RecordSpace, T: Scalar>(
    templates: TemplateColumns<'_, S, T>,
    at_hand: bool,
    bodies: &impl BodySet<S>,
    numbers: &[u32],
    records: &mut [Record<S, T>],
) {
    let bodies = *bodies;
    for (place, (record, &body)) in records.iter_mut().zip(numbers).enumerate() {
        if let Some(&ahead) = numbers.get(place + BODIES_AHEAD) {
            bodies.prefetch_without_rotation(ahead as usize);
        }
        if !at_hand && let Some(&soon) = numbers.get(place + BODIES_AHEAD / 2) {
            templates.prefetch(bodies.shape_of(soon as usize));
        }
        let shape = bodies.shape_of(body as usize);
        *record = Record::of_ball(templates.sizes[shape], shape, bodies.position(body as usize));
    }
}

struct Make<'m, S: RecordSpace, T: Scalar, P> {
    templates: TemplateColumns<'m, S, T>,
    at_hand: bool,
    // Itself, not a pointer to it: the compiler does not know that writing records leaves what is pointed to alone.
    bodies: P,
    numbers: &'m [u32],
    records: &'m mut [Record<S, T>],
}

impl<S: RecordSpace, T: Scalar, P: BodySet<S>> Kernel<f64> for Make<'_, S, T, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let Self { templates, at_hand, bodies, numbers, records } = self;
        // Whether the last few had a rotation that matters. Balls have none: where there is nothing else, to ask for
        // rotations is to wait for twice the memory (of two balls at random places 35 ns were this loop, and 15 of them
        // the rotations).
        let mut turned = true;
        // In the plane, the angles of the last bodies that were turned. Of others they are not read.
        let mut angles = Angles::new();
        for &body in &numbers[..numbers.len().min(BODIES_AHEAD)] {
            bodies.prefetch(body as usize, turned);
        }
        let mut ahead = numbers.get(BODIES_AHEAD..).unwrap_or(&[]).iter();
        let mut soon = numbers.get(BODIES_AHEAD / 2..).unwrap_or(&[]).iter();
        for (records, numbers) in records.chunks_mut(ANGLES_TOGETHER).zip(numbers.chunks(ANGLES_TOGETHER)) {
            if !S::ROTATIONS_AS_GIVEN {
                let is_point = |&body: &u32| templates.forms[bodies.shape_of(body as usize)].is_point();
                if !numbers.iter().all(is_point) {
                    angles.work_out::<T, S, L>(
                        numbers.len(),
                        #[inline(always)]
                        |angles| {
                            for (angle, &body) in angles.iter_mut().zip(numbers) {
                                *angle = bodies.rotation(body as usize).as_ref()[0];
                            }
                        },
                    );
                }
            }
            let were_turned = turned;
            turned = false;
            for ((record, &body), [cosine, sine]) in records.iter_mut().zip(numbers).zip(angles.stored()) {
                if let Some(&ahead) = ahead.next() {
                    bodies.prefetch(ahead as usize, were_turned);
                }
                if !at_hand && let Some(&soon) = soon.next() {
                    // By now its shape is known.
                    templates.prefetch(bodies.shape_of(soon as usize));
                }
                let body = body as usize;
                let shape = bodies.shape_of(body);
                let form = &templates.forms[shape];
                let is_point = form.is_point();
                turned |= !is_point;
                let given = S::ROTATIONS_AS_GIVEN && !is_point;
                let rotation = if given { as_numbers::<S>(bodies.rotation(body)) } else { [cosine, sine, 0.0, 0.0] };
                *record = Record::assembled(form, || templates.centre(shape), shape, bodies.position(body), rotation);
            }
        }
    }
}
