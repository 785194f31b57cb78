//! The simplex of the plane: up to two vertices kept, a triangle with the new one.

use jostle_lanes::{D2, Lanes, Vec2, Vector};

use super::{Simplex, Step, Vertex, flat_volume, has_share, product_doubt, same_side, select_vertex};

/// Two vertices, the second of which may be a copy of the first.
#[derive(Clone, Copy, Debug)]
pub struct Simplex2<L: Lanes> {
    vertices: [Vertex<Vec2<L>>; 2],
    weights: [L; 2],
}

/// The best candidate so far.
#[derive(Clone, Copy)]
struct Best<L: Lanes> {
    squared: L,
    v: Vec2<L>,
    simplex: Simplex2<L>,
}

impl<L: Lanes> Best<L> {
    /// The edge from the new vertex along `edge` to `end`, where it is valid and nearer.
    #[inline(always)]
    fn edge(&mut self, w: Vec2<L>, end: Vertex<Vec2<L>>, edge: Vec2<L>) {
        let squared_edge = edge.length_squared();
        let along = -w.dot(edge);
        let part = along / squared_edge;
        // Along the edge's normal: no cancellation, however long the edge.
        let v = edge.perpendicular() * (edge.cross(w) / squared_edge);
        let squared = v.length_squared();
        let valid = has_share(part, squared_edge) & has_share(L::one() - part, squared_edge);
        let nearer = valid & squared.lt(self.squared);
        self.squared = L::select(nearer, squared, self.squared);
        self.v = Vec2::select(nearer, v, self.v);
        self.simplex.vertices[1] = select_vertex::<D2, L>(nearer, end, self.simplex.vertices[1]);
        self.simplex.weights = [
            L::select(nearer, L::one() - part, self.simplex.weights[0]),
            L::select(nearer, part, self.simplex.weights[1]),
        ];
    }
}

impl<L: Lanes> Simplex<D2, L> for Simplex2<L> {
    #[inline(always)]
    fn new(vertex: Vertex<Vec2<L>>) -> Self {
        Self { vertices: [vertex; 2], weights: [L::one(), L::zero()] }
    }

    #[inline(always)]
    fn resumed([p, q, _]: [Vertex<Vec2<L>>; 3], _: bool) -> (Self, Vec2<L>) {
        let mut best = Best { squared: p.w.length_squared(), v: p.w, simplex: Self::new(p) };
        best.edge(p.w, q, q.w - p.w);
        (best.simplex, best.v)
    }

    #[inline(always)]
    fn step(&self, vertex: Vertex<Vec2<L>>, _: bool) -> Step<Self, Vec2<L>, L::Mask> {
        let [p, q] = self.vertices;
        let w = vertex.w;
        let (ep, eq) = (p.w - w, q.w - w);
        let mut best = Best { squared: w.length_squared(), v: w, simplex: Self::new(vertex) };
        best.edge(w, p, ep);
        best.edge(w, q, eq);

        // The origin is inside if it is on the same side of each edge through w as the vertex opposite.
        let area = ep.cross(eq);
        let zero = L::zero();
        let solid = (area * area).gt(flat_volume::<L>() * ep.length_squared() * eq.length_squared());
        let beside_p = (-ep.cross(w) * area).ge(zero);
        let beside_q = (eq.cross(w) * area).ge(zero);
        Step { simplex: best.simplex, v: best.v, inside: solid & beside_p & beside_q }
    }

    #[inline(always)]
    fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        Self {
            vertices: [
                select_vertex::<D2, L>(mask, a.vertices[0], b.vertices[0]),
                select_vertex::<D2, L>(mask, a.vertices[1], b.vertices[1]),
            ],
            weights: [L::select(mask, a.weights[0], b.weights[0]), L::select(mask, a.weights[1], b.weights[1])],
        }
    }

    #[inline(always)]
    fn weighted(&self, _: Vec2<L>, _: bool) -> Vertex<Vec2<L>> {
        let [p, q] = self.vertices;
        let [one, two] = self.weights;
        Vertex { w: p.w * one + q.w * two, a: p.a * one + q.a * two }
    }

    #[inline(always)]
    fn vertices(&self) -> [Vertex<Vec2<L>>; 3] {
        [self.vertices[0], self.vertices[1], self.vertices[1]]
    }

    #[inline(always)]
    fn across(&self) -> Vec2<L> {
        (self.vertices[1].w - self.vertices[0].w).perpendicular()
    }

    #[inline(always)]
    fn encloses(&self, last: Vec2<L>, by: L) -> L::Mask {
        let [p, q] = [self.vertices[0].w, self.vertices[1].w];
        edge_holds(p, q, last, by) & edge_holds(q, last, p, by) & edge_holds(last, p, q, by)
    }
}

/// True where the origin is on the inner side of the edge from `a` to `b`, by more than `by` and rounding.
#[inline(always)]
fn edge_holds<L: Lanes>(a: Vec2<L>, b: Vec2<L>, opposite: Vec2<L>, by: L) -> L::Mask {
    let (edge, across) = (b - a, opposite - a);
    let squared = edge.length_squared();
    let room = by * squared.sqrt() + product_doubt::<L>() * (a.length_squared() * squared).sqrt();
    let doubt = product_doubt::<L>() * (across.length_squared() * squared).sqrt();
    same_side(-edge.cross(a), room, edge.cross(across), doubt)
}
