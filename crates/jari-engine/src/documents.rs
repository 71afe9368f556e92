//! One file as a reader sees it: its outline, a section of it, its skeleton. Read from the working tree, so that no index
//! is needed and nothing is stale.

use std::path::{Component, Path};

use jari_base::{BlockKind, Document, Language, LineRange, Note, Section, Skip, Symbol};
use jari_source::Contents;
use jari_text::estimate_tokens;

use crate::near::Near;
use crate::{Error, Project, Result};

/// Longest first sentence of a section that a skeleton shows, in characters.
const SENTENCE: usize = 160;

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Relative to the root.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// Its text.
    pub text: String,
    /// What could not be read as it should.
    pub notes: Vec<Note>,
    /// Its sections and links, where it is a document.
    document: Option<Document>,
}

impl Page {
    /// Reads the file at `path`, relative to the root of the project.
    pub fn open(project: &Project, path: &str) -> Result<Self> {
        let text = match read_inside(project, path)? {
            Contents::Text { text, .. } => text,
            Contents::Skipped(reason) => return Err(Error::NotReadable { path: path.to_owned(), reason }),
        };
        let language = jari_chunk::language_of(path, &text);
        let (document, notes) = jari_chunk::document(&language, &text).unzip();
        Ok(Self { path: path.to_owned(), language, text, document, notes: notes.unwrap_or_default() })
    }

    /// Its sections and links; an error where it is no document.
    pub fn document(&self) -> Result<&Document> {
        self.document
            .as_ref()
            .ok_or_else(|| Error::NotADocument { path: self.path.clone(), language: self.language.clone() })
    }

    /// Whether it was read by a tolerant parser because the strict one refused it.
    pub fn is_degraded(&self) -> bool {
        self.notes.contains(&Note::ParserFallback)
    }
}

/// Secrets are not read, and nothing outside the root is: not even whether it exists is told.
fn read_inside(project: &Project, path: &str) -> Result<Contents> {
    let missing = |near| Error::NoSuchFile { path: path.to_owned(), near };
    let root = project.root.canonicalize().map_err(|_| missing(Vec::new()))?;
    let outside = || Error::Outside(path.to_owned());
    let real = match project.root.join(path).canonicalize() {
        Ok(real) if real.starts_with(&root) => real,
        Ok(_) => return Err(outside()),
        Err(_) if climbs(path) => return Err(outside()),
        Err(_) => return Err(missing(beside(&root, path))),
    };
    if real.is_dir() {
        return Err(Error::IsAFolder(path.to_owned()));
    }
    let inside = real.strip_prefix(&root).map(|inside| inside.to_string_lossy().into_owned());
    // What a machine wrote is shown to those who name it; secrets and binaries are not.
    match jari_source::skip_by_path(&inside.unwrap_or_default()) {
        Some(reason @ (Skip::Secret | Skip::Binary)) => Ok(Contents::Skipped(reason)),
        _ => Ok(jari_source::read(&real, &project.limits)),
    }
}

/// Whether a path could lead out of the root without any link.
fn climbs(path: &str) -> bool {
    let path = Path::new(path);
    path.is_absolute() || path.components().any(|part| part == Component::ParentDir)
}

/// Files in the same folder whose names look like that of `path`.
fn beside(root: &Path, path: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let mut near = Near::new(name);
    // A link may lead the folder out of the root.
    let real = root.join(folder).canonicalize().ok().filter(|real| real.starts_with(root));
    for entry in real.and_then(|real| std::fs::read_dir(real).ok()).into_iter().flatten().flatten() {
        near.offer(&entry.file_name().to_string_lossy());
    }
    let full = |name: String| if folder.is_empty() { name } else { format!("{folder}/{name}") };
    near.names().into_iter().map(full).collect()
}

/// A line of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The section.
    pub section: Section,
    /// The titles from the outermost section to it.
    pub heading_path: Vec<String>,
    /// Tokens of its own text, by estimate.
    pub tokens: usize,
}

/// The outline of a document, down to headings of level `depth`.
pub fn toc(page: &Page, depth: u8) -> Result<Vec<Entry>> {
    let document = page.document()?;
    let shown =
        document.sections.iter().enumerate().filter(|(_, section)| (1..=depth).contains(&section.level));
    Ok(shown.map(|(at, _)| entry(page, document, at)).collect())
}

fn entry(page: &Page, document: &Document, at: usize) -> Entry {
    let section = document.sections[at].clone();
    let tokens = estimate_tokens(&page.text[section.bytes.clone()]);
    Entry { heading_path: document.heading_path(at as u32), tokens, section }
}

/// Which section is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// By titles: the last is its own, those before are of sections around it.
    Headings(Vec<String>),
    /// By its id, as an answer gave it.
    Id(String),
    /// By what a link to it says after `#`.
    Anchor(String),
}

