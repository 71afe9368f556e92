//! One entry in a file of settings: put in, found, taken out. Everything else in the file, comments too, stays as it is.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use toml_edit::{Array, DocumentMut, Item, Table};

use super::{Format, NAME, Place};

/// A value of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    List(Vec<Value>),
    Table(Vec<(String, Value)>),
}

impl Value {
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// `text` with `entry` as ours. The error says why the file cannot be used.
pub(crate) fn with(text: &str, place: &Place, entry: &Value) -> Result<String, String> {
    match place.format {
        Format::Json => {
            let root = json(text)?;
            let mut table = root.object_value_or_create().ok_or("it is no JSON object")?;
            for name in servers(&table, place) {
                table = table.object_value_or_create(name).ok_or_else(|| format!("`{name}` is no object"))?;
            }
            match table.get(NAME) {
                Some(ours) => ours.set_value(json_value(entry)),
                None => drop(table.append(NAME, json_value(entry))),
            }
            let written = root.to_string();
            Ok(if written.ends_with('\n') { written } else { written + "\n" })
        }
        Format::Toml => {
            let mut document = toml(text)?;
            let mut table = document.as_table_mut();
            for name in place.table {
                let inner = table.entry(name).or_insert_with(|| {
                    let mut servers = Table::new();
                    servers.set_implicit(true);
                    Item::Table(servers)
                });
                table = inner.as_table_mut().ok_or_else(|| format!("`{name}` is no table"))?;
            }
            let mut ours = Table::new();
            if let Value::Table(fields) = entry {
                for (key, value) in fields {
                    ours.insert(key, Item::Value(toml_value(value)));
                }
            }
            table.insert(NAME, Item::Table(ours));
            Ok(document.to_string())
        }
    }
}

/// Our entry as it stands in `text`.
pub(crate) fn find(text: &str, place: &Place) -> Result<Option<Value>, String> {
    match place.format {
        Format::Json => {
            let root = json(text)?;
            let Some(mut table) = root.object_value() else { return Ok(None) };
            for name in servers(&table, place) {
                let Some(inner) = table.object_value(name) else { return Ok(None) };
                table = inner;
            }
            Ok(table.get(NAME).and_then(|ours| ours.value()).map(|ours| from_json(&ours)))
        }
        Format::Toml => {
            let document = toml(text)?;
            let mut item = document.as_item();
            for name in place.table.iter().chain([&NAME]) {
                let Some(inner) = item.get(name) else { return Ok(None) };
                item = inner;
            }
            Ok(Some(from_toml(item)))
        }
    }
}

/// `text` without our entry; a table that held nothing else goes with it.
pub(crate) fn without(text: &str, place: &Place) -> Result<String, String> {
    match place.format {
        Format::Json => {
            let root = json(text)?;
            let Some(mut table) = root.object_value() else { return Ok(text.to_owned()) };
            for name in servers(&table, place) {
                let Some(inner) = table.object_value(name) else { return Ok(text.to_owned()) };
                table = inner;
            }
            if let Some(ours) = table.get(NAME) {
                ours.remove();
            }
            Ok(root.to_string())
        }
        Format::Toml => {
            let mut document = toml(text)?;
            let mut table = document.as_table_mut();
            for name in place.table {
                let Some(inner) = table.get_mut(name).and_then(Item::as_table_mut) else {
                    return Ok(text.to_owned());
                };
                table = inner;
            }
            table.remove(NAME);
            Ok(document.to_string())
        }
    }
}

/// The names down to the table of servers. opencode's second version keeps them one deeper than its first.
fn servers(top: &CstObject, place: &Place) -> Vec<&'static str> {
    let mut names = place.table.to_vec();
    if names == ["mcp"] && top.object_value("mcp").is_some_and(|mcp| mcp.object_value("servers").is_some()) {
        names.push("servers");
    }
    names
}

fn json(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())
}

fn toml(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|error: toml_edit::TomlError| error.to_string().trim().to_owned())
}

fn json_value(value: &Value) -> CstInputValue {
    match value {
        Value::Text(text) => CstInputValue::String(text.clone()),
        Value::List(values) => CstInputValue::Array(values.iter().map(json_value).collect()),
        Value::Table(fields) => CstInputValue::Object(
            fields.iter().map(|(key, value)| (key.clone(), json_value(value))).collect(),
        ),
    }
}

