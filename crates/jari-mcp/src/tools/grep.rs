//! `grep`: a pattern in, the lines it matches out.

use std::fmt::Write as _;

use jari_base::Filter;
use jari_engine::grep::{GrepRequest, Wanted, grep, plan};
use jari_engine::narrow;
use jari_wire::PlaceJson;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Tool;
use crate::answer::{self, Answer, Item};
use crate::arguments::Shape;
use crate::call::{Call, Refusal};

/// Matching lines that are looked for, at most.
const LINES: u64 = 1_000;

/// Find lines by a regular expression or a literal, as ripgrep does.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Grep {
    pattern: String,
    /// The pattern stands for itself
    literal: Option<bool>,
    ignore_case: Option<bool>,
    /// Folder or glob
    path: Option<String>,
    language: Option<String>,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for Grep {
    const NAME: &'static str = "grep";
    const TITLE: &'static str = "Find lines by a pattern";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { pattern, literal, ignore_case, path, language, shape } = self;
        let request = GrepRequest {
            pattern,
            literal: literal.unwrap_or(false),
            ignore_case: ignore_case.unwrap_or(false),
            word: false,
            filter: Filter {
                languages: narrow::languages(&language.into_iter().collect::<Vec<_>>(), None)?,
                paths: path.map(|path| call.path(&path)).into_iter().collect(),
                ..Filter::default()
            },
            wanted: Wanted::Lines { before: 0, after: 0 },
            max_count: None,
            limit: Some(LINES),
            max_gram_frequency: call.served.max_gram_frequency,
        };
        let snapshot = call.whole()?;
        let mut items = Vec::new();
        let summary = grep(call.project(), &request, plan(&*snapshot, &request)?, &mut |file| {
            let mut lines = String::new();
            for line in &file.lines {
                let _ = writeln!(lines, "{}: {}", line.number, line.text);
            }
            items.push(Item { place: PlaceJson::from(&file), whole: Some(lines), short: None });
            !(call.cancelled)()
        })?;
        let mut notes = Vec::new();
        if summary.cut {
            notes.push(format!("there are more than {LINES} lines: narrow the pattern or the path"));
        }
        let answer = Answer::after(answer::offset(&shape)?, items);
        Ok(Answer { notes, ..answer })
    }
}
