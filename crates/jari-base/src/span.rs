//! Places inside a file.

use serde::{Deserialize, Serialize};

/// Lines of a file, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineRange {
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
}

impl LineRange {
    /// Lines `start` to `end`.
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(
            start >= 1 && start <= end,
            "line ranges start at 1 and are never empty: {start}..{end}"
        );
        Self { start, end }
    }

    /// How many lines.
    pub fn count(self) -> u32 {
        self.end - self.start + 1
    }

    /// Whether `line` lies inside.
    pub fn contains(self, line: u32) -> bool {
        self.start <= line && line <= self.end
    }

    /// The lines that both have.
    pub fn overlap(self, other: Self) -> Option<Self> {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        (start <= end).then_some(Self { start, end })
    }

    /// These lines of `text`, without the last line's break. Lines past the end are left out.
    pub fn slice(self, text: &str) -> &str {
        let breaks = |text: &str, number: usize| memchr::memchr_iter(b'\n', text.as_bytes()).nth(number);
        let start = match self.start {
            1 => Some(0),
            line => breaks(text, line as usize - 2).map(|at| at + 1),
        };
        let Some(rest) = start.and_then(|start| text.get(start..)) else { return "" };
        let end = breaks(rest, (self.end - self.start) as usize).unwrap_or(rest.len());
        rest[..end].strip_suffix('\r').unwrap_or(&rest[..end])
    }
}

impl std::fmt::Display for LineRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::LineRange;

    #[test]
    fn slice_takes_whole_lines_with_and_without_a_last_newline() {
        assert_eq!(LineRange::new(1, 1).slice("a\nb"), "a");
        assert_eq!(LineRange::new(2, 2).slice("a\nb"), "b");
        assert_eq!(LineRange::new(2, 3).slice("a\r\nb\r\nc\r\n"), "b\r\nc");
        assert_eq!(LineRange::new(2, 9).slice("a\nb\nc\n"), "b\nc\n");
        assert_eq!(LineRange::new(5, 6).slice("a\n"), "");
    }
}
