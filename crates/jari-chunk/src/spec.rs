//! What is known of each language: the generated table, and its rules by the grammar's own numbers.

use std::collections::HashMap;
use std::sync::OnceLock;

use jari_base::{Language, ReferenceKind, SymbolKind};

use crate::path::{Path, kinds_named};

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// Paths, with the kinds or the texts that are meant.
type Pairs = &'static [(&'static str, &'static [&'static str])];

/// One language, as `languages/<name>/language.toml` has it; the README there says what each key means.
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    #[cfg(test)]
    extends: Option<&'static str>,
    pub(crate) extensions: &'static [&'static str],
    pub(crate) filenames: &'static [&'static str],
    pub(crate) shares: Pairs,
    pub(crate) interpreters: &'static [&'static str],
    pub(crate) grammar: Option<fn() -> tree_sitter::Language>,
    comments: &'static [&'static str],
    attached: &'static [&'static str],
    wrappers: &'static [&'static str],
    locals: &'static [&'static str],
    descend: &'static [&'static str],
    docstring: Option<&'static str>,
    doc: Option<&'static str>,
    pub(crate) letters: &'static str,
    pub(crate) ignore: &'static [&'static str],
    pub(crate) exported: Exported,
    definitions: &'static [Definition],
    references: &'static [ReferenceRule],
    bindings: &'static [Binding],
    /// How imports are written: a style of `syntax/imports.rs`.
    pub(crate) imports: Option<&'static str>,
    /// Whether functions may begin with a capital, so that a call of one makes nothing of that name.
    pub(crate) capital_calls: bool,
    /// What may stand between a receiver and a name besides `.`, `::` and `->`.
    pub(crate) separators: &'static [&'static str],
    compiled: OnceLock<Compiled>,
}

/// How syntax shows that other files can see a definition.
pub(crate) struct Exported {
    pub(crate) words: &'static [&'static str],
    pub(crate) unless: &'static [&'static str],
    pub(crate) style: Option<&'static str>,
    pub(crate) inherit: bool,
}

/// A node that defines a name, as written.
struct Definition {
    nodes: &'static [&'static str],
    kind: SymbolKind,
    name: &'static str,
    container: Option<&'static str>,
    body: &'static str,
    when: Pairs,
    text: Pairs,
    except: Pairs,
    top: bool,
    depth: Option<usize>,
    joins: bool,
    also: Option<&'static str>,
}

/// A node that uses a name, as written.
struct ReferenceRule {
    nodes: &'static [&'static str],
    kind: ReferenceKind,
    name: Option<&'static str>,
    each: &'static [&'static str],
    before: Option<&'static str>,
    when: Pairs,
    text: Pairs,
}

/// A node that declares what a name is, as written.
struct Binding {
    nodes: &'static [&'static str],
    name: &'static str,
    class: Option<&'static str>,
    value: Option<&'static str>,
    field: bool,
    list: bool,
}

/// A node that defines a name, by numbers.
pub(crate) struct Defines {
    pub(crate) kind: SymbolKind,
    pub(crate) name: Path,
    pub(crate) also: Option<Path>,
    pub(crate) container: Option<Path>,
    pub(crate) body: Path,
    pub(crate) conditions: Conditions,
    pub(crate) top: bool,
    pub(crate) depth: Option<usize>,
    pub(crate) joins: bool,
}

/// A node that uses a name, by numbers.
pub(crate) struct Uses {
    pub(crate) kind: ReferenceKind,
    pub(crate) name: Option<Path>,
    /// Not the node itself, but its children of these kinds.
    pub(crate) each: Vec<u16>,
    /// Only those that this text follows.
    pub(crate) before: Option<&'static str>,
    pub(crate) conditions: Conditions,
}

/// A node that declares what a name is, by numbers.
pub(crate) struct Binds {
    pub(crate) name: Path,
    pub(crate) class: Option<Path>,
    pub(crate) value: Option<Path>,
    /// Whether it is a member of the type around it, wherever it stands.
    pub(crate) field: bool,
    /// Whether it declares several names, of which the first counts.
    pub(crate) list: bool,
}

/// What must hold at a node for its rule to count.
pub(crate) struct Conditions {
    pub(crate) kinds: Vec<(Path, Vec<u16>)>,
    pub(crate) texts: Vec<(Path, &'static [&'static str])>,
    pub(crate) other_texts: Vec<(Path, &'static [&'static str])>,
}

/// What to do at a node, by the grammar's number for its kind.
#[derive(Clone, Default)]
pub(crate) struct Action {
    pub(crate) comment: bool,
    pub(crate) attached: bool,
    pub(crate) wrapper: bool,
    pub(crate) local: bool,
    definitions: Vec<u16>,
    references: Vec<u16>,
    bindings: Vec<u16>,
}

