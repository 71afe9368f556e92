//! Why a model cannot be used, and what helps.

use std::path::PathBuf;

use jari_base::{ErrorCode, Explained};

use crate::Damage;

/// A model that cannot be used.
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
    /// A file of Jari's own format that is broken.
    #[error("`{}` is no model: {damage}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        damage: Damage,
    },
    /// Weights that cannot be read.
    #[error("`{}` cannot be used: {reason}", .path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A tokenizer that cannot be read.
    #[error("`{}` cannot be used: {reason}", .path.display())]
    Tokenizer {
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
            Self::Damaged { .. } | Self::Weights { .. } | Self::Tokenizer { .. } => ErrorCode::BadSetting,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Missing { .. } => {
                "a model is a folder in model2vec's format (`model.safetensors` and `tokenizer.json`), \
                                     or a file that Jari's training made"
                    .to_owned()
            }
            Self::Unreadable { .. } => "check the permissions of the file".to_owned(),
            Self::Damaged { damage: Damage::Format(_), .. } => {
                "use the Jari that the model was made for, or make the model anew".to_owned()
            }
            Self::Damaged { .. } => "copy the file once more from where it came from".to_owned(),
            Self::Weights { .. } | Self::Tokenizer { .. } => {
                "models of the potion family (`potion-base-8M` and its kin) are known to work".to_owned()
            }
        })
    }
}
