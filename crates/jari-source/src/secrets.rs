//! Keys, tokens and passwords that stand in files of other things. They are masked where text enters the program, so that no index,
//! no answer and no model ever holds them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Changes whenever other things count as secrets than before.
pub const MASK_VERSION: u32 = 4;

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
];

/// The password of an address. Who it belongs to may be left out, as Redis does.
const ADDRESS: &str = r#"://[[!-~]--[:/@"'<>`]]*:([[!-~]--[:/@"'<>{}`]]{6,})@"#;

/// What a request says who it is with.
const BEARER: &str = r"\b(?i:bearer)[ \t]+([A-Za-z0-9+/=_.~-]{20,})";

/// A name that says secret.
const NAME: &str = "(?i:api_?-?key|secret|token|passwo?r?d|private_?-?key|access_?-?key)";

/// What follows such a name and is given to it: a text in quotes; or, as in YAML, the rest of the line but for a comment; or, with
/// nothing around the `=`, a word of a command line.
const VALUE: &str = r#"[\w-]*["']?\s*(?::=|=>|[=:])\s*(?:["']([A-Za-z0-9+/=_.~-]{20,})["']|([A-Za-z0-9+/=_~-]{20,})(?:[ \t\r]*(?m:$)|[ \t]+(?:\#|//)))"#;
const WORD: &str = r#"[\w-]*=([A-Za-z0-9+/=_~-]{20,})(?:[\s;&|"'`])"#;

/// The same in an address, behind its `?`.
const QUERY: &str = r"[?&][\w-]*";
const QUERY_VALUE: &str = r"[\w-]*=([A-Za-z0-9+/_.~%-]{20,})";

/// The secret half of a key of AWS: it is always forty characters, so it need not look random.
const AWS: &str = r#"(?i:aws_?-?secret|secret_?-?access_?-?key)[\w-]*["']?\s*(?::=|=>|[=:])\s*["']?([A-Za-z0-9+/]{40})(?u:[^A-Za-z0-9+/=]|$)"#;

/// The first and the last line of what is kept in base64 letters.
const MARKER: &str = r"-----(BEGIN|END) ([A-Z0-9 ]{1,60})-----";

/// Lines of keys are of 64 letters or a few more; the last may be short. Words of programs are seldom as long as this.
const KEY_RUN: usize = 16;

/// How the letters of keys begin: DER as numbers of some length, OpenSSH's magic word.
const KEY_BEGINNINGS: &[&str] = &["MC", "MG", "MH", "MI", "b3Bl"];

/// What may stand between the first line of a key and its letters.
const KEY_HEADINGS: &[&str] = &["Proc-Type:", "DEK-Info:", "Version:", "Comment:"];

/// What strings, comments, quotes and differences put around a line.
const AROUND_LINE: &[char] =
    &[' ', '\t', '"', '\'', '`', '+', '-', ',', ';', '.', '(', ')', '[', ']', '{', '}', '|', '>', '#', '*'];

/// Words that stand in manuals where a password or credential would.
const STAND_INS: &[&str] = &["changeme", "example", "passwd", "password", "secret", "token", "xxxx", "your"];

