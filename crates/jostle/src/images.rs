//! The boxes of a scene that repeats: everybody's, brought into the cell, and those of all images that reach it.
//!
//! The rule by which columns own pairs does not survive wrapping around. So nothing wraps around: images are boxes of
//! their own behind those of the bodies, as many as it takes, also of a body that is longer than the cell.

use jostle_broadphase::{Bounds, ColumnSweep};
use jostle_lanes::Scalar;
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, CustomShape, Filters, Space};
use jostle_tasks::{self as tasks, Few, make_room};

use crate::bounds::{Boxes, Placed, fill_some, middle, reach};
use crate::error::ContactsError;
use crate::lattice::Lattice;

/// Images of one pair that are looked at, at most.
pub const MOST_IMAGES: usize = 1 << 20;
/// Images that are swept, at most: so many and [`MOST_EACH`] for each body. (Bodies shorter than the cell have seven at
/// most, but for floors under all of them. Those of bodies much longer than it all overlap each other: as many as these
/// take half a minute.)
const MOST_SWEPT: usize = 1 << 18;
/// See [`MOST_SWEPT`].
const MOST_EACH: usize = 32;
/// Images of one body that are swept, at most.
const MOST_OF_ONE: usize = 1 << 16;
/// Members that a task brings into the cell.
const FEW: usize = 1024;

/// An image of a body that has been brought into the cell.
#[derive(Clone, Copy, Debug)]
struct Image<S: Dimension> {
    /// Which of those who are looked at.
    member: u32,
    /// How it is shifted, from the body in the cell.
    from_cell: [i32; 3],
    /// The same in metres.
    shift: S::Array<f64>,
}

/// Where everybody is. Keeps its memory.
#[derive(Debug)]
pub(crate) struct Images<S: Dimension> {
    /// Who is looked at, ascending.
    members: Vec<u32>,
    /// In which cell each of them is, and where that comes to lie in the first one.
    cells: Vec<[i32; 3]>,
    places: Vec<S::Array<f64>>,
    /// The images that may be near somebody.
    ghosts: Vec<Image<S>>,
    /// Boxes of the members, brought into the cell, and of the images behind them.
    bounds: Bounds<S>,
}

/// Stands for a cell that cannot be counted.
const NOWHERE: [i32; 3] = [i32::MAX; 3];

impl<S: Dimension> Default for Images<S> {
    fn default() -> Self {
        let (members, cells, ghosts) = (Vec::new(), Vec::new(), Vec::new());
        Self { members, cells, places: Vec::new(), ghosts, bounds: Bounds::new() }
    }
}

impl<S: Dimension> Images<S> {
    /// How many bodies are looked at.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The boxes of bodies and images: what is to be swept.
    pub fn bounds(&self) -> &Bounds<S> {
        &self.bounds
    }

    /// Whose box is at a place of these.
    pub fn owner(&self, place: usize) -> usize {
        let ghost = place.checked_sub(self.members.len());
        self.members[ghost.map_or(place, |ghost| self.ghosts[ghost].member as usize)] as usize
    }

    /// Where the members are, brought into the cell, and behind them the images; and who each of them is.
    pub fn places(&self) -> (Vec<S::Array<f64>>, Vec<u32>) {
        let Self { members, places, ghosts, .. } = self;
        let of = |ghost: &Image<S>| S::array(|k| places[ghost.member as usize][k] + ghost.shift[k]);
        let positions = places.iter().copied().chain(ghosts.iter().map(of)).collect();
        let owners = members.iter().copied().chain(ghosts.iter().map(|ghost| members[ghost.member as usize]));
        (positions, owners.collect())
    }

    /// Which image of its body is at one of the [`Images::places`], as a member sees it: from where that body's numbers
    /// say it is, if the member is where its own say.
    pub fn image(&self, place: usize, member: usize) -> [i32; 3] {
        let (owner, from_cell) = match place.checked_sub(self.members.len()) {
            Some(ghost) => (self.ghosts[ghost].member as usize, self.ghosts[ghost].from_cell),
            None => (place, [0; 3]),
        };
        core::array::from_fn(|k| from_cell[k] + self.cells[member][k] - self.cells[owner][k])
    }

    /// In which cell a member is.
    pub fn cell(&self, member: usize) -> [i32; 3] {
        self.cells[member]
    }

