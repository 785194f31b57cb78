use jostle_shape::{Bodies, Body, D3, Shape};
use jostle_verify::*;
use std::time::Instant;
fn rng(s: &mut u64) -> f64 { *s ^= *s << 13; *s ^= *s >> 7; *s ^= *s << 17; (*s >> 11) as f64 / (1u64 << 53) as f64 }
#[test]
fn speed() {
    let mut s = 88172645463325252u64;
    for (name, n, off) in [("64 shallow", 64, 1.8), ("64 mid", 64, 1.0), ("64 concentric", 64, 0.0), ("300 mid", 300, 1.0), ("300 conc", 300, 0.0), ("300 shallow", 300, 1.8), ("cyl mid", 0, 0.8), ("cyl conc", 0, 0.0)] {
        let mut b = Bodies::<D3>::new();
        for _ in 0..20 {
            let sh = if n > 0 {
                let pts: Vec<[f64;3]> = (0..n).map(|_| { loop { let p = [0;3].map(|_| 2.0*rng(&mut s)-1.0); let l=(p[0]*p[0]+p[1]*p[1]+p[2]*p[2]).sqrt(); if l<1.0 && l>0.1 {break p.map(|x| x/l);} } }).collect();
                Shape::convex(&pts).unwrap()
            } else { Shape::cylinder(0.5+rng(&mut s), 0.3+rng(&mut s)).unwrap() };
            b.add_shape(sh).unwrap();
        }
        for i in 0..400u32 { 
            let q = [0;4].map(|_| rng(&mut s)-0.5); let l = q.iter().map(|x| x*x).sum::<f64>().sqrt();
            let d = [0;3].map(|_| rng(&mut s)-0.5); let m = d.iter().map(|x| x*x).sum::<f64>().sqrt();
            b.push(Body::new(i%20, if i%2==0 {[0.0;3]} else {d.map(|x| x/m*off)}).with_turn(q.map(|x| x/l))).unwrap();
        }
        let c = b.columns();
        let t = Instant::now();
        let (mut worst, mut open): (f64, usize) = (0.0, 0);
        let mut rows = vec![];
        for k in 0..200 { let d = minimum_depth(&c, 2*k, 2*k+1); worst = worst.max((d.depth-d.lower_bound)/d.depth.abs().max(1e-9)); open += usize::from(!d.proved);
            rows.push(Row::new(2*k as u32, 2*k as u32+1, -d.depth, [0.0;3],[0.0;3], d.normal)); }
        let e = t.elapsed(); let t = Instant::now();
        let r = verify(&c, &rows, &Tolerance::single());
        println!("{name}: {:?} per minimum_depth, worst {worst:.2e}, open {open}; {:?} verify, {} unproved, {} notmin", e/200, t.elapsed()/200, r.unproved, r.failures.iter().filter(|f| f.1.iter().any(|x| matches!(x, Failure::NotMinimal{..}))).count());
    }
}
