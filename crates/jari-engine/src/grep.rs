//! A pattern in, the lines it matches out. Grams narrow down the files; what counts is what stands on disk now.

use std::borrow::Cow;
use std::ops::Range;
use std::time::{Duration, Instant};

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use jari_base::{Filter, Language, Skip};
use jari_store::{FileRecord, PathFilter, Snapshot};
use rayon::prelude::*;
use regex_syntax::hir::Hir;

use crate::pattern::required_grams;
use crate::{Error, Project, Result};

/// Memory that a compiled pattern may take: more is a pattern to keep the machine busy.
const PATTERN_BYTES: usize = 10 * 1024 * 1024;

/// How deep groups may be nested.
const NESTING: u32 = 100;

/// Files looked at before their lines are handed on: enough to keep all threads busy, few enough to hold.
const BLOCK: usize = 512;

/// Parts of a block for each thread, so that none waits long for the last.
const SHARES: usize = 4;

/// Which lines to find.
#[derive(Debug, Clone, PartialEq)]
pub struct GrepRequest {
    /// A regular expression in ripgrep's syntax, or a literal.
    pub pattern: String,
    /// Whether the pattern stands for itself.
    pub literal: bool,
    /// Whether upper and lower case are equal.
    pub ignore_case: bool,
    /// Whether only whole words count.
    pub word: bool,
    /// Languages and paths to look at.
    pub filter: Filter,
    /// What is wanted of each file.
    pub wanted: Wanted,
    /// Matching lines of one file, at most.
    pub max_count: Option<u64>,
    /// Matching lines in all, at most.
    pub limit: Option<u64>,
    /// Grams in a larger part of all files than this do not narrow.
    pub max_gram_frequency: f32,
}

/// What is wanted of each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Its matching lines, with this many lines before and after each.
    Lines {
        /// Lines before.
        before: usize,
        /// Lines after.
        after: usize,
    },
    /// How many lines match.
    Count,
    /// Only whether one does.
    File,
}

/// A file with a match.
#[derive(Debug, Clone, PartialEq)]
pub struct FileMatches {
    /// Relative to the root.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// Lines that match.
    pub count: u64,
    /// Lines that match and those around them, in order; empty if only their number was wanted.
    pub lines: Vec<MatchLine>,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchLine {
    /// Counted from 1.
    pub number: u64,
    /// Without its end.
    pub text: String,
    /// Where the pattern matches, in bytes; empty in lines around a match.
    pub matches: Vec<Range<usize>>,
    /// Whether it matches, or stands near one that does.
    pub is_match: bool,
}

/// What was done to find the lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GrepSummary {
    /// Files with a match.
    pub files: u64,
    /// Lines that match.
    pub lines: u64,
    /// Files that were opened.
    pub looked_at: u64,
    /// Files that the filter lets through.
    pub of: u64,
    /// Whether there may be more lines than the limit let through.
    pub cut: bool,
    /// Files that could not be read as text any more.
    pub unreadable: Vec<(String, Skip)>,
    /// Time in all.
    pub took: Duration,
}

impl GrepRequest {
    /// Whether lines around the matches are wanted.
    pub fn has_context(&self) -> bool {
        matches!(self.wanted, Wanted::Lines { before, after } if before + after > 0)
    }

    /// Whether it can be answered, before anything is read.
    pub fn check(&self) -> Result<()> {
        Pattern::new(self).map(drop)
    }
}

/// What the index says of a pattern.
#[derive(Debug)]
pub struct Plan {
    /// The files that can match, by path.
    candidates: Vec<FileRecord>,
    /// How many the filter lets through.
    of: u64,
}

