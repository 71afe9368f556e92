//! Keys, tokens and passwords that stand in files of other things. They are masked where text enters the program, so that no index,
//! no answer and no model ever holds them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Changes whenever other things count as secrets than before.
pub const MASK_VERSION: u32 = 3;

/// What stands in the place of a secret. Surfaces count it to say how many there were.
pub const MASK: &str = "[masked secret]";

/// Secrets that say by their form what they are; where a group matches, only that is one. Services choose these beginnings so that
/// leaks can be found. All of them are ASCII, and so are the borders of their words: a letter of another script ends one.
const FORMS: &[&str] = &[
    r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    r"\bgh[pousr]_[A-Za-z0-9]{36,}",
    r"\bgithub_pat_[A-Za-z0-9_]{22,}",
    r"\bgl(?:agent|dt|pat|ptt|rt|soat)-[A-Za-z0-9_.-]{20,}",
    r"\b(?:xox[abcdeoprs]|xapp)-[A-Za-z0-9-]{10,}",
    r"\bsk-(?:[A-Za-z0-9]{32,}|(?:admin|ant|or|proj|svcacct)-[A-Za-z0-9_-]{20,})",
    r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    r"\bAIza[0-9A-Za-z_-]{35}",
    r"\bya29\.[0-9A-Za-z_-]{20,}",
    r"\bnpm_[A-Za-z0-9]{36}\b",
    r"\bpypi-[A-Za-z0-9_-]{40,}",
    r"\bhf_[A-Za-z0-9]{30,}\b",
    r"\bdo[opr]_v1_[a-f0-9]{64}\b",
    r"\bGOCSPX-[A-Za-z0-9_-]{20,}",
    r"\bhv[bs]\.[A-Za-z0-9_-]{24,}",
    r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b",
    r"\b(?:dckr_pat|figd|glsa|gsk|lin_api|ntn|rubygems|sb_secret|sbp|sntry[su]|whsec)_[A-Za-z0-9_+/=-]{24,}",
    r"\b(?:NRAK|PMAK|pplx|tskey-(?:api|auth)|xai)-[A-Za-z0-9-]{24,}",
    r"\bdapi[a-f0-9]{32}\b",
    r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}",
    r"\bAccountKey=([A-Za-z0-9+/]{60,}={0,2})",
    r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b",
    r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    r"https://hooks\.slack\.com/services/(T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]+)",
    // The password of an address; names in brackets and the like are stand-ins.
    r#"://[[!-~]--[:/@"'<>{}$%*]]+:([[!-~]--[:/@"'<>{}$%*]]{6,})@"#,
];

/// A name that says secret, and a text that is given to it: in quotes, or, as in YAML, the rest of the line. It must look random, too.
const GIVEN: &str = r#"(?i:api_?-?key|secret|token|passwo?r?d|private_?-?key|access_?-?key)[\w-]*["']?\s*(?::=|=>|[=:])\s*(?:["']([A-Za-z0-9+/=_.~-]{20,})["']|([A-Za-z0-9+/=_~-]{20,})[ \t\r]*(?m:$))"#;

static KNOWN: LazyLock<Regex> = LazyLock::new(|| ascii(&FORMS.join("|")));
static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| ascii(GIVEN));

fn ascii(form: &str) -> Regex {
    Regex::new(&format!("(?-u){form}")).expect("the forms are right")
}

/// `text` without its secrets. Lines stay lines.
pub fn masked(text: &str) -> Cow<'_, str> {
    let mut secrets = key_blocks(text);
    for found in KNOWN.captures_iter(text) {
        let whole = found.get(0).expect("a match has a place");
        let inner = found.iter().skip(1).flatten().next();
        secrets.push(inner.unwrap_or(whole).range());
    }
    for found in ASSIGNED.captures_iter(text) {
        let value = found.get(1).or_else(|| found.get(2));
        secrets.extend(value.filter(|value| looks_random(value.as_str())).map(|value| value.range()));
    }
    if secrets.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(without(text, secrets)) }
}

