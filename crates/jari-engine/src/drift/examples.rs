//! Calls in examples that the definition they name does not take. What somebody else may define, what inherits or is decorated, and
//! what an example shows as wrong is left alone.

use std::collections::{HashMap, HashSet};

use jari_base::{
    Block, BlockKind, Chunked, Document, Language, Reference, ReferenceKind, Symbol, SymbolKind,
};
use jari_chunk::{DocumentOptions, language_of, languages};
use jari_store::{Snapshot, StoredSymbol};

use super::call::{Family, Given, Refusal, Taken};
use super::{Finding, Reason, Said, at, finding, is_product, says_it_is_gone, speaks_of_the_past};
use crate::Result;

/// Definitions of one name that are looked at; of a name that more have, nothing is said.
const DEFINITIONS: usize = 30;

/// Words by which an example, or what stands above it, shows what not to do.
const SHOWN_AS_WRONG: &[&str] = &[
    "error",
    "wrong",
    "invalid",
    "incorrect",
    "don't",
    "do not",
    "avoid",
    "bad ",
    "fail",
    "raise",
    "throw",
    "before",
    "❌",
    "✗",
    "오류",
    "잘못",
    "금지",
];

/// Words by which a section is about what is gone, however far above an example they stand.
const ABOUT_THE_PAST: &[&str] = &["deprecated", "no longer", "removed", "더 이상", "삭제", "제거"];

/// Lines above an example that may say what it shows.
const ABOVE: usize = 3;

/// A call in an example.
pub(super) struct Call {
    name: String,
    /// The type or module that it is called on.
    owner: Option<String>,
    /// Whether it is called on the type itself, not on something of that type.
    through_type: bool,
    /// The module that name or owner is brought in from.
    from: Option<String>,
    family: Family,
    given: Given,
    said: Said,
}

/// The calls in a document's examples that may be of the project.
pub(super) fn calls(path: &str, document: &Document, text: &str) -> Vec<Call> {
    let lines: Vec<&str> = text.lines().collect();
    let blocks = document.blocks.iter().filter(|block| block.kind == BlockKind::Code);
    let examples: Vec<Example> = blocks.filter_map(|block| Example::new(path, block, &lines)).collect();
    let mut around = Around::default();
    examples.iter().for_each(|example| around.add(&example.read));
    let good = examples.iter().filter(|example| !example.is_shown_as_wrong(document, &lines));
    let mut calls = Vec::new();
    for example in good {
        for reference in &example.read.references {
            calls.extend(example.call(reference, &around, path, document));
        }
    }
    calls
}

/// What a document's examples define and bring in: one of them may use what another has.
#[derive(Default)]
struct Around {
    defined: HashSet<String>,
    /// From where, by the name here.
    brought: HashMap<String, String>,
}

impl Around {
    fn add(&mut self, read: &Chunked) {
        self.defined.extend(read.symbols.iter().map(|symbol| symbol.name.clone()));
        let imports = read.references.iter().filter(|reference| reference.kind == ReferenceKind::Import);
        self.brought.extend(
            imports.filter_map(|import| Some((import.local_name().to_owned(), import.qualifier.clone()?))),
        );
    }
}

/// A block of code.
struct Example {
    family: Family,
    /// Its first line in the document, which is that of `code`.
    first: u32,
    /// Without what is around it: fences, prompts, indentation.
    code: String,
    read: Chunked,
}

impl Example {
    fn new(path: &str, block: &Block, lines: &[&str]) -> Option<Self> {
        let language = match &block.language {
            Some(tag) => tagged(tag),
            // As Sphinx takes it.
            None if path.ends_with(".rst") || path.ends_with(".txt") => Language::named("python"),
            None => return None,
        };
        let family = Family::of(language.as_str())?;
        let inner = lines.get(block.lines.start as usize - 1..block.lines.end as usize)?;
        let code = plain(inner);
        let read = jari_chunk::chunk(&language, &code, &DocumentOptions::default());
        Some(Self { family, first: block.lines.start, code, read })
    }

