//! One walk over a syntax tree: definitions with what belongs to them, and uses of names.

mod bind;
mod define;
mod imports;
mod plain;
mod refer;
mod words;

use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use jari_base::{LineRange, Reference, ReferenceKind, Symbol, SymbolKind};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use self::bind::Bindings;
use crate::lines::Lines;
use crate::path::{ERROR, Path};
use crate::spec::{Action, Compiled, Conditions, Defines, Spec, Uses};

/// Names longer than this are expressions, not names.
const NAME: usize = 160;

/// A tree deeper than this is data or an attack; windows of lines serve it as well.
const DEPTH: usize = 2_000;

/// A grammar that takes longer over a file is lost in it: where nothing fits, some try every way to go on, and 200 kB of Lua that is
/// none took two minutes. The largest file that is indexed takes a tenth of this.
const PATIENCE: Duration = Duration::from_secs(4);

/// What a file is made of.
pub(crate) struct Outline {
    /// In order of their first line; a parent stands before its members.
    pub(crate) items: Vec<Item>,
    pub(crate) references: Vec<Reference>,
    /// For each line, how deep the outermost node that begins on it lies. Splits fall on shallow lines.
    pub(crate) depths: Vec<u16>,
    pub(crate) broken: bool,
}

/// A definition.
pub(crate) struct Item {
    pub(crate) symbol: Symbol,
    /// The definition that surrounds it.
    pub(crate) parent: Option<usize>,
    /// Lines of its doc comment or docstring.
    pub(crate) doc: Option<LineRange>,
}

/// Reads the tree of `text`; `None` if it is too broken or too deep for its structure to be trusted.
pub(crate) fn read(spec: &'static Spec, text: &str, lines: &Lines<'_>) -> Option<Outline> {
    let compiled = spec.compiled()?;
    // Kotlin's scanner looks for the space behind an annotation and never ends at the end of a file without one.
    let ended;
    let text = if text.ends_with('\n') {
        text
    } else {
        ended = format!("{text}\n");
        &ended
    };
    if spec.name == "yaml" && indentation(text) > DEEPEST_YAML {
        return None;
    }
    let plain = plain::readable(spec.name, text);
    let text = &*plain;
    let tree = parsed(&compiled.grammar, text)?;
    let root = tree.root_node();
    if root.is_error() && root.named_child_count() == 0 {
        return None;
    }
    let mut walk = Walk {
        spec,
        compiled,
        text,
        lines,
        outline: Outline {
            items: Vec::new(),
            references: Vec::new(),
            depths: vec![u16::MAX; lines.count() as usize],
            broken: root.has_error(),
        },
        errors: Vec::new(),
        bindings: Bindings::default(),
        defined_at: None,
    };
    walk.run(root)?;
    walk.know_receivers();
    // Half the file unread means that what was found is chance.
    let too_broken = walk.unread() * 2 > lines.count() as usize;
    let mut outline = walk.outline;
    in_order(&mut outline);
    refer::tidy(&mut outline.references);
    (!too_broken).then_some(outline)
}

/// YAML's scanner keeps a stack of its blocks in a kilobyte, and the program ends where that is not enough.
const DEEPEST_YAML: usize = 80;

/// How many blocks of YAML stand in each other at most, as far as columns and marks of lists tell.
fn indentation(text: &str) -> usize {
    let mut columns: Vec<usize> = Vec::new();
    let mut deepest = 0;
    for line in text.lines() {
        let mut rest = line.trim_start_matches(' ');
        let mut column = line.len() - rest.len();
        while !rest.is_empty() && deepest <= DEEPEST_YAML {
            columns.truncate(columns.partition_point(|outer| *outer < column));
            columns.push(column);
            deepest = deepest.max(columns.len());
            let Some(inner) = ["-", "?", ":"].iter().find_map(|mark| rest.strip_prefix(mark)) else { break };
            let after = inner.trim_start_matches([' ', '\t']);
            // A mark stands alone; `-a` is a word.
            if after.len() == inner.len() {
                break;
            }
            column += rest.len() - after.len();
            rest = after;
        }
    }
    deepest
}

/// The tree of `text`; `None` where the grammar takes too long over it.
fn parsed(grammar: &tree_sitter::Language, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(grammar).ok()?;
    let began = Instant::now();
    let mut progress = |_: &ParseState| {
        if began.elapsed() > PATIENCE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(
        &mut |byte, _| text.as_bytes().get(byte..).unwrap_or_default(),
        None,
        Some(options),
    )
}

struct Walk<'a> {
    spec: &'static Spec,
    compiled: &'static Compiled,
    text: &'a str,
    lines: &'a Lines<'a>,
    outline: Outline,
    /// Rows the grammar made nothing of, in order.
    errors: Vec<Range<usize>>,
    /// What names are declared to be.
    bindings: Bindings,
    /// Where the name of the last definition stands: it is no use of itself.
    defined_at: Option<usize>,
}

