//! `get_similar_patterns`: code in, code that means the same out.

use jari_base::{Filter, LineRange};
use jari_engine::documents::Page;
use jari_engine::narrow::{self, Only};
use jari_engine::similar::{Like, similar};
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
        let like = match (code_snippet, place) {
            (Some(text), None) => Like { text, place: None },
            (None, Some(place)) => text_at(call, &place)?,
            _ => return Err("give `code_snippet` or `place`, and not both".to_owned().into()),
        };
        let (offset, top_k) = (answer::offset(&shape)?, top_k.unwrap_or(5));
        let filter = Filter { languages: narrow::languages(&[], Some(Only::Code))?, ..Filter::default() };
        let source = call.source(&like.text, &filter)?;
        // One more than asked for tells whether there are more.
        let limit = offset + top_k + 1;
        let response = similar(call.project(), &*source.snapshot, &like, filter, limit)?;
        let degraded = source.degraded.or_else(|| response.degraded.map(|degraded| degraded.as_str()));
        let answer = Answer::after(offset, response.hits.iter().map(item)).first(top_k);
        Ok(Answer { notes: source.notes, degraded, ..answer })
    }
}

/// The text of a place.
fn text_at(call: &Call<'_>, place: &str) -> Result<Like, Refusal> {
    let target = Target::parse(place);
    let path = call.path(&target.path);
    let page = Page::open(call.project(), &path)?;
    let total = page.text.lines().count().max(1) as u32;
    let (first, last) = target.lines.unwrap_or((1, total));
    if first == 0 || first > last.min(total) {
        return Err(format!("`{path}` has {total} lines, counted from 1").into());
    }
    let lines = LineRange::new(first, last.min(total));
    Ok(Like { text: lines.slice(&page.text).to_owned(), place: Some((path, lines)) })
}
