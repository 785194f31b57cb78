//! The pipeline over time: whatever happens between frames, each frame's contacts are those that an engine without a
//! memory finds for the same bodies, bit for bit; and events and data are what a plain map of pairs would tell.

use std::collections::BTreeMap;

use jostle::{
    Bodies, Body, D2, D3, Engine, Event, Frame, Handle, Lattice, Neighbours, Phase, Pipeline, PipelineError, Pose,
    Precision, Problem, Proximity, Shape, Skin, periodic_contacts,
};
use jostle_tests::{Ground, Kind, Random, Style, bits, draw_shape};

/// A pipeline under test, and what a user would know without it.
struct World<S: Ground, T: Precision> {
    pipeline: Pipeline<S, T, u64>,
    random: Random,
    handles: Vec<Handle>,
    stale: Vec<Handle>,
    shapes: usize,
    half_side: f64,
    /// The contacts of the last frame, and the number given to each when it began.
    known: BTreeMap<Key, u64>,
    numbers: u64,
    /// Where space repeats: where each body was in the last frame that it was sound in, and how often it was brought back
    /// into the cell until then.
    travels: BTreeMap<Handle, (S::Array<f64>, [i32; 3])>,
}

/// Two bodies, and which image of the second as if nobody had ever been brought back.
type Key = ([Handle; 2], [i32; 3]);
/// A row, and which image of its second body.
type Imaged<S, T> = (Proximity<S, T>, [i32; 3]);

fn any_shape<S: Ground>(random: &mut Random) -> Shape<S> {
    let kind = S::KINDS[random.below(S::KINDS.len())];
    let style = random.pick(&[Style::Even, Style::Even, Style::Even, Style::Plate, Style::Needle]);
    let size = random.log(0.3, 1.0);
    draw_shape::<S>(kind, style, size, random).shape().expect("drawn shapes are valid")
}

/// A rotation a little further.
fn nudge<S: Ground>(turn: S::Turn<f64>, by: f64, random: &mut Random) -> S::Turn<f64> {
    let mut turn = turn;
    turn.as_mut().iter_mut().for_each(|x| *x += random.range(-by, by));
    if S::DIMENSION == 3 {
        let norm = turn.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt();
        turn.as_mut().iter_mut().for_each(|x| *x /= norm);
    }
    turn
}

impl<S: Ground, T: Precision> World<S, T> {
    fn new(seed: u64, bodies: usize, half_side: f64) -> Self {
        let mut world = Self {
            pipeline: Pipeline::new(),
            random: Random::new(seed),
            handles: Vec::new(),
            stale: Vec::new(),
            shapes: 12,
            half_side,
            known: BTreeMap::new(),
            numbers: 0,
            travels: BTreeMap::new(),
        };
        for _ in 0..world.shapes {
            let shape = any_shape(&mut world.random);
            world.pipeline.add_shape(shape).expect("a dozen shapes");
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
            .with_turn(S::any_turn(random))
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

    /// What may happen to a scene between two frames.
    fn change(&mut self) {
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
                // Whoever leaves comes in from the other side: a teleport.
                let x = moved[k] + random.range(-step, step);
                if x.abs() > side { x - 2.0 * side * x.signum() } else { x }
            });
            if turning {
                let turned = &mut self.pipeline.turns_mut()[at];
                *turned = nudge::<S>(*turned, step, random);
            }
            if self.pipeline.lattice().repeats() && random.chance(0.1) {
                // Brought back into the cell, or taken out of it.
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
            self.change_of_terms();
        }
    }

