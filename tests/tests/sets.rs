//! Two sets against each other, chosen pairs, and lists by body, checked against the plain query.

use jostle::{
    Adjacency, Bodies, Body, BodyError, Columns, ContactsError, D2, D3, Engine, Filters, ListKind, Neighbour,
    Neighbours, Proximity, Rotations, SceneIndex, Whose, between, contacts,
};
use jostle_tests::{Ground, Kind, Random, Style, bits, draw_shape};

fn draw<S: Ground>(count: usize, side: f64, random: &mut Random) -> Bodies<S> {
    let mut bodies = Bodies::new();
    for &kind in &[Kind::Ball, Kind::Capsule, Kind::Box] {
        let shape = draw_shape::<S>(kind, Style::Even, 0.5, random).shape().expect("valid");
        bodies.add_shape(shape).expect("a few");
    }
    for _ in 0..count {
        let body = Body::new(random.below(3) as u32, S::array(|_| random.range(0.0, side)));
        let body = body.with_rotation(S::any_rotation(random)).with_group(random.pick(&[1, 2, 3]));
        bodies.push(if random.chance(0.3) { body.fixed() } else { body }).expect("valid");
    }
    bodies
}

fn rows<S: Ground>(bodies: &Bodies<S>, margin: f64) -> Vec<Proximity<S, f32>> {
    let mut rows = Vec::new();
    Engine::new().contacts(&bodies.columns(), margin, &mut rows).expect("good");
    rows
}

fn two_sets_are_as_one_scene<S: Ground>(seed: u64, side: f64) {
    let mut random = Random::new(seed);
    let (mut engine, mut again) = (Engine::<S>::new(), Vec::new());
    for (n, m) in [(0, 50), (50, 0), (1, 1), (300, 40), (40, 300), (700, 700)] {
        let (first, second) = (draw::<S>(n, side, &mut random), draw::<S>(m, side, &mut random));
        let mut both = first.clone();
        for shape in second.shapes() {
            both.add_shape(shape.clone()).expect("a few");
        }
        for index in 0..m {
            let body = second.get(index);
            both.push(Body { shape: body.shape + 3, ..body }).expect("valid");
        }
        let mut expected = rows(&both, 0.3);
        expected.retain(|row| (row.a as usize) < n && row.b as usize >= n);
        let found = between::<f32, _, _>(&first.columns(), &second.columns(), 0.3, u64::MAX).expect("good");
        assert_eq!(found.len(), expected.len());
        for (row, mut other) in found.iter().zip(expected) {
            other.b -= n as u32;
            assert_eq!(bits(row), bits(&other));
        }
        assert!(n * m < 1000 || !found.is_empty());
        // An engine that is kept finds the same, also after a refusal.
        let mut ask = |limit| {
            engine.set_limit(limit);
            engine.contacts_between(&first.columns(), &second.columns(), 0.3, &mut again).map(|report| report.rows)
        };
        if !found.is_empty() {
            assert!(matches!(ask(found.len() as u64 - 1), Err(ContactsError::TooManyPairs(_))));
        }
        assert_eq!(ask(u64::MAX).expect("good"), found.len() as u64);
        assert!(again.iter().map(bits).eq(found.iter().map(bits)));
        assert!(engine.contacts_between(&first.columns(), &second.columns(), -1.0, &mut again).is_err());
        assert!(again.is_empty());
    }
}

#[test]
fn two_sets_are_one_scene_without_the_pairs_within_a_set() {
    two_sets_are_as_one_scene::<D2>(1, 14.0);
    two_sets_are_as_one_scene::<D3>(2, 6.0);
}

