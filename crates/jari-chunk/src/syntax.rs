//! One walk over a syntax tree: definitions with what belongs to them, and uses of names.

use jari_base::{LineRange, Reference, ReferenceKind, Symbol, SymbolKind};
use tree_sitter::{Node, Parser};

use crate::lines::Lines;
use crate::spec::{Action, Compiled, Definition, ReferenceRule, Spec};

/// Longest signature kept, in bytes.
const SIGNATURE: usize = 240;

/// Names longer than this are expressions, not names.
const NAME: usize = 160;

/// A tree deeper than this is data or an attack; windows of lines serve it as well.
const DEPTH: usize = 2_000;

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
    let mut parser = Parser::new();
    parser.set_language(&compiled.grammar).ok()?;
    let tree = parser.parse(text, None)?;
    let root = tree.root_node();
    if root.is_error() && root.named_child_count() == 0 {
        return None;
    }
    let mut walk = Walk {
        spec,
        compiled,
        text,
        outline: Outline {
            items: Vec::new(),
            references: Vec::new(),
            depths: vec![u16::MAX; lines.count() as usize],
            broken: root.has_error(),
        },
        error_lines: 0,
        defined_at: None,
    };
    walk.run(root)?;
    // Half the file unread means that what was found is chance.
    let too_broken = walk.error_lines * 2 > lines.count() as usize;
    (!too_broken).then_some(walk.outline)
}

struct Walk<'a> {
    spec: &'static Spec,
    compiled: &'a Compiled,
    text: &'a str,
    outline: Outline,
    error_lines: usize,
    /// Where the name of the last definition stands: it is no use of itself.
    defined_at: Option<usize>,
}

/// What holds for the children of one node.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// The definition around them.
    item: Option<usize>,
    /// Inside a function's body.
    in_function: bool,
    /// Comments and attributes read so far that may belong to the next definition.
    pending: Option<Pending>,
    /// Where the last child that was no comment ended.
    last_row: Option<usize>,
    /// The node around them only wraps one definition (`export`, decorators): where that begins.
    wrapper: Option<Wrapper>,
}

#[derive(Clone, Copy)]
struct Pending {
    start_row: usize,
    end_row: usize,
    doc: Option<(usize, usize)>,
}

#[derive(Clone, Copy)]
struct Wrapper {
    start_byte: usize,
    start_row: usize,
    end_row: usize,
    doc: Option<(usize, usize)>,
}

