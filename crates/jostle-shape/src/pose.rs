//! A position and a rotation.

use jostle_lanes::Space;

/// A place and a rotation: of a body in the world, or of a part in its shape's frame.
///
/// ```
/// # use jostle_shape as jostle;
/// use jostle::{D3, Pose};
///
/// let here = Pose::<D3>::at([1.0, 2.0, 3.0]);
/// let upside_down = here.with_rotation([1.0, 0.0, 0.0, 0.0]);
/// assert_eq!(here.rotation, [0.0, 0.0, 0.0, 1.0]);
/// assert_eq!(upside_down.position, here.position);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<S: Space> {
    /// Where the origin of the shape's frame is, metres.
    pub position: S::Array<f64>,
    /// Quaternion `[x, y, z, w]`, or `[radians]` counter-clockwise.
    pub rotation: S::Rotation<f64>,
}

impl<S: Space> Pose<S> {
    /// A place, not turned.
    pub fn at(position: S::Array<f64>) -> Self {
        Self { position, rotation: S::identity_rotation() }
    }
    /// The pose of a capsule, cylinder or cone whose axis goes from one point to another (a wall between two corners, a
    /// limb between two joints; metres, in the world), and half the length of the axis (metres). In space it is not
    /// turned about its own axis; an axis from a point to itself is not turned at all. Coordinates that are NaN or
    /// infinite give a pose that is refused wherever bodies are checked.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{Bodies, Body, D2, Pose, Shape};
    ///
    /// let mut walls = Bodies::<D2>::new();
    /// for [from, to] in [[[0.0, 0.0], [4.0, 0.0]], [[4.0, 0.0], [4.0, 3.0]]] {
    ///     let (pose, half_length) = Pose::between(from, to);
    ///     let wall = walls.add_shape(Shape::capsule(half_length, 0.1)?)?;
    ///     walls.push(Body::posed(wall, pose).fixed())?;
    /// }
    /// assert_eq!((walls.get(1).position, walls.get(1).rotation), ([4.0, 1.5], [0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(from: S::Array<f64>, to: S::Array<f64>) -> (Self, f64) {
        let middle = Self::at(S::array(|k| 0.5 * from[k] + 0.5 * to[k]));
        let half = S::array(|k| 0.5 * to[k] - 0.5 * from[k]);
        // Divided by the largest, so that squares stay in range.
        let largest = half.as_ref().iter().fold(0.0, |largest, x: &f64| x.abs().max(largest));
        if largest == 0.0 {
            return (middle, 0.0);
        }
        let direction = S::array(|k| half[k] / largest);
        let squared: f64 = direction.as_ref().iter().map(|x| x * x).sum();
        (middle.with_rotation(S::rotation_of_y(direction)), squared.sqrt() * largest)
    }
    /// Turns it in its place: a quaternion `[x, y, z, w]` of norm 1, or `[radians]` counter-clockwise.
    pub fn with_rotation(self, rotation: S::Rotation<f64>) -> Self {
        Self { rotation, ..self }
    }
}

impl<S: Space> Default for Pose<S> {
    fn default() -> Self {
        Self::at(S::array(|_| 0.0))
    }
}

#[cfg(test)]
mod tests {
    use jostle_lanes::{D2, D3, Rot as _, Space, Vector as _};

    use super::Pose;

    /// The ends of the axis are the points given.
    fn ends<S: Space>(from: S::Array<f64>, to: S::Array<f64>) {
        let (pose, half_length) = Pose::<S>::between(from, to);
        let size = from.as_ref().iter().chain(to.as_ref()).fold(0.0, |size: f64, x| size.max(x.abs()));
        for (sign, end) in [(-1.0, from), (1.0, to)] {
            let along = S::Vector::<f64>::from_fn(|k| if k == 1 { sign * half_length } else { 0.0 });
            let turned = S::rot(pose.rotation.as_ref()).rotate(along);
            for k in 0..S::DIMENSION {
                let off = (pose.position[k] + turned.get(k) - end[k]).abs();
                assert!(off <= 1e-15 * size + 1e-322, "{from:?} {to:?}: {pose:?}, {half_length}, off by {off:e}");
            }
        }
    }

    #[test]
    fn an_axis_goes_from_one_point_to_the_other() {
        for size in [1e-300, 1e-9, 1.0, 1e15] {
            for i in 0..729 {
                let digit = |n: i32| [-1.0, -1e-9, 0.0][n as usize % 3] + [0.0, 0.75, 1e-6][n as usize / 3];
                let [x, y, z] = [i % 9, i / 9 % 9, i / 81].map(|n| size * digit(n));
                ends::<D2>([0.0, 0.0], [x, y]);
                ends::<D2>([x, y], [z, 0.25 * size]);
                ends::<D3>([0.0; 3], [x, y, z]);
                ends::<D3>([0.5 * size, -size, y], [x, y, z]);
            }
        }
        assert_eq!(Pose::<D3>::between([1.0; 3], [1.0; 3]), (Pose::at([1.0; 3]), 0.0));
        assert_eq!(Pose::<D2>::between([0.0; 2], [0.0, 3.0]), (Pose::at([0.0, 1.5]), 1.5));
        assert!(Pose::<D2>::between([0.0; 2], [f64::NAN, 3.0]).0.position[0].is_nan());
    }
}
