//! Where in the document the reader is, kept by hand: semantic refusals need it as well as those of serde.
//!
//! A step is pushed where a value begins and popped when it is done; after an error the steps are left as they were,
//! and name the place.

use std::fmt::{Display, Formatter, Result as Shown};

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Key(&'static str),
    Index(usize),
}

#[derive(Debug, Default)]
pub(super) struct Place(Vec<Step>);

impl Place {
    #[inline]
    pub(super) fn enter(&mut self, step: Step) {
        self.0.push(step);
    }
    #[inline]
    pub(super) fn leave(&mut self) {
        self.0.pop();
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> Shown {
        for (depth, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if depth == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
