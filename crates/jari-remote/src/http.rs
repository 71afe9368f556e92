//! One request, one answer, and what went wrong in words that help. No key is ever part of them.

use std::time::Duration;

use jari_embed::{Remedy, Trouble};
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::Agent;
use ureq::http::{HeaderMap, Response};

/// An answer may be this long: 2,048 vectors of 4,096 elements, written out.
const LONGEST_ANSWER: u64 = 128 << 20;

/// What is shown of a refusal's own words.
const LONGEST_MESSAGE: usize = 200;

/// How those say it who read less at once.
const TOO_LARGE: &[&str] = &[
    "context length",
    "context size",
    "too long",
    "too large",
    "too many tokens",
    "too many inputs",
    "maximum input",
    "maximum number of tokens",
    "batch size",
    "max_batch",
    "input length exceeds",
    "exceeds the maximum length",
];

/// Shorter parts of a key are words of the language, too.
const TELLING: usize = 6;

/// A place that answers.
#[derive(Clone)]
pub struct Endpoint {
    name: String,
    base: String,
    host: String,
    key: Option<Key>,
    agent: Agent,
}

/// A secret, and where it came from.
#[derive(Clone)]
struct Key {
    variable: String,
    secret: String,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}", self.name, self.host)
    }
}

impl Endpoint {
    /// A place by its address, and the variable that holds its key. Without the variable it is asked without a key.
    pub fn new(name: &str, base: &str, variable: Option<&str>) -> Result<Self, Trouble> {
        let base = base.trim_end_matches('/');
        let shown = base.rsplit_once('@').map_or(base.to_owned(), |(_, place)| format!("…@{place}"));
        let wrong = || {
            Trouble::lasting(
                format!("`{shown}` is no address to ask"),
                "an address begins with http:// or https://, like http://localhost:8080/v1, and has neither a key nor a question mark \
                 in it; a key stands in the variable that `api_key_env` names",
            )
        };
        let uri: ureq::http::Uri = base.parse().map_err(|_| wrong())?;
        if !matches!(uri.scheme_str(), Some("http" | "https"))
            || uri.authority().is_none_or(|all| all.as_str().contains('@'))
            || base.contains(['?', '#'])
        {
            return Err(wrong());
        }
        let host = uri.authority().map(|authority| authority.to_string()).unwrap_or_default();
        let key = variable.and_then(|variable| {
            let secret = std::env::var(variable).ok().map(|secret| secret.trim().to_owned());
            Some(Key { variable: variable.to_owned(), secret: secret.filter(|secret| !secret.is_empty())? })
        });
        // Statuses are judged below; a redirect could carry texts to where the user did not send them.
        let mut config = Agent::config_builder().http_status_as_error(false).max_redirects(0);
        if is_home(uri.host().unwrap_or_default()) {
            // A proxy would look for this machine on its own.
            config = config.proxy(None);
        }
        let config = config.build();
        Ok(Self { name: name.to_owned(), base: base.to_owned(), host, key, agent: config.into() })
    }

    /// Tells servers apart that may give the same name to different models; 0 for the one that everybody means.
    pub(crate) fn fingerprint(&self) -> u64 {
        let known = ["https://api.openai.com/v1", "https://api.voyageai.com/v1", "http://localhost:11434"];
        if known.contains(&&*self.base) { 0 } else { jari_base::fingerprint(self.base.as_bytes()) }
    }

