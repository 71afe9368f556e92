//! What a tool found, before and after it is fitted into the tokens that were asked for.

use jari_engine::secrets;
use jari_text::{estimate_tokens, truncated};
use jari_wire::{AnswerJson, CutJson, IndexJson, PlaceJson};

use crate::arguments::{Format, Shape};
use crate::markdown::{fenced, headline, markdown};

/// Tokens of an answer where none are asked for.
const MAX_TOKENS: usize = 4_000;

/// Estimates of code fell up to 11 % short of exact counts: each is taken for a tenth more.
const MARGIN: usize = 10;

/// The part of the tokens that the names of one place may take, and that notes may: `1 / PART`.
const PART: usize = 4;

/// How often an answer is made anew when it turns out too long. Each time the room shrinks by what was too much.
const ATTEMPTS: usize = 8;

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
    /// Whether the only item is a text that cursors go through line by line.
    pub(crate) by_lines: bool,
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

    /// Shortens items from the first to the last until the whole answer fits: whole text, telling lines, place alone, left for the
    /// next call. The first one is always there, cut if it must be.
    pub(crate) fn fit(mut self, shape: &Shape, index: IndexJson) -> AnswerJson {
        let budget = shape.max_tokens.unwrap_or(MAX_TOKENS);
        let mut room = budget / PART;
        for said in self.notes.iter_mut().chain(&mut self.near) {
            *said = truncated(said, room);
            room -= estimate_tokens(said).min(room);
        }
        let mut answer = AnswerJson { index, details: self.details.take(), ..AnswerJson::default() };
        let mut left = budget;
        for _ in 0..ATTEMPTS {
            self.fill(&mut answer, shape, left, budget);
            let taken = cost(&markdown(&answer));
            if taken <= budget || left == 0 {
                break;
            }
            left = left.saturating_sub(taken - budget);
        }
        answer
    }

    /// Makes an answer whose places take no more than `left`.
    fn fill(&self, answer: &mut AnswerJson, shape: &Shape, mut left: usize, budget: usize) {
        let detailed = shape.response_format.unwrap_or_default() == Format::Detailed;
        let mut cut = CutJson::default();
        let mut notes = self.notes.clone();
        let mut results = Vec::new();
        for Item { place, whole, short } in &self.items {
            let mut place = with_short_names(place.clone(), budget / PART);
            let mut head = cost(&headline(&place));
            if head > left && results.is_empty() {
                place = with_short_names(place, left / 2);
                place.path = beginning_cut(&place.path, left / 2);
                head = cost(&headline(&place));
            } else if head > left {
                break;
            }
            left = left.saturating_sub(head);
            let wanted = if detailed { whole.as_deref().or(short.as_deref()) } else { short.as_deref() };
            if let Some(text) = whole.as_deref().filter(|_| self.by_lines) {
                notes.extend(show_lines(&mut place, text, left));
            } else if let Some(wanted) = wanted {
                match shortened(wanted, short.as_deref(), &place, left, results.is_empty()) {
                    Some((text, is_short)) => {
                        left = left.saturating_sub(text_cost(&place, &text));
                        cut.shortened += usize::from(is_short);
                        place.text = Some(text);
                    }
                    None => cut.places += 1,
                }
            }
            results.push(place);
        }
        cut.dropped = self.items.len() - results.len();
        let (seen, is_cut) = match (&results[..], &self.items[..]) {
            ([shown], [item]) if self.by_lines => {
                let lines = (shown.end_line + 1 - shown.start_line) as usize;
                (lines, shown.end_line < item.place.end_line)
            }
            _ => (results.len(), cut.dropped > 0),
        };
        let texts = results.iter().filter_map(|place| place.text.as_deref());
        notes.extend(secrets::note(texts.map(secrets::count).sum()));
        let next = self.offset + seen;
        answer.cursor = (self.more || is_cut).then(|| format!("{next}@{}", answer.index.generation));
        answer.degraded = self.degraded.is_some();
        answer.reason = self.degraded;
        answer.cut = Some(cut).filter(|cut| *cut != CutJson::default());
        answer.near.clone_from(&self.near);
        answer.notes = notes;
        answer.results = results;
    }
}

/// What a text takes of the tokens when it is shown.
fn cost(shown: &str) -> usize {
    let tokens = estimate_tokens(shown);
    tokens + tokens.div_ceil(MARGIN)
}

fn text_cost(place: &PlaceJson, text: &str) -> usize {
    cost(&fenced(place.language.as_deref().unwrap_or_default(), text))
}

/// A place whose names take no more than `most`. An id that was cut would lead nowhere, so it is left out: the lines lead there.
fn with_short_names(mut place: PlaceJson, most: usize) -> PlaceJson {
    place.section_id = place.section_id.filter(|id| estimate_tokens(id) <= most);
    for name in [&mut place.name, &mut place.relation] {
        *name = name.take().map(|name| truncated(&name, most));
    }
    place
}

/// A path that takes more than there is, without its first folders.
fn beginning_cut(path: &str, most: usize) -> String {
    let starts = path.char_indices().map(|(at, _)| &path[at..]);
    let mut fitting = starts.skip_while(|rest| estimate_tokens(rest) + 2 > most);
    match fitting.next() {
        Some(rest) if rest.len() == path.len() => path.to_owned(),
        rest => format!("…{}", rest.unwrap_or_default()),
    }
}