    fn single_change(&mut self) {
        let handle = self.random.pick(&self.handles);
        let at = handle.index();
        match self.random.below(9) {
            0 => {
                let position = self.anywhere();
                let turn = S::any_turn(&mut self.random);
                self.pipeline.set_pose(handle, Pose { position, turn }).expect("a good pose");
            }
            1 => {
                let other = self.any_body();
                self.pipeline.set(handle, other).expect("a good body");
            }
            2 => {
                let body = self.pipeline.get(handle).expect("live");
                let fixed = !body.fixed;
                // Refused where the body is broken at present.
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
            6 => self.pipeline.turns_mut()[at] = S::array_turn(f64::INFINITY),
            7 => {
                let shape = any_shape(&mut self.random);
                let index = self.random.below(self.shapes) as u32;
                self.pipeline.replace_shape(index, shape).expect("it exists");
            }
            // Back to where it was in no time: nothing may be remembered of the way.
            _ => {
                let held = self.pipeline.get(handle).expect("live");
                self.pipeline.positions_mut()[at] = S::array(|_| 1e9);
                self.pipeline.positions_mut()[at] = held.position;
            }
        }
        // What is broken is mended now and then.
        for fault in self.pipeline.faults().to_vec() {
            if self.random.chance(0.5) && self.pipeline.contains(fault.body) {
                let position = self.anywhere();
                let turn = S::any_turn(&mut self.random);
                let at = fault.body.index();
                self.pipeline.positions_mut()[at] = position;
                self.pipeline.turns_mut()[at] = turn;
            }
        }
    }

    fn change_of_terms(&mut self) {
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

    /// The sound bodies alone, in the order of their slots.
    fn bare(&self) -> (Bodies<S>, Vec<u32>) {
        let (mut bodies, mut slots) = (Bodies::new(), Vec::new());
        for index in 0..self.shapes {
            let shape = self.pipeline.shape(index as u32).expect("it exists");
            bodies.add_shape(shape.clone()).expect("a dozen");
        }
        for handle in self.pipeline.handles() {
            let body = self.pipeline.get(handle).expect("live");
            if bodies.push(body).is_ok() {
                slots.push(handle.index() as u32);
            }
        }
        (bodies, slots)
    }

    /// What is found without a memory.
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
                return found.0.into_iter().map(|shifted| (shifted.row, shifted.image)).collect();
            }
            let mut rows = Vec::new();
            Engine::<S, T>::new().contacts(&bodies.columns(), margin, &mut rows).expect("a good scene");
            rows.into_iter().map(|row| (row, [0; 3])).collect()
        };
        let mut rows = within(margin);
        if ahead > 0.0 {
            let name = |(row, image): &Imaged<S, T>| (row.a, row.b, *image);
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

    /// A frame, held against all that is known.
    fn frame(&mut self) -> Frame {
        let frame = self.pipeline.update().expect("a good frame");
        let expected = self.anew();
        let repeats = self.pipeline.lattice().repeats();
        assert_eq!(self.pipeline.images().len(), if repeats { expected.len() } else { 0 });
        let image = |i: usize| self.pipeline.images().get(i).copied().unwrap_or_default();
        let found = self.pipeline.contacts().iter().enumerate().map(|(i, row)| (row.a, row.b, image(i)));
        let wanted = expected.iter().map(|(row, image)| (row.a, row.b, *image));
        assert_eq!(found.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
        for (found, (expected, _)) in self.pipeline.contacts().iter().zip(&expected) {
            assert_eq!(bits(found), bits(expected), "{} and {}", found.a, found.b);
        }
        self.follow();
        self.check_memory();
        frame
    }

    /// Notes who was brought back into the cell: whoever has come farther than to the next image.
    fn follow(&mut self) {
        let lattice = *self.pipeline.lattice();
        for handle in self.pipeline.handles().collect::<Vec<_>>() {
            let body = self.pipeline.get(handle).expect("live");
            if !body.position.as_ref().iter().chain(body.turn.as_ref()).all(|x| x.is_finite()) {
                continue;
            }
            let (last, wraps) = self.travels.get(&handle).copied().unwrap_or((body.position, [0; 3]));
            let mut offset: S::Array<f64> = S::array(|k| body.position[k] - last[k]);
            let mut wraps = wraps;
            for axis in (0..S::DIMENSION).rev() {
                let one = lattice.shift(core::array::from_fn(|k| i32::from(k == axis)));
                let count = if one[axis] > 0.0 { (offset[axis] / one[axis]).round() } else { 0.0 };
                offset = S::array(|k| offset[k] - count * one[k]);
                wraps[axis] -= count as i32;
            }
            self.travels.insert(handle, (body.position, wraps));
        }
    }

    /// What contact `i` is known by.
    fn key(&self, i: usize) -> Key {
        let handles = self.pipeline.key(&self.pipeline.contacts()[i]);
        let [of_a, of_b] = handles.map(|handle| self.travels.get(&handle).map_or([0; 3], |(_, wraps)| *wraps));
        let image = self.pipeline.images().get(i).copied().unwrap_or_default();
        (handles, core::array::from_fn(|k| image[k] + of_a[k] - of_b[k]))
    }

    /// Events, phases, data and faults.
    fn check_memory(&mut self) {
        let mut known = BTreeMap::new();
        let mut events: Vec<([usize; 2], bool, [Handle; 2])> = Vec::new();
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
                events.push((slots(handles), true, handles));
                self.numbers += 1;
                known.insert(key, self.numbers);
            }
        }
        for &(handles, _) in self.known.keys().filter(|key| !known.contains_key(*key)) {
            events.push((slots(handles), false, handles));
        }
        events.sort();
        let mut told: Vec<_> = self
            .pipeline
            .events()
            .iter()
            .map(|event| (slots(event.pair()), matches!(event, Event::Began(_)), event.pair()))
            .collect();
        if self.pipeline.lattice().repeats() {
            // The images of a pair come one after the other.
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
            let body = self.pipeline.get(*handle).expect("live");
            body.position.as_ref().iter().chain(body.turn.as_ref()).any(|x| !x.is_finite())
        };
        let faulty: Vec<Handle> = self.pipeline.handles().filter(broken).collect();
        assert_eq!(self.pipeline.faults().iter().map(|fault| fault.body).collect::<Vec<_>>(), faulty);
        for &handle in self.stale.iter().rev().take(5) {
            assert_eq!(self.pipeline.get(handle).err(), Some(PipelineError::Stale(handle)));
        }
    }
}