    /// Where texts are sent.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Asks, and reads the answer, all within `timeout`.
    pub(crate) fn post<A: DeserializeOwned>(
        &self,
        path: &str,
        question: &impl Serialize,
        timeout: Duration,
    ) -> Result<A, Trouble> {
        let body = serde_json::to_vec(question).expect("a question is plain data");
        let mut request = self
            .agent
            .post(format!("{}{path}", self.base))
            .config()
            .timeout_global(Some(timeout.max(Duration::from_millis(1))))
            .build()
            .header("content-type", "application/json")
            .header("user-agent", concat!("jari/", env!("CARGO_PKG_VERSION")));
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {}", key.secret));
        }
        let response = request.send(&body[..]).map_err(|error| self.unreachable(&error))?;
        let status = response.status().as_u16();
        let wait = retry_after(response.headers());
        let text = self.read(response)?;
        if (200..300).contains(&status) {
            return serde_json::from_slice(&text).map_err(|error| {
                let body = String::from_utf8_lossy(&text);
                let refused = serde_json::from_str::<serde_json::Value>(&body);
                let why = match refused.is_ok_and(|body| body.get("error").is_some()) {
                    true => words_of(&body),
                    false => error.to_string(),
                };
                Trouble::passing(format!(
                    "{} answered with what is no answer: {}",
                    self.said(),
                    self.clean(&why)
                ))
            });
        }
        Err(self.refusal(status, wait, &String::from_utf8_lossy(&text)))
    }

    fn read(&self, mut response: Response<ureq::Body>) -> Result<Vec<u8>, Trouble> {
        let body = response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec();
        body.map_err(|error| {
            Trouble::passing(format!(
                "the answer of {} broke off: {}",
                self.said(),
                self.clean(&error.to_string())
            ))
        })
    }

    fn unreachable(&self, error: &ureq::Error) -> Trouble {
        let trouble = Trouble::passing(format!(
            "{} cannot be reached: {}",
            self.said(),
            self.clean(&error.to_string())
        ));
        let hint = match error {
            ureq::Error::ConnectionFailed | ureq::Error::Io(_) => "is it running, and is its address right?",
            ureq::Error::HostNotFound => "is its address right, and is this machine online?",
            _ => return trouble,
        };
        Trouble { hint: Some(hint.to_owned()), ..trouble }
    }

    /// What a status means, and what helps.
    fn refusal(&self, status: u16, wait: Option<Duration>, body: &str) -> Trouble {
        let words = self.clean(&words_of(body));
        let message = match words.is_empty() {
            true => format!("{} refused with status {status}", self.said()),
            false => format!("{} refused with status {status}: {words}", self.said()),
        };
        let lowered = words.to_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| lowered.contains(part));
        let key = match &self.key {
            Some(key) => format!("check the key in {}", key.variable),
            None => "it wants a key: name the variable that holds it in the settings".to_owned(),
        };
        match status {
            401 | 403 => Trouble::lasting(message, key),
            402 => Trouble::lasting(message, "the account has nothing left"),
            429 if has(&["insufficient_quota", "exceeded your current quota", "billing"]) => {
                Trouble::lasting(message, "the account has nothing left")
            }
            404 | 405 => Trouble::lasting(message, "check the name of the model and the address"),
            413 => Trouble { remedy: Remedy::Less, ..Trouble::passing(message) },
            // llama.cpp says it with 500.
            400 | 422 | 500 if has(TOO_LARGE) => {
                Trouble { remedy: Remedy::Less, ..Trouble::passing(message) }
            }
            408 | 409 | 425 | 429 | 500..=599 => {
                Trouble { remedy: Remedy::Retry(wait), ..Trouble::passing(message) }
            }
            300..=399 => {
                Trouble::lasting(message, "it sends questions elsewhere: give the address it points to")
            }
            _ => Trouble::lasting(message, "check the name of the model and the address"),
        }
    }

    /// Who, for a message.
    fn said(&self) -> String {
        format!("{} at {}", self.name, self.host)
    }

    /// Words of others without our key, without control characters, and not too many.
    fn clean(&self, words: &str) -> String {
        let mut words = match &self.key {
            Some(key) => without_parts_of(&key.secret, words),
            None => words.to_owned(),
        };
        words = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        words = without_secrets(words.trim());
        if words.len() > LONGEST_MESSAGE {
            words.truncate(words.floor_char_boundary(LONGEST_MESSAGE));
            words.push('…');
        }
        words
    }
}

/// Whether a host is this machine.
pub fn is_home(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The part of a refusal that a person should read.
fn words_of(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(body) else { return body.to_owned() };
    let error = value.get("error").unwrap_or(&value);
    let field = |name: &str| error.get(name).and_then(|field| field.as_str());
    let said = error.as_str().or_else(|| field("message")).or_else(|| field("detail"));
    match (said, field("code")) {
        (Some(said), Some(code)) if !said.contains(code) => format!("{said} ({code})"),
        (Some(said), _) => said.to_owned(),
        (None, _) => body.to_owned(),
    }
}

/// Words without a key, or a telling part of it.
fn without_parts_of(secret: &str, words: &str) -> String {
    let whole = if secret.len() < TELLING { words.to_owned() } else { words.replace(secret, "…") };
    let belongs = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let mut out = String::new();
    let mut rest = whole.as_str();
    while let Some(start) = rest.find(belongs) {
        let (before, from) = rest.split_at(start);
        let (part, after) = from.split_at(from.find(|c| !belongs(c)).unwrap_or(from.len()));
        out.push_str(before);
        out.push_str(if part.len() >= TELLING && secret.contains(part) { "…" } else { part });
        rest = after;
    }
    out + rest
}

/// Keys of others, in part or whole.
fn without_secrets(words: &str) -> String {
    let secret = |word: &str| {
        ["sk-", "pa-", "Bearer"]
            .iter()
            .any(|start| word.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(start))
    };
    words.split(' ').map(|word| if secret(word) { "…" } else { word }).collect::<Vec<_>>().join(" ")
}

/// How long the other side wants us to wait, in seconds; a date is not worth a calendar.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|milliseconds| milliseconds / 1000.0);
    let seconds = seconds.or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds.min(3600.0)).ok()
}
