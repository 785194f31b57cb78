//! The crowd: no walker gets lost, speeds are within the model's limits, the same bits for any number of threads.

use jostle_examples::crowd::{STEP, Station};

fn after(seconds: f64, walkers: usize, threads: usize) -> Station {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut station = Station::new(walkers, 3).unwrap();
        for _ in 0..(seconds / STEP).round() as usize {
            station.step().unwrap();
        }
        station
    })
}

#[test]
fn a_small_hall_empties_and_no_walker_goes_through_walls() {
    let mut station = Station::new(150, 3).unwrap();
    let mut lowest = 150;
    for _ in 0..(30.0 / STEP) as usize {
        station.step().unwrap();
        assert!(station.inside() <= lowest, "a walker came back");
        assert_eq!(station.strays(), 0, "after {} s", station.time());
        lowest = station.inside();
    }
    let left: u64 = station.left_by().iter().sum();
    assert_eq!(left as usize + station.inside(), 150);
    assert!(station.inside() < 15, "{} are still inside", station.inside());
    assert!(station.deepest() < 0.15, "two were {} m deep in each other", station.deepest());
}

#[test]
fn speeds_come_near_the_wish_and_stay_within_the_limit() {
    let station = after(2.0, 100, 1);
    let paces: Vec<f64> = station.people().map(|person| person.pace).collect();
    assert!(paces.iter().all(|pace| *pace <= 1.3 + 1e-9));
    assert!(paces.iter().sum::<f64>() / paces.len() as f64 > 0.3, "they stand");
}

#[test]
fn one_thread_and_two_give_the_same_bits_and_another_seed_others() {
    let [one, two] = [1, 2].map(|threads| after(4.0, 400, threads).checksum());
    assert_eq!(one, two);
    assert_ne!(Station::new(400, 3).unwrap().checksum(), Station::new(400, 4).unwrap().checksum());
}
