//! Which languages may answer: those asked for, of code or of documents.

use jari_base::Language;

use crate::{Error, Result};

/// Code or documents alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Only {
    /// Everything that is no document.
    Code,
    /// Markdown, MDX, reStructuredText, AsciiDoc and plain text.
    Documents,
}

/// The languages of a filter: `wanted`, or all if it is empty, of which `only` leaves its own. A language that does not
/// exist is refused.
pub fn languages(wanted: &[String], only: Option<Only>) -> Result<Vec<String>> {
    let known = jari_chunk::languages();
    let mut languages: Vec<String> = wanted.iter().map(|name| name.to_lowercase()).collect();
    if let Some(unknown) = languages.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Error::UnknownLanguage(unknown.clone()));
    }
    let Some(only) = only else { return Ok(languages) };
    if languages.is_empty() {
        languages = known.iter().map(|name| (*name).to_owned()).collect();
    }
    let is_document = |name: &String| jari_chunk::is_document(&Language::from(name.clone()));
    languages.retain(|name| is_document(name) == (only == Only::Documents));
    match languages.is_empty() {
        true => Err(Error::NoneOf { languages: wanted.to_vec(), only }),
        false => Ok(languages),
    }
}
