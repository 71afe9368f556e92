//! What may answer: languages, of code or of documents, and the filters that stand in a query.

use jari_base::{ChunkKind, Filter, Language};
use jari_text::Typed;

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

/// The language that a name that is none may mean: by the ending of its files, or by a slip of the finger.
pub(crate) fn language_like(name: &str) -> Option<&'static str> {
    let known = jari_chunk::languages();
    let of_files = jari_chunk::language_of(&format!("a.{name}"), "");
    let near = || known.iter().filter(|one| strsim::osa_distance(one, name) == 1 && name.len() > 2);
    known
        .iter()
        .find(|one| of_files != Language::UNKNOWN && **one == of_files.as_str())
        .or_else(|| near().next())
        .copied()
}

/// `filter`, narrowed by what was typed among the words.
pub(crate) fn typed(typed: &Typed, filter: Filter) -> Result<Filter> {
    if let Some(unknown) = typed.unknown.first() {
        return Err(Error::BadFilter(format!(
            "`{unknown}` is no filter: only words and paths can be left out"
        )));
    }
    let wanted = languages(&typed.languages, None)?;
    let kinds: Vec<ChunkKind> = typed
        .kinds
        .iter()
        .map(|kind| {
            kind.to_lowercase()
                .parse()
                .map_err(|error| Error::BadFilter(format!("`kind:{kind}` cannot be used: {error}")))
        })
        .collect::<Result<_>>()?;
    Ok(Filter {
        languages: both("lang", filter.languages, wanted)?,
        kinds: both("kind", filter.kinds, kinds)?,
        also_paths: [filter.also_paths, typed.paths.clone()].concat(),
        except_paths: [filter.except_paths, typed.except_paths.clone()].concat(),
        paths: filter.paths,
    })
}

/// What two lists allow, of which an empty one allows everything.
fn both<T: PartialEq + std::fmt::Display>(name: &str, one: Vec<T>, two: Vec<T>) -> Result<Vec<T>> {
    match (one.is_empty(), two.is_empty()) {
        (true, _) => Ok(two),
        (_, true) => Ok(one),
        (false, false) => {
            let refused = two.iter().map(T::to_string).collect::<Vec<_>>().join(" or ");
            let both: Vec<T> = one.into_iter().filter(|item| two.contains(item)).collect();
            if both.is_empty() {
                return Err(Error::BadFilter(format!(
                    "nothing can be `{name}:{refused}`: other filters leave it out"
                )));
            }
            Ok(both)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_and_slips_lead_to_the_language() {
        assert_eq!(language_like("py"), Some("python"));
        assert_eq!(language_like("rs"), Some("rust"));
        assert_eq!(language_like("pyhton"), Some("python"));
        assert_eq!(language_like("klingon"), None);
    }

    #[test]
    fn kinds_may_be_typed_in_capitals() {
        let found = typed(&Typed::new("kind:Class pool"), Filter::default()).unwrap();
        assert_eq!(found.kinds.len(), 1);
    }
}
