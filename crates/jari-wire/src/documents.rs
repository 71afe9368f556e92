//! The shapes of documents: outlines, sections, skeletons, links.

use std::collections::BTreeMap;

use jari_base::Value;
use jari_engine::documents::{Bone, Entry, Found, Page, SectionText, Skeleton};
use jari_engine::links::{Analysis, Broken, Edge, Linked, Target};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{IndexJson, SymbolJson, symbol_json};

/// A section, by its heading.
#[derive(Debug, Serialize, JsonSchema)]
struct EntryJson {
    /// Stable: path, slugs of the heading path, and `~n` for the n-th of that path.
    section_id: String,
    /// The heading without markup.
    title: String,
    /// 1 to 6; 0 for text before the first heading.
    level: u8,
    /// The titles from the outermost section to this one.
    heading_path: Vec<String>,
    /// What a link to it says after `#`.
    anchor: String,
    /// The line of its heading.
    start_line: u32,
    /// The last line of its own text.
    end_line: u32,
    /// The last line of its last subsection.
    end_line_with_subsections: u32,
    /// First byte of its own text.
    start_byte: usize,
    /// The byte after its own text.
    end_byte: usize,
    /// Tokens of its own text, by estimate.
    tokens: usize,
    /// Hash of its own text.
    hash: String,
}

impl EntryJson {
    fn new(path: &str, entry: Entry) -> Self {
        let Entry { section, heading_path, tokens } = entry;
        Self {
            section_id: section_id(path, &section.id),
            title: section.title,
            level: section.level,
            heading_path,
            anchor: section.anchor,
            start_line: section.lines.start,
            end_line: section.lines.end,
            end_line_with_subsections: section.whole.end,
            start_byte: section.bytes.start,
            end_byte: section.bytes.end,
            tokens,
            hash: section.hash.0.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

/// A section's id with its file.
pub(crate) fn section_id(path: &str, id: &str) -> String {
    format!("{path}#{id}")
}

/// Which file was read, and how.
#[derive(Debug, Serialize, JsonSchema)]
struct PageJson {
    /// Relative to the project's root.
    path: String,
    /// Its language.
    language: String,
    /// Whether a tolerant parser had to read it.
    degraded: bool,
    /// `parser_fallback`.
    reason: Option<&'static str>,
}

impl PageJson {
    fn new(page: &Page) -> Self {
        let reason = page.notes.first().map(|note| note.as_str());
        Self {
            path: page.path.clone(),
            language: page.language.to_string(),
            degraded: page.is_degraded(),
            reason,
        }
    }
}

/// The outline of a document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TocJson {
    /// Which file.
    #[serde(flatten)]
    page: PageJson,
    /// What the document calls itself.
    title: Option<String>,
    /// In order.
    sections: Vec<EntryJson>,
}

impl TocJson {
    /// Puts an outline into its shape.
    pub fn new(page: &Page, title: Option<String>, entries: Vec<Entry>) -> Self {
        let sections = entries.into_iter().map(|entry| EntryJson::new(&page.path, entry)).collect();
        Self { page: PageJson::new(page), title, sections }
    }
}

/// A section with its text, or what is near where there is none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SectionJson {
    /// Which file.
    #[serde(flatten)]
    page: PageJson,
    /// The section; none where nothing was found.
    section: Option<EntryJson>,
    /// First line of `text`.
    start_line: Option<u32>,
    /// Last line of `text`.
    end_line: Option<u32>,
    /// As a reader sees it; with `--raw` as written.
    text: Option<String>,
    /// It was found under another path, or there are more of that name.
    note: Option<String>,
    /// `no_results` where nothing was found.
    error: Option<&'static str>,
    /// The nearest sections, where nothing was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    near: Vec<EntryJson>,
}

impl SectionJson {
    /// Puts a section into its shape.
    pub fn new(page: &Page, found: Found) -> Self {
        let empty = Self {
            page: PageJson::new(page),
            section: None,
            start_line: None,
            end_line: None,
            text: None,
            note: None,
            error: None,
            near: Vec::new(),
        };
        match found {
            Found::Section(section) => {
                let SectionText { entry, lines, text, note } = *section;
                Self {
                    section: Some(EntryJson::new(&page.path, entry)),
                    start_line: Some(lines.start),
                    end_line: Some(lines.end),
                    text: Some(text),
                    note,
                    ..empty
                }
            }
            Found::Nothing { near, .. } => {
                let near = near.into_iter().map(|entry| EntryJson::new(&page.path, entry)).collect();
                Self { error: Some("no_results"), near, ..empty }
            }
        }
    }
}

/// A file without its bodies.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkeletonJson {
    /// Which file.
    #[serde(flatten)]
    page: PageJson,
    /// What the document calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Of a document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sections: Vec<BoneJson>,
    /// Of code: definitions with their signatures and docs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<SymbolJson>,
}

