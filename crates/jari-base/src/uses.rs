//! The uses of one file, packed: a walk over the graph looks at hundreds of files for a few uses in each.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::{Reference, ReferenceKind};

/// All uses of names in a file, in order of their line. Each text stands once, and a use is a row of numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Uses {
    /// All texts, one after the other.
    texts: String,
    /// Where each ends.
    ends: Vec<u32>,
    rows: Vec<Row>,
}

/// A [`Reference`] whose texts go by their numbers, from 1 on; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    name: u32,
    kind: ReferenceKind,
    line: u32,
    within: Option<u32>,
    qualifier: u32,
    receiver: u32,
    alias: u32,
}

impl Uses {
    /// Packs the uses of a file.
    pub fn new<'r>(references: &'r [Reference]) -> Self {
        let mut uses = Self::default();
        let mut numbers: HashMap<&'r str, u32> = HashMap::new();
        for Reference { name, kind, line, within, qualifier, receiver, alias } in references {
            let mut number = |text: Option<&'r str>| match text {
                Some(text) => *numbers.entry(text).or_insert_with(|| {
                    uses.texts.push_str(text);
                    uses.ends.push(uses.texts.len() as u32);
                    uses.ends.len() as u32
                }),
                None => 0,
            };
            let row = Row {
                name: number(Some(name)),
                kind: *kind,
                line: *line,
                within: *within,
                qualifier: number(qualifier.as_deref()),
                receiver: number(receiver.as_deref()),
                alias: number(alias.as_deref()),
            };
            uses.rows.push(row);
        }
        uses
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All of them.
    pub fn all(&self) -> Vec<Reference> {
        self.rows.iter().map(|row| self.reference(row)).collect()
    }

    /// Those of names that are wanted; each name is asked for once.
    pub fn named(&self, wanted: impl Fn(&str) -> bool) -> Vec<Reference> {
        let wanted: Vec<bool> = (0..=self.ends.len()).map(|text| wanted(self.text(text as u32))).collect();
        let is_wanted = |row: &&Row| wanted.get(row.name as usize) == Some(&true);
        self.rows.iter().filter(is_wanted).map(|row| self.reference(row)).collect()
    }

    /// Those of kinds that are wanted.
    pub fn of_kind(&self, wanted: impl Fn(ReferenceKind) -> bool) -> Vec<Reference> {
        self.rows.iter().filter(|row| wanted(row.kind)).map(|row| self.reference(row)).collect()
    }

    /// The name and the kind of each.
    pub fn names(&self) -> impl Iterator<Item = (&str, ReferenceKind)> {
        self.rows.iter().map(|row| (self.text(row.name), row.kind))
    }

    fn reference(&self, row: &Row) -> Reference {
        let Row { name, kind, line, within, qualifier, receiver, alias } = *row;
        let text = |number: u32| (number > 0).then(|| self.text(number).to_owned());
        Reference {
            name: self.text(name).to_owned(),
            kind,
            line,
            within,
            qualifier: text(qualifier),
            receiver: text(receiver),
            alias: text(alias),
        }
    }

    /// A text by its number; nothing where damage has left none.
    fn text(&self, number: u32) -> &str {
        let end = |number: u32| self.ends.get(number as usize - 1).map_or(0, |end| *end as usize);
        let (start, end) = match number {
            0 => (0, 0),
            1 => (0, end(1)),
            _ => (end(number - 1), end(number)),
        };
        self.texts.get(start..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references() -> Vec<Reference> {
        let take = Reference {
            within: Some(1),
            qualifier: Some("self.pool".to_owned()),
            receiver: Some("Pool".to_owned()),
            ..Reference::new("take", ReferenceKind::Call, 3)
        };
        let import = Reference {
            qualifier: Some("net".to_owned()),
            alias: Some("take".to_owned()),
            ..Reference::new("Pool", ReferenceKind::Import, 1)
        };
        vec![import, take, Reference::new("", ReferenceKind::Type, 9)]
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let references = references();
        let uses = Uses::new(&references);
        assert_eq!(uses.all(), references);
        assert_eq!(uses.named(|name| name == "take"), references[1..2]);
        assert_eq!(uses.named(|name| name == "self.pool"), []);
        assert_eq!(uses.of_kind(ReferenceKind::is_import), references[..1]);
        let names: Vec<_> = uses.names().map(|(name, _)| name).collect();
        assert_eq!(names, ["Pool", "take", ""]);
        assert_eq!(uses.texts, "Poolnettakeself.pool");
        assert!(!uses.is_empty() && Uses::new(&[]).is_empty());
    }

    #[test]
    fn wrong_numbers_are_no_texts() {
        let mut uses = Uses::new(&references());
        uses.rows[0].name = u32::MAX;
        uses.ends[1] = 2;
        assert_eq!(uses.all().len(), 3);
        assert_eq!(uses.named(|name| name == "Pool"), []);
    }
}