fn from_json(node: &CstNode) -> Value {
    if let Some(text) = node.as_string_lit() {
        return Value::Text(text.decoded_value().unwrap_or_default());
    }
    if let Some(array) = node.as_array() {
        return Value::List(array.elements().iter().map(from_json).collect());
    }
    match node.as_object() {
        Some(object) => Value::Table(
            object
                .properties()
                .iter()
                .filter_map(|field| Some((field.decoded_name()?, from_json(&field.value()?))))
                .collect(),
        ),
        None => Value::Text(node.to_string()),
    }
}

fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Text(text) => text.as_str().into(),
        Value::List(values) => values.iter().map(toml_value).collect::<Array>().into(),
        Value::Table(fields) => fields
            .iter()
            .map(|(key, value)| (key.as_str(), toml_value(value)))
            .collect::<toml_edit::InlineTable>()
            .into(),
    }
}

fn from_toml(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return Value::Table(table.iter().map(|(key, item)| (key.to_owned(), from_toml(item))).collect());
    }
    if let Some(array) = item.as_array() {
        return Value::List(array.iter().map(|value| from_toml(&Item::Value(value.clone()))).collect());
    }
    Value::Text(item.as_str().map_or_else(|| item.to_string(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use expect_test::{Expect, expect};

    use super::*;

    fn place(format: Format, table: &'static [&'static str]) -> Place {
        Place { file: PathBuf::new(), format, table }
    }

    fn entry() -> Value {
        let arguments = Value::List(vec![Value::text("mcp")]);
        Value::Table(vec![("command".to_owned(), Value::text("jari")), ("args".to_owned(), arguments)])
    }

    /// Puts the entry in, twice, and takes it out.
    fn check(place: &Place, before: &str, after: &Expect, undone: &Expect) {
        let written = with(before, place, &entry()).expect("it can be edited");
        after.assert_eq(&written);
        assert_eq!(with(&written, place, &entry()).as_ref(), Ok(&written), "twice is as once");
        assert_eq!(find(&written, place), Ok(Some(entry())));
        undone.assert_eq(&without(&written, place).expect("it can be edited"));
    }

    #[test]
    fn comments_and_other_servers_of_json_stay() {
        let before = "{\n  // mine\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }, // keep\n  },\n}\n";
        check(
            &place(Format::Json, &["mcpServers"]),
            before,
            &expect![[r#"
                {
                  // mine
                  "theme": "dark",
                  "mcpServers": {
                    "other": { "command": "x" }, // keep
                    "jari": {
                      "command": "jari",
                      "args": ["mcp"],
                    },
                  },
                }
            "#]],
            &expect![[r#"
                {
                  // mine
                  "theme": "dark",
                  "mcpServers": {
                    "other": { "command": "x" }, // keep
                  },
                }
            "#]],
        );
    }

    #[test]
    fn an_empty_file_becomes_settings() {
        let place = place(Format::Json, &["mcpServers"]);
        check(
            &place,
            "",
            &expect![[r#"
            {
              "mcpServers": {
                "jari": {
                  "command": "jari",
                  "args": ["mcp"]
                }
              }
            }
        "#]],
            &expect![[r#"
            {
              "mcpServers": {}
            }
        "#]],
        );
    }

    #[test]
    fn comments_and_other_servers_of_toml_stay() {
        let before =
            "model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"y\"\n\n[tui]\n# theirs\nbell = true\n";
        check(
            &place(Format::Toml, &["mcp_servers"]),
            before,
            &expect![[r#"
                model = "x" # mine

                [mcp_servers.other]
                command = "y"

                [mcp_servers.jari]
                command = "jari"
                args = ["mcp"]

                [tui]
                # theirs
                bell = true
            "#]],
            &expect![[r#"
                model = "x" # mine

                [mcp_servers.other]
                command = "y"

                [tui]
                # theirs
                bell = true
            "#]],
        );
    }

    #[test]
    fn the_second_version_of_opencode_keeps_servers_one_deeper() {
        let place = place(Format::Json, &["mcp"]);
        let written = with("{\"mcp\": {\"servers\": {}}}", &place, &entry()).expect("it can be edited");
        assert!(written.contains("\"servers\": {\n"), "{written}");
        assert_eq!(find(&written, &place), Ok(Some(entry())));
    }

    #[test]
    fn what_is_no_settings_is_refused() {
        let place = place(Format::Json, &["mcpServers"]);
        assert!(with("{\"a\": ", &place, &entry()).is_err());
        assert!(with("[1]", &place, &entry()).is_err());
        assert!(with("{\"mcpServers\": 3}", &place, &entry()).is_err());
    }
}
