//! Texts that nobody would write: no panic, nothing outside the text, and time that grows with its length.

use std::collections::HashSet;
use std::time::Instant;

use jari_text::{GramCutter, Query, TokenKind, Tokenizer, estimate_tokens, fold_name, highlights, parts};
use proptest::prelude::*;

/// How many texts are tried: few where every change is tested, or what `JARI_TEST_ROUNDS` says.
fn cases() -> u32 {
    std::env::var("JARI_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(200)
}

fn check(text: &str) {
    let mut tokenizer = Tokenizer::default();
    let mut words = Vec::new();
    tokenizer.tokens(text, |token| words.push((token.kind == TokenKind::Word, token.text.to_owned())));
    assert!(words.iter().all(|(_, word)| !word.is_empty() && !word.contains('\n')), "{words:?}");
    let again = tokenizer.lines(text);
    assert!(again.lines().all(|word| !word.is_empty()));
    let terms: HashSet<&str> = words.iter().map(|(_, word)| word.as_str()).collect();
    let mut end = 0;
    for range in highlights(&mut tokenizer, text, &terms) {
        assert!(range.start >= end && text.get(range.clone()).is_some(), "{range:?}");
        end = range.end;
    }
    let query = Query::new(text);
    assert_eq!(query.is_empty(), Query::new(text).is_empty());
    query.names();
    query.korean();
    fold_name(text);
    assert!(parts(text).all(|part| text.get(part).is_some()));
    estimate_tokens(text);
    GramCutter::default().cut(text, 6_000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_taken_apart(text in "(\\PC{0,40}|[a-zA-Z0-9_]{0,30}|[가-힣ㄱ-ㅎㅏ-ㅣ]{0,20}|[\u{300}-\u{36f}\u{200b}-\u{200f}\u{fe0f}]{0,5}|[ \t\n\r\0\"'`:*?.-]{0,10}){0,12}") {
        check(&text);
    }

    #[test]
    fn any_bytes_are_taken_apart(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        check(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn long_texts_take_time_by_their_length_alone() {
    for unit in [
        "a", "A", "aB", "_", "1", "a1", "가", "ㅎ", "\u{301}", "\"", "a ", "\n", "İ", "ß", "🙂", "x::", "::",
        "-", "a.b", "\u{200d}",
    ] {
        let time = |length: usize| {
            let text = unit.repeat(length);
            let began = Instant::now();
            check(&text);
            began.elapsed().as_secs_f64()
        };
        time(1_000);
        let (short, long) = (time(20_000), time(160_000));
        // Eight times the text: quadratic time would be sixty-four times as much.
        assert!(long < 1.0 || long < short * 40.0, "{unit:?}: {short:.3} s, {long:.3} s");
    }
}