static MARKERS: LazyLock<Regex> = LazyLock::new(|| ascii(MARKER));
static KNOWN: LazyLock<Regex> = LazyLock::new(|| ascii(&FORMS.join("|")));
static ADDRESSES: LazyLock<Regex> = LazyLock::new(|| ascii(ADDRESS));
static BEARERS: LazyLock<Regex> = LazyLock::new(|| ascii(BEARER));
static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| ascii(&format!("{NAME}{VALUE}")));
static WORDS: LazyLock<Regex> = LazyLock::new(|| ascii(&format!("{NAME}{WORD}")));
static QUERIES: LazyLock<Regex> = LazyLock::new(|| ascii(&format!("{QUERY}{NAME}{QUERY_VALUE}")));
static AWS_SECRETS: LazyLock<Regex> = LazyLock::new(|| ascii(AWS));

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
    for (form, is_one) in [
        (&ADDRESSES, is_password as fn(&str) -> bool),
        (&BEARERS, is_credential),
        (&ASSIGNED, looks_random),
        (&WORDS, looks_random),
        (&QUERIES, looks_random),
        (&AWS_SECRETS, is_mixed),
    ] {
        for found in form.captures_iter(text) {
            let value = found.iter().skip(1).flatten().next().expect("every form has a group");
            if is_one(value.as_str()) {
                secrets.push(value.range());
            }
        }
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

/// What stands between the first and the last line of private keys, each line for itself. Where the last line is missing, what looks
/// like a key behind the first: programs and manuals name that line, too, and go on.
fn key_blocks(text: &str) -> Vec<Range<usize>> {
    let mut markers = MARKERS.captures_iter(text).peekable();
    let mut lines = Vec::new();
    while let Some(marker) = markers.next() {
        if !is_of_private_key(&marker, "BEGIN") {
            continue;
        }
        let head = marker.get(0).expect("a match has a place").end();
        let end = markers.peek().map_or(text.len(), |next| next.get(0).expect("a match has a place").start());
        let is_closed = markers.peek().is_some_and(|next| is_of_private_key(next, "END"));
        if is_closed && is_key_material(&text[head..end]) {
            lines.extend(inner_lines(text, head..end).filter(|line| !line.is_empty()));
        } else {
            lines.extend(open_key(text, head..end));
        }
    }
    lines
}

fn is_of_private_key(marker: &Captures<'_>, side: &str) -> bool {
    &marker[1] == side && marker[2].contains("PRIVATE KEY")
}

/// The lines of `range` without what strings, comments and quotes put around them.
fn inner_lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    text[range.clone()].split_inclusive('\n').scan(range.start, |at, line| {
        let inner = line.trim_matches(|c: char| c.is_whitespace() || "\"'`+,;\\".contains(c));
        let start = *at + (inner.as_ptr() as usize - line.as_ptr() as usize);
        *at += line.len();
        Some(start..start + inner.len())
    })
}

/// Whether what stands between the first and the last line is a key: long runs of its letters, or such lines and nothing else.
fn is_key_material(between: &str) -> bool {
    let runs: usize = between.split(|c| !is_key_letter(c)).map(str::len).filter(|run| *run >= KEY_RUN).sum();
    let written = between.chars().filter(|c| !c.is_whitespace()).count();
    if runs * 2 >= written && runs > 0 {
        return true;
    }
    let mut lines = inner_lines(between, 0..between.len()).map(|line| &between[line]);
    let mut pure = lines.by_ref().filter(|line| !line.is_empty()).peekable();
    between.contains('\n')
        && pure.peek().is_some()
        && pure.all(|line| {
            line.chars().all(is_key_letter)
                && line.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        })
}

/// The lines directly behind the first line of a key that look like one.
fn open_key(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut longest = 0;
    for (number, line) in text[range].lines().enumerate() {
        let line = bare(line);
        let key = line.split(|c| !is_key_letter(c) && c != '\\').next().unwrap_or_default();
        let is_last = !bare(&line[key.len()..]).is_empty();
        let pieces = || key.split("\\n").map(|piece| piece.trim_end_matches("\\r"));
        let length = pieces().map(str::len).max().unwrap_or(0);
        let is_behind_one = longest > 0 && length <= longest && !is_last;
        if line.is_empty() {
            // Headings end with an empty line; a key has none inside.
            if longest > 0 {
                break;
            }
        } else if is_behind_one || pieces().any(is_encoded) {
            let start = key.as_ptr() as usize - text.as_ptr() as usize;
            lines.push(start..start + key.len());
            // Only the last line of a key is shorter than the others.
            if is_last || length < longest {
                break;
            }
            longest = length;
        } else if number == 0 || !KEY_HEADINGS.iter().any(|heading| line.starts_with(heading)) {
            break;
        }
    }
    lines
}

/// A line without what strings, comments, quotes and differences put around it.
fn bare(line: &str) -> &str {
    let mut rest = line;
    loop {
        let mut next =
            rest.trim_start_matches(AROUND_LINE).trim_end_matches(AROUND_LINE).trim_end_matches('\\');
        next = next.strip_prefix("// ").unwrap_or(next);
        for escaped in ["\\n", "\\r"] {
            next = next.strip_prefix(escaped).unwrap_or(next);
            next = next.strip_suffix(escaped).unwrap_or(next);
        }
        if next.len() == rest.len() {
            return rest;
        }
        rest = next;
    }
}

