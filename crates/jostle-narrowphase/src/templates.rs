//! What all bodies of a shape share, made once a shape, so that a body costs a copy and its own place and rotation.
//!
//! In columns, each of which is there only if some shape needs it: where every body has a shape of its own (the radii
//! of grains), a question waits for this memory, and a grain's is eight bytes.

use jostle_lanes::{Scalar, Space, prefetch_far_at};
use jostle_shape::{BodySet, CustomShape, Shape};
use jostle_tasks::{Few, each, reserve};

use crate::record::{Form, KIND_NUMBERS, Kind, Record, RecordSpace, Size};

/// How many shapes ahead the memory of their hulls is prefetched: of hulls of which no two are alike records took 95 to
/// 112 ns a pair without it, and take 66 to 92 (three runs in turns).
const HULLS_AHEAD: usize = 16;

/// Templates that fill no more bytes than these are taken to be in the first or second level of the cache and are not
/// prefetched (to prefetch them took a fifth of what the records of two balls take).
const BYTES_AT_HAND: usize = 72 * 1024;

/// Shapes that one thread looks at.
const SHAPES_PER_TASK: usize = 1024;

/// The templates of all shapes, in the order of the shapes.
///
/// ```
/// use jostle_narrowphase::{Proximity, Scratch, Source, Templates, solve_pairs};
/// use jostle_shape::{Bodies, Body, D2, Shape};
///
/// let mut bodies = Bodies::<D2>::new();
/// let mut templates = Templates::<D2, f32>::default();
/// for radius in [0.5, 1.0] {
///     let disc = Shape::ball(radius)?;
///     templates.push(&disc);
///     bodies.add_shape(disc)?;
/// }
/// templates.set(1, &Shape::<D2>::ball(0.25)?);
/// bodies.push(Body::new(0, [0.0, 0.0]))?;
/// bodies.push(Body::new(1, [2.0, 0.0]))?;
/// let mut rows = [Proximity::default()];
/// solve_pairs(&bodies.columns(), Source::Templates(&templates), &[[0, 1]], &mut rows, &mut Scratch::default());
/// assert_eq!(rows[0].distance, 1.25);
///
/// assert!(templates.len() == 2 && !templates.is_empty() && !templates.is_searched_long(1));
/// let record = templates.record(&bodies.columns(), 1);
/// assert!(record.is_point() && record.reach == 0.25 && record.position == [2.0, 0.0]);
///
/// // Nothing but balls: records would not be looked at.
/// assert!(templates.only_balls());
/// templates.set(0, &Shape::<D2>::capsule(1.0, 0.5)?);
/// assert!(!templates.only_balls());
/// templates.set(1, &Shape::<D2>::capsule(0.5, 0.5)?);
/// assert!(!templates.only_balls());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Templates<S: Space, T: Scalar> {
    sizes: Vec<Size<T>>,
    /// As many, or none as long as all are balls.
    forms: Vec<Form<T>>,
    /// Where cores' centres are in their shapes' frames: one for each shape, or none if no shape is a hull.
    centres: Vec<S::Array<f64>>,
    /// How many there are of each kind.
    kinds: [usize; KIND_NUMBERS],
}

impl<S: Space, T: Scalar> Default for Templates<S, T> {
    fn default() -> Self {
        Self { sizes: Vec::new(), forms: Vec::new(), centres: Vec::new(), kinds: [0; KIND_NUMBERS] }
    }
}

/// Those of shapes from some number on. (Not a pointer to all of them: where they lie would be looked up anew for each
/// body, as the compiler does not know that what is written leaves that alone.)
#[derive(Clone, Copy, Debug)]
pub struct TemplateColumns<'t, S: Space, T: Scalar> {
    pub sizes: &'t [Size<T>],
    /// None if all are balls.
    pub forms: &'t [Form<T>],
    /// None if no shape is a hull.
    centres: &'t [S::Array<f64>],
}

