//! The simplex of space: up to three vertices kept, a tetrahedron with the new one.

use jostle_lanes::{D3, Lanes, Mask, Scalar, Vec3, Vector};

use super::{
    Simplex, SimplexStep, VERTEX_SLACK, Vertex, flat_triangle, flat_volume, has_share, least_height, product_doubt,
    same_side, select_vertex,
};

/// Three vertices, some of which may be copies of the first.
#[derive(Clone, Copy, Debug)]
pub struct Simplex3<L: Lanes> {
    vertices: [Vertex<Vec3<L>>; 3],
}

/// The best candidate so far: what it is made of is for the caller to remember.
#[derive(Clone, Copy)]
struct NearestFeature<L: Lanes> {
    squared: L,
    v: Vec3<L>,
}

impl<L: Lanes> NearestFeature<L> {
    /// Takes a candidate where it is valid and nearer, and says where.
    #[inline(always)]
    fn offer(&mut self, valid: L::Mask, v: Vec3<L>) -> L::Mask {
        let squared = v.length_squared();
        let nearer = valid & squared.lt(self.squared);
        self.squared = L::select(nearer, squared, self.squared);
        self.v = Vec3::select(nearer, v, self.v);
        nearer
    }

    /// The edge from the new vertex along `edge`. The nearest point is found across the edge, from its moment:
    /// along it the sum of two long vectors would lose what is left when the cores nearly touch.
    #[inline(always)]
    fn edge(&mut self, w: Vec3<L>, edge: Vec3<L>, moment: Vec3<L>) -> L::Mask {
        let squared = edge.length_squared();
        let along = -w.dot(edge);
        let valid = has_share(along, squared, squared) & has_share(squared - along, squared, squared);
        self.offer(valid, moment.cross(edge) * (L::one() / squared))
    }

    /// The triangle of the new vertex and the ends of two edges from it.
    ///
    /// `normal` is the edges' vector product, `moments` each edge times the new vertex. The nearest point is found
    /// along the normal, not from the weights: on thin triangles those are wrong by far more than it is.
    #[inline(always)]
    fn triangle(&mut self, w: Vec3<L>, edges: [Vec3<L>; 2], moments: [Vec3<L>; 2], normal: Vec3<L>) -> L::Mask {
        let squared = normal.length_squared();
        let [first, second] = [edges[0].length_squared(), edges[1].length_squared()];
        let solid = squared.gt(flat_triangle::<L>() * first * second);
        let [one, two] = swept(moments, normal);
        let three = squared - one - two;
        let valid = solid
            & has_share(one, squared, first)
            & has_share(two, squared, second)
            & has_share(three, squared, first.max(second));
        self.offer(valid, normal * (w.dot(normal) * (L::one() / squared)))
    }

    /// The same from the corner where the two shorter edges meet (see [`Careful`]). `fourth` is the other vertex, if
    /// there is one, else any of the three. Gives also how high the triangle lies above the origin, times the length of
    /// the edges' vector product.
    #[inline(always)]
    fn careful_triangle(&mut self, vertices: [Vec3<L>; 3], edges: [Vec3<L>; 2], fourth: Vec3<L>) -> (L::Mask, L) {
        let Careful { corner, normal, squared, solid, shares: [at_w, at_p, at_q], lengths } =
            Careful::new(vertices, edges);
        let [along_p, along_q, across] = lengths;
        let valid = solid
            & has_share(at_p, L::one(), along_p.min(across))
            & has_share(at_q, L::one(), along_q.min(across))
            & has_share(at_w, L::one(), along_p.min(along_q));
        let height = corner.dot(normal);
        let v = normal * (height * (L::one() / squared));
        // Where rounding hides which of two triangles is nearer, it is the one that has nothing of the other before it;
        // and no point of its edges is nearer than its own. (Chosen by |v| alone, v goes round from edge to edge of a
        // face for ever.)
        let room = L::constant(VERTEX_SLACK * L::Scalar::UNIT_ROUNDOFF.to_f64());
        let nothing_before = ((fourth - corner).dot(normal) * height).ge(-room * height.abs() * squared.sqrt());
        let rise = v.length_squared() - self.squared;
        let level = (rise * rise).lt(room * room * self.squared);
        self.squared = L::select(valid & level & nothing_before, L::splat(L::Scalar::INFINITY), self.squared);
        let valid = valid & (nothing_before | !level);
        (self.offer(valid, v), height)
    }
}

