//! Texts in, numbers of tokens out, as the folder's `tokenizer.json` says.

use std::path::Path;

use tokenizers::{Tokenizer, TruncationParams};

use crate::Error;

/// The tokenizer, set to cut and never to pad.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    lower: bool,
    hash: blake3::Hash,
}

impl Tokens {
    /// The tokenizer of a model that knows `vocabulary` tokens and reads at most `longest` of a text.
    pub(crate) fn open(path: &Path, vocabulary: usize, longest: usize, lower: bool) -> Result<Self, Error> {
        let damaged = |reason: String| Error::Damaged { path: path.to_owned(), reason };
        let bytes = fs_err::read(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => Error::Missing { path: path.to_owned() },
            _ => Error::Unreadable { path: path.to_owned(), source },
        })?;
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(|error| damaged(error.to_string()))?;
        tokenizer.with_padding(None);
        let cut = TruncationParams { max_length: longest, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(cut)).map_err(|error| damaged(error.to_string()))?;
        let tokens = Self { tokenizer, lower, hash: blake3::hash(&bytes) };
        // Tokens that are put around every text are not always in the vocabulary, and a word that is unknown may be an error.
        let mut known = tokens.tokenizer.get_vocab(true).into_values().collect::<Vec<_>>();
        for text in ["", "a", "\u{10fffd} \u{378}"] {
            known.extend(tokens.encode(text).map_err(|error| damaged(error.to_string()))?);
        }
        match known.into_iter().max() {
            Some(last) if last as usize >= vocabulary => {
                Err(damaged(format!("it knows a token {last}, and the weights are for {vocabulary} tokens")))
            }
            _ => Ok(tokens),
        }
    }

    /// The tokens of `text`, at least one.
    pub(crate) fn of(&self, text: &str) -> Vec<u32> {
        let tokens = self.encode(text).or_else(|_| self.encode("")).unwrap_or_default();
        if tokens.is_empty() { vec![0] } else { tokens }
    }

    /// The hash of the file.
    pub(crate) fn hash(&self) -> blake3::Hash {
        self.hash
    }

    fn encode(&self, text: &str) -> tokenizers::Result<Vec<u32>> {
        let lowered;
        let text = if self.lower {
            lowered = text.to_lowercase();
            &lowered
        } else {
            text
        };
        Ok(self.tokenizer.encode_fast(text, true)?.get_ids().to_vec())
    }
}
