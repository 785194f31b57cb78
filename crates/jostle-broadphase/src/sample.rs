//! Samples that a regular order of the bodies cannot bias: one pseudo-random pick from each of equally long stretches.

/// The index of pick `k` of `count` out of `total` things (`count <= total`): always the same, without repetition, and
/// ascending with `k`.
pub(crate) fn pick(k: usize, count: usize, total: usize) -> usize {
    let (first, next) = (k * total / count, (k + 1) * total / count);
    let mut hash = (k as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    first + ((hash >> 33) as usize) % (next - first)
}

/// The range of a column of numbers: the values below and above which about one in 64 lies, moved outward by as much
/// again; `None` for an empty column. Of 16 or more numbers at least one at either end is ignored, however far away it
/// is. Reorders the column.
pub(crate) fn reach(column: &mut [f32]) -> Option<(f32, f32)> {
    let last = column.len().checked_sub(1)?;
    let skip = if column.len() < 16 { 0 } else { (column.len() / 64).max(1) };
    let low = *column.select_nth_unstable_by(skip, f32::total_cmp).1;
    let high = *column.select_nth_unstable_by(last - skip, f32::total_cmp).1;
    let beyond = (high - low) * skip as f32 / (last - 2 * skip).max(1) as f32;
    Some((low - beyond, high + beyond))
}

/// The median of a column of numbers, or 0 if it is empty. Reorders the column.
pub(crate) fn median(column: &mut [f32]) -> f32 {
    if column.is_empty() {
        return 0.0;
    }
    let middle = column.len() / 2;
    *column.select_nth_unstable_by(middle, f32::total_cmp).1
}
