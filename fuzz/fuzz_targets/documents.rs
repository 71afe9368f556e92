//! Any bytes as a document: `cargo +nightly fuzz run documents`. No panic, no line lost, every position inside the text.

#![no_main]

use jari_base::Language;
use jari_chunk::{DocumentOptions, Strategy};
use libfuzzer_sys::fuzz_target;

const LANGUAGES: [&str; 5] = ["markdown", "mdx", "rst", "asciidoc", "text"];
const STRATEGIES: [Strategy; 3] = [Strategy::Structural, Strategy::Heading, Strategy::Fixed];

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let choice = usize::from(*choice);
    let language = Language::named(LANGUAGES[choice % LANGUAGES.len()]);
    let strategy = STRATEGIES[choice / LANGUAGES.len() % STRATEGIES.len()];
    let options = DocumentOptions { strategy, max_tokens: 64, overlap: 16, min_tokens: 16, ..DocumentOptions::default() };
    let text = String::from_utf8_lossy(bytes);

    let chunked = jari_chunk::chunk(&language, &text, &options);
    let mut held = vec![false; text.lines().count()];
    for chunk in &chunked.chunks {
        held[chunk.lines.start as usize - 1..chunk.lines.end as usize].fill(true);
    }
    for (line, held) in text.lines().zip(held) {
        assert!(held || line.trim().is_empty(), "a line is lost");
    }
    let document = chunked.document.expect("it is a document");
    assert!(document.sections.iter().all(|section| text.get(section.bytes.clone()).is_some()));
    assert!(document.links.iter().all(|link| text.get(link.bytes.clone()).is_some()));
    let prose = jari_chunk::prose(&language, &text);
    assert_eq!(prose.matches('\n').count(), text.matches('\n').count());
});
