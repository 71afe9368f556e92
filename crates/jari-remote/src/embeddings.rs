//! Embeddings as OpenAI and its many likes, Voyage and Ollama give them.

use std::time::Duration;

use jari_embed::{Limits, Provider, Side, Trouble};
use serde::{Deserialize, Serialize};

use crate::Endpoint;

/// Texts in a call, whoever is asked: more gain nothing, and a failure costs them all.
const BATCH: usize = 96;

/// What is known of a model by its name.
struct Known {
    name: &'static str,
    dims: usize,
    /// Tokens of a text.
    tokens: usize,
    /// Dollars for a million tokens.
    price: Option<f64>,
}

const fn known(name: &'static str, dims: usize, tokens: usize, price: Option<f64>) -> Known {
    Known { name, dims, tokens, price }
}

/// Prices as their makers listed them in 2025; where one changes, the estimate is off and nothing else.
const KNOWN: &[Known] = &[
    known("text-embedding-3-small", 1536, 8191, Some(0.02)),
    known("text-embedding-3-large", 3072, 8191, Some(0.13)),
    known("text-embedding-ada-002", 1536, 8191, Some(0.10)),
    known("voyage-3", 1024, 32_000, Some(0.06)),
    known("voyage-3-large", 1024, 32_000, Some(0.18)),
    known("voyage-3-lite", 512, 32_000, Some(0.02)),
    known("voyage-3.5", 1024, 32_000, Some(0.06)),
    known("voyage-3.5-lite", 1024, 32_000, Some(0.02)),
    known("voyage-code-2", 1536, 16_000, Some(0.12)),
    known("voyage-code-3", 1024, 32_000, Some(0.18)),
    known("nomic-embed-text", 768, 2048, None),
    known("mxbai-embed-large", 1024, 512, None),
    known("bge-m3", 1024, 8192, None),
    known("all-minilm", 384, 256, None),
];

fn find(model: &str) -> Option<&'static Known> {
    // Ollama's tags: `nomic-embed-text:v1.5` is the same model.
    let plain = model.split(':').next().unwrap_or(model);
    KNOWN.iter().find(|known| known.name == plain)
}

/// What every provider needs to know of its model.
struct Chosen {
    endpoint: Endpoint,
    /// As the provider calls it.
    name: String,
    /// The length of vectors that the user wants.
    dims: Option<usize>,
    /// The name with that length, so that vectors of different lengths never meet.
    model: String,
}

impl Chosen {
    fn new(endpoint: Endpoint, name: &str, dims: Option<usize>) -> Self {
        let model = match dims {
            Some(dims) => format!("{name}@{dims}"),
            None => name.to_owned(),
        };
        Self { endpoint, name: name.to_owned(), dims, model }
    }

    fn dims(&self) -> Option<usize> {
        self.dims.or_else(|| Some(find(&self.name)?.dims))
    }

    /// Whoever else serves a model of that name has another price, or none.
    fn price(&self) -> Option<f64> {
        let paid = ["api.openai.com", "api.voyageai.com"].contains(&self.endpoint.host());
        find(&self.name)?.price.filter(|_| paid)
    }

    fn limits(&self, batch_tokens: usize, unknown: usize) -> Limits {
        let text_tokens = find(&self.name).map_or(unknown, |known| known.tokens);
        // Our estimate may be a tenth too low.
        Limits { batch: BATCH, batch_tokens, text_tokens: text_tokens * 9 / 10 }
    }
}

/// The part of [`Provider`] that all three share.
macro_rules! chosen {
    ($name:literal) => {
        fn name(&self) -> &str {
            $name
        }

        fn model(&self) -> &str {
            &self.0.model
        }

        fn dims(&self) -> Option<usize> {
            self.0.dims()
        }

        fn destination(&self) -> Option<&str> {
            Some(self.0.endpoint.host())
        }

        fn price(&self) -> Option<f64> {
            self.0.price()
        }

        fn fingerprint(&self) -> u64 {
            self.0.endpoint.fingerprint()
        }
    };
}

/// A server with OpenAI's `/embeddings`: OpenAI itself, LM Studio, vLLM, llama.cpp, TEI and others.
pub struct OpenAi(Chosen);

impl OpenAi {
    /// The model that is asked where none is named.
    pub const MODEL: &str = "text-embedding-3-small";

    /// Asks for vectors of `dims` elements where the user wants so.
    pub fn new(endpoint: Endpoint, model: &str, dims: Option<usize>) -> Self {
        Self(Chosen::new(endpoint, model, dims))
    }
}

/// The answer of OpenAI and of Voyage.
#[derive(Deserialize)]
struct Listed {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<Option<f32>>,
}

impl Listed {
    /// In the order of the questions, whatever the order of the answers.
    fn vectors(mut self) -> Result<Vec<Vec<f32>>, Trouble> {
        if self.data.iter().any(|item| item.index.is_some()) {
            self.data.sort_by_key(|item| item.index);
            if self.data.iter().enumerate().any(|(at, item)| item.index != Some(at)) {
                return Err(Trouble::passing("the numbers of the answers are not those of the questions"));
            }
        }
        Ok(self.data.into_iter().map(|item| numbers(item.embedding)).collect())
    }
}

