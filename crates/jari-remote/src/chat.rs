//! A model that talks, behind OpenAI's `/chat/completions`.

use std::time::{Duration, Instant};

use jari_embed::{Circuit, Trouble};
use serde::{Deserialize, Serialize};

use crate::Endpoint;

/// How long nobody is asked after three failures in a row.
const COOLING: Duration = Duration::from_secs(10);

/// A model that talks.
pub struct Chat {
    endpoint: Endpoint,
    model: String,
    circuit: Circuit,
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {:?}", self.model, self.endpoint)
    }
}

/// Something that was said.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Message {
    pub(crate) role: &'static str,
    pub(crate) content: String,
}

#[derive(Deserialize)]
struct Answer {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
}

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
}

impl Chat {
    /// Talks to `model`.
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        Self { endpoint, model: model.to_owned(), circuit: Circuit::new(COOLING) }
    }

    /// Which model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Where texts are sent.
    pub fn host(&self) -> &str {
        self.endpoint.host()
    }

    /// What it says next, before `deadline`. After several failures it is not asked for a while.
    pub(crate) fn say(&self, messages: &[Message], deadline: Instant) -> Result<String, Trouble> {
        let admitted = self.circuit.admit().map_err(|(_, trouble)| trouble)?;
        let said = self.ask(messages, deadline);
        match &said {
            Ok(_) => admitted.succeeded(),
            Err(trouble) => admitted.failed(trouble),
        }
        said
    }

    fn ask(&self, messages: &[Message], deadline: Instant) -> Result<String, Trouble> {
        #[derive(Serialize)]
        struct Question<'a> {
            model: &'a str,
            messages: &'a [Message],
            #[serde(skip_serializing_if = "Option::is_none")]
            temperature: Option<f32>,
        }
        let ask = |temperature| -> Result<Answer, Trouble> {
            let rest = deadline.saturating_duration_since(Instant::now());
            let question = Question { model: &self.model, messages, temperature };
            self.endpoint.post("/chat/completions", &question, rest)
        };
        // The same question should get the same answer; models that reason do not let anybody choose.
        let answer = match ask(Some(0.0)) {
            Err(trouble) if trouble.message.contains("temperature") => ask(None)?,
            other => other?,
        };
        let said = answer.choices.into_iter().next().and_then(|choice| choice.message.content);
        said.ok_or_else(|| Trouble::passing(format!("{self:?} said nothing")))
    }
}