/// Asks the index which files can match. Nothing else is read from it, so an index that is damaged shows it here, before there is
/// anything to print.
pub fn plan(snapshot: &dyn Snapshot, request: &GrepRequest) -> Result<Plan> {
    let pattern = Pattern::new(request)?;
    let filter = PathFilter::new(&request.filter)
        .map_err(|error| Error::BadFilter(format!("the path filter cannot be read: {error}")))?;
    let allowed = |record: &FileRecord| record.skip.is_none() && filter.allows(record);
    let indexed = snapshot.totals().indexed;
    let most = most_files(indexed, request.max_gram_frequency);
    let narrowed = snapshot.narrow(&required_grams(&pattern.parsed), most)?;
    // Of most patterns the index knows a few files, and the others need not even be listed.
    let mut candidates: Vec<FileRecord> = match narrowed {
        None => snapshot.files()?.iter().filter(|record| allowed(record)).cloned().collect(),
        Some(narrowed) => {
            let records = narrowed.into_iter().map(|file| snapshot.file(file));
            let records = records.filter_map(jari_store::Result::transpose);
            records
                .filter(|record| record.as_ref().map_or(true, allowed))
                .collect::<jari_store::Result<_>>()?
        }
    };
    candidates.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let of = match filter.allows_all() {
        true => indexed,
        false => snapshot.files()?.iter().filter(|record| allowed(record)).count() as u64,
    };
    Ok(Plan { candidates, of })
}

/// Calls `take` with each file that has a match, in the order of paths, until it says that it has enough.
pub fn grep(
    project: &Project,
    request: &GrepRequest,
    plan: Plan,
    take: &mut dyn FnMut(FileMatches) -> bool,
) -> Result<GrepSummary> {
    let start = Instant::now();
    let pattern = Pattern::new(request)?;
    let Plan { candidates, of } = plan;
    let mut summary = GrepSummary { of, ..GrepSummary::default() };
    for block in candidates.chunks(BLOCK) {
        for (record, looked) in block.iter().zip(pattern.look_at(project, request, block)) {
            summary.looked_at += 1;
            match looked {
                Err(reason) => summary.unreadable.push((record.path.clone(), reason)),
                Ok(mut found) if found.count > 0 => {
                    if let Some(limit) = request.limit {
                        summary.cut |= found.keep(limit - summary.lines);
                    }
                    summary.files += 1;
                    summary.lines += found.count;
                    if !take(found) {
                        summary.took = start.elapsed();
                        return Ok(summary);
                    }
                }
                Ok(_) => {}
            }
            if request.limit.is_some_and(|limit| summary.lines >= limit) {
                summary.cut |= summary.looked_at < candidates.len() as u64;
                summary.took = start.elapsed();
                return Ok(summary);
            }
        }
    }
    summary.took = start.elapsed();
    Ok(summary)
}

/// In how many files a gram may stand to narrow anything.
pub(crate) fn most_files(indexed: u64, max_gram_frequency: f32) -> u64 {
    (max_gram_frequency * indexed as f32) as u64
}

/// A pattern, ready to be matched.
struct Pattern {
    parsed: Hir,
    matcher: RegexMatcher,
}

impl Pattern {
    fn new(request: &GrepRequest) -> Result<Self> {
        if request.pattern.is_empty() {
            return Err(Error::EmptyPattern);
        }
        let text =
            if request.literal { regex_syntax::escape(&request.pattern) } else { request.pattern.clone() };
        let parsed = regex_syntax::ParserBuilder::new()
            .utf8(false)
            .multi_line(true)
            .case_insensitive(request.ignore_case)
            .nest_limit(NESTING)
            .build()
            .parse(&text)
            .map_err(|error| Error::BadPattern(error.to_string()))?;
        let matcher = RegexMatcherBuilder::new()
            .multi_line(true)
            .case_insensitive(request.ignore_case)
            .word(request.word)
            .line_terminator(Some(b'\n'))
            .size_limit(PATTERN_BYTES)
            .nest_limit(NESTING)
            .build(&text)
            .map_err(|error| Error::BadPattern(error.to_string()))?;
        Ok(Self { parsed, matcher })
    }

    /// Looks at all of `block` in parallel; answers in its order.
    fn look_at(
        &self,
        project: &Project,
        request: &GrepRequest,
        block: &[FileRecord],
    ) -> Vec<std::result::Result<FileMatches, Skip>> {
        // One reader for several files: it brings memory that each fills anew.
        let several = (block.len() / rayon::current_num_threads() / SHARES).max(1);
        let look = |records: &[FileRecord]| {
            let mut reader = FileReader::new(self.matcher.clone(), project, request);
            records.iter().map(|record| reader.matches(record)).collect::<Vec<_>>()
        };
        block.par_chunks(several).flat_map_iter(look).collect()
    }
}

