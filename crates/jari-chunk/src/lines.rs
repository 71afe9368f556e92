//! A text by its lines.

use jari_base::LineRange;

/// Where each line of a text begins, and which are blank.
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<u32>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut starts: Vec<u32> = std::iter::once(0)
            .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1))
            .collect();
        if starts.last() == Some(&(text.len() as u32)) {
            starts.pop();
        }
        Self { text, starts }
    }

    /// How many lines there are; a last newline does not begin another.
    pub(crate) fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Line `number`, counted from 1, with its break.
    pub(crate) fn line(&self, number: u32) -> &'a str {
        let start = self.starts[number as usize - 1] as usize;
        let end = self.starts.get(number as usize).map_or(self.text.len(), |end| *end as usize);
        &self.text[start..end]
    }

    pub(crate) fn is_blank(&self, number: u32) -> bool {
        self.line(number).trim().is_empty()
    }

    /// The number of the line that the byte at `offset` stands on.
    pub(crate) fn number_at(&self, offset: usize) -> u32 {
        self.starts.partition_point(|start| *start as usize <= offset).max(1) as u32
    }

    /// Where line `number` begins.
    pub(crate) fn start(&self, number: u32) -> usize {
        self.starts[number as usize - 1] as usize
    }

    /// The lines that bytes stand on.
    pub(crate) fn range(&self, bytes: &std::ops::Range<usize>) -> LineRange {
        let first = self.number_at(bytes.start);
        LineRange::new(first, self.number_at(bytes.end.saturating_sub(1)).max(first))
    }

    /// These lines, one after the other; those past the end are left out.
    pub(crate) fn slice(&self, lines: LineRange) -> &'a str {
        let at =
            |line: u32| self.starts.get(line as usize - 1).map_or(self.text.len(), |start| *start as usize);
        &self.text[at(lines.start)..at(lines.end + 1)]
    }

    /// Bytes of lines `first` to `last`.
    pub(crate) fn bytes(&self, first: u32, last: u32) -> usize {
        let start = self.starts[first as usize - 1] as usize;
        self.starts.get(last as usize).map_or(self.text.len(), |end| *end as usize) - start
    }
}
