//! A pipeline with random changes between frames, and what its frames are checked against.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::claim::{allowed, cheap, tolerance};
use crate::{Ground, Random, Style, bits, draw_shape};
use jostle::{
    Bodies, Body, Engine, Event, Frame, Handle, Lattice, Phase, Pipeline, PipelineError, Pose, Precision, Proximity,
    Shape, Skin, periodic_contacts,
};

/// A pipeline under test, and what is known about it independently.
pub struct Frames<S: Ground, T: Precision> {
    /// The pipeline under test.
    pub pipeline: Pipeline<S, T, u64>,
    /// The source of all changes.
    pub random: Random,
    /// The bodies in it.
    pub handles: Vec<Handle>,
    /// Handles of bodies that were removed.
    stale: Vec<Handle>,
    styles: &'static [Style],
    shapes: usize,
    half_side: f64,
    /// The contacts of the last frame, and the number given to each when it began.
    known: BTreeMap<Key, u64>,
    numbers: u64,
    /// With a warm start: the number of rows with other bits than without.
    pub differing: usize,
    /// Whether the last frame used a visitor.
    visits: bool,
    /// In repeating space: the position of each body in the last frame in which it was valid, and how often it had been
    /// wrapped along each axis by then.
    travels: BTreeMap<Handle, (S::Array<f64>, [i32; 3])>,
    /// The lattice of the last frame.
    travelled_in: Lattice<S>,
}

/// Two bodies, and which image of the second, as if no body had ever been wrapped.
type Key = ([Handle; 2], [i32; 3]);
/// A row, and which image of its second body.
type Imaged<S, T> = (Proximity<S, T>, [i32; 3]);

/// The multiples of a lattice's vectors in an offset, each rounded, the last vector first, and the rest.
fn reduced<S: Ground>(lattice: &Lattice<S>, mut offset: S::Array<f64>) -> ([i32; 3], S::Array<f64>) {
    let mut counts = [0; 3];
    for axis in (0..S::DIMENSION).rev() {
        let one = lattice.shift(core::array::from_fn(|k| i32::from(k == axis)));
        let count = if one[axis] > 0.0 { (offset[axis] / one[axis]).round() } else { 0.0 };
        offset = S::array(|k| offset[k] - count * one[k]);
        counts[axis] = count as i32;
    }
    (counts, offset)
}

fn squared<S: Ground>(offset: &S::Array<f64>) -> f64 {
    offset.as_ref().iter().map(|x| x * x).sum()
}

fn is_finite<S: Ground>(body: &Body<S>) -> bool {
    body.position.as_ref().iter().chain(body.rotation.as_ref()).all(|x| x.is_finite())
}

/// The bodies and the image of a row.
fn name<S: Ground, T: Precision>((row, image): &Imaged<S, T>) -> (u32, u32, [i32; 3]) {
    (row.a, row.b, *image)
}

/// The styles of most worlds.
const STYLES: [Style; 5] = [Style::Even, Style::Even, Style::Even, Style::Plate, Style::Needle];

fn any_shape<S: Ground>(styles: &[Style], random: &mut Random) -> Shape<S> {
    let kind = S::KINDS[random.below(S::KINDS.len())];
    let style = random.pick(styles);
    let size = random.log(0.3, 1.0);
    draw_shape::<S>(kind, style, size, random).shape().expect("drawn shapes are valid")
}

/// A rotation after a small random change.
pub fn nudge<S: Ground>(rotation: S::Rotation<f64>, by: f64, random: &mut Random) -> S::Rotation<f64> {
    let mut rotation = rotation;
    rotation.as_mut().iter_mut().for_each(|x| *x += random.range(-by, by));
    if S::DIMENSION == 3 {
        let norm = rotation.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt();
        rotation.as_mut().iter_mut().for_each(|x| *x /= norm);
    }
    rotation
}

impl<S: Ground, T: Precision> Frames<S, T> {
    /// Bodies of a few shapes, anywhere in a box about the origin.
    ///
    /// # Panics
    /// If something is refused that is valid.
    pub fn new(random: Random, shapes: usize, bodies: usize, half_side: f64) -> Self {
        Self::with_styles(&STYLES, random, shapes, bodies, half_side)
    }

