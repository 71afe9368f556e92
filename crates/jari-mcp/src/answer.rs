//! What a tool found, before and after it is fitted into the tokens that were asked for.

use jari_text::estimate_tokens;
use jari_wire::{AnswerJson, CutJson, IndexJson, PlaceJson};

use crate::arguments::{Format, Shape};

/// Tokens of an answer where none are asked for.
const MAX_TOKENS: usize = 4_000;

/// Tokens kept for the line that says how far the index can be trusted, and for notes.
const FOOTER: usize = 120;

/// A place with the texts that may be shown of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Item {
    pub(crate) place: PlaceJson,
    /// All of it.
    pub(crate) whole: Option<String>,
    /// Its telling lines, or its signature.
    pub(crate) short: Option<String>,
}

impl From<PlaceJson> for Item {
    fn from(place: PlaceJson) -> Self {
        Self { place, whole: None, short: None }
    }
}

/// What a tool found.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) items: Vec<Item>,
    /// How many items the cursor skipped.
    pub(crate) offset: usize,
    /// Whether there are more behind the last item.
    pub(crate) more: bool,
    pub(crate) near: Vec<String>,
    pub(crate) notes: Vec<String>,
    /// What should have helped and did not.
    pub(crate) degraded: Option<&'static str>,
    /// Figures of their own, of tools that have some.
    pub(crate) details: Option<serde_json::Value>,
}

impl Answer {
    /// A list of which the first `offset` items were seen before.
    pub(crate) fn after(offset: usize, items: impl IntoIterator<Item = Item>) -> Self {
        Self { items: items.into_iter().skip(offset).collect(), offset, ..Self::default() }
    }

    /// At most `most` items; more are for the next call.
    pub(crate) fn first(mut self, most: usize) -> Self {
        self.more |= self.items.len() > most;
        self.items.truncate(most);
        self
    }

    /// Shortens items from the first to the last until they fit: whole text, telling lines, place alone, left for the next
    /// call. The first one is always there, cut if it must be.
    pub(crate) fn fit(self, shape: &Shape, index: IndexJson) -> AnswerJson {
        let detailed = shape.response_format.unwrap_or_default() == Format::Detailed;
        let mut left = shape.max_tokens.unwrap_or(MAX_TOKENS).saturating_sub(FOOTER);
        let mut cut = CutJson::default();
        let mut results = Vec::new();
        let all = self.items.len();
        for Item { mut place, whole, short } in self.items {
            let head = head_tokens(&place);
            if head > left && !results.is_empty() {
                break;
            }
            left = left.saturating_sub(head);
            let wanted = if detailed { whole.or_else(|| short.clone()) } else { short.clone() };
            if let Some(wanted) = wanted {
                match shortened(wanted, short, left, results.is_empty()) {
                    Some((text, is_short)) => {
                        left = left.saturating_sub(estimate_tokens(&text) + 6);
                        cut.shortened += usize::from(is_short);
                        place.text = Some(text);
                    }
                    None => cut.places += 1,
                }
            }
            results.push(place);
        }
        cut.dropped = all - results.len();
        let next = self.offset + results.len();
        let more = self.more || cut.dropped > 0;
        AnswerJson {
            cursor: more.then(|| format!("{next}@{}", index.generation)),
            index,
            degraded: self.degraded.is_some(),
            reason: self.degraded,
            cut: Some(cut).filter(|cut| *cut != CutJson::default()),
            near: self.near,
            notes: self.notes,
            details: self.details,
            results,
        }
    }
}

/// The first of `wanted` and `short` that fits into `left` tokens, and whether it is less than was wanted.
fn shortened(wanted: String, short: Option<String>, left: usize, is_first: bool) -> Option<(String, bool)> {
    if estimate_tokens(&wanted) + 6 <= left {
        return Some((wanted, false));
    }
    let short = short.filter(|short| estimate_tokens(short) + 6 <= left);
    match short {
        Some(short) => Some((short, true)),
        None if is_first => Some((beginning(&wanted, left), true)),
        None => None,
    }
}

/// The first lines of `text` that fit into `left` tokens.
pub(crate) fn beginning(text: &str, left: usize) -> String {
    let mut kept = String::new();
    let mut used = 8;
    for line in text.split_inclusive('\n') {
        used += estimate_tokens(line) + 1;
        if used > left {
            break;
        }
        kept.push_str(line);
    }
    kept
}

/// Tokens of the line that names a place.
fn head_tokens(place: &PlaceJson) -> usize {
    let named = [place.name.as_deref(), place.relation.as_deref(), place.section_id.as_deref()];
    let named: usize = named.into_iter().flatten().map(estimate_tokens).sum();
    estimate_tokens(&place.path) + named + 14
}

/// How many items a cursor skips.
pub(crate) fn offset(shape: &Shape) -> Result<usize, String> {
    let Some(cursor) = &shape.cursor else { return Ok(0) };
    let number = cursor.split('@').next().and_then(|number| number.parse().ok());
    number.ok_or_else(|| {
        format!(
            "`cursor` is `{cursor}`, which no answer gave: leave it out, or give that of the answer before"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(words: usize) -> Item {
        let place = PlaceJson { path: "src/a.rs".to_owned(), ..PlaceJson::default() };
        Item { place, whole: Some("word ".repeat(words)), short: Some("short".to_owned()) }
    }

    /// The texts' lengths, what was cut, and the cursor, of three items.
    fn fitted(max_tokens: usize, words: [usize; 3]) -> (Vec<usize>, CutJson, Option<String>) {
        let shape = Shape { max_tokens: Some(max_tokens), ..Shape::default() };
        let answer = Answer::after(0, words.map(item)).fit(&shape, IndexJson::default());
        let lengths = answer.results.iter().map(|place| place.text.as_ref().map_or(0, String::len)).collect();
        (lengths, answer.cut.unwrap_or_default(), answer.cursor)
    }

    #[test]
    fn texts_are_shortened_before_places_are_left_out() {
        assert_eq!(fitted(4_000, [100, 100, 100]), (vec![500, 500, 500], CutJson::default(), None));
        let (lengths, cut, cursor) = fitted(400, [100, 300, 100]);
        assert_eq!(lengths, [500, 5, 500]);
        assert_eq!((cut.shortened, cursor), (1, None));
        let (lengths, cut, cursor) = fitted(160, [3, 300, 100]);
        assert_eq!((lengths.len(), cut.dropped, cursor), (1, 2, Some("1@0".to_owned())));
    }

    #[test]
    fn the_first_place_is_always_there() {
        let (lengths, ..) = fitted(100, [3_000, 1, 1]);
        assert_eq!(lengths, [0]);
    }

    #[test]
    fn a_cursor_that_no_answer_gave_is_refused() {
        let with = |cursor: &str| offset(&Shape { cursor: Some(cursor.to_owned()), ..Shape::default() });
        assert_eq!(with("5@12"), Ok(5));
        assert!(with("next").is_err());
    }
}
