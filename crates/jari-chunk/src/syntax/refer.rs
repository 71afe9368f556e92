//! What is known of one use of a name: how it is used, where, and what stands before it.

use jari_base::{Reference, ReferenceKind};
use tree_sitter::Node;

use super::{NAME, Walk, imports, words};
use crate::spec::{Action, Uses};

impl Walk<'_> {
    /// Takes note of what a node uses; `item` is the definition around it.
    pub(super) fn refer(&mut self, node: Node<'_>, rule: &Uses, item: Option<usize>) {
        if !self.holds(&rule.conditions, node) {
            return;
        }
        let Some(found) = rule.name.as_ref().map_or(Some(node), |path| path.follow(node)) else { return };
        if rule.kind == ReferenceKind::Import {
            return self.import(found, item);
        }
        if rule.each.is_empty() {
            return self.use_of(node, found, rule, item);
        }
        let mut cursor = found.walk();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let child = cursor.node();
            let more = cursor.goto_next_sibling();
            // Between a name and what must follow it stands nothing else: `name(…)` among the tokens of a macro.
            let followed = |next: &str| more && self.text[cursor.node().start_byte()..].starts_with(next);
            if rule.each.contains(&child.kind_id()) && rule.before.is_none_or(followed) {
                self.use_of(node, child, rule, item);
            }
            if !more {
                return;
            }
        }
    }

    /// Takes note of what the definition at a node inherits from.
    pub(super) fn inherit(&mut self, node: Node<'_>, action: &Action, item: Option<usize>) {
        let inherits = |rule: &&Uses| rule.kind == ReferenceKind::Inherit;
        for rule in self.compiled.references(action).filter(inherits) {
            self.refer(node, rule, item);
        }
    }

    fn use_of(&mut self, node: Node<'_>, found: Node<'_>, rule: &Uses, item: Option<usize>) {
        if self.defined_at == Some(found.start_byte()) {
            return;
        }
        let written = &self.text[found.byte_range()];
        let Some(name) = words::last_name(written, self.spec.letters) else { return };
        if name.is_empty() || name.len() > NAME || self.spec.ignore.contains(&name) {
            return;
        }
        // `last_name` gives a piece of what it was given.
        let start = found.start_byte() + (name.as_ptr() as usize - written.as_ptr() as usize);
        let before = match node.start_byte() < start {
            true => &self.text[node.start_byte()..start],
            // A path may stand around the node that names a type.
            false => self.text[..start].rsplit(char::is_whitespace).next().unwrap_or_default(),
        };
        self.outline.references.push(Reference {
            name: name.to_owned(),
            kind: rule.kind,
            line: self.lines.number_at(start),
            within: item.map(|item| item as u32),
            qualifier: words::qualifier(before, self.spec.separators),
            receiver: None,
            alias: None,
        });
    }

    fn import(&mut self, found: Node<'_>, item: Option<usize>) {
        let written = &self.text[found.byte_range()];
        let line = found.start_position().row as u32 + 1;
        for import in imports::read(self.spec.imports, written) {
            if import.name.is_empty() || import.name.len() > NAME {
                continue;
            }
            self.outline.references.push(Reference {
                name: import.name,
                kind: if import.handed_on { ReferenceKind::Export } else { ReferenceKind::Import },
                line: line + import.row,
                within: item.map(|item| item as u32),
                qualifier: import.module,
                receiver: None,
                alias: import.alias,
            });
        }
    }
}

/// Puts uses in order and drops what was said twice: a type that is named to be inherited from, a file that is required by
/// the declaration that names what it brings.
pub(super) fn tidy(references: &mut Vec<Reference>) {
    // The calls of a chain come last one first.
    references.sort_by_key(|reference| reference.line);
    let mut inherited: Vec<(u32, String)> = Vec::new();
    let mut required: Vec<(u32, String)> = Vec::new();
    for Reference { name, kind, line, qualifier, .. } in &*references {
        match (kind, qualifier) {
            (ReferenceKind::Inherit, _) => inherited.push((*line, name.clone())),
            (ReferenceKind::Import, Some(module)) => required.push((*line, module.clone())),
            _ => {}
        }
    }
    let said = |list: &[(u32, String)], one: &Reference| {
        let from = list.partition_point(|(line, _)| *line < one.line);
        list[from..].iter().take_while(|(line, _)| *line == one.line).any(|(_, name)| *name == one.name)
    };
    references.retain(|one| match one.kind {
        ReferenceKind::Type => !said(&inherited, one),
        ReferenceKind::Import if one.qualifier.is_none() => !said(&required, one),
        _ => true,
    });
}