impl<S: Space, T: Scalar> TemplateColumns<'_, S, T> {
    /// What is known of a shape, but for a hull's centre.
    #[inline(always)]
    pub fn form(&self, shape: usize) -> Form<T> {
        match self.forms.get(shape) {
            Some(&form) => form,
            None => Form::of_ball(self.sizes[shape]),
        }
    }
    /// No point of a body of a shape is farther from its position than this.
    #[inline(always)]
    pub fn reach(&self, shape: usize) -> T {
        self.form(shape).reach
    }
    /// The number of a shape's kind, below `KIND_NUMBERS`.
    #[inline(always)]
    pub fn kind_number(&self, shape: usize) -> usize {
        self.form(shape).kind_number()
    }
    /// True for balls: they look the same from everywhere.
    #[inline(always)]
    pub fn is_point(&self, shape: usize) -> bool {
        self.form(shape).is_point()
    }
    /// Where the core of a hull has its centre, in the shape's frame.
    #[inline(always)]
    pub fn centre(&self, hull: usize) -> S::Array<f64> {
        self.centres[hull]
    }
    /// Asks for the memory of one; there need not be one.
    #[inline(always)]
    pub fn prefetch(&self, shape: usize) {
        if self.forms.is_empty() {
            prefetch_far_at(self.sizes, shape);
        } else {
            prefetch_far_at(self.forms, shape);
        }
        if !self.centres.is_empty() {
            prefetch_far_at(self.centres, shape);
        }
    }
}

impl<S: Space, T: Scalar> Templates<S, T> {
    /// Adds that of one more shape.
    pub fn push<U: CustomShape<S>>(&mut self, shape: &Shape<S, U>) {
        let (index, form) = (self.len(), Form::of(shape));
        self.kinds[form.kind_number()] += 1;
        self.make_room(index + 1);
        self.put(index, form, shape.core_centre());
    }
    /// Replaces that of shape `index`.
    ///
    /// # Panics
    /// If there is no such shape.
    pub fn set<U: CustomShape<S>>(&mut self, index: u32, shape: &Shape<S, U>) {
        let (index, form) = (index as usize, Form::of(shape));
        self.kinds[self.columns(0).kind_number(index)] -= 1;
        self.kinds[form.kind_number()] += 1;
        self.make_room(self.len());
        self.put(index, form, shape.core_centre());
    }
    fn put(&mut self, index: usize, form: Form<T>, centre: S::Array<f64>) {
        self.sizes[index] = form.size();
        if !self.forms.is_empty() {
            self.forms[index] = form;
        }
        if !self.centres.is_empty() {
            self.centres[index] = centre;
        }
    }
    /// Makes the columns that these kinds need as long as there are shapes.
    fn make_room(&mut self, count: usize) {
        if self.forms.is_empty() && !self.only_balls() {
            self.forms.extend(self.sizes.iter().map(|&size| Form::of_ball(size)));
        }
        self.sizes.resize(count, Size::default());
        if !self.forms.is_empty() || !self.only_balls() {
            self.forms.resize(count, Form::default());
        }
        if !self.centres.is_empty() || self.kinds[Kind::Hull as usize] > 0 {
            self.centres.resize(count, S::array(|_| 0.0));
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }
    /// True if a search for the distance of a shape takes so long that it is worth knowing where the last one ended:
    /// for hulls of more than sixteen points, and the user's own shapes. (For others the memory that it takes costs
    /// more than the steps that it saves.)
    ///
    /// # Panics
    /// If there is no such shape.
    pub fn is_searched_long(&self, shape: usize) -> bool {
        self.columns(0).form(shape).is_searched_long()
    }
    /// Those of shapes from number `first` on.
    #[inline(always)]
    pub(crate) fn columns(&self, first: usize) -> TemplateColumns<'_, S, T> {
        TemplateColumns {
            sizes: &self.sizes[first..],
            forms: self.forms.get(first..).unwrap_or_default(),
            centres: self.centres.get(first..).unwrap_or_default(),
        }
    }

    /// The same as [`Records::only_balls`](crate::Records::only_balls): then pairs are solved sooner without records.
    pub fn only_balls(&self) -> bool {
        self.kind() == Some(Kind::Point as usize)
    }
    /// True if they are so few that they are in the cache and need not be prefetched.
    #[inline(always)]
    pub(crate) fn at_hand(&self) -> bool {
        size_of_val(&*self.sizes) + size_of_val(&*self.forms) + size_of_val(&*self.centres) <= BYTES_AT_HAND
    }
    /// The same as [`Records::ask_planes`](crate::Records::ask_planes).
    pub fn ask_planes(&self) -> bool {
        S::DIMENSION == 3 && self.kinds[Kind::Hull as usize] + self.kinds[Kind::Frustum as usize] > 0
    }
    /// The same as [`Records::hulls`](crate::Records::hulls).
    pub(crate) fn hulls(&self) -> usize {
        if S::DIMENSION == 3 { self.kinds[Kind::Hull as usize] } else { 0 }
    }
    /// The number of the kind of all shapes, if all are of one kind.
    pub(crate) fn kind(&self) -> Option<usize> {
        let all: usize = self.kinds.iter().sum();
        self.kinds.iter().position(|&of_kind| of_kind == all && all > 0)
    }

