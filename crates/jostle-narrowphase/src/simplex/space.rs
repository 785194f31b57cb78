//! The simplex of space: up to three vertices kept, a tetrahedron with the new one.

use jostle_lanes::{D3, Lanes, Vec3, Vector};

use super::{Simplex, Step, Vertex, flat_triangle, flat_volume, has_share, product_doubt, same_side, select_vertex};

/// Three vertices, some of which may be copies of the first.
#[derive(Clone, Copy, Debug)]
pub struct Simplex3<L: Lanes> {
    vertices: [Vertex<Vec3<L>>; 3],
    weights: [L; 3],
}

/// The best candidate so far.
#[derive(Clone, Copy)]
struct Best<L: Lanes> {
    squared: L,
    v: Vec3<L>,
    simplex: Simplex3<L>,
}

impl<L: Lanes> Best<L> {
    /// Takes a candidate where it is valid and nearer; `second` and `third` are the vertices beside the new one.
    #[inline(always)]
    fn offer(&mut self, valid: L::Mask, v: Vec3<L>, second: Vertex<Vec3<L>>, third: Vertex<Vec3<L>>, weights: [L; 2]) {
        let squared = v.length_squared();
        let nearer = valid & squared.lt(self.squared);
        let [one, two] = weights;
        let kept = self.simplex;
        self.squared = L::select(nearer, squared, self.squared);
        self.v = Vec3::select(nearer, v, self.v);
        self.simplex.vertices[1] = select_vertex::<D3, L>(nearer, second, kept.vertices[1]);
        self.simplex.vertices[2] = select_vertex::<D3, L>(nearer, third, kept.vertices[2]);
        self.simplex.weights = [
            L::select(nearer, L::one() - one - two, kept.weights[0]),
            L::select(nearer, one, kept.weights[1]),
            L::select(nearer, two, kept.weights[2]),
        ];
    }

    /// The edge from the new vertex along `edge` to `end`. The nearest point is found across the edge, from its moment:
    /// along it the sum of two long vectors would lose what is left when the cores nearly touch.
    #[inline(always)]
    fn edge(&mut self, w: Vertex<Vec3<L>>, end: Vertex<Vec3<L>>, edge: Vec3<L>, moment: Vec3<L>) {
        let squared = edge.length_squared();
        let along = -w.w.dot(edge);
        let part = along / squared;
        let valid = has_share(part, squared) & has_share(L::one() - part, squared);
        self.offer(valid, moment.cross(edge) * (L::one() / squared), end, w, [part, L::zero()]);
    }

    /// The triangle of the new vertex and the ends of two edges from it.
    ///
    /// `normal` is the edges' vector product, `moments` each edge times the new vertex. The nearest point is found along
    /// the normal, not from the weights: on thin triangles those are wrong by far more than it is.
    #[inline(always)]
    fn triangle(
        &mut self,
        w: Vertex<Vec3<L>>,
        ends: [Vertex<Vec3<L>>; 2],
        edges: [Vec3<L>; 2],
        moments: [Vec3<L>; 2],
        normal: Vec3<L>,
    ) {
        let squared = normal.length_squared();
        let [first, second] = [edges[0].length_squared(), edges[1].length_squared()];
        let solid = squared.gt(flat_triangle::<L>() * first * second);
        let share = L::one() / squared;
        let one = moments[1].dot(normal) * share;
        let two = -moments[0].dot(normal) * share;
        let three = L::one() - one - two;
        let valid = solid & has_share(one, first) & has_share(two, second) & has_share(three, first.max(second));
        let v = normal * (w.w.dot(normal) * share);
        self.offer(valid, v, ends[0], ends[1], [one, two]);
    }
}

impl<L: Lanes> Simplex3<L> {
    /// The weighted mean of the vertices.
    #[inline(always)]
    fn mean(&self, [one, two, three]: [L; 3]) -> Vertex<Vec3<L>> {
        let [p, q, r] = self.vertices;
        Vertex { w: p.w * one + q.w * two + r.w * three, a: p.a * one + q.a * two + r.a * three }
    }
}

impl<L: Lanes> Simplex<D3, L> for Simplex3<L> {
    #[inline(always)]
    fn new(vertex: Vertex<Vec3<L>>) -> Self {
        Self { vertices: [vertex; 3], weights: [L::one(), L::zero(), L::zero()] }
    }