impl std::fmt::Display for Which {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Headings(titles) => f.write_str(&titles.join(" › ")),
            Self::Id(id) => f.write_str(id),
            Self::Anchor(anchor) => write!(f, "#{anchor}"),
        }
    }
}

/// A section with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionText {
    /// Which one.
    pub entry: Entry,
    /// The lines of `text`.
    pub lines: LineRange,
    /// As a reader sees it, or as written.
    pub text: String,
    /// What the reader should know: it was found under another path, or there are more of that name.
    pub note: Option<String>,
}

/// What came of looking for a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// There it is.
    Section(Box<SectionText>),
    /// There is none; these are near.
    Nothing {
        /// The nearest, best first.
        near: Vec<Entry>,
        /// How many sections there are.
        sections: usize,
    },
}

/// How much of a section is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Its subsections too.
    pub with_subsections: bool,
    /// The source as written, instead of what a reader sees.
    pub raw: bool,
}

/// Finds a section. A title that is not there is never replaced by one that looks like it; a section that moved is found
/// under its new path, and the note says so.
pub fn section(page: &Page, which: &Which, extent: Extent) -> Result<Found> {
    let document = page.document()?;
    let matches = |test: &dyn Fn(u32) -> bool| -> Vec<u32> {
        (0..document.sections.len() as u32).filter(|at| test(*at)).collect()
    };
    let of = |at: u32| &document.sections[at as usize];
    let exact = match which {
        Which::Headings(titles) => {
            let found = matches(&|at| is_at(&document.heading_path(at), titles));
            // What a link says after `#` is taken for a title, too.
            let anchor = titles.last().map(|title| title.trim().trim_start_matches('#')).unwrap_or_default();
            match found.is_empty() && titles.len() == 1 {
                true => matches(&|at| of(at).level > 0 && of(at).anchor.eq_ignore_ascii_case(anchor)),
                false => found,
            }
        }
        Which::Id(id) => matches(&|at| of(at).id == *id),
        Which::Anchor(anchor) => matches(&|at| of(at).anchor.eq_ignore_ascii_case(anchor)),
    };
    if let Some(first) = exact.first() {
        let others: Vec<String> =
            exact[1..].iter().map(|at| format!("line {}", of(*at).lines.start)).collect();
        let note = (!others.is_empty()).then(|| format!("more of that name: {}", others.join(", ")));
        return Ok(text_of(page, document, *first, extent, note));
    }
    if let Some(moved) = moved(document, which) {
        let path = document.heading_path(moved).join(" › ");
        let note = format!("no section is at `{which}` any more; the nearest is `{path}`");
        return Ok(text_of(page, document, moved, extent, Some(note)));
    }
    let sections = document.sections.iter().filter(|section| section.level > 0).count();
    Ok(Found::Nothing { near: near(page, document, which), sections })
}

fn text_of(page: &Page, document: &Document, at: u32, extent: Extent, note: Option<String>) -> Found {
    let entry = entry(page, document, at as usize);
    let lines = if extent.with_subsections { entry.section.whole } else { entry.section.lines };
    let text = match extent.raw {
        true => lines.slice(&page.text).to_owned(),
        false => lines.slice(&jari_chunk::prose(&page.language, &page.text)).to_owned(),
    };
    Found::Section(Box::new(SectionText { entry, lines, text, note }))
}

/// Whether `path` ends in the last of `titles` and has the others above it, in order.
fn is_at(path: &[String], titles: &[String]) -> bool {
    let (Some((last, above)), Some((wanted, around))) = (path.split_last(), titles.split_last()) else {
        return false;
    };
    if folded(last) != folded(wanted) {
        return false;
    }
    let mut above = above.iter();
    around.iter().all(|title| above.any(|here| folded(here) == folded(title)))
}

