//! What part a file plays in its project, told by its path.

use jari_text::{Query, QueryWord};

/// The part a file plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The product itself.
    Product,
    /// Tests, fixtures, benchmarks.
    Test,
    /// Prose.
    Document,
    /// Examples and demos.
    Example,
    /// Somebody else's code, carried along.
    Vendored,
    /// Kept for those who still use it.
    Legacy,
    /// Settings and data.
    Config,
    /// Translations.
    Locale,
    /// Declarations without bodies.
    Declaration,
    /// Written by a program from something else.
    Generated,
}

/// Folder names, and the part their files play. The outermost folder that says something counts.
const FOLDERS: &[(&str, Role)] = &[
    ("__mocks__", Role::Test),
    ("__tests__", Role::Test),
    ("__generated__", Role::Generated),
    ("_vendor", Role::Vendored),
    ("bench", Role::Test),
    ("benches", Role::Test),
    ("benchmark", Role::Test),
    ("benchmarks", Role::Test),
    ("demo", Role::Example),
    ("demos", Role::Example),
    ("deprecated", Role::Legacy),
    ("deps", Role::Vendored),
    ("dist", Role::Generated),
    ("doc", Role::Document),
    ("docs", Role::Document),
    ("example", Role::Example),
    ("examples", Role::Example),
    ("extern", Role::Vendored),
    ("external", Role::Vendored),
    ("externals", Role::Vendored),
    ("fixture", Role::Test),
    ("fixtures", Role::Test),
    ("generated", Role::Generated),
    ("guide", Role::Document),
    ("guides", Role::Document),
    ("legacy", Role::Legacy),
    ("locale", Role::Locale),
    ("locales", Role::Locale),
    ("node_modules", Role::Vendored),
    ("playground", Role::Example),
    ("playgrounds", Role::Example),
    ("sample", Role::Example),
    ("samples", Role::Example),
    ("single_include", Role::Generated),
    ("spec", Role::Test),
    ("specs", Role::Test),
    ("test", Role::Test),
    ("testdata", Role::Test),
    ("testing", Role::Test),
    ("tests", Role::Test),
    ("third_party", Role::Vendored),
    ("thirdparty", Role::Vendored),
    ("vendor", Role::Vendored),
    ("vendored", Role::Vendored),
];

/// Endings of prose.
const PROSE: &[&str] = &["adoc", "asciidoc", "markdown", "md", "mdx", "rst", "txt"];

/// Endings of settings and data.
const DATA: &[&str] = &[
    "cfg",
    "conf",
    "csv",
    "ini",
    "json",
    "jsonc",
    "lock",
    "plist",
    "properties",
    "toml",
    "tsv",
    "xml",
    "yaml",
    "yml",
];

impl Role {
    /// The part that the file at `path` plays.
    pub fn of(path: &str) -> Self {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let lower = name.to_ascii_lowercase();
        let (stem, ending) = lower.rsplit_once('.').unwrap_or((&lower, ""));
        if is_test_name(name, stem) {
            return Self::Test;
        }
        if is_generated_name(&lower, stem) {
            return Self::Generated;
        }
        if PROSE.contains(&ending) {
            return Self::Document;
        }
        let said = folders.split('/').find_map(|folder| {
            let folder = folder.to_ascii_lowercase();
            // `parser-tests` is a folder of tests, and so is `Parser.Tests`.
            let is = |name: &str| {
                folder.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with(['-', '.']))
            };
            FOLDERS.iter().find(|(name, _)| is(name)).map(|(_, role)| *role)
        });
        match said {
            Some(role) => role,
            None if ending == "py" && is_carried_along(folders) => Self::Vendored,
            None if ending == "po" || ending == "pot" => Self::Locale,
            None if DATA.contains(&ending) => Self::Config,
            None if [".d.ts", ".d.cts", ".d.mts"].iter().any(|end| lower.ends_with(end))
                || ending == "pyi" =>
            {
                Self::Declaration
            }
            None => Self::Product,
        }
    }

    /// What its score is multiplied with. Soft, because the development sets hold no test or document as an answer and
    /// so cannot say how strong these should be; lifted when the query speaks of such files.
    pub fn factor(self, query: &Query) -> f32 {
        let speaks_of = |words: &[&str]| query.terms.iter().any(|term| words.contains(&term.as_str()));
        let (factor, lifted) = match self {
            Self::Product => return 1.0,
            // A test client is no test, and neither is what stands in for others in tests.
            Self::Test if says_test(query) && !speaks_of_tests(query) => (0.75, false),
            // On 21 whole repositories 0.55 scores 0.001 less, 0.45 the same.
            Self::Test => (
                0.5,
                says_test(query)
                    || speaks_of(&["spec", "fixtur", "bench", "benchmark", "mock", "테스트", "벤치마크"]),
            ),
            Self::Document => (
                // Sections compete one by one and score higher than files do: on 21 whole repositories 0.65 costs 0.02, and with 0.5 one bug
                // report of 23 loses the file of its fix to a history of changes.
                0.46,
                speaks_of(&["doc", "document", "readm", "guid", "tutori", "changelog", "문서", "가이드"]),
            ),
            Self::Example => (0.7, speaks_of(&["exampl", "sampl", "demo", "예제", "예시"])),
            Self::Vendored => (0.6, speaks_of(&["vendor", "depend", "dep"])),
            Self::Legacy => (0.7, speaks_of(&["legaci", "deprec", "old"])),
            Self::Config => {
                (0.6, speaks_of(&["config", "configur", "set", "json", "yaml", "toml", "xml", "설정"]))
            }
            Self::Locale => (0.4, speaks_of(&["local", "translat", "번역"])),
            Self::Generated => (0.6, speaks_of(&["generat", "build", "bundl", "생성"])),
            Self::Declaration => (0.85, speaks_of(&["declar", "type", "stub"])),
        };
        if lifted { 1.0 } else { factor }
    }

    /// What an explanation calls it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Test => "test",
            Self::Document => "document",
            Self::Example => "example",
            Self::Vendored => "vendored",
            Self::Legacy => "legacy",
            Self::Config => "settings or data",
            Self::Locale => "translation",
            Self::Declaration => "declaration only",
            Self::Generated => "generated",
        }
    }
}

