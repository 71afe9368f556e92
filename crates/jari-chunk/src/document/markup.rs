//! Tags of HTML and JSX, and expressions in braces: where they end and what they say.

use std::ops::Range;

/// A tag.
pub(super) struct Tag<'t> {
    /// Empty for a fragment.
    pub(super) name: &'t str,
    pub(super) attributes: Vec<Attribute<'t>>,
    pub(super) closing: bool,
    pub(super) closed: bool,
    /// The byte after its `>`.
    pub(super) end: usize,
}

/// An attribute. A spread has no name.
pub(super) struct Attribute<'t> {
    pub(super) name: &'t str,
    pub(super) value: Value<'t>,
}

pub(super) enum Value<'t> {
    /// `a`
    Bare,
    /// `a="b"`, `a=b`
    Text(&'t str),
    /// `a={b}`
    Expression(&'t str),
}

impl Tag<'_> {
    /// The text of an attribute.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name)).and_then(
            |attribute| match attribute.value {
                Value::Text(text) => Some(text),
                Value::Bare | Value::Expression(_) => None,
            },
        )
    }
}

/// Why there is no tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoTag {
    /// `a < b`
    Comparison,
    /// Something else than a tag may hold.
    Malformed,
    /// The text ends first.
    Unclosed,
}

/// The tag that begins with the `<` at `start`.
pub(super) fn tag(text: &str, start: usize) -> Result<Tag<'_>, NoTag> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    match bytes.get(at) {
        None => return Err(NoTag::Comparison),
        Some(byte) if byte.is_ascii_whitespace() => return Err(NoTag::Comparison),
        _ => {}
    }
    let closing = bytes[at] == b'/';
    at += usize::from(closing);
    let name = word(text, at);
    let first = text[name.clone()].chars().next();
    if first.is_some_and(|first| !(first.is_alphabetic() || first == '_' || first == '$')) {
        return Err(NoTag::Malformed);
    }
    at = name.end;
    let mut attributes = Vec::new();
    loop {
        at = after_space(bytes, at);
        match bytes.get(at) {
            None => return Err(NoTag::Unclosed),
            Some(b'>') => {
                let name = &text[name];
                return Ok(Tag { name, attributes, closing, closed: false, end: at + 1 });
            }
            Some(b'/') if bytes.get(at + 1) == Some(&b'>') => {
                let name = &text[name];
                return Ok(Tag { name, attributes, closing, closed: true, end: at + 2 });
            }
            Some(b'{') => {
                let end = expression(text, at).ok_or(NoTag::Unclosed)?;
                attributes.push(Attribute { name: "", value: Value::Expression(&text[at + 1..end - 1]) });
                at = end;
            }
            Some(_) => {
                let (attribute, end) = attribute(text, at)?;
                attributes.push(attribute);
                at = end;
            }
        }
    }
}

fn attribute(text: &str, start: usize) -> Result<(Attribute<'_>, usize), NoTag> {
    let bytes = text.as_bytes();
    let name = word(text, start);
    if name.is_empty() {
        return Err(NoTag::Malformed);
    }
    let equals = after_space(bytes, name.end);
    let name = &text[name];
    if bytes.get(equals) != Some(&b'=') {
        return Ok((Attribute { name, value: Value::Bare }, start + name.len()));
    }
    let at = after_space(bytes, equals + 1);
    let (value, end) = match bytes.get(at) {
        None => return Err(NoTag::Unclosed),
        Some(quote @ (b'"' | b'\'')) => {
            let length = memchr::memchr(*quote, &bytes[at + 1..]).ok_or(NoTag::Unclosed)?;
            (Value::Text(&text[at + 1..at + 1 + length]), at + length + 2)
        }
        Some(b'{') => {
            let end = expression(text, at).ok_or(NoTag::Unclosed)?;
            (Value::Expression(&text[at + 1..end - 1]), end)
        }
        Some(_) => {
            let rest = &text[at..];
            let length =
                rest.find(|c: char| c.is_whitespace() || "\"'=<>`".contains(c)).unwrap_or(rest.len());
            if length == 0 {
                return Err(NoTag::Malformed);
            }
            (Value::Text(&rest[..length]), at + length)
        }
    };
    Ok((Attribute { name, value }, end))
}

/// A name of a tag or attribute: `a`, `A.b`, `xlink:href`, `data-x`, `@click`.
fn word(text: &str, start: usize) -> Range<usize> {
    let is_part = |c: char| c.is_alphanumeric() || "_$.:-@".contains(c);
    let length = text[start..].find(|c: char| !is_part(c)).unwrap_or(text.len() - start);
    start..start + length
}

fn after_space(bytes: &[u8], start: usize) -> usize {
    start + bytes[start.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The byte after the `}` that closes the `{` at `start`. Strings, templates and comments may hold braces.
pub(super) fn expression(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    // What closes each level: `}` of a brace, '`' of a template around it.
    let mut open = vec![b'}'];
    let mut at = start + 1;
    while at < bytes.len() {
        let inside_template = open.last() == Some(&b'`');
        match bytes[at] {
            b'\\' => at += 1,
            b'`' if inside_template => drop(open.pop()),
            b'$' if inside_template && bytes.get(at + 1) == Some(&b'{') => {
                open.push(b'}');
                at += 1;
            }
            _ if inside_template => {}
            b'`' => open.push(b'`'),
            b'{' => open.push(b'}'),
            b'}' => {
                open.pop();
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            quote @ (b'"' | b'\'') => at = string_end(bytes, at, quote),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at += 3 + memchr::memmem::find(&bytes[at + 2..], b"*/")?;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += memchr::memchr(b'\n', &bytes[at..])?;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The closing quote, or where it stands if the line ends first: an apostrophe is no string.
fn string_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_end_after_their_last_attribute() {
        let check = |text: &str, name: &str, rest: &str| {
            let tag = tag(text, 0).unwrap_or_else(|_| panic!("{text}"));
            assert_eq!((tag.name, &text[tag.end..]), (name, rest));
        };
        check("<a href='x>y'>z", "a", "z");
        check("<Tabs.Item value={a > b ? '}' : `${'}'}`} {...rest} />!", "Tabs.Item", "!");
        check("</b>", "b", "");
        check("<>x</>", "", "x</>");
        check("<input disabled\n  type=text>\n", "input", "\n");
        assert_eq!(tag("<a b=\"", 0).err(), Some(NoTag::Unclosed));
        assert_eq!(tag("< b", 0).err(), Some(NoTag::Comparison));
        assert_eq!(tag("<3 you>", 0).err(), Some(NoTag::Malformed));
    }

    #[test]
    fn braces_in_strings_templates_and_comments_do_not_count() {
        let check = |text: &str, end: Option<usize>| assert_eq!(expression(text, 0), end, "{text}");
        check("{a}b", Some(3));
        check("{'}'}", Some(5));
        check("{`}${`}`}`}", Some(11));
        check("{/* } */}", Some(9));
        check("{don't}", Some(7));
        check("{a", None);
    }
}
