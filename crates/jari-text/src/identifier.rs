//! How identifiers fall apart: camelCase, PascalCase, snake_case, digits, acronyms.

use std::ops::Range;

/// The parts of an ASCII identifier, as byte ranges: `HTTPServer2` has `HTTP`, `Server` and `2`.
pub fn parts(identifier: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = identifier.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
        if at == bytes.len() {
            return None;
        }
        let start = at;
        at += 1;
        while at < bytes.len() && bytes[at].is_ascii_alphanumeric() && !border(bytes, at) {
            at += 1;
        }
        Some(start..at)
    })
}

/// Whether a new part begins at `at`; both neighbours are letters or digits.
fn border(bytes: &[u8], at: usize) -> bool {
    let (before, here) = (bytes[at - 1], bytes[at]);
    if before.is_ascii_digit() != here.is_ascii_digit() {
        return true;
    }
    if !here.is_ascii_uppercase() {
        return false;
    }
    // `getX` breaks before X; `HTTPServer` breaks before the S that starts a word of its own.
    before.is_ascii_lowercase() || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
}

/// A name without what styles differ in: `ConnectionPool`, `connection_pool` and `connection-pool` are one.
pub fn fold_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(identifier: &str) -> Vec<&str> {
        parts(identifier).map(|range| &identifier[range]).collect()
    }

    #[test]
    fn parts_follow_case_digits_and_underscores() {
        assert_eq!(split("HTTPServer2"), ["HTTP", "Server", "2"]);
        assert_eq!(split("parseHTTPHeader"), ["parse", "HTTP", "Header"]);
        assert_eq!(split("__init__"), ["init"]);
        assert_eq!(split("snake_case_name"), ["snake", "case", "name"]);
        assert_eq!(split("utf8"), ["utf", "8"]);
        assert_eq!(split("MAX_SIZE"), ["MAX", "SIZE"]);
        assert_eq!(split("x"), ["x"]);
        assert_eq!(split("___"), Vec::<&str>::new());
    }

    #[test]
    fn folding_makes_styles_equal() {
        for name in ["ConnectionPool", "connection_pool", "connection-pool", "CONNECTION_POOL"] {
            assert_eq!(fold_name(name), "connectionpool");
        }
        assert_eq!(fold_name("결제_처리"), "결제처리");
    }
}
