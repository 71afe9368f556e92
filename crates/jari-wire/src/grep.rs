//! The answer of `jari grep`.

use std::ops::Range;

use jari_base::Skip;
use jari_engine::grep::{FileMatches, GrepRequest, GrepSummary, MatchLine};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{IndexJson, milliseconds};

/// Lines that match a pattern.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GrepJson {
    /// As asked.
    pattern: String,
    /// Files with a match, by path.
    results: Vec<GrepFileJson>,
    /// Lines that match.
    lines: u64,
    /// Files that were opened.
    looked_at: u64,
    /// Files that the filter lets through.
    of: u64,
    /// Whether there may be more lines than `--limit` let through.
    cut: bool,
    /// Files that could not be read as text any more.
    unreadable: Vec<UnreadableJson>,
    /// How far the index can be trusted. Lines are always those on disk.
    index: IndexJson,
    /// Time of the look-up itself.
    took_ms: f64,
    /// What the user should know: an index that was made anew, or is kept elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// A file with a match.
#[derive(Debug, Serialize, JsonSchema)]
struct GrepFileJson {
    /// Relative to the project's root.
    path: String,
    /// Its language.
    language: String,
    /// Lines that match; with `-l` only whether one does.
    count: u64,
    /// The lines, and those around them; left out with `-c` and `-l`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lines: Vec<GrepLineJson>,
}

/// A line.
#[derive(Debug, Serialize, JsonSchema)]
struct GrepLineJson {
    /// Counted from 1.
    line: u64,
    /// Without its end.
    text: String,
    /// Where the pattern matches: `[start, end]` in bytes of the text; left out in lines around a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<Vec<(usize, usize)>>,
}

/// A file that was not looked at.
#[derive(Debug, Serialize, JsonSchema)]
struct UnreadableJson {
    /// Relative to the project's root.
    path: String,
    /// Why.
    #[schemars(with = "String")]
    reason: Skip,
}

impl GrepJson {
    /// Puts lines into their shape.
    pub fn new(
        request: &GrepRequest,
        files: Vec<FileMatches>,
        summary: GrepSummary,
        index: IndexJson,
        notes: Vec<String>,
    ) -> Self {
        let GrepSummary { files: _, lines, looked_at, of, cut, unreadable, took } = summary;
        let unreadable = unreadable.into_iter().map(|(path, reason)| UnreadableJson { path, reason });
        Self {
            pattern: request.pattern.clone(),
            results: files.into_iter().map(file).collect(),
            lines,
            looked_at,
            of,
            cut,
            unreadable: unreadable.collect(),
            index,
            took_ms: milliseconds(took),
            notes,
        }
    }
}

fn file(found: FileMatches) -> GrepFileJson {
    let pair = |range: Range<usize>| (range.start, range.end);
    let line = |line: MatchLine| GrepLineJson {
        line: line.number,
        text: line.text,
        matches: line.is_match.then(|| line.matches.into_iter().map(pair).collect()),
    };
    GrepFileJson {
        path: found.path,
        language: found.language.to_string(),
        count: found.count,
        lines: found.lines.into_iter().map(line).collect(),
    }
}
