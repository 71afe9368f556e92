//! A place in the space of meanings.

use std::ops::Deref;

/// A vector of length one, or of zeros where a text has no known word.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Vec<f32>);

impl Vector {
    /// Brings `elements` to length one.
    pub fn normalised(mut elements: Vec<f32>) -> Self {
        // One sum after the other: the same rounding on every machine.
        let square: f32 = elements.iter().map(|element| element * element).sum();
        if square > 0.0 {
            let length = square.sqrt();
            elements.iter_mut().for_each(|element| *element /= length);
        }
        Self(elements)
    }

    /// How alike two are: 1 for the same direction, 0 for nothing in common.
    pub fn cosine(&self, other: &Vector) -> f32 {
        product(self, other)
    }

    /// Whether no word of the text was known, so that it is like nothing.
    pub fn is_zero(&self) -> bool {
        self.iter().all(|element| *element == 0.0)
    }

    /// Its elements.
    pub fn into_inner(self) -> Vec<f32> {
        self.0
    }
}

/// Sums made beside each other.
const LANES: usize = 16;

/// The product of two vectors of one length. Sixteen sums beside each other are one instruction or a few where a single one waits for
/// each addition; they are always the same sixteen, so the rounding is the same on every machine.
pub fn product(one: &[f32], two: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (ones, rest_one) = one.as_chunks::<LANES>();
    let (twos, rest_two) = two.as_chunks::<LANES>();
    for (one, two) in ones.iter().zip(twos) {
        sums.iter_mut().zip(one.iter().zip(two)).for_each(|(sum, (one, two))| *sum += one * two);
    }
    let rest: f32 = rest_one.iter().zip(rest_two).map(|(one, two)| one * two).sum();
    sums.iter().sum::<f32>() + rest
}

impl Deref for Vector {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_have_length_one_or_are_zero() {
        let vector = Vector::normalised(vec![3.0, 4.0]);
        assert_eq!(*vector, [0.6, 0.8]);
        assert!((vector.cosine(&vector) - 1.0).abs() < 1e-6);
        assert!(Vector::normalised(vec![0.0, 0.0]).is_zero());
    }
}
