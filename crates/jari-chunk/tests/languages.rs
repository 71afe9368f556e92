//! Every language's sample, as chunks and symbols. `UPDATE_EXPECT=1 cargo test -p jari-chunk` writes them anew.

mod common;

use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect_file;
use jari_base::Chunked;

#[test]
fn samples_give_the_chunks_beside_them() {
    for sample in common::samples() {
        let chunked = jari_chunk::chunk(&sample.language, &sample.text, &Default::default());
        let file = Path::new(common::LANGUAGES).join(sample.language.as_str()).join("chunks.txt");
        expect_file![file].assert_eq(&render(&chunked));
    }
}

fn render(chunked: &Chunked) -> String {
    let mut out = String::new();
    for chunk in &chunked.chunks {
        let symbol =
            chunk.symbol.map(|symbol| chunked.symbols[symbol as usize].qualified()).unwrap_or_default();
        let doc = chunk.doc.map(|doc| format!("  doc {doc}")).unwrap_or_default();
        writeln!(
            out,
            "{:>3}-{:<3} {:8} {symbol}{doc}",
            chunk.lines.start,
            chunk.lines.end,
            chunk.kind.as_str()
        )
        .expect("a string takes all");
    }
    out.push('\n');
    for symbol in &chunked.symbols {
        let exported = if symbol.exported { "exported" } else { "" };
        let doc = symbol.doc.as_deref().map(|doc| format!("  // {doc}")).unwrap_or_default();
        let name = symbol.qualified();
        writeln!(
            out,
            "{:>3}-{:<3} {:9} {exported:8} {name}: {}{doc}",
            symbol.lines.start, symbol.lines.end, symbol.kind, symbol.signature
        )
        .expect("a string takes all");
    }
    out.push('\n');
    for reference in &chunked.references {
        let said = |mark: &str, said: &Option<String>| {
            said.as_ref().map(|said| format!("{mark}{said}")).unwrap_or_default()
        };
        let within = reference.within.map(|within| chunked.symbols[within as usize].qualified());
        writeln!(
            out,
            "{:>3} {:7} {}{}{}{}{}",
            reference.line,
            reference.kind,
            reference.name,
            said(" as ", &reference.alias),
            said(" of ", &reference.qualifier),
            said(": ", &reference.receiver),
            said("  in ", &within)
        )
        .expect("a string takes all");
    }
    for note in &chunked.notes {
        writeln!(out, "note: {note}").expect("a string takes all");
    }
    out
}