/// `text` with a mask for each of these ranges; of those that overlap, the first counts.
fn without(text: &str, mut secrets: Vec<Range<usize>>) -> String {
    secrets.sort_unstable_by_key(|range| (range.start, range.end));
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for range in secrets {
        if range.start >= at {
            out.push_str(&text[at..range.start]);
            out.push_str(MASK);
        }
        at = at.max(range.end);
    }
    out + &text[at..]
}

/// The lines between the first and the last of a private key, each for itself.
fn key_blocks(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut from = 0;
    while let Some(begin) = memchr::memmem::find(&text.as_bytes()[from..], b"PRIVATE KEY") {
        let begin = from + begin;
        from = begin + 1;
        let first = text[..begin].rfind('\n').map_or(0, |line| line + 1);
        if !text[first..begin].contains("-----BEGIN ") {
            continue;
        }
        let head = begin + text[begin..].find("-----").map_or(0, |dashes| dashes + 5);
        let end = text[head..].find("-----END").map_or(text.len(), |end| head + end);
        let mut at = head;
        for line in text[head..end].split_inclusive('\n') {
            let inner = line.trim_matches(|c: char| c.is_whitespace() || "\"'`+,;\\".contains(c));
            if !inner.is_empty() {
                let start = at + (inner.as_ptr() as usize - line.as_ptr() as usize);
                lines.push(start..start + inner.len());
            }
            at += line.len();
        }
        from = end.max(from);
    }
    lines
}

