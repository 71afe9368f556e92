//! Names that look like one that was not found.

/// How many near names are offered.
const OFFERED: usize = 5;

/// Collects the names nearest to one that was not found.
pub(crate) struct Near<'a> {
    wanted: &'a str,
    folded: String,
    found: Vec<(usize, String)>,
}

impl<'a> Near<'a> {
    pub(crate) fn new(wanted: &'a str) -> Self {
        Self { wanted, folded: wanted.to_lowercase(), found: Vec::new() }
    }

    /// Takes note of `name` if it is near: few edits for its length, or one holds the other.
    pub(crate) fn offer(&mut self, name: &str) {
        let most = (self.folded.chars().count() / 3).clamp(1, 4);
        let lower = name.to_lowercase();
        let holds = self.folded.len() >= 4 && lower.contains(&self.folded);
        if !holds && lower.len().abs_diff(self.folded.len()) > most {
            return;
        }
        let distance = strsim::osa_distance(&self.folded, &lower);
        if holds || distance <= most {
            self.found.push((if holds { most } else { distance }, name.to_owned()));
        }
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
