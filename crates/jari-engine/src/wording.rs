//! The best places once more, by the words of the question one by one: a vector of a whole text blurs them.

use jari_base::ChunkId;
use jari_embed::{Document, Model, path_heading};
use jari_rank::Ranked;
use jari_store::Snapshot;

use crate::Result;

/// Places that are looked at. With 30, and all words of a question counting alike, functions scored 0.0006 less and link texts 0.0045;
/// with 60 and 100 the same. It was not compared again since words count by the length of their vectors.
pub(crate) const PLACES: usize = 45;

/// Puts the first [`PLACES`] in order again.
pub(crate) fn order(
    model: &Model,
    snapshot: &dyn Snapshot,
    question: &str,
    ranked: &mut [Ranked],
) -> Result<()> {
    let Some(mut wording) = model.wording(question) else { return Ok(()) };
    for (at, ranked) in ranked.iter_mut().enumerate() {
        let answered =
            if at < PLACES { wording.answered(&words(model, snapshot, ranked.chunk)?) } else { 0.0 };
        ranked.count_words(answered);
    }
    ranked.sort_by(|one, two| two.score.total_cmp(&one.score));
    Ok(())
}

/// The words of a chunk, as they are kept, or as the model reads them where it has not read them before.
fn words(model: &Model, snapshot: &dyn Snapshot, id: ChunkId) -> Result<Vec<u32>> {
    if let Some(words) = snapshot.words(id)? {
        return Ok(words);
    }
    let Some(chunk) = snapshot.hydrate(&[id])?.pop() else { return Ok(Vec::new()) };
    let mut around = snapshot.file(id.file)?.map(|record| path_heading(&record.path)).unwrap_or_default();
    for section in &chunk.sections {
        let titles = section.title.iter().chain(&section.heading_path);
        titles.for_each(|title| around.extend([" ", title]));
    }
    Ok(model.read(&Document { text: &chunk.text, heading: "", around: &around }).words)
}