/// Whether a line can only be of a key: it begins as keys do, or is long and of all kinds of letters.
fn is_encoded(line: &str) -> bool {
    let begins = KEY_BEGINNINGS.iter().any(|begin| line.starts_with(begin)) && line.len() >= 8;
    let is_long = line.len() >= 40 || line.len() >= KEY_RUN && line.bytes().any(|byte| byte.is_ascii_digit());
    line.chars().all(is_key_letter) && (begins || is_long && is_mixed(line))
}

fn is_key_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}

/// Whether the password of an address is one: not a name for what is to be put there, and not the word itself.
fn is_password(value: &str) -> bool {
    let name = value.strip_prefix('$').unwrap_or(value);
    let is_variable =
        name.len() < value.len() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_constant = value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let is_inserted = ["$(", "%(", "\\(", "(", "[", "&lt;"].iter().any(|open| value.starts_with(open))
        || value.starts_with('%') && value.ends_with('%');
    let is_starred = !value.bytes().any(|byte| byte.is_ascii_alphanumeric());
    !(is_variable || is_constant || is_inserted || is_starred || is_stand_in(value))
}

/// Whether what stands behind `Bearer` is a credential: letters and figures, and not words for one.
fn is_credential(value: &str) -> bool {
    let figures = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let lower = value.to_ascii_lowercase();
    figures >= 2 && letters >= 2 && !STAND_INS.iter().any(|word| lower.contains(word))
}

/// Whether a value is what manuals write in the place of one.
fn is_stand_in(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_repeated = lower.bytes().all(|byte| byte == lower.as_bytes()[0]);
    is_repeated || lower.starts_with("your") || STAND_INS.contains(&lower.as_str())
}

/// Whether nobody would write this by hand: both cases and figures, or a long number in hexadecimal.
fn looks_random(value: &str) -> bool {
    let figures = value.bytes().filter(u8::is_ascii_digit).count();
    let hexadecimal = value.len() >= 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    figures >= 3 && (hexadecimal || is_mixed(value))
}