/// The shares of the ends of two edges in the point of their triangle that is nearest to the origin, times the square
/// of its normal.
#[inline(always)]
fn swept<L: Lanes>(moments: [Vec3<L>; 2], normal: Vec3<L>) -> [L; 2] {
    [moments[1].dot(normal), -moments[0].dot(normal)]
}

/// A triangle seen from the corner where its two shorter edges meet. The product of two long edges that are nearly
/// parallel is off by rounding over the third one's length, along them: near a rim, where that is short, |v| then seems
/// to rise long before the search is at its end. From the short edge no corner seems to be moved by more than rounding.
struct Careful<L: Lanes> {
    corner: Vec3<L>,
    normal: Vec3<L>,
    /// Of the normal.
    squared: L,
    /// True where the normal is more than rounding.
    solid: L::Mask,
    /// Of the three vertices, in the point nearest to the origin.
    shares: [L; 3],
    /// Squares: of the two edges from the first vertex, and of the third one.
    lengths: [L; 3],
}

impl<L: Lanes> Careful<L> {
    #[inline(always)]
    fn new([w, p, q]: [Vec3<L>; 3], [ep, eq]: [Vec3<L>; 2]) -> Self {
        let pq = q - p;
        let [along_p, along_q, across] = [ep.length_squared(), eq.length_squared(), pq.length_squared()];
        // The corner opposite to the longest edge, and the edges from it, in the same sense of turning.
        let from_p = along_q.gt(across) & along_q.ge(along_p);
        let from_q = !from_p & along_p.gt(across);
        let corner = Vec3::select(from_p, p, Vec3::select(from_q, q, w));
        let one = Vec3::select(from_p, pq, Vec3::select(from_q, -eq, ep));
        let two = Vec3::select(from_p, -ep, Vec3::select(from_q, -pq, eq));
        let normal = one.cross(beside(two, one));
        let squared = normal.length_squared();
        let solid = squared.gt(flat_triangle::<L>() * one.length_squared() * two.length_squared());
        let [first, second] = parts(-corner, one, two);
        let third = L::one() - first - second;
        // The corner's own share is the third.
        let at_p = L::select(from_p, third, L::select(from_q, second, first));
        let at_q = L::select(from_p, first, L::select(from_q, third, second));
        let at_w = L::select(from_p, second, L::select(from_q, first, third));
        Self { corner, normal, squared, solid, shares: [at_w, at_p, at_q], lengths: [along_p, along_q, across] }
    }
}

impl<L: Lanes> Simplex3<L> {
    /// The weighted mean of the vertices.
    #[inline(always)]
    fn mean(&self, [one, two, three]: [L; 3]) -> Vertex<Vec3<L>> {
        let [p, q, r] = self.vertices;
        Vertex { w: p.w * one + q.w * two + r.w * three, a: p.a * one + q.a * two + r.a * three }
    }

    /// The weights of the nearest point. They are needed after the last step only, and so not kept from step to step.
    #[inline(always)]
    fn weights<const CARE: bool>(&self) -> [L; 3] {
        let zero = L::zero();
        let [p, q, r] = [self.vertices[0].w, self.vertices[1].w, self.vertices[2].w];
        let (eq, er) = (q - p, r - p);
        let [two, three] = if const { CARE } {
            let [_, at_q, at_r] = Careful::new([p, q, r], [eq, er]).shares;
            [at_q, at_r]
        } else {
            let normal = eq.cross(er);
            let share = L::one() / normal.length_squared();
            let [two, three] = swept([eq.cross(p), er.cross(p)], normal);
            [two * share, three * share]
        };
        // What is missing is a copy of the first, to the bit.
        let squared = eq.length_squared();
        let (edge, triangle) = (squared.gt(zero), er.length_squared().gt(zero));
        let two = L::select(triangle, two, L::select(edge, -p.dot(eq) / squared, zero));
        let three = L::select(triangle, three, zero);
        [L::one() - two - three, two, three]
    }
}

impl<L: Lanes> Simplex<D3, L> for Simplex3<L> {
    #[inline(always)]
    fn new(vertex: Vertex<Vec3<L>>) -> Self {
        Self { vertices: [vertex; 3] }
    }

    #[inline(always)]
    fn resumed<const CARE: bool>([p, q, r]: [Vertex<Vec3<L>>; 3]) -> (Self, Vec3<L>) {
        let simplex = Self { vertices: [q, r, q] };
        let step = simplex.step::<2, CARE>(p);
        (step.simplex, step.v)
    }