/// A rotation of equal numbers.
trait Turned: Ground {
    fn array_turn(value: f64) -> Self::Turn<f64>;
}
impl<S: Ground> Turned for S {
    fn array_turn(value: f64) -> S::Turn<f64> {
        let mut turn = S::identity_turn();
        turn.as_mut().fill(value);
        turn
    }
}

fn anything_may_happen<S: Ground, T: Precision>(seed: u64, bodies: usize, half_side: f64, frames: usize) {
    let mut world = World::<S, T>::new(seed, bodies, half_side);
    world.pipeline.set_margin(0.1).expect("good");
    let (mut contacts, mut kept, mut mended, mut rested) = (0, 0, 0, 0);
    for _ in 0..frames {
        world.change();
        let frame = world.frame();
        contacts += frame.contacts;
        kept += usize::from(frame.renewed == 0);
        mended += usize::from(frame.renewed > 0 && frame.renewed * 8 < frame.bodies);
        rested += world.pipeline.phases().iter().filter(|&&phase| phase == Phase::Rests).count();
    }
    // All of it was put to use.
    assert!(
        contacts > frames && kept > frames / 50 && mended > frames / 50 && rested > 0,
        "{contacts} {kept} {mended}"
    );
}

#[test]
fn anything_may_happen_in_the_plane() {
    anything_may_happen::<D2, f32>(1, 60, 6.0, 2500);
    anything_may_happen::<D2, f64>(2, 40, 5.0, 600);
}

#[test]
fn anything_may_happen_in_space() {
    anything_may_happen::<D3, f32>(3, 60, 2.2, 1500);
    anything_may_happen::<D3, f64>(4, 40, 2.0, 300);
}

