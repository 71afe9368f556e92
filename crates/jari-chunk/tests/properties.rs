//! What holds for every text, however broken: no line is lost, nothing points outside, and all is in order.

mod common;

use jari_base::{Chunked, Language};
use proptest::collection::vec;
use proptest::prelude::*;

/// No chunk has more lines, whatever it holds.
const LARGEST: u32 = 100;

/// How many texts are tried: few where every change is tested, or what `JARI_TEST_ROUNDS` says.
fn cases() -> u32 {
    std::env::var("JARI_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_files_lose_no_line(edits in vec(edit(), 1..8), crlf in any::<bool>()) {
        for sample in common::samples() {
            let mut text = edits.iter().fold(sample.text, |text, edit| edit.apply(&text));
            if crlf {
                text = text.replace('\n', "\r\n");
            }
            check(&sample.language, &text);
        }
    }

    #[test]
    fn any_text_is_read(text in "(\\PC{0,30}\n?|[ \t{}()<>\"'#*/\n]{0,10}|\r\n|end\n){0,20}") {
        for sample in common::samples() {
            check(&sample.language, &text);
        }
        check(&Language::UNKNOWN, &text);
    }
}

/// The samples are short; what is split, and what lies after it, shows in longer files.
#[test]
fn long_files_lose_no_line() {
    for sample in common::samples() {
        let half = sample.text.len() / 2;
        let middle = sample.text[half..].find('\n').map_or(0, |at| half + at + 1);
        let (head, tail) = sample.text.split_at(middle);
        check(&sample.language, &sample.text.repeat(5));
        check(&sample.language, &[head, &tail.repeat(8)].concat());
        check(&sample.language, &[&head.repeat(8), tail].concat());
    }
}

/// A scanner that never ended at the end of a file was found this way.
#[test]
fn every_beginning_of_a_file_is_read() {
    for sample in common::samples().into_iter().filter(|sample| sample.language.as_str() == "kotlin") {
        for (end, _) in sample.text.char_indices() {
            check(&sample.language, &sample.text[..end]);
        }
    }
    check(&Language::named("kotlin"), "class A\n@Inject");
    check(&Language::named("kotlin"), "val a: Int\n@Inject(\"x\"");
}

#[test]
fn nothing_gives_nothing() {
    for sample in common::samples() {
        for text in ["", "\n", " \n\t\r\n\n"] {
            let chunked = check(&sample.language, text);
            assert!(chunked.chunks.is_empty() && chunked.symbols.is_empty(), "{}", sample.language);
        }
    }
}

fn check(language: &Language, text: &str) -> Chunked {
    let chunked = jari_chunk::chunk(language, text, &Default::default());
    let count = text.lines().count() as u32;
    let mut held = vec![false; count as usize];
    for chunk in &chunked.chunks {
        let lines = chunk.lines;
        assert!(1 <= lines.start && lines.start <= lines.end && lines.end <= count, "{language}: {chunk:?}");
        assert!(lines.count() <= LARGEST, "{language}: {chunk:?}");
        held[lines.start as usize - 1..lines.end as usize].fill(true);
        assert!(chunk.symbol.is_none_or(|symbol| (symbol as usize) < chunked.symbols.len()));
        let inside = chunk.doc.is_none_or(|doc| lines.contains(doc.start) && lines.contains(doc.end));
        assert!(inside, "{language}: the doc lies outside of {chunk:?}");
    }
    for (line, held) in text.lines().zip(held) {
        assert!(held || line.trim().is_empty(), "{language}: {line:?} lies in no chunk of:\n{text}");
    }
    assert!(chunked.chunks.is_sorted_by_key(|chunk| chunk.lines.start), "{language}: chunks in order");
    for symbol in &chunked.symbols {
        let lines = symbol.lines;
        assert!(1 <= lines.start && lines.start <= lines.end && lines.end <= count, "{language}: {symbol:?}");
        assert!(!symbol.name.is_empty(), "{language}: {symbol:?}");
    }
    assert!(chunked.symbols.is_sorted_by_key(|symbol| symbol.lines.start), "{language}: symbols in order");
    assert!(chunked.references.iter().all(|reference| (1..=count).contains(&reference.line)));
    assert!(
        chunked.references.is_sorted_by_key(|reference| reference.line),
        "{language}: references in order"
    );
    chunked
}

/// Something that happens to a file; places are parts of 1,000 of it.
#[derive(Debug, Clone)]
enum Edit {
    Cut { at: usize },
    Delete { at: usize, lines: usize },
    Repeat { at: usize, lines: usize, times: usize },
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = 0..1_000_usize;
    prop_oneof![
        1 => (300..1_000_usize).prop_map(|at| Edit::Cut { at }),
        3 => (place.clone(), 1..10_usize).prop_map(|(at, lines)| Edit::Delete { at, lines }),
        3 => (place, 1..20_usize, 2..8_usize).prop_map(|(at, lines, times)| Edit::Repeat { at, lines, times }),
    ]
}

impl Edit {
    fn apply(&self, text: &str) -> String {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let part = |at: usize, lines_to_take: usize| {
            let start = at * lines.len() / 1_000;
            let (head, rest) = lines.split_at(start);
            let (part, tail) = rest.split_at(lines_to_take.min(rest.len()));
            (head.concat(), part.concat(), tail.concat())
        };
        match *self {
            Edit::Cut { at } => text[..text.floor_char_boundary(at * text.len() / 1_000)].to_owned(),
            Edit::Delete { at, lines } => {
                let (head, _, tail) = part(at, lines);
                head + &tail
            }
            Edit::Repeat { at, lines, times } => {
                let (head, part, tail) = part(at, lines);
                head + &part.repeat(times) + &tail
            }
        }
    }
}
