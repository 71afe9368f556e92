//! Old versions kept beside new ones: `v3/` where there is a `v4/`, `v1/main` where there is a `main`.

use std::collections::{HashMap, HashSet};

use jari_text::Query;

/// Of `paths`, those in the folder of a version that has a successor among them. A version that the query names is
/// never old.
pub(crate) fn outdated<'a>(paths: impl Iterator<Item = &'a str> + Clone, query: &Query) -> HashSet<&'a str> {
    let mut newest: HashMap<&str, u32> = HashMap::new();
    let mut versioned = Vec::new();
    for path in paths.clone() {
        if let Some(found) = Versioned::of(path) {
            let newest = newest.entry(found.above).or_default();
            *newest = found.version.max(*newest);
            versioned.push((path, found));
        }
    }
    if versioned.is_empty() {
        return HashSet::new();
    }
    let all: HashSet<&str> = paths.collect();
    let asked = |version: u32| query.terms.iter().any(|term| *term == format!("v{version}"));
    let has_successor = |found: &Versioned<'_>| {
        newest[found.above] > found.version
            || all.contains(format!("{}{}", found.above, found.below).as_str())
    };
    versioned.retain(|(_, found)| has_successor(found) && !asked(found.version));
    versioned.into_iter().map(|(path, _)| path).collect()
}

/// A path with a folder like `v3`.
struct Versioned<'a> {
    above: &'a str,
    version: u32,
    below: &'a str,
}

impl<'a> Versioned<'a> {
    fn of(path: &'a str) -> Option<Self> {
        let mut start = 0;
        for step in path.split('/') {
            let end = start + step.len();
            if let Some(version) = step.strip_prefix('v').and_then(|digits| digits.parse().ok()) {
                return path.get(end + 1..).map(|below| Self { above: &path[..start], version, below });
            }
            start = end + 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, paths: &[&str], expected: &[&str]) {
        let mut old: Vec<&str> = outdated(paths.iter().copied(), &Query::new(query)).into_iter().collect();
        old.sort_unstable();
        assert_eq!(old, expected);
    }

    #[test]
    fn versions_with_a_successor_are_old() {
        check("x", &["src/v3/a.ts", "src/v4/b.ts"], &["src/v3/a.ts"]);
        check("x", &["v1/main.py", "main.py", "v1/other.py"], &["v1/main.py"]);
        check("x", &["api/v1/a.go", "lib/v2/a.go"], &[]);
        check("x in v3", &["src/v3/a.ts", "src/v4/b.ts"], &[]);
    }
}
