//! The samples of all languages.

use std::path::{Path, PathBuf};

use jari_base::Language;

/// Where the samples are.
pub(crate) const LANGUAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/languages");

pub(crate) struct Sample {
    pub(crate) language: Language,
    pub(crate) text: String,
}

/// The samples of the languages whose structure is read; those of features that are off are left out.
pub(crate) fn samples() -> Vec<Sample> {
    let structured = jari_chunk::facts();
    let is_structured = |name: &str| structured.iter().any(|facts| facts.name == name && facts.structured);
    let mut samples = Vec::new();
    for folder in entries(Path::new(LANGUAGES)) {
        if !folder.is_dir() {
            continue;
        }
        let name = folder.file_name().expect("a folder").to_string_lossy().into_owned();
        let mut files = entries(&folder).into_iter();
        let sample = files.find(|path| path.file_stem().is_some_and(|stem| stem == "sample"));
        let sample = sample.unwrap_or_else(|| panic!("{name} has no sample"));
        let path = sample.file_name().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&sample).expect("a readable sample");
        let language = jari_chunk::language_of(&path, &text);
        assert_eq!(language.as_str(), name, "the sample of {name} is taken for {language}");
        if is_structured(&name) {
            samples.push(Sample { language, text });
        }
    }
    samples
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}
