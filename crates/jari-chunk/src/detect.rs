//! Which language a file is written in: by name, by extension, by its first line.

use std::collections::HashMap;
use std::sync::OnceLock;

use jari_base::Language;

use crate::spec::{LANGUAGES, PLAIN, Spec};

/// The language of the file called `path` that begins with `text`.
pub fn language_of(path: &str, text: &str) -> Language {
    let name = path.rsplit('/').next().unwrap_or(path);
    let known = known();
    if let Some(language) = known.filenames.get(name) {
        return language.clone();
    }
    if let Some((stem, extension)) = name.rsplit_once('.') {
        let extension = extension.to_ascii_lowercase();
        if let Some(language) = sharing(&extension, text) {
            return language;
        }
        if let Some(language) = known.extensions.get(extension.as_str()) {
            return language.clone();
        }
        // `Dockerfile.dev`, `Makefile.am`
        if let Some(language) = known.filenames.get(stem) {
            return language.clone();
        }
    }
    interpreter(text)
        .and_then(|interpreter| known.interpreters.get(interpreter))
        .cloned()
        .unwrap_or(Language::UNKNOWN)
}

/// A language that shares the extension with another one and shows itself in the text: C++ in a `.h`.
fn sharing(extension: &str, text: &str) -> Option<Language> {
    let shared =
        |spec: &Spec| spec.shares.iter().find(|(shared, _)| *shared == extension).map(|(_, words)| *words);
    let shown = |words: &[&str]| {
        text.lines().any(|line| words.iter().any(|word| line.trim_start().starts_with(word)))
    };
    LANGUAGES.iter().find(|spec| shared(spec).is_some_and(shown)).map(|spec| Language::named(spec.name))
}

/// The names of all languages, sorted.
pub fn languages() -> Vec<&'static str> {
    let mut names: Vec<_> = LANGUAGES
        .iter()
        .map(|spec| spec.name)
        .chain(PLAIN.iter().map(|(name, ..)| *name))
        .chain(["unknown"])
        .collect();
    names.sort_unstable();
    names
}

struct Known {
    extensions: HashMap<&'static str, Language>,
    filenames: HashMap<&'static str, Language>,
    interpreters: HashMap<&'static str, Language>,
}

fn known() -> &'static Known {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut known =
            Known { extensions: HashMap::new(), filenames: HashMap::new(), interpreters: HashMap::new() };
        let parsed =
            LANGUAGES.iter().map(|spec| (spec.name, spec.extensions, spec.filenames, spec.interpreters));
        let plain = PLAIN
            .iter()
            .map(|(name, extensions, filenames)| (*name, *extensions, *filenames, &[] as &[&str]));
        for (name, extensions, filenames, interpreters) in parsed.chain(plain) {
            let language = Language::named(name);
            known.extensions.extend(extensions.iter().map(|extension| (*extension, language.clone())));
            known.filenames.extend(filenames.iter().map(|filename| (*filename, language.clone())));
            known
                .interpreters
                .extend(interpreters.iter().map(|interpreter| (*interpreter, language.clone())));
        }
        known
    })
}

/// `python3` of `#!/usr/bin/env -S python3 -u`.
fn interpreter(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    line.split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .find(|word| *word != "env" && !word.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_extensions_and_first_lines_tell_the_language() {
        let check = |path, text, expected| assert_eq!(language_of(path, text).as_str(), expected, "{path}");
        check("src/main.rs", "", "rust");
        check("SETUP.PY", "", "python");
        check("bin/tool", "#!/usr/bin/env -S python3 -u\n", "python");
        check("deploy/Dockerfile.dev", "", "dockerfile");
        check("pool.h", "struct pool;\n", "c");
        check("pool.h", "#pragma once\n\nnamespace net {\n}\n", "cpp");
        check("notes", "hello", "unknown");
        check("data.unknown", "", "unknown");
        check("notes.txt", "", "text");
    }

    #[test]
    fn no_two_languages_claim_one_extension() {
        let mut seen = HashMap::new();
        let parsed = LANGUAGES.iter().map(|spec| (spec.name, spec.extensions));
        for (name, extensions) in parsed.chain(PLAIN.iter().map(|(name, extensions, _)| (*name, *extensions)))
        {
            for extension in extensions {
                assert_eq!(seen.insert(*extension, name), None, "`{extension}` is claimed twice");
            }
        }
    }
}
