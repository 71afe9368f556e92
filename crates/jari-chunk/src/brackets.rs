//! Where a bracket is closed, in text that no grammar reads.

/// Bytes of arguments that are looked through.
const LONGEST: usize = 1_000;

/// Where the `)` stands that closes a `(` right before `text`. What is quoted closes nothing.
pub(crate) fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_u32, None);
    for (at, byte) in text.bytes().enumerate().take(LONGEST) {
        match (byte, quote) {
            (b'"' | b'\'' | b'`', None) => quote = Some(byte),
            (_, Some(open)) if open == byte => quote = None,
            (b'(', None) => depth += 1,
            (b')', None) if depth == 0 => return Some(at),
            (b')', None) => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::closing;

    #[test]
    fn brackets_inside_and_in_quotes_are_passed() {
        for (text, rest) in [("a(b), c) d", " d"), (r#""(", ')' ) d"#, " d"), ("", "-"), ("a(b)", "-")] {
            assert_eq!(closing(text).map_or("-", |at| &text[at + 1..]), rest, "{text}");
        }
    }
}