/// Whether nobody would write this by hand: both cases and figures, or a long number in hexadecimal.
fn looks_random(value: &str) -> bool {
    let count = |is: fn(&u8) -> bool| value.bytes().filter(is).count();
    let figures = count(u8::is_ascii_digit);
    let hexadecimal = value.len() >= 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mixed = count(u8::is_ascii_uppercase) >= 2 && count(u8::is_ascii_lowercase) >= 2;
    figures >= 3 && (hexadecimal || mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line is a secret between bars, so that no scanner of leaks takes this file for one.
    fn check(before: &str, secret: &str, after: &str) {
        let secret = secret.replace('|', "");
        let text = format!("{before}{secret}{after}");
        assert_eq!(masked(&text), format!("{before}{MASK}{after}"));
    }

    #[test]
    fn keys_of_services_are_masked() {
        check("key = \"", "AKIA|IOSFODNN7ABCDEFG", "\"");
        check("", "ghp|_abcdefghijklmnopqrstuvwxyz0123456789", " // old");
        check("export GITHUB=", "github|_pat_11ABCDEFG0abcdefghijkl_mnop", "\n");
        check("", "glpat|-abcdefghij0123456789", "");
        check("slack: ", "xoxb|-123456789012-abcdefGHIJKL", "\n");
        check("k='", "sk|-proj-abcdefghijklmnopqrst_UVWX", "'");
        check("", "sk_|live_abcdefghijklmnop0123", "");
        check("", "AIza|SyA0123456789abcdefghijklmnopqrstuv", "");
        check("Bearer ", "eyJ|hbGciOiJIUzI1NiJ9.eyJ|zdWIiOiIxMjM0In0.abcdefghijklmnop", "\n");
        check("https://hooks.slack.com/services/", "T000AAAA/B000BBBB/abcdefABCDEF", "");
    }

    #[test]
    fn keys_of_younger_services_are_masked() {
        check("", "glrt|-abcdefghij0123456789.01.xy", "\n");
        check("", "xapp|-1-A0123456789-0123456789012-abcdef", "");
        check("key: ", "sk|-or-v1-0123456789abcdef0123456789abcdef", "");
        check("", "GOCSPX|-abcdefghijKLMNOP_0123456789", "");
        check("VAULT=", "hvs|.CAESIabcdefghijklmnopqrstuvwxyz", "");
        check("", "shpat|_0123456789abcdef0123456789ABCDEF", "");
        check("", "gsk|_abcdefghijKLMNOPQRST0123456789", "");
        check("docker login -p ", "dckr|_pat_abcdefghijklmnopqrstuvwxyz0", " x");
        check("", "xai|-abcdefghijklmnopqrstuvwxyz0123", "");
        check("", "dapi|0123456789abcdef0123456789abcdef", "");
        check("AccountName=a;AccountKey=", &"Ab1|+".repeat(22), ";EndpointSuffix=x");
        check("bot ", "123456789:AA|abcdefghijklmnopqrstuvwxyz_012345", "");
        for harmless in ["glpattern-matching", "figd_", "12345678:AA", "AccountKey=$KEY", "xai-short"] {
            assert_eq!(masked(harmless), harmless);
        }
    }

    #[test]
    fn letters_of_another_script_do_not_hide_a_key() {
        check("키는", "AKIA|IOSFODNN7ABCDEFG", "입니다");
        check("주소 postgres://app:", "hunter2hunter2", "@db.example/앱");
    }

    #[test]
    fn only_the_password_of_an_address_is_masked() {
        check("postgres://app:", "hunter2hunter2", "@db.example/app");
        assert_eq!(masked("postgres://app:${PASSWORD}@db/app"), "postgres://app:${PASSWORD}@db/app");
        assert_eq!(masked("see https://a.example:8080/@x"), "see https://a.example:8080/@x");
    }

    #[test]
    fn random_texts_given_to_secret_names_are_masked() {
        check("API_KEY = \"", "f3A9|kQ27LmZx81PdWv5T", "\"");
        check("client_secret: '", "0123456789abcdef|0123456789abcdef", "'");
        check("api_key: ", "f3A9|kQ27LmZx81PdWv5T", "\nnext: 1\n");
        check("export SERVICE_TOKEN=", "f3A9|kQ27LmZx81PdWv5T", "  \r\n");
        for harmless in [
            "token = \"django.contrib.auth.tokens\"",
            "password = \"correct horse battery staple\"",
            "secret_name = \"projects/example/settings-file\"",
            "hash = \"0123456789abcdef0123456789abcdef01234567\"",
            "let token = parser.next_token_of_kind(Kind::Identifier3);",
            "token: typing.Optional[AccessToken1Of2Kinds3] = None",
            "access_key = derive_access_key_from_password",
            "secret = vault.read(Path2Of3Secrets4InVault)",
        ] {
            assert_eq!(masked(harmless), harmless);
        }
    }

    #[test]
    fn a_private_key_loses_its_lines_and_keeps_their_number() {
        let block = [
            "-----BEGIN RSA PRIVATE",
            " KEY-----\nMIIEpAIBAAKCAQEA1\nabcdef==\n-----END RSA PRIVATE",
            " KEY-----\n",
        ]
        .concat();
        let text = format!("let key = \"\\\n{block}\";\nfn after() {{}}\n");
        let hidden = masked(&text);
        assert_eq!(hidden.lines().count(), text.lines().count());
        assert!(!hidden.contains("MIIE") && !hidden.contains("abcdef"), "{hidden}");
        assert!(hidden.contains("-----BEGIN RSA PRIVATE") && hidden.contains("fn after() {}"), "{hidden}");
        // One that never ends, and words about keys.
        let open = ["-----BEGIN PRIVATE", " KEY-----\nMIIEvQIBADANBg\n"].concat();
        assert!(!masked(&open).contains("MIIE"));
        let words = "Put the PRIVATE KEY into the vault.\nThen go on.\n";
        assert_eq!(masked(words), words);
    }

    #[test]
    fn plain_text_is_not_copied() {
        assert!(matches!(masked("fn main() {}\n"), Cow::Borrowed(_)));
    }
}