    /// The same with shapes of such styles.
    ///
    /// # Panics
    /// If something is refused that is valid.
    pub fn with_styles(styles: &'static [Style], random: Random, shapes: usize, bodies: usize, half_side: f64) -> Self {
        let mut world = Self {
            pipeline: Pipeline::new(),
            random,
            handles: Vec::new(),
            stale: Vec::new(),
            styles,
            shapes,
            half_side,
            known: BTreeMap::new(),
            numbers: 0,
            differing: 0,
            visits: false,
            travels: BTreeMap::new(),
            travelled_in: Lattice::default(),
        };
        for _ in 0..world.shapes {
            let shape = any_shape(world.styles, &mut world.random);
            world.pipeline.add_shape(shape).expect("a few shapes");
        }
        for _ in 0..bodies {
            world.insert();
        }
        world
    }

    fn anywhere(&mut self) -> S::Array<f64> {
        let Self { random, half_side, .. } = self;
        S::array(|_| random.range(-*half_side, *half_side))
    }

    fn any_body(&mut self) -> Body<S> {
        let position = self.anywhere();
        let random = &mut self.random;
        let mut body = Body::new(random.below(self.shapes) as u32, position)
            .with_rotation(S::any_rotation(random))
            .with_velocity(S::array(|_| random.range(-1.0, 1.0)));
        if random.chance(0.2) {
            body = body.fixed();
        }
        if random.chance(0.2) {
            body = body.with_group(1 << random.below(3)).with_mask(random.below(8) as u32);
        }
        if random.chance(0.2) {
            body = body.with_parent(random.below(4) as u32);
        }
        body
    }

    fn insert(&mut self) {
        let body = self.any_body();
        let handle = self.pipeline.insert(body).expect("a good body");
        self.handles.push(handle);
    }

    fn remove(&mut self) {
        if self.handles.len() > 2 {
            let at = self.random.below(self.handles.len());
            let handle = self.handles.swap_remove(at);
            self.pipeline.remove(handle).expect("it is there");
            self.stale.push(handle);
        }
    }

    /// Makes random changes between two frames.
    ///
    /// # Panics
    /// If something is refused that is valid.
    pub fn change(&mut self) {
        let step = self.random.log(1e-4, 0.3);
        let share = self.random.pick(&[0.0, 0.02, 0.5, 1.0]);
        let turning = self.random.chance(0.5);
        for &handle in &self.handles {
            let random = &mut self.random;
            if !random.chance(share) || self.pipeline.get(handle).expect("live").fixed && random.chance(0.95) {
                continue;
            }
            let at = handle.index();
            let moved = &mut self.pipeline.positions_mut()[at];
            let side = self.half_side;
            *moved = S::array(|k| {
                // A body that leaves the box enters on the other side: a teleport.
                let x = moved[k] + random.range(-step, step);
                if x.abs() > side { x - 2.0 * side * x.signum() } else { x }
            });
            if turning {
                let turned = &mut self.pipeline.rotations_mut()[at];
                *turned = nudge::<S>(*turned, step, random);
            }
            if self.pipeline.lattice().repeats() && random.chance(0.1) {
                // Moved by whole vectors of the lattice.
                let shift = self.pipeline.lattice().shift([(); 3].map(|()| random.below(3) as i32 - 1));
                let moved = &mut self.pipeline.positions_mut()[at];
                *moved = S::array(|k| moved[k] + shift[k]);
            }
            if random.chance(0.1) {
                self.pipeline.velocities_mut()[at] = S::array(|_| random.range(-2.0, 2.0));
            }
        }
        if self.random.chance(0.3) {
            for _ in 0..self.random.below(4) {
                self.remove();
            }
            for _ in 0..self.random.below(4) {
                self.insert();
            }
        }
        if self.random.chance(0.3) {
            self.single_change();
        }
        if self.random.chance(0.03) {
            self.change_settings();
        }
        if self.random.chance(0.1) {
            self.litter();
        }
    }

