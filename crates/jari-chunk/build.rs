//! Turns `languages/*/language.toml` into one table, so that nothing is parsed at start.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde::Deserialize;

/// See `languages/README.md` for what each key means.
#[derive(Deserialize, Default, Clone)]
#[serde(deny_unknown_fields, default)]
struct Language {
    extends: Option<String>,
    extensions: Vec<String>,
    filenames: Vec<String>,
    interpreters: Vec<String>,
    shares: BTreeMap<String, Vec<String>>,
    grammar: String,
    feature: Option<String>,
    comments: Vec<String>,
    attached: Vec<String>,
    wrappers: Vec<String>,
    locals: Vec<String>,
    descend: Vec<String>,
    docstring: Option<String>,
    doc: Option<String>,
    letters: String,
    ignore: Vec<String>,
    exported: Exported,
    definition: Vec<Definition>,
    reference: Vec<Reference>,
    binding: Vec<Binding>,
    imports: Option<String>,
    capital_calls: bool,
    separators: Vec<String>,
}

#[derive(Deserialize, Default, Clone, PartialEq)]
#[serde(deny_unknown_fields, default)]
struct Exported {
    words: Vec<String>,
    unless: Vec<String>,
    style: Option<String>,
    inherit: bool,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Definition {
    node: Vec<String>,
    kind: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    container: Option<String>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    when: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    text: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    except: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    top: bool,
    #[serde(default)]
    depth: Option<usize>,
    #[serde(default)]
    joins: bool,
    #[serde(default)]
    also: Option<String>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Reference {
    node: Vec<String>,
    kind: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    each: Vec<String>,
    #[serde(default)]
    before: Option<String>,
    #[serde(default)]
    when: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    text: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Binding {
    node: Vec<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, rename = "type")]
    class: Option<String>,
    #[serde(default)]
    value: Option<String>,
    #[serde(default)]
    field: bool,
    #[serde(default)]
    list: bool,
}

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("languages");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut languages = BTreeMap::new();
    for entry in fs::read_dir(&root).expect("the languages folder is part of the crate") {
        let folder = entry.expect("a readable folder").path();
        let file = folder.join("language.toml");
        if !file.exists() {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a readable file");
        let language: Language =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let name =
            folder.file_name().and_then(|name| name.to_str()).expect("an ASCII folder name").to_owned();
        languages.insert(name, language);
    }
    let mut table = format!("pub(crate) static LANGUAGES: [Spec; {}] = [\n", languages.len());
    for name in languages.keys() {
        let language = resolve(&languages, name);
        write_language(&mut table, name, &language);
    }
    table.push_str("];\n\n");
    write_plain(&mut table, &root.join("plain.toml"));
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("languages.rs");
    fs::write(out, table).expect("a writable OUT_DIR");
}

/// A language with what it takes over from the one it extends. Its own rules come first, so they win.
fn resolve(languages: &BTreeMap<String, Language>, name: &str) -> Language {
    let own = languages.get(name).unwrap_or_else(|| panic!("no language `{name}` to extend")).clone();
    let Some(base) = &own.extends else { return own };
    let base = resolve(languages, base);
    let join = |own: Vec<String>, base: Vec<String>| own.into_iter().chain(base).collect();
    let exported = if own.exported == Exported::default() { base.exported } else { own.exported };
    Language {
        comments: join(own.comments, base.comments),
        attached: join(own.attached, base.attached),
        wrappers: join(own.wrappers, base.wrappers),
        locals: join(own.locals, base.locals),
        descend: join(own.descend, base.descend),
        docstring: own.docstring.or(base.docstring),
        doc: own.doc.or(base.doc),
        letters: own.letters + &base.letters,
        ignore: join(own.ignore, base.ignore),
        exported,
        definition: own.definition.into_iter().chain(base.definition).collect(),
        reference: own.reference.into_iter().chain(base.reference).collect(),
        binding: own.binding.into_iter().chain(base.binding).collect(),
        imports: own.imports.or(base.imports),
        capital_calls: own.capital_calls || base.capital_calls,
        separators: join(own.separators, base.separators),
        grammar: if own.grammar.is_empty() { base.grammar } else { own.grammar },
        ..own
    }
}

fn write_language(table: &mut String, name: &str, language: &Language) {
    let grammar = match &language.feature {
        None => format!("Some(|| {}.into())", language.grammar),
        Some(feature) => format!(
            "{{ #[cfg(feature = \"{feature}\")] {{ Some(|| {}.into()) }} #[cfg(not(feature = \"{feature}\"))] {{ None }} }}",
            language.grammar
        ),
    };
    let definitions: Vec<String> = language
        .definition
        .iter()
        .map(|rule| {
            format!(
                "Definition {{ nodes: &{:?}, kind: SymbolKind::{}, name: {:?}, container: {:?}, body: {:?}, when: {}, text: {}, except: {}, top: {}, depth: {:?}, joins: {}, also: {:?} }}",
                rule.node,
                capitalised(&rule.kind),
                rule.name.as_deref().unwrap_or("name"),
                rule.container,
                rule.body.as_deref().unwrap_or("body"),
                pairs(&rule.when),
                pairs(&rule.text),
                pairs(&rule.except),
                rule.top,
                rule.depth,
                rule.joins,
                rule.also,
            )
        })
        .collect();
    let references: Vec<String> = language
        .reference
        .iter()
        .map(|rule| {
            format!(
                "ReferenceRule {{ nodes: &{:?}, kind: ReferenceKind::{}, name: {:?}, each: &{:?}, before: {:?}, when: {}, text: {} }}",
                rule.node,
                capitalised(&rule.kind),
                rule.name,
                rule.each,
                rule.before,
                pairs(&rule.when),
                pairs(&rule.text),
            )
        })
        .collect();
    let bindings: Vec<String> = language
        .binding
        .iter()
        .map(|rule| {
            format!(
                "Binding {{ nodes: &{:?}, name: {:?}, class: {:?}, value: {:?}, field: {}, list: {} }}",
                rule.node,
                rule.name.as_deref().unwrap_or("name"),
                rule.class,
                rule.value,
                rule.field,
                rule.list,
            )
        })
        .collect();
    let exported = &language.exported;
    writeln!(
        table,
        "    Spec {{ name: {name:?}, #[cfg(test)] extends: {:?}, extensions: &{:?}, filenames: &{:?}, shares: {}, interpreters: &{:?}, grammar: {grammar}, \
         comments: &{:?}, attached: &{:?}, wrappers: &{:?}, locals: &{:?}, descend: &{:?}, docstring: {:?}, doc: {:?}, letters: {:?}, ignore: &{:?}, \
         exported: Exported {{ words: &{:?}, unless: &{:?}, \
         style: {:?}, inherit: {} }}, definitions: &[{}], references: &[{}], bindings: &[{}], imports: {:?}, capital_calls: {}, separators: &{:?}, compiled: OnceLock::new() }},",
        language.extends,
        language.extensions,
        language.filenames,
        pairs(&language.shares),
        language.interpreters,
        language.comments,
        language.attached,
        language.wrappers,
        language.locals,
        language.descend,
        language.docstring,
        language.doc,
        language.letters,
        language.ignore,
        exported.words,
        exported.unless,
        exported.style,
        exported.inherit,
        definitions.join(", "),
        references.join(", "),
        bindings.join(", "),
        language.imports,
        language.capital_calls,
        language.separators,
    )
    .expect("writing to a string");
}

/// Languages without a grammar: only their extensions and file names.
fn write_plain(table: &mut String, file: &Path) {
    #[derive(Deserialize)]
    struct Plain {
        #[serde(default)]
        extensions: Vec<String>,
        #[serde(default)]
        filenames: Vec<String>,
    }
    let text = fs::read_to_string(file).expect("plain.toml is part of the crate");
    let plain: BTreeMap<String, Plain> =
        toml::from_str(&text).unwrap_or_else(|error| panic!("plain.toml: {error}"));
    table.push_str("pub(crate) static PLAIN: &[(&str, &[&str], &[&str])] = &[\n");
    for (name, Plain { extensions, filenames }) in plain {
        writeln!(table, "    ({name:?}, &{extensions:?}, &{filenames:?}),").expect("writing to a string");
    }
    table.push_str("];\n");
}

fn pairs(map: &BTreeMap<String, Vec<String>>) -> String {
    let pairs: Vec<String> =
        map.iter().map(|(path, values)| format!("({path:?}, &{values:?} as &[&str])")).collect();
    format!("&[{}]", pairs.join(", "))
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase().to_string() + chars.as_str()).unwrap_or_default()
}