/// What holds for the children of one node.
#[derive(Default)]
struct Frame<'t> {
    /// The definition around them.
    item: Option<usize>,
    /// The definition before, among them.
    before: Option<usize>,
    /// Inside a function's body.
    in_function: bool,
    /// Comments and attributes read so far that may belong to the next definition.
    pending: Option<Pending>,
    /// The last child that was no comment.
    last: Option<Node<'t>>,
    /// The node around them belongs to the first definition among them (`export`, decorators): where it stands.
    wrapper: Option<Wrapper>,
}

impl<'t> Frame<'t> {
    /// What holds inside a node that changes nothing.
    fn inside(&self) -> Self {
        Self { item: self.item, in_function: self.in_function, ..Self::default() }
    }

    /// Goes into a node that no rule speaks of: what it opens with may be the definition that the comment above it
    /// speaks of.
    fn pass_through(&mut self, node: Node<'t>) -> Self {
        self.last = Some(node);
        let pending = if node.is_named() { self.pending.take() } else { None };
        Self { pending, ..self.inside() }
    }

    /// Goes past a leaf that no rule speaks of.
    fn pass_by(&mut self, node: Node<'t>) {
        self.last = Some(node);
        if self.pending.is_some() && node.is_named() {
            self.pending = None;
        }
    }
}

/// Where something stands in the text: its first byte, and the one behind it.
type Span = (usize, usize);

#[derive(Clone, Copy)]
struct Pending {
    start_row: usize,
    end_row: usize,
    doc: Option<Span>,
}

#[derive(Clone, Copy)]
struct Wrapper {
    start_byte: usize,
    start_row: usize,
    end_row: usize,
    doc: Option<Span>,
}

impl Walk<'_> {
    fn run(&mut self, root: Node<'_>) -> Option<()> {
        let mut cursor = root.walk();
        let mut frames = vec![Frame::default()];
        if !cursor.goto_first_child() {
            return Some(());
        }
        loop {
            let depth = frames.len();
            let frame = frames.last_mut()?;
            let node = cursor.node();
            let kind = node.kind_id();
            self.note_line(node, kind, depth);
            // Most nodes are passed through, and half of those are leaves that need no frame.
            let inner = self.compiled.action(kind).map(|action| self.visit(node, action, frame, depth));
            if cursor.goto_first_child() {
                if depth > DEPTH {
                    return None;
                }
                let inner = inner.unwrap_or_else(|| frame.pass_through(node));
                frames.push(inner);
                continue;
            }
            if inner.is_none() {
                frame.pass_by(node);
            }
            while !cursor.goto_next_sibling() {
                let left = frames.pop()?;
                let Some(around) = frames.last_mut() else { return Some(()) };
                // Some grammars put the comment above a definition at the end of what stands before it.
                around.pending = left.pending.or(around.pending);
                cursor.goto_parent();
            }
        }
    }

    /// Takes note of where a node begins, and of what the grammar made nothing of.
    fn note_line(&mut self, node: Node<'_>, kind: u16, depth: usize) {
        let row = node.start_position().row;
        if let Some(slot @ &mut u16::MAX) = self.outline.depths.get_mut(row) {
            *slot = depth as u16;
        }
        if kind == ERROR {
            // Errors lie in errors.
            let read = self.errors.last().map_or(0, |error| error.end);
            self.errors.push(row.max(read)..(node.end_position().row + 1).max(read));
        }
    }

    /// Takes note of one node that a rule speaks of; returns the frame for its children.
    fn visit<'t>(
        &mut self,
        node: Node<'t>,
        action: &Action,
        frame: &mut Frame<'t>,
        depth: usize,
    ) -> Frame<'t> {
        let mut inner = frame.inside();
        let row = node.start_position().row;
        inner.in_function |= action.local;
        if action.comment {
            frame.await_definition(node, Some(node));
            return inner;
        }
        for rule in self.compiled.bindings(action) {
            self.bind(node, rule, frame.item);
        }
        let uses = |rule: &&Uses| rule.kind != ReferenceKind::Inherit;
        for rule in self.compiled.references(action).filter(uses) {
            self.refer(node, rule, frame.item);
        }
        let rule = self.compiled.definitions(action).find(|rule| self.applies(rule, node, frame, depth));
        if rule.is_none() {
            self.inherit(node, action, frame.item);
        }
        if action.attached && rule.is_none() {
            let doc = self.compiled.doc.as_ref();
            frame.await_definition(node, doc.and_then(|path| path.follow(node)));
            return inner;
        }
        let pending = frame.pending.take().filter(|pending| row <= pending.end_row + 1);
        frame.last = Some(node);
        let Some(rule) = rule else {
            if action.wrapper && self.wraps_first(node) {
                return Frame { wrapper: Some(self.wrapper_of(node, frame.wrapper, pending)), ..inner };
            }
            return Frame { pending, ..inner };
        };
        if let (Some(before), Some(_)) = (frame.before, frame.wrapper) {
            // The wrapper was the first one's; that ends where this begins.
            frame.wrapper = None;
            self.end_before(before, row);
        }
        inner.in_function |=
            matches!(rule.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro);
        match self.define(node, rule, frame, pending) {
            None => inner.pending = pending,
            defined => {
                frame.before = defined;
                inner.item = defined;
            }
        }
        self.inherit(node, action, inner.item);
        inner
    }

    fn applies(&self, rule: &Defines, node: Node<'_>, frame: &Frame<'_>, depth: usize) -> bool {
        let local = frame.in_function && (rule.top || rule.kind == SymbolKind::Field);
        let too_deep = rule.depth.is_some_and(|deepest| depth > deepest);
        !local && !too_deep && self.holds(&rule.conditions, node)
    }

    fn holds(&self, conditions: &Conditions, node: Node<'_>) -> bool {
        let reads = |(path, texts): &(Path, &[&str])| {
            path.follow(node).is_some_and(|found| texts.contains(&&self.text[found.byte_range()]))
        };
        conditions.kinds.iter().all(|(path, kinds)| {
            let found = path.follow(node);
            found.is_some_and(|found| kinds.contains(&found.kind_id()))
        }) && conditions.texts.iter().all(reads)
            && !conditions.other_texts.iter().any(reads)
    }

    /// Whether a wrapper belongs to the first definition in it: the only one, or one that begins on its line, as in
    /// `let rec even … and odd …`. In Go's `const ( … )` each stands for itself.
    fn wraps_first(&self, node: Node<'_>) -> bool {
        let mut cursor = node.walk();
        let mut defining = node.named_children(&mut cursor).filter(|child| {
            let action = self.compiled.action(child.kind_id());
            action.is_some_and(|action| action.wrapper || action.may_define())
        });
        let first = defining.next();
        defining.next().is_none()
            || first.is_some_and(|first| first.start_position().row == node.start_position().row)
    }

    fn wrapper_of(&self, node: Node<'_>, around: Option<Wrapper>, pending: Option<Pending>) -> Wrapper {
        let doc = pending.and_then(|pending| pending.doc);
        match around {
            Some(around) => Wrapper { doc: doc.or(around.doc), ..around },
            None => Wrapper {
                start_byte: self.bare_start(node),
                start_row: pending.map_or(node.start_position().row, |pending| pending.start_row),
                end_row: last_row(node),
                doc,
            },
        }
    }

    /// How many rows lie in errors, but in no definition: an error can span a file whose functions are all well.
    fn unread(&self) -> usize {
        if self.errors.is_empty() {
            return 0;
        }
        let count = self.lines.count() as usize;
        let mut unread = vec![false; count];
        let mut mark = |rows: Range<usize>, error| {
            unread[rows.start.min(count)..rows.end.min(count)].fill(error);
        };
        for rows in &self.errors {
            mark(rows.clone(), true);
        }
        for item in self.outline.items.iter().filter(|item| item.parent.is_none()) {
            mark(item.symbol.lines.start as usize - 1..item.symbol.lines.end as usize, false);
        }
        unread.into_iter().filter(|unread| *unread).count()
    }
}

