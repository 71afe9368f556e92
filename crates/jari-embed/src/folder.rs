//! A model in model2vec's folder format: `model.safetensors`, `tokenizer.json`, `config.json`.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::Error;

/// model2vec reads no further into a text.
const MOST_PIECES: usize = 512;

/// A static table of word pieces: a text is the mean of its pieces.
pub(crate) struct Folder {
    dims: usize,
    rows: Vec<f32>,
    pieces: Pieces,
}

impl Folder {
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        let tokenizer = folder.join("tokenizer.json");
        let pieces =
            Pieces::new(&read(&tokenizer)?).map_err(|reason| Error::Tokenizer { path: tokenizer, reason })?;
        let weights = folder.join("model.safetensors");
        let (rows, dims) =
            tensor(&read(&weights)?).map_err(|reason| Error::Weights { path: weights.clone(), reason })?;
        if pieces.last_number() as usize >= rows.len() / dims {
            let reason = format!("{} rows for {} pieces", rows.len() / dims, pieces.last_number() + 1);
            return Err(Error::Weights { path: weights, reason });
        }
        Ok(Self { dims, rows, pieces })
    }

    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    /// Tells models apart: a hash of the weights.
    pub(crate) fn checksum(&self) -> u64 {
        let bytes: Vec<u8> = self.rows.iter().flat_map(|element| element.to_le_bytes()).collect();
        crate::features::hash(&bytes)
    }

    /// The sum of the rows of `text`; normalising makes it a mean.
    pub(crate) fn sum(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.dims];
        let mut numbers = Vec::new();
        self.pieces.of(text, &mut numbers);
        for number in numbers.iter().take(MOST_PIECES) {
            let start = *number as usize * self.dims;
            sum.iter_mut()
                .zip(&self.rows[start..start + self.dims])
                .for_each(|(total, element)| *total += element);
        }
        sum
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs_err::read(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => Error::Missing { path: path.to_owned() },
        _ => Error::Unreadable { path: path.to_owned(), source },
    })
}

/// BERT's word pieces, as every model of the potion family cuts them.
struct Pieces {
    numbers: HashMap<String, u32>,
    unknown: Option<u32>,
    prefix: String,
    longest: usize,
    lower: bool,
}

#[derive(Deserialize)]
struct TokenizerFile {
    normalizer: Option<Normalizer>,
    model: PieceModel,
}

#[derive(Deserialize)]
struct Normalizer {
    #[serde(default)]
    lowercase: bool,
}

#[derive(Deserialize)]
struct PieceModel {
    #[serde(rename = "type")]
    kind: Option<String>,
    vocab: serde_json::Value,
    unk_token: Option<String>,
    continuing_subword_prefix: Option<String>,
    max_input_chars_per_word: Option<usize>,
}

impl Pieces {
    fn new(json: &[u8]) -> Result<Self, String> {
        let file: TokenizerFile = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let kind = file.model.kind.unwrap_or_else(|| "WordPiece".to_owned());
        if kind != "WordPiece" {
            return Err(format!("its tokenizer is `{kind}`, and only `WordPiece` is read"));
        }
        let numbers: HashMap<String, u32> =
            serde_json::from_value(file.model.vocab).map_err(|error| error.to_string())?;
        if numbers.is_empty() {
            return Err("its vocabulary is empty".to_owned());
        }
        Ok(Self {
            unknown: file.model.unk_token.and_then(|token| numbers.get(&token).copied()),
            numbers,
            prefix: file.model.continuing_subword_prefix.unwrap_or_else(|| "##".to_owned()),
            longest: file.model.max_input_chars_per_word.unwrap_or(100),
            lower: file.normalizer.is_some_and(|normalizer| normalizer.lowercase),
        })
    }

    fn last_number(&self) -> u32 {
        self.numbers.values().copied().max().unwrap_or(0)
    }

    fn of(&self, text: &str, numbers: &mut Vec<u32>) {
        let mut word = String::new();
        let mut flush = |word: &mut String| {
            if !word.is_empty() {
                self.word(word, numbers);
                word.clear();
            }
        };
        let lowered: String;
        let text = if self.lower {
            lowered = text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
            &lowered
        } else {
            text
        };
        for c in text.chars() {
            if c.is_whitespace() || c.is_control() {
                flush(&mut word);
            } else if stands_alone(c) {
                flush(&mut word);
                word.push(c);
                flush(&mut word);
            } else {
                word.push(c);
            }
        }
        flush(&mut word);
    }

    /// The longest known piece first, then the longest known continuation; a word with an unknown rest counts nothing.
    fn word(&self, word: &str, numbers: &mut Vec<u32>) {
        if word.chars().count() > self.longest {
            return;
        }
        let first = numbers.len();
        let mut rest = word;
        let mut piece = String::new();
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).collect::<Vec<_>>();
            let found = ends.iter().rev().find_map(|&end| {
                piece.clear();
                if rest.len() < word.len() {
                    piece.push_str(&self.prefix);
                }
                piece.push_str(&rest[..end]);
                self.numbers.get(&piece).map(|number| (*number, end))
            });
            match found {
                Some((number, end)) if Some(number) != self.unknown => {
                    numbers.push(number);
                    rest = &rest[end..];
                }
                _ => return numbers.truncate(first),
            }
        }
    }
}