/// JSON writes what is no number as `null`.
fn numbers(elements: Vec<Option<f32>>) -> Vec<f32> {
    elements.into_iter().map(|element| element.unwrap_or(f32::NAN)).collect()
}

impl Provider for OpenAi {
    chosen!("openai");

    fn limits(&self) -> Limits {
        // OpenAI takes 300,000 tokens a call; servers at home want far less.
        self.0.limits(if self.price().is_some() { 200_000 } else { 32_000 }, 8191)
    }

    fn embed_batch(&self, texts: &[&str], _: Side, timeout: Duration) -> Result<Vec<Vec<f32>>, Trouble> {
        #[derive(Serialize)]
        struct Question<'a> {
            model: &'a str,
            input: &'a [&'a str],
            encoding_format: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            dimensions: Option<usize>,
        }
        let Chosen { endpoint, name: model, dims, .. } = &self.0;
        let question = Question { model, input: texts, encoding_format: "float", dimensions: *dims };
        endpoint.post::<Listed>("/embeddings", &question, timeout)?.vectors()
    }
}

/// Voyage, which wants to know which side a text stands on.
pub struct Voyage(Chosen);

impl Voyage {
    /// The model that is asked where none is named.
    pub const MODEL: &str = "voyage-code-3";
    /// Where it is asked.
    pub const BASE: &str = "https://api.voyageai.com/v1";

    /// Asks for vectors of `dims` elements where the user wants so.
    pub fn new(endpoint: Endpoint, model: &str, dims: Option<usize>) -> Self {
        Self(Chosen::new(endpoint, model, dims))
    }
}

impl Provider for Voyage {
    chosen!("voyage");

    fn limits(&self) -> Limits {
        self.0.limits(100_000, 16_000)
    }

    fn embed_batch(&self, texts: &[&str], side: Side, timeout: Duration) -> Result<Vec<Vec<f32>>, Trouble> {
        #[derive(Serialize)]
        struct Question<'a> {
            model: &'a str,
            input: &'a [&'a str],
            input_type: &'a str,
            truncation: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            output_dimension: Option<usize>,
        }
        let Chosen { endpoint, name: model, dims, .. } = &self.0;
        let input_type = if side == Side::Question { "query" } else { "document" };
        let question =
            Question { model, input: texts, input_type, truncation: true, output_dimension: *dims };
        endpoint.post::<Listed>("/embeddings", &question, timeout)?.vectors()
    }
}

/// Ollama on this machine or another.
pub struct Ollama(Chosen);

impl Ollama {
    /// The model that is asked where none is named.
    pub const MODEL: &str = "nomic-embed-text";
    /// Where it is asked.
    pub const BASE: &str = "http://localhost:11434";

    /// Ollama has no say in the length of vectors; `dims` is what is expected.
    pub fn new(endpoint: Endpoint, model: &str, dims: Option<usize>) -> Self {
        Self(Chosen::new(endpoint, model, dims))
    }

    /// What the model was trained to see before a text. Ollama does not add it.
    fn prefix(&self, side: Side) -> &'static str {
        let question = side == Side::Question;
        match self.0.name.split([':', '/']).find(|part| part.contains("embed") || part.contains("e5")) {
            Some(name) if name.starts_with("nomic-embed") => {
                if question {
                    "search_query: "
                } else {
                    "search_document: "
                }
            }
            Some(name) if name.starts_with("mxbai-embed") && question => {
                "Represent this sentence for searching relevant passages: "
            }
            Some(name) if name.contains("e5") => {
                if question {
                    "query: "
                } else {
                    "passage: "
                }
            }
            _ => "",
        }
    }
}

impl Provider for Ollama {
    chosen!("ollama");

    fn limits(&self) -> Limits {
        // A processor at home reads some hundred tokens a second: small calls, so that there is progress.
        Limits { batch: 32, ..self.0.limits(8_000, 2048) }
    }

    fn embed_batch(&self, texts: &[&str], side: Side, timeout: Duration) -> Result<Vec<Vec<f32>>, Trouble> {
        #[derive(Serialize)]
        struct Question<'a> {
            model: &'a str,
            input: &'a [String],
            truncate: bool,
        }
        #[derive(Deserialize)]
        struct Answer {
            embeddings: Vec<Vec<Option<f32>>>,
        }
        let prefix = self.prefix(side);
        let input: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
        let question = Question { model: &self.0.name, input: &input, truncate: true };
        let answer: Answer = self.0.endpoint.post("/api/embed", &question, timeout).map_err(|trouble| {
            match trouble.message.contains("not found") {
                true => Trouble { hint: Some(format!("ollama pull {}", self.0.name)), ..trouble },
                false => trouble,
            }
        })?;
        Ok(answer.embeddings.into_iter().map(numbers).collect())
    }
}
