//! The name of a language. Which languages exist is data in `jari-chunk`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A language by its lower-case name: `rust`, `csharp`, `markdown`; `unknown` where none is known.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Language(Cow<'static, str>);

impl Language {
    /// What a file is when nothing better is known.
    pub const UNKNOWN: Language = Language(Cow::Borrowed("unknown"));

    /// A language whose name is known at compile time.
    pub const fn named(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Language {
    fn from(name: String) -> Self {
        Self(Cow::Owned(name))
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}
