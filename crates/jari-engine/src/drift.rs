//! Sections that speak of what is no longer there. A false alarm costs trust, so a name is reported only with a reason to believe that it was
//! once right, or that another was meant.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use jari_base::{Document, Filter, Symbol, SymbolKind};
use jari_chunk::{code_spans, is_document, language_of};
use jari_rank::Role;
use jari_source::{Gone, Removal, identifiers};
use jari_store::{Files, Snapshot};

use crate::mentions::{Named, code_lines, each_document, has_humps, is_telling};
use crate::{Project, Result};

/// Commits that are asked for names that are gone.
const COMMITS: usize = 5_000;

/// After so many years a name that was taken out is no sign of drift any more.
const YEARS: i32 = 3;

/// How long Git is asked.
const HISTORY: Duration = Duration::from_secs(20);

/// Documents that tell of the past: what they name need not exist. By a word of their path or of a title.
const OF_THE_PAST: &[&str] = &[
    "adr",
    "announcement",
    "archive",
    "archived",
    "blog",
    "changelog",
    "changes",
    "decisions",
    "deprecat",
    "history",
    "internals/deprecation",
    "migrat",
    "news",
    "proposal",
    "release",
    "releases",
    "rfc",
    "rfcs",
    "roadmap",
    "upgrad",
    "whatsnew",
    "what's new",
    "변경",
    "이전 버전",
    "마이그레이션",
];

/// Words on a line by which it speaks of the past itself.
const SAID_TO_BE_GONE: &[&str] = &[
    "no longer",
    "removed",
    "deprecated",
    "renamed",
    "formerly",
    "previously",
    "used to",
    "was called",
    "replaced",
    "instead of",
    "dropped",
    "obsolete",
    "legacy",
    "before version",
    "until version",
    "삭제",
    "제거",
    "더 이상",
    "이전에는",
    "대신",
];

/// Why a section is believed to be behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The type or module is there, and has nothing of that name.
    NoSuchMember {
        /// The type or module.
        of: String,
    },
    /// It was there, and a commit took it out.
    TakenOut(Removal),
    /// It was defined at the revision that was named, and is not any more.
    Removed,
    /// The same, and something like it is there now.
    Renamed {
        /// What it is called now.
        to: String,
    },
    /// It is still there, and declared otherwise.
    Redeclared {
        /// As it was.
        from: String,
        /// As it is.
        to: String,
    },
    /// The file is gone since.
    FileRemoved,
    /// The file was moved.
    Moved {
        /// Where it is now.
        to: String,
    },
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoSuchMember { of } => write!(f, "`{of}` is there and has nothing of that name"),
            Self::FileRemoved => f.write_str("is gone"),
            Self::TakenOut(Removal { commit, date }) => {
                write!(f, "is not there any more since {commit} of {date}")
            }
            Self::Removed => f.write_str("was removed"),
            Self::Renamed { to } => write!(f, "is called `{to}` now"),
            Self::Redeclared { from, to } => write!(f, "was `{from}`, is `{to}`"),
            Self::Moved { to } => write!(f, "is at `{to}` now"),
        }
    }
}

/// A section that is believed to be behind the code.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The document.
    pub path: String,
    /// The section's id, without the path.
    pub section: String,
    /// The titles from the outermost section to it.
    pub heading_path: Vec<String>,
    /// Where it speaks of it.
    pub line: u32,
    /// Of what, as written.
    pub name: String,
    /// Why.
    pub reason: Reason,
    /// Names of today that look like it.
    pub near: Vec<String>,
    /// How likely it is that the section needs a change, from 0 to 1.
    pub likelihood: f32,
}

