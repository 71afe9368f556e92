//! The uses of one file, packed: a walk over the graph looks at hundreds of files for a few uses in each. Beside them stand the
//! types of fields, which the same walks ask for.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::table::Table;
use crate::{FieldType, Reference, ReferenceKind};

/// All uses of names in a file, in order of their line. Each text stands once, and a use is a row of numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Uses {
    /// All texts, one after the other.
    texts: String,
    /// Where each ends.
    ends: Vec<u32>,
    /// Name, kind, line, within, qualifier, receiver, alias. Texts and `within` count from 1 on; 0 is none.
    rows: Table<7>,
    /// Owner, name, declared.
    fields: Table<3>,
}

impl Uses {
    /// Packs the uses of a file, and the types of the fields it declares.
    pub fn new<'r>(references: &'r [Reference], fields: &'r [FieldType]) -> Self {
        let (mut texts, mut ends) = (String::new(), Vec::new());
        let mut numbers: HashMap<&'r str, u32> = HashMap::new();
        let mut number = |text: Option<&'r str>| match text {
            Some(text) => *numbers.entry(text).or_insert_with(|| {
                texts.push_str(text);
                ends.push(texts.len() as u32);
                ends.len() as u32
            }),
            None => 0,
        };
        let row = |reference: &'r Reference| {
            let Reference { name, kind, line, within, qualifier, receiver, alias } = reference;
            [
                number(Some(name)),
                *kind as u32,
                *line,
                within.map_or(0, |within| within + 1),
                number(qualifier.as_deref()),
                number(receiver.as_deref()),
                number(alias.as_deref()),
            ]
        };
        let rows: Vec<_> = references.iter().map(row).collect();
        let field =
            |field: &'r FieldType| [field.owner, number(Some(&field.name)), number(Some(&field.declared))];
        let fields: Vec<_> = fields.iter().map(field).collect();
        Self { texts, ends, rows: Table::new(&rows), fields: Table::new(&fields) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All of them.
    pub fn all(&self) -> Vec<Reference> {
        self.rows.rows().filter_map(|row| self.reference(row)).collect()
    }

    /// Those of names that are wanted; each name is asked for once.
    pub fn named(&self, wanted: impl Fn(&str) -> bool) -> Vec<Reference> {
        let wanted: Vec<bool> = (0..=self.ends.len()).map(|text| wanted(self.text(text as u32))).collect();
        let is_wanted = |name: u32| wanted.get(name as usize) == Some(&true);
        self.rows.rows_with(0, is_wanted).filter_map(|row| self.reference(row)).collect()
    }

    /// Those of kinds that are wanted.
    pub fn of_kind(&self, wanted: impl Fn(ReferenceKind) -> bool) -> Vec<Reference> {
        let is_wanted = |number: u32| kind(number).is_some_and(&wanted);
        self.rows.rows_with(1, is_wanted).filter_map(|row| self.reference(row)).collect()
    }

    /// The name and the kind of each.
    pub fn names(&self) -> impl Iterator<Item = (&str, ReferenceKind)> {
        self.rows.rows().filter_map(|row| Some((self.text(row[0]), kind(row[1])?)))
    }

    /// What one of the file's definitions declares a field to be.
    pub fn field(&self, owner: u32, name: &str) -> Option<&str> {
        let mut of_owner = self.fields.rows_with(0, |one| one == owner);
        let found = of_owner.find(|[_, one, _]| self.text(*one) == name);
        found.map(|[.., declared]| self.text(declared))
    }

    /// All fields whose types are declared.
    pub fn fields(&self) -> Vec<FieldType> {
        let field = |[owner, name, declared]: [u32; 3]| FieldType {
            owner,
            name: self.text(name).to_owned(),
            declared: self.text(declared).to_owned(),
        };
        self.fields.rows().map(field).collect()
    }

    /// A use; `None` where damage has left none.
    fn reference(&self, row: [u32; 7]) -> Option<Reference> {
        let [name, number, line, within, qualifier, receiver, alias] = row;
        let text = |number: u32| (number > 0).then(|| self.text(number).to_owned());
        Some(Reference {
            name: self.text(name).to_owned(),
            kind: kind(number)?,
            line,
            within: within.checked_sub(1),
            qualifier: text(qualifier),
            receiver: text(receiver),
            alias: text(alias),
        })
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

fn kind(number: u32) -> Option<ReferenceKind> {
    ReferenceKind::ALL.get(number as usize).copied()
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
        let field = |owner, name: &str, declared: &str| FieldType {
            owner,
            name: name.to_owned(),
            declared: declared.to_owned(),
        };
        let fields = [field(0, "free", "Pool"), field(4, "free", "Queue")];
        let uses = Uses::new(&references, &fields);
        assert_eq!(uses.all(), references);
        assert_eq!(uses.fields(), fields);
        assert_eq!(uses.field(4, "free"), Some("Queue"));
        assert_eq!((uses.field(4, "used"), uses.field(1, "free")), (None, None));
        assert_eq!(uses.named(|name| name == "take"), references[1..2]);
        assert_eq!(uses.named(|name| name == "self.pool"), []);
        assert_eq!(uses.of_kind(ReferenceKind::is_import), references[..1]);
        let names: Vec<_> = uses.names().map(|(name, _)| name).collect();
        assert_eq!(names, ["Pool", "take", ""]);
        assert_eq!(uses.texts, "Poolnettakeself.poolfreeQueue");
        assert!(!uses.is_empty() && Uses::new(&[], &[]).is_empty());
    }

    #[test]
    fn wrong_numbers_are_no_texts() {
        let mut uses = Uses::new(&references(), &[]);
        uses.rows =
            Table::new(&[[u32::MAX, 0, 1, 0, 0, 0, 0], [3, 99, 1, 0, 0, 0, 0], [3, 0, 1, 0, 9, 0, 0]]);
        uses.ends[1] = 2;
        assert_eq!(uses.all().len(), 2);
        assert_eq!(uses.named(|name| name == "Pool"), []);
    }
}