impl Walk<'_> {
    fn run(&mut self, root: Node<'_>) -> Option<()> {
        let mut cursor = root.walk();
        let mut frames = vec![Frame::default()];
        if !cursor.goto_first_child() {
            return Some(());
        }
        loop {
            let inner = self.visit(cursor.node(), &mut frames);
            if cursor.goto_first_child() {
                if frames.len() > DEPTH {
                    return None;
                }
                frames.push(inner);
                continue;
            }
            while !cursor.goto_next_sibling() {
                frames.pop();
                if !cursor.goto_parent() || frames.is_empty() || cursor.node() == root {
                    return Some(());
                }
            }
        }
    }

    /// Takes note of one node; returns the frame for its children.
    fn visit(&mut self, node: Node<'_>, frames: &mut [Frame]) -> Frame {
        let depth = frames.len();
        let frame = frames.last_mut().expect("the root's frame stays");
        let mut inner = Frame { item: frame.item, in_function: frame.in_function, ..Frame::default() };
        let row = node.start_position().row;
        if let Some(slot @ &mut u16::MAX) = self.outline.depths.get_mut(row) {
            *slot = depth as u16;
        }
        if node.is_error() {
            self.error_lines += node.end_position().row - row + 1;
        }
        let Some(action) = self.compiled.action(node.kind_id()) else {
            if node.is_named() {
                frame.pending = None;
            }
            frame.last_row = Some(node.end_position().row);
            return inner;
        };
        inner.in_function |= action.local;
        if action.comment || action.attached {
            frame.await_definition(node, action);
            if action.comment {
                return inner;
            }
        }
        for &rule in &action.references {
            let rule = &self.spec.references[rule as usize];
            self.reference(node, rule);
        }
        let pending = frame.pending.take().filter(|pending| row <= pending.end_row + 1);
        if action.attached {
            frame.pending = pending;
            return inner;
        }
        frame.last_row = Some(node.end_position().row);
        let rule = action.definitions.iter().map(|rule| &self.spec.definitions[*rule as usize]);
        let Some(rule) = rule.into_iter().find(|rule| self.applies(rule, node, frame)) else {
            if action.wrapper && self.wraps_one(node) {
                return Frame { wrapper: Some(self.wrapper_of(node, frame.wrapper, pending)), ..inner };
            }
            return inner;
        };
        let frame = *frame;
        let callable = matches!(rule.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro);
        let item = self.define(node, rule, &frame, pending).or(frame.item);
        Frame { item, in_function: inner.in_function || callable, ..Frame::default() }
    }

    fn applies(&self, rule: &Definition, node: Node<'_>, frame: &Frame) -> bool {
        let callable = matches!(rule.kind, SymbolKind::Function | SymbolKind::Method);
        if (rule.top && frame.in_function)
            || (frame.in_function && !callable && rule.kind == SymbolKind::Field)
        {
            return false;
        }
        rule.when
            .iter()
            .all(|(path, kinds)| follow(node, path).is_some_and(|found| kinds.contains(&found.kind())))
            && self.texts_match(rule.text, node)
            && !rule.except.iter().any(|condition| self.text_matches(condition, node))
    }

    fn texts_match(&self, conditions: &[(&str, &[&str])], node: Node<'_>) -> bool {
        conditions.iter().all(|condition| self.text_matches(condition, node))
    }

    fn text_matches(&self, (path, texts): &(&str, &[&str]), node: Node<'_>) -> bool {
        follow(node, path).is_some_and(|found| texts.contains(&&self.text[found.byte_range()]))
    }

    /// Whether a wrapper holds one definition; of many, as in Go's `const ( … )`, each stands for itself.
    fn wraps_one(&self, node: Node<'_>) -> bool {
        let mut cursor = node.walk();
        let defining = node.named_children(&mut cursor).filter(|child| {
            let action = self.compiled.action(child.kind_id());
            action.is_some_and(|action| action.wrapper || !action.definitions.is_empty())
        });
        defining.count() <= 1
    }

    fn wrapper_of(&self, node: Node<'_>, around: Option<Wrapper>, pending: Option<Pending>) -> Wrapper {
        let own = Wrapper {
            start_byte: self.bare_start(node),
            start_row: pending.map_or(node.start_position().row, |pending| pending.start_row),
            end_row: last_row(node),
            doc: pending.and_then(|pending| pending.doc),
        };
        match around {
            Some(around) => Wrapper { doc: own.doc.or(around.doc), ..around },
            None => own,
        }
    }

    /// Where a declaration begins behind the annotations that are part of its node.
    fn bare_start(&self, node: Node<'_>) -> usize {
        let mut cursor = node.walk();
        let is_above = |action: &Action| action.attached || action.comment;
        while cursor.goto_first_child() {
            while self.compiled.action(cursor.node().kind_id()).is_some_and(is_above) {
                while !cursor.goto_next_sibling() {
                    if !cursor.goto_parent() {
                        return node.start_byte();
                    }
                }
            }
        }
        cursor.node().start_byte()
    }

    fn define(
        &mut self,
        node: Node<'_>,
        rule: &Definition,
        frame: &Frame,
        pending: Option<Pending>,
    ) -> Option<usize> {
        let mut named = follow(node, rule.name)?;
        while let Some(deeper) = self.spec.descend.iter().find_map(|step| follow(named, step)) {
            named = deeper;
        }
        let written = self.text[named.byte_range()].trim();
        let (around, name) = if written.contains(char::is_alphanumeric) {
            let bare = written.split(['<', '(', '\n', '[']).next().unwrap_or(written).trim();
            split_qualified(bare.trim_matches(['"', '\'', '`']))
        } else {
            (None, written) // an operator
        };
        if name.is_empty() || name.len() > NAME {
            return None;
        }
        self.defined_at = Some(named.start_byte());
        let parent = frame.item;
        let explicit = rule
            .container
            .and_then(|path| follow(node, path))
            .map(|found| type_name(&self.text[found.byte_range()]));
        let outer = parent.map(|parent| self.outline.items[parent].symbol.qualified());
        let container = join(outer, explicit.as_deref().or(around));
        let kind = match rule.kind {
            SymbolKind::Function if explicit.is_some() || around.is_some() || self.is_type(parent) => {
                SymbolKind::Method
            }
            SymbolKind::Constant if self.is_type(parent) => SymbolKind::Field,
            kind => kind,
        };

        let start_byte = frame.wrapper.map_or_else(|| self.bare_start(node), |wrapper| wrapper.start_byte);
        let signature = self.signature(node, rule, start_byte);
        let docstring = self.docstring(node, rule);
        let comment =
            pending.and_then(|pending| pending.doc).or(frame.wrapper.and_then(|wrapper| wrapper.doc));
        let doc = docstring.or(comment);
        let start_row = pending
            .map(|pending| pending.start_row)
            .into_iter()
            .chain(frame.wrapper.map(|wrapper| wrapper.start_row))
            .fold(node.start_position().row, usize::min);
        let end_row = frame.wrapper.map_or(0, |wrapper| wrapper.end_row).max(last_row(node));
        let exported = !frame.in_function && self.exported(&signature, name, parent);
        let symbol = Symbol {
            name: name.to_owned(),
            kind,
            container,
            signature,
            doc: doc.and_then(|(start, end)| first_doc_line(&self.text[start..end])),
            exported,
            lines: LineRange::new(start_row as u32 + 1, end_row.max(start_row) as u32 + 1),
        };
        let doc = doc.map(|(start, end)| self.lines_of(start, end));
        self.outline.items.push(Item { symbol, parent, doc });
        Some(self.outline.items.len() - 1)
    }

    fn is_type(&self, item: Option<usize>) -> bool {
        use SymbolKind::{Class, Enum, Impl, Interface, Struct, Trait};
        let kind = item.map(|item| self.outline.items[item].symbol.kind);
        matches!(kind, Some(Class | Struct | Enum | Interface | Trait | Impl))
    }

    /// The declaration on one line, up to the body.
    fn signature(&self, node: Node<'_>, rule: &Definition, start: usize) -> String {
        let mut cursor = node.walk();
        let is_comment =
            |child: &Node<'_>| self.compiled.action(child.kind_id()).is_some_and(|action| action.comment);
        let comment = node.children(&mut cursor).find(is_comment);
        let ends = [follow(node, rule.body), comment].into_iter().flatten().map(|end| end.start_byte());
        let body = ends.filter(|end| *end > start).min();
        let head = &self.text[start..body.unwrap_or(node.end_byte()).max(start)];
        let head = match rule.kind {
            _ if body.is_some() => head,
            SymbolKind::Function | SymbolKind::Method => closed_lines(head),
            _ => head.lines().next().unwrap_or_default(),
        };
        let mut signature = String::new();
        for word in head.split_whitespace() {
            if signature.len() + word.len() > SIGNATURE {
                signature.push_str(" …");
                break;
            }
            if !signature.is_empty() {
                signature.push(' ');
            }
            signature.push_str(word);
        }
        let bare = signature.trim_end_matches("=>").trim_end_matches(['{', '=', ':', ' ']);
        signature.truncate(bare.len());
        signature
    }

    /// The string that opens the body, where the language documents that way.
    fn docstring(&self, node: Node<'_>, rule: &Definition) -> Option<(usize, usize)> {
        let kind = self.spec.docstring?;
        let body = follow(node, rule.body)?;
        let mut first = body.named_child(0)?;
        while first.kind() != kind {
            first = first.named_child(0).filter(|inner| inner.start_byte() == first.start_byte())?;
        }
        Some((first.start_byte(), first.end_byte()))
    }

    fn exported(&self, signature: &str, name: &str, parent: Option<usize>) -> bool {
        let rule = &self.spec.exported;
        let said = |words: &[&str]| {
            let words_of = signature.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            words_of.take_while(|word| *word != name).any(|word| words.contains(&word))
        };
        let style = match rule.style {
            Some("capital") => name.starts_with(char::is_uppercase),
            Some("underscore") => !name.starts_with('_') || name.starts_with("__"),
            _ => true,
        };
        let inherited =
            rule.inherit && parent.is_some_and(|parent| self.outline.items[parent].symbol.exported);
        style && !said(rule.unless) && (rule.words.is_empty() || said(rule.words) || inherited)
    }

    fn reference(&mut self, node: Node<'_>, rule: &ReferenceRule) {
        if !self.texts_match(rule.text, node) {
            return;
        }
        let Some(found) = rule.name.map_or(Some(node), |path| follow(node, path)) else { return };
        if self.defined_at == Some(found.start_byte()) {
            return;
        }
        let written = &self.text[found.byte_range()];
        let line = found.start_position().row as u32 + 1;
        let name = match rule.kind {
            ReferenceKind::Import => {
                let words: Vec<_> = written.split_whitespace().collect();
                words.join(" ").trim_matches(['"', '\'']).to_owned()
            }
            ReferenceKind::Call | ReferenceKind::Type => match last_name(written) {
                Some(name) => name.to_owned(),
                None => return,
            },
        };
        if name.is_empty() || name.len() > NAME {
            return;
        }
        self.outline.references.push(Reference { name, kind: rule.kind, line });
    }

    fn lines_of(&self, start: usize, end: usize) -> LineRange {
        let count = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count() as u32;
        let first = count(&self.text[..start]) + 1;
        LineRange::new(first, first + count(self.text[start..end].trim_end()))
    }
}

