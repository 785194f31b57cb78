//! A tree over bodies' boxes, asked from one body at a time: how far the nearest few are at most, and who may be as near.
//!
//! Each node halves its bodies along the axis on which their inner points differ most; its box holds the boxes of all.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use jostle_broadphase::Bounds;
use jostle_lanes::Space;
use jostle_narrowphase::Dimension;

use crate::pool;

/// Bodies of a node that is not halved.
const LEAF: usize = 8;
/// Bodies below which halving is one task's work.
const PIECE: usize = 4096;

/// The tree.
#[derive(Debug)]
pub struct Tree<S: Dimension> {
    /// The first child follows its parent.
    nodes: Vec<Node<S>>,
    /// The bodies, each node's in a row.
    order: Vec<u32>,
}

#[derive(Debug)]
struct Node<S: Dimension> {
    lower: S::Array<f32>,
    upper: S::Array<f32>,
    first: u32,
    len: u32,
    /// The second child; 0 if there are none.
    second: u32,
}

/// A squared distance that can be compared, and whose it is.
struct Far(f64, u32);
impl PartialEq for Far {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Far {}
impl PartialOrd for Far {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Far {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Memory for walks.
#[derive(Default)]
pub struct Walk {
    /// Nodes that wait.
    stack: Vec<u32>,
    /// The nearest few, the farthest of them on top.
    nearest: BinaryHeap<Far>,
}

impl<S: Dimension> Tree<S> {
    /// Over the bodies of `order`, with their boxes and a point of each.
    pub fn new(mut order: Vec<u32>, bounds: &Bounds<S>, points: &[S::Array<f64>]) -> Self {
        halve::<S>(&mut order, points);
        let mut tree = Self { nodes: Vec::with_capacity(order.len() / 2 + 1), order };
        if !tree.order.is_empty() {
            tree.grow(0, tree.order.len(), bounds);
        }
        tree
    }

    /// The bodies, near ones near each other.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    fn grow(&mut self, first: usize, len: usize, bounds: &Bounds<S>) -> usize {
        let index = self.nodes.len();
        let nothing = (S::array(|_| f32::INFINITY), S::array(|_| f32::NEG_INFINITY));
        let node = |(lower, upper), second| Node { lower, upper, first: first as u32, len: len as u32, second };
        if len <= LEAF {
            let bodies = self.order[first..first + len].iter().map(|&body| bounds.get(body as usize));
            let around = bodies.fold(nothing, wider::<S>);
            self.nodes.push(node(around, 0));
            return index;
        }
        self.nodes.push(node(nothing, 0));
        let half = len / 2;
        let children = [self.grow(first, half, bounds), self.grow(first + half, len - half, bounds)];
        let around = children.map(|child| (self.nodes[child].lower, self.nodes[child].upper));
        self.nodes[index] = node(wider::<S>(around[0], around[1]), children[1] as u32);
        index
    }

    fn bodies(&self, node: &Node<S>) -> &[u32] {
        &self.order[node.first as usize..][..node.len as usize]
    }

