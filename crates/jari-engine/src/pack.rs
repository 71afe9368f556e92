//! Texts fitted into a budget of tokens: whole, by skeleton, by signature, by place alone.

use std::fmt::Write as _;

use jari_base::{Intent, LineRange};
use jari_store::Snapshot;
use jari_text::{estimate_tokens, truncated};

use crate::Result;
use crate::gather::Elsewhere;
use crate::preview::Line;
use crate::search::Hit;

/// Estimates of code with numbered lines fell up to 11 % short of exact counts: each is taken for a tenth more.
const MARGIN: usize = 10;

/// The part of the budget that the names of one place may take: `1 / NAMES`, and never more than there is.
const NAMES: usize = 4;

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
    let mut places = Vec::new();
    if intent == Intent::Research {
        for hit in hits.iter_mut() {
            let Some(place) = fit_place(hit, left, budget) else { break };
            left -= place;
            places.push(place);
        }
        hits.truncate(places.len());
    }
    let mut cut = Cut::default();
    let mut kept = 0;
    for hit in hits.iter_mut() {
        if intent != Intent::Research {
            let Some(place) = fit_place(hit, left, budget) else { break };
            left -= place;
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

/// What a text takes of the budget when it is shown.
fn cost(shown: &str) -> usize {
    // What commands a terminal is shown by a sign of its own.
    let shown: String = shown
        .chars()
        .map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c })
        .collect();
    let tokens = estimate_tokens(&shown);
    tokens + tokens.div_ceil(MARGIN)
}

/// What the line of a place takes, and what stands below it but for its text. Long titles are cut, and reasons and places of the same
/// text are left out, where there is no room for them; `None` where even the path does not fit.
fn fit_place(hit: &mut Hit, left: usize, budget: usize) -> Option<usize> {
    let below = |hit: &Hit| cost(&below(hit));
    if cost(&headline(hit)) + below(hit) > left.min(budget / 2) {
        hit.elsewhere.clear();
    }
    if cost(&headline(hit)) + below(hit) > left {
        hit.explanation = None;
        hit.found_by.clear();
    }
    let names = cost(&names(hit));
    let others = cost(&headline(hit)).saturating_sub(names);
    let room = (budget / NAMES).min(left.saturating_sub(others + below(hit)));
    if names > room {
        cut_names(hit, room);
    }
    Some(cost(&headline(hit)) + below(hit)).filter(|place| *place <= left)
}

/// The line of a place, as surfaces show it.
fn headline(hit: &Hit) -> String {
    format!("{}:{} · {} · {}  {:.2} · changed since\n", hit.path, hit.lines, hit.kind, names(hit), hit.score)
}

/// The symbol, or the titles down to the section.
fn names(hit: &Hit) -> String {
    match (&hit.symbol, &hit.section) {
        (Some(symbol), _) => format!("{} {}", symbol.kind, symbol.qualified()),
        (None, Some(section)) => {
            let titles = section.title.iter().chain(&section.heading_path);
            titles.map(String::as_str).collect::<Vec<_>>().join(" › ")
        }
        (None, None) => String::new(),
    }
}

/// What stands below the line of a place and is no text of it.
fn below(hit: &Hit) -> String {
    let mut out = String::new();
    for Elsewhere { path, lines } in &hit.elsewhere {
        let _ = writeln!(out, "        the same: {path}:{lines}");
    }
    for found in &hit.found_by {
        let _ = write!(out, "  found by {} {}, ", found.list, found.rank);
    }
    let mut open: Vec<_> = hit.explanation.iter().collect();
    while let Some(explanation) = open.pop() {
        let _ = writeln!(out, "        {:.3}  {}", explanation.value, explanation.label);
        open.extend(&explanation.details);
    }
    out
}

/// Cuts names until they take no more than `room`: first the titles, then what a symbol stands in, then the name.
fn cut_names(hit: &mut Hit, room: usize) {
    let Hit { symbol, section, .. } = hit;
    if let Some(symbol) = symbol {
        symbol.container = symbol.container.take().map(|container| shortened(&container, room / 2));
        symbol.name = shortened(&symbol.name, room / 2);
    } else if let Some(section) = section {
        let titles = section.heading_path.len() + usize::from(section.title.is_some());
        // The separators take some, too.
        let each = (room / titles.max(1)).saturating_sub(2);
        section.title = section.title.take().map(|title| shortened(&title, each));
        section.heading_path.iter_mut().for_each(|title| *title = shortened(title, each));
        if each < 2 {
            section.title = None;
            section.heading_path.clear();
        }
    }
}

/// The beginning of `text` that takes no more than `room` of the budget.
fn shortened(text: &str, room: usize) -> String {
    truncated(text, room * MARGIN / (MARGIN + 1))
}

/// Leaves the most of a hit that fits into `left` tokens; returns how many it takes.
fn shorten(snapshot: &dyn Snapshot, hit: &mut Hit, left: usize) -> Result<usize> {
    let whole = whole(hit);
    if whole <= left {
        return Ok(whole);
    }
    let skeleton = skeleton(snapshot, hit)?;
    let names = |line: &&Line| hit.symbol.as_ref().is_some_and(|symbol| line.text.contains(&symbol.name));
    let signature = skeleton.iter().find(names).or(skeleton.first()).cloned().into_iter().collect();
    hit.text = None;
    for (shown, lines) in [(Shown::Skeleton, skeleton), (Shown::Signature, signature)] {
        let tokens = cost(&numbered(lines.iter().map(|line| (line.number, line.text.as_str()))));
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

/// What all of a hit's text takes.
fn whole(hit: &Hit) -> usize {
    let Some(text) = &hit.text else { return 0 };
    let head: String =
        hit.head.iter().flat_map(|head| head.lines()).map(|line| format!("     …  {line}\n")).collect();
    cost(&(head + &numbered((hit.text_lines.start..).zip(text.lines()))))
}

/// Lines with their numbers, as surfaces show them.
fn numbered<'a>(lines: impl Iterator<Item = (u32, &'a str)>) -> String {
    lines.map(|(number, line)| format!("{number:>6}  {line}\n")).collect()
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
