//! What is said of secrets that were masked.

/// How many masks stand in a text.
pub fn count(text: &str) -> usize {
    text.matches(jari_source::MASK).count()
}

/// A word for whoever sees masks.
pub fn note(masks: usize) -> Option<String> {
    match masks {
        0 => None,
        1 => Some("1 secret-looking string is masked".to_owned()),
        more => Some(format!("{more} secret-looking strings are masked")),
    }
}
