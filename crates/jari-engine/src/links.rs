//! Where links lead: from what an author wrote to a file of the project and a place in it; and the graph they make.

use std::collections::{BTreeMap, HashMap, HashSet};

use jari_base::{BlockKind, Document, Language, Link, Section, Value};
use jari_store::{Files, Snapshot};
use jari_text::estimate_tokens;

use crate::documents::Page;
use crate::{Error, Project, Result};

/// Endings that sites leave out.
const ENDINGS: [&str; 7] = [".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt", ".html"];

/// Pages that stand for their folder.
const FOLDER_PAGES: [&str; 8] =
    ["index.md", "index.mdx", "README.md", "readme.md", "_index.md", "README.rst", "index.rst", "index.html"];

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Out of the project: a web page, an address, another program's file.
    External,
    /// A file or folder of the project.
    Inside {
        /// Relative to the root.
        path: String,
        /// A place in it.
        fragment: Option<String>,
        /// What is wrong with it.
        broken: Option<Broken>,
    },
}

/// What is wrong with a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// No such file.
    File,
    /// The file has no such heading or id.
    Fragment,
}

/// A link and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The document it stands in, relative to the root.
    pub from: String,
    /// As written.
    pub link: Link,
    /// Where it leads.
    pub target: Target,
}

impl Edge {
    /// What is wrong with it.
    pub fn broken(&self) -> Option<Broken> {
        match self.target {
            Target::External => None,
            Target::Inside { broken, .. } => broken,
        }
    }
}

/// All documents of a project and the links between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    documents: BTreeMap<String, Document>,
    /// What other files are.
    others: BTreeMap<String, Language>,
    edges: Vec<Edge>,
}

/// A document by the links that leave and reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// Relative to the root.
    pub path: String,
    /// Links that stand in it.
    pub outbound: usize,
    /// Links of other documents to it.
    pub backlinks: usize,
    /// Of its own links, those that lead nowhere.
    pub broken: usize,
}

impl Graph {
    /// The graph of one state of the index. A file that is there but not indexed is no broken link.
    pub fn new(project: &Project, snapshot: &dyn Snapshot) -> Result<Self> {
        let files = snapshot.files()?;
        let mut documents = BTreeMap::new();
        snapshot.documents(&mut |file, document| {
            if let Some(record) = files.get(file) {
                documents.insert(record.path.clone(), document);
            }
        })?;
        let others = files.iter().filter(|record| !documents.contains_key(&record.path));
        let others = others.map(|record| (record.path.clone(), record.language.clone())).collect();
        let paths = files.iter().map(|record| record.path.as_str());
        let site = Site::new(paths, documents.iter().map(|(path, document)| (path.as_str(), Some(document))));
        let mut edges = Vec::new();
        for (from, document) in &documents {
            let edge = |link: &Link| {
                let mut target = site.resolve(from, link);
                if let Target::Inside { path, broken: broken @ Some(Broken::File), .. } = &mut target
                    && project.root.join(&*path).exists()
                {
                    *broken = None;
                }
                Edge { from: from.clone(), link: link.clone(), target }
            };
            edges.extend(document.links.iter().map(edge));
        }
        Ok(Self { documents, others, edges })
    }

    /// The links of the document at `path`.
    pub fn outbound(&self, path: &str) -> Result<Vec<&Edge>> {
        self.known(path)?;
        Ok(self.edges.iter().filter(|edge| edge.from == path).collect())
    }

    /// Links of other documents to the file at `path`, and to the place `fragment` of it if one is given.
    pub fn back(&self, path: &str, fragment: Option<&str>) -> Vec<&Edge> {
        let leads = |edge: &&Edge| match &edge.target {
            Target::Inside { path: to, fragment: place, .. } => {
                to == path
                    && fragment.is_none_or(|wanted| place.as_deref() == Some(wanted))
                    && (edge.from != path || fragment.is_some())
            }
            Target::External => false,
        };
        self.edges.iter().filter(leads).collect()
    }

    /// Links that lead nowhere; of one document if `path` is given.
    pub fn broken(&self, path: Option<&str>) -> Vec<&Edge> {
        let of = |edge: &&Edge| path.is_none_or(|path| edge.from == path) && edge.broken().is_some();
        self.edges.iter().filter(of).collect()
    }

