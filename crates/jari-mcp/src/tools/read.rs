//! `read`: a file or a part of it, from the working tree.

use jari_base::LineRange;
use jari_engine::Error;
use jari_engine::documents::{Extent, Found, Page, Skeleton, Which, section, skeleton};
use jari_store::SymbolMode;
use jari_wire::PlaceJson;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Tool, symbols};
use crate::answer::{self, Answer, Item};
use crate::arguments::{Format, Shape};
use crate::call::{Call, Refusal};

/// How a file is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum View {
    Full,
    Skeleton,
    Fragment,
}

/// Read a file, or only its skeleton (signatures, headings), lines, a section or a symbol. Read from disk, never stale.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Read {
    /// `path`, `path:10-40`, `path#anchor` or a symbol
    target: String,
    /// Default full; fragment needs lines or a section
    view: Option<View>,
    start_line: Option<u32>,
    end_line: Option<u32>,
    #[serde(rename = "sectionId")]
    section_id: Option<String>,
    #[serde(rename = "headingPath")]
    heading_path: Option<Vec<String>>,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for Read {
    const NAME: &'static str = "read";
    const TITLE: &'static str = "Read";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { target, view, start_line, end_line, section_id, heading_path, shape } = self;
        let target = Target::parse(&target);
        let path = call.path(&target.path);
        let page = match Page::open(call.project(), &path) {
            // What is no path may be a name.
            Err(Error::NoSuchFile { .. }) if !path.contains('/') && target.anchor.is_none() => {
                return of_symbol(call, &target.path, &shape);
            }
            other => other?,
        };
        let which = section_id
            .map(|id| Which::Id(id.split_once('#').map_or(id.clone(), |(_, id)| id.to_owned())))
            .or(heading_path.filter(|titles| !titles.is_empty()).map(Which::Headings))
            .or(target.anchor.map(Which::Anchor));
        let lines = (
            start_line.or(target.lines.map(|lines| lines.0)),
            end_line.or(target.lines.map(|lines| lines.1)),
        );
        match (view, which) {
            (Some(View::Skeleton), _) => Ok(Answer::after(answer::offset(&shape)?, bones(call, &page))),
            (_, Some(which)) => of_section(&page, &which, &shape),
            (Some(View::Fragment), None) if lines == (None, None) => {
                Err("a fragment needs start_line and end_line, sectionId or headingPath".to_owned().into())
            }
            (_, None) => of_lines(&page, lines.0.unwrap_or(1), lines.1, &shape),
        }
    }
}

/// What a model wrote, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) path: String,
    pub(super) lines: Option<(u32, u32)>,
    anchor: Option<String>,
}

impl Target {
    /// `path`, `path:10`, `path:10-40` or `path#anchor`.
    pub(super) fn parse(written: &str) -> Self {
        let written = written.trim();
        if let Some((path, anchor)) = written.split_once('#').filter(|(path, _)| path.contains('.')) {
            return Self { path: path.to_owned(), lines: None, anchor: Some(anchor.to_owned()) };
        }
        let lines = written.rsplit_once(':').and_then(|(path, lines)| {
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            Some((path, (first.parse().ok()?, last.parse().ok()?)))
        });
        match lines {
            Some((path, lines)) => Self { path: path.to_owned(), lines: Some(lines), anchor: None },
            None => Self { path: written.to_owned(), lines: None, anchor: None },
        }
    }
}

/// The definitions of a name. A single one is read as files are, so that cursors lead through all of it.
fn of_symbol(call: &Call<'_>, name: &str, shape: &Shape) -> Result<Answer, Refusal> {
    let mut answer = symbols::definitions(call, name.to_owned(), SymbolMode::Exact, 0)?;
    if let [Item { place, whole: Some(text), .. }] = &answer.items[..]
        && shape.response_format != Some(Format::Concise)
    {
        let lines = LineRange::new(place.start_line, place.end_line);
        let read = pieces(place.clone(), lines, text, shape)?;
        return Ok(Answer { items: read.items, offset: read.offset, by_lines: true, ..answer });
    }
    if !answer.items.is_empty() {
        let all = answer.items.len();
        answer.offset = answer::offset(shape)?;
        answer.items.drain(..answer.offset.min(answer.items.len()));
        if all > 1 {
            answer
                .notes
                .push(format!("`{name}` has several definitions: read `path:start-end` for all of one"));
        }
        return Ok(answer);
    }
    let near = if answer.near.is_empty() {
        String::new()
    } else {
        format!("; names like it: {}", answer.near.join(", "))
    };
    let message = format!("no file and no definition is called `{name}`{near}");
    Err(Refusal::new(message, "get_file_structure shows the files of the project"))
}

