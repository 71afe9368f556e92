//! Which licences let derived weights ship.

use std::path::Path;

/// Marks of licences that ask for the same licence, forbid a use, or wait for a date.
const REFUSED: &[&str] = &[
    "gpl",
    "mpl",
    "mozilla",
    "epl",
    "eclipse",
    "cddl",
    "eupl",
    "osl",
    "sspl",
    "business source",
    "busl",
    "commons clause",
    "elastic",
    "proprietary",
    "noncommercial",
    "non-commercial",
    "cc-by-sa",
    "cc-by-nc",
    "by-nd",
    "unlicensed",
    "see license",
];

/// Marks of licences that ask for credit at most.
const ALLOWED: &[&str] = &[
    "mit",
    "apache",
    "bsd",
    "isc",
    "unlicense",
    "zlib",
    "cc0",
    "cc-by-4.0",
    "cc-by-3.0",
    "psf",
    "python software foundation",
    "python-2.0",
    "0bsd",
    "blueoak",
    "hpnd",
    "cnri",
    "postgresql",
    "public domain",
    "wtfpl",
    "unicode",
    "ncsa",
    "zpl",
    "zope",
];

/// Whether one of the alternatives of an expression asks for credit at most.
pub(crate) fn is_permissive(expression: &str) -> bool {
    let expression = expression.to_lowercase().replace(['(', ')'], " ");
    let alternatives = expression.split(" or ").flat_map(|part| part.split('/'));
    alternatives.map(str::trim).any(|alternative| {
        let marked = |marks: &[&str]| marks.iter().any(|mark| alternative.contains(mark));
        marked(ALLOWED) && !marked(REFUSED)
    })
}

/// What a package says of itself: `Cargo.toml`, `package.json`, or the `METADATA` of a wheel.
pub(crate) fn declared(folder: &Path) -> Option<String> {
    let read = |path: &Path| fs_err::read_to_string(path).ok();
    let field = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(key))?;
        let value = line.split_once(['=', ':'])?.1.trim().trim_matches(['"', ',']).to_owned();
        (!value.is_empty() && value != "UNKNOWN").then_some(value)
    };
    if let Some(manifest) = read(&folder.join("Cargo.toml")) {
        return field(&manifest, "license =");
    }
    if let Some(manifest) = read(&folder.join("package.json")) {
        let manifest: serde_json::Value = serde_json::from_str(&manifest).ok()?;
        let licence = &manifest["license"];
        return licence.as_str().or(licence["type"].as_str()).map(str::to_owned);
    }
    let metadata = fs_err::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let metadata = metadata
        .filter(|path| path.extension().is_some_and(|ending| ending == "dist-info"))
        .find_map(|path| read(&path.join("METADATA")))?;
    let head = metadata.split("\n\n").next().unwrap_or(&metadata);
    let classifier = || {
        head.lines()
            .filter(|line| line.starts_with("Classifier: License ::"))
            .map(|line| line.rsplit(":: ").next().unwrap_or(line))
            .next()
            .map(str::to_owned)
    };
    field(head, "License-Expression:").or_else(classifier).or_else(|| field(head, "License:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_free_alternative_is_enough_and_copyleft_is_not() {
        for allowed in [
            "MIT",
            "MIT OR Apache-2.0",
            "Apache-2.0 WITH LLVM-exception",
            "BSD License",
            "CC-BY-4.0",
            "PSF-2.0",
            "MIT/Apache-2.0",
            "(MIT OR GPL-2.0)",
        ] {
            assert!(is_permissive(allowed), "{allowed}");
        }
        for refused in [
            "GPL-3.0",
            "LGPL-2.1",
            "MPL-2.0",
            "CC-BY-SA-4.0",
            "CC-BY-NC-4.0",
            "BUSL-1.1",
            "UNLICENSED",
            "",
            "MIT AND GPL-2.0",
        ] {
            assert!(!is_permissive(refused), "{refused}");
        }
    }

    #[test]
    fn packages_say_their_licence() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("package.json"), r#"{"license": "ISC"}"#).unwrap();
        assert_eq!(declared(temp.path()).as_deref(), Some("ISC"));
        std::fs::write(temp.path().join("Cargo.toml"), "[package]\nlicense = \"MIT\"\n").unwrap();
        assert_eq!(declared(temp.path()).as_deref(), Some("MIT"));
    }
}
