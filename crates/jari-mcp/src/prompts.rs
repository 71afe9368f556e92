//! Two prompts: explain an area, and find the documents that a change makes wrong.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

/// A prompt with its one argument; `{}` in the text stands for it.
struct Template {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    argument: &'static str,
    argument_about: &'static str,
    text: &'static str,
}

const TEMPLATES: [Template; 2] = [
    Template {
        name: "explain_area",
        title: "Explain this area",
        about: "Explains a part of the project, with citations",
        argument: "area",
        argument_about: "A folder, a file, a symbol or a topic",
        text: "Explain this area of the project: {}\n\n\
            1. Call `understand` with it as the goal; where it names a folder or file, call `get_file_structure` too.\n\
            2. Follow the main symbols with `navigate` (callers, references) and `read` what matters.\n\
            3. Explain what it does, its parts, how data flows through them, and what is surprising. Cite every claim as \
            path:start-end, say what you did not look at, and show statements that contradict each other side by side.",
    },
    Template {
        name: "docs_to_update",
        title: "Find docs to update for this change",
        about: "Finds the sections that a change makes wrong or incomplete",
        argument: "change",
        argument_about: "What changes: a description, or a diff",
        text: "Find the documents that this change makes wrong or incomplete:\n\n{}\n\n\
            1. Name the symbols, settings, commands and behaviours that change.\n\
            2. Call `search_documents` for each, by name and by what it does, and `navigate` with `backlinks` for documents you find.\n\
            3. `read` each candidate section and judge it. List the sections to change as path:start-end with the sentence that \
            becomes wrong and what it should say; list what you checked and found right.",
    },
];

pub(crate) fn list() -> Vec<Prompt> {
    let prompt = |template: &Template| {
        let argument = PromptArgument::new(template.argument)
            .with_description(template.argument_about)
            .with_required(true);
        Prompt::new(template.name, Some(template.about), Some(vec![argument])).with_title(template.title)
    };
    TEMPLATES.iter().map(prompt).collect()
}

pub(crate) fn get(name: &str, arguments: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    let Some(template) = TEMPLATES.iter().find(|template| template.name == name) else {
        let names: Vec<&str> = TEMPLATES.iter().map(|template| template.name).collect();
        let message = format!("no prompt is called `{name}`; there are {}", names.join(", "));
        return Err(ErrorData::invalid_params(message, None));
    };
    let Some(Value::String(given)) = arguments.get(template.argument) else {
        let message = format!("`{}` is missing: {}", template.argument, template.argument_about);
        return Err(ErrorData::invalid_params(message, None));
    };
    let message = PromptMessage::new_text(Role::User, template.text.replace("{}", given));
    Ok(GetPromptResult::new(vec![message]).with_description(template.about))
}
