//! What a question is asked for, and what it looks like: rules, no guessing.

use jari_base::Intent;
use jari_text::{Query, QueryWord, Typed};

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// What it is asked for.
    pub intent: Intent,
    /// What it looks like.
    pub shape: Shape,
    /// What it is written in.
    pub script: Script,
}

/// What a question looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A name, or several.
    Identifier,
    /// A file or folder.
    Path,
    /// What a program said when it failed.
    ErrorMessage,
    /// Words in quotes.
    Quoted,
    /// Words.
    Sentence,
}

/// What a question is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// No Hangul.
    Latin,
    /// Hangul alone.
    Korean,
    /// Hangul, and names or words that are none.
    Mixed,
}

/// Beginnings and endings by which a question is told. A question that asks to change something asks for that, however it begins.
const CHANGING: &[&str] = &[
    "add",
    "allow",
    "change",
    "convert",
    "create",
    "delete",
    "disable",
    "enable",
    "extend",
    "fix",
    "implement",
    "improve",
    "introduce",
    "make",
    "migrate",
    "modify",
    "move",
    "optimize",
    "refactor",
    "remove",
    "rename",
    "replace",
    "rewrite",
    "support",
    "update",
    "upgrade",
    "write",
];
const CHANGING_KOREAN: &[&str] = &[
    "추가하",
    "추가해",
    "수정하",
    "수정해",
    "고치",
    "고쳐",
    "변경하",
    "변경해",
    "바꾸",
    "바꿔",
    "구현하려",
    "구현해",
    "삭제하려",
    "삭제해",
    "제거하려",
    "제거해",
    "리팩터링",
    "리팩토링",
    "만들어",
    "만들려",
];
const EXPLAINING: &[&str] = &["describe", "explain", "how", "understand", "what", "when", "why"];
const EXPLAINING_KOREAN: &[&str] =
    &["어떻게", "왜", "설명", "원리", "이유", "동작 방식", "작동", "무엇", "뭐", "란?", "이란"];
const SURVEYING: &[&str] = &[
    "all",
    "compare",
    "comparison",
    "differences",
    "difference",
    "every",
    "everything",
    "everywhere",
    "overview",
    "survey",
    "usages",
];
const SURVEYING_KOREAN: &[&str] = &["모든", "모두", "전부", "전체", "비교", "목록", "차이", "조사", "정리해"];

/// Words that may stand before the verb: `how do I add`, `how to add`, `please add`.
const BEFORE_VERB: &[&str] = &[
    "can", "could", "do", "does", "how", "i", "let's", "need", "please", "should", "to", "want", "we",
    "where", "you",
];

/// What programs say when they fail.
const FAILING: &[&str] =
    &["error:", "exception:", "error[", "panicked at", "traceback (", "segmentation fault", "errno "];

/// Endings of files that people name.
const ENDINGS: &[&str] = &[
    "adoc", "c", "cc", "cpp", "cs", "css", "ex", "go", "h", "hpp", "html", "java", "js", "json", "jsx", "kt",
    "lua", "md", "mdx", "php", "py", "rb", "rs", "rst", "scala", "sh", "sql", "swift", "toml", "ts", "tsx",
    "txt", "vue", "xml", "yaml", "yml", "zig",
];

impl Plan {
    /// The plan for a question; `intent` overrides what the rules say.
    pub fn new(typed: &Typed, query: &Query, intent: Option<Intent>) -> Self {
        let (shape, script) = (shape(typed, query), script(query));
        Self { intent: intent.unwrap_or_else(|| intent_of(&typed.words, shape, script)), shape, script }
    }

    /// How many places are shown where nobody said, of a surface that usually shows `usual`.
    pub fn places(&self, usual: usize) -> usize {
        match self.intent {
            Intent::Nav => usual,
            Intent::Explain => usual.max(7),
            Intent::Edit => usual.max(8),
            Intent::Research => usual.max(15),
        }
    }
}

fn intent_of(words: &str, shape: Shape, script: Script) -> Intent {
    // In Korean a single word may be a whole question.
    if matches!(shape, Shape::Identifier | Shape::Path) && script == Script::Latin {
        return Intent::Nav;
    }
    // A report of several lines is read to mend what it tells of.
    if words.trim().contains('\n') {
        return Intent::Edit;
    }
    let lower = words.to_lowercase();
    let typed: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
        .collect();
    let one_of = |list: &[&str]| list.iter().any(|part| lower.contains(part));
    let verb = typed.iter().find(|word| !BEFORE_VERB.contains(word));
    if verb.is_some_and(|verb| CHANGING.contains(verb)) || one_of(CHANGING_KOREAN) {
        Intent::Edit
    } else if typed.first() == Some(&"list")
        || typed.iter().any(|word| SURVEYING.contains(word))
        || one_of(SURVEYING_KOREAN)
    {
        Intent::Research
    } else if typed.first().is_some_and(|first| EXPLAINING.contains(first)) || one_of(EXPLAINING_KOREAN) {
        Intent::Explain
    } else {
        Intent::Nav
    }
}

