//! Three numbers at a time: this crate's own small algebra, in `f64`, shared with no kernel.
//!
//! The plane is `z = 0`: bodies of two dimensions are flat ones of three, and only the search for the least depth
//! knows the difference.

/// A point or direction.
pub(crate) type V = [f64; 3];

/// The axes.
pub(crate) const AXES: [V; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub(crate) fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
pub(crate) fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
pub(crate) fn scale(a: V, s: f64) -> V {
    [a[0] * s, a[1] * s, a[2] * s]
}
/// `a + s b`
pub(crate) fn along(a: V, s: f64, b: V) -> V {
    add(a, scale(b, s))
}
pub(crate) fn neg(a: V) -> V {
    [-a[0], -a[1], -a[2]]
}
pub(crate) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
pub(crate) fn largest(a: V) -> f64 {
    a[0].abs().max(a[1].abs()).max(a[2].abs())
}
/// The length, whatever its size.
pub(crate) fn length(a: V) -> f64 {
    let m = largest(a);
    if m == 0.0 || !m.is_finite() {
        return m;
    }
    let b = [a[0] / m, a[1] / m, a[2] / m];
    dot(b, b).sqrt() * m
}
/// The direction, if there is one.
pub(crate) fn unit(a: V) -> Option<V> {
    let m = largest(a);
    if !(m > 0.0 && m.is_finite()) {
        return None;
    }
    let b = [a[0] / m, a[1] / m, a[2] / m];
    Some(scale(b, 1.0 / dot(b, b).sqrt()))
}
/// Two unit vectors that make a right-angled frame with the unit vector `n`.
pub(crate) fn tangents(n: V) -> (V, V) {
    let least = (0..3).min_by(|&i, &j| n[i].abs().total_cmp(&n[j].abs())).unwrap_or(0);
    let s = unit(cross(n, AXES[least])).unwrap_or(AXES[0]);
    (s, cross(n, s))
}
/// The unit normal of the plane that two unit vectors span, at a right angle to `a` to the last bit or two even where
/// they are nearly parallel; none where they are parallel.
pub(crate) fn normal_of(a: V, b: V) -> Option<V> {
    let off = along(b, -dot(a, b), a);
    // What is left of parallel vectors is rounding.
    if length(off) < 1e-15 {
        return None;
    }
    let off = unit(off)?;
    let off = unit(along(off, -dot(a, off), a))?;
    unit(cross(a, off))
}
/// A user's point of 2 or 3 numbers.
pub(crate) fn widen(a: &[f64]) -> V {
    [a[0], a[1], a.get(2).copied().unwrap_or(0.0)]
}
