use jostle_examples::crowd::*;
fn main() {
    let mut s = Station::new(20000, 1).unwrap();
    let mut last = 0.0;
    for i in 0..1200 {
        s.step().unwrap();
        let v = s.people().map(|p| (p.pace, p.slot)).fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
        if s.deepest() > last + 0.02 || i % 100 == 0 {
            last = s.deepest();
            let c = s.hall().contacts().iter().min_by(|a, b| a.distance.total_cmp(&b.distance)).unwrap();
            let shape = |b: u32| s.hall().bodies().columns().shape_indices()[b as usize];
            println!("{i} {last:.3} {v:?} {} {} {} {} {:?} {:?}", c.a, c.b, shape(c.a), shape(c.b), s.hall().positions()[c.a as usize], c.distance);
        }
    }
}
