//! `understand`: a goal in, the evidence for it out: code, sections, who uses it, and what contradicts.

use std::collections::BTreeSet;

use jari_base::Filter;
use jari_engine::graph::{GraphRequest, callers};
use jari_engine::narrow::{self, Only};
use jari_engine::search::{Hit, SearchRequest, search};
use jari_text::Tokenizer;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Tool;
use super::navigate::Lines;
use super::search::item;
use crate::answer::{self, Answer};
use crate::arguments::Shape;
use crate::call::{Call, Refusal};

/// Places of code, sections, and uses in a pack.
const CODE: usize = 6;
const SECTIONS: usize = 4;
const USES: usize = 3;

/// How many of the words of two lines must be the same for them to speak of one thing.
const ALIKE: f32 = 0.6;

/// Everything needed to work on a goal, with citations: code, sections, callers, and statements that may contradict each other.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Understand {
    /// A question or task
    goal: String,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for Understand {
    const NAME: &'static str = "understand";
    const TITLE: &'static str = "Gather evidence";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { goal, shape } = self;
        let offset = answer::offset(&shape)?;
        let source = call.source(&goal, &Filter::default())?;
        let snapshot = &*source.snapshot;
        let ask = |only: Only, limit: usize| {
            let filter = Filter { languages: narrow::languages(&[], Some(only))?, ..Filter::default() };
            let request = SearchRequest {
                limit,
                filter,
                tuning: call.served.tuning,
                ..SearchRequest::new(goal.clone())
            };
            search(call.project(), snapshot, &request)
        };
        let code = ask(Only::Code, CODE)?;
        let sections = ask(Only::Documents, SECTIONS)?;
        let mut items: Vec<_> = code.hits.iter().map(item).collect();
        // Sections come early, so that a small budget still holds both.
        let at = items.len().min(2);
        items.splice(at..at, sections.hits.iter().map(item));
        let mut lines = Lines::new(snapshot);
        let defined = code.hits.iter().filter(|hit| hit.symbol.as_ref().is_some());
        for hit in defined.take(USES) {
            let place =
                format!("{}:{}", hit.path, hit.symbol.as_ref().map_or(1, |symbol| symbol.lines.start));
            let request = GraphRequest { limit: USES, ..GraphRequest::new(place) };
            // A file that changed since may have lost the definition; its callers are not worth an error.
            let found = callers(call.project(), snapshot, &request, call.cancelled).unwrap_or_default();
            items.extend(found.edges.iter().map(|edge| lines.item(edge)));
        }
        let mut notes = source.notes;
        notes.extend(conflicts(code.hits.iter().chain(&sections.hits)));
        let near = if items.is_empty() { code.near } else { Vec::new() };
        let degraded = source.degraded.or_else(|| code.degraded.map(|degraded| degraded.as_str()));
        Ok(Answer { near, notes, degraded, ..Answer::after(offset, items) })
    }
}

/// A line that states a number.
struct Statement<'a> {
    place: String,
    text: &'a str,
    words: BTreeSet<String>,
    numbers: Vec<&'a str>,
}

/// Lines of different files that say the same with other numbers, side by side.
fn conflicts<'a>(hits: impl Iterator<Item = &'a Hit>) -> Vec<String> {
    let statements: Vec<Statement<'_>> = hits.flat_map(statements).collect();
    let mut found = Vec::new();
    for (at, one) in statements.iter().enumerate() {
        for other in &statements[at + 1..] {
            let elsewhere = one.place.split(':').next() != other.place.split(':').next();
            let shared = one.words.intersection(&other.words).count() as f32;
            let all = one.words.union(&other.words).count() as f32;
            if elsewhere && one.numbers != other.numbers && shared / all >= ALIKE {
                found.push(format!(
                    "may contradict each other: {} \"{}\" and {} \"{}\"",
                    one.place, one.text, other.place, other.text
                ));
            }
        }
    }
    found.truncate(3);
    found
}

fn statements(hit: &Hit) -> Vec<Statement<'_>> {
    let mut statements = Vec::new();
    for (number, text) in (hit.lines.start..).zip(hit.text.as_deref().unwrap_or_default().lines()) {
        let text = text.trim();
        let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        let numbers: Vec<&str> = text
            .split(|c: char| !(c.is_alphanumeric() || c == '.'))
            .map(|word| word.trim_matches('.'))
            .filter(is_number)
            .collect();
        if numbers.is_empty() || text.len() > 200 {
            continue;
        }
        let mut words = BTreeSet::new();
        Tokenizer::of_thread(|tokenizer| {
            tokenizer.tokens(text, |token| {
                if !token.text.starts_with(|c: char| c.is_ascii_digit()) {
                    words.insert(token.text.to_owned());
                }
            });
        });
        // One or two words in common say little.
        if words.len() >= 3 {
            statements.push(Statement { place: format!("{}:{number}", hit.path), text, words, numbers });
        }
    }
    statements
}

#[cfg(test)]
mod tests {
    use jari_base::{ChunkKind, Language, LineRange};

    use super::*;

    fn hit(path: &str, text: &str) -> Hit {
        Hit {
            path: path.to_owned(),
            lines: LineRange::new(1, 1),
            kind: ChunkKind::Block,
            language: Language::UNKNOWN,
            symbol: None,
            section: None,
            head: None,
            score: 1.0,
            bm25: 1.0,
            cosine: 0.0,
            fresh: true,
            preview: Vec::new(),
            text: Some(text.to_owned()),
            text_lines: LineRange::new(1, 1),
            shown: jari_engine::search::Shown::Whole,
            elsewhere: Vec::new(),
            matched: Vec::new(),
            found_by: Vec::new(),
            explanation: None,
        }
    }

    #[test]
    fn the_same_said_with_another_number_is_shown_side_by_side() {
        let one = hit("a.md", "Failed calls are retried 3 times.");
        let other = hit("b.md", "Failed calls are retried 5 times.");
        let unrelated = hit("c.md", "The port of the server is 8080.");
        let found = conflicts([&one, &other, &unrelated].into_iter());
        assert_eq!(
            found,
            [
                "may contradict each other: a.md:1 \"Failed calls are retried 3 times.\" and b.md:1 \"Failed calls are retried 5 times.\""
            ]
        );
        assert!(conflicts([&one, &one].into_iter()).is_empty());
    }
}
