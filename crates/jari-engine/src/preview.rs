//! The few lines of a chunk that show why it answers.

use std::collections::HashSet;
use std::ops::Range;

use jari_base::LineRange;
use jari_text::Tokenizer;

/// Longest line shown, in characters; the rest is left out.
const LONGEST: usize = 160;

/// Of a very long line, how many characters are shown before its first match.
const BEFORE: usize = 40;

/// A line of a file, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Counted from 1.
    pub number: u32,
    /// Its text, cut if it is very long.
    pub text: String,
    /// Byte ranges of `text` that match the query.
    pub highlights: Vec<Range<usize>>,
}

/// The most telling lines of `text`, in order: the first that says something, and those with most of the query; and the
/// words of the query that stand in it, as written.
pub(crate) fn telling_lines(
    tokenizer: &mut Tokenizer,
    text: &str,
    lines: LineRange,
    terms: &HashSet<&str>,
    most: usize,
) -> (Vec<Line>, Vec<String>) {
    let mut matched: Vec<String> = Vec::new();
    let mut telling: Vec<Telling<'_>> = Vec::new();
    let saying = text.lines().zip(lines.start..).filter(|(line, _)| line.chars().any(char::is_alphanumeric));
    for (at, (line, number)) in saying.enumerate() {
        let whole = line.trim_end();
        let found = jari_text::highlights(tokenizer, whole, terms);
        let mut here: Vec<String> = found.iter().map(|range| whole[range.clone()].to_lowercase()).collect();
        here.sort_unstable();
        here.dedup();
        if at == 0 || !here.is_empty() {
            telling.push(Telling { words: here.len(), number, whole, found });
        }
        matched.extend(here);
    }
    matched.sort_unstable();
    matched.dedup();
    // The first stays; of the others those with most words, and of equal ones the earlier.
    if let Some((_, others)) = telling.split_first_mut() {
        others.sort_by_key(|line| (std::cmp::Reverse(line.words), line.number));
    }
    telling.truncate(most);
    telling.sort_unstable_by_key(|line| line.number);
    (telling.into_iter().map(Telling::shown).collect(), matched)
}

/// A line that may be shown.
struct Telling<'a> {
    /// How many words of the query stand in it.
    words: usize,
    number: u32,
    whole: &'a str,
    found: Vec<Range<usize>>,
}

impl Telling<'_> {
    fn shown(self) -> Line {
        let (text, highlights) = window(self.whole, &self.found);
        Line { number: self.number, text, highlights }
    }
}

/// A line that is very long is shown from a little before its first match on.
fn window(line: &str, found: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let first = found.first().map_or(0, |range| line[..range.start].chars().count());
    let length = line.chars().count();
    let skipped = if length <= LONGEST || first < LONGEST - BEFORE { 0 } else { first - BEFORE };
    let byte = |number: usize| line.char_indices().nth(number).map_or(line.len(), |(byte, _)| byte);
    let (start, end) = (byte(skipped), byte(skipped + LONGEST));
    let mark = if skipped > 0 { "…" } else { "" };
    let inside = found.iter().filter(|range| range.start >= start && range.end <= end);
    let moved = |range: &Range<usize>| range.start - start + mark.len()..range.end - start + mark.len();
    (format!("{mark}{}", &line[start..end]), inside.map(moved).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_and_the_matching_lines_are_shown() {
        let text = "fn send() {\n    prepare();\n    retry_request();\n    retry();\n}\n";
        let terms = ["retri", "request"].into_iter().collect();
        let (lines, matched) =
            telling_lines(&mut Tokenizer::default(), text, LineRange::new(10, 14), &terms, 2);
        assert_eq!(matched, ["request", "retry"]);
        let shown: Vec<_> = lines.iter().map(|line| (line.number, line.text.trim())).collect();
        assert_eq!(shown, [(10, "fn send() {"), (12, "retry_request();")]);
        assert_eq!(&lines[1].text[lines[1].highlights[0].clone()], "retry");
    }

    #[test]
    fn a_long_line_is_shown_around_its_match() {
        let text = format!("{} needle {}", "말 ".repeat(300), "end ".repeat(300));
        let terms = ["needl"].into_iter().collect();
        let (lines, matched) =
            telling_lines(&mut Tokenizer::default(), &text, LineRange::new(1, 1), &terms, 2);
        assert_eq!(matched, ["needle"]);
        assert_eq!(&lines[0].text[lines[0].highlights[0].clone()], "needle");
        assert!(lines[0].text.starts_with('…') && lines[0].text.chars().count() <= LONGEST + 1);
    }
}
