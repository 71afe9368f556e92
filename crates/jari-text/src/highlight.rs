//! Where the words of a query stand in a text.

use std::collections::HashSet;
use std::ops::Range;

use crate::{TokenKind, Tokenizer};

/// The byte ranges of `text` whose words are among `terms`, in order, merged where they touch. Ranges, never markup.
pub fn highlights(tokenizer: &mut Tokenizer, text: &str, terms: &HashSet<&str>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // A stem begins as its word does, so most words need neither be stemmed nor looked for.
    let firsts = terms.iter().fold(0, |firsts, term| firsts | first(term));
    let may_be = |word: &str| firsts & first(word) != 0;
    tokenizer.stemmed_where(may_be, text, |token| {
        let whole = token.kind == TokenKind::Identifier;
        if may_be(token.text) && terms.contains(token.text) {
            match found.last_mut() {
                Some(last) if token.range.start <= last.end && !(whole && last.end > token.range.end) => {
                    last.end = last.end.max(token.range.end);
                }
                _ => found.push(token.range),
            }
        }
    });
    found
}

/// One bit for what a word begins with; the same for all that is not ASCII.
fn first(word: &str) -> u128 {
    word.bytes().next().map_or(0, |byte| 1 << byte.min(127))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn stems_begin_as_their_words_do(word in "[a-z]{1,12}(ing|ed|ies|s|ly|ness)?") {
            Tokenizer::default().tokens(&word, |token| assert_eq!(token.text[..1], word[..1]));
        }
    }

    fn check(text: &str, terms: &[&str], expected: &[&str]) {
        let ranges = highlights(&mut Tokenizer::default(), text, &terms.iter().copied().collect());
        assert_eq!(ranges.into_iter().map(|range| &text[range]).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn parts_of_identifiers_are_marked_and_neighbours_merge() {
        check("fn retryWithBackoff()", &["retri", "backoff"], &["retry", "Backoff"]);
        check("fn retry_with_backoff()", &["retry_with_backoff", "retri"], &["retry_with_backoff"]);
        check("RetryPolicy", &["retri", "polici"], &["RetryPolicy"]);
    }

    #[test]
    fn korean_is_marked_without_the_particle() {
        check("결제를 처리한다", &["결제"], &["결제"]);
    }
}
