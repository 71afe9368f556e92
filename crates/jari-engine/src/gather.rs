//! From ranked chunks to hits: texts are read, conditions checked, and pieces of one thing become one place.

use std::collections::{HashMap, HashSet};

use jari_base::{ChunkId, LineRange};
use jari_rank::{Lists, Ranked};
use jari_store::{Snapshot, StoredChunk, StoredSection};
use jari_text::{Query, Tokenizer, Typed, fold_name};

use crate::pack::Shown;
use crate::search::{Hit, is_fresh};
use crate::{Project, Result, preview};

/// Lines of a preview.
const PREVIEW: usize = 4;

/// Where the same text stands again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// Relative to the root.
    pub path: String,
    /// Where.
    pub lines: LineRange,
}

/// What a text must say, or must not, to be an answer.
pub(crate) struct Conditions {
    without: HashSet<String>,
    phrases_without: Vec<String>,
    phrases: Vec<String>,
    phrases_required: bool,
    symbols: Vec<String>,
}

impl Conditions {
    pub(crate) fn new(typed: &Typed) -> Self {
        let mut without = HashSet::new();
        let (excluded, words): (Vec<_>, Vec<_>) =
            typed.without.iter().partition(|word| word.contains(char::is_whitespace));
        for word in words {
            Tokenizer::of_thread(|tokenizer| {
                tokenizer.tokens(word, |token| {
                    without.insert(token.text.to_owned());
                });
            });
        }
        Self {
            without,
            phrases_without: excluded.iter().map(|phrase| plain(phrase)).collect(),
            phrases: typed.phrases.iter().map(|phrase| plain(phrase)).collect(),
            phrases_required: typed.only_phrases,
            symbols: typed.symbols.iter().map(|symbol| fold_name(symbol)).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.without.is_empty()
            && self.phrases_without.is_empty()
            && self.symbols.is_empty()
            && !self.phrases_required
    }

    fn hold(&self, chunk: &StoredChunk) -> bool {
        let defines = |wanted: &String| {
            chunk.symbol.as_ref().is_some_and(|symbol| {
                fold_name(&symbol.name) == *wanted || fold_name(&symbol.qualified()) == *wanted
            })
        };
        let text = || plain(&chunk.text);
        self.symbols.iter().all(defines)
            && (!self.phrases_required || {
                let text = text();
                self.phrases.iter().all(|phrase| text.contains(phrase))
            })
            && (self.phrases_without.is_empty() || {
                let text = text();
                self.phrases_without.iter().all(|phrase| !text.contains(phrase))
            })
            && !self.mentions_excluded(&chunk.text)
    }

    fn mentions_excluded(&self, text: &str) -> bool {
        let mut found = false;
        if !self.without.is_empty() {
            Tokenizer::of_thread(|tokenizer| {
                tokenizer.tokens(text, |token| found |= self.without.contains(token.text));
            });
        }
        found
    }
}

/// As it is compared: lower case, every gap one blank.
fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A place on the way to a hit.
pub(crate) struct Gathered {
    ranked: Ranked,
    chunk: StoredChunk,
    /// The ordinals of its first and last piece.
    first: u32,
    last: u32,
    /// The same text in other files.
    elsewhere: Vec<(ChunkId, LineRange)>,
}

/// The first `limit` places that meet the conditions. Overlapping pieces, and neighbouring ones of one symbol or section, become one place;
/// a text that stands in several files is one place that names the others. What was `read` already is not read again.
pub(crate) fn gather(
    snapshot: &dyn Snapshot,
    ranked: Vec<Ranked>,
    conditions: &Conditions,
    limit: usize,
    mut read: HashMap<ChunkId, StoredChunk>,
) -> Result<Vec<Gathered>> {
    let mut places: Vec<Gathered> = Vec::new();
    let mut rest = ranked.into_iter();
    while places.len() < limit {
        // Where conditions leave places out, more texts must be read than places are missing.
        let wanted = if conditions.is_empty() { limit - places.len() } else { limit };
        let next: Vec<Ranked> = rest.by_ref().take(wanted).collect();
        if next.is_empty() {
            break;
        }
        let ids = next.iter().map(|ranked| ranked.chunk).filter(|id| !read.contains_key(id));
        let unread: Vec<ChunkId> = ids.collect();
        read.extend(snapshot.hydrate(&unread)?.into_iter().map(|chunk| (chunk.id, chunk)));
        for ranked in next {
            // A store leaves out chunks it does not know.
            let Some(chunk) = read.remove(&ranked.chunk) else { continue };
            if places.len() < limit && conditions.hold(&chunk) {
                add(&mut places, ranked, chunk);
            }
        }
    }
    Ok(places)
}

fn add(places: &mut Vec<Gathered>, ranked: Ranked, chunk: StoredChunk) {
    if let Some(place) = places.iter_mut().find(|place| are_pieces_of_one(place, &chunk)) {
        place.chunk.lines = LineRange::new(
            place.chunk.lines.start.min(chunk.lines.start),
            place.chunk.lines.end.max(chunk.lines.end),
        );
        let known: HashSet<String> = place.chunk.sections.iter().map(|section| section.id.clone()).collect();
        place
            .chunk
            .sections
            .extend(chunk.sections.into_iter().filter(|section| !known.contains(&section.id)));
        place.first = place.first.min(chunk.id.ordinal);
        place.last = place.last.max(chunk.id.ordinal);
        return;
    }
    let same = |place: &&mut Gathered| {
        place.first == place.last
            && place.chunk.id.file != chunk.id.file
            && place.chunk.text.trim() == chunk.text.trim()
    };
    if let Some(place) = places.iter_mut().find(same) {
        place.elsewhere.push((chunk.id, chunk.lines));
        return;
    }
    let (first, last) = (chunk.id.ordinal, chunk.id.ordinal);
    places.push(Gathered { ranked, chunk, first, last, elsewhere: Vec::new() });
}

/// Whether two chunks overlap, or lie side by side in one symbol or section.
fn are_pieces_of_one(one: &Gathered, two: &StoredChunk) -> bool {
    let (place, piece) = (&one.chunk, two);
    if place.id.file != piece.id.file {
        return false;
    }
    let overlap = place.lines.start <= piece.lines.end && piece.lines.start <= place.lines.end;
    let beside = piece.id.ordinal + 1 == one.first || one.last + 1 == piece.id.ordinal;
    let same_symbol = place.symbol.is_some() && place.symbol == piece.symbol;
    let same_section =
        place.sections.iter().any(|section| piece.sections.iter().any(|other| other.id == section.id));
    overlap || (beside && (same_symbol || same_section))
}

/// Places with all that a hit tells.
pub(crate) fn hits(
    project: &Project,
    snapshot: &dyn Snapshot,
    gathered: Vec<Gathered>,
    query: &Query,
    lists: Option<&Lists>,
) -> Result<Vec<Hit>> {
    let files = snapshot.files()?;
    let terms: HashSet<&str> = query.terms.iter().map(String::as_str).collect();
    let mut hits = Vec::with_capacity(gathered.len());
    for Gathered { ranked, mut chunk, first, last, elsewhere } in gathered {
        let Some(record) = files.get(chunk.id.file) else { continue };
        if first != last
            && let Some(text) = snapshot.text(chunk.id.file)?
        {
            chunk.text = chunk.lines.slice(&text).to_owned();
        }
        let (preview, matched) = Tokenizer::of_thread(|tokenizer| {
            preview::telling_lines(tokenizer, &chunk.text, chunk.lines, &terms, PREVIEW)
        });
        let also = elsewhere
            .into_iter()
            .filter_map(|(id, lines)| Some(Elsewhere { path: files.get(id.file)?.path.clone(), lines }));
        hits.push(Hit {
            path: record.path.clone(),
            lines: chunk.lines,
            kind: chunk.kind,
            language: record.language.clone(),
            symbol: chunk.symbol,
            section: telling_section(chunk.sections, &preview),
            head: chunk.head,
            score: ranked.score,
            bm25: ranked.bm25,
            cosine: ranked.cosine,
            fresh: is_fresh(project, record),
            preview,
            text: Some(chunk.text),
            text_lines: chunk.lines,
            shown: Shown::Whole,
            elsewhere: also.collect(),
            matched,
            found_by: lists.map(|lists| lists.of(ranked.chunk)).unwrap_or_default(),
            explanation: lists.is_some().then_some(ranked.explanation),
        });
    }
    Ok(hits)
}

/// Of the sections that a hit touches, the one whose lines show most of the query; of equal ones the first.
fn telling_section(sections: Vec<StoredSection>, preview: &[preview::Line]) -> Option<StoredSection> {
    let marks = |section: &StoredSection| -> usize {
        let shown = preview.iter().filter(|line| section.lines.contains(line.number));
        shown.map(|line| line.highlights.len()).sum()
    };
    sections.into_iter().rev().max_by_key(marks)
}

/// What a rank counts in [`fused`]: the usual constant of reciprocal rank fusion.
const RANK: f32 = 60.0;

/// One list of several, by ranks alone; each place as the list has it that puts it highest.
pub(crate) fn fused(lists: Vec<Vec<Hit>>, limit: usize) -> Vec<Hit> {
    let best = lists.len() as f32 / (RANK + 1.0);
    let mut hits: Vec<(f32, usize, Hit)> = Vec::new();
    for list in lists {
        for (rank, hit) in list.into_iter().enumerate() {
            let score = 1.0 / (RANK + rank as f32 + 1.0);
            match hits.iter_mut().find(|(_, _, known)| known.path == hit.path && known.lines == hit.lines) {
                None => hits.push((score, rank, hit)),
                Some((sum, highest, known)) => {
                    *sum += score;
                    if rank < *highest {
                        (*highest, *known) = (rank, hit);
                    }
                }
            }
        }
    }
    hits.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1)));
    hits.truncate(limit);
    hits.into_iter().map(|(sum, _, hit)| Hit { score: sum / best, ..hit }).collect()
}