    fn single_change(&mut self) {
        let handle = self.random.pick(&self.handles);
        let at = handle.index();
        match self.random.below(10) {
            0 => {
                let position = self.anywhere();
                let rotation = S::any_rotation(&mut self.random);
                self.pipeline.set_pose(handle, Pose { position, rotation }).expect("a good pose");
            }
            1 => {
                let other = self.any_body();
                self.pipeline.set(handle, other).expect("a good body");
            }
            2 => {
                let body = self.pipeline.get(handle).expect("live");
                let fixed = !body.fixed;
                // Refused if the body is invalid at present.
                let _ = self.pipeline.set(handle, Body { fixed, ..body });
            }
            3 => {
                for _ in 0..20 {
                    let handle = self.random.pick(&self.handles);
                    self.pipeline.sleep(handle).expect("live");
                }
            }
            4 => self.pipeline.wake(handle).expect("live"),
            5 => self.pipeline.positions_mut()[at] = S::array(|_| f64::NAN),
            6 => self.pipeline.rotations_mut()[at] = S::array_rotation(f64::INFINITY),
            7 => {
                let shape = any_shape(self.styles, &mut self.random);
                let index = self.random.below(self.shapes) as u32;
                self.pipeline.replace_shape(index, shape).expect("it exists");
            }
            // Without effect unless there is a look-ahead.
            8 => self.pipeline.velocities_mut()[at] = S::array(|_| f64::NAN),
            // Far away and back before the next frame: the pipeline must not remember it.
            _ => {
                let held = self.pipeline.get(handle).expect("live");
                self.pipeline.positions_mut()[at] = S::array(|_| 1e9);
                self.pipeline.positions_mut()[at] = held.position;
            }
        }
        // Invalid bodies are repaired now and then.
        for fault in self.pipeline.faults().to_vec() {
            if self.random.chance(0.5) && self.pipeline.contains(fault.body) {
                let position = self.anywhere();
                let rotation = S::any_rotation(&mut self.random);
                let at = fault.body.index();
                self.pipeline.positions_mut()[at] = position;
                self.pipeline.rotations_mut()[at] = rotation;
                self.pipeline.velocities_mut()[at] = S::array(|_| 0.5);
            }
        }
    }

    /// Writes anything to a free slot, as a user may who writes whole columns.
    fn litter(&mut self) {
        let slot = self.random.below(self.pipeline.slots());
        if self.pipeline.handle_at(slot as u32).is_none() {
            let world = self.pipeline.columns_mut();
            let value = self.random.pick(&[f64::NAN, f64::INFINITY, 1e300, 7.0]);
            (world.position[slot], world.velocity[slot]) = (S::array(|_| value), S::array(|_| value));
            world.rotation[slot] = S::array_rotation(value);
        }
    }

    fn change_settings(&mut self) {
        let random = &mut self.random;
        match random.below(3) {
            0 => self.pipeline.set_margin(random.pick(&[0.0, 0.01, 0.1, 0.5])).expect("good"),
            1 => {
                let skin = random.pick(&[Skin::Auto, Skin::Fixed(0.0), Skin::Fixed(0.05), Skin::Fixed(0.4)]);
                self.pipeline.set_skin(skin).expect("good");
            }
            _ => self.pipeline.set_look_ahead(random.pick(&[0.0, 0.0, 0.1])).expect("good"),
        }
    }

    /// The valid bodies alone, in the order of their slots, and the slots.
    fn bare(&self) -> (Bodies<S>, Vec<u32>) {
        let (mut bodies, mut slots) = (Bodies::new(), Vec::new());
        for index in 0..self.shapes {
            let shape = self.pipeline.shape(index as u32).expect("it exists");
            bodies.add_shape(shape.clone()).expect("a few");
        }
        for handle in self.pipeline.handles() {
            if bodies.push(self.seen(handle)).is_ok() {
                slots.push(handle.index() as u32);
            }
        }
        (bodies, slots)
    }

    /// A body as a frame uses it: without a look-ahead, velocities are ignored.
    fn seen(&self, handle: Handle) -> Body<S> {
        let body = self.pipeline.get(handle).expect("live");
        let velocity = if self.pipeline.look_ahead() > 0.0 { body.velocity } else { S::array(|_| 0.0) };
        Body { velocity, ..body }
    }

    /// The bodies of all slots, with a substitute in those that are free or whose body is invalid.
    fn by_slot(&self) -> Bodies<S> {
        let (mut bodies, _) = self.bare();
        let (shapes, substitute) = (bodies.clone(), Body::new(0, S::array(|_| 0.0)));
        bodies.clear();
        for slot in 0..self.pipeline.slots() {
            let body = self.pipeline.handle_at(slot as u32).map(|handle| self.seen(handle));
            bodies.push(body.filter(|body| shapes.check(slot, body).is_ok()).unwrap_or(substitute)).expect("good");
        }
        bodies
    }

