//! Places that state different values for one setting: sections against sections, and against the code. A false alarm costs trust, so
//! only values are compared that are stated as a default, of a name that can mean one thing alone.

use std::collections::{BTreeMap, HashMap, HashSet};

use jari_base::{Document, Filter, Value as FrontMatter};
use jari_chunk::is_document;
use jari_source::identifiers;
use jari_store::{Files, PathFilter, Snapshot};

use crate::drift::{is_of_tests, is_product, says_it_is_gone, speaks_of_the_past};
use crate::mentions::{code_lines, each_document};
use crate::{Error, Project, Result};

mod stated;
mod value;

use stated::{Stated, stated};
use value::Value;

/// Definitions of one name that are looked at.
const LOOKED_AT: usize = 50;

/// Files that mark the root of a package: what they state is of that package.
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "Gemfile",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "go.mod",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "setup.py",
];

/// Where a value is stated, most binding first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The code itself.
    Code,
    /// A record of a decision.
    Decision,
    /// A README.
    Readme,
    /// A page of reference.
    Reference,
    /// Any other page.
    Page,
    /// A blog.
    Blog,
    /// What tells of changes.
    Changelog,
}

impl Standing {
    /// In a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Decision => "decision",
            Self::Readme => "readme",
            Self::Reference => "reference",
            Self::Page => "page",
            Self::Blog => "blog",
            Self::Changelog => "changelog",
        }
    }

    /// Of a document, by its path.
    fn of(path: &str) -> Self {
        let lower = path.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
        let has = |marks: &[&str]| words.iter().any(|word| marks.contains(word));
        if has(&["changelog", "changes", "history", "news", "release", "releases", "whatsnew"]) {
            Self::Changelog
        } else if has(&["blog", "posts", "announcements"]) {
            Self::Blog
        } else if has(&["adr", "adrs", "decisions"]) {
            Self::Decision
        } else if has(&["readme"]) {
            Self::Readme
        } else if has(&["reference", "ref", "api", "settings", "configuration", "options", "manual"]) {
            Self::Reference
        } else {
            Self::Page
        }
    }
}

/// A place that states a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The section's id, without the path; none in code.
    pub section: Option<String>,
    /// The titles from the outermost section to it.
    pub heading_path: Vec<String>,
    /// The value, as written.
    pub value: String,
    /// How binding it is.
    pub standing: Standing,
    /// The day of its last change: `2024-05-01`.
    pub date: Option<String>,
    meaning: Value,
}

/// A setting with several values.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// The setting.
    pub name: String,
    /// Where it is stated: the most binding first, then the newest.
    pub statements: Vec<Statement>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConflictReport {
    /// By name.
    pub conflicts: Vec<Conflict>,
    /// Settings whose values were compared.
    pub settings: usize,
}

/// Settings that places of the project state different values for: all, or the one called `name`.
pub fn conflicts(
    project: &Project,
    snapshot: &dyn Snapshot,
    name: Option<&str>,
    within: &Filter,
) -> Result<ConflictReport> {
    let filter = PathFilter::new(within)
        .map_err(|error| Error::BadFilter(format!("the path filter cannot be read: {error}")))?;
    let files = snapshot.files()?;
    let mut settings = in_documents(snapshot, name)?;
    for (name, statements) in in_code(snapshot, &settings)? {
        settings.entry(name).or_default().extend(statements);
    }
    let packages = Packages::new(&files);
    let mut report = ConflictReport { settings: settings.len(), ..ConflictReport::default() };
    for (name, statements) in settings {
        let differ = contradicting(&packages, &statements);
        let named = |statement: &Statement| files.at(&statement.path).is_some_and(|file| filter.allows(file));
        if differ.iter().any(|at| named(&statements[*at])) {
            let statements = differ.into_iter().map(|at| statements[at].clone()).collect();
            report.conflicts.push(Conflict { name, statements });
        }
    }
    date(project, &mut report);
    Ok(report)
}

