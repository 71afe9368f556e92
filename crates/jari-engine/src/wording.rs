//! The best places once more, by the words of the question one by one: a vector of a whole text blurs them.

use jari_base::{Candidates, ChunkId};
use jari_embed::{Document, Model, path_heading};
use jari_rank::Ranked;
use jari_store::Snapshot;
use jari_text::Query;
use rustc_hash::FxHashMap;

use crate::Result;

/// Places that are looked at. With 30, functions score 0.0006 less and English link texts 0.006; with 60, Korean sentences score
/// 0.0003 more and nothing else moves.
pub(crate) const PLACES: usize = 45;

/// Puts the first [`PLACES`] in order again.
pub(crate) fn order(
    model: &Model,
    snapshot: &dyn Snapshot,
    question: &str,
    (query, candidates): (&Query, &Candidates),
    ranked: &mut [Ranked],
) -> Result<()> {
    let most = candidates.rarity.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let weight = |word: &str| 1.0 + rarity(query, candidates, word).map_or(1.0, |rarity| rarity / most);
    let Some(mut wording) = model.wording(question, weight) else { return Ok(()) };
    let first: Vec<ChunkId> = ranked.iter().take(PLACES).map(|ranked| ranked.chunk).collect();
    let words = words(model, snapshot, &first)?;
    for (at, ranked) in ranked.iter_mut().enumerate() {
        ranked.count_words(words.get(at).map_or(0.0, |words| wording.answered(words)));
    }
    ranked.sort_by(|one, two| two.score.total_cmp(&one.score));
    Ok(())
}

/// How rare a word of the question is, if it stands anywhere.
fn rarity(query: &Query, candidates: &Candidates, word: &str) -> Option<f32> {
    let own = Query::new(word).terms;
    let terms = query.terms.iter().zip(&candidates.rarity).filter(|(term, _)| own.contains(term));
    terms.map(|(_, rarity)| *rarity).filter(|rarity| *rarity > 0.0).reduce(f32::max)
}

/// The words of each chunk, as they are kept, or as the model reads them where it has not read them before.
fn words(model: &Model, snapshot: &dyn Snapshot, ids: &[ChunkId]) -> Result<Vec<Vec<u32>>> {
    let kept = snapshot.words(ids)?;
    let unread = ids.iter().zip(&kept).filter(|(_, kept)| kept.is_none()).map(|(id, _)| *id);
    let mut read: FxHashMap<ChunkId, Vec<u32>> = FxHashMap::default();
    for chunk in snapshot.hydrate(&unread.collect::<Vec<_>>())? {
        let record = snapshot.file(chunk.id.file)?;
        let mut around = record.map(|record| path_heading(&record.path)).unwrap_or_default();
        for section in &chunk.sections {
            let titles = section.title.iter().chain(&section.heading_path);
            titles.for_each(|title| around.extend([" ", title]));
        }
        let document = Document { text: &chunk.text, heading: "", around: &around };
        read.insert(chunk.id, model.read(&document).words);
    }
    let each = kept.into_iter().zip(ids);
    Ok(each.map(|(kept, id)| kept.or_else(|| read.remove(id)).unwrap_or_default()).collect())
}
