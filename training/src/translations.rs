//! Pairs of Korean and English texts, from the formats that translators work in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;

use crate::pair::{Kind, Pair};
use crate::{align, markdown};

/// Longer texts are cut where pages would be: nobody asks so long a question.
const LONGEST: usize = 700;

/// English and Korean texts that say the same.
type Texts = Vec<(String, String)>;

/// Pairs of `korean` and `english`, two files or folders that mirror each other.
pub(crate) fn pairs(source: &str, format: &str, english: &Path, korean: &Path) -> Result<Vec<Pair>> {
    let read: fn(&Path, &Path) -> Result<Texts> = match format {
        "pages" => pages,
        "catalogue" => |_, korean| Ok(catalogue(&fs_err::read_to_string(korean)?)),
        "xliff" => |_, korean| Ok(xliff(&fs_err::read_to_string(korean)?)),
        "keyed" => keyed,
        "diagnostics" => |_, korean| diagnostics(korean),
        other => bail!("no such format of translations: `{other}`"),
    };
    let files = mirrored(english, korean)?;
    let found: Vec<Texts> = files
        .par_iter()
        .map(|(english, korean)| read(english, korean).with_context(|| korean.display().to_string()))
        .collect::<Result<_>>()?;
    Ok(found.into_iter().flatten().filter_map(|(english, korean)| pair(source, &english, &korean)).collect())
}

fn pair(source: &str, english: &str, korean: &str) -> Option<Pair> {
    let hangul = korean.chars().filter(|c| ('가'..='힣').contains(c)).count();
    let letters = korean.chars().filter(|c| c.is_alphabetic()).count();
    let english_letters = english.chars().filter(char::is_ascii_alphabetic).count();
    let translated = hangul >= 2 && hangul * 4 >= letters && english_letters >= 3;
    let untranslated = english.chars().any(|c| ('가'..='힣').contains(&c));
    let short = english.len() <= LONGEST && korean.chars().count() <= LONGEST;
    (translated && !untranslated && short).then(|| Pair {
        kind: Kind::Translation,
        source: source.to_owned(),
        query: korean.to_owned(),
        text: english.to_owned(),
        heading: String::new(),
    })
}

