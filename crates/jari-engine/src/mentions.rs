//! Documents and the code they speak of, both ways.

use std::collections::BTreeSet;

use jari_base::{BlockKind, Document, FileId, Filter, LineRange};
use jari_chunk::code_spans;
use jari_source::identifiers;
use jari_store::{PathFilter, Snapshot, StoredSymbol};

use crate::links::Graph;
use crate::{Error, Project, Result};

/// Definitions that are shown of one name.
const DEFINITIONS: usize = 3;

/// Definitions of one name that are looked at for those.
const LOOKED_AT: usize = 50;

/// How a section speaks of code, most deliberate first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// As a piece of code in running text.
    Span,
    /// By a link.
    Link,
    /// In an example.
    Example,
}

/// A section that speaks of some code.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// The document.
    pub path: String,
    /// The section's id, without the path.
    pub section: String,
    /// The titles from the outermost section to it.
    pub heading_path: Vec<String>,
    /// Its own lines.
    pub lines: LineRange,
    /// The first line that speaks of it.
    pub line: u32,
    /// How it does.
    pub how: How,
    /// How many lines do.
    pub count: usize,
}

/// Code that a section speaks of.
#[derive(Debug, Clone, PartialEq)]
pub struct Spoken {
    /// As written.
    pub text: String,
    /// The first line that says it.
    pub line: u32,
    /// What of the project it is: definitions, or a file.
    pub places: Vec<(String, LineRange)>,
}

