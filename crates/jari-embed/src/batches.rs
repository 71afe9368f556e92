//! Texts put together into calls.

use crate::Limits;

/// A text on its way: its place among all, how many tokens it has, and how much of it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    pub(crate) at: usize,
    pub(crate) text: &'a str,
    pub(crate) tokens: usize,
}

impl<'a> Piece<'a> {
    /// A text, cut to what a model reads.
    pub(crate) fn new(at: usize, text: &'a str, limits: &Limits) -> Self {
        let piece = Self { at, text, tokens: jari_text::estimate_tokens(text) };
        if piece.tokens <= limits.text_tokens {
            return piece;
        }
        // The estimate is one for the whole: the same share of the bytes has about the same share of the tokens.
        piece.cut(text.len() * limits.text_tokens / piece.tokens)
    }

    /// Half of it, where there is more than a little.
    pub(crate) fn half(self) -> Option<Self> {
        (self.text.len() >= 64).then(|| self.cut(self.text.len() / 2))
    }

    fn cut(self, bytes: usize) -> Self {
        let text = &self.text[..self.text.floor_char_boundary(bytes.max(1))];
        Self { text, tokens: jari_text::estimate_tokens(text), ..self }
    }
}

/// Puts texts together, in order, as many as a call may hold.
pub(crate) fn batches<'a>(
    pieces: impl IntoIterator<Item = Piece<'a>>,
    limits: &Limits,
) -> Vec<Vec<Piece<'a>>> {
    let mut batches: Vec<Vec<Piece<'a>>> = Vec::new();
    let mut tokens = 0;
    for piece in pieces {
        match batches.last_mut() {
            Some(batch) if batch.len() < limits.batch && tokens + piece.tokens <= limits.batch_tokens => {
                tokens += piece.tokens;
                batch.push(piece);
            }
            _ => {
                tokens = piece.tokens;
                batches.push(vec![piece]);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { batch: 3, batch_tokens: 10, text_tokens: 8 };

    fn sizes(texts: &[&str]) -> Vec<usize> {
        let pieces = texts.iter().enumerate().map(|(at, text)| Piece::new(at, text, &LIMITS));
        batches(pieces, &LIMITS).iter().map(Vec::len).collect()
    }

    #[test]
    fn a_call_holds_a_number_of_texts_and_of_tokens() {
        assert_eq!(sizes(&["a"; 7]), [3, 3, 1]);
        assert_eq!(sizes(&["one two three four five six", "one two three four five six", "a"]), [1, 2]);
        assert_eq!(sizes(&[]), [0; 0]);
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = "자리를 찾습니다 ".repeat(20);
        let piece = Piece::new(0, &text, &LIMITS);
        assert!(piece.tokens <= 9 && !piece.text.is_empty(), "{piece:?}");
        assert!(Piece::new(0, "short", &LIMITS).half().is_none());
    }
}
