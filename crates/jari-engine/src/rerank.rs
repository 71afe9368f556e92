//! A last look at the best places, by whoever reads better than sums of signals do.

use std::collections::HashMap;

use jari_embed::Trouble;
use jari_rank::Ranked;
use jari_store::{Snapshot, StoredChunk};

use crate::Result;
use crate::search::SearchRequest;

/// Puts the best places in order. None is used unless the user names one: those made for prose lower the order of code.
pub trait Reranker: std::fmt::Debug + Send + Sync {
    /// The places of `texts` in a better order.
    fn order(&self, question: &str, texts: &[&str]) -> Opinion;
}

/// What a [`Reranker`] thinks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Opinion {
    /// The numbers of the places, best first; `None` if it cannot tell. Numbers it leaves out come after those it names, in the
    /// order they had.
    pub order: Option<Vec<usize>>,
    /// How often somebody else was asked for it.
    pub calls: usize,
    /// Why it cannot tell.
    pub trouble: Option<Trouble>,
}

/// Puts the first places in the order that `reranker` gives them, if it can.
pub(crate) fn rerank(
    reranker: &dyn Reranker,
    snapshot: &dyn Snapshot,
    request: &SearchRequest,
    ranked: &mut Vec<Ranked>,
) -> Result<Opinion> {
    let most = request.tuning.budget.rerank_candidates.min(ranked.len());
    let ids: Vec<_> = ranked[..most].iter().map(|ranked| ranked.chunk).collect();
    let chunks = snapshot.hydrate(&ids)?;
    let texts: HashMap<_, &StoredChunk> = chunks.iter().map(|chunk| (chunk.id, chunk)).collect();
    let texts: Vec<&str> =
        ids.iter().map(|id| texts.get(id).map_or("", |chunk| chunk.text.as_str())).collect();
    let opinion = reranker.order(&request.query, &texts);
    if let Some(order) = &opinion.order {
        reorder(ranked, most, order);
    }
    Ok(opinion)
}

/// Puts the first `most` places in `order`; what it does not name comes after. Scores stay where they are, so that the list still falls.
pub(crate) fn reorder(places: &mut Vec<Ranked>, most: usize, order: &[usize]) {
    let scores: Vec<f32> = places[..most].iter().map(|ranked| ranked.score).collect();
    let rest = places.split_off(most);
    let mut left: Vec<Option<Ranked>> = std::mem::take(places).into_iter().map(Some).collect();
    let named: Vec<Ranked> = order.iter().filter_map(|at| left.get_mut(*at).and_then(Option::take)).collect();
    let new = named.into_iter().chain(left.into_iter().flatten());
    *places = new.zip(scores).map(|(new, score)| Ranked { score, ..new }).chain(rest).collect();
}