/// A section of a skeleton.
#[derive(Debug, Serialize, JsonSchema)]
struct BoneJson {
    /// Which one.
    #[serde(flatten)]
    entry: EntryJson,
    /// How it begins.
    first_sentence: Option<String>,
    /// Links and images in its own text.
    links: usize,
    /// Blocks of code in its own text.
    code_blocks: usize,
}

impl SkeletonJson {
    /// Puts a skeleton into its shape.
    pub fn new(page: &Page, skeleton: Skeleton) -> Self {
        let bone = |bone: Bone| BoneJson {
            entry: EntryJson::new(&page.path, bone.entry),
            first_sentence: bone.first_sentence,
            links: bone.links,
            code_blocks: bone.code_blocks,
        };
        let (title, sections, symbols) = match skeleton {
            Skeleton::Document { title, sections } => {
                (title, sections.into_iter().map(bone).collect(), Vec::new())
            }
            Skeleton::Code(symbols) => (None, Vec::new(), symbols.into_iter().map(symbol_json).collect()),
        };
        Self { page: PageJson::new(page), title, sections, symbols }
    }
}

/// A link or an image.
#[derive(Debug, Serialize, JsonSchema)]
struct LinkJson {
    /// The document it stands in.
    from: String,
    /// Its line.
    line: u32,
    /// First byte.
    start_byte: usize,
    /// The byte after it.
    end_byte: usize,
    /// What a reader sees.
    text: String,
    /// As written.
    target: String,
    /// Whether it shows an image.
    image: bool,
    /// Whether it leaves the project.
    external: bool,
    /// The file it leads to.
    path: Option<String>,
    /// The place in that file.
    fragment: Option<String>,
    /// Whether the target exists; unknown for external ones.
    exists: Option<bool>,
    /// What is missing: `file` or `fragment`.
    broken: Option<&'static str>,
}

impl From<&Edge> for LinkJson {
    fn from(edge: &Edge) -> Self {
        let (path, fragment) = match &edge.target {
            Target::External => (None, None),
            Target::Inside { path, fragment, .. } => (Some(path.clone()), fragment.clone()),
        };
        let external = edge.target == Target::External;
        Self {
            from: edge.from.clone(),
            line: edge.link.line,
            start_byte: edge.link.bytes.start,
            end_byte: edge.link.bytes.end,
            text: edge.link.text.clone(),
            target: edge.link.target.clone(),
            image: edge.link.image,
            external,
            path,
            fragment,
            exists: (!external).then(|| edge.broken().is_none()),
            broken: edge.broken().map(|broken| match broken {
                Broken::File => "file",
                Broken::Fragment => "fragment",
            }),
        }
    }
}

/// Links of a project or of one document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinksJson {
    /// What was asked for: `outbound`, `back`, `broken`, `orphans` or `overview`.
    view: &'static str,
    /// Of `outbound`, `back` and `broken`.
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<LinkJson>>,
    /// Of `orphans`: documents that no other links to.
    #[serde(skip_serializing_if = "Option::is_none")]
    orphans: Option<Vec<String>>,
    /// Of `overview`.
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<Vec<LinkedJson>>,
    /// How far the index can be trusted.
    index: IndexJson,
}

