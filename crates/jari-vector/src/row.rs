//! A vector as it is kept: sixteen bits an element in two halves, and its signs.
//!
//! The upper halves are what is compared; the lower ones make the few winners exact. A sign a dimension is enough to leave
//! most rows out without looking at either.

/// Vectors that are to be kept, in planes.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Planes {
    /// What an element's sixteen bits are multiplied with, for each row; 0 for a row of zeros.
    pub(crate) scales: Vec<f32>,
    pub(crate) signs: Vec<u8>,
    pub(crate) upper: Vec<i8>,
    pub(crate) lower: Vec<i8>,
}

/// So that the upper half of the largest element is 127 after rounding.
const LARGEST: f32 = 32_512.0;

impl Planes {
    pub(crate) fn push(&mut self, vector: &[f32]) {
        let largest = vector.iter().fold(0.0_f32, |largest, element| largest.max(element.abs()));
        let scale = largest / LARGEST;
        let steps = if scale > 0.0 && scale.is_finite() { 1.0 / scale } else { 0.0 };
        self.scales.push(if steps > 0.0 { scale } else { 0.0 });
        for element in vector {
            let whole = (element * steps).round() as i32;
            let upper = (whole + 128) >> 8;
            self.upper.push(upper as i8);
            self.lower.push((whole - (upper << 8)) as i8);
        }
        self.signs.extend(signs(vector).into_iter().flat_map(u64::to_le_bytes));
    }
}

/// One bit a dimension, set where it is above zero, in whole words.
pub(crate) fn signs(vector: &[f32]) -> Vec<u64> {
    let mut words = vec![0_u64; words(vector.len())];
    for (at, element) in vector.iter().enumerate() {
        words[at / 64] |= u64::from(*element > 0.0) << (at % 64);
    }
    words
}

/// Words of signs that a row takes.
pub(crate) fn words(dims: usize) -> usize {
    dims.div_ceil(64)
}

#[cfg(test)]
mod tests {
    use jari_kernel::Kernel;

    use super::*;

    #[test]
    fn a_row_keeps_four_digits() {
        let vector: Vec<f32> = (0..256).map(|at| ((at * 37 % 101) as f32 - 50.0) / 900.0).collect();
        let mut planes = Planes::default();
        planes.push(&vector);
        let kernel = Kernel::of_machine();
        for (at, element) in vector.iter().enumerate() {
            let mut unit = vec![0.0; 256];
            unit[at] = 1.0;
            let kept = (kernel.product)(&unit, planes.scales[0], &planes.upper, &planes.lower);
            assert!((kept - element).abs() < 1e-6, "{element} became {kept}");
        }
        assert_eq!(planes.upper.iter().map(|upper| upper.unsigned_abs()).max(), Some(127));
    }

    #[test]
    fn zeros_and_what_is_no_number_are_rows_like_nothing() {
        let mut planes = Planes::default();
        planes.push(&[0.0; 8]);
        planes.push(&[f32::INFINITY; 8]);
        planes.push(&[f32::NAN; 8]);
        assert_eq!(planes.scales, [0.0; 3]);
        assert!(planes.upper.iter().chain(&planes.lower).all(|half| *half == 0));
    }
}
