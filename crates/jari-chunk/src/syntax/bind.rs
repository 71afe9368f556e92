//! What names are declared to be in a file: variables, parameters and fields with their types, so that the receiver of a call is
//! known where the syntax shows it.

use std::collections::HashMap;

use jari_base::SymbolKind;
use tree_sitter::Node;

use super::{Walk, words};
use crate::spec::Binds;

/// Words for the thing that a method belongs to.
const SELVES: [&str; 7] = ["self", "this", "$this", "cls", "Self", "static", "@"];

/// Steps of `a.b.c` that are followed.
const STEPS: usize = 4;

/// The declarations of a file.
#[derive(Default)]
pub(super) struct Bindings {
    /// Of variables, by name, in order of the text.
    locals: HashMap<String, Vec<Local>>,
    /// Of fields, by the type they belong to and their name.
    fields: HashMap<(String, String), String>,
}

struct Local {
    /// The definition in which it holds.
    item: Option<usize>,
    line: u32,
    /// Nothing where it is declared anew as something that is not known.
    class: Option<String>,
}

impl Walk<'_> {
    /// Takes note of what a node declares.
    pub(super) fn bind(&mut self, node: Node<'_>, rule: &Binds, item: Option<usize>) {
        let text = |path: &Option<crate::path::Path>| {
            path.as_ref().and_then(|path| path.follow(node)).map(|found| &self.text[found.byte_range()])
        };
        let Some(name) = rule.name.follow(node).map(|found| &self.text[found.byte_range()]) else { return };
        let value = text(&rule.value);
        let class = text(&rule.class).and_then(jari_text::declared_type);
        let class = class.or_else(|| value.and_then(|value| self.made_type(value))).map(str::to_owned);
        // What a function returns is known where the function is.
        let class = class.or_else(|| value.and_then(words::called).map(|function| format!("{function}()")));
        if rule.list && name.contains(',') {
            return self.bind_results(node, name, class.as_deref(), item);
        }
        let name = name.trim().trim_start_matches("mut ").trim_start_matches("ref ");
        if let Some(field) = member_of_self(name) {
            if let (Some(class), Some(owner)) = (class, self.type_around(item)) {
                self.bindings.fields.entry((owner, field.to_owned())).or_insert(class);
            }
            return;
        }
        if name.is_empty() || name.contains(|c: char| !(c.is_alphanumeric() || "_$".contains(c))) {
            return;
        }
        let is_field = rule.field || item.is_some_and(|item| self.is_type_item(item));
        if let (true, Some(class), Some(owner)) = (is_field, &class, self.type_around(item)) {
            let field = name.trim_start_matches('$').to_owned();
            self.bindings.fields.entry((owner, field)).or_insert_with(|| class.clone());
        }
        let line = node.start_position().row as u32 + 1;
        self.bindings.locals.entry(name.to_owned()).or_default().push(Local { item, line, class });
    }

    /// Several names take the results of one function.
    fn bind_results(&mut self, node: Node<'_>, names: &str, class: Option<&str>, item: Option<usize>) {
        let line = node.start_position().row as u32 + 1;
        for (number, name) in names.split(',').map(str::trim).enumerate() {
            let class =
                class.filter(|class| number == 0 || class.ends_with("()")).map(|class| match number {
                    0 => class.to_owned(),
                    number => format!("{class}#{number}"),
                });
            self.bindings.locals.entry(name.to_owned()).or_default().push(Local { item, line, class });
        }
    }

    fn made_type<'w>(&self, written: &'w str) -> Option<&'w str> {
        let is_call = || words::called(written).is_some() && !written.trim_start().starts_with("new");
        if self.spec.capital_calls && is_call() { None } else { words::made_type(written) }
    }

    /// Gives every use the type of what stands before it, where the file shows it.
    pub(super) fn know_receivers(&mut self) {
        let mut references = std::mem::take(&mut self.outline.references);
        for reference in references.iter_mut().filter(|reference| !reference.kind.is_import()) {
            let Some(qualifier) = &reference.qualifier else { continue };
            let item = reference.within.map(|item| item as usize);
            reference.receiver = self.type_of(qualifier, item, reference.line);
        }
        self.outline.references = references;
    }

    fn type_of(&self, qualifier: &str, item: Option<usize>, line: u32) -> Option<String> {
        if let Some(made) = self.made_type(qualifier) {
            return Some(made.to_owned());
        }
        if let Some(field) = qualifier.strip_prefix('@') {
            return self.bindings.fields.get(&(self.type_around(item)?, field.to_owned())).cloned();
        }
        let mut steps = qualifier.split('.').take(STEPS);
        let first = steps.next()?;
        let mut class = match SELVES.contains(&first) {
            true => self.type_around(item),
            false => self.local(first, item, line),
        }?;
        for step in steps {
            if step.is_empty() || !step.chars().all(|c| c.is_alphanumeric() || c == '_') {
                return None;
            }
            // A field of a type of another file stays a step to take.
            class = match self.bindings.fields.get(&(class.clone(), step.to_owned())) {
                Some(found) => found.clone(),
                None => format!("{class}.{step}"),
            };
        }
        Some(class)
    }

    /// The type of a variable: the last declaration before `line` in the nearest definition that has one.
    fn local(&self, name: &str, item: Option<usize>, line: u32) -> Option<String> {
        let declared = self.bindings.locals.get(name)?;
        let mut around = item;
        loop {
            let here = |local: &&Local| local.item == around && (local.line <= line || around != item);
            if let Some(local) = declared.iter().rev().find(here) {
                return local.class.clone();
            }
            around = self.outline.items[around?].parent;
        }
    }

    /// The name of the type that a definition belongs to, or is.
    fn type_around(&self, item: Option<usize>) -> Option<String> {
        let mut around = item;
        while let Some(at) = around {
            let item = &self.outline.items[at];
            if self.is_type_item(at) {
                return Some(item.symbol.name.clone());
            }
            // A method can stand outside its type: Go's receivers, `Pool::take` in C++.
            if item.symbol.kind == SymbolKind::Method
                && let Some(container) = &item.symbol.container
            {
                return container.rsplit('.').next().map(str::to_owned);
            }
            around = item.parent;
        }
        None
    }

    fn is_type_item(&self, item: usize) -> bool {
        use SymbolKind::{Class, Enum, Impl, Interface, Struct, Trait};
        matches!(self.outline.items[item].symbol.kind, Class | Struct | Enum | Interface | Trait | Impl)
    }
}

/// `pool` of `self.pool`, `this.pool`, `$this->pool` and `@pool`.
fn member_of_self(name: &str) -> Option<&str> {
    let field = ["self.", "this.", "$this->", "@"].iter().find_map(|me| name.strip_prefix(me))?;
    field.chars().all(|c| c.is_alphanumeric() || c == '_').then_some(field)
}
