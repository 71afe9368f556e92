//! The tools. Each is a struct of documented arguments that knows how to answer.

mod documents;
mod grep;
mod index;
mod navigate;
mod read;
mod search;
mod similar;
mod structure;
mod symbols;
mod understand;

use std::sync::Arc;

use jari_store::Snapshot;
use jari_wire::AnswerJson;
use rmcp::model::{JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::arguments::{self, Shape};
use crate::call::{Call, Refusal};

/// Which tools are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tools {
    /// At most ten, for agents whose context is dear.
    Core,
    /// All there are.
    All,
}

/// A tool: its arguments, and how it answers. The doc comment of the struct is its description.
trait Tool: DeserializeOwned + JsonSchema {
    const NAME: &'static str;
    const TITLE: &'static str;
    /// Whether it changes the index. No tool changes anything else.
    const WRITES: bool = false;

    fn shape(&self) -> Shape {
        Shape::default()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal>;
}

/// The text of a file as it was indexed, where it can be read.
fn text(snapshot: &dyn Snapshot, path: &str) -> Option<String> {
    let files = snapshot.files().ok()?;
    snapshot.text(files.at(path)?.id).ok().flatten()
}

/// A tool as it is listed and called.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) tool: rmcp::model::Tool,
    run: fn(&Call<'_>, JsonObject) -> Result<AnswerJson, Refusal>,
}

impl Entry {
    fn of<T: Tool>() -> Self {
        let (description, schema) = arguments::schema::<T>();
        // Hints that only repeat what the protocol takes for granted are left out: every token is paid for in every session.
        let hints = ToolAnnotations::default().read_only(!T::WRITES).idempotent(true).open_world(false);
        let tool = rmcp::model::Tool::new(T::NAME, description, schema)
            .with_title(T::TITLE)
            .with_annotations(if T::WRITES { hints.destructive(false) } else { hints })
            .with_raw_output_schema(Arc::new(output()));
        Self { tool, run: run::<T> }
    }

    /// Answers, or says in words a model can act on why not.
    pub(crate) fn call(&self, call: &Call<'_>, arguments: JsonObject) -> Result<AnswerJson, Refusal> {
        arguments::check(&self.tool.name, &self.tool.input_schema, &arguments)?;
        (self.run)(call, arguments)
    }
}

fn run<T: Tool>(call: &Call<'_>, arguments: JsonObject) -> Result<AnswerJson, Refusal> {
    let tool: T = serde_json::from_value(Value::Object(arguments)).map_err(|error| error.to_string())?;
    let shape = tool.shape();
    let mut answer = tool.run(call)?;
    let (index, notes) = call.index();
    answer.notes.extend(notes);
    Ok(answer.fit(&shape, index))
}

/// What every tool returns, as far as a client needs to know; `docs/reference/json.md` has all of it.
fn output() -> JsonObject {
    let schema = json!({
        "type": "object",
        "properties": {
            "results": {"type": "array", "items": {"type": "object"}},
            "index": {"type": "object"},
            "degraded": {"type": "boolean"},
            "cursor": {"type": "string"}
        },
        "required": ["results", "index"]
    });
    schema.as_object().cloned().unwrap_or_default()
}

/// The tools of a set, always in this order.
pub(crate) fn tools(set: Tools) -> Vec<Entry> {
    let mut tools = vec![
        Entry::of::<search::SearchCode>(),
        Entry::of::<search::SearchDocuments>(),
        Entry::of::<symbols::SearchBySymbol>(),
        Entry::of::<similar::GetSimilarPatterns>(),
        Entry::of::<structure::GetFileStructure>(),
        Entry::of::<read::Read>(),
        Entry::of::<navigate::Navigate>(),
        Entry::of::<understand::Understand>(),
        Entry::of::<documents::DocToc>(),
        Entry::of::<index::ReindexCodebase>(),
    ];
    if set == Tools::All {
        tools.extend([
            Entry::of::<documents::DocSection>(),
            Entry::of::<documents::DocSkeleton>(),
            Entry::of::<documents::DocAnalyze>(),
            Entry::of::<documents::DocReferences>(),
            Entry::of::<documents::DocSearch>(),
            Entry::of::<grep::Grep>(),
            Entry::of::<index::Manage>(),
        ]);
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definitions(set: Tools) -> (usize, usize) {
        let tools: Vec<rmcp::model::Tool> = tools(set).into_iter().map(|entry| entry.tool).collect();
        let listed = serde_json::to_string(&tools).expect("tools are JSON");
        let counter = tiktoken_rs::cl100k_base().expect("the table is inside");
        (tools.len(), counter.encode_ordinary(&listed).len())
    }

    #[test]
    fn the_core_set_is_small() {
        let (number, tokens) = definitions(Tools::Core);
        assert!(number <= 10 && tokens <= 2_500, "{number} tools, {tokens} tokens");
        assert!(crate::server::INSTRUCTIONS.len() < 1024, "{}", crate::server::INSTRUCTIONS.len());
    }

    #[test]
    fn every_tool_and_argument_is_described() {
        for entry in tools(Tools::All) {
            let tool = &entry.tool;
            assert!(tool.description.as_ref().is_some_and(|text| text.len() > 20), "{}", tool.name);
            let hints = tool.annotations.as_ref().expect("there are hints");
            assert_eq!(hints.open_world_hint, Some(false), "{}", tool.name);
            assert!(hints.read_only_hint.is_some() && hints.idempotent_hint.is_some(), "{}", tool.name);
            assert!(tool.title.is_some() && tool.output_schema.is_some(), "{}", tool.name);
        }
    }

    #[test]
    fn an_answer_is_what_the_output_schema_says() {
        let answer = serde_json::to_value(AnswerJson::default()).expect("it is JSON");
        let schema = output();
        for needed in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            assert!(!answer[needed].is_null(), "{needed}");
        }
    }
}