impl Action {
    /// Whether nodes of this kind can define something.
    pub(crate) fn may_define(&self) -> bool {
        !self.definitions.is_empty()
    }
}

pub(crate) struct Compiled {
    pub(crate) grammar: tree_sitter::Language,
    /// Numbers of the node that is a docstring; none if the language has none.
    pub(crate) docstring: Vec<u16>,
    pub(crate) doc: Option<Path>,
    pub(crate) descend: Vec<Path>,
    definitions: Vec<Defines>,
    references: Vec<Uses>,
    bindings: Vec<Binds>,
    /// For each kind of node, an index into `actions`; 0 is nothing to do.
    kinds: Vec<u16>,
    actions: Vec<Action>,
}

impl Compiled {
    /// What to do at a node of this kind; `None` for the many that are passed through.
    pub(crate) fn action(&self, kind: u16) -> Option<&Action> {
        match self.kinds.get(kind as usize) {
            None | Some(0) => None,
            Some(action) => Some(&self.actions[*action as usize]),
        }
    }

    pub(crate) fn definitions(&self, action: &Action) -> impl Iterator<Item = &Defines> {
        action.definitions.iter().map(|rule| &self.definitions[*rule as usize])
    }

    pub(crate) fn references(&self, action: &Action) -> impl Iterator<Item = &Uses> {
        action.references.iter().map(|rule| &self.references[*rule as usize])
    }

    pub(crate) fn bindings(&self, action: &Action) -> impl Iterator<Item = &Binds> {
        action.bindings.iter().map(|rule| &self.bindings[*rule as usize])
    }
}

impl Spec {
    /// The rules by node number, worked out once. `None` where the grammar is not built in.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        let grammar = self.grammar?;
        Some(self.compiled.get_or_init(|| self.compile(&grammar())))
    }

    fn compile(&self, grammar: &tree_sitter::Language) -> Compiled {
        let mut by_name: HashMap<&str, Action> = HashMap::new();
        for name in self.comments {
            by_name.entry(name).or_default().comment = true;
        }
        for name in self.attached {
            by_name.entry(name).or_default().attached = true;
        }
        for name in self.wrappers {
            by_name.entry(name).or_default().wrapper = true;
        }
        for name in self.locals {
            by_name.entry(name).or_default().local = true;
        }
        for (index, rule) in self.definitions.iter().enumerate() {
            for name in rule.nodes {
                by_name.entry(name).or_default().definitions.push(index as u16);
            }
        }
        for (index, rule) in self.references.iter().enumerate() {
            for name in rule.nodes {
                by_name.entry(name).or_default().references.push(index as u16);
            }
        }
        for (index, rule) in self.bindings.iter().enumerate() {
            for name in rule.nodes {
                by_name.entry(name).or_default().bindings.push(index as u16);
            }
        }
        let mut actions = vec![Action::default()];
        let mut kinds = vec![0; grammar.node_kind_count()];
        for (kind, slot) in kinds.iter_mut().enumerate() {
            let kind = kind as u16;
            let action = grammar.node_kind_for_id(kind).filter(|_| grammar.node_kind_is_named(kind));
            if let Some(action) = action.and_then(|name| by_name.get(name)) {
                actions.push(action.clone());
                *slot = actions.len() as u16 - 1;
            }
        }

        let path = |path| Path::new(path, grammar);
        let texts = |pairs: Pairs| pairs.iter().map(|(at, texts)| (path(at), *texts)).collect();
        let conditions = |when: Pairs, text: Pairs, except: Pairs| Conditions {
            kinds: when.iter().map(|(at, kinds)| (path(at), kinds_named(kinds, grammar))).collect(),
            texts: texts(text),
            other_texts: texts(except),
        };
        let defines = |rule: &Definition| Defines {
            kind: rule.kind,
            name: path(rule.name),
            also: rule.also.map(path),
            container: rule.container.map(path),
            body: path(rule.body),
            conditions: conditions(rule.when, rule.text, rule.except),
            top: rule.top,
            depth: rule.depth,
            joins: rule.joins,
        };
        let uses = |rule: &ReferenceRule| Uses {
            kind: rule.kind,
            name: rule.name.map(path),
            each: kinds_named(rule.each, grammar),
            before: rule.before,
            conditions: conditions(rule.when, rule.text, &[]),
        };
        let binds = |rule: &Binding| Binds {
            name: path(rule.name),
            class: rule.class.map(path),
            value: rule.value.map(path),
            field: rule.field,
            list: rule.list,
        };
        Compiled {
            docstring: self.docstring.map(|kind| kinds_named(&[kind], grammar)).unwrap_or_default(),
            doc: self.doc.map(path),
            descend: self.descend.iter().copied().map(path).collect(),
            definitions: self.definitions.iter().map(defines).collect(),
            references: self.references.iter().map(uses).collect(),
            bindings: self.bindings.iter().map(binds).collect(),
            kinds,
            actions,
            grammar: grammar.clone(),
        }
    }
}