fn shape(typed: &Typed, query: &Query) -> Shape {
    let meant: Vec<&QueryWord> = query.words.iter().filter(|word| !word.grammar).collect();
    let lower = typed.words.to_lowercase();
    if typed.only_phrases {
        Shape::Quoted
    } else if query.words.len() == 1 && is_path(&typed.words) {
        Shape::Path
    } else if FAILING.iter().any(|mark| lower.contains(mark)) {
        Shape::ErrorMessage
    } else if query.words.len() == 1 || (!meant.is_empty() && meant.iter().all(|word| word.code)) {
        Shape::Identifier
    } else {
        Shape::Sentence
    }
}

/// Whether a single word names a file: by an ending that files have, or by a slash.
fn is_path(word: &str) -> bool {
    let word = word.trim().trim_matches(['`', '\'']);
    let ending = word.rsplit_once('.').map(|(_, ending)| ending);
    word.trim_matches('/').contains('/') || ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

fn script(query: &Query) -> Script {
    let is_korean = |word: &QueryWord| word.text.chars().any(|c| ('가'..='힣').contains(&c));
    let korean = query.words.iter().filter(|word| is_korean(word)).count();
    match korean {
        0 => Script::Latin,
        all if all == query.words.len() => Script::Korean,
        _ => Script::Mixed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Plan {
        let typed = Typed::new(text);
        let query = Query::new(&typed.words);
        Plan::new(&typed, &query, None)
    }

    #[test]
    fn intents_of_real_questions() {
        let check = |intent: Intent, questions: &[&str]| {
            for question in questions {
                assert_eq!(plan(question).intent, intent, "{question}");
            }
        };
        check(
            Intent::Nav,
            &[
                "ConnectionPool",
                "src/net/retry.rs",
                "where is the config parsed",
                "retry with backoff",
                "json schema validation",
                "which function opens the database",
                "설정 파일을 읽는 곳",
                "결제 handler",
                "로그인 세션 만료 처리",
                "python list to string",
            ],
        );
        check(
            Intent::Explain,
            &[
                "how does the scheduler wake a task",
                "why is the cache invalidated on rename",
                "What happens when a request times out?",
                "explain the two-phase commit",
                "when are idle connections closed",
                "스케줄러가 작업을 어떻게 깨우나요",
                "캐시는 왜 무효화되나요",
                "라우팅 동작 방식",
                "미들웨어란?",
            ],
        );
        check(
            Intent::Edit,
            &[
                "add a timeout to the http client",
                "how do I add a new route",
                "fix the race in the worker pool",
                "rename the config key without breaking users",
                "Support custom serializers in the cache",
                "please replace the regex in the tokenizer",
                "HTTP 클라이언트에 타임아웃을 추가해줘",
                "에러 메시지를 수정하려면",
                "정규식을 바꾸고 싶다",
                "Crash on empty input\n\nSteps to reproduce:\n1. run it",
            ],
        );
        check(
            Intent::Research,
            &[
                "all places that open a socket",
                "compare the sync and async clients",
                "overview of the plugin system",
                "list every command line flag",
                "모든 캐시 구현",
                "동기와 비동기 클라이언트 비교",
            ],
        );
        let chosen = Plan::new(&Typed::new("x y"), &Query::new("x y"), Some(Intent::Research));
        assert_eq!((chosen.intent, chosen.places(10), chosen.places(50)), (Intent::Research, 15, 50));
        assert_eq!((plan("why is it slow").places(5), plan("retry").places(5)), (7, 5));
    }

    #[test]
    fn shapes_and_scripts() {
        let check = |text: &str, shape: Shape, script: Script| {
            let plan = plan(text);
            assert_eq!((plan.shape, plan.script), (shape, script), "{text}");
        };
        check("parse_header", Shape::Identifier, Script::Latin);
        check("Client.send Request", Shape::Sentence, Script::Latin);
        check("Client.send parse_header()", Shape::Identifier, Script::Latin);
        check("src/net/retry.rs", Shape::Path, Script::Latin);
        check("retry.py", Shape::Path, Script::Latin);
        check("client.send", Shape::Identifier, Script::Latin);
        check("TypeError: cannot read property of undefined", Shape::ErrorMessage, Script::Latin);
        check("\"connection reset by peer\"", Shape::Quoted, Script::Latin);
        check("retry with backoff", Shape::Sentence, Script::Latin);
        check("결제 handler", Shape::Sentence, Script::Mixed);
        check("결제 처리", Shape::Sentence, Script::Korean);
    }
}
