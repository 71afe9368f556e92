//! Keeps what measures out of what is learned from: pairs that share a run of words with a held-out folder are dropped.

use std::path::Path;

use anyhow::Result;
use jari_embed::{Feature, features, hash};
use jari_source::{Contents, Limits};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::pair::Pair;

/// Words in a run. Shorter ones are phrases that any two programs share.
const RUN: usize = 16;

/// The runs of words of a folder.
pub(crate) struct HeldOut {
    runs: FxHashSet<u64>,
}

impl HeldOut {
    /// Reads every file below `folder`.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let limits = Limits::default();
        let walked = jari_source::walk(folder, &limits)?;
        let runs: Vec<Vec<u64>> = walked
            .entries
            .par_iter()
            .filter(|entry| entry.skip.is_none())
            .map(|entry| match jari_source::read(&folder.join(&entry.path), &limits) {
                Contents::Text { text, .. } => runs(&text),
                Contents::Skipped(_) => Vec::new(),
            })
            .collect();
        Ok(Self { runs: runs.into_iter().flatten().collect() })
    }

    /// Whether a pair repeats what is held out.
    pub(crate) fn shares(&self, pair: &Pair) -> bool {
        [&pair.query, &pair.text].iter().any(|text| runs(text).iter().any(|run| self.runs.contains(run)))
    }
}

fn runs(text: &str) -> Vec<u64> {
    let mut words = Vec::new();
    features(text, |feature| {
        if let Feature::Word(word) | Feature::Foreign(word, 1.0) = feature {
            words.push(hash(word.as_bytes()));
        }
    });
    let fold =
        |run: &[u64]| run.iter().fold(0u64, |state, word| state.rotate_left(7).wrapping_mul(31) ^ word);
    words.windows(RUN).map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::Kind;

    #[test]
    fn a_shared_run_is_noticed_in_any_layout() {
        let temp = tempfile::tempdir().unwrap();
        let text =
            "the quick brown fox jumps over the lazy dog while the other dogs watch it with great interest";
        std::fs::write(temp.path().join("a.md"), text).unwrap();
        let held_out = HeldOut::read(temp.path()).unwrap();
        let pair = |text: &str| Pair {
            kind: Kind::Code,
            source: String::new(),
            query: "q".to_owned(),
            text: text.to_owned(),
            heading: String::new(),
        };
        assert!(held_out.shares(&pair(&format!("Before: {}.", text.replace(' ', "\n")))));
        assert!(!held_out.shares(&pair(
            "the quick brown fox jumps over another dog while the other dogs watch it with great"
        )));
    }
}