impl Finding {
    /// What a baseline knows it by: it stays the same while lines move.
    pub fn key(&self) -> String {
        format!("{}#{} {}", self.path, self.section, self.name)
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DriftReport {
    /// Most likely first, then by place.
    pub findings: Vec<Finding>,
    /// Sections that were looked at.
    pub sections: usize,
    /// Names in them that were looked up.
    pub names: usize,
    /// What could not be looked at.
    pub notes: Vec<String>,
}

/// A name that a document says, and where.
struct Said {
    path: String,
    section: String,
    heading_path: Vec<String>,
    line: u32,
    text: String,
    head: Option<String>,
    last: String,
    kind: SaidKind,
}

#[derive(PartialEq, Eq)]
enum SaidKind {
    Name,
    File,
    Flag,
}

/// Sections that name what no longer exists, of documents that `within` lets through.
pub fn drift(project: &Project, snapshot: &dyn Snapshot, within: &Filter) -> Result<DriftReport> {
    let (said, sections) = said(snapshot, within)?;
    let code = Code::new(snapshot, said.iter())?;
    let mut report = DriftReport { sections, names: said.len(), ..DriftReport::default() };
    let suspects: Vec<&Said> =
        said.iter().filter(|said| !code.has(project, said) && !code.is_foreign(said)).collect();
    let words: HashSet<&str> = suspects.iter().map(|said| said.last.as_str()).collect();
    let deadline = Instant::now() + HISTORY;
    let gone = match jari_source::removals(&project.root, &words, is_product, COMMITS, deadline) {
        Ok(gone) => {
            if gone.shallow {
                report.notes.push(
                    "the history is cut off (a shallow clone): what older commits took out is not known"
                        .to_owned(),
                );
            }
            gone
        }
        Err(error) => {
            report.notes.push(format!("{error}: only names of known types were looked at"));
            Gone::default()
        }
    };
    for said in suspects {
        let told = match said.kind {
            SaidKind::File => {
                gone.files.get(&said.last).map(|removal| (Reason::TakenOut(removal.clone()), 0.9))
            }
            SaidKind::Name | SaidKind::Flag => match (gone.names.get(&said.last), &said.head) {
                (Some(removal), _) if !is_long_ago(removal, &gone.newest) => {
                    Some((Reason::TakenOut(removal.clone()), 0.9))
                }
                (_, Some(head)) if code.owns(head) => Some((Reason::NoSuchMember { of: head.clone() }, 0.7)),
                _ => None,
            },
        };
        report.findings.extend(told.map(|(reason, likelihood)| finding(said, reason, likelihood)));
    }
    near_names(snapshot, &mut report.findings)?;
    finish(&mut report);
    Ok(report)
}

/// Sections that name what changed since a revision of Git, of documents that `within` lets through.
pub fn drift_since(
    project: &Project,
    snapshot: &dyn Snapshot,
    revision: &str,
    within: &Filter,
) -> Result<DriftReport> {
    let changed = jari_source::changed_since(&project.root, revision)?;
    let is_code = |path: &str| !is_document(&language_of(path, ""));
    let old_paths: Vec<&str> =
        changed.iter().filter_map(|changed| changed.old.as_deref()).filter(|path| is_code(path)).collect();
    let old_texts = jari_source::texts_at(&project.root, revision, &old_paths)?;
    let files = snapshot.files();
    let mut before: BTreeMap<String, Symbol> = BTreeMap::new();
    let mut now: Vec<Symbol> = Vec::new();
    let mut moved: HashMap<String, Option<String>> = HashMap::new();
    for change in &changed {
        if let Some(old) = change.old.as_deref().filter(|old| change.new.as_deref() != Some(old)) {
            moved.insert(old.to_owned(), change.new.clone());
        }
        if let Some(text) = change.old.as_deref().and_then(|old| old_texts.get(old)) {
            let language = language_of(change.old.as_deref().unwrap_or_default(), text);
            let chunked = jari_chunk::chunk(&language, text, &project.documents);
            before.extend(chunked.symbols.into_iter().map(|symbol| (symbol.qualified(), symbol)));
        }
        if let Some(record) = change.new.as_deref().and_then(|new| files.at(new)) {
            now.extend(snapshot.defined(record.id)?);
        }
    }
    let today: HashMap<String, &Symbol> = now.iter().map(|symbol| (symbol.qualified(), symbol)).collect();
    let mut all_names: HashSet<String> = HashSet::new();
    snapshot.symbol_names(&mut |name| {
        all_names.insert(name.to_owned());
    })?;

    // What may stand before a name of the project: its types, folders and files.
    let mut known = all_names.clone();
    for record in files.iter().filter(|record| !is_document(&record.language)) {
        known.extend(record.path.split(['/', '.']).map(str::to_owned));
    }
    let mut declared: HashMap<&str, usize> = HashMap::new();
    for symbol in before.values() {
        *declared.entry(&symbol.name).or_default() += 1;
    }

    // By the last part of the name, because that is what documents write.
    let mut changes: HashMap<&str, Change> = HashMap::new();
    for (qualified, old) in &before {
        let told = match today.get(qualified) {
            Some(new) if new.signature == old.signature => None,
            // Of a name that several have, a document does not tell which it means.
            Some(new)
                if is_declared(old.kind)
                    && declared.get(old.name.as_str()) == Some(&1)
                    && !old.name.starts_with("__") =>
            {
                Some((Reason::Redeclared { from: old.signature.clone(), to: new.signature.clone() }, 0.5))
            }
            Some(_) => None,
            None if all_names.contains(&old.name) => None,
            None => Some(match successor(old, &before, &today) {
                Some(to) => (Reason::Renamed { to }, 1.0),
                None => (Reason::Removed, 0.9),
            }),
        };
        if let Some((reason, likelihood)) = told {
            let gone = matches!(reason, Reason::Removed | Reason::Renamed { .. });
            let shared = gone && is_used(snapshot, &old.name)?;
            changes.entry(&old.name).or_insert(Change { reason, likelihood, shared });
        }
    }
    let mut report = DriftReport::default();
    each_document(snapshot, within, |path, document, text| {
        report.sections += document.sections.len();
        if !speaks_of_the_past(path, &[]) && !is_of_tests(path) {
            look_for(path, document, text, &changes, &known, &moved, &mut report);
        }
    })?;
    finish(&mut report);
    Ok(report)
}

/// What became of a name.
struct Change {
    reason: Reason,
    likelihood: f32,
    /// Whether somebody else has something of that name, too.
    shared: bool,
}

/// Whether code uses a name that the project does not define: then it is somebody else's, and documents may mean that.
fn is_used(snapshot: &dyn Snapshot, name: &str) -> Result<bool> {
    for file in snapshot.users(name)? {
        if snapshot.references(file)?.iter().any(|reference| reference.name == name) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Adds what one document says of what changed.
fn look_for(
    path: &str,
    document: &Document,
    text: &str,
    changes: &HashMap<&str, Change>,
    known: &HashSet<String>,
    moved: &HashMap<String, Option<String>>,
    report: &mut DriftReport,
) {
    let spans = code_spans(document, text);
    for (line, number) in text.lines().zip(1..) {
        if says_it_is_gone(line) {
            continue;
        }
        for word in identifiers(line) {
            let Some(Change { reason, likelihood, shared }) = changes.get(word) else { continue };
            if word.len() < 3 || is_foreign(line, word, known) || *shared && !is_own(line, word, known) {
                continue;
            }
            // A plain word of a sentence is no name of code, unless it is marked as such.
            let marked = || {
                spans.iter().filter(|span| span.line == number).any(
                    |span| matches!(Named::new(span.text), Some(Named::Name { last, .. }) if last == word),
                )
            };
            if !is_telling(word, word) && !marked() {
                continue;
            }
            let said = at(path, document, number, word);
            if let Some(said) = said.filter(|said| !speaks_of_the_past("", &said.heading_path)) {
                report.names += 1;
                report.findings.push(finding(&said, reason.clone(), *likelihood));
            }
        }
    }
    for span in &spans {
        let Some(Named::File(file)) = Named::new(span.text) else { continue };
        let Some((_, to)) = moved.iter().find(|(old, _)| *old == file || old.ends_with(&format!("/{file}")))
        else {
            continue;
        };
        if let Some(said) =
            at(path, document, span.line, file).filter(|said| !speaks_of_the_past("", &said.heading_path))
        {
            let reason = to.clone().map_or(Reason::FileRemoved, |to| Reason::Moved { to });
            report.findings.push(finding(&said, reason, 0.9));
        }
    }
}

/// Whether `word` is said to be of something that the project does not have: `Context` of `other.Context`.
fn is_foreign(line: &str, word: &str, known: &HashSet<String>) -> bool {
    line.match_indices(word).all(|(at, _)| head(line, at).is_some_and(|head| !known.contains(head)))
}

/// Whether `word` is said to be of something that the project has: `Context` of `project.Context`.
fn is_own(line: &str, word: &str, known: &HashSet<String>) -> bool {
    line.match_indices(word).any(|(at, _)| head(line, at).is_some_and(|head| known.contains(head)))
}

/// What stands before a name, joined to it: `project` of `project.Context`.
fn head(line: &str, at: usize) -> Option<&str> {
    let before = line[..at].trim_end_matches(['.', ':']);
    identifiers(&line[..at]).last().filter(|head| before.len() < at && before.ends_with(head))
}

/// What a symbol that is gone is called now: new in the same container and of the same kind, with a like declaration.
fn successor(
    old: &Symbol,
    before: &BTreeMap<String, Symbol>,
    today: &HashMap<String, &Symbol>,
) -> Option<String> {
    let without = |symbol: &Symbol| symbol.signature.replace(&symbol.name, "");
    let new =
        today.iter().filter(|(qualified, _)| !before.contains_key(*qualified)).map(|(_, symbol)| *symbol);
    let alike = new.filter(|new| new.kind == old.kind && new.container == old.container).filter_map(|new| {
        let name = strsim::normalized_levenshtein(&old.name, &new.name);
        let rest = strsim::normalized_levenshtein(&without(old), &without(new));
        // A long declaration that is the same but for the name speaks for itself.
        let is_successor = (name > 0.5 && rest > 0.6) || (rest > 0.95 && without(old).len() > 20);
        is_successor.then_some((name + rest, new))
    });
    alike.max_by(|one, two| one.0.total_cmp(&two.0)).map(|(_, new)| new.name.clone())
}

fn is_declared(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method)
}

fn finding(said: &Said, reason: Reason, likelihood: f32) -> Finding {
    Finding {
        path: said.path.clone(),
        section: said.section.clone(),
        heading_path: said.heading_path.clone(),
        line: said.line,
        name: said.text.clone(),
        reason,
        near: Vec::new(),
        likelihood,
    }
}

/// One finding for each name of a section, the surest first.
fn finish(report: &mut DriftReport) {
    report.findings.sort_by(|a, b| {
        b.likelihood.total_cmp(&a.likelihood).then_with(|| (&a.path, a.line).cmp(&(&b.path, b.line)))
    });
    let mut seen = HashSet::new();
    report.findings.retain(|finding| seen.insert(finding.key()));
}

/// Names of today that look like those that are gone.
fn near_names(snapshot: &dyn Snapshot, findings: &mut [Finding]) -> Result<()> {
    for finding in findings {
        if let Some(Named::Name { last, .. }) = Named::new(&finding.name)
            && last.len() > 3
        {
            finding.near = crate::near::names(snapshot, last)?.into_iter().take(2).collect();
        }
    }
    Ok(())
}

/// What documents say in pieces of code, but for those that tell of the past.
fn said(snapshot: &dyn Snapshot, within: &Filter) -> Result<(Vec<Said>, usize)> {
    let mut all = Vec::new();
    let mut sections = 0;
    each_document(snapshot, within, |path, document, text| {
        sections += document.sections.len();
        if speaks_of_the_past(path, &[]) || is_of_tests(path) {
            return;
        }
        let lines: Vec<&str> = text.lines().collect();
        // What the document's own examples say is explained there, whoever defines it.
        let examples: HashSet<&str> =
            code_lines(document, text).into_iter().flat_map(|(_, line)| identifiers(line)).collect();
        for span in code_spans(document, text) {
            let around = (span.line as usize).saturating_sub(3)..(span.line as usize + 2).min(lines.len());
            if lines[around].iter().any(|line| says_it_is_gone(line)) {
                continue;
            }
            let (kind, head, last) = match Named::new(span.text) {
                Some(Named::Name { last, .. }) if examples.contains(last) => continue,
                // A single capitalised word is as often somebody else's.
                Some(Named::Name { head: None, last }) if !last.contains('_') && !has_humps(last) => continue,
                Some(Named::Name { head, last }) if is_telling(span.text, last) => {
                    (SaidKind::Name, head, last)
                }
                Some(Named::File(path)) => (SaidKind::File, None, path),
                Some(Named::Flag(flag)) => (SaidKind::Flag, None, flag),
                _ => continue,
            };
            let Some(said) = at(path, document, span.line, span.text) else { continue };
            if !speaks_of_the_past("", &said.heading_path) {
                all.push(Said { kind, head: head.map(str::to_owned), last: last.to_owned(), ..said });
            }
        }
    })?;
    Ok((all, sections))
}

fn at(path: &str, document: &Document, line: u32, text: &str) -> Option<Said> {
    let section = document.section_at(line)?;
    Some(Said {
        path: path.to_owned(),
        section: document.sections[section as usize].id.clone(),
        heading_path: document.heading_path(section),
        line,
        text: text.to_owned(),
        head: None,
        last: text.to_owned(),
        kind: SaidKind::Name,
    })
}

pub(crate) fn speaks_of_the_past(path: &str, titles: &[String]) -> bool {
    let text = format!("{path} {}", titles.join(" ")).to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).collect();
    OF_THE_PAST.iter().any(|mark| match mark.len() {
        // Short ones must be whole words: `adr` is no part of `address`.
        ..=4 => words.contains(mark),
        _ if mark.contains([' ', '/', '\'']) => text.contains(mark),
        _ => words.iter().any(|word| word.starts_with(mark)),
    })
}

pub(crate) fn says_it_is_gone(line: &str) -> bool {
    // What is marked as code is no word of the sentence.
    let lower: String = line.to_lowercase().split('`').step_by(2).collect();
    SAID_TO_BE_GONE.iter().any(|mark| lower.contains(mark))
}

/// What stands in the code, of what documents say.
struct Code {
    /// Words that stand in code.
    present: HashSet<String>,
    /// Types and modules with something in them.
    owners: HashSet<String>,
    /// Names of types.
    types: HashSet<String>,
    files: std::sync::Arc<Files>,
}

impl Code {
    fn new<'s>(snapshot: &dyn Snapshot, said: impl Iterator<Item = &'s Said>) -> Result<Self> {
        let mut wanted: HashSet<String> = HashSet::new();
        for said in said.filter(|said| said.kind != SaidKind::File) {
            wanted.extend(spellings(&said.last));
        }
        let files = snapshot.files();
        let (mut present, mut owners, mut types) = (HashSet::new(), HashSet::new(), HashSet::new());
        let mut heirs: HashSet<String> = HashSet::new();
        for record in files.iter().filter(|record| record.skip.is_none() && !is_document(&record.language)) {
            let text = snapshot.text(record.id)?.unwrap_or_default();
            for word in identifiers(&text) {
                if let Some(word) = wanted.take(word) {
                    present.insert(word);
                }
            }
            // Flags and keys with dashes stand in code as they are typed.
            present.extend(
                wanted.iter().filter(|word| word.contains('-') && text.contains(word.as_str())).cloned(),
            );
            for symbol in snapshot.defined(record.id)? {
                if let Some(owner) =
                    symbol.container.as_deref().and_then(|container| container.rsplit('.').next())
                {
                    owners.insert(owner.to_owned());
                }
                if symbol.name.starts_with(char::is_uppercase) {
                    types.insert(symbol.name.clone());
                }
                // Modules are opened again by whoever adds to them.
                if inherits(&symbol) || symbol.kind == SymbolKind::Module {
                    heirs.insert(symbol.name);
                }
            }
        }
        owners.retain(|owner| owner.starts_with(char::is_uppercase) && !heirs.contains(owner));
        Ok(Self { present, owners, types, files })
    }

    fn has(&self, project: &Project, said: &Said) -> bool {
        if said.kind == SaidKind::File {
            let path = &said.last;
            let ends = |known: &str| known == path || known.ends_with(&format!("/{path}"));
            return self.files.iter().any(|record| ends(&record.path)) || project.root.join(path).exists();
        }
        spellings(&said.last).iter().any(|spelling| self.present.contains(spelling))
    }

    /// Whether a name is said to be of a type that the project does not have.
    fn is_foreign(&self, said: &Said) -> bool {
        let head = said.head.as_deref().filter(|head| head.starts_with(char::is_uppercase));
        head.is_some_and(|head| !self.types.contains(head))
    }

    /// Whether it is a type of the project that has members and, as far as its declaration tells, none from elsewhere.
    fn owns(&self, head: &str) -> bool {
        self.owners.contains(head)
    }
}

/// Whether a name was taken out years before the newest commit. Of 22 projects, names that documents still say after so long were other
/// libraries' by now: eight of nine.
fn is_long_ago(removal: &Removal, newest: &str) -> bool {
    let year = |date: &str| date.get(..4).and_then(|year| year.parse::<i32>().ok()).unwrap_or_default();
    year(newest) - year(&removal.date) > YEARS
}

/// Whether a type may have members from elsewhere: it names what it is made of, or is brought in.
fn inherits(symbol: &Symbol) -> bool {
    let signature = symbol.signature.trim_end_matches([':', '{', ' ']);
    let marks = ["(", " extends ", " implements ", " < ", ":", " with "];
    !is_declared(symbol.kind) && marks.iter().any(|mark| signature.contains(mark))
}

/// Whether a document is there for tests, or somebody else's.
pub(crate) fn is_of_tests(path: &str) -> bool {
    const FOLDERS: &[&str] =
        &["fixtures", "node_modules", "test", "testdata", "tests", "third_party", "vendor"];
    path.split('/').any(|folder| FOLDERS.contains(&folder))
}

/// Whether a file is of the product itself: names of tests and examples come and go.
pub(crate) fn is_product(path: &str) -> bool {
    Role::of(path) == Role::Product
}

/// As a name may stand in code: a flag `no-update` also as `no_update` and `noUpdate`.
fn spellings(name: &str) -> Vec<String> {
    if !name.contains('-') {
        return vec![name.to_owned()];
    }
    let mut humps = String::new();
    for (at, part) in name.split('-').enumerate() {
        let mut letters = part.chars();
        match letters.next() {
            Some(first) if at > 0 => humps.extend(first.to_uppercase().chain(letters)),
            _ => humps.push_str(part),
        }
    }
    vec![name.to_owned(), name.replace('-', "_"), humps]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_the_past_may_name_what_is_gone() {
        assert!(speaks_of_the_past("CHANGELOG.md", &[]) && speaks_of_the_past("docs/releases/1.2.txt", &[]));
        assert!(speaks_of_the_past("docs/adr/0001.md", &[]) && !speaks_of_the_past("docs/address.md", &[]));
        assert!(speaks_of_the_past("docs/a.md", &["Migrating from 1.x".to_owned()]));
        assert!(
            says_it_is_gone("`old_name` was removed in 2.0") && !says_it_is_gone("`old_name` takes a path")
        );
    }

    #[test]
    fn flags_stand_in_code_in_several_spellings() {
        assert_eq!(spellings("no-update"), ["no-update", "no_update", "noUpdate"]);
    }
}
