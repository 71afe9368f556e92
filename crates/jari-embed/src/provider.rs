//! A model that is asked rather than read: one elsewhere, or one too slow to be asked for every chunk at once.

use std::time::Duration;

use jari_base::{ErrorCode, Explained};

/// Which side of a search a text stands on. Some models want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// It asks.
    Question,
    /// It may answer.
    Document,
}

/// How much may be asked at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Texts in a call.
    pub batch: usize,
    /// Tokens in a call, by our estimate.
    pub batch_tokens: usize,
    /// Tokens of one text; what is beyond is cut off.
    pub text_tokens: usize,
}

/// A model that can be asked.
pub trait Provider: Send + Sync {
    /// Who it is: `openai`, `voyage`, `ollama`, `local`.
    fn name(&self) -> &str;

    /// Which of its models, and how long its vectors were asked to be, where the user chose that.
    fn model(&self) -> &str;

    /// The length of its vectors, where that is known without asking.
    fn dims(&self) -> Option<usize>;

    /// Tells apart what its name does not; 0 where the name is all there is.
    fn fingerprint(&self) -> u64 {
        0
    }

    /// Where texts are sent; `None` if they stay in this process.
    fn destination(&self) -> Option<&str>;

    /// Dollars for a million tokens, where that is known.
    fn price(&self) -> Option<f64> {
        None
    }

    /// How much may be asked at once.
    fn limits(&self) -> Limits;

    /// A vector for each text, in order, within `timeout`.
    fn embed_batch(&self, texts: &[&str], side: Side, timeout: Duration) -> Result<Vec<Vec<f32>>, Trouble>;
}

/// Why a model did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Trouble {
    /// What can be done about it.
    pub remedy: Remedy,
    /// What happened, without any key in it.
    pub message: String,
    /// What the user can do.
    pub hint: Option<String>,
}

/// What can be done about a trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// To ask again, not before this time where the other side said so.
    Retry(Option<Duration>),
    /// To ask for less at once.
    Less,
    /// To wait: after several failures nobody is asked for a while.
    Wait,
    /// Nothing, until the user changes something.
    Change,
}

impl Trouble {
    /// One that may pass.
    pub fn passing(message: impl Into<String>) -> Self {
        Self { remedy: Remedy::Retry(None), message: message.into(), hint: None }
    }

    /// One that stays until the user changes something.
    pub fn lasting(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { remedy: Remedy::Change, message: message.into(), hint: Some(hint.into()) }
    }
}

impl Explained for Trouble {
    fn code(&self) -> ErrorCode {
        ErrorCode::ModelUnavailable
    }

    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}