/// Characters that are a word each: punctuation, and scripts without spaces.
fn stands_alone(c: char) -> bool {
    let punctuation = c.is_ascii_punctuation()
        || matches!(c, '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}')
        || ('\u{2010}'..='\u{205e}').contains(&c)
        || ('\u{3001}'..='\u{3020}').contains(&c);
    punctuation || ('\u{4e00}'..='\u{9fff}').contains(&c) || ('\u{3400}'..='\u{4dbf}').contains(&c)
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// The rows of `embeddings`, and how long each is.
fn tensor(bytes: &[u8]) -> Result<(Vec<f32>, usize), String> {
    let length = bytes.get(..8).ok_or("it is too short")?;
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
    let header = usize::try_from(length).ok().and_then(|length| bytes.get(8..8usize.checked_add(length)?));
    let header = header.ok_or("it is too short for its header")?;
    let tensors: HashMap<String, serde_json::Value> =
        serde_json::from_slice(header).map_err(|error| format!("its header is no JSON: {error}"))?;
    if tensors.contains_key("mapping") || tensors.contains_key("weights") {
        return Err(
            "it has weights apart from its rows (quantised vocabulary), which are not read".to_owned()
        );
    }
    let tensor = tensors.get("embeddings").ok_or("it has no tensor `embeddings`")?;
    let tensor: Tensor = serde_json::from_value(tensor.clone()).map_err(|error| error.to_string())?;
    let &[rows, dims] = tensor.shape.as_slice() else {
        return Err(format!("`embeddings` has {} dimensions, not 2", tensor.shape.len()));
    };
    let [start, end] = tensor.data_offsets;
    let data = bytes[8 + header.len()..].get(start..end).ok_or("it is shorter than its header says")?;
    let width = if tensor.dtype == "F16" { 2 } else { 4 };
    if rows.checked_mul(dims).and_then(|count| count.checked_mul(width)) != Some(data.len())
        || data.is_empty()
    {
        return Err(format!("{} bytes do not hold {rows} rows of {dims}", data.len()));
    }
    let elements = match tensor.dtype.as_str() {
        "F32" => {
            data.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("four"))).collect()
        }
        "F16" => {
            data.chunks_exact(2).map(|two| half(u16::from_le_bytes(two.try_into().expect("two")))).collect()
        }
        other => return Err(format!("its elements are `{other}`, and only F32 and F16 are read")),
    };
    Ok((elements, dims))
}

/// A number of sixteen bits, widened.
fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15, bits >> 10 & 31, f32::from(bits & 1023));
    let value = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 => return f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(i32::from(exponent) - 15),
    };
    if sign == 1 { -value } else { value }
}

/// A folder with a small model.
#[cfg(test)]
fn sample(folder: &Path) -> std::path::PathBuf {
    let tokenizer = r###"{"normalizer": {"type": "BertNormalizer", "lowercase": true},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "re": 1, "##try": 2, "word": 3}}}"###;
    std::fs::write(folder.join("tokenizer.json"), tokenizer).unwrap();
    let header = r#"{"embeddings": {"dtype": "F32", "shape": [4, 2], "data_offsets": [0, 32]}}"#;
    let mut weights = (header.len() as u64).to_le_bytes().to_vec();
    weights.extend(header.as_bytes());
    [9.0f32, 9.0, 1.0, 0.0, 0.0, 2.0, 3.0, 4.0]
        .iter()
        .for_each(|element| weights.extend(element.to_le_bytes()));
    std::fs::write(folder.join("model.safetensors"), weights).unwrap();
    folder.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_longest_known_ones_and_unknown_words_count_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Folder::open(&sample(temp.path())).unwrap();
        assert_eq!(folder.sum("Rétry!"), [1.0, 2.0]);
        assert_eq!(folder.sum("retries re"), [1.0, 0.0]);
        assert_eq!(folder.sum(""), [0.0, 0.0]);
    }

    #[test]
    fn halves_are_read() {
        assert_eq!([half(0x3c00), half(0xc000), half(0x0001), half(0)], [1.0, -2.0, 2f32.powi(-24), 0.0]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let temp = tempfile::tempdir().unwrap();
        let folder = sample(temp.path());
        let error = |folder: &Path| Folder::open(folder).err().expect("it is broken").to_string();
        let weights = std::fs::read(folder.join("model.safetensors")).unwrap();
        for length in [0, 7, 20, weights.len() - 1] {
            std::fs::write(folder.join("model.safetensors"), &weights[..length]).unwrap();
            assert!(error(&folder).contains("model.safetensors"), "{length}");
        }
        std::fs::write(folder.join("tokenizer.json"), r#"{"model": {"type": "Unigram", "vocab": []}}"#)
            .unwrap();
        assert!(error(&folder).contains("only `WordPiece` is read"));
        std::fs::remove_file(folder.join("tokenizer.json")).unwrap();
        assert!(error(&folder).contains("there is no"));
    }
}
