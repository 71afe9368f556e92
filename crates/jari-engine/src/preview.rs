//! The few lines of a chunk that show why it answers.

use std::collections::HashSet;
use std::ops::Range;

use jari_base::LineRange;

/// Longest line shown, in characters; the rest is left out.
const LONGEST: usize = 160;

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

/// The most telling lines of `text`, in order: the first that says something, and those with most of the query.
pub(crate) fn telling_lines(text: &str, lines: LineRange, terms: &HashSet<&str>, most: usize) -> Vec<Line> {
    let all: Vec<Line> = text
        .lines()
        .zip(lines.start..)
        .filter(|(line, _)| line.chars().any(char::is_alphanumeric))
        .map(|(line, number)| {
            let text: String = line.trim_end().chars().take(LONGEST).collect();
            let highlights = jari_text::highlights(&text, terms);
            Line { number, text, highlights }
        })
        .collect();
    let mut best: Vec<usize> = (0..all.len()).collect();
    let matched = |line: &Line| {
        let words: HashSet<String> =
            line.highlights.iter().map(|range| line.text[range.clone()].to_lowercase()).collect();
        words.len()
    };
    best.sort_by_key(|at| (*at != 0, std::cmp::Reverse(matched(&all[*at])), *at));
    best.truncate(most);
    best.retain(|at| *at == 0 || matched(&all[*at]) > 0);
    best.sort_unstable();
    let mut all: Vec<Option<Line>> = all.into_iter().map(Some).collect();
    best.into_iter().filter_map(|at| all[at].take()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_and_the_matching_lines_are_shown() {
        let text = "fn send() {\n    prepare();\n    retry_request();\n    retry();\n}\n";
        let terms = ["retri", "request"].into_iter().collect();
        let lines = telling_lines(text, LineRange::new(10, 14), &terms, 2);
        let shown: Vec<_> = lines.iter().map(|line| (line.number, line.text.trim())).collect();
        assert_eq!(shown, [(10, "fn send() {"), (12, "retry_request();")]);
        assert_eq!(&lines[1].text[lines[1].highlights[0].clone()], "retry");
    }
}