impl Frame {
    /// A comment or an attribute: it belongs to the definition that follows, if one follows at once.
    fn await_definition(&mut self, node: Node<'_>, action: &Action) {
        let (start, end) = (node.start_position().row, last_row(node));
        // A comment behind code on the same line speaks of that code.
        if self.last_row == Some(start) {
            return;
        }
        let doc = action.comment.then(|| (node.start_byte(), node.end_byte()));
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

/// The first line, with those after it while a parenthesis is open.
fn closed_lines(text: &str) -> &str {
    let mut open = 0;
    let end = text.find(|c| {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        c == '\n' && open <= 0
    });
    &text[..end.unwrap_or(text.len())]
}

/// Follows a path of steps: `a/b` is field `b` of field `a`; `a|b` the first that exists; `:kind` the first child of
/// that kind; `#n` the n-th named child; `.` the node itself.
fn follow<'t>(node: Node<'t>, path: &str) -> Option<Node<'t>> {
    path.split('/').try_fold(node, |node, step| {
        step.split('|').find_map(|step| {
            if let Some(kind) = step.strip_prefix(':') {
                let mut cursor = node.walk();
                node.children(&mut cursor).find(|child| child.kind() == kind)
            } else if let Some(index) = step.strip_prefix('#') {
                index.parse().ok().and_then(|index| node.named_child(index))
            } else if step == "." {
                Some(node)
            } else {
                node.child_by_field_name(step)
            }
        })
    })
}

