//! What is known of one definition: its name, signature, doc, lines, and who sees it.

use jari_base::{LineRange, Symbol, SymbolKind};
use tree_sitter::Node;

use super::{Frame, Item, NAME, Pending, Span, Walk, last_row, words};
use crate::spec::{Action, Defines};

impl Walk<'_> {
    /// Makes an item of a node; `None` if it has no name after all.
    pub(super) fn define(
        &mut self,
        node: Node<'_>,
        rule: &Defines,
        frame: &Frame<'_>,
        pending: Option<Pending>,
    ) -> Option<usize> {
        let named = self.descend(rule.name.follow(node)?);
        let written = self.written_name(named, rule.kind);
        let (around, name) = match rule.kind {
            SymbolKind::Data => (None, written.as_str()),
            _ => words::split_qualified(&written, self.spec.letters),
        };
        // A `typedef struct` and the struct in it can be named by the same node.
        if name.is_empty() || name.len() > NAME || self.defined_at == Some(named.start_byte()) {
            return None;
        }
        self.defined_at = Some(named.start_byte());
        if let Some(before) = frame.before.filter(|_| rule.joins) {
            let symbol = &mut self.outline.items[before].symbol;
            if symbol.name == name {
                symbol.lines.end = symbol.lines.end.max(last_row(node) as u32 + 1);
                return Some(before);
            }
        }

        let parent = frame.item;
        let explicit = rule.container.as_ref().and_then(|path| path.follow(node));
        let explicit = explicit.map(|found| words::type_name(&self.text[found.byte_range()]));
        let around = explicit.or(around);
        let kind = match rule.kind {
            SymbolKind::Function if around.is_some() || self.is_type(parent) => SymbolKind::Method,
            SymbolKind::Constant if self.is_type(parent) => SymbolKind::Field,
            kind => kind,
        };
        let outer = parent.map(|parent| self.outline.items[parent].symbol.qualified());
        let container = match (outer, around) {
            (Some(outer), Some(around)) => Some(format!("{outer}.{around}")),
            (outer, around) => outer.or_else(|| around.map(str::to_owned)),
        };

        let body = rule.body.follow(node);
        let docstring = self.docstring(node, body);
        let start = frame.wrapper.map_or_else(|| self.bare_start(node), |wrapper| wrapper.start_byte);
        let start = docstring.filter(|doc| doc.0 == start).map_or(start, |doc| doc.1);
        let signature = self.signature(node, rule.kind, body, start);
        let above = pending.and_then(|pending| pending.doc);
        let doc = docstring.or(above).or(frame.wrapper.and_then(|wrapper| wrapper.doc));
        let symbol = Symbol {
            name: name.to_owned(),
            kind,
            container,
            doc: doc.and_then(|(start, end)| words::first_doc_line(&self.text[start..end])),
            exported: !frame.in_function && self.exported(&signature, name, parent),
            signature,
            lines: self.extent(node, frame, pending),
        };
        let doc = doc.map(|doc| self.lines_of(doc));
        let second = rule.also.as_ref().and_then(|path| path.follow(node)).map(|named| {
            let name = self.written_name(self.descend(named), rule.kind);
            Item { symbol: Symbol { name, ..symbol.clone() }, parent, doc }
        });
        let fits = |name: &str| !name.is_empty() && name.len() <= NAME && name != symbol.name;
        let second = second.filter(|second| fits(&second.symbol.name));
        let at = self.outline.items.len();
        self.outline.items.push(Item { symbol, parent, doc });
        self.outline.items.extend(second);
        Some(at)
    }

    fn is_type(&self, item: Option<usize>) -> bool {
        use SymbolKind::{Class, Enum, Impl, Interface, Struct, Trait};
        let kind = item.map(|item| self.outline.items[item].symbol.kind);
        matches!(kind, Some(Class | Struct | Enum | Interface | Trait | Impl))
    }

    fn descend<'t>(&self, mut named: Node<'t>) -> Node<'t> {
        while let Some(deeper) = self.compiled.descend.iter().find_map(|path| path.follow(named)) {
            named = deeper;
        }
        named
    }

    /// A name without quotes and without what follows it: parameters, generics.
    fn written_name(&self, named: Node<'_>, kind: SymbolKind) -> String {
        let written = self.text[named.byte_range()].trim();
        let operator = named.kind().contains("operator") || !written.contains(char::is_alphanumeric);
        let first_line = written.lines().next().unwrap_or_default();
        if operator || kind == SymbolKind::Data || written.starts_with('`') {
            return words::unquoted(first_line).to_owned();
        }
        let bare = words::without_generics(written);
        // `[T]` is a name, too.
        let bracketed = bare.trim().is_empty() && !first_line.contains(char::is_whitespace);
        words::unquoted(if bracketed { first_line } else { bare.trim() }).to_owned()
    }

    /// All lines that belong to a definition: with the comments and attributes above it, and its wrapper.
    fn extent(&mut self, node: Node<'_>, frame: &Frame<'_>, pending: Option<Pending>) -> LineRange {
        let own = node.start_position().row;
        let above = pending.map_or(own, |pending| pending.start_row);
        let start = frame.wrapper.map_or(own, |wrapper| wrapper.start_row).min(above).min(own);
        let end = frame.wrapper.map_or(0, |wrapper| wrapper.end_row).max(last_row(node)).max(start);
        if let Some(before) = frame.before.filter(|_| start < own) {
            // Where the grammar counts the comment above this to what stands before, that is cut.
            self.end_before(before, start);
        }
        // A member never begins before what it is part of.
        let first = frame.item.map_or(1, |parent| self.outline.items[parent].symbol.lines.start);
        let start = first.max(start as u32 + 1);
        LineRange::new(start, start.max(end as u32 + 1))
    }

    /// Lines from `row` on belong to what comes after the item.
    pub(super) fn end_before(&mut self, item: usize, row: usize) {
        let lines = &mut self.outline.items[item].symbol.lines;
        lines.end = lines.end.min(row as u32).max(lines.start);
    }

    /// Where a declaration begins behind the annotations that are part of its node.
    pub(super) fn bare_start(&self, node: Node<'_>) -> usize {
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

    /// The declaration on one line, up to the body.
    fn signature(&self, node: Node<'_>, kind: SymbolKind, body: Option<Node<'_>>, start: usize) -> String {
        let mut cursor = node.walk();
        let is_comment =
            |child: &Node<'_>| self.compiled.action(child.kind_id()).is_some_and(|action| action.comment);
        let comment = node.children(&mut cursor).find(is_comment).map(|comment| comment.start_byte());
        let body = body.map(|body| if body == node { body.end_byte() } else { body.start_byte() });
        let body = body.filter(|body| *body > start);
        let end = comment.filter(|comment| *comment > start).into_iter().chain(body).min();
        let head = self.text[start..end.unwrap_or(node.end_byte()).max(start)].trim_start();
        words::signature(match kind {
            _ if body.is_some() => head,
            SymbolKind::Function | SymbolKind::Method => words::closed_lines(head),
            _ => head.lines().next().unwrap_or_default(),
        })
    }

    /// The string that opens the definition or its body, where the language documents that way.
    fn docstring(&self, node: Node<'_>, body: Option<Node<'_>>) -> Option<Span> {
        let span = |doc: Node<'_>| (doc.start_byte(), doc.end_byte());
        let attached = self.compiled.doc.as_ref().and_then(|path| {
            let first = body?.named_child(0)?;
            // Right above something it speaks of that.
            let apart = |next: Node<'_>| next.start_position().row > last_row(first) + 1;
            first.next_named_sibling().is_none_or(apart).then(|| path.follow(first))?
        });
        let kinds = &self.compiled.docstring;
        let opens = |node: Node<'_>| {
            let mut first = node.named_child(0)?;
            while !kinds.contains(&first.kind_id()) {
                first = first.named_child(0).filter(|inner| inner.start_byte() == first.start_byte())?;
            }
            Some(span(first))
        };
        let string =
            || [Some(node), body].into_iter().flatten().filter(|_| !kinds.is_empty()).find_map(opens);
        attached.map(span).or_else(string)
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

    fn lines_of(&self, (start, end): Span) -> LineRange {
        let first = self.lines.number_at(start);
        let last = start + self.text[start..end].trim_end().len();
        LineRange::new(first, self.lines.number_at(last.saturating_sub(1)).max(first))
    }
}