/// What documents state, by name.
fn in_documents(snapshot: &dyn Snapshot, name: Option<&str>) -> Result<BTreeMap<String, Vec<Statement>>> {
    let mut settings: BTreeMap<String, Vec<Statement>> = BTreeMap::new();
    each_document(snapshot, &Filter::default(), |path, document, text| {
        let standing = Standing::of(path);
        let old =
            speaks_of_the_past(path, &[]) && standing != Standing::Decision && standing != Standing::Blog;
        if old || is_of_tests(path) || is_versioned(path) {
            return;
        }
        let fenced: HashSet<u32> = code_lines(document, text).into_iter().map(|(line, _)| line).collect();
        for Stated { name: setting, value, line } in stated(document, text, &fenced) {
            let Some(meaning) = Value::of(value) else { continue };
            let Some(at) = document.section_at(line) else { continue };
            let heading_path = document.heading_path(at);
            let told = text.lines().nth(line as usize - 1).unwrap_or_default();
            if name.is_some_and(|name| name != setting)
                || speaks_of_the_past("", &heading_path)
                || says_it_is_gone(told)
            {
                continue;
            }
            settings.entry(setting.to_owned()).or_default().push(Statement {
                path: path.to_owned(),
                line,
                section: Some(document.sections[at as usize].id.clone()),
                heading_path,
                value: value.to_owned(),
                standing,
                date: dated(document),
                meaning,
            });
        }
    })?;
    Ok(settings)
}

/// What the code gives to the settings that documents state: constants, and defaults of the environment and of flags.
fn in_code(
    snapshot: &dyn Snapshot,
    settings: &BTreeMap<String, Vec<Statement>>,
) -> Result<BTreeMap<String, Vec<Statement>>> {
    let files = snapshot.files()?;
    let mut found: BTreeMap<String, Vec<Statement>> = BTreeMap::new();
    let mut add = |name: &str, path: &str, line: u32, value: &str| {
        let Some(meaning) = Value::of(value) else { return };
        found.entry(name.to_owned()).or_default().push(Statement {
            path: path.to_owned(),
            line,
            section: None,
            heading_path: Vec::new(),
            value: value.to_owned(),
            standing: Standing::Code,
            date: None,
            meaning,
        });
    };
    let mut defined: HashSet<&str> = HashSet::new();
    for name in settings.keys().filter(|name| stated::is_constant(name)) {
        let named = crate::symbols::named(snapshot, name, LOOKED_AT)?;
        for stored in named.into_iter().filter(|stored| stored.symbol.name == *name) {
            let Some(record) = files.get(stored.file).filter(|record| is_product(&record.path)) else {
                continue;
            };
            if is_document(&record.language) {
                continue;
            }
            defined.insert(name);
            if let Some(value) = stated::assigned(&stored.symbol.signature, name) {
                add(name, &record.path, stored.symbol.lines.start, value);
            }
        }
    }
    let wanted: HashMap<&str, &str> = settings
        .keys()
        .filter(|name| !defined.contains(name.as_str()))
        .map(|name| (name.trim_start_matches('-').split('-').next().unwrap_or(name), name.as_str()))
        .collect();
    let code = files.iter().filter(|record| record.skip.is_none() && is_product(&record.path));
    for record in code.filter(|record| !wanted.is_empty() && !is_document(&record.language)) {
        let text = snapshot.text(record.id)?.unwrap_or_default();
        let names: HashSet<&str> = identifiers(&text).filter_map(|word| wanted.get(word).copied()).collect();
        for name in names {
            for (line, value) in stated::fallen_back_to(&text, name) {
                add(name, &record.path, line, value);
            }
        }
    }
    Ok(found)
}

