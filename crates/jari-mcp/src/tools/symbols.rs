//! `search_by_symbol`: a name in, its definitions out.

use jari_base::Filter;
use jari_engine::symbols::{Found, SymbolRequest, symbols};
use jari_store::{Snapshot, SymbolMode};
use jari_wire::PlaceJson;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Tool;
use crate::answer::{self, Answer, Item};
use crate::arguments::Shape;
use crate::call::{Call, Refusal};

/// Definitions shown in one answer.
const LIMIT: usize = 20;

/// How the name must match.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Match {
    Exact,
    Prefix,
    Contains,
}

/// Find definitions by name; `Type.method` works. A name that does not exist gets near names.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchBySymbol {
    name: String,
    /// Default exact
    mode: Option<Match>,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for SearchBySymbol {
    const NAME: &'static str = "search_by_symbol";
    const TITLE: &'static str = "Find definitions";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { name, mode, shape } = self;
        let mode = match mode {
            None | Some(Match::Exact) => SymbolMode::Exact,
            Some(Match::Prefix) => SymbolMode::Prefix,
            Some(Match::Contains) => SymbolMode::Contains,
        };
        definitions(call, name, mode, answer::offset(&shape)?)
    }
}

/// The definitions of a name, from the `offset`th on.
pub(super) fn definitions(
    call: &Call<'_>,
    name: String,
    mode: SymbolMode,
    offset: usize,
) -> Result<Answer, Refusal> {
    let source = call.source(&name, &Filter::default())?;
    let limit = offset + LIMIT + 1;
    let request = SymbolRequest { name, mode, kinds: Vec::new(), filter: Filter::default(), limit };
    let response = symbols(call.project(), &*source.snapshot, &request)?;
    let items = response.found.iter().map(|found| item(&*source.snapshot, found));
    let answer = Answer::after(offset, items).first(LIMIT);
    Ok(Answer { near: response.near, notes: source.notes, degraded: source.degraded, ..answer })
}

/// A definition with its text, and with its signature and the first line of its doc comment.
pub(super) fn item(snapshot: &dyn Snapshot, found: &Found) -> Item {
    let doc = found.symbol.doc.as_ref().map(|doc| format!("{doc}\n")).unwrap_or_default();
    // A text that cannot be read now leaves the signature.
    let text = super::text(snapshot, &found.path);
    Item {
        place: PlaceJson::from(found),
        whole: text.map(|text| found.symbol.lines.slice(&text).to_owned()),
        short: Some(format!("{doc}{}\n", found.symbol.signature)),
    }
}