/// The same where space repeats, in all ways that it can, one after the other: contacts go on as the cell changes, and those
/// of images end where it opens.
fn anything_may_happen_around<S: Ground, T: Precision>(seed: u64, bodies: usize, half_side: f64, frames: usize) {
    let mut world = World::<S, T>::new(seed, bodies, half_side);
    world.pipeline.set_margin(0.1).expect("good");
    let side = 2.0 * half_side;
    let lattices = [
        Lattice::orthogonal(S::array(|_| side)),
        Lattice::orthogonal(S::array(|_| side)).map(Lattice::with_self_images),
        Lattice::orthogonal(S::array(|k| if k == 0 { side } else { 0.0 })),
        Lattice::orthogonal(S::array(|k| if k == 0 { 0.0 } else { 0.9 * side })),
        // Narrower than some bodies are long.
        Lattice::orthogonal(S::array(|k| if k == 0 { 0.7 } else { side })).map(Lattice::with_self_images),
        Lattice::triclinic(
            &[
                S::array(|k| [1.1 * side, 0.0, 0.0][k]),
                S::array(|k| [0.4 * side, side, 0.0][k]),
                S::array(|k| [-0.3 * side, 0.2 * side, side][k]),
            ][..S::DIMENSION],
        ),
        Ok(Lattice::default()),
    ];
    let lattices = lattices.map(|lattice| lattice.expect("a good lattice"));
    let (mut contacts, mut far, mut kept, mut rested) = (0, 0, 0, 0);
    for frame in 0..frames {
        if frame % 40 == 0 {
            world.pipeline.set_lattice(lattices[frame / 40 % lattices.len()]);
        }
        world.change();
        let frame = world.frame();
        contacts += frame.contacts;
        far += world.pipeline.images().iter().filter(|image| **image != [0; 3]).count();
        kept += usize::from(frame.renewed == 0);
        rested += world.pipeline.phases().iter().filter(|&&phase| phase == Phase::Rests).count();
    }
    assert!(contacts > frames && far > frames && kept > frames / 50 && rested > 0, "{contacts} {far} {kept} {rested}");
}

#[test]
fn anything_may_happen_where_the_plane_repeats() {
    anything_may_happen_around::<D2, f32>(31, 40, 5.0, 1400);
    anything_may_happen_around::<D2, f64>(32, 30, 4.0, 420);
}

#[test]
fn anything_may_happen_where_space_repeats() {
    anything_may_happen_around::<D3, f32>(33, 40, 2.0, 840);
    anything_may_happen_around::<D3, f64>(34, 30, 1.8, 280);
}

/// Everybody goes his way, turning, and comes back at the ends: lists live for a few frames, and pairs that were far apart
/// on them meet before they end.
fn everybody_goes_his_way<S: Ground>(seed: u64, bodies: usize, half_side: f64, frames: usize) {
    for skin in [Skin::Auto, Skin::Fixed(0.02), Skin::Fixed(0.1), Skin::Fixed(0.6)] {
        let mut world = World::<S, f32>::new(seed, bodies, half_side);
        world.pipeline.set_margin(0.02).expect("good");
        world.pipeline.set_skin(skin).expect("good");
        let mut kept = 0;
        for frame in 0..frames {
            for &handle in &world.handles {
                let (at, random) = (handle.index(), &mut world.random);
                if frame == 0 {
                    world.pipeline.velocities_mut()[at] = S::array(|_| random.range(-0.01, 0.01));
                }
                let velocity = world.pipeline.velocities()[at];
                let position = world.pipeline.positions()[at];
                let out = |k: usize| position[k].abs() > half_side && position[k] * velocity[k] > 0.0;
                let velocity = S::array(|k| if out(k) { -velocity[k] } else { velocity[k] });
                world.pipeline.velocities_mut()[at] = velocity;
                world.pipeline.positions_mut()[at] = S::array(|k| position[k] + velocity[k]);
                let turned = &mut world.pipeline.turns_mut()[at];
                *turned = nudge::<S>(*turned, 0.01, random);
            }
            kept += usize::from(world.frame().renewed == 0);
        }
        assert!(kept > frames / 20 || skin == Skin::Fixed(0.02), "{kept} of {frames} lists kept with {skin:?}");
    }
}

