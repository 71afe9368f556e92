//! The reference pages, made from the definitions themselves. `cargo xtask reference` writes them.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};
use jari_base::Language;
use serde_json::Value;

use crate::commands::Jari;
use crate::settings::SETTINGS;

/// Every page: its name and its text, as Markdown.
pub fn pages() -> Vec<(&'static str, String)> {
    vec![("cli", cli()), ("settings", settings()), ("languages", languages()), ("json", json())]
}

const MADE: &str = "<!-- Made by `cargo xtask reference`; do not edit. -->\n";

fn cli() -> String {
    let mut out = format!("# Commands\n{MADE}\n");
    let mut jari = Jari::command().term_width(100);
    jari.build();
    let _ = write!(out, "```\n{}```\n", trimmed(&jari.clone().render_help().to_string()));
    for verb in jari.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let mut verb: Command = verb.clone().term_width(100);
        let help = trimmed(&verb.render_long_help().to_string());
        let _ = write!(out, "\n## jari {}\n\n```\n{help}```\n", verb.get_name());
    }
    out
}

fn trimmed(help: &str) -> String {
    help.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn settings() -> String {
    let mut out = format!(
        "# Settings\n{MADE}\nFlags come first, then the environment, then `jari.toml` at the project's root, then \
         `jari/config.toml` in your configuration folder, then the default.\n\n| key | variable | default | in `jari.toml` | meaning |\n|---|---|---|---|---|\n"
    );
    for setting in SETTINGS {
        let project = if setting.own.is_none() { "yes" } else { "no" };
        let _ = writeln!(
            out,
            "| `{}` | `{}` | {} | {project} | {} |",
            setting.key, setting.variable, setting.default, setting.about
        );
    }
    out
}

fn languages() -> String {
    let mut out = format!(
        "# Languages\n{MADE}\nLanguages with structure are cut into functions, methods, types and modules; documents into sections; the others into \
         windows of 50 lines. `jari search --lang NAME` takes every name.\n\n| language | structure | files |\n|---|---|---|\n"
    );
    for language in jari_chunk::facts() {
        let structure = match language.structured {
            true => "yes",
            false if jari_chunk::is_document(&Language::named(language.name)) => "sections",
            false => "",
        };
        let extensions = language.extensions.iter().map(|extension| format!("`.{extension}`"));
        let names = language.filenames.iter().map(|name| format!("`{name}`"));
        let files: Vec<String> = extensions.chain(names).collect();
        let _ = writeln!(out, "| {} | {structure} | {} |", language.name, files.join(" "));
    }
    out
}

fn json() -> String {
    let mut out = format!(
        "# JSON\n{MADE}\nEvery command takes `--json` and prints one object: on one line where stdout is piped, indented on a terminal. \
         Fields marked *optional* are left out or null where they do not apply.\n"
    );
    for (commands, schema) in jari_wire::schemas() {
        let _ = write!(out, "\n## {commands}\n");
        shape(&mut out, &schema);
        for (name, definition) in
            schema["$defs"].as_object().into_iter().flatten().filter(|(name, _)| *name != "TreeJson")
        {
            let _ = write!(out, "\n`{name}`: {}\n", text_of(definition));
            shape(&mut out, definition);
        }
    }
    out
}

/// The fields of an object, or of each of its forms.
fn shape(out: &mut String, schema: &Value) {
    for form in schema["anyOf"].as_array().into_iter().flatten() {
        let _ = write!(out, "\n{}\n", text_of(form));
        shape(out, form);
    }
    let Some(fields) = schema["properties"].as_object() else { return };
    out.push_str("\n| field | type | meaning |\n|---|---|---|\n");
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, field) in fields {
        let optional = if required.contains(&name.as_str()) { "" } else { ", *optional*" };
        let _ = writeln!(out, "| `{name}` | {}{optional} | {} |", type_of(field), text_of(field));
    }
}

fn text_of(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
}

fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return format!("`{}`", name.rsplit('/').next().unwrap_or(name));
    }
    if let Some(forms) = schema["anyOf"].as_array() {
        let forms: Vec<String> = forms.iter().filter(|form| form["type"] != "null").map(type_of).collect();
        return forms.join(" or ");
    }
    let name = match &schema["type"] {
        Value::String(name) => name.as_str(),
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or("any")
        }
        _ => "any",
    };
    match name {
        "array" => format!("list of {}", type_of(&schema["items"])),
        "object" if schema["additionalProperties"].is_object() => {
            format!("map to {}", type_of(&schema["additionalProperties"]))
        }
        name => name.to_owned(),
    }
}
