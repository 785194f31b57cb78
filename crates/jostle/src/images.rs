//! The boxes of a scene that repeats: those of all bodies, brought into the cell, and those of their images that reach
//! these.
//!
//! The rule by which the broadphase's columns own pairs does not hold in space that wraps around. So nothing wraps
//! around: images are boxes of their own behind those of the bodies, as many as needed, also of a body that is longer
//! than the cell.
//!
//! Most pairs are of two bodies at their own positions. So a pair carries a single number that tells by which image its
//! bodies meet ([`SweptPair`]): twelve bytes, which are put in order as the eight of open space are, where the twenty
//! of a pair with its image's three numbers take half as long again.

use jostle_broadphase::{Bounds, ColumnSweep, MOST_BOXES, Paired};
use jostle_lanes::{Scalar, prefetch_at, set_bits};
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, CustomShape, Filters, Space};
use jostle_tasks::{self as tasks, Few, make_room};

use crate::bounds::{BoxFrame, Placed, Sought, fill_some};
use crate::error::ContactsError;
use crate::lattice::{Inner, Lattice};
use crate::layers::{self, Sides, Told};
use crate::members::Members;
use crate::origin::Middle;
use crate::rods::{AT_ONCE, Rods};

/// The most images of one pair that are looked at.
pub const MOST_IMAGES: usize = 1 << 20;
/// The most images that are swept, besides [`MOST_EACH`] for each body. (Bodies shorter than the cell have at most
/// seven, except for floors under all of them. Images of bodies much longer than the cell all overlap each other: this
/// many take half a minute.)
const MOST_SWEPT: usize = 1 << 18;
/// See [`MOST_SWEPT`].
const MOST_EACH: usize = 32;
/// The most images of one body that are swept.
const MOST_OF_ONE: usize = 1 << 16;
/// Images are kept apart by layers where there is one for so many members: pairs of two images are few otherwise.
const MANY_IMAGES: usize = 4;
/// How many pairs ahead the cells of their bodies are prefetched.
const PAIRS_AHEAD: usize = 16;
/// Members that one task brings into the cell.
const MEMBERS_PER_TASK: usize = 1024;

/// An image of a body that has been brought into the cell.
#[derive(Clone, Copy, Debug)]
struct Image<S: Dimension> {
    /// The member that it is an image of.
    member: u32,
    /// Its shift from the body in the cell: the multiple of each lattice vector.
    from_cell: [i32; 3],
    /// The same in metres.
    shift: S::Array<f64>,
}

/// Which images are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All that reach the box around all boxes.
    All,
    /// Of two opposite images, the one whose last number other than 0 is positive: a pair, which is the same seen from
    /// either body, is then found once.
    Half,
}

/// A pair of bodies whose boxes overlap, the lower index first, and which image of the second is meant
/// ([`Images::image_of`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SweptPair {
    bodies: [u32; 2],
    /// [`HERE`], [`IN_CELL`], or the image by which they meet, counted from one.
    by: u32,
}

/// The bodies meet at their own positions.
const HERE: u32 = 0;
/// The bodies meet where they are brought into the cell, from different cells.
const IN_CELL: u32 = u32::MAX;

impl SweptPair {
    /// A pair of bodies at their own positions.
    #[inline]
    pub fn here(bodies: [u32; 2]) -> Self {
        Self { bodies, by: HERE }
    }
    /// Whether the pair is about the second body itself, at its own position.
    #[inline]
    pub fn is_here(&self) -> bool {
        self.by == HERE
    }
}

impl Paired for SweptPair {
    #[inline]
    fn pair(&self) -> [u32; 2] {
        self.bodies
    }
}

/// Where the bodies of a scene lie in the cell, and their images. Keeps its memory.
#[derive(Clone, Debug)]
pub(crate) struct Images<S: Dimension> {
    /// The bodies that are looked at.
    members: Members,
    /// The member that each body is; empty where all bodies are members.
    numbers: Vec<u32>,
    /// The cell that each member is in, or is [counted from](Images::count_from).
    cells: Vec<[i32; 3]>,
    /// Where each member lies in the first cell.
    places: Vec<S::Array<f64>>,
    /// True if all members are in the first cell.
    all_home: bool,
    /// The images that may be near a member.
    ghosts: Vec<Image<S>>,
    /// The boxes of the members, brought into the cell, and of the images behind them.
    bounds: Bounds<S>,
    told: Told,
    /// Capsules about what has these boxes, if many bodies are long.
    rods: Rods,
}

