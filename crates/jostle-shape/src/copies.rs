//! Appending a whole set of bodies, column by column: how scenes are copied into one another.

use jostle_lanes::Space;

use crate::bodies::Bodies;
use crate::column::Column;
use crate::columns::{Columns, Rotations};
use crate::counts::MAX_SHAPES;
use crate::custom::CustomShape;
use crate::error::BodyError;

impl<S: Space, U: CustomShape<S>> Bodies<S, U> {
    /// Removes all bodies and all shapes; the memory is kept.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{Bodies, Body, D2, Shape};
    ///
    /// let mut bodies = Bodies::<D2>::new();
    /// let disc = bodies.add_shape(Shape::ball(0.5)?)?;
    /// bodies.push(Body::new(disc, [0.0, 0.0]))?;
    /// bodies.clear_all();
    /// assert!(bodies.is_empty() && bodies.shapes().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear_all(&mut self) {
        self.clear();
        self.shapes.clear();
    }

    /// Appends copies of the bodies of a set, and of its shapes. (A set that has more shapes than bodies adds one for
    /// each body, not all of them.) Parents keep their numbers: a copy does not meet bodies with the same parent that
    /// were there before. Absent bodies are copied as bodies without group and mask, which meet no other body either.
    ///
    /// ```
    /// # use jostle_shape as jostle;
    /// use jostle::{Bodies, Body, D2, Shape};
    ///
    /// let mut walls = Bodies::<D2>::new();
    /// let wall = walls.add_shape(Shape::cuboid([5.0, 0.1])?)?;
    /// walls.push(Body::new(wall, [0.0, 2.0]).fixed())?;
    /// let mut hall = Bodies::<D2>::new();
    /// let walker = hall.add_shape(Shape::ball(0.25)?)?;
    /// hall.push(Body::new(walker, [0.0, 0.0]))?;
    /// hall.push_all(&walls.columns())?;
    /// assert_eq!(hall.get(1), Body { shape: 1, ..walls.get(0) });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are more than 4,294,967,295 bodies or 268,435,455 shapes together; nothing is added then.
    pub fn push_all(&mut self, set: &Columns<'_, S, U>) -> Result<(), BodyError> {
        let (before, count, first_shape) = (self.len(), set.len(), self.shapes.len());
        // A few bodies add the shapes that they use, not all of them.
        let few = count < set.shapes().len();
        let (bodies, shapes) = (before + count, first_shape + if few { count } else { set.shapes().len() });
        if u32::try_from(bodies).is_err() {
            return Err(BodyError::TooMany(bodies));
        }
        if shapes > MAX_SHAPES {
            return Err(BodyError::TooManyShapes(shapes));
        }
        let (columns, first_shape, filters) = (&mut self.columns, first_shape as u32, set.filters());
        if few {
            self.shapes.extend((0..count).map(|body| set.shape(body).clone()));
            columns.shape.to_mut().extend((first_shape..).take(count));
        } else {
            self.shapes.extend_from_slice(set.shapes());
            columns.shape.to_mut().extend(set.shape_indices().iter().map(|shape| first_shape + shape));
        }
        columns.position.to_mut().extend_from_slice(set.positions());
        columns.velocity.to_mut().extend_from_slice(set.velocities());
        columns.velocity.to_mut().resize(bodies, S::array(|_| 0.0));
        let upright = S::identity_rotation();
        self.turned |= match set.rotations() {
            Rotations::Identity => lengthen(&mut columns.rotation, before, &[], count, upright),
            Rotations::Double(rotations) => lengthen(&mut columns.rotation, before, rotations, count, upright),
            rotations @ Rotations::Single(_) => {
                let turned = (0..count).any(|body| rotations.get(body) != upright);
                if turned {
                    let column = columns.rotation.to_mut();
                    column.resize(before, upright);
                    column.extend((0..count).map(|body| rotations.get(body)));
                } else {
                    lengthen(&mut columns.rotation, before, &[], count, upright);
                }
                turned
            }
        };
        for (column, values) in [(&mut columns.group, filters.group), (&mut columns.mask, filters.mask)] {
            lengthen(column, before, values, count, u32::MAX);
            // Owned bodies cannot be absent.
            if filters.absent.contains(&true) {
                let column = column.to_mut();
                column.resize(bodies, u32::MAX);
                let absent = column[before..].iter_mut().zip(filters.absent).filter(|(_, absent)| **absent);
                absent.for_each(|(bits, _)| *bits = 0);
            }
        }
        lengthen(&mut columns.parent, before, filters.parent, count, None);
        lengthen(&mut columns.fixed, before, filters.fixed, count, false);
        Ok(())
    }
}

/// Appends the values of `count` bodies, or defaults for all, to a column that is empty while it holds nothing but
/// defaults. Returns whether there were other values.
fn lengthen<T: Copy + PartialEq>(
    column: &mut Column<T>,
    before: usize,
    values: &[T],
    count: usize,
    default: T,
) -> bool {
    let others = values.iter().any(|value| *value != default);
    if others {
        let column = column.to_mut();
        column.resize(before, default);
        column.extend_from_slice(values);
    } else if !column.is_empty() {
        column.to_mut().resize(before + count, default);
    }
    others
}