    /// Documents that no other links to, but those that stand for a folder.
    pub fn orphans(&self) -> Vec<&str> {
        let linked: HashSet<&str> = self.edges.iter().filter_map(reached).collect();
        let stands_for_folder = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
            let stem = name.split('.').next().unwrap_or_default();
            ["readme", "index", "_index", "changelog", "license", "contributing"].contains(&stem)
        };
        self.documents
            .keys()
            .map(String::as_str)
            .filter(|path| !linked.contains(path) && !stands_for_folder(path))
            .collect()
    }

    /// Every document with its counts, in the order of paths.
    pub fn overview(&self) -> Vec<Linked> {
        let mut rows: BTreeMap<&str, Linked> = self
            .documents
            .keys()
            .map(|path| (path.as_str(), Linked { path: path.clone(), outbound: 0, backlinks: 0, broken: 0 }))
            .collect();
        for edge in &self.edges {
            if let Some(row) = rows.get_mut(edge.from.as_str()) {
                row.outbound += 1;
                row.broken += usize::from(edge.broken().is_some());
            }
            if let Some(row) = reached(edge).and_then(|to| rows.get_mut(to)) {
                row.backlinks += 1;
            }
        }
        rows.into_values().collect()
    }

    fn known(&self, path: &str) -> Result<&Document> {
        self.documents.get(path).ok_or_else(|| {
            if let Some(language) = self.others.get(path) {
                return Error::NotADocument { path: path.to_owned(), language: language.clone() };
            }
            let mut near = crate::near::Near::new(path);
            self.documents.keys().for_each(|known| near.offer(known));
            Error::NoSuchPath { path: path.to_owned(), near: near.names() }
        })
    }
}

/// The other document that a link leads to.
fn reached(edge: &Edge) -> Option<&str> {
    match &edge.target {
        Target::Inside { path, broken: None | Some(Broken::Fragment), .. } if *path != edge.from => {
            Some(path)
        }
        _ => None,
    }
}

/// What is known of one document.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// What it calls itself.
    pub title: Option<String>,
    /// What stands before its text.
    pub front_matter: Vec<(String, Value)>,
    /// Counts.
    pub counts: Counts,
    /// Languages of its code, with how many blocks each has.
    pub code_languages: BTreeMap<String, usize>,
    /// Its links and images.
    pub links: Vec<Edge>,
    /// Links of other documents to it.
    pub backlinks: usize,
}

/// How much there is of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Lines.
    pub lines: usize,
    /// Words between spaces.
    pub words: usize,
    /// Tokens, by estimate.
    pub tokens: usize,
    /// Headings.
    pub headings: usize,
    /// The deepest level of a heading.
    pub depth: u8,
    /// Blocks of code.
    pub code_blocks: usize,
    /// Tables.
    pub tables: usize,
    /// Lists.
    pub lists: usize,
    /// Images.
    pub images: usize,
    /// Links inside the project.
    pub internal: usize,
    /// Links that leave it.
    pub external: usize,
    /// Links that lead nowhere.
    pub broken: usize,
}

/// Takes stock of a document.
pub fn analyze(project: &Project, snapshot: &dyn Snapshot, page: &Page) -> Result<Analysis> {
    let document = page.document()?;
    let graph = Graph::new(project, snapshot)?;
    let links: Vec<Edge> = graph.outbound(&page.path)?.into_iter().cloned().collect();
    let blocks = |kind: BlockKind| document.blocks.iter().filter(|block| block.kind == kind).count();
    let mut code_languages = BTreeMap::new();
    for block in document.blocks.iter().filter(|block| block.kind == BlockKind::Code) {
        *code_languages.entry(block.language.clone().unwrap_or_else(|| "none".to_owned())).or_default() += 1;
    }
    let headings = || document.sections.iter().filter(|section| section.level > 0);
    let counts = Counts {
        lines: page.text.lines().count(),
        words: page.text.split_whitespace().count(),
        tokens: estimate_tokens(&page.text),
        headings: headings().count(),
        depth: headings().map(|section| section.level).max().unwrap_or(0),
        code_blocks: blocks(BlockKind::Code),
        tables: blocks(BlockKind::Table),
        lists: blocks(BlockKind::List),
        images: links.iter().filter(|edge| edge.link.image).count(),
        internal: links.iter().filter(|edge| edge.target != Target::External).count(),
        external: links.iter().filter(|edge| edge.target == Target::External).count(),
        broken: links.iter().filter(|edge| edge.broken().is_some()).count(),
    };
    Ok(Analysis {
        title: document.title.clone(),
        front_matter: document.front_matter.clone(),
        counts,
        code_languages,
        backlinks: graph.back(&page.path, None).len(),
        links,
    })
}

