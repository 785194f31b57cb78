//! The simplex of the plane: up to two vertices kept, a triangle with the new one.

use jostle_lanes::{D2, Lanes, Mask, Scalar, Vec2, Vector};

use super::{
    Simplex, SimplexStep, Vertex, flat_volume, has_share, least_height, product_doubt, same_side, select_vertex,
};

/// Two vertices, the second of which may be a copy of the first.
#[derive(Clone, Copy, Debug)]
pub struct Simplex2<L: Lanes> {
    vertices: [Vertex<Vec2<L>>; 2],
}

/// The best candidate so far: what it is made of is for the caller to remember.
#[derive(Clone, Copy)]
struct NearestEdge<L: Lanes> {
    squared: L,
    v: Vec2<L>,
}

impl<L: Lanes> NearestEdge<L> {
    /// Takes the edge from the new vertex along `edge` where it is valid and nearer, and says where.
    #[inline(always)]
    fn edge(&mut self, w: Vec2<L>, edge: Vec2<L>) -> L::Mask {
        let squared_edge = edge.length_squared();
        let along = -w.dot(edge);
        // Along the edge's normal: no cancellation, however long the edge.
        let v = edge.perpendicular() * (edge.cross(w) / squared_edge);
        let squared = v.length_squared();
        let valid =
            has_share(along, squared_edge, squared_edge) & has_share(squared_edge - along, squared_edge, squared_edge);
        let nearer = valid & squared.lt(self.squared);
        self.squared = L::select(nearer, squared, self.squared);
        self.v = Vec2::select(nearer, v, self.v);
        nearer
    }
}

impl<L: Lanes> Simplex<D2, L> for Simplex2<L> {
    #[inline(always)]
    fn new(vertex: Vertex<Vec2<L>>) -> Self {
        Self { vertices: [vertex; 2] }
    }

    #[inline(always)]
    fn resumed<const CARE: bool>([p, q, _]: [Vertex<Vec2<L>>; 3]) -> (Self, Vec2<L>) {
        let step = Self::new(q).step::<1, CARE>(p);
        (step.simplex, step.v)
    }

    #[inline(always)]
    fn step<const KEPT: usize, const CARE: bool>(
        &self,
        vertex: Vertex<Vec2<L>>,
    ) -> SimplexStep<Self, Vec2<L>, L::Mask> {
        let [p, q] = self.vertices;
        let w = vertex.w;
        let mut best = NearestEdge { squared: w.length_squared(), v: w };
        let ep = p.w - w;
        let edge_p = best.edge(w, ep);
        let second = select_vertex::<D2, L>(edge_p, p, vertex);
        if const { KEPT == 1 } {
            let none = L::Mask::splat(false);
            return SimplexStep { simplex: Self { vertices: [vertex, second] }, v: best.v, inside: none };
        }
        let eq = q.w - w;
        let edge_q = best.edge(w, eq);
        let second = select_vertex::<D2, L>(edge_q, q, second);

        // The origin is inside if it is on the same side of each edge through w as the vertex opposite.
        let area = ep.cross(eq);
        let zero = L::zero();
        let solid = (area * area).gt(flat_volume::<L>() * ep.length_squared() * eq.length_squared());
        let beside_p = (-ep.cross(w) * area).ge(zero);
        let beside_q = (eq.cross(w) * area).ge(zero);
        let inside = solid & beside_p & beside_q;
        SimplexStep { simplex: Self { vertices: [vertex, second] }, v: best.v, inside }
    }

    #[inline(always)]
    fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        Self {
            vertices: [
                select_vertex::<D2, L>(mask, a.vertices[0], b.vertices[0]),
                select_vertex::<D2, L>(mask, a.vertices[1], b.vertices[1]),
            ],
        }
    }

    #[inline(always)]
    fn weighted<const CARE: bool>(&self, _: Vec2<L>) -> Vertex<Vec2<L>> {
        let [p, q] = self.vertices;
        let edge = q.w - p.w;
        // A second vertex that is missing is a copy of the first, to the bit.
        let squared = edge.length_squared();
        let two = L::select(squared.gt(L::zero()), -p.w.dot(edge) / squared, L::zero());
        let one = L::one() - two;
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
    fn is_broad(&self) -> L::Mask {
        let least = if const { L::Scalar::DOUBLE } { L::zero() } else { least_height::<L>() };
        self.across().length_squared().gt(least * least)
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