fn is_mixed(value: &str) -> bool {
    let count = |is: fn(&u8) -> bool| value.bytes().filter(is).count();
    count(u8::is_ascii_uppercase) >= 2 && count(u8::is_ascii_lowercase) >= 2
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

    /// The first or the last line of a key, as a program names it.
    fn marker(side: &str) -> String {
        format!("-----{side} PRIVATE{}-----", " KEY")
    }

    #[test]
    fn a_mention_of_a_keys_first_line_masks_nothing_behind_it() {
        let (begin, end) = (marker("BEGIN"), marker("END"));
        for text in [
            format!("PEM_HEADER = \"{begin}\"\n\ndef rotate_zebra_keys():\n    pass\n"),
            format!("FIRST = \"{begin}\"\nLAST = \"{end}\"\nfn after() {{}}\n"),
            format!("pem = \"{begin}\\n\" + body + \"\\n{end}\\n\"\nfn after() {{}}\n"),
            format!("The file begins with `{begin}` and\nends with `{end}`.\n\n## Next\n"),
            format!("```\n{begin}\n...\n```\n\n# Next\n"),
            format!("{begin}\n${{KEY}}\n{end}\n"),
        ] {
            assert_eq!(masked(&text), text);
        }
    }

    #[test]
    fn a_key_on_one_line_ends_where_it_ends() {
        let (begin, end) = (marker("BEGIN"), marker("END"));
        let (one, two) = (format!("key = \"{begin}"), format!("{end}\\n\"\ndef after(): pass\n"));
        let hidden = masked(&format!("{one}\\nMIIEpAIBAAKCAQEA1\\nabcdef==\\n{two}")).into_owned();
        assert!(!hidden.contains("MIIE") && !hidden.contains("abcdef"), "{hidden}");
        assert!(hidden.ends_with(&two), "{hidden}");
    }

    #[test]
    fn a_key_without_an_end_is_masked_as_far_as_it_looks_like_one() {
        let line = "MIIEpAIBAAKCAQEA1c7dQ2bYw0xG5hJk3l4m5n6o7p8q9r0s1t2u3v4w5x6y7z8A";
        let lines = [line, "b9C0d1E2f3G4h5I6j7K8l9M0n1O2p3Q4r5S6t7U8v9W0x1Y2z3a4B5c6D7e8F9g0", "h1I2j3=="];
        for (before, break_, after) in [
            ("", "\n", "\ndef after(): pass\n"),
            ("    ", "\n    ", "\n\nafter: 1\n"),
            ("key = \"", "\\n\" \\\n      \"", "\\n\"\ndef after(): pass\n"),
            ("  \"", "\\n\" +\n  \"", "\\n\";\nint after;\n"),
            ("{\"key\": \"", "\\n", "\", \"after\": 1}\n"),
            ("// ", "\n// ", "\nint after;\n"),
            ("", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n", "\nafter\n"),
        ] {
            let text = format!("{before}{}{break_}{}{after}", marker("BEGIN"), lines.join(break_));
            let hidden = masked(&text).into_owned();
            if !break_.contains("Proc") {
                assert!(lines.iter().all(|line| !hidden.contains(line)), "{hidden}");
            }
            assert!(!hidden.contains(line) && hidden.contains("after"), "{hidden}");
            assert_eq!(hidden.lines().count(), text.lines().count());
        }
    }

    #[test]
    fn passwords_of_addresses_may_have_any_sign_and_no_user() {
        check("redis://:", "S3cr3tP4|ss2long", "@cache");
        check("postgres://admin:", "p%40ss|W0rd123", "@db");
        check("postgres://admin:", "Pa$$|w0rd123", "@db/app");
        check("postgres://${USER}:", "hunter2|hunter2", "@db/app");
        for harmless in [
            "postgres://app:$PASSWORD@db",
            "postgres://app:$(cat pass)@db",
            "postgres://app:%(password)s@db",
            "postgres://app:%DB_PASSWORD%@db",
            "postgres://{user}:{password}@{host}",
            "postgres://app:<password>@db",
            "postgres://user:password@host",
            "postgres://user:your-password@host",
            "postgres://app:DB_PASSWORD@db",
            "postgres://app:xxxxxxxx@db",
            "postgres://app:********@db",
            "https://([^:]+):([^@]+)@",
        ] {
            assert_eq!(masked(harmless), harmless);
        }
    }

    #[test]
    fn what_bears_a_request_is_masked() {
        check("Authorization: Bearer ", "abcdefghij|klmnopqr0123", "\n");
        check("-H 'authorization: bearer ", "f3A9kQ27|LmZx81PdWv5T", "'");
        for harmless in [
            "Authorization: Bearer ${TOKEN}",
            "Authorization: Bearer <token>",
            "Authorization: Bearer your-access-token-0123456",
            "Authorization: Bearer xxxxxxxxxxxxxxxxxxxx12345",
            "bearer internationalization-of-messages",
        ] {
            assert_eq!(masked(harmless), harmless);
        }
    }

    #[test]
    fn random_texts_in_commands_and_addresses_are_masked() {
        check("export API_TOKEN=", "f3A9|kQ27LmZx81PdWv5T", " # for ci\n");
        check("api_key: ", "f3A9|kQ27LmZx81PdWv5T", " # for ci\n");
        check("docker run -e API_KEY=", "f3A9|kQ27LmZx81PdWv5T", " image");
        check("curl \"https://a.example/x?token=", "f3A9|kQ27LmZx81PdWv5T", "&x=1\"");
        check("[a](https://a.example/?x=1&access_token=", "f3A9|kQ27LmZx81PdWv5T", ")");
        for harmless in [
            "docker run -e API_KEY=$API_KEY image",
            "docker run -e API_KEY=your-api-key-goes-in-here image",
            "https://a.example/?token=${TOKEN}&x=1",
            "f(token=AccessToken1Of2Kinds3, other=1)",
            "token = AccessToken1Of2Kinds3 if x else y",
        ] {
            assert_eq!(masked(harmless), harmless);
        }
    }

    #[test]
    fn a_secret_of_aws_need_not_look_random() {
        let secret = "wJalrXUtnFEMI/K7MDENG|/bPxRfiCYEXAMPLEKEY";
        check("aws_secret_access_key = ", secret, "\n");
        check("\"SecretAccessKey\": \"", secret, "\",");
        check("AWS_SECRET_ACCESS_KEY='", secret, "'");
        let harmless = "secret_access_key = read_it_from_the_vault_of_this_machine()";
        assert_eq!(masked(harmless), harmless);
    }

    #[test]
    fn plain_text_is_not_copied() {
        assert!(matches!(masked("fn main() {}\n"), Cow::Borrowed(_)));
    }
}