    /// The contacts as found from scratch.
    fn anew(&self) -> Vec<Imaged<S, T>> {
        let (bodies, slots) = self.bare();
        let (margin, ahead) = (self.pipeline.margin(), self.pipeline.look_ahead());
        let velocities = bodies.velocities();
        let speed = |v: &S::Array<f64>| v.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt();
        let fastest = velocities.iter().map(speed).fold(0.0, f64::max);
        let within = |margin: f64| -> Vec<Imaged<S, T>> {
            let lattice = self.pipeline.lattice();
            if lattice.repeats() {
                let found = periodic_contacts(&bodies.columns(), lattice, margin, u64::MAX).expect("a good scene");
                return found.into_iter().map(|shifted| (shifted.row, shifted.image)).collect();
            }
            let mut rows = Vec::new();
            Engine::<S, T>::new().contacts(&bodies.columns(), margin, &mut rows).expect("a good scene");
            rows.into_iter().map(|row| (row, [0; 3])).collect()
        };
        let mut rows = within(margin);
        if ahead > 0.0 {
            let near: Vec<_> = rows.iter().map(name).collect();
            rows = within(margin + 2.1 * ahead * fastest);
            rows.retain(|found| {
                let row = &found.0;
                let (a, b) = (velocities[row.a as usize], velocities[row.b as usize]);
                let closing: f64 = (0..S::DIMENSION).map(|k| (a[k] - b[k]) * row.normal[k].to_f64()).sum();
                near.binary_search(&name(found)).is_ok() || row.distance.to_f64() - ahead * closing <= margin
            });
        }
        for (row, _) in &mut rows {
            [row.a, row.b] = [row.a, row.b].map(|index| slots[index as usize]);
        }
        rows
    }

    /// Runs a frame and checks everything about it.
    ///
    /// # Panics
    /// If something is wrong.
    pub fn frame(&mut self) -> Frame {
        // Every other frame uses a visitor, which gets the same contacts in pieces.
        self.visits = !self.visits;
        let frame = if self.visits {
            let seen = Mutex::new(Vec::new());
            let frame = self.pipeline.update_with(|piece| {
                let (images, rows) = (piece.images, piece.contacts.iter().zip(piece.phases).zip(piece.data.iter()));
                assert!(images.is_empty() || images.len() == rows.len());
                let image = |i: usize| images.get(i).copied().unwrap_or_default();
                let rows = rows.enumerate().map(|(i, ((row, phase), data))| (bits(row), image(i), *phase, *data));
                seen.lock().expect("no task panics").extend(rows);
            });
            let mut seen = seen.into_inner().expect("no task panics");
            seen.sort_by_key(|(row, image, ..)| (row[0], row[1], *image));
            let (phases, data) = (self.pipeline.phases(), self.pipeline.data());
            let rows = self.rows().into_iter().zip(phases.iter().zip(data));
            let mut whole: Vec<_> =
                rows.map(|((row, image), (phase, data))| (bits(&row), image, *phase, *data)).collect();
            // The images of one pair are ordered by where the two bodies were when they were listed.
            whole.sort_by_key(|(row, image, ..)| (row[0], row[1], *image));
            assert_eq!(seen, whole);
            frame.expect("a good frame")
        } else {
            self.pipeline.update().expect("a good frame")
        };
        let expected = self.anew();
        let repeats = self.pipeline.lattice().repeats();
        assert_eq!(self.pipeline.images().len(), if repeats { expected.len() } else { 0 });
        if self.pipeline.warm_start() {
            self.agrees(&expected);
        } else {
            let found = self.rows();
            let names = |rows: &[Imaged<S, T>]| rows.iter().map(name).collect::<Vec<_>>();
            assert_eq!(names(&found), names(&expected));
            for ((found, _), (expected, _)) in found.iter().zip(&expected) {
                assert_eq!(bits(found), bits(expected), "{} and {}", found.a, found.b);
            }
        }
        self.follow();
        self.check_memory();
        frame
    }

    /// The contacts, each with its image.
    fn rows(&self) -> Vec<Imaged<S, T>> {
        let image = |i: usize| self.pipeline.images().get(i).copied().unwrap_or_default();
        self.pipeline.contacts().iter().enumerate().map(|(i, row)| (*row, image(i))).collect()
    }