#[test]
fn filters_of_borrowed_columns_are_those_of_bodies() {
    let mut random = Random::new(4);
    let bodies = draw::<D3>(400, 6.0, &mut random);
    let own = bodies.columns();
    let Rotations::Double(rotations) = own.rotations() else { panic!("bodies keep their rotations in f64") };
    let bare =
        Columns::new(own.shapes(), own.shape_indices(), own.positions(), Rotations::Double(rotations)).expect("good");
    let ask = |columns: &Columns<'_, D3>| contacts::<f32, _, _>(columns, 0.3).expect("good");
    let all = ask(&bare);
    let filters = own.filters();
    let found = ask(&bare.with_filters(filters).expect("as long as the bodies"));
    assert!(!found.is_empty() && found.len() < all.len());
    assert_eq!(found.iter().map(bits).collect::<Vec<_>>(), ask(&own).iter().map(bits).collect::<Vec<_>>());

    let absent: Vec<bool> = (0..400).map(|_| random.chance(0.5)).collect();
    let present = |row: &&Proximity<D3, f32>| !absent[row.a as usize] && !absent[row.b as usize];
    let expected: Vec<_> = found.iter().filter(present).map(bits).collect();
    let found = ask(&bare.with_filters(Filters { absent: &absent, ..filters }).expect("as long as the bodies"));
    assert!(!found.is_empty());
    assert_eq!(found.iter().map(bits).collect::<Vec<_>>(), expected);

    let (numbers, parents) = ([1; 399], [None; 399]);
    for (column, filters) in [
        ("group", Filters { group: &numbers, ..filters }),
        ("mask", Filters { mask: &numbers, ..filters }),
        ("parent", Filters { parent: &parents, ..filters }),
        ("fixed", Filters { fixed: &absent[1..], ..filters }),
        ("absent", Filters { absent: &absent[1..], ..filters }),
    ] {
        let refused = bare.with_filters(filters).expect_err("one entry is missing");
        assert_eq!(refused, BodyError::Length { column, found: 399, expected: 400 });
    }
}

#[test]
fn lists_hold_each_pair_where_they_should() {
    let mut random = Random::new(3);
    let mut lists = Adjacency::new();
    for count in [0, 1, 2, 500, 60] {
        let bodies = draw::<D2>(count, 12.0, &mut random);
        let rows = rows(&bodies, 0.4);
        for kind in [ListKind::Half, ListKind::Full] {
            lists.gather_rows(count, &rows, kind);
            assert_eq!((lists.len(), lists.is_empty(), lists.offsets().len()), (count, count == 0, count + 1));
            for body in 0..count {
                let partner = |row: &Proximity<D2, f32>| match (row.a as usize, row.b as usize) {
                    (a, b) if a == body => Some(b as u32),
                    (a, b) if b == body && kind == ListKind::Full => Some(a as u32),
                    _ => None,
                };
                let expected: Vec<u32> = rows.iter().filter_map(partner).collect();
                assert_eq!(lists.of(body), expected, "body {body} of {count}");
                assert!(expected.is_sorted());
                for (&row, &other) in lists.rows_of(body).iter().zip(lists.of(body)) {
                    assert_eq!(partner(&rows[row as usize]), Some(other));
                }
            }
            let pairs: Vec<[u32; 2]> = rows.iter().map(|row| [row.a, row.b]).collect();
            let mut same = Adjacency::new();
            same.gather_pairs(count, &pairs, kind);
            assert_eq!(same, lists);
        }
    }
}

/// Rows of two sets, listed by the bodies of either set: each list by itself, and as an index gives it.
#[test]
fn lists_between_two_sets_are_those_of_the_set_that_is_named() {
    let mut random = Random::new(5);
    let (mut lists, mut near) = (Adjacency::new(), Neighbours::<D2>::new());
    for (n, m) in [(0, 30), (30, 0), (400, 60), (60, 400)] {
        let (first, second) = (draw::<D2>(n, 12.0, &mut random), draw::<D2>(m, 12.0, &mut random));
        let rows = between::<f32, _, _>(&first.columns(), &second.columns(), 0.4, u64::MAX).expect("good");
        let mut asked = Vec::new();
        let index = SceneIndex::<D2>::new(&second.columns()).expect("good");
        index.contacts(&first.columns(), 0.4, &mut asked).expect("good");
        for (whose, count) in [(Whose::First, n), (Whose::Second, m)] {
            lists.gather_between(count, &asked, whose);
            let of_index = lists.clone();
            lists.gather_between(count, &rows, whose);
            assert!(lists == of_index && lists.len() == count && lists.images().is_empty());
            assert_eq!((lists.neighbours().len(), lists.rows().len()), (rows.len(), rows.len()));
            near.gather_between(count, &rows, 0.3, 3, whose);
            assert_eq!((near.len(), near.is_empty(), near.iter().len()), (count, count == 0, count));
            for (body, near) in near.iter().enumerate() {
                let seen = |row: &Proximity<D2, f32>| if whose == Whose::First { *row } else { row.flipped() };
                let of_body = |row: &Proximity<D2, f32>| row.a as usize == body;
                let mut seen: Vec<_> = rows.iter().map(seen).filter(of_body).collect();
                assert_eq!(lists.of(body), seen.iter().map(|row| row.b).collect::<Vec<_>>());
                let places = lists.rows_of(body).iter().map(|&row| rows[row as usize]);
                assert!(places.zip(&seen).all(|(row, seen)| row.distance == seen.distance));
                seen.retain(|row| row.distance <= 0.3);
                seen.sort_by(|x, y| x.distance.total_cmp(&y.distance).then(x.b.cmp(&y.b)));
                seen.truncate(3);
                let expected: Vec<_> =
                    seen.iter().map(|row| (row.b, row.distance, row.normal, row.witness_b)).collect();
                let told = |near: &Neighbour<D2, f32>| (near.body, near.distance, near.direction, near.point);
                assert_eq!(near.iter().map(told).collect::<Vec<_>>(), expected);
            }
        }
        assert!(n * m < 1000 || near.iter().any(|list| list.len() > 1));
    }
}

