//! The grains: none leaks, the heap comes to rest, energy never grows, the same bits for any number of threads.

use jostle_examples::grains::picture::Course;
use jostle_examples::grains::{STEP, Silo};

fn steps(seconds: f64) -> usize {
    (seconds / STEP).round() as usize
}

#[test]
fn a_small_heap_comes_to_rest_and_gains_no_energy() {
    let mut silo = Silo::new(400, 1).unwrap();
    let first: f64 = silo.energy().iter().sum();
    let mut course = Course::default();
    for _ in 0..steps(7.0) {
        silo.step().unwrap();
        course.note(&silo);
        assert_eq!(silo.leaked(), 0, "after {} s", silo.time());
    }
    assert_eq!(silo.passed(), 400, "the hopper is empty");
    let [motion, height] = silo.energy();
    assert!(motion < 1e-4 * first, "{motion} J of {first}");
    assert!(height > 0.02 * first, "there is a heap");
    assert!((12.0..45.0).contains(&silo.slope()), "{} degrees", silo.slope());
    assert!(course.unrest() < 1.0, "the slope changed by {} degrees in the last second", course.unrest());
    // Moving overlapping grains apart may lift them by so much.
    assert!(silo.gained() < 2e-4 * first, "{} J of {first}", silo.gained());
}

#[test]
fn energy_falls_in_free_flight() {
    let mut silo = Silo::new(40, 1).unwrap();
    let mut last: f64 = silo.energy().iter().sum();
    for _ in 0..3 {
        silo.step().unwrap();
        let now: f64 = silo.energy().iter().sum();
        assert!(now < last && now > 0.99 * last);
        last = now;
    }
    assert_eq!(silo.gained(), 0.0);
}

#[test]
fn one_thread_and_two_give_the_same_bits_and_so_does_a_copy() {
    let [one, two] = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut silo = Silo::new(200, 5).unwrap();
            for _ in 0..steps(1.0) {
                silo.step().unwrap();
            }
            silo
        })
    });
    assert_eq!(one.checksum(), two.checksum());
    // A clone is a snapshot: it goes on with the same bits.
    let [mut original, mut copy] = [one.clone(), one];
    for _ in 0..steps(0.5) {
        original.step().unwrap();
        copy.step().unwrap();
    }
    assert_eq!(original.checksum(), copy.checksum());
    assert_ne!(copy.checksum(), two.checksum());
}