/// The statements that contradict each other, in order; nothing where all agree or where a name may mean several things.
fn contradicting(packages: &Packages, statements: &[Statement]) -> Vec<usize> {
    let code: Vec<&Statement> =
        statements.iter().filter(|statement| statement.standing == Standing::Code).collect();
    // Code that disagrees with itself says that the name means several things.
    if code.iter().any(|one| code.iter().any(|other| one.meaning != other.meaning)) {
        return Vec::new();
    }
    let mut differ: HashSet<usize> = HashSet::new();
    for (at, one) in statements.iter().enumerate() {
        for (other_at, other) in statements.iter().enumerate().skip(at + 1) {
            let binding = |statement: &Statement| statement.standing < Standing::Blog;
            let with_code = one.standing == Standing::Code || other.standing == Standing::Code;
            let one_thing = packages.of(&one.path) == packages.of(&other.path)
                || with_code && (packages.of(&one.path).is_empty() || packages.of(&other.path).is_empty());
            if binding(one) && binding(other) && one_thing && one.meaning.contradicts(&other.meaning) {
                differ.extend([at, other_at]);
            }
        }
    }
    let mut differ: Vec<usize> = differ.into_iter().collect();
    differ.sort_unstable();
    differ
}

/// Tells when each place last changed, and puts the most binding and newest first.
fn date(project: &Project, report: &mut ConflictReport) {
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    for statement in report.conflicts.iter_mut().flat_map(|conflict| &mut conflict.statements) {
        if statement.date.is_none() {
            let day = known
                .entry(statement.path.clone())
                .or_insert_with(|| jari_source::last_changed(&project.root, &statement.path));
            statement.date.clone_from(day);
        }
    }
    for conflict in &mut report.conflicts {
        conflict.statements.sort_by(|a, b| {
            (a.standing, &b.date, &a.path, a.line).cmp(&(b.standing, &a.date, &b.path, b.line))
        });
    }
}

/// The day that front matter names.
fn dated(document: &Document) -> Option<String> {
    const KEYS: &[&str] = &["date", "last_updated", "lastUpdated", "updated", "last_modified"];
    let day = |value: &FrontMatter| match value {
        FrontMatter::Text(text) => text.get(..10).filter(|day| day.as_bytes()[4] == b'-').map(str::to_owned),
        _ => None,
    };
    document
        .front_matter
        .iter()
        .find(|(key, _)| KEYS.contains(&key.as_str()))
        .and_then(|(_, value)| day(value))
}

/// Whether a document is one of several versions of the same: `docs/v3/…`, `versioned_docs/version-1.0/…`.
fn is_versioned(path: &str) -> bool {
    path.split('/').any(|folder| {
        let folder = folder.strip_prefix("docs-").unwrap_or(folder);
        let number = folder.strip_prefix("version-").or_else(|| folder.strip_prefix('v')).unwrap_or(folder);
        number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || ".x-_".contains(c))
    })
}

/// The roots of packages.
struct Packages(HashSet<String>);

impl Packages {
    fn new(files: &Files) -> Self {
        let roots = files.iter().filter_map(|record| {
            let (folder, name) = record.path.rsplit_once('/').unwrap_or(("", &record.path));
            MANIFESTS.contains(&name).then(|| folder.to_owned())
        });
        Self(roots.collect())
    }

    /// The package around a file; empty for the project itself.
    fn of<'p>(&self, path: &'p str) -> &'p str {
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            if self.0.contains(above) {
                return above;
            }
            folder = above;
        }
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standing_and_versions_come_from_the_path() {
        assert_eq!(Standing::of("docs/adr/0001-retries.md"), Standing::Decision);
        assert_eq!(Standing::of("README.md"), Standing::Readme);
        assert_eq!(Standing::of("docs/ref/settings.txt"), Standing::Reference);
        assert_eq!(Standing::of("blog/fast.md"), Standing::Blog);
        assert!(Standing::Readme < Standing::Blog && Standing::Blog < Standing::Changelog);
        assert!(is_versioned("docs/v3/a.md") && is_versioned("versioned_docs/version-1.0/a.md"));
        assert!(!is_versioned("docs/vector.md") && !is_versioned("docs/views.md"));
    }
}