/// What a piece of code in running text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named<'t> {
    /// `take`, `Pool.take()`: what stands before the name, and the name.
    Name { head: Option<&'t str>, last: &'t str },
    /// `src/pool.rs`
    File(&'t str),
    /// `--verbose`
    Flag(&'t str),
}

impl<'t> Named<'t> {
    /// What `text` names; `None` for whatever is no single name: commands, values, sentences.
    pub(crate) fn new(text: &'t str) -> Option<Self> {
        let text = text.trim_start_matches(['~', '!', '@', '&', '$', '.']);
        if let Some(flag) = text.strip_prefix("--") {
            let flag = flag.split(['=', ' ']).next().unwrap_or(flag);
            let plain = flag.len() > 2 && flag.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            return plain.then_some(Self::Flag(flag));
        }
        if text.contains(char::is_whitespace) {
            // `take(patience, size)` is a call; anything else with blanks is no name.
            let call = text.find('(').filter(|open| text.ends_with(')') && !text[..*open].contains(' '));
            return call.and_then(|open| Self::new(&text[..open]));
        }
        if is_file(text) {
            return Some(Self::File(text.trim_start_matches("./")));
        }
        let text = text.find(['(', '<']).map_or(text, |open| &text[..open]);
        let last = text.rsplit([':', '.', '#', '/']).next()?;
        let plain = |part: &str| {
            part.chars().all(|c| c.is_alphanumeric() || c == '_')
                && !part.starts_with(|c: char| c.is_ascii_digit())
        };
        let head = text[..text.len() - last.len()].trim_end_matches([':', '.', '#', '/']);
        let mut parts = head.split([':', '.', '#']).filter(|part| !part.is_empty());
        let good = !last.is_empty() && plain(last) && parts.clone().all(plain);
        good.then(|| Self::Name { head: parts.next_back(), last })
    }
}

/// Whether `text` looks like the path of a file: a name with an ending, below a folder or known to be one of code.
fn is_file(text: &str) -> bool {
    let Some((stem, ending)) = text.rsplit_once('.') else { return false };
    let plain = text.chars().all(|c| c.is_alphanumeric() || "_-./".contains(c));
    let short = (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric());
    plain
        && short
        && stem.contains('/')
        && !text.starts_with('/')
        && !text.contains("..")
        && !text.contains("//")
}

/// The sections that speak of a name or of a file, the most deliberate first; of documents that `within` lets through.
pub fn mentions(
    project: &Project,
    snapshot: &dyn Snapshot,
    wanted: &str,
    within: &Filter,
) -> Result<Vec<Mention>> {
    if !wanted.chars().any(char::is_alphanumeric) {
        return Err(Error::EmptyName);
    }
    let mut found = if snapshot.files()?.at(wanted).is_some() || is_file(wanted) {
        of_file(project, snapshot, wanted, within)?
    } else {
        of_name(snapshot, wanted, within)?
    };
    found.sort_by(|a, b| (a.how, &a.path, a.line).cmp(&(b.how, &b.path, b.line)));
    Ok(found)
}

fn of_name(snapshot: &dyn Snapshot, wanted: &str, within: &Filter) -> Result<Vec<Mention>> {
    let wanted = wanted.trim_end_matches("()");
    let last = wanted.rsplit([':', '.', '#']).next().unwrap_or(wanted);
    let head =
        wanted[..wanted.len() - last.len()].trim_end_matches([':', '.', '#']).rsplit([':', '.', '#']).next();
    let head = head.filter(|head| !head.is_empty());
    let mut found = Vec::new();
    each_document(snapshot, within, |path, document, text| {
        if !text.contains(last) {
            return;
        }
        let mut sections = Sections::new(path, document);
        for span in code_spans(document, text) {
            let names = match Named::new(span.text) {
                Some(Named::Name { head: said, last: name }) => {
                    name == last && (head.is_none() || said.is_none() || said == head)
                }
                _ => false,
            };
            if names {
                sections.add(span.line, How::Span);
            }
        }
        for (number, line) in code_lines(document, text) {
            if identifiers(line).any(|word| word == last) {
                sections.add(number, How::Example);
            }
        }
        found.extend(sections.found);
    })?;
    Ok(found)
}

fn of_file(
    project: &Project,
    snapshot: &dyn Snapshot,
    wanted: &str,
    within: &Filter,
) -> Result<Vec<Mention>> {
    let graph = Graph::new(project, snapshot)?;
    let links = graph.back(wanted, None);
    let mut found = Vec::new();
    each_document(snapshot, within, |path, document, text| {
        let mut sections = Sections::new(path, document);
        for span in code_spans(document, text) {
            // `pool.rs` alone may be any; the end of the path must be whole steps.
            let said = span.text.trim_start_matches("./");
            let whole = |rest: &str| rest.is_empty() || rest.ends_with('/');
            if !said.is_empty() && wanted.strip_suffix(said).is_some_and(whole) {
                sections.add(span.line, How::Span);
            }
        }
        for edge in links.iter().filter(|edge| edge.from == path) {
            sections.add(edge.link.line, How::Link);
        }
        found.extend(sections.found);
    })?;
    Ok(found)
}

/// The code that a document speaks of, or the section that `anchor` names: names that the project defines, and files that it has.
pub fn spoken_of(snapshot: &dyn Snapshot, path: &str, anchor: Option<&str>) -> Result<Vec<Spoken>> {
    let files = snapshot.files()?;
    let missing = || Error::NoSuchPath { path: path.to_owned(), near: Vec::new() };
    let record = files.at(path).ok_or_else(missing)?;
    let document = snapshot.chunked(record.id)?.and_then(|chunked| chunked.document);
    let Some(document) = document else {
        return Err(Error::NotADocument { path: path.to_owned(), language: record.language.clone() });
    };
    let text = snapshot.text(record.id)?.unwrap_or_default();
    let section = match anchor {
        None => None,
        Some(anchor) => {
            let section =
                document.sections.iter().find(|section| section.anchor == anchor || section.id == anchor);
            Some(section.map(|section| section.whole).ok_or_else(|| {
                Error::NoSuchPath {
                    path: format!("{path}#{anchor}"),
                    near: document
                        .sections
                        .iter()
                        .take(5)
                        .map(|section| format!("{path}#{}", section.anchor))
                        .collect(),
                }
            })?)
        }
    };
    let mut seen = BTreeSet::new();
    let mut spoken = Vec::new();
    for span in code_spans(&document, &text) {
        if section.is_some_and(|lines| !lines.contains(span.line)) || !seen.insert(span.text) {
            continue;
        }
        let places = match Named::new(span.text) {
            Some(Named::File(path)) => {
                let record = files
                    .iter()
                    .find(|record| record.path == path || record.path.ends_with(&format!("/{path}")));
                record.map(|record| (record.path.clone(), LineRange::new(1, 1))).into_iter().collect()
            }
            Some(Named::Name { head, last }) if last.len() > 2 => defined(snapshot, head, last)?
                .into_iter()
                .filter_map(|found| Some((files.get(found.file)?.path.clone(), found.symbol.lines)))
                .collect(),
            _ => Vec::new(),
        };
        if !places.is_empty() {
            spoken.push(Spoken { text: span.text.to_owned(), line: span.line, places });
        }
    }
    Ok(spoken)
}

/// Whether a name in running text is likely to be one of code: `get` and `GET` may be words, `get_all`, `getAll`, `Pool.get` and `get()`
/// are not.
pub(crate) fn is_telling(text: &str, last: &str) -> bool {
    last.len() > 2
        && (text.len() > last.len()
            || has_humps(last)
            || last.trim_matches('_').contains('_')
            || (last.starts_with(char::is_uppercase) && last.chars().any(char::is_lowercase)))
}

/// `takeAll` and `ConnectionPool`.
pub(crate) fn has_humps(name: &str) -> bool {
    name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase)
}