#[test]
fn nobody_is_missed_while_lists_are_kept() {
    everybody_goes_his_way::<D2>(21, 150, 8.0, 400);
    everybody_goes_his_way::<D3>(22, 150, 3.0, 250);
}

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(work)
}

/// Everything that a frame tells, as bits.
type Told = (Vec<Vec<u64>>, Vec<Phase>, Vec<Event>, Vec<u64>);

fn told<S: Ground, T: Precision>(pipeline: &Pipeline<S, T, u64>) -> Told {
    let rows = pipeline.contacts().iter().map(bits).collect();
    (rows, pipeline.phases().to_vec(), pipeline.events().to_vec(), pipeline.data().to_vec())
}

/// A crowd in which everybody walks, some sleep, and one in a hundred comes and goes each frame.
struct Crowd<S: Ground> {
    pipeline: Pipeline<S, f32, u64>,
    random: Random,
    handles: Vec<Handle>,
    half_side: f64,
}

impl<S: Ground> Clone for Crowd<S> {
    fn clone(&self) -> Self {
        let Self { pipeline, random, handles, half_side } = self;
        Self { pipeline: pipeline.clone(), random: random.clone(), handles: handles.clone(), half_side: *half_side }
    }
}

impl<S: Ground> Crowd<S> {
    fn new(bodies: usize, half_side: f64) -> Self {
        let mut crowd = Self { pipeline: Pipeline::new(), random: Random::new(7), handles: Vec::new(), half_side };
        for kind in [Kind::Ball, Kind::Ball, Kind::Capsule, Kind::Box, Kind::Hull] {
            let shape = draw_shape::<S>(kind, Style::Even, 0.5, &mut crowd.random).shape().expect("valid");
            crowd.pipeline.add_shape(shape).expect("a few");
        }
        crowd.pipeline.set_margin(0.1).expect("good");
        for _ in 0..bodies {
            crowd.enter();
        }
        crowd
    }
    fn enter(&mut self) {
        let Self { random, half_side, .. } = self;
        let place = S::array(|_| random.range(-*half_side, *half_side));
        let body = Body::new(random.below(5) as u32, place).with_turn(S::any_turn(random));
        self.handles.push(self.pipeline.insert(body).expect("good"));
    }
    fn step(&mut self) {
        for _ in 0..self.handles.len() / 100 {
            let at = self.random.below(self.handles.len());
            let handle = self.handles.swap_remove(at);
            self.pipeline.remove(handle).expect("it is there");
        }
        for _ in 0..self.handles.len() / 100 {
            self.enter();
        }
        let Self { pipeline, random, .. } = self;
        for position in pipeline.positions_mut() {
            *position = S::array(|k| position[k] + random.range(-0.01, 0.01));
        }
        pipeline.update().expect("a good frame");
        for data in pipeline.data_mut() {
            *data += 1;
        }
    }
}

fn equal_bits<S: Ground>(bodies: usize, half_side: f64, frames: usize, lattice: Lattice<S>) {
    let run = |threads: usize| {
        on_threads(threads, || {
            let mut crowd = Crowd::<S>::new(bodies, half_side);
            crowd.pipeline.set_lattice(lattice);
            for _ in 0..frames {
                crowd.step();
            }
            told(&crowd.pipeline)
        })
    };
    let one = run(1);
    assert!(one.0.len() > bodies / 2, "{} contacts", one.0.len());
    for threads in [2, 3] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    // Few for long, and many, so that there is something to share.
    equal_bits::<D2>(500, 12.0, 1000, Lattice::default());
    equal_bits::<D2>(40_000, 110.0, 5, Lattice::default());
    equal_bits::<D3>(20_000, 14.0, 4, Lattice::default());
    equal_bits::<D2>(40_000, 110.0, 5, Lattice::orthogonal([220.0, 0.0]).expect("good"));
    equal_bits::<D3>(20_000, 14.0, 4, Lattice::orthogonal([28.0; 3]).expect("good"));
}

