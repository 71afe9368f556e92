//! Links in the words of the question: a document that merely points to the answer lets what it points to go before it.

use std::collections::HashMap;

use jari_base::{ChunkId, Chunked, Explanation, Filter, Link};
use jari_rank::Ranked;
use jari_store::{FileRecord, Files, PathFilter, Snapshot, StoredChunk};
use jari_text::Query;

use crate::Result;
use crate::links::{Site, Target, section_named};

/// Places whose links are looked at. What stands further below would not carry what it points to into sight.
const PLACES: usize = 10;

/// The share of words, of those of the question and of a link together, that both must say. Fewer, and the link speaks of something else.
const SAID: f32 = 0.6;

/// Puts what the first places point to in the words of the question before them. What is `read` for it is kept.
pub(crate) fn follow(
    snapshot: &dyn Snapshot,
    query: &Query,
    (filter, allowed): (&Filter, &PathFilter),
    ranked: &mut Vec<Ranked>,
    read: &mut HashMap<ChunkId, StoredChunk>,
) -> Result<()> {
    let first = ranked.iter().take(PLACES).map(|ranked| ranked.chunk);
    let unread: Vec<ChunkId> = first.filter(|id| !read.contains_key(id)).collect();
    read.extend(snapshot.hydrate(&unread)?.into_iter().map(|chunk| (chunk.id, chunk)));
    let files = snapshot.files()?;
    let mut site = None;
    let mut at = 0;
    while at < PLACES
        && let Some(place) = ranked.get(at).map(|ranked| ranked.chunk)
    {
        let links = read.get(&place).map(|chunk| chunk.links.as_slice()).unwrap_or_default();
        let telling =
            links.iter().map(|link| (said(query, &link.text), link)).filter(|(said, _)| *said >= SAID);
        let best = telling.max_by(|one, two| one.0.total_cmp(&two.0));
        if let (Some((_, link)), Some(from)) = (best, files.get(place.file)) {
            let site = site.get_or_insert_with(|| Site::of_files(&files));
            let meant = target(snapshot, site, &files, from, link)?;
            let is_wanted = |(record, chunked, ordinal): &(&FileRecord, Chunked, usize)| {
                let kind = chunked.chunks[*ordinal].kind;
                allowed.allows(record) && (filter.kinds.is_empty() || filter.kinds.contains(&kind))
            };
            if let Some((record, _, ordinal)) = meant.filter(is_wanted) {
                at += usize::from(lift(ranked, at, ChunkId { file: record.id, ordinal: ordinal as u32 }));
            }
        }
        at += 1;
    }
    Ok(())
}

/// How much of two texts both say, by their words: 1 for the same words.
fn said(query: &Query, text: &str) -> f32 {
    let other = Query::new(text);
    let weights = |query: &Query| query.weights.iter().sum::<f32>();
    let shared: f32 = query
        .terms
        .iter()
        .zip(&query.weights)
        .filter(|(term, _)| other.terms.contains(term))
        .map(|(_, weight)| *weight)
        .sum();
    shared / (weights(query) + weights(&other) - shared).max(f32::MIN_POSITIVE)
}

/// The chunk that a link leads to: where the section begins that it names, or the document.
fn target<'f>(
    snapshot: &dyn Snapshot,
    site: &Site<'_>,
    files: &'f Files,
    from: &FileRecord,
    link: &Link,
) -> Result<Option<(&'f FileRecord, Chunked, usize)>> {
    let Target::Inside { path, fragment, .. } = site.resolve(&from.path, link) else { return Ok(None) };
    let Some(record) = files.at(&path).filter(|record| record.skip.is_none()) else { return Ok(None) };
    let Some(chunked) = snapshot.chunked(record.id)? else { return Ok(None) };
    let Some(document) = &chunked.document else { return Ok(None) };
    let line = match &fragment {
        Some(fragment) => section_named(document, fragment).map(|section| section.lines.start),
        None => Some(1),
    };
    let ordinal = line.and_then(|line| chunked.chunks.iter().position(|chunk| line <= chunk.lines.end));
    Ok(ordinal.map(|ordinal| (record, chunked, ordinal)))
}

/// Puts a chunk before the place at `at`, unless it stands there already. Returns whether the place has moved down.
fn lift(ranked: &mut Vec<Ranked>, at: usize, chunk: ChunkId) -> bool {
    let found = ranked.iter().position(|ranked| ranked.chunk == chunk);
    if found.is_some_and(|found| found <= at) {
        return false;
    }
    let Ranked { score, factor, word_by_word, .. } = ranked[at];
    let own = found.map(|found| ranked.remove(found));
    let mut explained = vec![Explanation::node(
        "the place that points to it in the words of the question",
        score,
        ranked[at].explanation.details.clone(),
    )];
    let (mut bm25, mut cosine) = (0.0, 0.0);
    if let Some(own) = own {
        (bm25, cosine) = (own.bm25, own.cosine);
        explained.push(Explanation::node("of its own", own.score, own.explanation.details));
    }
    let explanation = Explanation::node(ranked[at].explanation.label.clone(), score, explained);
    ranked.insert(at, Ranked { chunk, score, bm25, cosine, word_by_word, factor, explanation });
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_say_what_was_asked_or_something_else() {
        let said = |question: &str, link: &str| said(&Query::new(question), link);
        assert_eq!(said("removing dependencies", "How to remove dependencies"), 1.0);
        assert!(said("remove effect dependencies", "removing dependencies of an effect") > SAID);
        assert!(said("state", "state as a snapshot of a component") < SAID);
        assert_eq!(said("timeouts", ""), 0.0);
        assert_eq!(said("의존성 제거", "의존성 제거"), 1.0);
    }
}
