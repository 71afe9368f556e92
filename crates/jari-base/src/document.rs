//! What is known of a document: its title, sections and links.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{ContentHash, LineRange, words};

/// A document, read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Document {
    /// What front matter calls it, else its first heading of level 1.
    pub title: Option<String>,
    /// What stands before the text, as values, in the order of writing.
    pub front_matter: Vec<(String, Value)>,
    /// In order. Text before the first heading is a section of level 0.
    pub sections: Vec<Section>,
    /// Links and images, in order.
    pub links: Vec<Link>,
    /// Further names that a link may point to: ids of elements, explicit targets.
    pub anchors: Vec<String>,
    /// Blocks of a kind worth knowing, in order.
    pub blocks: Vec<Block>,
}

/// A heading and what stands below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The heading without markup; empty before the first heading.
    pub title: String,
    /// 1 to 6; 0 before the first heading.
    pub level: u8,
    /// The section around it, as an index into [`Document::sections`].
    pub parent: Option<u32>,
    /// The titles of the path as slugs, joined by `/`, and `~n` for the n-th of its path: the same wherever it moves.
    pub id: String,
    /// What a link to it is called: an id given by the author, else the slug that sites make of the title.
    pub anchor: String,
    /// From the heading to the line before the next heading of any level.
    pub lines: LineRange,
    /// From the heading to the end of its last subsection.
    pub whole: LineRange,
    /// The bytes of `lines`.
    pub bytes: Range<usize>,
    /// Of the text of `lines`.
    pub hash: ContentHash,
}

/// A link or an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// As written.
    pub target: String,
    /// What a reader sees.
    pub text: String,
    /// Whether it shows an image.
    pub image: bool,
    /// Where it stands.
    pub line: u32,
    /// The same in bytes.
    pub bytes: Range<usize>,
}

words! {
    /// What a block of a document is.
    BlockKind {
        /// Running text.
        Paragraph = "paragraph",
        /// Code, fenced or indented.
        Code = "code",
        /// A table.
        Table = "table",
        /// A list with all its items.
        List = "list",
        /// A quotation.
        Quote = "quote",
        /// Markup of another language.
        Markup = "markup",
    }
}

/// A block of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Where it stands.
    pub lines: LineRange,
    /// Of code: the language it says it is in.
    pub language: Option<String>,
    /// Lines that every piece repeats when it is split: a table's head, a fence's first line.
    pub head: Option<LineRange>,
}

/// A value of front matter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// Text; dates too.
    Text(String),
    /// Several.
    List(Vec<Value>),
    /// By name, in the order of writing.
    Map(Vec<(String, Value)>),
}

impl Document {
    /// The titles from the outermost section to this one. Text before the first heading has none.
    pub fn heading_path(&self, section: u32) -> Vec<String> {
        let mut path = Vec::new();
        let mut at = Some(section);
        while let Some(section) = at.and_then(|at| self.sections.get(at as usize)) {
            path.push(section.title.clone());
            at = section.parent;
        }
        path.retain(|title| !title.is_empty());
        path.reverse();
        path
    }

    /// The section that `line` belongs to.
    pub fn section_at(&self, line: u32) -> Option<u32> {
        let after = self.sections.partition_point(|section| section.lines.start <= line);
        after.checked_sub(1).map(|at| at as u32)
    }
}
