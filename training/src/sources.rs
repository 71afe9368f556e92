//! The list of what the model is made from, and where each source lies in the cache.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::pair::{self, Kind, Pair};
use crate::{code, licence, markdown, translations};

/// Pairs of one source and kind at most: a large repository is not worth more than the language it is written in.
const MOST: usize = 5_000;

/// Translations of one source at most.
const MOST_TRANSLATIONS: usize = 40_000;

/// A line of `sources.tsv`: kind, name, version or commit, licence, which files (of Git sources).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// `crates`, `pypi`, `npm` or `git`.
    kind: String,
    name: String,
    licence: String,
}

impl Source {
    fn folder(&self, cache: &Path) -> PathBuf {
        cache.join(&self.kind).join(self.name.replace('/', "+"))
    }
}

/// A line of `translations.tsv`: source, format, English and Korean side, as paths in the cache.
struct Translated {
    source: String,
    format: String,
    english: String,
    korean: String,
}

/// All pairs of all sources that are in the cache, and a line about each source that gave none.
pub(crate) fn pairs(lists: &Path, cache: &Path) -> Result<(Vec<Pair>, Vec<String>)> {
    let sources = sources(&fs_err::read_to_string(lists.join("sources.tsv"))?)?;
    let mut pairs = Vec::new();
    let mut notes = Vec::new();
    for source in &sources {
        match of_source(source, cache) {
            Ok(found) => pairs.extend(found),
            Err(reason) => notes.push(format!("{} {}: {reason}", source.kind, source.name)),
        }
    }
    for translated in translated(&fs_err::read_to_string(lists.join("translations.tsv"))?)? {
        let Translated { source, format, english, korean } = translated;
        if !sources.iter().any(|known| known.name == source) {
            bail!("`{source}` has translations but no line with its licence in sources.tsv");
        }
        match translations::pairs(&source, &format, &cache.join(english), &cache.join(&korean)) {
            Ok(found) => {
                notes.push(format!("{source} {korean}: {} translations", found.len()));
                pairs.extend(found);
            }
            Err(reason) => notes.push(format!("{source} {korean}: {reason:#}")),
        }
    }
    let most = |kind| if kind == Kind::Translation { MOST_TRANSLATIONS } else { MOST };
    Ok((pair::distinct(pair::capped(pairs, most)), notes))
}

fn of_source(source: &Source, cache: &Path) -> Result<Vec<Pair>> {
    let folder = source.folder(cache);
    if !folder.is_dir() {
        bail!("not in the cache");
    }
    // What is listed was looked up once; what the package says of itself counts.
    let declared =
        if source.kind == "git" { Some(source.licence.clone()) } else { licence::declared(&folder) };
    let declared = declared.unwrap_or_else(|| source.licence.clone());
    if !licence::is_permissive(&declared) || !licence::is_permissive(&source.licence) {
        bail!("left out for its licence, {declared}");
    }
    let mut pairs = code::pairs(&source.name, &folder);
    pairs.extend(markdown::pairs(&source.name, &folder));
    Ok(pairs)
}

fn sources(list: &str) -> Result<Vec<Source>> {
    rows(list)
        .map(|fields| match fields.as_slice() {
            [kind, name, _version, licence, ..] => {
                Ok(Source { kind: kind.to_string(), name: name.to_string(), licence: licence.to_string() })
            }
            _ => bail!("sources.tsv: `{}` has too few fields", fields.join(" ")),
        })
        .collect()
}

fn translated(list: &str) -> Result<Vec<Translated>> {
    rows(list)
        .map(|fields| {
            let [source, format, english, korean] = fields.as_slice() else {
                bail!("translations.tsv: `{}` has not four fields", fields.join(" "));
            };
            let [source, format, english, korean] =
                [source, format, english, korean].map(ToString::to_string);
            Ok(Translated { source, format, english, korean })
        })
        .collect::<Result<Vec<_>>>()
        .context("the list of translations")
}

fn rows(list: &str) -> impl Iterator<Item = Vec<&str>> {
    list.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split('\t').collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sound_and_all_licences_free() {
        let lists = Path::new(env!("CARGO_MANIFEST_DIR"));
        let sources = sources(&fs_err::read_to_string(lists.join("sources.tsv")).unwrap()).unwrap();
        for source in &sources {
            assert!(licence::is_permissive(&source.licence), "{} {}", source.name, source.licence);
        }
        for translated in
            translated(&fs_err::read_to_string(lists.join("translations.tsv")).unwrap()).unwrap()
        {
            assert!(sources.iter().any(|source| source.name == translated.source), "{}", translated.source);
        }
    }

    #[test]
    fn a_package_with_another_licence_than_listed_is_left_out() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("npm/x");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("package.json"), r#"{"license": "GPL-3.0"}"#).unwrap();
        let source = Source { kind: "npm".to_owned(), name: "x".to_owned(), licence: "MIT".to_owned() };
        assert!(of_source(&source, temp.path()).unwrap_err().to_string().contains("GPL-3.0"));
    }
}
