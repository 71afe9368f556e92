//! The estimate of tokens against `cl100k` itself, on this project's own code, documents and Korean.

use std::path::{Path, PathBuf};

use jari_text::estimate_tokens;

/// Lines of a piece, about as many as a chunk has.
const PIECE: usize = 25;

#[test]
fn estimates_are_close_to_the_vocabulary_on_code_prose_and_korean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let samples = folders(&root.join("crates/jari-chunk/languages"));
    check("code in many languages", &files(&samples, |name| name.starts_with("sample.")));
    check(
        "Rust",
        &files(&[root.join("crates/jari-engine/src"), root.join("crates/jari-store/src")], |name| {
            name.ends_with(".rs")
        }),
    );
    check(
        "prose",
        &files(&[root.clone(), root.join("docs")], |name| name.ends_with(".md") && !name.contains(".ko.")),
    );
    check("Korean", &files(&[root], |name| name.ends_with(".ko.md")));
}

fn check(kind: &str, files: &[PathBuf]) {
    let vocabulary = tiktoken_rs::cl100k_base().expect("the vocabulary is part of its package");
    let (mut estimated, mut counted) = (0, 0);
    for file in files {
        let text = std::fs::read_to_string(file).expect("it is text");
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for piece in lines.chunks(PIECE).map(|lines| lines.concat()) {
            let (estimate, exact) = (estimate_tokens(&piece), vocabulary.encode_ordinary(&piece).len());
            assert!(estimate * 100 >= exact * 85 || exact < 50, "{kind}: {estimate} for {exact} of {piece}");
            estimated += estimate;
            counted += exact;
        }
    }
    assert!(counted > 1_000, "{kind}: only {counted} tokens were found");
    let ratio = estimated as f64 / counted as f64;
    assert!((0.9..=1.1).contains(&ratio), "{kind}: estimates are {ratio:.3} of {counted} tokens");
}

fn files(folders: &[PathBuf], wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = folders.iter().flat_map(|folder| entries(folder)).collect();
    files.retain(|path| {
        path.is_file() && path.file_name().is_some_and(|name| wanted(&name.to_string_lossy()))
    });
    files
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    entries(parent).into_iter().filter(|path| path.is_dir()).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("it is part of the project")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    entries
}