/// A body beyond the end is named, in the lists of one set and of two.
#[test]
fn a_body_beyond_the_end_is_refused() {
    let row = Proximity::<D2, f32> { a: 2, b: 7, ..Proximity::default() };
    let refused = |work: fn(&mut Adjacency, Proximity<D2, f32>)| {
        let caught = std::panic::catch_unwind(|| work(&mut Adjacency::new(), row)).expect_err("refused");
        caught.downcast_ref::<String>().expect("a message").clone()
    };
    assert_eq!(refused(|lists, row| lists.gather_between(2, &[row], Whose::First)), "body 2 of 2");
    assert_eq!(refused(|lists, row| lists.gather_between(7, &[row], Whose::Second)), "body 7 of 7");
    assert_eq!(refused(|lists, row| lists.gather_rows(7, &[row], ListKind::Half)), "body 7 of 7");
    let mut lists = Adjacency::new();
    lists.gather_between(3, &[row], Whose::First);
    assert_eq!(lists.of(2), [7]);
}

#[test]
fn pairs_are_those_that_meet_and_no_more_than_allowed() {
    let mut random = Random::new(8);
    let (mut engine, mut pairs, mut rows) = (Engine::<D3>::new(), vec![[7, 7]; 3], Vec::new());
    for count in [0, 1, 500, 90] {
        let mut bodies = draw::<D3>(count, 3.0, &mut random);
        // Some meet no other, so that places in the sweep differ from the indices of bodies.
        for index in (0..count).filter(|index| index % 5 == 0) {
            bodies.set(index, Body { mask: 0, ..bodies.get(index) }).expect("good");
        }
        let columns = bodies.columns();
        let unfiltered = columns.with_filters(Filters::default()).expect("no columns");
        engine.pairs(&unfiltered, 0.2, &mut pairs).expect("a good margin");
        let expected: Vec<[u32; 2]> = pairs.iter().copied().filter(|&[a, b]| columns.filters().meet(a, b)).collect();
        assert!(pairs.is_sorted_by(|before, after| before < after) && pairs.iter().all(|[a, b]| a < b));
        engine.pairs(&columns, 0.2, &mut pairs).expect("a good margin");
        assert_eq!(pairs, expected);
        assert_eq!(engine.count_pairs(&columns, 0.2), Ok(expected.len() as u64));
        engine.contacts(&columns, 0.2, &mut rows).expect("a good margin");
        assert!(rows.iter().all(|row| expected.binary_search(&[row.a, row.b]).is_ok()));
        if count < 90 {
            continue;
        }
        let (near, all) = (rows.len() as u64, expected.len() as u64);
        assert!(near > 30 && all > near, "{near} of {all}");
        for limit in [0, near - 1, near, all - 1, all] {
            engine.set_limit(limit);
            assert_eq!(engine.limit(), limit);
            rows.truncate(1);
            let found = engine.contacts(&columns, 0.2, &mut rows).map(|report| report.rows);
            if limit < near {
                assert!(matches!(found, Err(ContactsError::TooManyPairs(_))), "{found:?}");
                assert_eq!(rows.len(), 1, "left as it was");
            } else {
                assert_eq!((found, rows.len() as u64), (Ok(near), near));
            }
            let found = engine.pairs(&columns, 0.2, &mut pairs);
            if limit < all {
                assert!(matches!(found, Err(ContactsError::TooManyPairs(_))), "{found:?}");
                assert_eq!(pairs, [[0; 2]; 0]);
            } else {
                assert_eq!((found, &pairs), (Ok(()), &expected));
            }
            assert_eq!(engine.count_pairs(&columns, 0.2), Ok(all), "which makes no list");
        }
        engine.set_limit(u64::MAX);
        assert_eq!(engine.limit(), u64::from(u32::MAX));
    }
}
