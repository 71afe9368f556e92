//! Globs over paths, and what a filter lets through.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use jari_base::Filter;

use crate::FileRecord;

/// A filter, ready to be asked.
#[derive(Debug, Clone)]
pub struct PathFilter {
    /// Of each, one glob must match.
    required: Vec<GlobSet>,
    /// Of which none may match.
    excepted: Option<GlobSet>,
    languages: Vec<String>,
}

impl PathFilter {
    /// Makes a filter ready; the error names the glob that cannot be read.
    pub fn new(filter: &Filter) -> Result<Self, String> {
        let required = [&filter.paths, &filter.also_paths]
            .into_iter()
            .filter_map(|paths| any_of(paths))
            .collect::<Result<_, _>>()?;
        let excepted = any_of(&filter.except_paths).transpose()?;
        Ok(Self { required, excepted, languages: filter.languages.clone() })
    }

    /// Whether a file may be returned.
    pub fn allows(&self, file: &FileRecord) -> bool {
        (self.languages.is_empty()
            || self.languages.iter().any(|language| language == file.language.as_str()))
            && self.allows_path(&file.path)
    }

    /// Whether every file may be returned.
    pub fn allows_all(&self) -> bool {
        self.required.is_empty() && self.excepted.is_none() && self.languages.is_empty()
    }

    fn allows_path(&self, path: &str) -> bool {
        self.required.iter().all(|globs| globs.is_match(path))
            && self.excepted.as_ref().is_none_or(|globs| !globs.is_match(path))
    }
}

/// What matches one of `paths`; nothing if there are none.
fn any_of(paths: &[String]) -> Option<Result<GlobSet, String>> {
    (!paths.is_empty()).then(|| {
        let mut globs = GlobSetBuilder::new();
        for path in paths {
            for glob in spelled(path) {
                let glob = GlobBuilder::new(&glob)
                    .literal_separator(true)
                    .build()
                    .map_err(|error| format!("`{path}`: {}", error.kind()))?;
                globs.add(glob);
            }
        }
        globs.build().map_err(|error| error.to_string())
    })
}

/// A folder stands for all below it; a glob without `/` holds at every depth, as in ignore files.
fn spelled(path: &str) -> Vec<String> {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    if path.is_empty() || path == "." {
        return vec!["**".to_owned()];
    }
    if path.contains('/') {
        vec![path.to_owned(), format!("{path}/**")]
    } else {
        vec![path.to_owned(), format!("{path}/**"), format!("**/{path}"), format!("**/{path}/**")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(glob: &str, path: &str) -> bool {
        let filter = Filter { paths: vec![glob.to_owned()], ..Filter::default() };
        PathFilter::new(&filter).unwrap().allows_path(path)
    }

    #[test]
    fn folders_files_and_globs() {
        assert!(allows("src", "src/a/b.rs") && allows("src/", "src/b.rs") && allows("./src", "src/b.rs"));
        assert!(allows("*.rs", "src/a/b.rs") && !allows("*.rs", "src/a.py"));
        assert!(allows("src/**/*.rs", "src/a/b.rs") && !allows("src/*.rs", "src/a/b.rs"));
        assert!(allows("tests", "crates/x/tests/a.rs"));
        assert!(!allows("crates/x", "crates/xy/a.rs"));
    }

    #[test]
    fn a_broken_glob_is_named() {
        let filter = Filter { paths: vec!["a[".to_owned()], ..Filter::default() };
        assert!(PathFilter::new(&filter).unwrap_err().contains("`a[`"));
    }
}
