//! Formulas of vectors, expanded for each type of lanes.
//!
//! If the type is known, the compiler inlines the operations before it generates code for any kernel. In a generic
//! function it cannot, and every kernel has hundreds of these, each operand of which passes through memory until the
//! optimiser has removed that. With what is spelled out in the types of lanes instead of written as loops, a crate that
//! depends on all kernels compiles in 116 s instead of 148 (Zen 4, 27 November).

/// The methods that [`Lanes`](crate::Lanes) requires.
macro_rules! vector_formulas {
    () => {
        #[inline(always)]
        fn dot2(a: Vec2<Self>, b: Vec2<Self>) -> Self {
            a.x * b.x + a.y * b.y
        }
        #[inline(always)]
        fn cross2(a: Vec2<Self>, b: Vec2<Self>) -> Self {
            a.x * b.y - a.y * b.x
        }
        #[inline(always)]
        fn add2(a: Vec2<Self>, b: Vec2<Self>) -> Vec2<Self> {
            Vec2 { x: a.x + b.x, y: a.y + b.y }
        }
        #[inline(always)]
        fn sub2(a: Vec2<Self>, b: Vec2<Self>) -> Vec2<Self> {
            Vec2 { x: a.x - b.x, y: a.y - b.y }
        }
        #[inline(always)]
        fn neg2(a: Vec2<Self>) -> Vec2<Self> {
            Vec2 { x: -a.x, y: -a.y }
        }
        #[inline(always)]
        fn times2(a: Vec2<Self>, b: Self) -> Vec2<Self> {
            Vec2 { x: a.x * b, y: a.y * b }
        }
        #[inline(always)]
        fn select2(mask: Self::Mask, a: Vec2<Self>, b: Vec2<Self>) -> Vec2<Self> {
            Vec2 { x: Self::select(mask, a.x, b.x), y: Self::select(mask, a.y, b.y) }
        }
        #[inline(always)]
        fn dot3(a: Vec3<Self>, b: Vec3<Self>) -> Self {
            a.x * b.x + a.y * b.y + a.z * b.z
        }
        #[inline(always)]
        fn cross3(a: Vec3<Self>, b: Vec3<Self>) -> Vec3<Self> {
            Vec3 { x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x }
        }
        #[inline(always)]
        fn add3(a: Vec3<Self>, b: Vec3<Self>) -> Vec3<Self> {
            Vec3 { x: a.x + b.x, y: a.y + b.y, z: a.z + b.z }
        }
        #[inline(always)]
        fn sub3(a: Vec3<Self>, b: Vec3<Self>) -> Vec3<Self> {
            Vec3 { x: a.x - b.x, y: a.y - b.y, z: a.z - b.z }
        }
        #[inline(always)]
        fn neg3(a: Vec3<Self>) -> Vec3<Self> {
            Vec3 { x: -a.x, y: -a.y, z: -a.z }
        }
        #[inline(always)]
        fn times3(a: Vec3<Self>, b: Self) -> Vec3<Self> {
            Vec3 { x: a.x * b, y: a.y * b, z: a.z * b }
        }
        #[inline(always)]
        fn select3(mask: Self::Mask, a: Vec3<Self>, b: Vec3<Self>) -> Vec3<Self> {
            Vec3 { x: Self::select(mask, a.x, b.x), y: Self::select(mask, a.y, b.y), z: Self::select(mask, a.z, b.z) }
        }
    };
}

pub(crate) use vector_formulas;
