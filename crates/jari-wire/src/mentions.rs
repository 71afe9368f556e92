//! The JSON of documents and the code they speak of.

use jari_engine::conflicts::{Conflict, ConflictReport, Statement};
use jari_engine::drift::{DriftReport, Finding, Reason};
use jari_engine::mentions::{How, Mention, Spoken};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{IndexJson, documents};

/// The answer of `mentions`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MentionsJson {
    /// As asked.
    of: String,
    /// Of a name or a file of code: the sections that speak of it, the most deliberate first.
    sections: Vec<MentionJson>,
    /// Of a document: the code it speaks of, in order.
    code: Vec<SpokenJson>,
    /// How far the index can be trusted.
    index: IndexJson,
}

/// A section that speaks of some code.
#[derive(Debug, Serialize, JsonSchema)]
struct MentionJson {
    /// The document.
    path: String,
    /// First line of the section.
    start_line: u32,
    /// Its last line.
    end_line: u32,
    /// Its stable id.
    section_id: String,
    /// The titles from the outermost section to it.
    heading_path: Vec<String>,
    /// The first line that speaks of it.
    line: u32,
    /// `span`: as a piece of code in running text; `link`; `example`: in a block of code.
    how: &'static str,
    /// How many lines do.
    count: usize,
}

/// Code that a section speaks of.
#[derive(Debug, Serialize, JsonSchema)]
struct SpokenJson {
    /// As written.
    text: String,
    /// The first line that says it.
    line: u32,
    /// What of the project it is.
    places: Vec<SpokenPlaceJson>,
}

/// A definition, or a file.
#[derive(Debug, Serialize, JsonSchema)]
struct SpokenPlaceJson {
    /// Relative to the project's root.
    path: String,
    /// First line.
    start_line: u32,
    /// Last line.
    end_line: u32,
}

/// What `how` is called.
pub fn how_said(how: How) -> &'static str {
    match how {
        How::Span => "span",
        How::Link => "link",
        How::Example => "example",
    }
}

impl MentionsJson {
    /// Of a name or a file of code.
    pub fn sections(of: &str, mentions: Vec<Mention>, index: IndexJson) -> Self {
        let sections = mentions
            .into_iter()
            .map(|mention| MentionJson {
                start_line: mention.lines.start,
                end_line: mention.lines.end,
                section_id: documents::section_id(&mention.path, &mention.section),
                heading_path: mention.heading_path,
                line: mention.line,
                how: how_said(mention.how),
                count: mention.count,
                path: mention.path,
            })
            .collect();
        Self { of: of.to_owned(), sections, code: Vec::new(), index }
    }

    /// Of a document.
    pub fn code(of: &str, spoken: Vec<Spoken>, index: IndexJson) -> Self {
        let place = |(path, lines): (String, jari_base::LineRange)| SpokenPlaceJson {
            path,
            start_line: lines.start,
            end_line: lines.end,
        };
        let code = spoken
            .into_iter()
            .map(|Spoken { text, line, places }| SpokenJson {
                text,
                line,
                places: places.into_iter().map(place).collect(),
            })
            .collect();
        Self { of: of.to_owned(), sections: Vec::new(), code, index }
    }
}

/// The answer of `drift`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DriftJson {
    /// The revision that was compared with, where one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// Most likely first, then by place.
    findings: Vec<FindingJson>,
    /// Sections that were looked at.
    sections: usize,
    /// Names in them that were looked up.
    names: usize,
    /// Findings that the baseline knows, left out.
    known: usize,
    /// What could not be looked at.
    notes: Vec<String>,
    /// How far the index can be trusted.
    index: IndexJson,
}

/// A section that is believed to be behind the code.
#[derive(Debug, Serialize, JsonSchema)]
struct FindingJson {
    /// The document.
    path: String,
    /// Where it speaks of it.
    line: u32,
    /// The section's stable id.
    section_id: String,
    /// The titles from the outermost section to it.
    heading_path: Vec<String>,
    /// Of what, as written.
    name: String,
    /// `no_such_member`, `taken_out`; with `--since` `removed`, `renamed`, `redeclared`, `file_removed`, `moved`.
    reason: &'static str,
    /// The reason in words.
    why: String,
    /// Names of today that look like it.
    near: Vec<String>,
    /// How likely it is that the section needs a change, from 0 to 1.
    likelihood: f32,
}

impl DriftJson {
    /// Puts a report into its shape.
    pub fn new(since: Option<String>, report: DriftReport, known: usize, index: IndexJson) -> Self {
        let DriftReport { findings, sections, names, notes } = report;
        Self {
            since,
            findings: findings.into_iter().map(finding).collect(),
            sections,
            names,
            known,
            notes,
            index,
        }
    }
}

fn finding(finding: Finding) -> FindingJson {
    let reason = match finding.reason {
        Reason::NoSuchMember { .. } => "no_such_member",
        Reason::TakenOut(_) => "taken_out",
        Reason::Removed => "removed",
        Reason::Renamed { .. } => "renamed",
        Reason::Redeclared { .. } => "redeclared",
        Reason::Uncallable { .. } => "uncallable",
        Reason::FileRemoved => "file_removed",
        Reason::Moved { .. } => "moved",
    };
    FindingJson {
        section_id: documents::section_id(&finding.path, &finding.section),
        why: finding.reason.to_string(),
        path: finding.path,
        line: finding.line,
        heading_path: finding.heading_path,
        name: finding.name,
        reason,
        near: finding.near,
        likelihood: finding.likelihood,
    }
}

/// The answer of `conflicts`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConflictsJson {
    /// By name.
    conflicts: Vec<ConflictJson>,
    /// Settings whose values were compared.
    settings: usize,
    /// How far the index can be trusted.
    index: IndexJson,
}

/// A setting with several values.
#[derive(Debug, Serialize, JsonSchema)]
struct ConflictJson {
    /// The setting.
    name: String,
    /// Where it is stated: the most binding first, then the newest.
    statements: Vec<StatementJson>,
}

/// A place that states a value.
#[derive(Debug, Serialize, JsonSchema)]
struct StatementJson {
    /// The file.
    path: String,
    /// The line.
    line: u32,
    /// The value, as written.
    value: String,
    /// `code`, `decision`, `readme`, `reference`, `page`, `blog` or `changelog`, most binding first.
    standing: &'static str,
    /// The day of its last change, by front matter or Git.
    date: Option<String>,
    /// The section's stable id; none in code.
    section_id: Option<String>,
    /// The titles from the outermost section to it.
    heading_path: Vec<String>,
}

impl ConflictsJson {
    /// Puts a report into its shape.
    pub fn new(report: ConflictReport, index: IndexJson) -> Self {
        let ConflictReport { conflicts, settings } = report;
        let conflict = |Conflict { name, statements }| ConflictJson {
            name,
            statements: statements.into_iter().map(statement).collect(),
        };
        Self { conflicts: conflicts.into_iter().map(conflict).collect(), settings, index }
    }
}

fn statement(statement: Statement) -> StatementJson {
    let section = statement.section.as_deref();
    StatementJson {
        section_id: section.map(|section| documents::section_id(&statement.path, section)),
        path: statement.path,
        line: statement.line,
        value: statement.value,
        standing: statement.standing.as_str(),
        date: statement.date,
        heading_path: statement.heading_path,
    }
}