#[cfg(test)]
mod tests {
    use jostle_lanes::D3;

    use super::*;
    use crate::bodies::{Body, BodyColumns};
    use crate::columns::Filters;
    use crate::shape::Shape;

    /// The result of pushing bodies one by one.
    fn one_by_one(mut bodies: Bodies<D3>, set: &Columns<'_, D3>) -> Bodies<D3> {
        let (first, few, filters) = (bodies.shapes().len() as u32, set.len() < set.shapes().len(), set.filters());
        if !few {
            for shape in set.shapes() {
                bodies.add_shape(shape.clone()).expect("a few");
            }
        }
        for index in 0..set.len() {
            let shape = if few {
                bodies.add_shape(set.shape(index).clone()).expect("a few")
            } else {
                first + set.shape_indices()[index]
            };
            let bits =
                |column: &[u32]| if filters.is_absent(index as u32) { 0 } else { *column.get(index).unwrap_or(&!0) };
            let body = Body {
                shape,
                position: set.positions()[index],
                rotation: set.rotations().get(index),
                velocity: set.velocity(index),
                group: bits(filters.group),
                mask: bits(filters.mask),
                parent: filters.parent.get(index).copied().flatten(),
                fixed: filters.is_fixed(index as u32),
            };
            bodies.push(body).expect("good");
        }
        bodies
    }

    #[test]
    fn copies_are_those_pushed_one_by_one() {
        let balls = [0.5, 1.0, 1.5].map(|radius| Shape::<D3>::ball(radius).expect("good"));
        let (upright, turned) = ([0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]);
        let plain = Body::new(1, [1.0, 2.0, 3.0]);
        let all = plain.with_rotation(turned).with_group(6).with_mask(5).with_parent(2).fixed();
        let mut places = [[0.0; 3]; 4];
        for (index, place) in places.iter_mut().enumerate() {
            place[0] = index as f64;
        }
        let velocities = [[0.0, 1.0, 0.0]; 4];
        let (singles, doubles) = ([[0.0, 0.0, 0.0, 1.0_f32], [0.0, 1.0, 0.0, 0.0]], [upright, turned]);
        let rotations = [
            [Rotations::Identity; 2],
            [Rotations::Single(&[singles[0]; 4]), Rotations::Single(&[singles[0]; 2])],
            [Rotations::Single(&[singles[0], singles[1], singles[0], singles[0]]), Rotations::Single(&singles)],
            [Rotations::Double(&[upright; 4]), Rotations::Double(&[upright; 2])],
            [Rotations::Double(&[upright, upright, turned, upright]), Rotations::Double(&doubles)],
        ];
        let columns = Filters {
            group: &[1, 2, u32::MAX, 4],
            mask: &[u32::MAX; 4],
            parent: &[None, Some(3), None, None],
            fixed: &[false, true, false, false],
            absent: &[],
        };
        let absent = &[false, true, false, true];
        let filters =
            [Filters::default(), columns, Filters { absent, ..columns }, Filters { absent, ..Filters::default() }];
        let mut compared = 0;
        for there in [&[][..], &[plain], &[all, plain]] {
            for rotations in rotations {
                for filters in filters {
                    for moving in [false, true] {
                        let few = |set: Filters<'static>| Filters {
                            group: &set.group[..set.group.len().min(2)],
                            mask: &set.mask[..set.mask.len().min(2)],
                            parent: &set.parent[..set.parent.len().min(2)],
                            fixed: &set.fixed[..set.fixed.len().min(2)],
                            absent: &set.absent[..set.absent.len().min(2)],
                        };
                        let many = Columns::new(&balls, &[2, 0, 1, 2], &places, rotations[0]).expect("good");
                        let less = Columns::new(&balls, &[2, 0], &places[..2], rotations[1]).expect("good");
                        let sets = [many.with_filters(filters), less.with_filters(few(filters))];
                        for set in sets.map(|set| set.expect("good")) {
                            let set =
                                if moving { set.with_velocities(&velocities[..set.len()]).expect("good") } else { set };
                            let mut bodies = Bodies::<D3>::new();
                            for ball in &balls[..2] {
                                bodies.add_shape(ball.clone()).expect("a few");
                            }
                            for body in there {
                                bodies.push(*body).expect("good");
                            }
                            let expected = one_by_one(bodies.clone(), &set);
                            bodies.push_all(&set).expect("a few");
                            assert_eq!(bodies, expected);
                            compared += 1;
                        }
                    }
                }
            }
        }
        assert_eq!(compared, 240);
    }

    #[test]
    fn shared_columns_are_not_written_to() {
        let place: std::sync::Arc<[[f64; 3]]> = [[1.0; 3]].into();
        let columns: BodyColumns<D3> =
            BodyColumns { shape: vec![0].into(), position: Column::shared(place.clone()), ..BodyColumns::default() };
        let mut bodies = Bodies::<D3>::from_columns(vec![Shape::point()], columns).expect("good");
        let set = bodies.clone();
        bodies.push_all(&set.columns()).expect("two");
        assert_eq!((bodies.positions(), &place[..]), (&[[1.0; 3]; 2][..], &[[1.0; 3]][..]));
    }
}