/// A document by the links that leave and reach it.
#[derive(Debug, Serialize, JsonSchema)]
struct LinkedJson {
    /// Relative to the project's root.
    path: String,
    /// Links that stand in it.
    outbound: usize,
    /// Links of other documents to it.
    backlinks: usize,
    /// Of its own links, those that lead nowhere.
    broken: usize,
}

impl LinksJson {
    /// Puts links into their shape.
    pub fn links(view: &'static str, edges: &[&Edge], index: IndexJson) -> Self {
        let links = Some(edges.iter().map(|edge| LinkJson::from(*edge)).collect());
        Self { view, links, orphans: None, documents: None, index }
    }

    /// Puts orphans into their shape.
    pub fn orphans(paths: &[&str], index: IndexJson) -> Self {
        let orphans = Some(paths.iter().map(|path| (*path).to_owned()).collect());
        Self { view: "orphans", links: None, orphans, documents: None, index }
    }

    /// Puts an overview into its shape.
    pub fn overview(rows: Vec<Linked>, index: IndexJson) -> Self {
        let row = |row: Linked| LinkedJson {
            path: row.path,
            outbound: row.outbound,
            backlinks: row.backlinks,
            broken: row.broken,
        };
        let documents = Some(rows.into_iter().map(row).collect());
        Self { view: "overview", links: None, orphans: None, documents, index }
    }
}

/// What is known of one document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnalysisJson {
    /// Which file.
    #[serde(flatten)]
    page: PageJson,
    /// What it calls itself.
    title: Option<String>,
    /// What stands before its text, as values.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    front_matter: serde_json::Map<String, serde_json::Value>,
    /// Counts.
    counts: CountsJson,
    /// Languages of its code, with how many blocks each has.
    code_languages: BTreeMap<String, usize>,
    /// In order.
    sections: Vec<EntryJson>,
    /// Links and images, in order.
    links: Vec<LinkJson>,
    /// Links of other documents to it.
    backlinks: usize,
    /// How far the index can be trusted.
    index: IndexJson,
}

/// How much there is of what.
#[derive(Debug, Serialize, JsonSchema)]
struct CountsJson {
    /// Lines.
    lines: usize,
    /// Words between spaces.
    words: usize,
    /// Tokens, by estimate.
    tokens: usize,
    /// Tokens of `cl100k`, with `--exact-tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact_tokens: Option<usize>,
    /// Headings.
    headings: usize,
    /// The deepest level of a heading.
    depth: u8,
    /// Blocks of code.
    code_blocks: usize,
    /// Tables.
    tables: usize,
    /// Lists.
    lists: usize,
    /// Images.
    images: usize,
    /// Links inside the project.
    internal_links: usize,
    /// Links that leave it.
    external_links: usize,
    /// Links that lead nowhere.
    broken_links: usize,
}

impl AnalysisJson {
    /// Puts an analysis into its shape.
    pub fn new(
        page: &Page,
        analysis: Analysis,
        entries: Vec<Entry>,
        exact_tokens: Option<usize>,
        index: IndexJson,
    ) -> Self {
        let Analysis { title, front_matter, counts, code_languages, links, backlinks } = analysis;
        Self {
            page: PageJson::new(page),
            title,
            front_matter: front_matter.into_iter().map(|(name, value)| (name, json(value))).collect(),
            counts: CountsJson {
                lines: counts.lines,
                words: counts.words,
                tokens: counts.tokens,
                exact_tokens,
                headings: counts.headings,
                depth: counts.depth,
                code_blocks: counts.code_blocks,
                tables: counts.tables,
                lists: counts.lists,
                images: counts.images,
                internal_links: counts.internal,
                external_links: counts.external,
                broken_links: counts.broken,
            },
            code_languages,
            sections: entries.into_iter().map(|entry| EntryJson::new(&page.path, entry)).collect(),
            links: links.iter().map(LinkJson::from).collect(),
            backlinks,
            index,
        }
    }
}

fn json(value: Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => value.into(),
        Value::Integer(number) => number.into(),
        Value::Float(number) => number.into(),
        Value::Text(text) => text.into(),
        Value::List(values) => values.into_iter().map(json).collect(),
        Value::Map(values) => values.into_iter().map(|(name, value)| (name, json(value))).collect(),
    }
}