/// What the files of a project are, as far as links care.
pub(crate) struct Site<'a> {
    files: HashSet<&'a str>,
    folders: HashSet<&'a str>,
    /// Folders that hold pages, shortest first: a site-absolute link may begin at any of them.
    bases: Vec<&'a str>,
    /// With what stands in them, where that is known.
    documents: HashMap<&'a str, Option<&'a Document>>,
}

impl<'a> Site<'a> {
    /// The files of an index, of whose documents nothing is read: no place in them counts as missing.
    pub(crate) fn of_files(files: &'a Files) -> Self {
        let documents = files.iter().filter(|record| jari_chunk::is_document(&record.language));
        Self::new(
            files.iter().map(|record| record.path.as_str()),
            documents.map(|record| (record.path.as_str(), None)),
        )
    }

    /// `documents` must be among `files`.
    pub(crate) fn new(
        files: impl Iterator<Item = &'a str>,
        documents: impl Iterator<Item = (&'a str, Option<&'a Document>)>,
    ) -> Self {
        let documents: HashMap<&str, Option<&Document>> = documents.collect();
        let (mut names, mut folders, mut last) = (HashSet::new(), HashSet::new(), "");
        for path in files {
            names.insert(path);
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            // Most files stand beside the one before.
            if folder != last {
                folders.extend(ancestors(path));
                last = folder;
            }
        }
        // Sites copy these folders to their top.
        let copied = |folder: &&&str| folder.ends_with("public") || folder.ends_with("static");
        let copied: Vec<&str> = folders.iter().filter(copied).copied().collect();
        let mut bases: Vec<&str> =
            documents.keys().flat_map(|path| ancestors(path)).chain(copied).chain([""]).collect();
        bases.sort_unstable_by_key(|base| (base.len(), *base));
        bases.dedup();
        Self { files: names, folders, bases, documents }
    }

    /// Where a link of the document at `from` leads.
    pub(crate) fn resolve(&self, from: &str, link: &Link) -> Target {
        let written = link.target.trim();
        if is_external(written) {
            return Target::External;
        }
        let (path, fragment) = match written.split_once('#') {
            Some((path, fragment)) => (path, Some(decoded(fragment)).filter(|fragment| !fragment.is_empty())),
            None => (written, None),
        };
        let path = decoded(path.split('?').next().unwrap_or(path));
        let found = if path.is_empty() { Some(from.to_owned()) } else { self.find(from, &path) };
        let Some(found) = found else {
            return Target::Inside { path: normal(from, &path), fragment, broken: Some(Broken::File) };
        };
        let missing = fragment.as_deref().is_some_and(|fragment| self.lacks(&found, fragment));
        Target::Inside { path: found, fragment, broken: missing.then_some(Broken::Fragment) }
    }

    /// The file that `path`, written in `from`, means.
    fn find(&self, from: &str, path: &str) -> Option<String> {
        if let Some(absolute) = path.strip_prefix('/') {
            // A site begins at its own folder of pages, which may be any.
            let own = self.bases.iter().rev().filter(|base| is_above(base, from));
            let others = self.bases.iter().filter(|base| !is_above(base, from));
            return own.chain(others).find_map(|base| self.file(&joined(base, absolute)?));
        }
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let here = joined(folder, path).and_then(|path| self.file(&path));
        // Sites serve `page.md` as `page/`, so that its links begin one folder deeper.
        here.or_else(|| self.file(&joined(&stem(from), path)?)).or_else(|| self.file(&joined("", path)?))
    }

    /// The file at `path`, with or without its ending; a folder is its page, or itself.
    fn file(&self, path: &str) -> Option<String> {
        let path = path.trim_end_matches('/');
        if self.files.contains(path) {
            return Some(path.to_owned());
        }
        let bare = path.strip_suffix(".html").unwrap_or(path);
        let with_ending = ENDINGS.iter().map(|ending| format!("{bare}{ending}"));
        let page = FOLDER_PAGES.iter().filter_map(|page| joined(bare, page));
        if let Some(found) = with_ending.chain(page).find(|path| self.files.contains(path.as_str())) {
            return Some(found);
        }
        (path.is_empty() || self.folders.contains(path)).then(|| path.to_owned())
    }

    /// Whether the document at `path` has no place of that name. Of other files nothing is known.
    fn lacks(&self, path: &str, fragment: &str) -> bool {
        let Some(Some(document)) = self.documents.get(path) else { return false };
        let lines =
            fragment.strip_prefix('L').is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()));
        let known = lines
            || section_named(document, fragment).is_some()
            || document.anchors.iter().any(|anchor| names(fragment, anchor))
            || fragment.eq_ignore_ascii_case("top")
            // `#:~:text=` marks text.
            || fragment.starts_with(":~:");
        !known
    }
}

