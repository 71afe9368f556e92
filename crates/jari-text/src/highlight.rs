//! Where the words of a query stand in a text.

use std::collections::HashSet;
use std::ops::Range;

use crate::{TokenKind, Tokenizer};

/// The byte ranges of `text` whose words are among `terms`, in order, merged where they touch. Ranges, never markup.
pub fn highlights(tokenizer: &mut Tokenizer, text: &str, terms: &HashSet<&str>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    tokenizer.tokens(text, |token| {
        let whole = token.kind == TokenKind::Identifier;
        if terms.contains(token.text) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
