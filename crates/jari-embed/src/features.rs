//! A text as weighted features: what training counts and what the reader looks up are the same, because both ask here.

use jari_text::{TokenKind, Tokenizer};

/// Syllables of the parts of a Korean word that stand for its beginning: a compound begins with what it is about.
const PREFIXES: [usize; 3] = [2, 3, 4];

/// What a pair of syllables inside a Korean word counts, against one for the word: most pairs are no words.
const PAIR_WEIGHT: f32 = 0.5;

/// Lengths of the letter runs that stand for an unknown word.
const GRAMS: [usize; 3] = [3, 4, 5];

/// A feature of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Feature<'a> {
    /// A lower-case ASCII word, or a part of an identifier. Unknown ones fall apart into [`grams`].
    Word(&'a str),
    /// A word of another script, or a part of one, with its weight. Unknown ones count nothing.
    Foreign(&'a str, f32),
}

/// Whether a feature of another script is a word or the beginning of one, by its weight. Pairs of syllables are too many and too vague to
/// be asked for one by one.
pub(crate) fn is_word(weight: f32) -> bool {
    weight > PAIR_WEIGHT
}

/// Calls `emit` for each feature of `text`, in order.
pub fn features(text: &str, mut emit: impl FnMut(Feature<'_>)) {
    Tokenizer::of_thread(|tokenizer| {
        tokenizer.unstemmed(text, |token| match token.kind {
            // Made of words that come too.
            TokenKind::Identifier => {}
            TokenKind::Word => emit(Feature::Word(token.text)),
            TokenKind::Foreign => {
                emit(Feature::Foreign(token.text, 1.0));
                prefixes(token.text).for_each(|prefix| emit(Feature::Foreign(prefix, 1.0)));
            }
            TokenKind::Bigram => emit(Feature::Foreign(token.text, PAIR_WEIGHT)),
        });
    });
}

/// Hashes of the letter runs of a word between two borders: `<word>` has `<wo`, `wor`, …, `word>`.
pub fn grams(word: &str, mut emit: impl FnMut(u64)) {
    let mut bordered = Vec::with_capacity(word.len() + 2);
    bordered.push(b'<');
    bordered.extend_from_slice(word.as_bytes());
    bordered.push(b'>');
    for length in GRAMS {
        bordered.windows(length).for_each(|gram| emit(hash(gram)));
    }
}

/// FNV-1a with a final mix: short, and the same on every machine. No attacker profits from its collisions.
pub fn hash(bytes: &[u8]) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    state ^= state >> 32;
    state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state ^ (state >> 29)
}

/// What `count` occurrences weigh: the square root, an operation that rounds alike on every machine.
///
/// A word said often is what a text is about, but a function says its loop variable often too. Chunks are mostly single
/// functions and sections: against the power of 0.75 this gave 0.015 on single functions and 0.01 on sentences, and took
/// 0.015 on whole files.
pub fn damp(count: f32) -> f32 {
    count.sqrt()
}

fn prefixes(word: &str) -> impl Iterator<Item = &str> {
    let korean = word.starts_with(|c: char| ('가'..='힣').contains(&c));
    let ends = PREFIXES.iter().filter_map(move |&syllables| {
        word.char_indices().nth(syllables).map(|(end, _)| end).filter(|_| korean)
    });
    ends.map(|end| &word[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut shown = Vec::new();
        features(text, |feature| {
            shown.push(match feature {
                Feature::Word(word) => word.to_owned(),
                Feature::Foreign(word, weight) => format!("{word}:{weight}"),
            });
        });
        assert_eq!(shown.join(" "), expected, "{text}");
    }

    #[test]
    fn identifiers_fall_apart_and_are_not_stemmed() {
        check("parseHeaders retry_count", "parse headers retry count");
    }

    #[test]
    fn korean_words_have_stems_prefixes_and_pairs() {
        check("서버에서", "서버:1");
        check(
            "데이터베이스를",
            "데이터베이스:1 데이:1 데이터:1 데이터베:1 데이:0.5 이터:0.5 터베:0.5 베이:0.5 이스:0.5",
        );
        check("값을", "값을:1 값:1");
    }

    #[test]
    fn grams_stand_between_borders() {
        let mut count = 0;
        grams("word", |_| count += 1);
        assert_eq!(count, 4 + 3 + 2);
        grams("a", |gram| assert_eq!(gram, hash(b"<a>")));
    }

    #[test]
    fn hashes_and_weights_are_the_ones_that_stand_in_model_files() {
        assert_eq!(hash(b"retry"), 12_391_902_344_057_557_339);
        assert_eq!(damp(16.0), 4.0);
    }
}