#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    goes_on_from_a_snapshot(Lattice::default());
    goes_on_from_a_snapshot(Lattice::orthogonal([48.0; 2]).expect("good"));
}

fn goes_on_from_a_snapshot(lattice: Lattice<D2>) {
    let mut crowd = Crowd::<D2>::new(2000, 24.0);
    crowd.pipeline.set_lattice(lattice);
    for _ in 0..20 {
        crowd.step();
    }
    let mut snapshot = crowd.clone();
    let mut later = Vec::new();
    for _ in 0..30 {
        crowd.step();
        later.push(told(&crowd.pipeline));
    }
    for expected in later {
        snapshot.step();
        assert!(told(&snapshot.pipeline) == expected);
    }
}

#[test]
fn large_crowds_are_what_an_engine_finds() {
    // Enough for several stretches and regions, on two threads and with the list mended, kept and made anew.
    on_threads(2, || {
        let mut crowd = Crowd::<D2>::new(50_000, 120.0);
        for _ in 0..6 {
            crowd.step();
            let mut rows = Vec::new();
            let (mut bodies, mut slots) = (Bodies::new(), Vec::new());
            for index in 0..5 {
                bodies.add_shape(crowd.pipeline.shape(index).expect("five").clone()).expect("five");
            }
            for handle in crowd.pipeline.handles() {
                bodies.push(crowd.pipeline.get(handle).expect("live")).expect("sound");
                slots.push(handle.index() as u32);
            }
            Engine::<D2>::new().contacts(&bodies.columns(), 0.1, &mut rows).expect("good");
            assert_eq!(rows.len(), crowd.pipeline.contacts().len());
            for (mut expected, found) in rows.into_iter().zip(crowd.pipeline.contacts()) {
                [expected.a, expected.b] = [expected.a, expected.b].map(|index| slots[index as usize]);
                assert_eq!((found.a, found.b, bits(found)), (expected.a, expected.b, bits(&expected)));
            }
        }
    });
}

#[test]
fn large_crowds_are_what_is_found_from_scratch_where_space_repeats() {
    on_threads(2, || {
        let mut crowd = Crowd::<D3>::new(30_000, 16.0);
        crowd.pipeline.set_skin(Skin::Fixed(0.05)).expect("good");
        let lattice = Lattice::orthogonal([32.0; 3]).expect("good");
        crowd.pipeline.set_lattice(lattice);
        let mut neighbours = Neighbours::default();
        let mut far = 0;
        for frame in 0..5 {
            if frame % 2 == 0 {
                crowd.step();
            } else {
                // Everybody is brought back into the cell, and nothing else happens: the list is kept.
                for position in crowd.pipeline.positions_mut() {
                    *position = position.map(|x| x.rem_euclid(32.0));
                }
                let contacts = crowd.pipeline.contacts().len();
                let frame = crowd.pipeline.update().expect("good");
                assert_eq!((frame.began, frame.ended, frame.contacts, frame.renewed), (0, 0, contacts, 0));
            }
            let bodies = crowd.pipeline.bodies().columns();
            let (mut rows, _) = periodic_contacts::<f32, _, _>(&bodies, &lattice, 0.1, u64::MAX).expect("good");
            // Some slots are vacant, and hold whoever left last.
            let here = |slot: u32| crowd.pipeline.handle_at(slot as usize).is_some();
            rows.retain(|shifted| here(shifted.row.a) && here(shifted.row.b));
            assert_eq!(rows.len(), crowd.pipeline.contacts().len());
            for (i, (expected, found)) in rows.iter().zip(crowd.pipeline.contacts()).enumerate() {
                assert_eq!(bits(found), bits(&expected.row));
                assert_eq!(crowd.pipeline.images()[i], expected.image);
            }
            far += rows.iter().filter(|shifted| shifted.image != [0; 3]).count();
            // Seen from either body, the two points are beside it and `distance` apart.
            crowd.pipeline.neighbours(0.05, 3, &mut neighbours).expect("within the margin");
            for (slot, position) in crowd.pipeline.positions().iter().enumerate() {
                for near in neighbours.of(slot) {
                    let off = |point: [f64; 3]| (0..3).map(|k| (point[k] - position[k]).abs()).fold(0.0, f64::max);
                    assert!(off(near.own_point) < 2.0 && off(near.point) < 2.0, "{slot} {near:?} at {position:?}");
                    let apart = |k: usize| near.point[k] - near.own_point[k];
                    let along: f64 = (0..3).map(|k| apart(k) * f64::from(near.direction[k])).sum();
                    assert!((along - f64::from(near.distance)).abs() < 1e-4, "{near:?}");
                }
            }
        }
        assert!(far > 1000, "{far}");
    });
}

