//! Moving all bodies at once: positions, rotations and velocities from columns of the caller.

use jostle_lanes::Space;

use crate::bodies::Bodies;
use crate::custom::CustomShape;
use crate::error::{BodyError, Problem};
use crate::limits::{check_point, check_rotation, same_length};

impl<S: Space, U: CustomShape<S>> Bodies<S, U> {
    /// Moves all bodies: a position each, metres.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{Bodies, Body, D2, Shape};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
    /// for x in 0..3 {
    ///     bodies.push(Body::new(disc, [f64::from(x), 0.0]))?;
    /// }
    /// let mut places = bodies.positions().to_vec();
    /// places.iter_mut().for_each(|place| place[1] += 2.0);
    /// bodies.set_positions(&places)?;
    /// assert_eq!(bodies.get(2).position, [2.0, 2.0]);
    ///
    /// places[1][0] = f64::NAN;
    /// let refusal = bodies.set_positions(&places).unwrap_err();
    /// assert!(refusal.to_string().starts_with("body 1: position[0] is NaN"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the column is longer or shorter, or a number in it NaN, infinite or beyond 1e15; no body is moved then.
    pub fn set_positions(&mut self, positions: &[S::Array<f64>]) -> Result<(), BodyError> {
        check_each("position", self.len(), positions, |position| {
            check_point(position.as_ref()).map(|(axis, value)| Problem::Position { axis, value })
        })?;
        self.columns.position.replace(positions);
        Ok(())
    }

    /// Turns all bodies: quaternions `[x, y, z, w]`, or `[radians]`.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{Bodies, Body, D2, Shape};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let square = bodies.add_shape(Shape::cuboid([0.5; 2])?)?;
    /// bodies.push(Body::new(square, [0.0; 2]))?;
    /// bodies.set_rotations(&[[0.25]])?;
    /// bodies.set_velocities(&[[1.0, 0.0]])?;
    /// assert_eq!(bodies.get(0), Body::new(square, [0.0; 2]).with_rotation([0.25]).with_velocity([1.0, 0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the column is longer or shorter, an angle is not finite, or a quaternion's norm not within 1e-3 of 1; no body
    /// is turned then.
    pub fn set_rotations(&mut self, rotations: &[S::Rotation<f64>]) -> Result<(), BodyError> {
        check_each("rotation", self.len(), rotations, |rotation| check_rotation::<S>(rotation).err())?;
        // The column is left empty while no body is turned.
        let turned = rotations.iter().any(|rotation| *rotation != S::identity_rotation());
        if turned || !self.columns.rotation.is_empty() {
            self.columns.rotation.replace(rotations);
        }
        self.turned |= turned;
        Ok(())
    }

    /// Replaces the velocities of all bodies, metres per second. (See [`set_rotations`](Bodies::set_rotations) for an
    /// example.)
    ///
    /// # Errors
    /// If the column is longer or shorter, or a number in it NaN, infinite or beyond 1e15; all stay as they were then.
    pub fn set_velocities(&mut self, velocities: &[S::Array<f64>]) -> Result<(), BodyError> {
        check_each("velocity", self.len(), velocities, |velocity| {
            check_point(velocity.as_ref()).map(|(axis, value)| Problem::Velocity { axis, value })
        })?;
        self.columns.velocity.replace(velocities);
        Ok(())
    }
}

/// Refuses a column of the wrong length, or by its first entry that is wrong.
fn check_each<X>(
    name: &'static str,
    bodies: usize,
    column: &[X],
    problem: impl Fn(&X) -> Option<Problem>,
) -> Result<(), BodyError> {
    same_length(name, column.len(), bodies)?;
    let wrong = column.iter().enumerate().find_map(|(body, entry)| Some((body, problem(entry)?)));
    wrong.map_or(Ok(()), |(body, problem)| Err(BodyError::Body { body, problem }))
}

#[cfg(test)]
mod tests {
    use jostle_lanes::D3;

    use crate::bodies::{Bodies, Body};
    use crate::error::BodyError;
    use crate::shape::Shape;

    fn three() -> Bodies<D3> {
        let mut bodies = Bodies::<D3>::new();
        let ball = bodies.add_shape(Shape::ball(0.5).expect("good")).expect("one");
        for x in 0..3 {
            bodies.push(Body::new(ball, [f64::from(x), 0.0, 0.0])).expect("good");
        }
        bodies
    }

    #[test]
    fn columns_move_bodies_as_one_by_one() {
        let (mut at_once, mut one_by_one) = (three(), three());
        let (upright, turned) = ([0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]);
        for rotations in [[upright; 3], [upright, turned, upright], [upright; 3]] {
            let places = [[1.0, 2.0, 3.0], [-1.0; 3], [1e15; 3]];
            let velocities = [[3.0; 3], [0.0; 3], [-1e15; 3]];
            at_once.set_positions(&places).expect("good");
            at_once.set_rotations(&rotations).expect("good");
            at_once.set_velocities(&velocities).expect("good");
            for body in 0..3 {
                let (position, rotation, velocity) = (places[body], rotations[body], velocities[body]);
                let moved = Body { position, rotation, velocity, ..one_by_one.get(body) };
                one_by_one.set(body, moved).expect("good");
            }
            assert_eq!(at_once, one_by_one);
        }
    }

    #[test]
    fn refused_columns_change_nothing() {
        let mut bodies = three();
        let before = bodies.clone();
        let upright = [0.0, 0.0, 0.0, 1.0];
        for refusal in [
            bodies.set_positions(&[[0.0; 3], [0.0; 3], [0.0, f64::INFINITY, 0.0]]),
            bodies.set_rotations(&[upright, upright, [0.0; 4]]),
            bodies.set_velocities(&[[1.0; 3], [1.0; 3], [0.0, 0.0, 2e15]]),
        ] {
            assert!(matches!(refusal, Err(BodyError::Body { body: 2, .. })), "{refusal:?}");
        }
        for (column, refusal) in [
            ("position", bodies.set_positions(&[[0.0; 3]; 2])),
            ("rotation", bodies.set_rotations(&[upright; 4])),
            ("velocity", bodies.set_velocities(&[])),
        ] {
            let text = refusal.expect_err("not three").to_string();
            assert!(text.starts_with(&format!("column '{column}' has ")), "{text}");
        }
        assert_eq!(bodies, before);
    }
}