    /// Makes the boxes of the bodies `members`, in ascending order, grown for `margin` and for each by `room`, and of
    /// their images.
    pub fn fill<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        lattice: &Lattice<S>,
        margin: f64,
        members: impl Iterator<Item = u32>,
        room: &(dyn Fn(usize) -> f64 + Sync),
    ) -> Result<(), ContactsError> {
        self.members.clear();
        self.members.extend(members);
        self.fill_members(bodies, lattice, margin, room)
    }

    /// The same for `self.members`: compiled once, wherever they come from.
    fn fill_members<U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        lattice: &Lattice<S>,
        margin: f64,
        room: &(dyn Fn(usize) -> f64 + Sync),
    ) -> Result<(), ContactsError> {
        let Self { members, cells, places, ghosts, bounds } = self;
        let positions = bodies.positions();
        cells.resize(members.len(), NOWHERE);
        places.resize(members.len(), S::array(|_| 0.0));
        let few = (Few::of(&members[..], FEW), (Few::of(&mut cells[..], FEW), Few::of(&mut places[..], FEW)));
        tasks::each(few, |_, (members, (cells, places))| {
            for (&body, (cell, place)) in members.list.iter().zip(cells.list.iter_mut().zip(places.list)) {
                let position = positions[body as usize];
                *cell = lattice.cell_of(position).unwrap_or(NOWHERE);
                let shift = lattice.shift(*cell);
                *place = S::array(|k| position[k] - shift[k]);
            }
        });
        if let Some(at) = cells.iter().position(|cell| *cell == NOWHERE) {
            let body = members[at] as usize;
            let axis = lattice.cell_of(positions[body]).err().unwrap_or_default();
            return Err(ContactsError::FarOutside { body, axis });
        }
        let boxes = Boxes::for_margin(middle::<S>(reach::<S>(places, |_| true)), margin);
        let who = |at: usize| {
            let body = members[at] as usize;
            // What is brought here is rounded on the way.
            let far = positions[body].as_ref().iter().fold(0.0_f64, |far, x| far.max(x.abs()));
            let blur = if cells[at] == [0; 3] { 0.0 } else { 8.0 * f64::EPSILON * far };
            Some(Placed { body, position: places[at], room: room(body) + blur })
        };
        bounds.resize(members.len());
        fill_some(bodies, boxes, &who, bounds);
        make_room(ghosts, ghosts.len());
        ghosts.clear();
        let least = |column: &[f32]| column.iter().fold(f32::INFINITY, |least, x| least.min(*x));
        let most = |column: &[f32]| column.iter().fold(f32::NEG_INFINITY, |most, x| most.max(*x));
        let first = S::array(|k| f64::from(least(bounds.lower(k))));
        let last = S::array(|k| f64::from(most(bounds.upper(k))));
        let limit = MOST_SWEPT + MOST_EACH * members.len();
        for member in 0..members.len() {
            let lowest = S::array(|k| first[k] - f64::from(bounds.upper(k)[member]));
            let highest = S::array(|k| last[k] - f64::from(bounds.lower(k)[member]));
            // Most are far from the border.
            if lattice.has_no_image(&lowest, &highest) {
                continue;
            }
            let limit = limit.min(ghosts.len() + MOST_OF_ONE);
            lattice.each_image(&lowest, &highest, &mut |from_cell, shift| {
                if from_cell == [0; 3] {
                    return Ok(());
                }
                if ghosts.len() == limit {
                    return Err(ContactsError::TooManyImages { body: members[member] as usize, limit });
                }
                ghosts.push(Image { member: member as u32, from_cell, shift });
                Ok(())
            })?;
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

    /// Names the pairs of bodies that one chunk of the sweep over [`Images::bounds`] finds, each image of a pair once,
    /// in no particular order. `pairs` is memory to work in.
    pub fn each_pair(
        &self,
        sweep: &ColumnSweep<S>,
        chunk: usize,
        filters: &Filters<'_>,
        lattice: &Lattice<S>,
        pairs: &mut Vec<[u32; 2]>,
        mut found: impl FnMut([u32; 2], [i32; 3]),
    ) {
        let Self { members, cells, ghosts, .. } = self;
        let count = members.len() as u32;
        let member = |at: u32| members[at as usize];
        // Each image of a pair is seen from both sides: from the lower body it counts.
        let wanted = |a: u32, b: u32| {
            if a >= count {
                return false;
            }
            let Some(image) = b.checked_sub(count).map(|at| ghosts[at as usize]) else {
                return filters.meet(member(a), member(b));
            };
            match a.cmp(&image.member) {
                core::cmp::Ordering::Less => filters.meet(member(a), member(image.member)),
                core::cmp::Ordering::Equal => {
                    lattice.has_self_images() && image.from_cell > [0; 3] && filters.meets_itself(member(a))
                }
                core::cmp::Ordering::Greater => false,
            }
        };
        sweep.chunk_pairs(chunk, &wanted, pairs);
        for &[a, b] in &*pairs {
            let (b, from_cell) = match b.checked_sub(count) {
                None => (b, [0; 3]),
                Some(at) => (ghosts[at as usize].member, ghosts[at as usize].from_cell),
            };
            let (home_a, home_b) = (cells[a as usize], cells[b as usize]);
            let image = core::array::from_fn(|k| from_cell[k] + home_a[k] - home_b[k]);
            found([member(a), member(b)], image);
        }
    }
}

/// A box elsewhere, rounded outward.
fn moved<S: Dimension>((lower, upper): Corners<S>, shift: &S::Array<f64>) -> Corners<S> {
    // The sums are exact but for an `f64`'s rounding, which the next `f32` outward is far beyond.
    let out = |k: usize| f64::EPSILON * shift[k].abs();
    (
        S::array(|k| f32::round_down(f64::from(lower[k]) + shift[k] - out(k))),
        S::array(|k| f32::round_up(f64::from(upper[k]) + shift[k] + out(k))),
    )
}

type Corners<S> = (<S as Space>::Array<f32>, <S as Space>::Array<f32>);