/// A section of a document as it is written, with its subsections.
pub(super) fn of_section(page: &Page, which: &Which, shape: &Shape) -> Result<Answer, Refusal> {
    match section(page, which, Extent { with_subsections: true, raw: true })? {
        Found::Section(found) => {
            let place = PlaceJson {
                language: Some(page.language.to_string()),
                ..PlaceJson::section(&page.path, &found.entry)
            };
            let mut answer = pieces(place, found.lines, &found.text, shape)?;
            answer.notes.extend(found.note);
            Ok(answer)
        }
        Found::Nothing { near, sections } => {
            let near: Vec<String> =
                near.iter().map(|entry| format!("\"{}\"", entry.heading_path.join(" › "))).collect();
            let hint = match near.is_empty() {
                true => format!("it has {sections} sections; doc_toc lists them"),
                false => format!("near ones are {}; doc_toc lists all {sections}", near.join(", ")),
            };
            Err(Refusal::new(format!("`{}` has no section `{which}`", page.path), hint))
        }
    }
}

fn of_lines(page: &Page, first: u32, last: Option<u32>, shape: &Shape) -> Result<Answer, Refusal> {
    let total = page.text.lines().count().max(1) as u32;
    let last = last.unwrap_or(total).min(total);
    if first == 0 || first > last {
        let message = format!("`{}` has {total} lines: start_line is {first}, end_line {last}", page.path);
        return Err(Refusal::new(message, "lines are counted from 1, and start_line is not after end_line"));
    }
    let lines = LineRange::new(first, last);
    let place = PlaceJson {
        path: page.path.clone(),
        kind: "file".to_owned(),
        name: (last < total || first > 1).then(|| format!("of {total} lines")),
        language: Some(page.language.to_string()),
        fresh: true,
        ..PlaceJson::default()
    };
    pieces(place, lines, lines.slice(&page.text), shape)
}

/// `text` from where the cursor says; it counts lines here.
fn pieces(place: PlaceJson, lines: LineRange, text: &str, shape: &Shape) -> Result<Answer, Refusal> {
    let offset = answer::offset(shape)?;
    let rest: String = text.split_inclusive('\n').skip(offset).collect();
    if rest.is_empty() && offset > 0 {
        return Ok(Answer { offset, notes: vec!["that was all of it".to_owned()], ..Answer::default() });
    }
    let start = lines.start + offset as u32;
    let place = PlaceJson { start_line: start, end_line: lines.end.max(start), ..place };
    let item = Item { place, whole: Some(rest), short: None };
    Ok(Answer { items: vec![item], offset, by_lines: true, ..Answer::default() })
}

/// A file without its bodies.
pub(super) fn bones(call: &Call<'_>, page: &Page) -> Vec<Item> {
    match skeleton(call.project(), page) {
        Skeleton::Document { sections, .. } => sections
            .iter()
            .map(|bone| Item {
                place: PlaceJson::section(&page.path, &bone.entry),
                whole: None,
                short: bone.first_sentence.clone(),
            })
            .collect(),
        Skeleton::Code(symbols) => symbols
            .iter()
            .map(|symbol| {
                let doc = symbol.doc.as_ref().map(|doc| format!("{doc}\n")).unwrap_or_default();
                Item {
                    place: PlaceJson {
                        language: Some(page.language.to_string()),
                        ..PlaceJson::symbol(&page.path, symbol)
                    },
                    whole: None,
                    short: Some(format!("{doc}{}", symbol.signature)),
                }
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(written: &str, path: &str, lines: Option<(u32, u32)>, anchor: Option<&str>) {
        let anchor = anchor.map(str::to_owned);
        assert_eq!(Target::parse(written), Target { path: path.to_owned(), lines, anchor }, "{written}");
    }

    #[test]
    fn a_target_is_a_path_lines_an_anchor_or_a_name() {
        check("src/a.rs", "src/a.rs", None, None);
        check("src/a.rs:10-40", "src/a.rs", Some((10, 40)), None);
        check("src/a.rs:7", "src/a.rs", Some((7, 7)), None);
        check("docs/a.md#install", "docs/a.md", None, Some("install"));
        check("Pool::take", "Pool::take", None, None);
        check("Pool#take", "Pool#take", None, None);
    }
}
