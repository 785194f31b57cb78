//! A custom shape that panics in the middle of a frame: the frame is lost, and the next one is as if it had not been.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use jostle::lanes::{Lanes, Scalar, Vec3, Vector};
use jostle::{Aabb, Body, CustomShape, D3, Event, Handle, Lattice, MAX_WIDTH, Pipeline, Shape, Skin, SupportMap};
use jostle_tests::on_threads;

/// Whether support maps panic, and whether bounds do. (One test alone uses them.)
static MAPS_PANIC: AtomicBool = AtomicBool::new(false);
static BOUNDS_PANIC: AtomicBool = AtomicBool::new(false);

/// A box.
#[derive(Clone, Debug)]
struct Crate([f64; 3]);

struct Packed<L: Lanes>(Vec3<L>);

impl<L: Lanes> SupportMap<D3, L> for Packed<L> {
    #[inline(always)]
    fn support(&self, direction: Vec3<L>, _: L::Mask) -> Vec3<L> {
        assert!(!MAPS_PANIC.load(Ordering::Relaxed), "as asked");
        self.0.zip(direction, L::copysign)
    }
}

impl CustomShape<D3> for Crate {
    type Packed<'a, L: Lanes> = Packed<L>;
    fn pack<L: Lanes>(shapes: [&Self; MAX_WIDTH], scale: L) -> Packed<L> {
        let half = |k: usize| L::from_fn(|lane| L::Scalar::from_f64(shapes[lane].0[k])) * scale;
        Packed(Vec3 { x: half(0), y: half(1), z: half(2) })
    }
    fn bounds(&self) -> Aabb<D3> {
        assert!(!BOUNDS_PANIC.load(Ordering::Relaxed), "as asked");
        Aabb { lower: self.0.map(|x| -x), upper: self.0 }
    }
}

/// Two pairs of crates, with data beside their contacts.
fn two_pairs(lattice: Lattice<D3>) -> (Pipeline<D3, f32, u32, Crate>, [Handle; 4]) {
    let mut row = Pipeline::<D3, f32, u32, Crate>::new();
    row.set_lattice(lattice);
    row.set_margin(0.5).expect("good");
    row.set_skin(Skin::Fixed(1.0)).expect("good");
    let shape = row.add_shape(Shape::custom(Crate([0.5; 3]))).expect("room");
    let bodies = [0.0, 1.25, 10.0, 11.25].map(|x| row.insert(Body::new(shape, [x, 0.0, 0.0])).expect("good"));
    for frame in 0..2 {
        row.update().expect("good");
        row.data_mut().copy_from_slice(&[frame + 1, frame + 3]);
    }
    (row, bodies)
}

/// Frames in which `panics` is set: none of them gets through.
fn lose_frames(row: &mut Pipeline<D3, f32, u32, Crate>, panics: &AtomicBool) {
    panics.store(true, Ordering::Relaxed);
    for _ in 0..2 {
        catch_unwind(AssertUnwindSafe(|| row.update())).expect_err("it has panicked");
    }
    panics.store(false, Ordering::Relaxed);
}

/// One contact changes, one ends; once while the others rest, once while all move.
fn goes_on(lattice: Lattice<D3>) {
    let (mut row, [a, b, c, d]) = two_pairs(lattice);
    for step in [0.0, 0.0625] {
        row.positions_mut().iter_mut().for_each(|position| position[1] += step);
        row.positions_mut()[b.index()][0] += 0.125;
        row.positions_mut()[d.index()][0] = if step == 0.0 { 11.75 } else { 11.25 };
        lose_frames(&mut row, &MAPS_PANIC);
        assert_eq!((row.contacts().len(), row.phases().len(), row.data().len()), (0, 0, 0));
        assert_eq!((row.images().len(), row.find(a, b)), (0, None));
        let frame = row.update().expect("good");
        if step == 0.0 {
            assert_eq!((frame.began, row.events(), row.ended_data()), (0, &[Event::Ended([c, d])][..], &[4][..]));
            assert_eq!((row.contacts().len(), row.contacts()[0].distance, row.data()), (1, 0.375, &[2][..]));
        } else {
            assert_eq!((frame.ended, row.events()), (0, &[Event::Began([c, d])][..]));
            assert_eq!(row.contacts().iter().map(|row| row.distance).collect::<Vec<_>>(), [0.5, 0.25]);
            assert_eq!(row.data(), [2, 0]);
        }
    }
    // A body leaves its box, so that bounds are asked for, while one moves within its own.
    row.positions_mut()[b.index()][0] -= 0.25;
    row.positions_mut()[d.index()][0] = 40.0;
    lose_frames(&mut row, &BOUNDS_PANIC);
    assert_eq!((row.contacts().len(), row.phases().len(), row.data()), (2, 2, &[2, 0][..]));
    row.update().expect("good");
    assert_eq!((row.events(), row.ended_data(), row.data()), (&[Event::Ended([c, d])][..], &[0][..], &[2][..]));
    assert_eq!(row.contacts()[0].distance, 0.25);
}

#[test]
fn a_shape_that_panics_costs_a_frame_and_nothing_else() {
    goes_on(Lattice::default());
    on_threads(2, || goes_on(Lattice::orthogonal([100.0; 3]).expect("good")));
}