/// Stands for a cell that is too far away to be counted.
const NOWHERE: [i32; 3] = [i32::MAX; 3];

impl<S: Dimension> Default for Images<S> {
    fn default() -> Self {
        Self {
            members: Members::default(),
            numbers: Vec::new(),
            cells: Vec::new(),
            places: Vec::new(),
            all_home: true,
            ghosts: Vec::new(),
            bounds: Bounds::new(),
            told: Told::All,
            rods: Rods::default(),
        }
    }
}

impl<S: Dimension> Images<S> {
    /// The number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The boxes of members and images, which are to be swept.
    pub fn bounds(&self) -> &Bounds<S> {
        &self.bounds
    }

    /// See [`Bounds::set_round`].
    pub fn set_round(&mut self, round: bool) {
        self.bounds.set_round(round);
    }

    /// The body that has the box at a place of these.
    pub fn owner(&self, place: usize) -> usize {
        let ghost = place.checked_sub(self.members.len());
        self.members.body(ghost.map_or(place, |ghost| self.ghosts[ghost].member as usize))
    }

    /// The positions of the members, brought into the cell, and behind them of the images; and the body of each.
    pub fn places(&self) -> (Vec<S::Array<f64>>, Vec<u32>) {
        let Self { members, places, ghosts, .. } = self;
        let of = |ghost: &Image<S>| S::array(|k| places[ghost.member as usize][k] + ghost.shift[k]);
        let positions = places.iter().copied().chain(ghosts.iter().map(of)).collect();
        let owners = (0..members.len()).chain(ghosts.iter().map(|ghost| ghost.member as usize));
        (positions, owners.map(|member| members.body(member) as u32).collect())
    }

    /// Which image of its body is at one of the [`Images::places`], as a member sees it: counted from the body's own
    /// position, with the member at its own.
    pub fn image(&self, place: usize, member: usize) -> [i32; 3] {
        let (owner, from_cell) = match place.checked_sub(self.members.len()) {
            Some(ghost) => (self.ghosts[ghost].member as usize, self.ghosts[ghost].from_cell),
            None => (place, [0; 3]),
        };
        core::array::from_fn(|k| from_cell[k] + self.cells[member][k] - self.cells[owner][k])
    }

    /// The cell that a member is in.
    pub fn cell(&self, member: usize) -> [i32; 3] {
        self.cells[member]
    }

    /// The members, which are to be chosen before [`Images::fill`].
    pub fn members_mut(&mut self) -> &mut Members {
        &mut self.members
    }

