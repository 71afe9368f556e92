//! Texts fitted into a budget of tokens: whole, by skeleton, by signature, by place alone.

use jari_base::{Intent, LineRange};
use jari_store::Snapshot;
use jari_text::estimate_tokens;

use crate::Result;
use crate::preview::Line;
use crate::search::Hit;

/// Tokens that `path:start-end` and the symbol's name take in an answer.
const PLACE_TOKENS: usize = 24;

/// Tokens that a line's number takes.
const NUMBER_TOKENS: usize = 2;

/// Lines of a skeleton at most.
const SKELETON: usize = 24;

/// The part of the budget that may go to what completes a piece: the rest of its function or section.
const COMPLETION: f32 = 0.15;

/// How much of a place is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// All of its text.
    Whole,
    /// What is declared in it, and the lines that show why.
    Skeleton,
    /// Its declaration, or its heading.
    Signature,
    /// Only where it is.
    Place,
}

/// What did not fit into the token budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cut {
    /// Hits shown by their skeleton.
    pub skeletons: usize,
    /// Hits shown by their signature.
    pub signatures: usize,
    /// Hits shown by their place alone.
    pub places: usize,
    /// Hits left out.
    pub dropped: usize,
}

/// Gives every hit `context` lines around it; and a piece of a function or section the rest of it, as long as a small part of the
/// budget suffices.
pub(crate) fn grow(
    snapshot: &dyn Snapshot,
    hits: &mut [Hit],
    context: u32,
    max_tokens: Option<usize>,
) -> Result<()> {
    let mut left = (max_tokens.unwrap_or_default() as f32 * COMPLETION) as usize;
    let files = snapshot.files()?;
    for hit in hits {
        let around = hit
            .symbol
            .as_ref()
            .map(|symbol| symbol.lines)
            .or(hit.section.as_ref().map(|section| section.lines));
        let is_piece =
            around.is_some_and(|around| around.start < hit.lines.start || around.end > hit.lines.end);
        if !(is_piece && left > 0) && context == 0 {
            continue;
        }
        let Some(record) = files.at(&hit.path) else { continue };
        let Some(text) = snapshot.text(record.id)? else { continue };
        if let Some(around) = around.filter(|_| is_piece) {
            let whole = joined(around, hit.lines);
            let more =
                estimate_tokens(whole.slice(&text)).saturating_sub(estimate_tokens(hit.lines.slice(&text)));
            if more <= left {
                left -= more;
                hit.lines = whole;
            }
        }
        let last = (text.lines().count() as u32).max(1);
        let wide = LineRange::new(
            hit.lines.start.saturating_sub(context).clamp(1, last),
            hit.lines.end.saturating_add(context).min(last),
        );
        hit.text_lines = joined(wide, hit.lines);
        hit.text = Some(hit.text_lines.slice(&text).to_owned());
    }
    Ok(())
}

fn joined(one: LineRange, two: LineRange) -> LineRange {
    LineRange::new(one.start.min(two.start), one.end.max(two.end))
}

/// Shortens hits until they fit; never over `budget`. Whoever wants to see all there is gets every place before any gets its text;
/// else the first get as much as there is room for.
pub(crate) fn fit(
    snapshot: &dyn Snapshot,
    hits: &mut Vec<Hit>,
    budget: usize,
    intent: Intent,
) -> Result<Option<Cut>> {
    let mut left = budget;
    let all = hits.len();
    if intent == Intent::Research {
        hits.truncate(budget / PLACE_TOKENS);
        left -= hits.len() * PLACE_TOKENS;
    }
    let mut cut = Cut::default();
    let mut kept = 0;
    for hit in hits.iter_mut() {
        if intent != Intent::Research {
            let Some(rest) = left.checked_sub(PLACE_TOKENS) else { break };
            left = rest;
        }
        left -= shorten(snapshot, hit, left)?;
        match hit.shown {
            Shown::Whole => {}
            Shown::Skeleton => cut.skeletons += 1,
            Shown::Signature => cut.signatures += 1,
            Shown::Place => cut.places += 1,
        }
        kept += 1;
    }
    hits.truncate(kept);
    cut.dropped = all - kept;
    Ok(Some(cut).filter(|cut| *cut != Cut::default()))
}

/// Leaves the most of a hit that fits into `left` tokens; returns how many it takes.
fn shorten(snapshot: &dyn Snapshot, hit: &mut Hit, left: usize) -> Result<usize> {
    let head = hit.head.as_deref().map_or(0, estimate_tokens);
    let whole =
        hit.text.as_deref().map_or(0, |text| estimate_tokens(text) + NUMBER_TOKENS * text.lines().count())
            + head;
    if whole <= left {
        return Ok(whole);
    }
    let skeleton = skeleton(snapshot, hit)?;
    let names = |line: &&Line| hit.symbol.as_ref().is_some_and(|symbol| line.text.contains(&symbol.name));
    let signature = skeleton.iter().find(names).or(skeleton.first()).cloned().into_iter().collect();
    hit.text = None;
    for (shown, lines) in [(Shown::Skeleton, skeleton), (Shown::Signature, signature)] {
        let tokens: usize = lines.iter().map(|line| estimate_tokens(&line.text) + NUMBER_TOKENS).sum();
        if tokens <= left && !lines.is_empty() {
            hit.shown = shown;
            hit.preview = lines;
            return Ok(tokens);
        }
    }
    hit.shown = Shown::Place;
    hit.preview.clear();
    Ok(0)
}

/// The lines on which something inside the hit is declared or begins, and those that show why it answers.
fn skeleton(snapshot: &dyn Snapshot, hit: &Hit) -> Result<Vec<Line>> {
    let files = snapshot.files()?;
    let mut lines = hit.preview.clone();
    let Some(record) = files.at(&hit.path) else { return Ok(lines) };
    let chunked = snapshot.chunked(record.id)?.unwrap_or_default();
    let text = snapshot.text(record.id)?.unwrap_or_default();
    let all: Vec<&str> = text.lines().collect();
    let line = |number: u32| all.get(number as usize - 1).map(|text| text.trim_end());
    let declared = chunked.symbols.iter().filter_map(|symbol| {
        // A symbol's lines begin with its comment; its name is further down.
        let mut numbers = symbol.lines.start..=symbol.lines.end;
        numbers.find(|number| line(*number).is_some_and(|line| line.contains(&symbol.name)))
    });
    let sections = chunked.document.iter().flat_map(|document| &document.sections);
    let inside = declared.chain(sections.map(|section| section.lines.start));
    for number in inside.filter(|number| hit.lines.contains(*number)) {
        if lines.len() >= SKELETON {
            break;
        }
        if let Some(text) = line(number).filter(|_| lines.iter().all(|line| line.number != number)) {
            lines.push(Line { number, text: text.to_owned(), highlights: Vec::new() });
        }
    }
    lines.sort_unstable_by_key(|line| line.number);
    Ok(lines)
}
