//! Edges as a picture: Graphviz and Mermaid. A box is a definition, an arrow a use with its place.

use std::collections::HashMap;
use std::fmt::Write as _;

use jari_engine::graph::{Certainty, Edge};

use crate::printer;

/// Graphviz.
pub(crate) fn dot(edges: &[Edge]) -> String {
    let mut boxes = Boxes::default();
    let mut arrows = String::new();
    for edge in edges {
        let (from, to) = boxes.ends(edge);
        let style = if edge.certainty == Certainty::Possible { ", style=dashed" } else { "" };
        let place = quoted(&format!("{}:{}", edge.path, edge.line));
        let _ = writeln!(arrows, "  n{from} -> n{to} [label={place}{style}];");
    }
    let mut out = "digraph jari {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n".to_owned();
    for (number, Label { name, place }) in boxes.labels.iter().enumerate() {
        let _ = writeln!(out, "  n{number} [label={}];", quoted(&format!("{name}\n{place}")));
    }
    out + &arrows + "}\n"
}

/// Mermaid.
pub(crate) fn mermaid(edges: &[Edge]) -> String {
    let mut boxes = Boxes::default();
    let mut arrows = String::new();
    for edge in edges {
        let (from, to) = boxes.ends(edge);
        let arrow = if edge.certainty == Certainty::Possible { "-.->" } else { "-->" };
        let place = spelled(&format!("{}:{}", edge.path, edge.line));
        let _ = writeln!(arrows, "  n{from} {arrow}|\"{place}\"| n{to}");
    }
    let mut out = "graph LR\n".to_owned();
    for (number, Label { name, place }) in boxes.labels.iter().enumerate() {
        let _ = writeln!(out, "  n{number}[\"{}<br/>{}\"]", spelled(name), spelled(place));
    }
    out + &arrows
}

/// Definitions by number, in the order of their first mention.
#[derive(Default)]
struct Boxes {
    numbers: HashMap<String, usize>,
    labels: Vec<Label>,
}

struct Label {
    name: String,
    place: String,
}

impl Boxes {
    /// The numbers of what uses and of what is used.
    fn ends(&mut self, edge: &Edge) -> (usize, usize) {
        let from = match &edge.from {
            Some(symbol) => self.number(symbol.qualified(), format!("{}:{}", edge.path, symbol.lines.start)),
            None => self.number("(top of the file)".to_owned(), edge.path.clone()),
        };
        let to = &edge.to;
        (from, self.number(to.symbol.qualified(), format!("{}:{}", to.path, to.symbol.lines.start)))
    }

    fn number(&mut self, name: String, place: String) -> usize {
        let next = self.labels.len();
        let number = *self.numbers.entry(format!("{place} {name}")).or_insert(next);
        if number == next {
            self.labels.push(Label { name, place });
        }
        number
    }
}

/// A string of Graphviz. Line breaks inside are kept as its own sign for them.
fn quoted(text: &str) -> String {
    let lines: Vec<String> =
        text.lines().map(|line| printer::safe(line).replace('\\', "\\\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", lines.join("\\n"))
}

/// Text of Mermaid: its own signs as entities.
fn spelled(text: &str) -> String {
    printer::safe(text).replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}
