//! Any bytes as code of any language with a grammar: `cargo +nightly fuzz run code -- -detect_leaks=0`. No panic, no line lost,
//! everything inside the file and in order. Leaks are not looked for while SQL's scanner has its own (tree-sitter-sequel 0.3.11, dollar
//! quotes).

#![no_main]

use std::sync::LazyLock;

use jari_base::Language;
use libfuzzer_sys::fuzz_target;

/// No chunk has more lines, whatever it holds.
const LARGEST: u32 = 100;

/// In the order of their names; the first byte picks one. `JARI_FUZZ_LANGUAGE=rust` leaves only that one.
static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let only = std::env::var("JARI_FUZZ_LANGUAGE").ok();
    let structured = jari_chunk::facts().into_iter().filter(|facts| facts.structured);
    let wanted = structured.filter(|facts| only.as_deref().is_none_or(|only| only == facts.name));
    let languages: Vec<Language> = wanted.map(|facts| Language::named(facts.name)).collect();
    assert!(!languages.is_empty(), "no language with a grammar has the name {only:?}");
    languages
});

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let language = &LANGUAGES[usize::from(*choice) % LANGUAGES.len()];
    let text = String::from_utf8_lossy(bytes);

    let chunked = jari_chunk::chunk(language, &text, &Default::default());
    let count = text.lines().count() as u32;
    let is_inside =
        |lines: &jari_base::LineRange| 1 <= lines.start && lines.start <= lines.end && lines.end <= count;
    let is_symbol =
        |symbol: Option<u32>| symbol.is_none_or(|symbol| (symbol as usize) < chunked.symbols.len());

    let mut held = vec![false; count as usize];
    for chunk in &chunked.chunks {
        let lines = chunk.lines;
        assert!(
            is_inside(&lines) && lines.count() <= LARGEST && is_symbol(chunk.symbol),
            "{language}: {chunk:?} of {count}"
        );
        assert!(
            chunk.doc.is_none_or(|doc| lines.contains(doc.start) && lines.contains(doc.end)),
            "{language}: {chunk:?}"
        );
        held[lines.start as usize - 1..lines.end as usize].fill(true);
    }
    for (line, held) in text.lines().zip(held) {
        assert!(held || line.trim().is_empty(), "{language}: a line is lost");
    }
    assert!(chunked.chunks.is_sorted_by_key(|chunk| chunk.lines.start), "{language}: chunks in order");

    for symbol in &chunked.symbols {
        assert!(is_inside(&symbol.lines) && !symbol.name.is_empty(), "{language}: {symbol:?} of {count}");
        assert!(!symbol.signature.contains('\n'), "{language}: a signature is one line: {symbol:?}");
    }
    assert!(chunked.symbols.is_sorted_by_key(|symbol| symbol.lines.start), "{language}: symbols in order");
    for reference in &chunked.references {
        assert!(
            (1..=count).contains(&reference.line) && is_symbol(reference.within),
            "{language}: {reference:?}"
        );
    }
    assert!(
        chunked.references.is_sorted_by_key(|reference| reference.line),
        "{language}: references in order"
    );

    let prose = jari_chunk::prose(language, &text);
    assert_eq!(prose.matches('\n').count(), text.matches('\n').count(), "{language}: prose keeps lines");
});
