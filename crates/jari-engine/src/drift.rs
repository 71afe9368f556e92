//! Sections that speak of what is no longer there. A false alarm costs trust, so a name is reported only with a reason to believe that it was
//! once right, or that another was meant.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use jari_base::{Document, Filter, Symbol, SymbolKind};
use jari_chunk::{code_spans, is_document};
use jari_rank::Role;
use jari_source::{Gone, Removal, identifiers};
use jari_store::{Files, Snapshot};

use crate::mentions::{Named, code_lines, each_document, has_humps, is_telling};
use crate::{Project, Result};

mod call;
mod examples;
mod since;

pub use call::Refusal;
pub use since::drift_since;

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
    "pep",
    "peps",
    "proposal",
    "release",
    "releases",
    "rfc",
    "rfcs",
    "roadmap",
    "sep",
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
    "it used to",
    "that used to",
    "this used to",
    "which used to",
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
    /// An example calls it with what it does not take.
    Uncallable {
        /// Why it cannot be called so.
        refusal: Refusal,
        /// As it is declared.
        signature: String,
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
            Self::Uncallable { refusal, signature } => write!(f, "{refusal}: `{signature}`"),
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
    let Spoken { said, calls, sections } = spoken(snapshot, within)?;
    let code = Code::new(snapshot, said.iter())?;
    let mut report = DriftReport { sections, names: said.len() + calls.len(), ..DriftReport::default() };
    report.findings = examples::findings(snapshot, &calls)?;
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
            if let Some(date) = &gone.until {
                report.notes.push(format!(
                    "the history is long: what commits before {date} took out was not looked at"
                ));
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
    for finding in findings.iter_mut().filter(|finding| !matches!(finding.reason, Reason::Uncallable { .. }))
    {
        if let Some(Named::Name { last, .. }) = Named::new(&finding.name)
            && last.len() > 3
        {
            finding.near = crate::near::names(snapshot, last)?.into_iter().take(2).collect();
        }
    }
    Ok(())
}

/// What documents say in pieces of code, but for those that tell of the past.
#[derive(Default)]
struct Spoken {
    said: Vec<Said>,
    calls: Vec<examples::Call>,
    sections: usize,
}

fn spoken(snapshot: &dyn Snapshot, within: &Filter) -> Result<Spoken> {
    let mut all = Spoken::default();
    each_document(snapshot, within, |path, document, text| {
        all.sections += document.sections.len();
        if speaks_of_the_past(path, &[]) || is_of_tests(path) {
            return;
        }
        all.calls.extend(examples::calls(path, document, text));
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
                all.said.push(Said { kind, head: head.map(str::to_owned), last: last.to_owned(), ..said });
            }
        }
    })?;
    Ok(all)
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
        let files = snapshot.files()?;
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