/// Definitions of a name, of the container that stands before it where that is one.
fn defined(snapshot: &dyn Snapshot, head: Option<&str>, last: &str) -> Result<Vec<StoredSymbol>> {
    let mut found = crate::symbols::named(snapshot, last, LOOKED_AT)?;
    found.retain(|found| found.symbol.name == last);
    if let Some(head) = head {
        let of_head = |found: &StoredSymbol| {
            let container = found.symbol.container.as_deref();
            container.is_some_and(|container| container.rsplit('.').next() == Some(head))
        };
        if found.iter().any(of_head) {
            found.retain(of_head);
        }
    }
    found.truncate(DEFINITIONS);
    Ok(found)
}

/// Lines of examples, with their numbers.
pub(crate) fn code_lines<'t>(document: &Document, text: &'t str) -> Vec<(u32, &'t str)> {
    let lines: Vec<&str> = text.lines().collect();
    let code = document.blocks.iter().filter(|block| block.kind == BlockKind::Code);
    code.flat_map(|block| block.lines.start..=block.lines.end)
        .filter_map(|number| Some((number, *lines.get(number as usize - 1)?)))
        .collect()
}

/// Calls `visit` with every document that `within` lets through, and its text.
pub(crate) fn each_document(
    snapshot: &dyn Snapshot,
    within: &Filter,
    mut visit: impl FnMut(&str, &Document, &str),
) -> Result<()> {
    let files = snapshot.files()?;
    let filter = PathFilter::new(within)
        .map_err(|error| Error::BadFilter(format!("the path filter cannot be read: {error}")))?;
    let mut documents: Vec<(FileId, Document)> = Vec::new();
    snapshot.documents(&mut |file, document| documents.push((file, document)))?;
    for (file, document) in documents {
        let Some(record) = files.get(file).filter(|record| filter.allows(record)) else { continue };
        if let Some(text) = snapshot.text(file)? {
            visit(&record.path, &document, &text);
        }
    }
    Ok(())
}

/// The sections of one document that were found.
struct Sections<'d> {
    path: &'d str,
    document: &'d Document,
    found: Vec<Mention>,
}

impl<'d> Sections<'d> {
    fn new(path: &'d str, document: &'d Document) -> Self {
        Self { path, document, found: Vec::new() }
    }

    fn add(&mut self, line: u32, how: How) {
        let Some(at) = self.document.section_at(line) else { return };
        let section = &self.document.sections[at as usize];
        if let Some(known) = self.found.iter_mut().find(|mention| mention.section == section.id) {
            known.count += 1;
            if (how, line) < (known.how, known.line) {
                (known.how, known.line) = (how, line);
            }
            return;
        }
        self.found.push(Mention {
            path: self.path.to_owned(),
            section: section.id.clone(),
            heading_path: self.document.heading_path(at),
            lines: section.lines,
            line,
            how,
            count: 1,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_name_names_files_and_flags() {
        let name = |head, last| Some(Named::Name { head, last });
        assert_eq!(Named::new("take"), name(None, "take"));
        assert_eq!(Named::new("pool::Pool::take()"), name(Some("Pool"), "take"));
        assert_eq!(Named::new("~shop.db.models.Model"), name(Some("models"), "Model"));
        assert_eq!(Named::new("take(patience, size=2)"), name(None, "take"));
        assert_eq!(Named::new("Vec<String>"), name(None, "Vec"));
        assert_eq!(Named::new("src/pool.rs"), Some(Named::File("src/pool.rs")));
        assert_eq!(Named::new("--no-update"), Some(Named::Flag("no-update")));
        for text in [
            "cargo build --release",
            "a + b",
            "200",
            "*.rs",
            "https://a.example/b.html",
            "key: value",
            "-k",
            "\"text\"",
        ] {
            assert_eq!(Named::new(text), None, "{text}");
        }
    }
}