    #[inline(always)]
    fn step(&self, vertex: Vertex<Vec3<L>>) -> Step<Self, Vec3<L>, L::Mask> {
        let [p, q, r] = self.vertices;
        let w = vertex.w;
        let (ep, eq, er) = (p.w - w, q.w - w, r.w - w);
        let (npq, nqr, nrp) = (ep.cross(eq), eq.cross(er), er.cross(ep));
        let (mp, mq, mr) = (ep.cross(w), eq.cross(w), er.cross(w));

        let mut best = Best { squared: w.length_squared(), v: w, simplex: Self::new(vertex) };
        best.edge(vertex, p, ep, mp);
        best.edge(vertex, q, eq, mq);
        best.edge(vertex, r, er, mr);
        best.triangle(vertex, [p, q], [ep, eq], [mp, mq], npq);
        best.triangle(vertex, [q, r], [eq, er], [mq, mr], nqr);
        best.triangle(vertex, [r, p], [er, ep], [mr, mp], nrp);

        // The origin is inside if it is on the same side of each face through w as the vertex opposite. (The face
        // opposite w needs no look: w is the support beyond it, which the caller checks by v.w <= 0.)
        let volume = npq.dot(er);
        let zero = L::zero();
        let solid =
            (volume * volume).gt(flat_volume::<L>() * ep.length_squared() * eq.length_squared() * er.length_squared());
        let inside =
            solid & (w.dot(npq) * volume).le(zero) & (w.dot(nqr) * volume).le(zero) & (w.dot(nrp) * volume).le(zero);
        Step { simplex: best.simplex, v: best.v, inside }
    }

    #[inline(always)]
    fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        Self {
            vertices: [
                select_vertex::<D3, L>(mask, a.vertices[0], b.vertices[0]),
                select_vertex::<D3, L>(mask, a.vertices[1], b.vertices[1]),
                select_vertex::<D3, L>(mask, a.vertices[2], b.vertices[2]),
            ],
            weights: [
                L::select(mask, a.weights[0], b.weights[0]),
                L::select(mask, a.weights[1], b.weights[1]),
                L::select(mask, a.weights[2], b.weights[2]),
            ],
        }
    }

    #[inline(always)]
    fn weighted(&self, v: Vec3<L>) -> Vertex<Vec3<L>> {
        let [p, q, r] = self.vertices;
        let [one, two, three] = self.weights;
        let found = self.mean([one, two, three]);
        // The weights come from long vectors: of a thin triangle, as GJK ends on between curved cores, they are wrong by far
        // more than `v`. What is missing is short, and its own weights are right to the last digits that matter.
        let (to_q, to_r) = (q.w - p.w, r.w - p.w);
        let normal = to_q.cross(to_r);
        let squared = normal.length_squared();
        let missing = v - found.w;
        let share = L::one() / squared;
        let more_two = missing.cross(to_r).dot(normal) * share;
        let more_three = to_q.cross(missing).dot(normal) * share;
        let better = self.mean([one - more_two - more_three, two + more_two, three + more_three]);
        let nearer = (better.w - v).length_squared().lt(missing.length_squared());
        select_vertex::<D3, L>(nearer, better, found)
    }

    #[inline(always)]
    fn vertices(&self) -> [Vertex<Vec3<L>>; 3] {
        self.vertices
    }

    #[inline(always)]
    fn encloses(&self, last: Vec3<L>, by: L) -> L::Mask {
        let [p, q, r] = [self.vertices[0].w, self.vertices[1].w, self.vertices[2].w];
        face_holds([p, q, r], last, by)
            & face_holds([last, p, q], r, by)
            & face_holds([last, q, r], p, by)
            & face_holds([last, r, p], q, by)
    }
}

/// True where the origin is on the inner side of a face, by more than `by` and rounding.
#[inline(always)]
fn face_holds<L: Lanes>(corners: [Vec3<L>; 3], opposite: Vec3<L>, by: L) -> L::Mask {
    let [a, b, c] = corners;
    let (one, two, across) = (b - a, c - a, opposite - a);
    let normal = one.cross(two);
    let spread = one.length_squared() * two.length_squared();
    let room = by * normal.length_squared().sqrt() + product_doubt::<L>() * (a.length_squared() * spread).sqrt();
    let doubt = product_doubt::<L>() * (across.length_squared() * spread).sqrt();
    same_side(-a.dot(normal), room, across.dot(normal), doubt)
}
