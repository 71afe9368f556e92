//! How a name is spelt, letter by letter, so that a slip of the finger leaves most of it as it was.

use crate::fold_name;

/// Letters of names this short are too few for runs of three: a slip may leave none of them.
const SHORT: usize = 5;

/// The letters of a name, whatever its style; Hangul syllables are the letters they are typed with.
pub fn spelling(name: &str) -> Vec<char> {
    fold_name(name).chars().flat_map(letters).collect()
}

/// The runs of three letters that a name has, its beginning and its end among them, each once.
pub fn spelling_grams(spelling: &[char]) -> Vec<u32> {
    let marked: Vec<char> = [&[' '], spelling, &[' ']].concat();
    let mut grams: Vec<u32> =
        marked.windows(3).map(|run| crate::grams::three(run[0], run[1], run[2])).collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

/// The short names that one slip makes of this one: a letter too many, too few, wrong, or two that changed places. None
/// where the name is long enough for its runs to tell.
pub fn slips(name: &str) -> Vec<String> {
    let folded: Vec<char> = fold_name(name).chars().collect();
    if folded.len() > SHORT || !folded.iter().all(char::is_ascii) {
        return Vec::new();
    }
    let with = |from: usize, letters: &[char], to: usize| -> String {
        folded[..from].iter().chain(letters).chain(&folded[to..]).collect()
    };
    let mut slips = Vec::new();
    for at in 0..=folded.len() {
        for letter in ('a'..='z').chain('0'..='9') {
            slips.push(with(at, &[letter], at));
            if at < folded.len() {
                slips.push(with(at, &[letter], at + 1));
            }
        }
        if at < folded.len() {
            slips.push(with(at, &[], at + 1));
        }
        if let Some([first, second]) = folded.get(at..at + 2) {
            slips.push(with(at, &[*second, *first], at + 2));
        }
    }
    slips
}

/// The letters of a syllable, or the character itself.
fn letters(c: char) -> impl Iterator<Item = char> {
    let number = u32::from(c);
    let letters = match number.checked_sub(0xac00).filter(|syllable| *syllable < 11_172) {
        None => [Some(number), None, None],
        Some(syllable) => {
            let last = syllable % 28;
            let (first, middle) = (0x1100 + syllable / 588, 0x1161 + syllable % 588 / 28);
            [Some(first), Some(middle), (last > 0).then_some(0x11a7 + last)]
        }
    };
    letters.into_iter().flatten().filter_map(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(one: &str, other: &str) -> (usize, usize) {
        let (one, other) = (spelling_grams(&spelling(one)), spelling_grams(&spelling(other)));
        (one.iter().filter(|gram| other.contains(gram)).count(), one.len())
    }

    #[test]
    fn styles_are_spelt_alike_and_slips_share_most_runs() {
        assert_eq!(shared("connection_pool", "ConnectionPool"), (14, 14));
        assert_eq!(shared("connecton_pool", "connection_pool"), (11, 13));
        assert_eq!(shared("retry", "payment"), (0, 5));
    }

    #[test]
    fn syllables_are_spelt_by_their_letters() {
        assert_eq!(spelling("결제").len(), 5);
        assert_eq!(shared("결재하기", "결제하기"), (6, 9));
    }

    #[test]
    fn short_names_have_their_slips() {
        let slips = slips("nwe");
        assert!(slips.contains(&"new".to_owned()) && slips.contains(&"we".to_owned()));
        assert!(super::slips("long_name").is_empty() && super::slips("결제").is_empty());
    }
}
