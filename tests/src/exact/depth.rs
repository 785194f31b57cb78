//! The least depth of two polytopes that meet, by enumeration.
//!
//! The faces of A - B are the faces of A, those of -B, and parallelograms between an edge of each: the least depth is
//! along the normal of one of them. Directions that belong to no face do no harm: the depth along them is no less.

use std::collections::BTreeSet;

use num_traits::{Signed, Zero};

use super::nearest::furthest;
use super::{P, Q, Z, cross, dot, is_zero, sub};
use crate::place::Ground;

/// The least depth.
#[derive(Debug)]
pub(super) struct Least {
    /// Its direction, of any length.
    pub normal: P,
    /// The depth times that length.
    pub height: Z,
    /// Whether the depth along every other direction is more than a hundredth larger.
    pub unique: bool,
}

/// A plane with all points on one side: its outward normal and the points on it.
type Face = (P, BTreeSet<usize>);

/// The faces of a hull; in the plane its sides. A flat hull has two, with opposite normals.
fn faces<S: Ground>(points: &[P]) -> Vec<Face> {
    let mut all: Vec<Face> = Vec::new();
    let mut take = |normal: P, at: &P| {
        if is_zero(&normal) {
            return;
        }
        let heights: Vec<Z> = points.iter().map(|p| dot(&sub(p, at), &normal)).collect();
        let on: BTreeSet<usize> = (0..points.len()).filter(|&i| heights[i].is_zero()).collect();
        let back = normal.each_ref().map(|x| -x);
        let (above, below) = (heights.iter().any(Signed::is_positive), heights.iter().any(Signed::is_negative));
        for (behind, normal) in [(!above, normal), (!below, back)] {
            if behind && !all.iter().any(|(n, known)| *known == on && dot(n, &normal).is_positive()) {
                all.push((normal, on.clone()));
            }
        }
    };
    for i in 0..points.len() {
        for j in 0..i {
            let side = sub(&points[i], &points[j]);
            if S::DIMENSION == 2 {
                take([side[1].clone(), -&side[0], Z::zero()], &points[i]);
                continue;
            }
            for k in 0..j {
                take(cross(&side, &sub(&points[k], &points[j])), &points[j]);
            }
        }
    }
    all
}

/// Directions of the edges: of those in which two faces meet, or of a straight hull itself.
fn edges(points: &[P], faces: &[Face]) -> Vec<P> {
    let mut all: Vec<P> = Vec::new();
    for i in 0..points.len() {
        for j in 0..i {
            let meeting = faces.iter().filter(|(_, on)| on.contains(&i) && on.contains(&j)).count();
            let edge = sub(&points[i], &points[j]);
            if (meeting >= 2 || faces.is_empty()) && !all.iter().any(|other| is_zero(&cross(other, &edge))) {
                all.push(edge);
            }
        }
    }
    all
}

/// The least depth of two hulls that meet; none if A - B has no face (both are straight and parallel, or points).
pub(super) fn least_depth<S: Ground>(a: &[P], b: &[P]) -> Option<Least> {
    let (faces_a, faces_b) = (faces::<S>(a), faces::<S>(b));
    let mut normals: Vec<P> = faces_a.iter().map(|(n, _)| n.clone()).collect();
    normals.extend(faces_b.iter().map(|(n, _)| n.each_ref().map(|x| -x)));
    if S::DIMENSION == 3 {
        let edges_b = edges(b, &faces_b);
        for e in edges(a, &faces_a) {
            for n in edges_b.iter().map(|f| cross(&e, f)).filter(|n| !is_zero(n)) {
                normals.extend([n.each_ref().map(|x| -x), n]);
            }
        }
    }
    // The depth along n is how far A reaches beyond the rearmost corner of B.
    let heights: Vec<Z> = normals
        .iter()
        .map(|n| {
            let back = n.each_ref().map(|x| -x);
            furthest(a, n).1 + furthest(b, &back).1
        })
        .collect();
    let squares: Vec<Q> =
        (0..normals.len()).map(|i| Q::new(&heights[i] * &heights[i], dot(&normals[i], &normals[i]))).collect();
    let best = (0..normals.len()).min_by(|&i, &j| squares[i].cmp(&squares[j]))?;
    // 1.01 squared.
    let rival = &squares[best] * Q::new(Z::from(10_201), Z::from(10_000));
    let same = |n: &P| is_zero(&cross(n, &normals[best])) && dot(n, &normals[best]).is_positive();
    let unique = !(0..normals.len()).any(|i| squares[i] <= rival && !same(&normals[i]));
    Some(Least { normal: normals[best].clone(), height: heights[best].clone(), unique })
}