#[test]
fn whoever_is_broken_is_named_and_left_out() {
    let mut row = Pipeline::<D2>::new();
    let disc = row.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let bodies: Vec<Handle> =
        (0..5).map(|x| row.insert(Body::new(disc, [0.75 * f64::from(x), 0.0])).expect("good")).collect();
    let frame = row.update().expect("good");
    assert_eq!((frame.contacts, frame.faulty), (4, 0));
    row.positions_mut()[bodies[2].index()][1] = f64::NAN;
    for _ in 0..3 {
        let frame = row.update().expect("the rest goes on");
        assert_eq!((frame.contacts, frame.faulty), (2, 1));
        assert_eq!(row.faults()[0].body, bodies[2]);
        assert!(matches!(row.faults()[0].problem, Problem::Position { axis: 1, .. }));
    }
    row.positions_mut()[bodies[2].index()][1] = 0.0;
    let frame = row.update().expect("good");
    assert_eq!((frame.contacts, frame.began, frame.faulty), (4, 2, 0));
}

#[test]
fn refusals_name_what_they_refuse_and_change_nothing() {
    let mut two = Pipeline::<D2>::new();
    let disc = two.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let [a, b] = [0.0, 0.75].map(|x| two.insert(Body::new(disc, [x, 0.0])).expect("good"));
    two.update().expect("good");
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e16] {
        assert!(matches!(two.set_margin(bad), Err(PipelineError::Margin(_))));
        assert!(matches!(two.set_skin(Skin::Fixed(bad)), Err(PipelineError::Skin(_))));
        assert!(matches!(two.set_look_ahead(bad), Err(PipelineError::LookAhead(_))));
    }
    assert_eq!(
        two.set_margin(-1.0).unwrap_err().to_string(),
        "the margin is -1, which is not a finite number between 0 and 1e15"
    );
    assert!(matches!(two.insert(Body::new(7, [0.0; 2])), Err(PipelineError::MissingShape(7))));
    assert!(matches!(two.insert(Body::new(disc, [f64::NAN; 2])), Err(PipelineError::Body(_))));
    let short = two.set_positions(&[[0.0; 2]]).unwrap_err();
    assert_eq!(short, PipelineError::Length { column: "position", found: 1, expected: 2 });
    assert!(matches!(two.set_turns(&[[0.0]; 3]), Err(PipelineError::Length { column: "rotation", .. })));
    assert!(matches!(two.set_velocities(&[]), Err(PipelineError::Length { column: "velocity", .. })));
    let shape = two.remove_shape(disc).unwrap_err();
    assert_eq!(shape.to_string(), "shape 0 is in use by 2 bodies");
    assert_eq!(
        two.neighbours(0.5, 3, &mut Neighbours::default()).unwrap_err(),
        PipelineError::Radius { radius: 0.5, margin: 0.0 }
    );
    two.remove(a).expect("it is there");
    for result in [two.get(a).err(), two.remove(a).err(), two.sleep(a).err(), two.set_pose(a, Pose::at([0.0; 2])).err()]
    {
        assert_eq!(result, Some(PipelineError::Stale(a)));
    }
    assert_eq!(PipelineError::Stale(a).to_string(), "the handle 0.0 is stale: its body was removed");
    let c = two.insert(Body::new(disc, [0.25, 0.0])).expect("good");
    assert_eq!((c.index(), two.contains(a)), (a.index(), false));
    two.update().expect("good");
    // The slot changed hands: one contact ended and another began.
    assert_eq!(two.events(), [Event::Ended([a, b]), Event::Began([c, b])]);
}