    /// Whether it is there to show what goes wrong, or how it was.
    fn is_shown_as_wrong(&self, document: &Document, lines: &[&str]) -> bool {
        let first = self.first as usize;
        let section = document.section_at(self.first).map(|at| document.sections[at as usize].lines);
        let begins = section.map_or(first, |lines| lines.start as usize);
        let above = &lines[first.saturating_sub(ABOVE + 1)..first];
        let comments = self.code.lines().filter(|line| line.contains("//") || line.contains('#'));
        let warns = |line: &str| {
            let lower = line.to_lowercase();
            SHOWN_AS_WRONG.iter().any(|mark| lower.contains(mark)) || says_it_is_gone(line)
        };
        let is_past = |line: &&str| ABOUT_THE_PAST.iter().any(|mark| line.to_lowercase().contains(mark));
        above.iter().copied().chain(comments).any(warns)
            || lines[begins.min(first) - 1..first].iter().any(is_past)
    }

    /// The call, if it tells what it calls and with what.
    fn call(&self, reference: &Reference, around: &Around, path: &str, document: &Document) -> Option<Call> {
        let name = reference.name.as_str();
        let known = |name: &str| around.defined.contains(name);
        if reference.kind != ReferenceKind::Call || known(name) {
            return None;
        }
        let owner = match (&reference.receiver, &reference.qualifier) {
            (Some(kind), _) => Some(kind.as_str()),
            (None, Some(qualifier)) => qualifier.rsplit([':', '.']).next(),
            (None, None) => None,
        };
        if owner.is_some_and(|owner| known(owner) || !owner.chars().all(|c| c.is_alphanumeric() || c == '_'))
        {
            return None;
        }
        let below = from_line(&self.code, reference.line);
        let line = below.lines().next()?;
        // Running text that stands among examples.
        if line.contains("``") {
            return None;
        }
        let given = Given::of(self.family, name, line, below)?;
        let said = at(path, document, self.first + reference.line - 1, name)?;
        if speaks_of_the_past("", &said.heading_path) {
            return None;
        }
        let from = around.brought.get(owner.unwrap_or(name)).cloned();
        let called_on =
            reference.qualifier.as_deref().and_then(|qualifier| qualifier.rsplit([':', '.']).next());
        let through_type = owner.is_some() && called_on == owner;
        let owner = owner.map(str::to_owned);
        Some(Call { name: name.to_owned(), owner, through_type, from, family: self.family, given, said })
    }
}

/// The language that a fence names, by its name or by an ending of its files.
fn tagged(tag: &str) -> Language {
    let tag = tag.to_ascii_lowercase();
    match languages().into_iter().find(|name| *name == tag) {
        Some(name) => Language::named(name),
        None if tag == "pycon" => Language::named("python"),
        None => language_of(&format!("example.{tag}"), ""),
    }
}

/// The code of a block, on the same lines: without fences, the indentation of all, and prompts.
fn plain(lines: &[&str]) -> String {
    let is_mark = |line: &str| {
        ["```", "~~~", "----", "....", ".. "].iter().any(|mark| line.trim_start().starts_with(mark))
    };
    let inner: Vec<&str> = lines.iter().map(|line| if is_mark(line) { "" } else { *line }).collect();
    let depth = |line: &&str| line.len() - line.trim_start().len();
    let all = inner.iter().filter(|line| !line.trim().is_empty()).map(depth).min().unwrap_or(0);
    let typed = |line: &&str| {
        let line = line.get(all..).unwrap_or_default();
        let line = line.strip_prefix(">>> ").or_else(|| line.strip_prefix("... ")).unwrap_or(line);
        line.to_owned()
    };
    inner.iter().map(typed).collect::<Vec<_>>().join("\n")
}

/// Whether a name that nobody brought in is hardly somebody else's or made up: a type, or three words.
fn is_unmistakable(name: &str) -> bool {
    let words = jari_text::parts(name).count();
    words > 2 || words > 1 && name.starts_with(char::is_uppercase)
}

