//! Every language's sample, as chunks and symbols. `UPDATE_EXPECT=1 cargo test -p jari-chunk` writes them anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use jari_base::Chunked;

#[test]
fn samples_give_the_chunks_beside_them() {
    let mut without = Vec::new();
    for folder in folders() {
        let name = folder.file_name().expect("a folder").to_string_lossy().into_owned();
        let Some(sample) = sample_of(&folder) else {
            without.push(name);
            continue;
        };
        let path = sample.file_name().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&sample).expect("a readable sample");
        let language = jari_chunk::language_of(&path, &text);
        assert_eq!(language.as_str(), name, "the sample of {name} is taken for {language}");
        if !jari_chunk::facts().iter().any(|facts| facts.name == name && facts.structured) {
            continue; // its grammar is behind a feature that is off
        }
        expect_file![folder.join("chunks.txt")].assert_eq(&render(&jari_chunk::chunk(&language, &text)));
    }
    assert!(without.is_empty(), "languages without a sample: {without:?}");
}

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages");
    let entries = std::fs::read_dir(root).expect("the languages folder");
    let mut folders: Vec<_> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn sample_of(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.file_stem().is_some_and(|stem| stem == "sample"))
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
        .unwrap();
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
        .unwrap();
    }
    out.push('\n');
    for reference in &chunked.references {
        writeln!(out, "{:>3} {:6} {}", reference.line, reference.kind, reference.name).unwrap();
    }
    for note in &chunked.notes {
        writeln!(out, "note: {note}").unwrap();
    }
    out
}