    /// Makes the boxes of all members, each grown for `margin` and by its own `room` (metres), and of their images that
    /// reach the box around all of these.
    pub fn fill<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        (lattice, which): (&Lattice<S>, Which),
        (sought, margin): (Sought, f64),
        room: &(dyn Fn(usize) -> f64 + Sync),
    ) -> Result<(), ContactsError> {
        self.bring_home(bodies, lattice)?;
        let Self { members, cells, places, bounds, rods, .. } = self;
        let boxes = BoxFrame::for_margin(Middle::<S>::of(places, |_| true).place, margin);
        let who = |at: usize| {
            let body = members.body(at);
            let mut blur = 0.0;
            if cells[at] != [0; 3] {
                // A position that is brought into the cell is rounded on the way.
                let far = bodies.positions()[body].as_ref().iter().fold(0.0_f64, |far, x| far.max(x.abs()));
                blur = 8.0 * f64::EPSILON * far;
            }
            Some(Placed { body, position: places[at], room: room(body) + blur })
        };
        bounds.resize(members.len());
        fill_some(bodies, boxes, &who, bounds);
        // All images are made for searches that do not sweep.
        match (sought, which) {
            (Sought::Near, Which::Half) => rods.make(bodies, boxes, &who, bounds),
            (Sought::Boxes, _) | (_, Which::All) => rods.clear(),
        }
        self.make_ghosts(lattice, which)?;
        if which == Which::Half {
            self.rods.add_images::<S>(self.ghosts.iter().map(|ghost| (ghost.member as usize, ghost.shift)));
            self.put_into_layers(&bodies.filters());
        }
        Ok(())
    }

    /// Keeps apart the boxes of bodies that do not meet, and, where there are many images, those of two images: the
    /// bodies that these stand for meet where one of them is in the cell, too.
    fn put_into_layers(&mut self, filters: &Filters<'_>) {
        let Self { members, ghosts, bounds, told, .. } = self;
        let sides = if ghosts.len() * MANY_IMAGES < members.len() { Sides::One } else { Sides::SecondApart };
        let images = ghosts.iter().map(|ghost| (members.body(ghost.member as usize), true));
        let boxes = (0..members.len()).map(|member| (members.body(member), false)).chain(images);
        let total = bounds.len();
        let layers = bounds.layers_mut();
        // With as much room as the boxes have.
        layers.reserve(total + total / 8);
        // Parents do not keep a body from its own images.
        let without_parents = layers::put(layers, &Filters { parent: &[], ..*filters }, sides, boxes);
        *told = if filters.parent.is_empty() { without_parents } else { Told::Some };
    }

    /// Brings all members into the cell.
    fn bring_home<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        lattice: &Lattice<S>,
    ) -> Result<(), ContactsError> {
        let Self { members, numbers, cells, places, all_home, .. } = self;
        let members = &*members;
        numbers.clear();
        if let Some(list) = members.some() {
            numbers.resize(bodies.len(), 0);
            list.iter().zip(0..).for_each(|(&body, number)| numbers[body as usize] = number);
        }
        let positions = bodies.positions();
        cells.resize(members.len(), NOWHERE);
        places.resize(members.len(), S::array(|_| 0.0));
        let few = (Few::of(&mut cells[..], MEMBERS_PER_TASK), Few::of(&mut places[..], MEMBERS_PER_TASK));
        let bring =
            |number: usize, (Few { list: cells, .. }, Few { list: places, .. }): (Few<&mut [_]>, Few<&mut [_]>)| {
                let first = number * MEMBERS_PER_TASK;
                if members.are_all() {
                    places.copy_from_slice(&positions[first..first + places.len()]);
                } else {
                    let bodies = (first..).map(|member| members.body(member));
                    places.iter_mut().zip(bodies).for_each(|(place, body)| *place = positions[body]);
                }
                cells.fill([0; 3]);
                // Most positions are in the cell already.
                if places.iter().fold(true, |all, place| all & lattice.holds(place)) {
                    return true;
                }
                let mut all_home = true;
                for (cell, place) in cells.iter_mut().zip(places).filter(|(_, place)| !lattice.holds(place)) {
                    *cell = lattice.cell_of(*place).unwrap_or(NOWHERE);
                    let (position, shift) = (*place, lattice.shift(*cell));
                    *place = S::array(|k| position[k] - shift[k]);
                    all_home &= *cell == [0; 3];
                }
                all_home
            };
        *all_home = tasks::fold(few, bring, |front, back| front && back).unwrap_or(true);
        if !*all_home && let Some(at) = cells.iter().position(|cell| *cell == NOWHERE) {
            let body = members.body(at);
            let axis = lattice.cell_of(positions[body]).err().unwrap_or_default();
            return Err(ContactsError::FarOutside { body: body as u32, axis });
        }
        Ok(())
    }

    /// Adds the boxes of the images that reach the box around all of these, behind those of the members.
    fn make_ghosts(&mut self, lattice: &Lattice<S>, which: Which) -> Result<(), ContactsError> {
        let Self { members, ghosts, bounds, .. } = self;
        make_room(ghosts, ghosts.len());
        ghosts.clear();
        let first = S::array(|k| f64::from(extreme(bounds.lower(k), f32::INFINITY, |x, least| x < least)));
        let last = S::array(|k| f64::from(extreme(bounds.upper(k), f32::NEG_INFINITY, |x, most| x > most)));
        // Whether only one of two opposite images is made.
        let half = which == Which::Half;
        // No more boxes than one sweep takes, which also fit the 32 bits of a [`SweptPair`].
        let limit = (MOST_SWEPT + MOST_EACH * members.len()).min(MOST_BOXES.saturating_sub(members.len()));
        let inner = lattice.inner(&first, &last, half);
        // The images of all members so far, whether they are made or left out as the opposite of another.
        let mut reached = 0;
        for from in (0..members.len()).step_by(Inner::BLOCK) {
            let block = from..members.len().min(from + Inner::BLOCK);
            // Most boxes are far from the border.
            for place in set_bits::<{ Inner::BLOCK }>(inner.others(bounds, block)) {
                let member = from + place;
                let lowest = S::array(|k| first[k] - f64::from(bounds.upper(k)[member]));
                let highest = S::array(|k| last[k] - f64::from(bounds.lower(k)[member]));
                let (before, mut images) = (reached, 0);
                lattice.each_image(&lowest, &highest, &mut |from_cell| {
                    if from_cell == [0; 3] {
                        return Ok(());
                    }
                    images += 1;
                    if images > MOST_OF_ONE || before + images > limit {
                        let limit = limit.min(before + MOST_OF_ONE) as u64;
                        return Err(ContactsError::TooManyImages { body: members.body(member) as u32, limit });
                    }
                    if !half || is_later(from_cell) {
                        ghosts.push(Image { member: member as u32, from_cell, shift: lattice.shift(from_cell) });
                    }
                    Ok(())
                })?;
                reached += images;
            }
        }
        let (count, total) = (members.len(), members.len() + ghosts.len());
        // With some room, so that more images need no more memory.
        bounds.reserve(total + total / 8);
        bounds.resize(total);
        for (at, ghost) in ghosts.iter().enumerate() {
            let home = bounds.get(ghost.member as usize);
            let (lower, upper) = moved::<S>(home, &ghost.shift);
            bounds.set(count + at, lower, upper);
        }
        Ok(())
    }

    /// Counts images from positions that are farther away than the bodies' own by these multiples of the lattice
    /// vectors: [`Images::find`] then names images between those positions.
    pub fn count_from(&mut self, farther: &[[i32; 3]]) {
        let Self { members, cells, all_home, .. } = self;
        for (member, cell) in cells.iter_mut().enumerate() {
            let farther = farther[members.body(member)];
            *cell = core::array::from_fn(|k| cell[k] + farther[k]);
        }
        *all_home = cells.iter().all(|cell| *cell == [0; 3]);
    }

    /// Replaces `found` by what `make` makes of each pair of bodies and its image that one chunk of the sweep over
    /// [`Images::bounds`] finds: of pairs that meet and are wanted, each image of a pair once, in no particular order.
    /// Half the images must have been made ([`Which::Half`]).
    pub fn find<E: Copy + Default>(
        &self,
        sweep: &ColumnSweep<S>,
        chunk: usize,
        (filters, lattice): (&Filters<'_>, &Lattice<S>),
        wanted: &impl Fn(u32, u32) -> bool,
        make: impl Fn(SweptPair, [i32; 3]) -> E,
        found: &mut Vec<E>,
    ) {
        let Self { members, cells, all_home, ghosts, told, rods, .. } = self;
        let count = members.len() as u32;
        found.clear();
        let mut room = [[0; 2]; AT_ONCE];
        let mut add = |pairs: &[[u32; 2]]| {
            let mut kept = found.len();
            found.resize(kept + pairs.len(), E::default());
            for (at, &[mut a, mut b]) in pairs.iter().enumerate() {
                if !all_home && let Some(&[a, b]) = pairs.get(at + PAIRS_AHEAD) {
                    prefetch_at(cells, a as usize);
                    prefetch_at(cells, b as usize);
                }
                let (mut by, mut image) = (IN_CELL, [0; 3]);
                if let Some(ghost) = b.checked_sub(count) {
                    // Two images, where they are not kept apart.
                    if a >= count {
                        continue;
                    }
                    by = ghost + 1;
                    Image { member: b, from_cell: image, .. } = ghosts[ghost as usize];
                    // The image is seen from the lower body; if it is of the same body, its first number other than 0
                    // is positive.
                    if b < a || b == a && image < [0; 3] {
                        (a, b, image) = (b, a, image.map(|number| -number));
                    }
                }
                if !all_home {
                    image = apart(image, cells[a as usize], cells[b as usize]);
                }
                let bodies = [a, b].map(|member| members.body(member as usize) as u32);
                let meet = if a == b {
                    lattice.has_self_images() && filters.meets_itself(bodies[0])
                } else {
                    told.meet(filters, bodies[0], bodies[1])
                };
                let by = if image == [0; 3] { HERE } else { by };
                found[kept] = make(SweptPair { bodies, by }, image);
                kept += usize::from(meet && wanted(bodies[0], bodies[1]));
            }
            found.truncate(kept);
        };
        sweep.visit_chunk(chunk, &mut |pairs| {
            pairs.chunks(AT_ONCE).for_each(|pairs| add(rods.keep::<S>(pairs, &mut room)));
        });
    }

    /// Which image of its second body a pair is about.
    #[inline(always)]
    pub fn image_of(&self, pair: &SweptPair) -> [i32; 3] {
        if pair.is_here() { [0; 3] } else { self.image_elsewhere(pair) }
    }

    /// The same where that is not the second body at its own position. (A function of its own, as these pairs are few.)
    #[inline(never)]
    fn image_elsewhere(&self, &SweptPair { bodies, by }: &SweptPair) -> [i32; 3] {
        let number = |body: u32| if self.members.are_all() { body } else { self.numbers[body as usize] };
        let [a, b] = bodies.map(number);
        let mut image = [0; 3];
        if by != IN_CELL {
            let Image { member, from_cell, .. } = self.ghosts[by as usize - 1];
            // Reversed in the same cases as in [`Images::find`].
            let turned = if a == b { from_cell < [0; 3] } else { member == a };
            image = if turned { from_cell.map(|number| -number) } else { from_cell };
        }
        if self.all_home { image } else { apart(image, self.cells[a as usize], self.cells[b as usize]) }
    }
}

