//! Front matter: what stands before a document's text, as values.

use std::ops::Range;

use jari_base::Value;
use saphyr_parser::{Event, Parser, ScalarStyle};

/// Longer front matter is a document that begins with a rule.
const LARGEST: usize = 64 * 1024;

/// Deeper values are left out: nobody nests front matter so.
const DEEPEST: usize = 16;

/// Front matter and where the text after it begins.
pub(super) struct Front {
    pub(super) values: Vec<(String, Value)>,
    pub(super) end: usize,
}

/// The front matter of `text`: YAML between `---`, TOML between `+++`.
pub(super) fn read(text: &str) -> Option<Front> {
    let fence = ["---", "+++"].into_iter().find(|fence| {
        text.strip_prefix(fence)
            .is_some_and(|rest| rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n'))
    })?;
    let (inner, end) = fenced(text, fence)?;
    let inner = &text[inner];
    let values = match fence {
        "+++" => toml_values(inner),
        _ => yaml_values(inner),
    };
    match values {
        Some(values) => Some(Front { values, end }),
        // Broken, but clearly meant: its first line names a value.
        None if names_a_value(inner) => Some(Front { values: Vec::new(), end }),
        None => None,
    }
}

/// What lies between the first line and the line that closes it; and the end of that line.
fn fenced(text: &str, fence: &str) -> Option<(Range<usize>, usize)> {
    let start = text.find('\n')? + 1;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if at - start > LARGEST {
            return None;
        }
        let bare = line.trim_end();
        if bare == fence || (bare == "..." && fence == "---") {
            return Some((start..at, at + line.len()));
        }
        at += line.len();
    }
    None
}

fn names_a_value(inner: &str) -> bool {
    let first = inner.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let name: &str = first.split([':', '=']).next().unwrap_or_default();
    name.len() < first.len()
        && !name.trim().is_empty()
        && name.trim().chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

fn toml_values(text: &str) -> Option<Vec<(String, Value)>> {
    let table: toml::Table = text.parse().ok()?;
    Some(table.into_iter().map(|(name, value)| (name, toml_value(value, 0))).collect())
}

fn toml_value(value: toml::Value, depth: usize) -> Value {
    if depth > DEEPEST {
        return Value::Null;
    }
    match value {
        toml::Value::String(text) => Value::Text(text),
        toml::Value::Integer(number) => Value::Integer(number),
        toml::Value::Float(number) => Value::Float(number),
        toml::Value::Boolean(value) => Value::Bool(value),
        toml::Value::Datetime(date) => Value::Text(date.to_string()),
        toml::Value::Array(values) => {
            Value::List(values.into_iter().map(|value| toml_value(value, depth + 1)).collect())
        }
        toml::Value::Table(table) => {
            Value::Map(table.into_iter().map(|(name, value)| (name, toml_value(value, depth + 1))).collect())
        }
    }
}

/// A collection that is being filled.
enum Open {
    List(Vec<Value>),
    Map(Vec<(String, Value)>, Option<String>),
}

impl Open {
    fn take(&mut self, value: Value) {
        match self {
            Self::List(values) => values.push(value),
            Self::Map(values, name) => match name.take() {
                Some(name) => values.push((name, value)),
                None => *name = Some(as_name(value)),
            },
        }
    }

    fn close(self) -> Value {
        match self {
            Self::List(values) => Value::List(values),
            Self::Map(values, _) => Value::Map(values),
        }
    }
}

/// From the parser's events, so that neither depth nor aliases can make a small text large.
fn yaml_values(text: &str) -> Option<Vec<(String, Value)>> {
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let value = match event.ok()?.0 {
            Event::MappingStart(..) => {
                open.push(Open::Map(Vec::new(), None));
                continue;
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let closed = open.pop()?.close();
                match closed {
                    Value::Map(values) if open.is_empty() => return Some(values),
                    _ if open.len() > DEEPEST => Value::Null,
                    closed => closed,
                }
            }
            Event::Scalar(text, style, ..) => scalar(&text, style),
            Event::Alias(_) => Value::Null,
            Event::StreamEnd if text.trim().is_empty() => return Some(Vec::new()),
            _ => continue,
        };
        // Anything but a map at the top is no front matter.
        open.last_mut()?.take(value);
    }
    None
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match (text.parse(), text.parse()) {
            (Ok(number), _) => Value::Integer(number),
            (_, Ok(number)) if text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) => {
                Value::Float(number)
            }
            _ => Value::Text(text.to_owned()),
        },
    }
}

fn as_name(value: Value) -> String {
    match value {
        Value::Text(text) => text,
        Value::Bool(value) => value.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Null | Value::List(_) | Value::Map(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_toml_become_values() {
        let front =
            read("---\ntitle: \"A: b\"\ntags: [x, 2]\nnested:\n  draft: true\n  date: 2024-01-02\n---\ntext")
                .expect("front matter");
        let nested =
            vec![("draft".into(), Value::Bool(true)), ("date".into(), Value::Text("2024-01-02".into()))];
        let expected = vec![
            ("title".into(), Value::Text("A: b".into())),
            ("tags".into(), Value::List(vec![Value::Text("x".into()), Value::Integer(2)])),
            ("nested".into(), Value::Map(nested)),
        ];
        assert_eq!(front.values, expected);
        let front = read("+++\ntitle = 'A'\nweight = 1.5\n+++\n").expect("front matter");
        assert_eq!(
            front.values,
            [("title".into(), Value::Text("A".into())), ("weight".into(), Value::Float(1.5))]
        );
    }

    #[test]
    fn rules_and_unclosed_fences_are_none() {
        assert!(read("---\nsome text\n---\n").is_none());
        assert!(read("---\ntitle: a\n").is_none());
        assert!(read("----\na: b\n----\n").is_none());
        assert!(read("text").is_none());
    }

    #[test]
    fn broken_but_meant_is_left_out_of_the_text() {
        let front = read("---\ntitle: [a\n---\nx").expect("front matter");
        assert_eq!((front.values.len(), front.end), (0, 18));
    }

    #[test]
    fn aliases_and_depth_do_not_grow() {
        let bomb = "---\na: &a [x, x]\nb: [*a, *a]\n---\n";
        assert_eq!(
            read(bomb).expect("front matter").values[1].1,
            Value::List(vec![Value::Null, Value::Null])
        );
        let deep = format!("---\na: {}{}\n---\n", "[".repeat(200), "]".repeat(200));
        assert!(read(&deep).is_some());
        let wide = format!("---\na:\n{}x\n---\n", "- ".repeat(20_000));
        assert!(read(&wide).is_some());
    }
}
