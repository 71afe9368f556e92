//! Addresses in running text, as GitHub makes links of them.

use std::ops::Range;

/// No domain is longer, so nobody looks further for its end.
const LONGEST_DOMAIN: usize = 255;

/// Addresses of `text`, each with what it links to.
pub(super) fn find(text: &str) -> Vec<(Range<usize>, String)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = memchr::memchr3(b':', b'@', b'w', &bytes[at..]).map(|next| at + next) {
        let link = match bytes[next] {
            b':' => url(text, next, at),
            b'w' => www(text, next),
            _ => email(text, next, at),
        };
        match link {
            Some((range, target)) => {
                at = range.end;
                found.push((range, target));
            }
            None => at = next + 1,
        }
    }
    found
}

/// `https://…`, from the colon; `from` bounds how far back is looked.
fn url(text: &str, colon: usize, from: usize) -> Option<(Range<usize>, String)> {
    if !text[colon..].starts_with("://") {
        return None;
    }
    let scheme = ["https", "http", "ftp"].into_iter().find(|scheme| text[from..colon].ends_with(scheme))?;
    let start = colon - scheme.len();
    if !may_begin(text, start) {
        return None;
    }
    if !has_domain(&text[colon + 3..]) {
        return None;
    }
    let end = end_of(text, colon + 3);
    Some((start..end, text[start..end].to_owned()))
}

fn www(text: &str, start: usize) -> Option<(Range<usize>, String)> {
    if !text[start..].starts_with("www.") || !may_begin(text, start) || !has_domain(&text[start..]) {
        return None;
    }
    let end = end_of(text, start);
    Some((start..end, format!("http://{}", &text[start..end])))
}

fn email(text: &str, at: usize, from: usize) -> Option<(Range<usize>, String)> {
    let bytes = text.as_bytes();
    let local = bytes[from..at]
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b".-_+".contains(byte))
        .count();
    let domain = bytes[at + 1..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(byte))
        .count();
    let (start, end) = (at - local, at + 1 + domain);
    let end = start + text[start..end].trim_end_matches('.').len();
    let domain = text.get(at + 1..end)?;
    let good = local > 0 && domain.contains('.') && !domain.ends_with(['-', '_']);
    good.then(|| (start..end, format!("mailto:{}", &text[start..end])))
}

fn may_begin(text: &str, start: usize) -> bool {
    text[..start]
        .chars()
        .next_back()
        .is_none_or(|before| before.is_whitespace() || "*_~(\"'[".contains(before))
}

/// At least one dot, and no underscore in the last two labels.
fn has_domain(rest: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let length: usize =
        rest.chars().take(LONGEST_DOMAIN).take_while(|c| is_part(*c)).map(char::len_utf8).sum();
    let domain = rest[..length].trim_end_matches('.');
    let mut labels = domain.rsplit('.');
    let last_two = [labels.next(), labels.next()];
    last_two.iter().all(|label| label.is_some_and(|label| !label.is_empty() && !label.contains('_')))
}

/// Up to a space or `<`, without the punctuation and brackets that belong to the sentence.
fn end_of(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let mut end = rest.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(rest.len());
    // Counted once: a run of closing brackets must not be counted again for each.
    let count = |byte| rest[..end].bytes().filter(|here| *here == byte).count();
    let mut surplus = count(b')').saturating_sub(count(b'('));
    loop {
        let kept = &rest[..end];
        let shorter = match kept.as_bytes().last() {
            Some(b'?' | b'!' | b'.' | b',' | b':' | b'*' | b'_' | b'~' | b'"' | b'\'') => end - 1,
            Some(b')') if surplus > 0 => {
                surplus -= 1;
                end - 1
            }
            Some(b';') => entity(kept).unwrap_or(end),
            _ => end,
        };
        if shorter == end {
            return start + end;
        }
        end = shorter;
    }
}

/// Where `&name;` at the end begins.
fn entity(kept: &str) -> Option<usize> {
    let name = kept.len() - 1 - kept.bytes().rev().skip(1).take_while(u8::is_ascii_alphanumeric).count();
    (name > 0 && name < kept.len() - 1 && kept.as_bytes()[name - 1] == b'&').then(|| name - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let targets: Vec<String> = find(text).into_iter().map(|(_, target)| target).collect();
        assert_eq!(targets, expected, "{text}");
    }

    #[test]
    fn addresses_end_where_the_sentence_goes_on() {
        check("see https://a.example/b(c). And", &["https://a.example/b(c)"]);
        check("(see https://a.example/b)", &["https://a.example/b"]);
        check("www.a.example/x?y=1&amp;", &["http://www.a.example/x?y=1"]);
        check("write to me.too+x@b-c.example.", &["mailto:me.too+x@b-c.example"]);
        check("http://localhost and xhttps://a.example, 10:30", &[]);
        check("a@b_c.example_ www.", &[]);
    }
}