    #[inline(always)]
    fn step<const KEPT: usize, const CARE: bool>(
        &self,
        vertex: Vertex<Vec3<L>>,
    ) -> SimplexStep<Self, Vec3<L>, L::Mask> {
        let [p, q, r] = self.vertices;
        let w = vertex.w;
        let none = L::Mask::splat(false);
        let mut best = NearestFeature { squared: w.length_squared(), v: w };
        // Which vertices stay beside the new one is put together at the end: of features that are not nearer nothing is
        // copied.
        let (ep, mp) = (p.w - w, (p.w - w).cross(w));
        let edge_p = best.edge(w, ep, mp);
        if const { KEPT == 1 } {
            let second = select_vertex::<D3, L>(edge_p, p, vertex);
            return SimplexStep { simplex: Self { vertices: [vertex, second, vertex] }, v: best.v, inside: none };
        }
        let (eq, mq) = (q.w - w, (q.w - w).cross(w));
        let edge_q = best.edge(w, eq, mq);
        let npq = ep.cross(eq);
        if const { KEPT == 2 } {
            let face_pq = if const { CARE } {
                best.careful_triangle([w, p.w, q.w], [ep, eq], w).0
            } else {
                best.triangle(w, [ep, eq], [mp, mq], npq)
            };
            let second = select_vertex::<D3, L>(edge_p | face_pq, p, vertex);
            let second = select_vertex::<D3, L>(edge_q & !face_pq, q, second);
            let third = select_vertex::<D3, L>(face_pq, q, vertex);
            return SimplexStep { simplex: Self { vertices: [vertex, second, third] }, v: best.v, inside: none };
        }
        let (er, mr) = (r.w - w, (r.w - w).cross(w));
        let edge_r = best.edge(w, er, mr);
        let (nqr, nrp) = (eq.cross(er), er.cross(ep));
        let (faces, heights) = if const { CARE } {
            let (face_pq, pq) = best.careful_triangle([w, p.w, q.w], [ep, eq], r.w);
            let (face_qr, qr) = best.careful_triangle([w, q.w, r.w], [eq, er], p.w);
            let (face_rp, rp) = best.careful_triangle([w, r.w, p.w], [er, ep], q.w);
            ([face_pq, face_qr, face_rp], [pq, qr, rp])
        } else {
            let face_pq = best.triangle(w, [ep, eq], [mp, mq], npq);
            let face_qr = best.triangle(w, [eq, er], [mq, mr], nqr);
            let face_rp = best.triangle(w, [er, ep], [mr, mp], nrp);
            ([face_pq, face_qr, face_rp], [w.dot(npq), w.dot(nqr), w.dot(nrp)])
        };
        let [face_pq, face_qr, face_rp] = faces;
        // The last that was nearer is the nearest: each mask tells but for those that come after it.
        let second = select_vertex::<D3, L>(edge_p | face_pq, p, vertex);
        let second = select_vertex::<D3, L>((edge_q & !face_pq) | face_qr, q, second);
        let second = select_vertex::<D3, L>((edge_r & !(face_pq | face_qr)) | face_rp, r, second);
        let third = select_vertex::<D3, L>(face_pq, q, vertex);
        let third = select_vertex::<D3, L>(face_qr, r, third);
        let third = select_vertex::<D3, L>(face_rp, p, third);

        // The origin is inside if it is on the same side of each face through w as the vertex opposite. (The face
        // opposite w needs no look: w is the support beyond it, which the caller checks by v.w <= 0.)
        let volume = npq.dot(er);
        let zero = L::zero();
        let solid =
            (volume * volume).gt(flat_volume::<L>() * ep.length_squared() * eq.length_squared() * er.length_squared());
        let [pq, qr, rp] = heights;
        let inside = solid & (pq * volume).le(zero) & (qr * volume).le(zero) & (rp * volume).le(zero);
        SimplexStep { simplex: Self { vertices: [vertex, second, third] }, v: best.v, inside }
    }