/// Reads one file after the other.
struct FileReader<'a> {
    matcher: RegexMatcher,
    searcher: Searcher,
    project: &'a Project,
    request: &'a GrepRequest,
    /// Memory of the file before.
    room: Vec<u8>,
}

impl<'a> FileReader<'a> {
    fn new(matcher: RegexMatcher, project: &'a Project, request: &'a GrepRequest) -> Self {
        let (before, after) = match request.wanted {
            Wanted::Lines { before, after } => (before, after),
            Wanted::Count | Wanted::File => (0, 0),
        };
        let max_count = if request.wanted == Wanted::File { Some(1) } else { request.max_count };
        let searcher = SearcherBuilder::new()
            .line_number(matches!(request.wanted, Wanted::Lines { .. }))
            .before_context(before)
            .after_context(after)
            .max_matches(max_count)
            .bom_sniffing(false)
            .binary_detection(BinaryDetection::none())
            .build();
        Self { matcher, searcher, project, request, room: Vec::new() }
    }

    fn matches(&mut self, record: &FileRecord) -> std::result::Result<FileMatches, Skip> {
        let path = self.project.root.join(&record.path);
        let room = std::mem::take(&mut self.room);
        let text = match jari_source::read_unmasked(&path, &self.project.limits, room) {
            // What is gone has no lines.
            Err(Skip::Unreadable) if !path.exists() => String::new(),
            other => other?,
        };
        let mut found = self.search(&text);
        // To look for secrets costs as much as to look for the pattern, and most files have no match.
        if found.0 > 0
            && let Cow::Owned(masked) = jari_source::masked(&text)
        {
            found = self.search(&masked);
        }
        let (count, lines) = found;
        self.room = text.into_bytes();
        Ok(FileMatches { path: record.path.clone(), language: record.language.clone(), count, lines })
    }

    fn search(&mut self, text: &str) -> (u64, Vec<MatchLine>) {
        let with_lines = matches!(self.request.wanted, Wanted::Lines { .. });
        let mut found = Found { matcher: &self.matcher, with_lines, count: 0, lines: Vec::new() };
        // The text is in memory: nothing can fail.
        let _ = self.searcher.search_slice(&self.matcher, text.as_bytes(), &mut found);
        (found.count, found.lines)
    }
}

/// Collects what the searcher finds.
struct Found<'a> {
    matcher: &'a RegexMatcher,
    with_lines: bool,
    count: u64,
    lines: Vec<MatchLine>,
}

impl Sink for Found<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> std::io::Result<bool> {
        self.count += 1;
        if self.with_lines {
            let text = line(found.bytes());
            let mut matches = Vec::new();
            let all = self.matcher.find_iter(text.as_bytes(), |found| {
                matches.push(found.start()..found.end());
                true
            });
            // This matcher has no way to fail.
            all.ok();
            matches.retain(|range| text.get(range.clone()).is_some());
            let number = found.line_number().unwrap_or_default();
            self.lines.push(MatchLine { number, text, matches, is_match: true });
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> std::io::Result<bool> {
        let number = context.line_number().unwrap_or_default();
        let text = line(context.bytes());
        self.lines.push(MatchLine { number, text, matches: Vec::new(), is_match: false });
        Ok(true)
    }
}

fn line(bytes: &[u8]) -> String {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned()
}

impl FileMatches {
    /// Keeps the first `most` matching lines, and the lines around them; says whether something was dropped.
    fn keep(&mut self, most: u64) -> bool {
        if self.count <= most {
            return false;
        }
        self.count = most;
        let mut matching = self.lines.iter().enumerate().filter(|(_, line)| line.is_match);
        if let Some((at, _)) = matching.nth(most as usize) {
            self.lines.truncate(at);
        }
        true
    }
}
