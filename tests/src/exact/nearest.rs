//! The nearest points of two polytopes that are apart: GJK (Gilbert, Johnson, Keerthi 1988) over integers.

use num_traits::{One, Signed, Zero};

use super::{P, Q, Z, dot, scaled, sub};

/// Two nearest points; all over `over` times the corners' denominator.
#[derive(Debug)]
pub(super) struct Nearest {
    /// The one on A minus the one on B; zero if the polytopes meet.
    pub v: P,
    /// The one on A.
    pub a: P,
    /// What `v` and `a` are to be divided by.
    pub over: Z,
}

/// A corner of A - B.
#[derive(Clone, Debug)]
struct Corner {
    w: P,
    a: P,
}

/// The corner of `points` that is furthest along `direction`, and how far.
pub(super) fn furthest<'p>(points: &'p [P], direction: &P) -> (&'p P, Z) {
    let far = points.iter().map(|p| (p, dot(p, direction)));
    far.max_by(|x, y| x.1.cmp(&y.1)).expect("a core has a point")
}

/// Weights of the affine combination of `corners` that is nearest to the origin, if they are independent.
fn weights(corners: &[&Corner]) -> Option<Vec<Q>> {
    let (first, rest) = corners.split_first()?;
    let edges: Vec<P> = rest.iter().map(|c| sub(&c.w, &first.w)).collect();
    // Gram's equations, solved by elimination.
    let mut rows: Vec<Vec<Q>> = edges
        .iter()
        .map(|e| {
            let right = -dot(e, &first.w);
            edges.iter().map(|f| dot(e, f)).chain([right]).map(Q::from).collect()
        })
        .collect();
    let n = rows.len();
    for i in 0..n {
        let pivot = (i..n).find(|&r| !rows[r][i].is_zero())?;
        rows.swap(i, pivot);
        for r in 0..n {
            if r != i {
                let factor = &rows[r][i] / &rows[i][i];
                for c in i..=n {
                    let less = &factor * &rows[i][c];
                    rows[r][c] -= less;
                }
            }
        }
    }
    let others: Vec<Q> = (0..n).map(|i| &rows[i][n] / &rows[i][i]).collect();
    let first = others.iter().fold(Q::one(), |left, x| left - x);
    Some([first].into_iter().chain(others).collect())
}

/// The point of the simplex that is nearest to the origin, and the corners that it is a mean of.
fn reduce(simplex: &[Corner]) -> (Vec<Corner>, Nearest) {
    let mut best: Option<(Q, Vec<Corner>, Nearest)> = None;
    for subset in 1_usize..1 << simplex.len() {
        let chosen: Vec<&Corner> = (0..simplex.len()).filter(|i| subset >> i & 1 == 1).map(|i| &simplex[i]).collect();
        let Some(weights) = weights(&chosen).filter(|weights| weights.iter().all(|x| !x.is_negative())) else {
            continue;
        };
        let over = weights.iter().fold(Z::one(), |all, x| num_integer::lcm(all, x.denom().clone()));
        let sum = |part: &dyn Fn(&Corner) -> P| {
            let mut total: P = Default::default();
            for (corner, weight) in chosen.iter().zip(&weights) {
                let share = scaled(&part(corner), &(weight.numer() * (&over / weight.denom())));
                total = core::array::from_fn(|k| &total[k] + &share[k]);
            }
            total
        };
        let (v, a) = (sum(&|c| c.w.clone()), sum(&|c| c.a.clone()));
        let squared = Q::new(dot(&v, &v), &over * &over);
        if best.as_ref().is_none_or(|(least, _, _)| squared < *least) {
            let kept = chosen.iter().zip(&weights).filter(|(_, x)| !x.is_zero()).map(|(&c, _)| c.clone()).collect();
            best = Some((squared, kept, Nearest { v, a, over }));
        }
    }
    let (_, kept, nearest) = best.expect("a corner alone is a simplex");
    (kept, nearest)
}

/// The nearest points of two hulls.
pub(super) fn nearest(a: &[P], b: &[P]) -> Nearest {
    let mut simplex = vec![Corner { w: sub(&a[0], &b[0]), a: a[0].clone() }];
    loop {
        let (kept, found) = reduce(&simplex);
        simplex = kept;
        let back = found.v.each_ref().map(|x| -x);
        let ((p, _), (q, _)) = (furthest(a, &back), furthest(b, &found.v));
        let w = sub(p, q);
        // v.w >= v.v: all of A - B lies beyond the plane through v.
        if dot(&found.v, &w) * &found.over >= dot(&found.v, &found.v) {
            return found;
        }
        simplex.push(Corner { w, a: p.clone() });
    }
}
