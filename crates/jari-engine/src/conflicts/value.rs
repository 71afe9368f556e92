//! What a written value means, where it means one thing.

/// A value that can be compared.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Bool(bool),
    Text(String),
}

impl Value {
    /// What `written` means; `None` for lists, expressions and whatever else can be written in two ways.
    pub(super) fn of(written: &str) -> Option<Self> {
        let written = written.trim().trim_matches(['`', '*', ' ']).trim_end_matches([';', ',']);
        if let Some(text) = quoted(written) {
            let plain = !text.is_empty() && !text.contains(['{', '$', '%', '\\']);
            return plain.then(|| Self::typed(text).unwrap_or_else(|| Self::Text(text.to_owned())));
        }
        if let Some(value) = Self::typed(written) {
            return Some(value);
        }
        let is_word = written.starts_with(char::is_alphabetic)
            && written.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
            && written.chars().any(char::is_lowercase);
        let nothing = ["none", "null", "nil", "undefined", "unset", "auto", "required", "empty"];
        // A word without quotes is as often a name of something else.
        (is_word && !nothing.contains(&written.to_lowercase().as_str()))
            .then(|| Self::Text(written.to_owned()))
    }

    /// Whether both cannot be right.
    pub(super) fn contradicts(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one != other,
            (Self::Bool(one), Self::Bool(other)) => one != other,
            (Self::Text(one), Self::Text(other)) => !one.eq_ignore_ascii_case(other),
            _ => false,
        }
    }

    fn typed(written: &str) -> Option<Self> {
        match written.to_lowercase().as_str() {
            "true" => return Some(Self::Bool(true)),
            "false" => return Some(Self::Bool(false)),
            _ => {}
        }
        let mut product = 1.0;
        for factor in written.split('*') {
            product *= number(factor.trim())?;
        }
        Some(Self::Number(product))
    }
}

fn quoted(written: &str) -> Option<&str> {
    ['"', '\''].iter().find_map(|mark| {
        let inner = written.strip_prefix(*mark)?.strip_suffix(*mark)?;
        (!inner.contains(*mark)).then_some(inner)
    })
}

/// `1_000`, `1,000`, `5u32`, `2.5`.
fn number(written: &str) -> Option<f64> {
    if !written.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return None;
    }
    let plain = written.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let kind = &written[plain.len()..];
    let kinds =
        ["", "u8", "u16", "u32", "u64", "usize", "i32", "i64", "f32", "f64", "L", "l", "f", "u", "UL", "n"];
    let (plain, kind) = match kinds.iter().find(|known| !known.is_empty() && written.ends_with(**known)) {
        Some(known) => (written.trim_end_matches(known), ""),
        None => (plain, kind),
    };
    kind.is_empty().then(|| plain.replace(['_', ','], "").parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_written_otherwise_are_the_same() {
        for (one, other) in
            [("1_000", "1000"), ("`5`", "5u32"), ("2 * 1024 * 1024", "2097152"), ("1,000", "1000.0")]
        {
            assert_eq!(Value::of(one), Value::of(other), "{one}");
        }
        assert_eq!(Value::of("\"utf-8\""), Value::of("'utf-8'"));
        assert_eq!(Value::of("True"), Some(Value::Bool(true)));
        assert!(Value::of("\"UTF-8\"").unwrap().contradicts(&Value::of("latin-1").unwrap()));
        assert!(!Value::of("\"UTF-8\"").unwrap().contradicts(&Value::of("utf-8").unwrap()));
    }

    #[test]
    fn what_can_mean_several_things_is_no_value() {
        for written in
            ["[]", "None", "a + b", "5 minutes", "10MB", "", "\"{name}\"", "MAX", "env!(\"X\")", "--x"]
        {
            assert_eq!(Value::of(written), None, "{written}");
        }
    }
}