/// Whether a folder of a Python package is one that others' packages are copied into: `app/packages/six.py`. At the top, `packages` are the
/// project's own.
fn is_carried_along(folders: &str) -> bool {
    folders.split('/').skip(1).any(|folder| folder == "packages")
}

/// Whether a word is `test`, or a name that begins with it: `test_retry` is a test, and `CreateTestContext` makes something for one.
fn says_test(query: &Query) -> bool {
    query.words.iter().any(|QueryWord { text, code, .. }| {
        let lower = text.to_lowercase();
        match code {
            true => lower.split(['.', ':', '#']).any(|name| name.starts_with("test")),
            false => lower
                .split(|c: char| !c.is_alphanumeric())
                .any(|part| ["test", "tests", "tested", "testing"].contains(&part)),
        }
    })
}

/// Whether tests themselves are asked for, and not something of that name, or something that helps in tests.
fn speaks_of_tests(query: &Query) -> bool {
    let words: Vec<String> = query.words.iter().map(|word| word.text.to_lowercase()).collect();
    let are_tests = |word: &str| ["tests", "specs", "fixtures", "testcase", "testcases"].contains(&word);
    let before = std::iter::once("").chain(words.iter().map(String::as_str));
    before.zip(&words).any(|(before, word)| are_tests(word) && !["in", "for", "during"].contains(&before))
}

/// `x.min.js`, `x_pb2.py`, `x.pb.go`, `x.g.dart`, `x.generated.cs`, `zz_generated.x.go`.
fn is_generated_name(lower: &str, stem: &str) -> bool {
    let by_stem = [".min", "_pb2", "_pb2_grpc", ".pb", ".g", ".generated", "_generated", ".designer"];
    by_stem.iter().any(|end| stem.ends_with(end)) || lower.starts_with("zz_generated")
}

/// `test_x.py`, `x_test.go`, `x.spec.ts`, `XTest.java`.
fn is_test_name(name: &str, stem: &str) -> bool {
    let lower = ["_test", "_tests", "_spec", ".test", ".spec", "-test", "-spec"]
        .iter()
        .any(|end| stem.ends_with(end));
    let camel = name
        .rsplit_once('.')
        .is_some_and(|(stem, _)| ["Test", "Tests", "Spec", "TestCase"].iter().any(|end| stem.ends_with(end)));
    lower || camel || stem.starts_with("test_") || stem == "conftest" || stem == "tests"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_the_part() {
        let check = |path, role| assert_eq!(Role::of(path), role, "{path}");
        check("src/http/retry.rs", Role::Product);
        check("src/http/retry_test.go", Role::Test);
        check("tests/retry.rs", Role::Test);
        check("src/RetryTest.java", Role::Test);
        check("docs/retry.md", Role::Document);
        check("README.md", Role::Document);
        check("examples/retry.rs", Role::Example);
        check("vendor/lib/a.c", Role::Vendored);
        check("app/_vendor/six.py", Role::Vendored);
        check("app/packages/six.py", Role::Vendored);
        check("packages/app/main.py", Role::Product);
        check("libs/packages/main.ts", Role::Product);
        check("package.json", Role::Config);
        check("src/latest.rs", Role::Product);
        check("lib/index.d.ts", Role::Declaration);
        check("index.d.cts", Role::Declaration);
        check("api/user_pb2.py", Role::Generated);
        check("web/dist/app.js", Role::Generated);
        check("App.playground/a.swift", Role::Example);
        check("src/generate.rs", Role::Product);
        check("Parser.Tests/a.cs", Role::Test);
    }

    #[test]
    fn a_query_that_speaks_of_tests_lifts_the_penalty() {
        assert_eq!(Role::Test.factor(&Query::new("tests of the parser")), 1.0);
        assert!(Role::Test.factor(&Query::new("the parser")) < 1.0);
        assert_eq!(Role::Test.factor(&Query::new("unit tests for the parser")), 1.0);
        assert!(Role::Test.factor(&Query::new("the test client")) < 1.0);
        assert!(Role::Test.factor(&Query::new("a clock that stands still in tests")) < 1.0);
        let factor = |query| Role::Test.factor(&Query::new(query));
        assert_eq!(factor("net.CreateTestContext fails"), factor("the parser"));
        assert_eq!(factor("TestContext fails"), factor("the test client"));
        assert_eq!(factor("testing the parser"), factor("the test client"));
    }
}
