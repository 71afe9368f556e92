//! What is learned from: a question and the text that answers it.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use jari_embed::hash;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Where a pair comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A doc comment and the code below it.
    Code,
    /// A heading and the section below it.
    Section,
    /// A Korean text and the English one it was made from.
    Translation,
}

/// A question and the text that answers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pair {
    pub(crate) kind: Kind,
    /// The source it was taken from.
    pub(crate) source: String,
    pub(crate) query: String,
    pub(crate) text: String,
    /// The path or the titles above the text.
    #[serde(default)]
    pub(crate) heading: String,
}

/// A question asked more often than this is a phrase ("Creates a new instance"), and each answer wrong for the others.
const MOST_ASKED: usize = 2;

/// Without pairs whose text stands elsewhere too, and without phrases. Keeps the order.
pub(crate) fn distinct(pairs: Vec<Pair>) -> Vec<Pair> {
    let mut asked: FxHashMap<u64, usize> = FxHashMap::default();
    let mut answered: FxHashMap<u64, usize> = FxHashMap::default();
    for pair in &pairs {
        *asked.entry(folded(&pair.query)).or_default() += 1;
    }
    pairs
        .into_iter()
        .filter(|pair| {
            let texts = answered.entry(folded(&pair.text)).or_default();
            *texts += 1;
            *texts == 1 && asked[&folded(&pair.query)] <= MOST_ASKED
        })
        .collect()
}

/// At most `most` pairs of each source and kind, picked by hash so that the choice does not depend on the order.
pub(crate) fn capped(mut pairs: Vec<Pair>, most: impl Fn(Kind) -> usize) -> Vec<Pair> {
    pairs.sort_by_cached_key(|pair| {
        (pair.source.clone(), pair.kind, hash(pair.query.as_bytes()), hash(pair.text.as_bytes()))
    });
    let mut kept = Vec::new();
    for group in pairs.chunk_by(|one, two| one.source == two.source && one.kind == two.kind) {
        kept.extend(group.iter().take(most(group[0].kind)).cloned());
    }
    kept
}

fn folded(text: &str) -> u64 {
    hash(text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase().as_bytes())
}

/// Writes one JSON object a line.
pub(crate) fn write(path: &Path, pairs: &[Pair]) -> Result<()> {
    let mut file = BufWriter::new(fs_err::File::create(path)?);
    for pair in pairs {
        serde_json::to_writer(&mut file, pair)?;
        file.write_all(b"\n")?;
    }
    Ok(file.flush()?)
}

/// Reads what [`write()`] wrote.
pub(crate) fn read(path: &Path) -> Result<Vec<Pair>> {
    let lines = BufReader::new(fs_err::File::open(path)?).lines();
    lines
        .enumerate()
        .map(|(at, line)| {
            serde_json::from_str(&line?).with_context(|| format!("{}:{}", path.display(), at + 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(query: &str, text: &str) -> Pair {
        let source = "a".to_owned();
        Pair {
            kind: Kind::Code,
            source,
            query: query.to_owned(),
            text: text.to_owned(),
            heading: String::new(),
        }
    }

    #[test]
    fn phrases_and_copies_are_left_out() {
        let pairs = vec![
            pair("new one", "a"),
            pair("New  one", "b"),
            pair("new one", "c"),
            pair("sort", "x"),
            pair("order", "x"),
        ];
        let kept: Vec<_> = distinct(pairs).into_iter().map(|pair| pair.query).collect();
        assert_eq!(kept, ["sort"]);
    }

    #[test]
    fn no_source_gives_more_than_its_share() {
        let pairs: Vec<_> = (0..10).map(|n| pair(&n.to_string(), &n.to_string())).collect();
        assert_eq!(capped(pairs, |_| 3).len(), 3);
    }
}
