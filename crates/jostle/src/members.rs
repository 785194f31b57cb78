//! The bodies of a scene that are looked at: those that meet any other. The rest, free slots of a pipeline above all,
//! may be anywhere, even all at one point or at the limits of the coordinates, and cost nothing.

use jostle_shape::Filters;

/// Some bodies of a scene, in order.
#[derive(Clone, Debug, Default)]
pub struct Members {
    /// How many bodies the scene has.
    bodies: usize,
    /// All bodies are members, and are not listed.
    everybody: bool,
    list: Vec<u32>,
}

impl Members {
    /// Of `count` bodies, chooses those that meet any other.
    pub fn choose(&mut self, filters: &Filters<'_>, count: usize) {
        let meets_nobody = |body: usize| filters.meets_nobody(body as u32);
        if !filters.may_leave_out() || !(0..count).any(meets_nobody) {
            self.set_all(count);
        } else {
            self.set((0..count).filter(|&body| !meets_nobody(body)), count);
        }
    }
    /// Of `count` bodies, chooses these, given in order.
    pub fn set(&mut self, members: impl Iterator<Item = usize>, count: usize) {
        self.list.clear();
        self.list.extend(members.map(|body| body as u32));
        (self.bodies, self.everybody) = (count, self.list.len() == count);
    }
    /// Chooses all of `count` bodies.
    pub fn set_all(&mut self, count: usize) {
        self.list.clear();
        (self.bodies, self.everybody) = (count, true);
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        if self.everybody { self.bodies } else { self.list.len() }
    }
    /// True if all bodies are members.
    pub fn are_all(&self) -> bool {
        self.everybody
    }

    /// The number of members before a body.
    pub fn before(&self, body: usize) -> usize {
        if self.everybody {
            body.min(self.bodies)
        } else {
            self.list.partition_point(|&member| (member as usize) < body)
        }
    }

    /// The list of members, unless all bodies are members.
    pub fn some(&self) -> Option<&[u32]> {
        (!self.everybody).then_some(&self.list)
    }

    /// The body that a member is.
    pub fn body(&self, member: usize) -> usize {
        if self.everybody { member } else { self.list[member] as usize }
    }

    /// Turns a predicate on bodies into one on members.
    pub fn filter(&self, of_bodies: impl Fn(u32, u32) -> bool + Sync) -> impl Fn(u32, u32) -> bool + Sync {
        let body = |member: u32| if self.everybody { member } else { self.list[member as usize] };
        move |a, b| of_bodies(body(a), body(b))
    }

    /// Turns pairs of members into pairs of bodies.
    pub fn name(&self, pairs: &mut [[u32; 2]]) {
        if !self.everybody {
            for pair in pairs {
                *pair = pair.map(|member| self.list[member as usize]);
            }
        }
    }
}