impl Frame<'_> {
    /// A comment or an attribute: it belongs to the definition that follows, if one follows at once.
    fn await_definition(&mut self, node: Node<'_>, doc: Option<Node<'_>>) {
        let (start, end) = (node.start_position().row, last_row(node));
        // A comment behind code on the same line speaks of that code.
        if self.last.is_some_and(|last| last_row(last) == start) {
            return;
        }
        let doc = doc.map(|doc| (doc.start_byte(), doc.end_byte()));
        let blank_between = |pending: &Pending| start > pending.end_row + 1;
        self.pending = Some(match self.pending {
            Some(before) if !blank_between(&before) => Pending {
                start_row: before.start_row,
                end_row: end,
                doc: match (before.doc, doc) {
                    (Some((first, _)), Some((_, last))) => Some((first, last)),
                    (before, doc) => before.or(doc),
                },
            },
            _ => Pending { start_row: start, end_row: end, doc },
        });
    }
}

/// The row a node's text ends on; a node that takes its line break with it does not reach into the next line.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row }
}

/// Items in order of their first line, since readers search by it: a comment above a definition can begin before
/// what the tree has first.
fn in_order(outline: &mut Outline) {
    let first_line = |item: &Item| item.symbol.lines.start;
    let items = std::mem::take(&mut outline.items);
    if items.is_sorted_by_key(first_line) {
        outline.items = items;
        return;
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|at| first_line(&items[*at]));
    let mut places = vec![0; items.len()];
    for (place, &at) in order.iter().enumerate() {
        places[at] = place;
    }
    let mut sorted: Vec<(usize, Item)> = places.iter().copied().zip(items).collect();
    sorted.sort_by_key(|(place, _)| *place);
    let moved = |(_, item): (usize, Item)| Item { parent: item.parent.map(|parent| places[parent]), ..item };
    outline.items = sorted.into_iter().map(moved).collect();
    for within in outline.references.iter_mut().filter_map(|reference| reference.within.as_mut()) {
        *within = places[*within as usize] as u32;
    }
}