pub(crate) fn of(language: &Language) -> Option<&'static Spec> {
    LANGUAGES.binary_search_by(|spec| spec.name.cmp(language.as_str())).ok().map(|at| &LANGUAGES[at])
}

/// What a reader of the documentation wants to know of a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageFacts {
    /// Its name, as `--lang` takes it.
    pub name: &'static str,
    /// File extensions.
    pub extensions: Vec<&'static str>,
    /// File names.
    pub filenames: Vec<&'static str>,
    /// Whether structure is read; else windows of lines.
    pub structured: bool,
}

/// All languages, sorted by name.
pub fn facts() -> Vec<LanguageFacts> {
    let parsed = LANGUAGES.iter().map(|spec| LanguageFacts {
        name: spec.name,
        extensions: spec.extensions.to_vec(),
        filenames: spec.filenames.to_vec(),
        structured: spec.grammar.is_some(),
    });
    let plain = PLAIN.iter().map(|(name, extensions, filenames)| LanguageFacts {
        name,
        extensions: extensions.to_vec(),
        filenames: filenames.to_vec(),
        structured: false,
    });
    let mut facts: Vec<_> = parsed.chain(plain).collect();
    facts.sort_by_key(|language| language.name);
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule that names a node the grammar does not have would silently do nothing.
    #[test]
    fn every_rule_names_nodes_and_fields_of_its_grammar() {
        let mut unknown = Vec::new();
        for spec in &LANGUAGES {
            if spec.compiled().is_none() {
                continue;
            }
            // What is taken over may speak of nodes that only the other grammar has.
            let base = |spec: &&Spec| LANGUAGES.iter().find(|base| spec.extends == Some(base.name));
            let bases = std::iter::successors(Some(spec), base);
            let grammars: Vec<_> = bases.filter_map(|base| Some(&base.compiled()?.grammar)).collect();
            let nodes = [spec.comments, spec.attached, spec.wrappers, spec.locals, spec.docstring.as_slice()]
                .into_iter()
                .chain(spec.definitions.iter().map(|rule| rule.nodes))
                .chain(spec.references.iter().flat_map(|rule| [rule.nodes, rule.each]))
                .chain(spec.bindings.iter().map(|rule| rule.nodes));
            let kinds: std::collections::HashSet<_> = grammars
                .iter()
                .flat_map(|grammar| {
                    (0..grammar.node_kind_count() as u16).filter_map(|kind| grammar.node_kind_for_id(kind))
                })
                .collect();
            for node in nodes.flatten() {
                if !kinds.contains(node) {
                    unknown.push(format!("{}: no node `{node}`", spec.name));
                }
            }
            let paths = spec.definitions.iter().flat_map(|rule| {
                let conditions = rule.when.iter().chain(rule.text).chain(rule.except).map(|(path, _)| *path);
                let optional = rule.container.into_iter().chain(rule.also);
                optional.chain([rule.name, rule.body]).chain(conditions)
            });
            let used = spec.references.iter().flat_map(|rule| {
                let conditions = rule.when.iter().chain(rule.text).map(|(path, _)| *path);
                rule.name.into_iter().chain(conditions)
            });
            let bound = spec
                .bindings
                .iter()
                .flat_map(|rule| [Some(rule.name), rule.class, rule.value].into_iter().flatten());
            let paths = paths.chain(used).chain(bound).chain(spec.doc);
            for step in paths.chain(spec.descend.iter().copied()).flat_map(|path| path.split(['/', '|'])) {
                let known = match step.strip_prefix(':') {
                    Some(kind) => kind == "ERROR" || kinds.contains(kind),
                    None => {
                        step == "body"
                            || step == "name"
                            || step.starts_with('#')
                            || step == "."
                            || grammars.iter().any(|grammar| grammar.field_id_for_name(step).is_some())
                    }
                };
                if !known {
                    unknown.push(format!("{}: no field or child `{step}`", spec.name));
                }
            }
        }
        assert!(unknown.is_empty(), "{unknown:#?}");
    }

    #[test]
    fn names_are_sorted_so_that_look_up_works() {
        assert!(LANGUAGES.is_sorted_by_key(|spec| spec.name));
    }
}
