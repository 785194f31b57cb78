//! scratch
use jostle_broadphase::{Bounds, ColumnSweep};
use jostle_lanes::D3;
fn main() {
    let len: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let runs: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut s = 1u64;
    let mut u = || { s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); (s >> 40) as f32 / 16777216.0 };
    let edge = (len as f32 * 8.0 / 6.0).cbrt();
    let mut b = Bounds::<D3>::new();
    for _ in 0..len { let c = [u() * edge, u() * edge, u() * edge]; b.push(c, c.map(|x| x + 1.0)); }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut sw = ColumnSweep::new();
    pool.install(|| for _ in 0..runs { sw.build(&b).unwrap(); });
}