    /// A distance from `from` within which `most` bodies are that meet whoever asks; infinite if there are fewer. They are
    /// those whose points are nearest; each body holds the ball of radius `round` about its point.
    pub fn within(
        &self,
        from: &S::Array<f64>,
        most: usize,
        points: &[S::Array<f64>],
        meets: impl Fn(u32) -> bool,
        round: impl Fn(u32) -> f64,
        walk: &mut Walk,
    ) -> f64 {
        let Walk { stack, nearest } = walk;
        nearest.clear();
        stack.clear();
        if most == 0 || self.nodes.is_empty() {
            return f64::INFINITY;
        }
        // Nobody's point is outside his box, nor nearer than that.
        let far = |node: u32| {
            let Node { lower, upper, .. } = &self.nodes[node as usize];
            let off = |k: usize| (f64::from(lower[k]) - from[k]).max(from[k] - f64::from(upper[k])).max(0.0);
            (0..S::DIMENSION).map(|k| off(k) * off(k)).sum::<f64>()
        };
        stack.push(0);
        while let Some(index) = stack.pop() {
            let full = nearest.len() == most;
            if full && nearest.peek().is_some_and(|farthest| far(index) >= farthest.0) {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.second == 0 {
                for &body in self.bodies(node) {
                    let apart = (0..S::DIMENSION).map(|k| points[body as usize][k] - from[k]);
                    let apart = apart.map(|x| x * x).sum::<f64>();
                    let full = nearest.len() == most;
                    if full && nearest.peek().is_some_and(|farthest| apart >= farthest.0) || !meets(body) {
                        continue;
                    }
                    if full {
                        nearest.pop();
                    }
                    nearest.push(Far(apart, body));
                }
            } else {
                let children = [index + 1, node.second];
                let [near, other] = if far(children[0]) <= far(children[1]) { [0, 1] } else { [1, 0] };
                stack.extend([children[other], children[near]]);
            }
        }
        let reached = nearest.iter().map(|far| far.0.sqrt() - round(far.1)).fold(f64::NEG_INFINITY, f64::max);
        if nearest.len() < most { f64::INFINITY } else { reached }
    }

    /// Names all bodies whose boxes are within `room` of a box, and perhaps some a hair farther.
    pub fn each_within(
        &self,
        (lower, upper): (S::Array<f32>, S::Array<f32>),
        room: f64,
        bounds: &Bounds<S>,
        walk: &mut Walk,
        mut found: impl FnMut(u32),
    ) {
        let near = |l: &S::Array<f32>, u: &S::Array<f32>| {
            let gap = |k: usize| {
                let [l, u, lower, upper] = [l[k], u[k], lower[k], upper[k]].map(f64::from);
                (l - upper).max(lower - u).max(0.0)
            };
            (0..S::DIMENSION).map(|k| gap(k) * gap(k)).sum::<f64>() <= room * room
        };
        let stack = &mut walk.stack;
        stack.clear();
        stack.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index as usize];
            if !near(&node.lower, &node.upper) {
                continue;
            }
            if node.second != 0 {
                stack.extend([node.second, index + 1]);
                continue;
            }
            for &body in self.bodies(node) {
                let (l, u) = bounds.get(body as usize);
                if near(&l, &u) {
                    found(body);
                }
            }
        }
    }
}

type Corners<S> = (<S as Space>::Array<f32>, <S as Space>::Array<f32>);

/// The box about two boxes.
fn wider<S: Dimension>((lower, upper): Corners<S>, (l, u): Corners<S>) -> Corners<S> {
    (S::array(|k| lower[k].min(l[k])), S::array(|k| upper[k].max(u[k])))
}

/// Orders bodies so that each half of each half is on one side of the other.
fn halve<S: Dimension>(order: &mut [u32], points: &[S::Array<f64>]) {
    if order.len() <= LEAF {
        return;
    }
    let mut ends = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for &body in &*order {
        for (k, ends) in ends.iter_mut().enumerate().take(S::DIMENSION) {
            let x = points[body as usize][k];
            *ends = [ends[0].min(x), ends[1].max(x)];
        }
    }
    let widest = (0..S::DIMENSION)
        .max_by(|&i, &j| (ends[i][1] - ends[i][0]).total_cmp(&(ends[j][1] - ends[j][0])))
        .unwrap_or_default();
    let half = order.len() / 2;
    let at = |body: u32| points[body as usize][widest];
    order.select_nth_unstable_by(half, |&a, &b| at(a).total_cmp(&at(b)).then(a.cmp(&b)));
    let (front, back) = order.split_at_mut(half);
    if front.len() > PIECE {
        pool::join(|| halve::<S>(front, points), || halve::<S>(back, points));
    } else {
        halve::<S>(front, points);
        halve::<S>(back, points);
    }
}
