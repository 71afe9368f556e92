//! Ways from one node of a tree to another, as `language.toml` writes them: `declarator|#0/:identifier`.

use tree_sitter::{Language, Node};

/// Steps, each with its alternatives, by the grammar's own numbers: looking names up at every node would cost more
/// than parsing does.
pub(crate) struct Path(Vec<Vec<Step>>);

enum Step {
    /// `name`: the child in that field.
    Field(u16),
    /// `:kind`: the first child of that kind. A grammar may have several numbers for one name.
    Kind(Vec<u16>),
    /// `#n`: the n-th named child.
    Number(u32),
    /// `.`: the node itself.
    Itself,
}

impl Path {
    /// What the grammar does not know is left out: an extending language may lack a node of the one it extends.
    pub(crate) fn new(path: &str, grammar: &Language) -> Self {
        let step = |step: &str| {
            if step == "." {
                return Some(Step::Itself);
            }
            if let Some(kind) = step.strip_prefix(':') {
                return Some(Step::Kind(kinds_named(&[kind], grammar)));
            }
            match step.strip_prefix('#') {
                Some(number) => number.parse().ok().map(Step::Number),
                None => grammar.field_id_for_name(step).map(|field| Step::Field(field.get())),
            }
        };
        Self(path.split('/').map(|steps| steps.split('|').filter_map(step).collect()).collect())
    }

    /// The node at the end of the way; `None` where a step leads nowhere.
    pub(crate) fn follow<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.0.iter().try_fold(node, |node, steps| {
            steps.iter().find_map(|step| match step {
                Step::Field(field) => node.child_by_field_id(*field),
                Step::Kind(kinds) => {
                    node.children(&mut node.walk()).find(|child| kinds.contains(&child.kind_id()))
                }
                Step::Number(number) => node.named_child(*number),
                Step::Itself => Some(node),
            })
        })
    }
}

/// The number of nodes that the grammar made nothing of; it is in no grammar's list.
pub(crate) const ERROR: u16 = u16::MAX;

/// The numbers of all kinds of nodes that are called so.
pub(crate) fn kinds_named(names: &[&str], grammar: &Language) -> Vec<u16> {
    let known = (0..grammar.node_kind_count() as u16)
        .filter(|kind| grammar.node_kind_for_id(*kind).is_some_and(|name| names.contains(&name)));
    known.chain(names.contains(&"ERROR").then_some(ERROR)).collect()
}
