//! What the user is told when something cannot be done.

use std::fmt::Display;
use std::io;

use jari_base::{ErrorCode, Explained};
use jari_wire::ErrorJson;

use crate::printer;

/// A command's result: whether something was found.
pub(crate) type Outcome = Result<bool, Failure>;

/// A failure with what led to it.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A failure that explains itself.
    Explained(Box<dyn Explained>),
    /// Printing failed.
    Output(io::Error),
}

impl Failure {
    /// A flag or setting that cannot be used.
    pub(crate) fn argument(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Explained(Box::new(Misuse {
            code: ErrorCode::BadArgument,
            message: message.into(),
            hint: Some(hint.into()),
        }))
    }

    /// A setting in a file or in the environment that cannot be used.
    pub(crate) fn setting(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Explained(Box::new(Misuse {
            code: ErrorCode::BadSetting,
            message: message.into(),
            hint: Some(hint.into()),
        }))
    }

    /// A model, or what it answered, that cannot be had.
    pub(crate) fn asked(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Explained(Box::new(Misuse {
            code: ErrorCode::ModelUnavailable,
            message: message.into(),
            hint: Some(hint.into()),
        }))
    }

    /// Whether the reader of our output went away: no reason to complain.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Tells the user, on stderr.
    pub(crate) fn print(&self, json: bool) {
        match self {
            Self::Output(error) => printer::talk(&format!("error: cannot write the answer: {error}")),
            Self::Explained(error) if json => {
                let shape = ErrorJson::new(&**error);
                printer::talk(&serde_json::to_string(&shape).unwrap_or_else(|_| error.to_string()));
            }
            Self::Explained(error) => {
                printer::talk_error(&error.to_string());
                if let Some(hint) = error.hint() {
                    printer::talk_hint(&hint);
                }
            }
        }
    }
}

impl<E: Explained + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Explained(Box::new(error))
    }
}

/// A mistake in how the program was called.
#[derive(Debug)]
struct Misuse {
    code: ErrorCode,
    message: String,
    hint: Option<String>,
}

impl Display for Misuse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Misuse {}

impl Explained for Misuse {
    fn code(&self) -> ErrorCode {
        self.code
    }

    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}
