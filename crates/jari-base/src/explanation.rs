//! How a score came to be, as a tree.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A number, what it is, and the numbers it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// What this number is. Most are written in the code, and every place that may be shown has a few.
    pub label: Cow<'static, str>,
    /// The number.
    pub value: f32,
    /// What it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Explanation>,
}

impl Explanation {
    /// A number that needs no further reasons.
    pub fn leaf(label: impl Into<Cow<'static, str>>, value: f32) -> Self {
        Self { label: label.into(), value, details: Vec::new() }
    }

    /// A number made from others.
    pub fn node(label: impl Into<Cow<'static, str>>, value: f32, details: Vec<Explanation>) -> Self {
        Self { label: label.into(), value, details }
    }
}