/// Findings of those calls that no definition of their name takes.
pub(super) fn findings(snapshot: &dyn Snapshot, calls: &[Call]) -> Result<Vec<Finding>> {
    let files = snapshot.files()?;
    let mut folders: HashSet<&str> = HashSet::new();
    for record in files.iter().filter(|record| is_product(&record.path)) {
        folders.extend(record.path.split(['/', '.']));
    }
    let mut found = Vec::new();
    for call in calls {
        // What is brought in from elsewhere is somebody else's.
        let foreign = |from: &String| !from.split(['/', '.', ':']).any(|part| folders.contains(part));
        if call.from.as_ref().is_some_and(foreign) {
            continue;
        }
        if call.owner.is_none() && call.from.is_none() && !is_unmistakable(&call.name) {
            continue;
        }
        // `take()` is often no more than the name.
        let unsure = call.given.is_empty() && call.from.is_none();
        if let Some((refusal, signature)) = call.refused(snapshot)?.filter(|_| !unsure) {
            let reason = Reason::Uncallable { refusal, signature };
            found.push(finding(&call.said, reason, 0.8));
        }
    }
    Ok(found)
}

impl Call {
    /// What is wrong with it for every definition that it may mean, and the declaration of the first.
    fn refused(&self, snapshot: &dyn Snapshot) -> Result<Option<(Refusal, String)>> {
        let defined = crate::symbols::named(snapshot, &self.name, DEFINITIONS)?;
        let files = snapshot.files()?;
        let mut first = None;
        if defined.len() == DEFINITIONS {
            return Ok(None);
        }
        for found in defined.iter().filter(|found| found.symbol.name == self.name) {
            let Some(record) = files.get(found.file) else { continue };
            if Family::of(record.language.as_str()) != Some(self.family)
                || !self.may_mean(found, &record.path)
            {
                continue;
            }
            let taken = self.taken(snapshot, found)?;
            let refusals: Option<Vec<Refusal>> =
                taken.iter().map(|taken| taken.as_ref()?.refuses(&self.given, self.through_type)).collect();
            let Some(refusal) = refusals.and_then(|refusals| refusals.into_iter().next()) else {
                return Ok(None);
            };
            if is_product(&record.path) {
                first.get_or_insert((refusal, found.symbol.signature.clone()));
            }
        }
        Ok(first)
    }

    fn may_mean(&self, found: &StoredSymbol, path: &str) -> bool {
        let container = found.symbol.container.as_deref().and_then(|container| container.rsplit('.').next());
        match (self.owner.as_deref(), container) {
            (None, container) => container.is_none(),
            (Some(owner), Some(container)) => owner == container,
            // A module: `shop.take()`.
            (Some(owner), None) => path.split(['/', '.']).any(|part| part == owner),
        }
    }

    /// What a definition takes, in each of its forms, where its text tells.
    fn taken(&self, snapshot: &dyn Snapshot, found: &StoredSymbol) -> Result<Vec<Option<Taken>>> {
        let symbol = &found.symbol;
        let forms = match (symbol.kind, self.family) {
            (SymbolKind::Function | SymbolKind::Method, _) | (SymbolKind::Class, Family::Kotlin) => {
                vec![symbol.clone()]
            }
            (SymbolKind::Class, Family::Python) => {
                let class = symbol.qualified();
                let mut within = snapshot.defined(found.file)?;
                within
                    .retain(|symbol| symbol.name == "__init__" && symbol.container.as_ref() == Some(&class));
                within
            }
            _ => Vec::new(),
        };
        let text = snapshot.text(found.file)?.unwrap_or_default();
        Ok(forms.iter().map(|form| parameters(self.family, form, &text)).collect())
    }
}

/// The parameters of a definition in the text of its file.
fn parameters(family: Family, symbol: &Symbol, text: &str) -> Option<Taken> {
    let own = from_line(text, symbol.lines.start);
    // Behind the comment, which may call it, too.
    let declared = &symbol.signature[..symbol.signature.find(&symbol.name)?];
    let begins = own.find(&format!("{declared}{}", symbol.name))?;
    let decorated = family == Family::Python && is_decorated(&own[..begins]);
    if decorated { None } else { Taken::of(family, &symbol.name, &own[begins..]) }
}

/// A text from a line on.
fn from_line(text: &str, line: u32) -> &str {
    let begins: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    &text[begins..]
}

/// Whether something is done to a function of Python that may change what it takes.
fn is_decorated(above: &str) -> bool {
    const PLAIN: &[&str] =
        &["@classmethod", "@staticmethod", "@overload", "@typing.overload", "@t.overload", "@abstractmethod"];
    let mut marks = above.lines().map(str::trim).filter(|line| line.starts_with('@'));
    marks.any(|line| !PLAIN.contains(&line))
}
