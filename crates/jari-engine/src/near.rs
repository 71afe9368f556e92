//! Names that look like one that was not found.

use jari_store::Snapshot;
use jari_text::{slips, spelling, spelling_grams};

use crate::Result;

/// How many near names are offered.
const OFFERED: usize = 5;

/// The names that are defined and nearest to `wanted`, best first.
pub(crate) fn names(snapshot: &dyn Snapshot, wanted: &str) -> Result<Vec<String>> {
    let letters = spelling(wanted);
    if letters.is_empty() {
        return Ok(Vec::new());
    }
    let near = Near::new(wanted);
    let found = snapshot
        .names_like(&spelling_grams(&letters), &slips(wanted), &mut |name| near.distance(name).is_some())?;
    let mut near = near;
    found.iter().for_each(|name| near.offer(name));
    Ok(near.names())
}

/// Collects the names nearest to one that was not found.
pub(crate) struct Near<'a> {
    wanted: &'a str,
    folded: String,
    found: Vec<(usize, String)>,
}

impl<'a> Near<'a> {
    pub(crate) fn new(wanted: &'a str) -> Self {
        Self { wanted, folded: letters(wanted), found: Vec::new() }
    }

    /// Takes note of `name` if it is near.
    pub(crate) fn offer(&mut self, name: &str) {
        self.found.extend(self.distance(name).map(|distance| (distance, name.to_owned())));
    }

    /// How far `name` is, if it is near: few edits for its length, or it holds the other.
    fn distance(&self, name: &str) -> Option<usize> {
        let most = (self.folded.chars().count() / 3).clamp(1, 4);
        let letters = letters(name);
        let holds = self.folded.len() >= 4 && letters.contains(&self.folded);
        if holds {
            return Some(most);
        }
        if letters.len().abs_diff(self.folded.len()) > most * char::MAX.len_utf8() {
            return None;
        }
        Some(strsim::osa_distance(&self.folded, &letters)).filter(|distance| *distance <= most)
    }

    /// The nearest, best first.
    pub(crate) fn names(mut self) -> Vec<String> {
        let wanted = self.wanted;
        self.found.sort_by(|a, b| {
            (a.0, a.1.len().abs_diff(wanted.len()), &a.1).cmp(&(b.0, b.1.len().abs_diff(wanted.len()), &b.1))
        });
        self.found.dedup_by(|a, b| a.1 == b.1);
        self.found.into_iter().take(OFFERED).map(|(_, name)| name).collect()
    }
}

/// A name by its letters; a path keeps its signs.
fn letters(name: &str) -> String {
    if name.contains(['/', '.']) { name.to_lowercase() } else { spelling(name).into_iter().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_and_parts_are_near() {
        let mut near = Near::new("conect");
        ["connect", "connection", "unrelated", "Connect", "reconnect"]
            .into_iter()
            .for_each(|name| near.offer(name));
        assert_eq!(near.names(), ["Connect", "connect"]);
        let mut near = Near::new("retry");
        ["retry_with_backoff", "retyr", "entry", "x"].into_iter().for_each(|name| near.offer(name));
        assert_eq!(near.names(), ["retyr", "retry_with_backoff"]);
    }
}