/// Shows as many lines of a text as fit, but at least one; what is to be said where that one is cut.
fn show_lines(place: &mut PlaceJson, text: &str, left: usize) -> Option<String> {
    let mut used = text_cost(place, "");
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        used += cost(line);
        if used > left {
            break;
        }
        kept.push_str(line);
    }
    let mut note = None;
    if kept.is_empty() {
        let line = text.lines().next().unwrap_or_default();
        let room = left.saturating_sub(text_cost(place, "")) * MARGIN / (MARGIN + 1);
        kept = truncated(line, room);
        let number = place.start_line;
        note = (kept != line).then(|| format!("line {number} is cut: it takes more than max_tokens"));
    }
    place.end_line = place.start_line + (kept.lines().count().max(1) - 1) as u32;
    place.text = Some(kept);
    note
}

/// The first of `wanted` and `short` that fits into `left` tokens, and whether it is less than was wanted.
fn shortened(
    wanted: &str,
    short: Option<&str>,
    place: &PlaceJson,
    left: usize,
    is_first: bool,
) -> Option<(String, bool)> {
    if text_cost(place, wanted) <= left {
        return Some((wanted.to_owned(), false));
    }
    let short = short.filter(|short| text_cost(place, short) <= left);
    match short {
        Some(short) => Some((short.to_owned(), true)),
        None if is_first => Some((beginning(wanted, left), true)).filter(|(text, _)| !text.is_empty()),
        None => None,
    }
}

/// The first lines of `text` that fit into `left` tokens.
fn beginning(text: &str, left: usize) -> String {
    let mut kept = String::new();
    let mut used = 10;
    for line in text.split_inclusive('\n') {
        used += cost(line);
        if used > left {
            break;
        }
        kept.push_str(line);
    }
    kept
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
        let (lengths, cut, cursor) = fitted(60, [3, 300, 100]);
        assert_eq!((lengths.len(), cut.dropped, cursor), (1, 2, Some("1@0".to_owned())));
    }

    #[test]
    fn the_first_place_is_always_there() {
        let (lengths, ..) = fitted(20, [3_000, 1, 1]);
        assert_eq!(lengths, [0]);
    }

    #[test]
    fn no_answer_is_longer_than_it_may_be() {
        let long = "설정을 설명하는 긴 제목 › ".repeat(400);
        let deep = "연결풀의설정을설명하는폴더/".repeat(20);
        for (path, name) in [("a.md", long.as_str()), (deep.as_str(), "short"), (&deep, &long)] {
            for max_tokens in [100, 400, 4_000] {
                let place = PlaceJson {
                    path: path.to_owned(),
                    name: Some(name.to_owned()),
                    section_id: Some(format!("{path}#{name}")),
                    relation: Some(format!("links to {name}")),
                    ..PlaceJson::default()
                };
                let items = (0..9).map(|_| Item { short: Some("line\n".repeat(60)), ..place.clone().into() });
                let shape = Shape { max_tokens: Some(max_tokens), ..Shape::default() };
                let answer = Answer { notes: vec![long.clone()], ..Answer::after(0, items) };
                let fitted = answer.fit(&shape, IndexJson { state: "fresh", ..IndexJson::default() });
                let text = markdown(&fitted);
                let tokens = estimate_tokens(&text);
                assert!(
                    tokens <= max_tokens && !fitted.results.is_empty(),
                    "{tokens} of {max_tokens}: {text}"
                );
            }
        }
    }

    #[test]
    fn cursors_lead_through_every_line_once() {
        let lines: Vec<String> = (0..60)
            .map(|number| if number == 7 { "long ".repeat(500) } else { format!("line {number}") })
            .collect();
        let (mut offset, mut seen) = (0, Vec::new());
        loop {
            let place = PlaceJson {
                path: "a.txt".to_owned(),
                start_line: offset as u32 + 1,
                end_line: 60,
                ..PlaceJson::default()
            };
            let item = Item { place, whole: Some(lines[offset..].join("\n")), short: None };
            let answer = Answer { items: vec![item], offset, by_lines: true, ..Answer::default() };
            let shape = Shape { max_tokens: Some(100), ..Shape::default() };
            let fitted = answer.fit(&shape, IndexJson { state: "fresh", ..IndexJson::default() });
            assert!(estimate_tokens(&markdown(&fitted)) <= 100, "{}", markdown(&fitted));
            let text = fitted.results[0].text.clone().expect("there is a text");
            assert_eq!(text.contains('…'), fitted.notes.iter().any(|note| note.starts_with("line 8 is cut")));
            seen.extend(text.lines().map(str::to_owned));
            let Some(cursor) = fitted.cursor else { break };
            offset = self::offset(&Shape { cursor: Some(cursor), ..Shape::default() }).expect("it is ours");
        }
        assert_eq!(seen.len(), lines.len());
        assert!(seen.iter().zip(&lines).all(|(seen, line)| seen == line || seen.ends_with('…')));
    }

    #[test]
    fn a_cursor_that_no_answer_gave_is_refused() {
        let with = |cursor: &str| offset(&Shape { cursor: Some(cursor.to_owned()), ..Shape::default() });
        assert_eq!(with("5@12"), Ok(5));
        assert!(with("next").is_err());
    }
}