/// The section that a link calls so.
pub(crate) fn section_named<'d>(document: &'d Document, fragment: &str) -> Option<&'d Section> {
    let is_named = |section: &&Section| names(fragment, &section.anchor) || names(fragment, &section.title);
    document.sections.iter().find(is_named)
}

/// Whether a link to `fragment` means the place of this name. Sites make slugs in many ways; all keep letters and digits.
fn names(fragment: &str, name: &str) -> bool {
    let bare = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    name == fragment || Some(bare(fragment)).filter(|bare| !bare.is_empty()) == Some(bare(name))
}

fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

fn is_above(base: &str, path: &str) -> bool {
    base.is_empty() || path.strip_prefix(base).is_some_and(|rest| rest.starts_with('/'))
}

fn stem(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if folder.is_empty() { stem.to_owned() } else { format!("{folder}/{stem}") }
}

/// `https://…`, `mailto:…`, `//host/…`, templates that a site fills in.
fn is_external(target: &str) -> bool {
    let scheme = target.split(['/', '#', '?']).next().unwrap_or_default();
    let has_scheme = scheme.find(':').is_some_and(|at| {
        at > 1 && scheme[..at].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    has_scheme
        || target.starts_with("//")
        || target.contains("{{")
        || target.contains("${")
        || target.is_empty()
}

/// `folder/path` without `.` and `..`; `None` if it leads out of the project.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut steps: Vec<&str> = Vec::new();
    for step in folder.split('/').chain(path.split('/')) {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()?),
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}

/// The path that a broken link names.
fn normal(from: &str, path: &str) -> String {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let begin = if path.starts_with('/') { "" } else { folder };
    joined(begin, path).unwrap_or_else(|| format!("{folder}/{path}"))
}

/// Without percent signs.
fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(plain).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: &str, target: &str, expected: &str) {
        let section = "# Top\n\n## Some `part`\n\n<a name=\"old\"></a>\n";
        let language = jari_base::Language::named("markdown");
        let (document, _) = jari_chunk::document(&language, section).expect("a document");
        let files = [
            "README.md",
            "docs/a.md",
            "docs/deep/index.md",
            "docs/deep/b.mdx",
            "src/main.rs",
            "site/public/x.png",
        ];
        let documents = files[..4].iter().map(|path| (*path, Some(&document)));
        let site = Site::new(files.iter().copied(), documents);
        let link = Link { target: target.into(), text: String::new(), image: false, line: 1, bytes: 0..0 };
        let shown = match site.resolve(from, &link) {
            Target::External => "external".to_owned(),
            Target::Inside { path, fragment, broken } => {
                let fragment = fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
                let broken = broken.map(|broken| format!(" {broken:?}")).unwrap_or_default();
                format!("{path}{fragment}{broken}")
            }
        };
        assert_eq!(shown, expected, "{target} in {from}");
    }

    #[test]
    fn links_are_followed_as_sites_do() {
        check("docs/a.md", "deep/b", "docs/deep/b.mdx");
        check("docs/a.md", "./deep/", "docs/deep/index.md");
        check("docs/deep/b.mdx", "../a.md#some-part", "docs/a.md#some-part");
        check("docs/deep/b.mdx", "/deep/b", "docs/deep/b.mdx");
        check("docs/deep/b.mdx", "/docs/a", "docs/a.md");
        check("README.md", "src/main.rs#L10", "src/main.rs#L10");
        check("README.md", "src", "src");
        check("docs/a.md", "/x.png", "site/public/x.png");
        check("docs/a.md", "#old", "docs/a.md#old");
        check("docs/a.md", "a.html", "docs/a.md");
        check("README.md", "docs%2Fa.md", "docs/a.md");
    }

    #[test]
    fn what_is_missing_is_said() {
        check("docs/a.md", "gone.md", "docs/gone.md File");
        check("docs/a.md", "#gone", "docs/a.md#gone Fragment");
        check("docs/a.md", "#Some_Part", "docs/a.md#Some_Part");
        check("docs/a.md", "#L12", "docs/a.md#L12");
        check("docs/a.md", "../../../etc/gone", "docs/../../../etc/gone File");
        check("docs/a.md", "https://a.example/#x", "external");
        check("docs/a.md", "mailto:a@b.example", "external");
    }
}
