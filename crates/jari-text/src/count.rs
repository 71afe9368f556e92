//! How many tokens a language model would count, without loading its vocabulary.

/// An estimate of the length of `text` in tokens of current models.
///
/// Words cost one token up to eight letters and one more for each further six; digits come in threes; an indentation
/// is one token; punctuation is paired; a Hangul syllable costs a little more than one.
pub fn estimate_tokens(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut quarters = 0usize;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        let same = |test: fn(&u8) -> bool| bytes[start..].iter().take_while(|byte| test(byte)).count();
        if byte.is_ascii_alphabetic() {
            let length = same(u8::is_ascii_alphabetic);
            quarters += 4 + length.saturating_sub(8).div_ceil(6) * 4;
            at += length;
        } else if byte.is_ascii_digit() {
            let length = same(u8::is_ascii_digit);
            quarters += 4 * length.div_ceil(3);
            at += length;
        } else if byte.is_ascii_whitespace() {
            let length = same(u8::is_ascii_whitespace);
            quarters += if length == 1 && byte == b' ' { 0 } else { 4 };
            at += length;
        } else if byte.is_ascii() {
            let length = same(u8::is_ascii_punctuation).max(1);
            quarters += 4 * length.div_ceil(2);
            at += length;
        } else {
            // Three bytes of UTF-8 are a syllable; other scripts come close enough.
            let length = bytes[start..].iter().take_while(|byte| !byte.is_ascii()).count();
            quarters += 5 * length.div_ceil(3);
            at += length;
        }
    }
    quarters.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn estimates_grow_with_the_text_and_are_zero_for_nothing() {
        assert_eq!(estimate_tokens(""), 0);
        assert_eq!(estimate_tokens("hello world"), 2);
        assert_eq!(estimate_tokens("internationalization"), 3);
        assert!(estimate_tokens("안녕하세요") >= 5);
    }
}
