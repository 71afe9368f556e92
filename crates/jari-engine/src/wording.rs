//! The best places once more, by the words of the question one by one: a vector of a whole text blurs them.

use std::collections::HashMap;

use jari_base::ChunkId;
use jari_embed::{Model, path_heading};
use jari_rank::Ranked;
use jari_store::{Snapshot, StoredChunk};

use crate::Result;

/// Puts the first `most` places in order again; returns the texts that were read for it.
pub(crate) fn order(
    model: &Model,
    snapshot: &dyn Snapshot,
    question: &str,
    ranked: &mut [Ranked],
    most: usize,
) -> Result<HashMap<ChunkId, StoredChunk>> {
    let Some(mut wording) = model.wording(question) else { return Ok(HashMap::new()) };
    let most = most.min(ranked.len());
    let ids: Vec<ChunkId> = ranked[..most].iter().map(|ranked| ranked.chunk).collect();
    let chunks: HashMap<ChunkId, StoredChunk> =
        snapshot.hydrate(&ids)?.into_iter().map(|chunk| (chunk.id, chunk)).collect();
    let files = snapshot.files()?;
    for ranked in ranked.iter_mut() {
        let answered = chunks.get(&ranked.chunk).map_or(0.0, |chunk| {
            let path = files.get(chunk.id.file).map(|record| path_heading(&record.path)).unwrap_or_default();
            let mut texts = vec![path.as_str(), chunk.text.as_str()];
            for section in &chunk.sections {
                texts.extend(section.title.as_deref());
                texts.extend(section.heading_path.iter().map(String::as_str));
            }
            wording.answered(&texts)
        });
        ranked.count_words(answered);
    }
    ranked.sort_by(|one, two| two.score.total_cmp(&one.score));
    Ok(chunks)
}