/// `("Pool", "take")` of `Pool::take`, `Pool.take` and `Pool:take`.
fn split_qualified(written: &str) -> (Option<&str>, &str) {
    match written.rfind(['.', ':']) {
        Some(at) if at > 0 && at + 1 < written.len() => {
            let around = written[..at].trim_end_matches([':', '.']);
            let around = around.rsplit(['.', ':']).next().unwrap_or(around);
            (Some(around).filter(|around| !around.is_empty()), &written[at + 1..])
        }
        _ => (None, written),
    }
}

/// `Engine` of `(e *Engine[T])`.
fn type_name(written: &str) -> String {
    let bare = written.split('[').next().unwrap_or(written);
    bare.rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .find(|word| !word.is_empty())
        .unwrap_or_default()
        .to_owned()
}

fn join(outer: Option<String>, inner: Option<&str>) -> Option<String> {
    match (outer, inner) {
        (Some(outer), Some(inner)) => Some(format!("{outer}.{inner}")),
        (outer, inner) => outer.or_else(|| inner.map(str::to_owned)),
    }
}

/// `send` of `self.client.send` and of `client(…).send`; nothing if no name ends the expression.
fn last_name(written: &str) -> Option<&str> {
    let in_name = |c: char| c.is_alphanumeric() || "_$!?'".contains(c);
    let member = written.trim_end_matches(in_name).ends_with(['.', ':']);
    let bare = if member { written } else { written.split(['<', '(', '[', '\n']).next()?.trim() };
    let name = &bare[bare.trim_end_matches(in_name).len()..];
    let first = name.chars().next()?;
    (first.is_alphabetic() || first == '_' || first == '$').then_some(name)
}

/// The first line of a comment that says something, without its marks.
fn first_doc_line(comment: &str) -> Option<String> {
    comment.lines().find_map(|line| {
        let said =
            line.trim().trim_start_matches(['/', '*', '#', '!', '-', ';', '%', '"', '\'', '{', '|', ' ']);
        let said = said.trim_end_matches("*/").trim_end_matches("-}").trim_end_matches(['"', '\'']).trim();
        let said = untagged(said);
        said.chars().any(char::is_alphanumeric).then(|| said.to_owned())
    })
}

/// `Takes one.` of `<summary>Takes one.</summary>`.
fn untagged(said: &str) -> &str {
    let said = said.strip_prefix('<').and_then(|tag| tag.split_once('>')).map_or(said, |(_, rest)| rest);
    let end = said.rfind("</").filter(|_| said.ends_with('>')).unwrap_or(said.len());
    said[..end].trim()
}
