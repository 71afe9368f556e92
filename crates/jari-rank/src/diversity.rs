//! Maximal marginal relevance: a place that repeats one above it makes room for another.

/// How much relevance counts beside novelty.
const LAMBDA: f32 = 0.7;

/// The order in which places of falling `scores` are shown: each time the one that scores most and is least like those above
/// it. `alike` tells how alike two of them are, from 0 to 1.
pub fn diverse(scores: &[f32], alike: impl Fn(usize, usize) -> f32) -> Vec<usize> {
    let best = scores.first().copied().unwrap_or_default().max(f32::MIN_POSITIVE);
    let mut left: Vec<usize> = (0..scores.len()).collect();
    // Of each place, how alike it is to the nearest one above it.
    let mut repeats = vec![0.0_f32; scores.len()];
    let mut order = Vec::with_capacity(scores.len());
    while !left.is_empty() {
        let worth = |place: usize| LAMBDA * scores[place] / best - (1.0 - LAMBDA) * repeats[place];
        // Of equal ones the first.
        let next = (0..left.len()).rev().max_by(|one, two| worth(left[*one]).total_cmp(&worth(left[*two])));
        let chosen = left.remove(next.unwrap_or_default());
        for place in &left {
            repeats[*place] = repeats[*place].max(alike(chosen, *place));
        }
        order.push(chosen);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_comes_later() {
        let same = |one: usize, two: usize| f32::from(u8::from(one + two == 1));
        assert_eq!(diverse(&[1.0, 0.9, 0.6], same), [0, 2, 1]);
        assert_eq!(diverse(&[1.0, 0.9, 0.3], same), [0, 1, 2], "far better is still better");
    }

    #[test]
    fn places_unlike_each_other_stay_in_order() {
        assert_eq!(diverse(&[0.5, 0.5, 0.5, 0.1], |_, _| 0.0), [0, 1, 2, 3]);
        assert!(diverse(&[], |_, _| 0.0).is_empty());
    }
}