    /// Checks rows with a warm start: they are those found from scratch except for rounding, and their certificates
    /// hold.
    fn agrees(&mut self, expected: &[Imaged<S, T>]) {
        let (bodies, mut differing) = (self.by_slot(), 0);
        let bodies = bodies.columns();
        let mut expected: BTreeMap<_, _> = expected.iter().map(|found| (name(found), found.0)).collect();
        for found in self.rows() {
            let (row, image) = found;
            let wide = 2.0 * allowed(&bodies, &row);
            let Some(cold) = expected.remove(&name(&found)) else {
                assert!(self.is_at_the_margin(&row, wide), "only with a warm start: {row:?}");
                continue;
            };
            if image != [0; 3] {
                assert_eq!(bits(&row), bits(&cold), "images begin anew");
                continue;
            }
            assert_eq!((row.status, row.minimum), (cold.status, cold.minimum), "{row:?}\n{cold:?}");
            differing += usize::from(bits(&row) != bits(&cold));
            let off = (row.distance.to_f64() - cold.distance.to_f64()).abs();
            assert!(off <= wide, "{off:e} of {wide:e}\n{row:?}\n{cold:?}");
            if let Err(failures) = cheap(&bodies, &row, &tolerance(&row)) {
                panic!("{failures:?}\n{row:?}\n{cold:?}");
            }
        }
        for row in expected.values() {
            let wide = 2.0 * allowed(&bodies, row);
            assert!(self.is_at_the_margin(row, wide), "only without a warm start: {row:?}");
        }
        self.differing += differing;
    }

    /// True if rounding decides whether a row is within the margin.
    fn is_at_the_margin(&self, row: &Proximity<S, T>, wide: f64) -> bool {
        let beyond = row.distance.to_f64() - self.pipeline.margin();
        let velocity = |body: u32| self.pipeline.velocities()[body as usize];
        let (a, b) = (velocity(row.a), velocity(row.b));
        let closing: f64 = (0..S::DIMENSION).map(|k| (a[k] - b[k]) * row.normal[k].to_f64()).sum();
        // The error of a normal changes the speed at which two bodies approach.
        let ahead = self.pipeline.look_ahead();
        beyond.abs() <= wide || ahead > 0.0 && (beyond - ahead * closing).abs() <= wide + 1e-3 * ahead
    }

    /// Records which bodies were wrapped: those that are nearer to an image of their last position than to itself.
    fn follow(&mut self) {
        let lattice = *self.pipeline.lattice();
        let before = core::mem::replace(&mut self.travelled_in, lattice);
        let handles: Vec<Handle> = self.pipeline.handles().collect();
        // Whether bodies that were there and are sound have stayed where they were, or were moved along with the
        // vectors of a lattice that has changed.
        let changed = before.repeats() && before != lattice;
        let along = |last: S::Array<f64>| {
            let (place, cell) = before.wrap(last).ok()?;
            let shift = lattice.shift(cell);
            Some(S::array(|k| place[k] + shift[k]))
        };
        let way = |from: S::Array<f64>, to: S::Array<f64>| reduced(&lattice, S::array(|k| to[k] - from[k]));
        let (mut stayed, mut moved) = (0, 0);
        for handle in &handles {
            let body = self.pipeline.get(*handle).expect("live");
            let Some(&(last, _)) = self.travels.get(handle).filter(|_| changed && is_finite::<S>(&body)) else {
                continue;
            };
            let Some(along) = along(last) else { continue };
            let [one, other] = [last, along].map(|from| squared::<S>(&way(from, body.position).1));
            stayed += usize::from(one < 0.25 * other);
            moved += usize::from(other < 0.25 * one);
        }
        for handle in handles {
            let body = self.pipeline.get(handle).expect("live");
            if !is_finite::<S>(&body) {
                continue;
            }
            let (last, wraps) = self.travels.get(&handle).copied().unwrap_or((body.position, [0; 3]));
            let from = if moved > stayed { along(last).unwrap_or(last) } else { last };
            let counts = way(from, body.position).0;
            let wraps = core::array::from_fn(|axis| wraps[axis] - counts[axis]);
            self.travels.insert(handle, (body.position, wraps));
        }
    }

