//! How many people stand where: counts on a raster of pixels, smoothed.

/// People per square metre on a raster.
pub struct Density {
    /// Cells along a side.
    pub side: usize,
    /// Row by row, from the lowest y.
    pub values: Vec<f32>,
}

impl Density {
    /// Of points in a square that starts at `origin`; smoothed over about two metres.
    pub fn new(points: impl Iterator<Item = [f64; 2]>, origin: [f64; 2], size: f64, side: usize) -> Self {
        let mut values = vec![0.0_f32; side * side];
        let cell = size / side as f64;
        for [x, y] in points {
            let [column, row] = [(x - origin[0]) / cell, (y - origin[1]) / cell];
            if (0.0..side as f64).contains(&column) && (0.0..side as f64).contains(&row) {
                values[row as usize * side + column as usize] += 1.0;
            }
        }
        let radius = ((1.3 / cell).round() as usize).max(1);
        // Three boxes in a row are nearly a bell.
        for _ in 0..3 {
            values = blurred_rows(&values, side, radius);
            values = transposed(&values, side);
            values = blurred_rows(&values, side, radius);
            values = transposed(&values, side);
        }
        let area = (cell * cell) as f32;
        for value in &mut values {
            *value /= area;
        }
        Self { side, values }
    }

    /// The value that all but one cell in a thousand stay below.
    pub fn highest(&self) -> f32 {
        let mut sorted = self.values.clone();
        let index = sorted.len() - 1 - sorted.len() / 1000;
        *sorted.select_nth_unstable_by(index, f32::total_cmp).1
    }
}

fn transposed(values: &[f32], side: usize) -> Vec<f32> {
    (0..values.len()).map(|index| values[index % side * side + index / side]).collect()
}

fn blurred_rows(values: &[f32], side: usize, radius: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(values.len());
    for row in values.chunks_exact(side) {
        for column in 0..side {
            let window = &row[column.saturating_sub(radius)..(column + radius + 1).min(side)];
            out.push(window.iter().sum::<f32>() / window.len() as f32);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_lost() {
        let points = (0..100).map(|i| [5.0 + f64::from(i % 10), 5.0 + f64::from(i / 10)]);
        let density = Density::new(points, [0.0, 0.0], 20.0, 40);
        let people: f32 = density.values.iter().map(|value| value * 0.25).sum();
        assert!((people - 100.0).abs() < 1.0, "{people}");
        assert!(density.highest() > 0.8 && density.highest() < 1.3, "{}", density.highest());
    }
}
