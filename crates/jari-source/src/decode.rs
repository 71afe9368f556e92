//! Bytes in, text out: UTF-8, UTF-16, the Korean CP949, and Western single bytes as a last resort.

use encoding_rs::{EUC_KR, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How much of a file is looked at to tell text from data.
const PROBE: usize = 8 * 1024;

/// The text of `bytes`; `None` if they are no text.
pub(crate) fn text(bytes: Vec<u8>) -> Option<String> {
    if let Some((encoding, mark)) = Encoding::for_bom(&bytes) {
        return if encoding == UTF_8 {
            String::from_utf8(bytes[mark..].to_vec()).ok().filter(|text| !has_nul(text))
        } else {
            decoded(encoding, &bytes[mark..])
        };
    }
    let probe = &bytes[..bytes.len().min(PROBE)];
    if memchr::memchr(0, probe).is_some() {
        return utf16_without_mark(probe).and_then(|encoding| decoded(encoding, &bytes));
    }
    match String::from_utf8(bytes) {
        Ok(text) => (!has_nul(&text)).then_some(text),
        Err(error) => legacy(&error.into_bytes()),
    }
}

fn has_nul(text: &str) -> bool {
    memchr::memchr(0, text.as_bytes()).is_some()
}

fn decoded(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes).map(std::borrow::Cow::into_owned)
}

/// English text in UTF-16 has a NUL in nearly every second byte.
fn utf16_without_mark(probe: &[u8]) -> Option<&'static Encoding> {
    let nuls = |odd: usize| probe.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (nuls(0), nuls(1));
    let half = probe.len() / 2;
    if half == 0 {
        None
    } else if odd * 10 > half * 7 && even * 20 < half {
        Some(UTF_16LE)
    } else if even * 10 > half * 7 && odd * 20 < half {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Korean if it reads as Korean, Western if it has no control characters.
fn legacy(bytes: &[u8]) -> Option<String> {
    if let Some(text) = decoded(EUC_KR, bytes) {
        let foreign = text.chars().filter(|c| !c.is_ascii());
        let (all, hangul) = foreign
            .fold((0, 0), |(all, hangul), c| (all + 1, hangul + u32::from(('가'..='힣').contains(&c))));
        if hangul * 2 > all {
            return Some(text);
        }
    }
    let control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0c | 0x1b);
    if bytes.iter().any(control) {
        return None;
    }
    decoded(WINDOWS_1252, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_come_out_as_the_same_text() {
        let said = "// 결제를 처리한다\nfn pay() {}\n";
        assert_eq!(text(said.as_bytes().to_vec()).as_deref(), Some(said));
        assert_eq!(text([b"\xef\xbb\xbf", said.as_bytes()].concat()).as_deref(), Some(said));
        let little: Vec<u8> =
            [0xfeff_u16].into_iter().chain(said.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(text(little).as_deref(), Some(said));
        let big: Vec<u8> =
            [0xfeff_u16].into_iter().chain(said.encode_utf16()).flat_map(u16::to_be_bytes).collect();
        assert_eq!(text(big).as_deref(), Some(said));
        let (korean, ..) = EUC_KR.encode(said);
        assert_eq!(text(korean.into_owned()).as_deref(), Some(said));
    }

    #[test]
    fn utf16_is_known_without_its_mark() {
        let plain: Vec<u8> = "class Program { }".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(text(plain).as_deref(), Some("class Program { }"));
    }

    #[test]
    fn western_bytes_are_read_and_data_is_not() {
        assert_eq!(text(b"caf\xe9 au lait".to_vec()).as_deref(), Some("café au lait"));
        assert_eq!(text(vec![0, 1, 2, 3, 255, 254, 0, 9]), None);
        assert_eq!(text(b"\x89PNG\r\n\x1a\n\x01\x02\xff".to_vec()), None);
        assert_eq!(text(Vec::new()).as_deref(), Some(""));
    }
}