/// The image between two bodies at their own positions, which are in these cells, from the image between them in the
/// cell.
#[inline]
fn apart(image: [i32; 3], first: [i32; 3], second: [i32; 3]) -> [i32; 3] {
    core::array::from_fn(|k| image[k] + first[k] - second[k])
}

/// Whether this is the one of two opposite images that is made where one is enough: no vector leans towards axes behind
/// its own, so this image is a whole period away along its last axis.
fn is_later(image: [i32; 3]) -> bool {
    image.iter().rev().find(|&&number| number != 0).is_some_and(|&number| number > 0)
}

/// The number of a column that is beyond all others, and beyond `from`; never NaN. (Several comparisons side by side,
/// so that none waits for the last.)
fn extreme(column: &[f32], from: f32, beyond: impl Fn(f32, f32) -> bool) -> f32 {
    const SIDE_BY_SIDE: usize = 32;
    let farther = |x: f32, so_far: f32| if beyond(x, so_far) { x } else { so_far };
    let mut farthest = [from; SIDE_BY_SIDE];
    let rows = column.chunks_exact(SIDE_BY_SIDE);
    let rest = rows.remainder();
    for row in rows {
        for (so_far, &x) in farthest.iter_mut().zip(row) {
            *so_far = farther(x, *so_far);
        }
    }
    rest.iter().chain(&farthest).fold(from, |so_far, &x| farther(x, so_far))
}

/// A box, shifted and rounded outward.
fn moved<S: Dimension>((lower, upper): Corners<S>, shift: &S::Array<f64>) -> Corners<S> {
    // Room for what the two sums are rounded by.
    let out = |corner: f64, k: usize| f64::EPSILON * (corner.abs() + shift[k].abs());
    let (low, high) = (|k: usize| f64::from(lower[k]), |k: usize| f64::from(upper[k]));
    (
        S::array(|k| f32::round_down(low(k) + shift[k] - out(low(k), k))),
        S::array(|k| f32::round_up(high(k) + shift[k] + out(high(k), k))),
    )
}

type Corners<S> = (<S as Space>::Array<f32>, <S as Space>::Array<f32>);