    #[inline(always)]
    fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        Self {
            vertices: [
                select_vertex::<D3, L>(mask, a.vertices[0], b.vertices[0]),
                select_vertex::<D3, L>(mask, a.vertices[1], b.vertices[1]),
                select_vertex::<D3, L>(mask, a.vertices[2], b.vertices[2]),
            ],
        }
    }

    #[inline(always)]
    fn weighted<const CARE: bool>(&self, v: Vec3<L>) -> Vertex<Vec3<L>> {
        let [p, q, r] = self.vertices;
        let weights = self.weights::<CARE>();
        let [one, two, three] = if const { CARE } { shares(weights, [p.w, q.w, r.w]) } else { weights };
        let found = self.mean([one, two, three]);
        // The weights come from long vectors: of a thin triangle, as GJK ends on between curved cores, they are wrong
        // by far more than `v`. What is missing is short, and its own weights are right to the last digits that matter.
        let (to_q, to_r) = (q.w - p.w, r.w - p.w);
        let missing = v - found.w;
        let [more_two, more_three] = if const { CARE } {
            parts(missing, to_q, to_r)
        } else {
            let normal = to_q.cross(to_r);
            let share = L::one() / normal.length_squared();
            [missing.cross(to_r).dot(normal) * share, to_q.cross(missing).dot(normal) * share]
        };
        let mut weights = [one - more_two - more_three, two + more_two, three + more_three];
        if const { CARE } {
            weights = shares(weights, [p.w, q.w, r.w]);
        }
        let better = self.mean(weights);
        let nearer = (better.w - v).length_squared().lt(missing.length_squared());
        select_vertex::<D3, L>(nearer, better, found)
    }

    #[inline(always)]
    fn vertices(&self) -> [Vertex<Vec3<L>>; 3] {
        self.vertices
    }

    #[inline(always)]
    fn across(&self) -> Vec3<L> {
        let [p, q, r] = [self.vertices[0].w, self.vertices[1].w, self.vertices[2].w];
        let (one, two) = (q - p, r - p);
        let normal = one.cross(two);
        let solid = normal.length_squared().gt(flat_triangle::<L>() * one.length_squared() * two.length_squared());
        Vec3::select(solid, normal, Vec3::zero())
    }

    #[inline(always)]
    fn is_broad(&self) -> L::Mask {
        if const { L::Scalar::DOUBLE } {
            return self.across().length_squared().gt(L::zero());
        }
        let [p, q, r] = [self.vertices[0].w, self.vertices[1].w, self.vertices[2].w];
        let (one, two) = (q - p, r - p);
        let longest = one.length_squared().max(two.length_squared()).max((r - q).length_squared());
        let least = least_height::<L>();
        one.cross(two).length_squared().gt(least * least * longest)
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

/// The inverse of what is more than `least`, else zero.
#[inline(always)]
fn inverse<L: Lanes>(x: L, least: L) -> L {
    let some = x.gt(least);
    L::select(some, L::one() / L::select(some, x, L::one()), L::zero())
}

/// What a vector has beside an edge, to the last bit at a right angle to it.
#[inline(always)]
fn beside<L: Lanes>(vector: Vec3<L>, edge: Vec3<L>) -> Vec3<L> {
    let share = inverse(edge.length_squared(), L::zero());
    let off = vector - edge * (vector.dot(edge) * share);
    off - edge * (off.dot(edge) * share)
}

/// The parts of a vector along two edges, by what the second has beside the first: however nearly parallel they are,
/// what is left is no more than rounding is of the angle between them. (By their product it is that of the angle's
/// square.)
#[inline(always)]
fn parts<L: Lanes>(whole: Vec3<L>, one: Vec3<L>, other: Vec3<L>) -> [L; 2] {
    let share = inverse(one.length_squared(), L::zero());
    let off = beside(other, one);
    let second = whole.dot(off) * inverse(off.length_squared(), flat_triangle::<L>() * other.length_squared());
    [(whole - other * second).dot(one) * share, second]
}

/// Weights without those below zero: a point between the vertices is on both bodies, and short edges of A - B may come
/// from long edges of A. What one lacks is taken from the vertex nearest to it, which moves the point least.
#[inline(always)]
fn shares<L: Lanes>(mut weights: [L; 3], vertices: [Vec3<L>; 3]) -> [L; 3] {
    let zero = L::zero();
    let [p, q, r] = vertices;
    let edges = [(r - q).length_squared(), (p - r).length_squared(), (q - p).length_squared()];
    // The last one's lack may leave the first with one.
    for at in [0, 1, 2, 0, 1] {
        let (next, last) = ((at + 1) % 3, (at + 2) % 3);
        let lack = weights[at].min(zero);
        let nearer = edges[last].le(edges[next]);
        weights[at] = weights[at] - lack;
        weights[next] = weights[next] + L::select(nearer, lack, zero);
        weights[last] = weights[last] + L::select(nearer, zero, lack);
    }
    weights
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
