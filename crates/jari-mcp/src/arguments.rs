//! What tools take: schemas made from documented structs, and arguments checked against them by name.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::Value;

/// How much of an answer is wanted. Every tool that returns texts takes these.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct Shape {
    /// Default 4000
    #[schemars(range(min = 100, max = 100_000))]
    pub(crate) max_tokens: Option<usize>,
    pub(crate) response_format: Option<Format>,
    /// From the answer before
    pub(crate) cursor: Option<String>,
}

/// How long the texts are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    Concise,
    #[default]
    Detailed,
}

/// The description and the input schema of `T`: its doc comment, and its fields with theirs.
pub(crate) fn schema<T: JsonSchema>() -> (String, JsonObject) {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    let mut object = schema.as_object_mut().map(std::mem::take).unwrap_or_default();
    let description = match object.remove("description") {
        Some(Value::String(text)) => text.replace('\n', " "),
        _ => String::new(),
    };
    object.remove("title");
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(slim);
    } else {
        object.insert("properties".to_owned(), Value::Object(JsonObject::new()));
    }
    (description, object)
}

/// Leaves out what a model does not need: that a field may be null, and how wide a number is.
fn slim(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    if let Some(Value::Array(choices)) = object.remove("anyOf") {
        let given = choices.into_iter().find(|choice| choice["type"] != "null");
        for (key, value) in given.and_then(|given| given.as_object().cloned()).into_iter().flatten() {
            if key != "description" || !object.contains_key("description") {
                object.insert(key, value);
            }
        }
    }
    for noise in ["format", "title"] {
        object.remove(noise);
    }
    if object.get("minimum").is_some_and(|least| least == 0) {
        object.remove("minimum");
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(kind) = object.get_mut("type")
        && let Some(given) = kind.as_array().and_then(|kinds| kinds.iter().find(|kind| *kind != "null"))
    {
        *kind = given.clone();
    }
    if let Some(items) = object.get_mut("items") {
        slim(items);
    }
}

/// What is wrong with `arguments`, in words that name the argument and the right ones.
pub(crate) fn check(tool: &str, schema: &JsonObject, arguments: &JsonObject) -> Result<(), String> {
    let empty = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let needed: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let names: Vec<String> = properties
        .keys()
        .map(|name| if needed.contains(&name.as_str()) { format!("{name} (needed)") } else { name.clone() })
        .collect();
    let takes = || format!("`{tool}` takes {}", names.join(", "));
    if let Some(unknown) = arguments.keys().find(|name| !properties.contains_key(*name)) {
        return Err(format!("no argument is called `{unknown}`: {}", takes()));
    }
    if let Some(missing) = needed.iter().find(|name| arguments.get(**name).is_none_or(Value::is_null)) {
        return Err(format!("`{missing}` is missing: {}", takes()));
    }
    for (name, value) in arguments.iter().filter(|(_, value)| !value.is_null()) {
        if let Some(wanted) = mismatch(&properties[name], value) {
            return Err(format!("`{name}` is {value}, but must be {wanted}"));
        }
    }
    Ok(())
}

/// What `value` should be, where it is not.
fn mismatch(schema: &Value, value: &Value) -> Option<String> {
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let right = value.as_str().is_some_and(|value| words.contains(&value));
        return (!right).then(|| format!("one of {}", words.join(", ")));
    }
    match schema["type"].as_str()? {
        "string" => (!value.is_string()).then(|| "a text".to_owned()),
        "boolean" => (!value.is_boolean()).then(|| "true or false".to_owned()),
        "array" => {
            let Some(values) = value.as_array() else { return Some("a list".to_owned()) };
            values
                .iter()
                .find_map(|value| mismatch(&schema["items"], value))
                .map(|wanted| format!("a list, each {wanted}"))
        }
        "integer" => {
            let (least, most) = (schema["minimum"].as_u64().unwrap_or(0), schema["maximum"].as_u64());
            let right =
                value.as_u64().is_some_and(|value| value >= least && most.is_none_or(|most| value <= most));
            let most = most.map(|most| format!(" to {most}")).unwrap_or_else(|| " or more".to_owned());
            (!right).then(|| format!("a whole number, {least}{most}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::json;

    use super::*;

    /// Finds things.
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Sample {
        /// What to look for
        query: String,
        #[schemars(range(min = 1, max = 50))]
        top_k: Option<usize>,
        headings: Option<Vec<String>>,
        #[serde(flatten)]
        shape: Shape,
    }

    #[test]
    fn a_schema_says_what_a_model_needs_and_no_more() {
        let (description, schema) = schema::<Sample>();
        assert_eq!(description, "Finds things.");
        expect![[r#"{"properties":{"cursor":{"description":"From the answer before","type":"string"},"headings":{"items":{"type":"string"},"type":"array"},"max_tokens":{"description":"Default 4000","maximum":100000,"minimum":100,"type":"integer"},"query":{"description":"What to look for","type":"string"},"response_format":{"description":"How long the texts are.","enum":["concise","detailed"],"type":"string"},"top_k":{"maximum":50,"minimum":1,"type":"integer"}},"required":["query"],"type":"object"}"#]].assert_eq(&Value::Object(schema).to_string());
    }

    fn refused(arguments: &Value, expected: &Expect) {
        let (_, schema) = schema::<Sample>();
        let arguments = arguments.as_object().expect("an object");
        expected.assert_eq(&check("find", &schema, arguments).unwrap_err());
    }

    #[test]
    fn wrong_arguments_are_refused_by_name() {
        refused(
            &json!({"quer": "x"}),
            &expect![
                "no argument is called `quer`: `find` takes cursor, headings, max_tokens, query (needed), response_format, top_k"
            ],
        );
        refused(
            &json!({"top_k": 3}),
            &expect![
                "`query` is missing: `find` takes cursor, headings, max_tokens, query (needed), response_format, top_k"
            ],
        );
        refused(
            &json!({"query": "x", "top_k": 0}),
            &expect!["`top_k` is 0, but must be a whole number, 1 to 50"],
        );
        refused(
            &json!({"query": "x", "response_format": "long"}),
            &expect![[r#"`response_format` is "long", but must be one of concise, detailed"#]],
        );
        refused(&json!({"query": ["x"]}), &expect![[r#"`query` is ["x"], but must be a text"#]]);
        refused(
            &json!({"query": "x", "headings": [1]}),
            &expect!["`headings` is [1], but must be a list, each a text"],
        );
    }
}
