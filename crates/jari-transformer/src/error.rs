//! Why a folder cannot be used, and what helps.

use std::path::PathBuf;

use jari_base::{ErrorCode, Explained};

/// A folder that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No file where one is needed.
    #[error("there is no `{}`", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file system refused.
    #[error("cannot read `{}`: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An encoder of another family.
    #[error("`{}` is of the architecture `{found}`, which is not supported", .path.display())]
    Architecture {
        /// The file that says so.
        path: PathBuf,
        /// What it says.
        found: String,
    },
    /// Weights in several files.
    #[error("the weights are in several files, which `{}` lists", .path.display())]
    Sharded {
        /// The list.
        path: PathBuf,
    },
    /// A file that says what cannot be.
    #[error("`{}` cannot be used: {reason}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl Explained for Error {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Missing { .. } => ErrorCode::NotFound,
            Self::Unreadable { .. } => ErrorCode::Unreadable,
            Self::Architecture { .. } | Self::Sharded { .. } | Self::Damaged { .. } => ErrorCode::BadSetting,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Missing { .. } => {
                "an encoder is a folder with `config.json`, `model.safetensors` and `tokenizer.json`"
            }
            Self::Unreadable { .. } => "check the permissions of the file",
            Self::Architecture { .. } => {
                "supported are `bert`, `roberta`, `xlm-roberta`, `camembert` and `distilbert`: MiniLM, e5, bge and \
                 multilingual-e5 are among them"
            }
            Self::Sharded { .. } => "save the model again with one `model.safetensors`",
            Self::Damaged { .. } => "copy the folder once more from where it came from",
        };
        Some(hint.to_owned())
    }
}