    /// Whether to make them is less work than to look at the shape of every body of so many pairs for itself.
    ///
    /// ```
    /// use jostle_narrowphase::Templates;
    /// use jostle_shape::D3;
    ///
    /// assert!(Templates::<D3, f32>::worth_making(1000, 20) && !Templates::<D3, f32>::worth_making(3, 20));
    /// ```
    pub fn worth_making(pairs: usize, shapes: usize) -> bool {
        // (Twice the pairs may be more than can be counted.)
        pairs > shapes / 2
    }
    /// Makes room for so many.
    pub(crate) fn reserve(&mut self, shapes: usize) {
        reserve(&mut self.sizes, shapes);
        reserve(&mut self.forms, shapes);
        reserve(&mut self.centres, shapes);
    }
    /// Makes those of the shapes of `bodies` but the first, of which there are `known` ones.
    pub(crate) fn make(&mut self, bodies: &impl BodySet<S>, known: usize) {
        self.make_in_shares(bodies, known, SHAPES_PER_TASK);
    }
    /// Makes those of all shapes of `bodies`, on this thread.
    pub(crate) fn make_here(&mut self, bodies: &impl BodySet<S>) {
        self.make_in_shares(bodies, 0, usize::MAX);
    }
    fn make_in_shares(&mut self, bodies: &impl BodySet<S>, known: usize, share: usize) {
        // Away from here meanwhile: code of custom shapes may panic, and leaves none behind that were not made.
        let mut made = core::mem::take(self);
        made.forget(known);
        for shape in known..bodies.shape_count() {
            made.kinds[Kind::of(bodies.shape_at(shape).core()) as usize] += 1;
        }
        made.make_room(bodies.shape_count());
        let Self { sizes, forms, centres, .. } = &mut made;
        let (forms, centres) =
            (forms.get_mut(known..).unwrap_or_default(), centres.get_mut(known..).unwrap_or_default());
        each(Few::of((&mut sizes[known..], (forms, centres)), share), |number, few| {
            let (sizes, (forms, centres)) = few.list;
            make_some(bodies, known + number * share, sizes, forms, centres);
        });
        *self = made;
    }
    /// Forgets all but the first `known` ones.
    fn forget(&mut self, known: usize) {
        if known == 0 {
            self.kinds = [0; KIND_NUMBERS];
        } else {
            for shape in known..self.len() {
                self.kinds[self.columns(0).kind_number(shape)] -= 1;
            }
        }
        self.sizes.truncate(known);
        self.forms.truncate(known);
        self.centres.truncate(known);
    }
}

impl<S: RecordSpace, T: Scalar> Templates<S, T> {
    /// The record of body `body` of a set whose shapes these are of.
    ///
    /// # Panics
    /// If there is no such body, or no template of its shape.
    #[inline(always)]
    pub fn record(&self, bodies: &impl BodySet<S>, body: usize) -> Record<S, T> {
        let (columns, shape) = (self.columns(0), bodies.shape_of(body));
        Record::placed(&columns.form(shape), || columns.centre(shape), bodies, body)
    }
}

/// Makes those of shapes from number `first` on, in the columns that there are.
fn make_some<S: Space, T: Scalar>(
    bodies: &impl BodySet<S>,
    first: usize,
    sizes: &mut [Size<T>],
    forms: &mut [Form<T>],
    centres: &mut [S::Array<f64>],
) {
    for (place, size) in sizes.iter_mut().enumerate() {
        let index = first + place;
        if !centres.is_empty() && index + HULLS_AHEAD < bodies.shape_count() {
            bodies.shape_at(index + HULLS_AHEAD).prefetch_size();
        }
        let shape = bodies.shape_at(index);
        if forms.is_empty() {
            *size = Size::of(shape);
        } else {
            forms[place] = Form::of(shape);
            *size = forms[place].size();
        }
        if !centres.is_empty() {
            centres[place] = shape.core_centre();
        }
    }
}