/// Files of both folders with the same path below them; a file of the Korean side alone is listed beside itself.
fn mirrored(english: &Path, korean: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    if korean.is_file() {
        return Ok(vec![(english.to_owned(), korean.to_owned())]);
    }
    let mut files = Vec::new();
    let mut folders = vec![korean.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let below = path.strip_prefix(korean).expect("it was found below").to_owned();
            let known = path.extension().is_some_and(|ending| {
                ["md", "mdx", "po", "xlf", "json", "ipynb", "properties"].iter().any(|known| ending == *known)
            });
            if known && (english == korean || english.join(&below).is_file()) {
                files.push((english.join(&below), path));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Two pages of Markdown, or notebooks of such cells.
fn pages(english: &Path, korean: &Path) -> Result<Texts> {
    let page = |path: &Path| -> Result<String> {
        let text = fs_err::read_to_string(path)?;
        Ok(if path.extension().is_some_and(|ending| ending == "ipynb") { notebook(&text)? } else { text })
    };
    let (english, korean) = (markdown::blocks(&page(english)?), markdown::blocks(&page(korean)?));
    // A page of thousands of blocks is a list, and the table to align it would fill the memory.
    if english.len().max(korean.len()) > 3_000 {
        return Ok(Vec::new());
    }
    let found = align::pairs(&english, &korean);
    Ok(found.into_iter().map(|(english, korean)| (english.to_owned(), korean.to_owned())).collect())
}

/// The text cells of a notebook as one page.
fn notebook(json: &str) -> Result<String> {
    let notebook: serde_json::Value = serde_json::from_str(json)?;
    let mut page = String::new();
    for cell in notebook["cells"].as_array().into_iter().flatten() {
        let lines = cell["source"].as_array().into_iter().flatten().filter_map(|line| line.as_str());
        let text: String = lines.collect();
        let code = cell["cell_type"] != "markdown";
        page.push_str(&if code { format!("\n```\n{text}\n```\n") } else { format!("\n{text}\n\n") });
    }
    Ok(page)
}

/// A gettext catalogue: `msgid` and `msgstr`, each in one or more quoted lines. Fuzzy entries are guesses, and left out.
fn catalogue(text: &str) -> Texts {
    let mut found = Vec::new();
    let (mut english, mut korean, mut fuzzy) = (String::new(), String::new(), false);
    let mut into_korean = false;
    let mut finish = |english: &mut String, korean: &mut String, fuzzy: &mut bool| {
        if !*fuzzy && !english.is_empty() && !korean.is_empty() {
            found.push((without_markup(english), without_markup(korean)));
        }
        english.clear();
        korean.clear();
        *fuzzy = false;
    };
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("msgid ") {
            into_korean = false;
            english.push_str(&unquoted(rest));
        } else if let Some(rest) = line.strip_prefix("msgstr ").or_else(|| line.strip_prefix("msgstr[0] ")) {
            into_korean = true;
            korean.push_str(&unquoted(rest));
        } else if line.starts_with('"') {
            (if into_korean { &mut korean } else { &mut english }).push_str(&unquoted(line));
        } else if line.is_empty() {
            finish(&mut english, &mut korean, &mut fuzzy);
        } else {
            fuzzy |= line.starts_with("#,") && line.contains("fuzzy");
        }
    }
    finish(&mut english, &mut korean, &mut fuzzy);
    found
}

fn unquoted(quoted: &str) -> String {
    let quoted = quoted.trim();
    let inside = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
    inside.replace("\\n", " ").replace("\\\"", "\"").replace("\\\\", "\\")
}

/// Without the roles and targets of reStructuredText: ``:func:`print` `` says `print`.
fn without_markup(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    for (at, piece) in text.split('`').enumerate() {
        let inside = at % 2 == 1;
        let piece = if inside { piece.split(" <").next().unwrap_or(piece) } else { piece };
        let role = piece.rfind(':').filter(|end| *end + 1 == piece.len());
        let begin = role.and_then(|end| piece[..end].rfind(':'));
        said.push_str(if let (Some(begin), false) = (begin, inside) { &piece[..begin] } else { piece });
    }
    said.replace(['*', '|'], "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An XLIFF file: `<source>` and `<target state="translated">`.
fn xliff(text: &str) -> Texts {
    let between = |unit: &str, tag: &str| -> Option<String> {
        let (_, rest) = unit.split_once(&format!("<{tag}"))?;
        let (attributes, rest) = rest.split_once('>')?;
        let done = tag == "source" || attributes.contains("translated") && !attributes.contains("needs");
        rest.split_once(&format!("</{tag}>")).filter(|_| done).map(|(inside, _)| unescaped(inside))
    };
    let units = text.split("<trans-unit").skip(1);
    units.filter_map(|unit| Some((between(unit, "source")?, between(unit, "target")?))).collect()
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#xA;", " ")
        .replace("&amp;", "&")
}

/// Two files that give texts for the same keys: JSON, or `key = text` a line.
fn keyed(english: &Path, korean: &Path) -> Result<Texts> {
    let texts = |path: &Path| -> Result<BTreeMap<String, String>> {
        let text = fs_err::read_to_string(path)?;
        let mut texts = BTreeMap::new();
        if path.extension().is_some_and(|ending| ending == "json") {
            flatten("", &serde_json::from_str(&text)?, &mut texts);
        } else {
            let lines = text.lines().filter_map(|line| line.split_once('='));
            texts.extend(lines.map(|(key, text)| (key.trim().to_owned(), text.trim().to_owned())));
        }
        Ok(texts)
    };
    let (english, korean) = (texts(english)?, texts(korean)?);
    Ok(korean
        .into_iter()
        .filter_map(|(key, korean)| Some((untagged(english.get(&key)?), untagged(&korean))))
        .collect())
}

fn flatten(key: &str, value: &serde_json::Value, texts: &mut BTreeMap<String, String>) {
    match value {
        serde_json::Value::String(text) => {
            texts.insert(key.to_owned(), text.clone());
        }
        serde_json::Value::Object(inside) => {
            inside.iter().for_each(|(name, value)| flatten(&format!("{key}.{name}"), value, texts));
        }
        _ => {}
    }
}

fn untagged(text: &str) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        said.push_str(before);
        said.push(' ');
        rest = tag.split_once('>').map_or("", |(_, after)| after);
    }
    said.push_str(rest);
    said
}

/// TypeScript's messages: the key is the English text with `_` for each space and a number at the end.
fn diagnostics(korean: &Path) -> Result<Texts> {
    let texts: BTreeMap<String, String> = serde_json::from_str(&fs_err::read_to_string(korean)?)?;
    let english =
        |key: &str| key.trim_end_matches(|c: char| c.is_ascii_digit()).replace('_', " ").trim().to_owned();
    Ok(texts.into_iter().map(|(key, korean)| (english(&key), korean)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalogues_give_what_is_translated_and_sure() {
        let text = "msgid \"\"\nmsgstr \"header\"\n\nmsgid \"\"\n\"Open the \"\n\":func:`file <open>`.\"\nmsgstr \"파일을 엽니다.\"\n\n#, fuzzy\nmsgid \"a\"\nmsgstr \"나\"\n\nmsgid \"b\"\nmsgstr \"\"\n";
        assert_eq!(catalogue(text), [("Open the file.".to_owned(), "파일을 엽니다.".to_owned())]);
    }

    #[test]
    fn xliff_gives_finished_units() {
        let text = "<trans-unit id=\"a\"><source>Build &amp; run</source><target state=\"translated\">빌드 및 실행</target></trans-unit>\
                    <trans-unit id=\"b\"><source>New</source><target state=\"new\">New</target></trans-unit>";
        assert_eq!(xliff(text), [("Build & run".to_owned(), "빌드 및 실행".to_owned())]);
    }

    #[test]
    fn keyed_texts_meet_by_their_keys() {
        let temp = tempfile::tempdir().unwrap();
        let (english, korean) = (temp.path().join("en.json"), temp.path().join("ko.json"));
        std::fs::write(&english, r#"{"a": {"b": "Sign <b>in</b>"}, "c": "x"}"#).unwrap();
        std::fs::write(&korean, r#"{"a": {"b": "로그인"}}"#).unwrap();
        assert_eq!(keyed(&english, &korean).unwrap(), [("Sign  in ".to_owned(), "로그인".to_owned())]);
    }

    #[test]
    fn what_is_not_translated_is_no_pair() {
        assert!(pair("s", "Request", "요청").is_some());
        assert!(pair("s", "Request", "Request").is_none());
        assert!(pair("s", "요청", "요청").is_none());
    }
}
