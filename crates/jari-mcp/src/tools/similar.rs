//! `get_similar_patterns`: code in, code that means the same out.

use jari_base::{Filter, LineRange, Mode};
use jari_engine::documents::Page;
use jari_engine::narrow::{self, Only};
use jari_engine::search::{Hit, SearchRequest, search};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Tool;
use super::read::Target;
use super::search::item;
use crate::answer::{self, Answer};
use crate::arguments::Shape;
use crate::call::{Call, Refusal};

/// Find code like a snippet or a place, by meaning. Give one of the two.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetSimilarPatterns {
    code_snippet: Option<String>,
    /// `path:10-40`
    place: Option<String>,
    /// Default 5
    #[schemars(range(min = 1, max = 50))]
    top_k: Option<usize>,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for GetSimilarPatterns {
    const NAME: &'static str = "get_similar_patterns";
    const TITLE: &'static str = "Find similar code";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { code_snippet, place, top_k, shape } = self;
        let (snippet, itself) = match (code_snippet, place) {
            (Some(snippet), None) => (snippet, None),
            (None, Some(place)) => {
                let (path, lines, text) = text_at(call, &place)?;
                (text, Some((path, lines)))
            }
            _ => return Err("give `code_snippet` or `place`, and not both".to_owned().into()),
        };
        let (offset, top_k) = (answer::offset(&shape)?, top_k.unwrap_or(5));
        let filter = Filter { languages: narrow::languages(&[], Some(Only::Code))?, ..Filter::default() };
        let source = call.source(&snippet, &filter)?;
        // The place itself may be among them.
        let limit = offset + top_k + 2;
        let request = SearchRequest {
            mode: Mode::Semantic,
            limit,
            filter,
            bm25: call.served.bm25,
            ..SearchRequest::new(snippet)
        };
        let response = search(call.project(), &*source.snapshot, &request)?;
        let is_itself = |hit: &&Hit| {
            itself.as_ref().is_some_and(|(path, lines)| {
                hit.path == *path && hit.lines.start <= lines.end && lines.start <= hit.lines.end
            })
        };
        let others = response.hits.iter().filter(|hit| !is_itself(hit));
        let degraded = source.degraded.or_else(|| response.degraded.map(|degraded| degraded.as_str()));
        let answer = Answer::after(offset, others.map(item)).first(top_k);
        Ok(Answer { notes: source.notes, degraded, ..answer })
    }
}

/// The text of a place.
fn text_at(call: &Call<'_>, place: &str) -> Result<(String, LineRange, String), Refusal> {
    let target = Target::parse(place);
    let path = call.path(&target.path);
    let page = Page::open(call.project(), &path)?;
    let total = page.text.lines().count().max(1) as u32;
    let (first, last) = target.lines.unwrap_or((1, total));
    if first == 0 || first > last.min(total) {
        return Err(format!("`{path}` has {total} lines, counted from 1").into());
    }
    let lines = LineRange::new(first, last.min(total));
    Ok((path, lines, lines.slice(&page.text).to_owned()))
}