    /// The key of contact `i`.
    fn key(&self, i: usize) -> Key {
        let handles = self.pipeline.key(&self.pipeline.contacts()[i]);
        let [of_a, of_b] = handles.map(|handle| self.travels.get(&handle).map_or([0; 3], |(_, wraps)| *wraps));
        let image = self.pipeline.images().get(i).copied().unwrap_or_default();
        (handles, core::array::from_fn(|k| image[k] + of_a[k] - of_b[k]))
    }

    /// Checks events, phases, data and faults against the contacts of this frame and the last.
    fn check_memory(&mut self) {
        let mut known = BTreeMap::new();
        // Slots, whether it began, bodies, and the data of a contact that ended.
        let mut events: Vec<([usize; 2], bool, [Handle; 2], u64)> = Vec::new();
        let slots = |key: [Handle; 2]| key.map(Handle::index);
        for (i, row) in self.pipeline.contacts().iter().enumerate() {
            let key = self.key(i);
            let handles = key.0;
            assert_eq!(slots(handles), [row.a as usize, row.b as usize]);
            assert!(handles.iter().all(|&handle| self.pipeline.contains(handle)));
            let first = self.pipeline.find(handles[1], handles[0]).expect("there it is");
            assert!(first <= i && self.key(first).0 == handles && (first == 0 || self.key(first - 1).0 != handles));
            let (phase, data) = (self.pipeline.phases()[i], self.pipeline.data()[i]);
            if let Some(&number) = self.known.get(&key) {
                assert_eq!(data, number, "{key:?}");
                let rests = |handle: Handle| {
                    let fixed = self.pipeline.get(handle).expect("live").fixed;
                    [self.pipeline.is_asleep(handle).expect("live"), fixed]
                };
                let [a, b] = handles.map(rests);
                let rests = (a[0] && (b[0] || b[1])) || (b[0] && a[1]);
                assert!(phase == Phase::Persists || phase == Phase::Rests && rests);
                known.insert(key, number);
            } else {
                assert_eq!((phase, data), (Phase::Began, 0), "{key:?}");
                events.push((slots(handles), true, handles, 0));
                self.numbers += 1;
                known.insert(key, self.numbers);
            }
        }
        for (&(handles, _), &number) in self.known.iter().filter(|(key, _)| !known.contains_key(*key)) {
            events.push((slots(handles), false, handles, number));
        }
        events.sort();
        let mut ended = self.pipeline.ended_data().iter();
        let tell = |event: &Event| match *event {
            Event::Began(pair) => (slots(pair), true, pair, 0),
            Event::Ended(pair) => (slots(pair), false, pair, *ended.next().expect("one for each")),
        };
        let mut told: Vec<_> = self.pipeline.events().iter().map(tell).collect();
        assert!(ended.next().is_none(), "one for each");
        if self.pipeline.lattice().repeats() || self.known.keys().any(|(_, image)| *image != [0; 3]) {
            // The images of a pair come one after the other, also when the lattice was just removed and they end.
            assert!(told.is_sorted_by_key(|(slots, ..)| *slots));
            told.sort();
        }
        assert_eq!(told, events);
        for i in 0..self.pipeline.contacts().len() {
            let number = known[&self.key(i)];
            self.pipeline.data_mut()[i] = number;
        }
        self.known = known;
        let broken = |handle: &Handle| {
            let body = self.seen(*handle);
            let numbers = body.position.as_ref().iter().chain(body.rotation.as_ref()).chain(body.velocity.as_ref());
            numbers.into_iter().any(|x| !x.is_finite())
        };
        let faulty: Vec<Handle> = self.pipeline.handles().filter(broken).collect();
        assert_eq!(self.pipeline.faults().iter().map(|fault| fault.body).collect::<Vec<_>>(), faulty);
        for &handle in self.stale.iter().rev().take(5) {
            assert_eq!(self.pipeline.get(handle).err(), Some(PipelineError::Stale(handle)));
        }
    }
}

/// A rotation whose numbers are all the same.
trait Turned: Ground {
    fn array_rotation(value: f64) -> Self::Rotation<f64>;
}
impl<S: Ground> Turned for S {
    fn array_rotation(value: f64) -> S::Rotation<f64> {
        let mut rotation = S::identity_rotation();
        rotation.as_mut().fill(value);
        rotation
    }
}