/// Titles compare without case, marks of headings and the width of spaces.
fn folded(title: &str) -> String {
    let bare = title.trim().trim_start_matches('#');
    bare.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The section that has the same title elsewhere; of several, the one with most of the same titles above it.
fn moved(document: &Document, which: &Which) -> Option<u32> {
    let (titles, slugs): (Vec<String>, bool) = match which {
        Which::Headings(titles) if titles.len() > 1 => {
            (titles.iter().map(|title| folded(title)).collect(), false)
        }
        Which::Id(id) if id.contains('/') => (id.split('/').map(without_ordinal).collect(), true),
        _ => return None,
    };
    let (own, above) = titles.split_last()?;
    let steps = |at: u32| -> Vec<String> {
        match slugs {
            true => document.sections[at as usize].id.split('/').map(without_ordinal).collect(),
            false => document.heading_path(at).iter().map(|title| folded(title)).collect(),
        }
    };
    let shared = |at: &u32| steps(*at).iter().filter(|step| above.contains(step)).count();
    let same = (0..document.sections.len() as u32).filter(|at| steps(*at).last() == Some(own));
    // Of equal ones the first.
    same.rev().max_by_key(shared).or_else(|| {
        // An id whose section is gone leads to the nearest section around it that is still there.
        let mut id = match which {
            Which::Id(id) => id.as_str(),
            Which::Headings(_) | Which::Anchor(_) => return None,
        };
        while let Some((above, _)) = id.rsplit_once('/') {
            if let Some(at) = document.sections.iter().position(|section| section.id == above) {
                return Some(at as u32);
            }
            id = above;
        }
        None
    })
}

fn without_ordinal(slug: &str) -> String {
    slug.split('~').next().unwrap_or(slug).to_owned()
}

/// The three to five sections whose titles are nearest.
fn near(page: &Page, document: &Document, which: &Which) -> Vec<Entry> {
    let wanted = match which {
        Which::Headings(titles) => titles.last().map(|title| folded(title)).unwrap_or_default(),
        Which::Id(id) => without_ordinal(id.rsplit('/').next().unwrap_or(id)).replace('-', " "),
        Which::Anchor(anchor) => anchor.replace('-', " ").to_lowercase(),
    };
    let words: Vec<&str> = wanted.split(' ').collect();
    let mut nears: Vec<(usize, usize)> = document
        .sections
        .iter()
        .enumerate()
        .filter(|(_, section)| section.level > 0)
        .map(|(at, section)| {
            let title = folded(&section.title);
            // A title that holds the wanted words is nearer than its length says.
            let held: usize =
                words.iter().filter(|word| title.contains(**word)).map(|word| word.chars().count()).sum();
            let distance = strsim::osa_distance(&wanted, &title);
            (if held * 2 > wanted.chars().count() { distance / 8 } else { distance }, at)
        })
        .collect();
    nears.sort_unstable();
    let mut offered = Vec::new();
    nears.retain(|(_, at)| {
        let path = document.heading_path(*at as u32);
        let new = !offered.contains(&path);
        offered.push(path);
        new
    });
    nears.truncate(5);
    // Beyond three, only what is really near.
    let near_enough = wanted.chars().count() / 2;
    let kept = nears.iter().enumerate().filter(|(rank, (distance, _))| *rank < 3 || *distance <= near_enough);
    kept.map(|(_, (_, at))| entry(page, document, *at)).collect()
}

/// A file without its bodies.
#[derive(Debug, Clone, PartialEq)]
pub enum Skeleton {
    /// Sections.
    Document {
        /// What the document calls itself.
        title: Option<String>,
        /// In order.
        sections: Vec<Bone>,
    },
    /// Definitions, with their signatures and docs.
    Code(Vec<Symbol>),
}

/// A section of a skeleton.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bone {
    /// Which one.
    pub entry: Entry,
    /// How it begins.
    pub first_sentence: Option<String>,
    /// Links and images in its own text.
    pub links: usize,
    /// Blocks of code in its own text.
    pub code_blocks: usize,
}

/// A file without its bodies: of documents the outline with how each section begins, of code signatures and docs.
pub fn skeleton(project: &Project, page: &Page) -> Skeleton {
    let Some(document) = &page.document else {
        return Skeleton::Code(jari_chunk::chunk(&page.language, &page.text, &project.documents).symbols);
    };
    let prose = jari_chunk::prose(&page.language, &page.text);
    let bone = |at: usize| {
        let entry = entry(page, document, at);
        let lines = entry.section.lines;
        let holds = |line: u32| lines.contains(line);
        Bone {
            first_sentence: first_sentence(document, lines, &prose),
            links: document.links.iter().filter(|link| holds(link.line)).count(),
            code_blocks: document
                .blocks
                .iter()
                .filter(|block| block.kind == BlockKind::Code && holds(block.lines.start))
                .count(),
            entry,
        }
    };
    let sections = (0..document.sections.len()).map(bone).collect();
    Skeleton::Document { title: document.title.clone(), sections }
}

/// The first sentence of the first paragraph inside `lines`.
fn first_sentence(document: &Document, lines: LineRange, prose: &str) -> Option<String> {
    let at = document.blocks.partition_point(|block| block.lines.start < lines.start);
    let inside = document.blocks[at..].iter().take_while(|block| block.lines.end <= lines.end);
    let said = inside
        .filter(|block| block.kind == BlockKind::Paragraph)
        .map(|block| block.lines.slice(prose).split_whitespace().collect::<Vec<_>>().join(" "))
        .find(|said| said.chars().any(char::is_alphanumeric))?;
    let ends = said.char_indices().find(|(at, c)| {
        ".!?。".contains(*c)
            && said[at + c.len_utf8()..].chars().next().is_none_or(|next| next == ' ' || *c == '。')
    });
    let sentence = ends.map_or(said.as_str(), |(at, c)| &said[..at + c.len_utf8()]);
    match sentence.char_indices().nth(SENTENCE) {
        Some((cut, _)) => Some(format!("{}…", sentence[..cut].trim_end())),
        None => Some(sentence.to_owned()),
    }
}