#[test]
fn too_many_pairs_are_an_error_and_then_all_goes_on() {
    let mut heap = Pipeline::<D2, f32, u64>::new();
    let disc = heap.add_shape(Shape::ball(0.5).expect("good")).expect("one");
    let handles: Vec<Handle> = (0..100).map(|_| heap.insert(Body::new(disc, [0.0; 2])).expect("good")).collect();
    heap.set_limit(1000);
    assert!(matches!(heap.update(), Err(PipelineError::TooManyPairs(_))));
    assert!(heap.contacts().is_empty());
    for handle in &handles[20..] {
        heap.remove(*handle).expect("it is there");
    }
    assert_eq!(heap.update().expect("few enough").contacts, 190);
    heap.data_mut().fill(5);
    let more: Vec<Handle> = (0..60).map(|_| heap.insert(Body::new(disc, [0.1, 0.0])).expect("good")).collect();
    heap.positions_mut()[0] = [0.3, 0.0];
    assert!(heap.update().is_err());
    assert_eq!(heap.contacts().len(), 190); // those of the last good frame
    for handle in more {
        heap.remove(handle).expect("it is there");
    }
    let frame = heap.update().expect("few enough");
    assert_eq!((frame.contacts, frame.began, frame.ended), (190, 0, 0));
    assert!(heap.data().iter().all(|&data| data == 5));
    assert_eq!(heap.contacts()[0].distance, -0.7);
}

#[test]
fn neighbours_are_the_nearest_of_all() {
    let mut world = World::<D2, f32>::new(11, 80, 5.0);
    world.pipeline.set_margin(1.5).expect("good");
    let mut neighbours = Neighbours::default();
    for _ in 0..40 {
        world.change();
        world.pipeline.set_look_ahead(0.0).expect("good");
        world.pipeline.set_margin(1.5).expect("good");
        world.pipeline.update().expect("good");
        let (radius, most) = (world.random.range(0.0, 1.5), world.random.below(6));
        world.pipeline.neighbours(radius, most, &mut neighbours).expect("within the margin");
        for slot in 0..world.pipeline.slots() {
            let agent = world.pipeline.handle_at(slot).filter(|&h| !world.pipeline.get(h).expect("live").fixed);
            let mut near: Vec<(f32, u32)> = world
                .pipeline
                .contacts()
                .iter()
                .filter(|row| f64::from(row.distance) <= radius && agent.is_some())
                .filter_map(|row| match slot as u32 {
                    slot if slot == row.a => Some((row.distance, row.b)),
                    slot if slot == row.b => Some((row.distance, row.a)),
                    _ => None,
                })
                .collect();
            near.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
            near.truncate(most);
            let found: Vec<(f32, u32)> = neighbours.of(slot).iter().map(|n| (n.distance, n.body)).collect();
            assert_eq!(found, near);
        }
    }
    assert!(neighbours.of(1_000_000).is_empty());
}
