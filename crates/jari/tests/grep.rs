//! `jari grep`, as a user meets it.

mod common;

use std::process::Command;

use common::{Project, check, keys};
use expect_test::expect;

#[test]
fn lines_come_with_their_places() {
    let project = Project::sample();
    check(
        &project.jari(&["grep", r"self\.\w+ = "]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/net/pool.py:5:        self.size = size
        src/net/pool.py:6:        self.free = []
        src/net/pool.py:7:        self.taken = []
        src/net/pool.py:8:        self.closed = False
        --- stderr
        indexed   3 files · 4 chunks · [speed] · [time]

        4 lines in 1 file · [time] · 1 of 3 files looked at · index fresh
    "#]],
    );
    check(
        &project.jari(&["grep", "nothing like this"]),
        &expect![[r#"
        exit: 1
        --- stderr
        nothing found · [time] · 0 of 3 files looked at · index fresh
    "#]],
    );
}

#[test]
fn context_counts_and_files() {
    let project = Project::sample();
    check(
        &project.jari(&["grep", "taken|free", "-C", "1", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/net/pool.py-5-        self.size = size
        src/net/pool.py:6:        self.free = []
        src/net/pool.py:7:        self.taken = []
        src/net/pool.py-8-        self.closed = False
        --
        src/net/pool.py-11-        """Hands out a connection."""
        src/net/pool.py:12:        if not self.free:
        src/net/pool.py-13-            raise TimeoutError(patience)
        src/net/pool.py:14:        connection = self.free.pop()
        src/net/pool.py:15:        self.taken.append(connection)
        src/net/pool.py-16-        return connection
    "#]],
    );
    check(
        &project.jari(&["grep", "-c", "self", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/net/pool.py:9
    "#]],
    );
    check(
        &project.jari(&["grep", "-l", "connection", "-i", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        README.md
        src/net/pool.py
    "#]],
    );
    check(
        &project.jari(&["grep", "self", "-m", "1", "-A", "1", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/net/pool.py:4:    def __init__(self, size):
        src/net/pool.py:5:        self.size = size
    "#]],
    );
    check(
        &project.jari(&["grep", "self", "-k", "2"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/net/pool.py:4:    def __init__(self, size):
        src/net/pool.py:5:        self.size = size
        --- stderr

        2 lines in 1 file · [time] · 1 of 3 files looked at · index fresh · there may be more (--limit)
    "#]],
    );
}

#[test]
fn literals_words_and_case() {
    let project = Project::new(&[("a.txt", "a[0] = b\nA[0]\na0\ncat concat\n고객의 결제 내역\n")]);
    let lines = |arguments: &[&str]| project.jari(&[&["grep", "-q"], arguments].concat()).stdout;
    assert_eq!(lines(&["-F", "a[0]"]), "a.txt:1:a[0] = b\n");
    assert_eq!(lines(&["-F", "-i", "a[0]"]), "a.txt:1:a[0] = b\na.txt:2:A[0]\n");
    assert_eq!(lines(&["a[0]"]), "a.txt:3:a0\n");
    assert_eq!(lines(&["-w", "cat"]), "a.txt:4:cat concat\n");
    assert_eq!(lines(&["-w", "conc"]), "");
    assert_eq!(lines(&["결제"]), "a.txt:5:고객의 결제 내역\n");
    assert_eq!(lines(&["결제$"]), "");
}

#[test]
fn languages_paths_and_folders_narrow() {
    let project = Project::sample();
    let files = |arguments: &[&str]| project.jari(&[&["grep", "-q", "-l", "a"], arguments].concat()).stdout;
    assert_eq!(files(&[]), "README.md\nsrc/net/pool.py\nsrc/retry.rs\n");
    assert_eq!(files(&["--lang", "rust"]), "src/retry.rs\n");
    assert_eq!(files(&["--path", "*.py"]), "src/net/pool.py\n");
    assert_eq!(files(&["src/net"]), "src/net/pool.py\n");
}

#[test]
fn what_stands_on_disk_counts() {
    let project = Project::sample();
    project.jari(&["grep", "zebra"]).exits(1);
    project.write("src/new.rs", "// zebra\n");
    assert_eq!(project.jari(&["grep", "-q", "zebra"]).exits(0).stdout, "src/new.rs:1:// zebra\n");
    project.write("src/new.rs", "//\n// zebra crossing\n");
    assert_eq!(project.jari(&["grep", "-q", "zebra"]).exits(0).stdout, "src/new.rs:2:// zebra crossing\n");
    project.rename("src/new.rs", "src/moved.rs");
    assert_eq!(project.jari(&["grep", "-q", "zebra"]).exits(0).stdout, "src/moved.rs:2:// zebra crossing\n");
    project.remove("src/moved.rs");
    project.jari(&["grep", "zebra"]).exits(1);
}

#[test]
fn without_an_update_known_files_are_read_as_they_are_now() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write("src/new.rs", "// patience\n");
    project.write("src/net/pool.py", "# patience is all\n");
    project.remove("README.md");
    check(
        &project.jari(&["grep", "--no-update", "patience|pooled"]),
        &expect![[r#"
            exit: 0
            --- stdout
            src/net/pool.py:1:# patience is all
            --- stderr

            1 line in 1 file · [time] · 2 of 3 files looked at · index not checked for changes
        "#]],
    );
}

#[test]
fn files_with_too_many_grams_are_always_looked_at() {
    let project = Project::sample();
    project.write("jari.toml", "trigram_max_terms_per_file = 40\n");
    project.jari(&["index"]).exits(0);
    let answer = project.json(&["grep", "retry_with_backoff"]);
    assert_eq!((&answer["looked_at"], &answer["lines"]), (&3.into(), &1.into()));
    let status = project.json(&["status"]);
    assert_eq!(status["trigrams"]["uncut_files"], 3);
}

#[test]
fn common_grams_do_not_narrow() {
    let project = Project::new(&[("a.txt", "common\n"), ("b.txt", "common rare\n"), ("c.txt", "common\n")]);
    let looked_at = |pattern: &str, most: &str| {
        let mut command = project.command(&["grep", pattern, "--json"]);
        project.run(command.env("JARI_TRIGRAM_MAX_DOC_FREQ", most)).json()["looked_at"].clone()
    };
    assert_eq!(looked_at("rare", "0.4"), 1);
    assert_eq!(looked_at("rare", "0"), 3);
    assert_eq!(looked_at("common", "0.4"), 3);
}

#[test]
fn json_has_one_shape() {
    let project = Project::sample();
    let answer = project.json(&["grep", "patience", "-A", "1", "-k", "1"]);
    assert_eq!(
        keys(&answer),
        ["cut", "index", "lines", "looked_at", "of", "pattern", "results", "took_ms", "unreadable"]
    );
    expect![[r#"
        [
          {
            "count": 1,
            "language": "python",
            "lines": [
              {
                "line": 10,
                "matches": [
                  [
                    19,
                    27
                  ]
                ],
                "text": "    def take(self, patience):"
              },
              {
                "line": 11,
                "text": "        \"\"\"Hands out a connection.\"\"\""
              }
            ],
            "path": "src/net/pool.py"
          }
        ]
    "#]]
    .assert_eq(&format!("{:#}\n", answer["results"]));
}

#[test]
fn patterns_that_cannot_be_used_are_refused() {
    let project = Project::sample();
    check(
        &project.jari(&["grep", "fn (retry"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: the pattern cannot be used: regex parse error:
            fn (retry
               ^
        error: unclosed group
        hint: to look for the text as it is written: jari grep -F
    "#]],
    );
    check(
        &project.jari(&["grep", r"a\nb"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: the pattern cannot be used: the literal "\n" is not allowed in a regex
        hint: to look for the text as it is written: jari grep -F
    "#]],
    );
    check(
        &project.jari(&["grep", ""]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: the pattern is empty
        hint: say what the lines hold: jari grep 'fn \w+_with'
    "#]],
    );
    let hostile = project.jari(&["grep", r"(\pL{500}){500}"]).exits(2);
    assert!(hostile.stderr.contains("size limit"), "{}", hostile.stderr);
}

#[test]
fn text_from_files_cannot_command_the_terminal() {
    let project = Project::new(&[("a.txt", "bad \u{1b}[2J text\n")]);
    assert_eq!(project.jari(&["grep", "-q", "bad"]).stdout, "a.txt:1:bad ␛[2J text\n");
}

/// Compares with ripgrep, where there is one.
#[test]
fn lines_are_those_of_ripgrep() {
    let mut text = String::from("fn main() {\r\n    retry(3);\r\n}\n\nno end of line");
    let crossing = "Straße STRASSE ſtreet\nK kelvin k\n결제 내역을 조회한다\nfoo.bar(baz)\n\tfoo_bar\n";
    text.push_str("\nlast");
    let project = Project::new(&[("b.rs", &text), ("a/words.txt", crossing), ("a/empty.txt", "")]);
    project.jari(&["index"]).exits(0);
    for pattern in [
        "retry",
        "fn|foo",
        "^$",
        "^fn",
        r"\)$",
        "}$",
        "foo.bar",
        r"foo\.bar",
        "[fb]a[rz]",
        "결제",
        "내역을?",
        "k",
        "straße",
        "s",
        r"\bk\b",
        r"\s+foo",
        "[^a]oo",
        "(foo|retry).?(bar|\\()",
        "no end.*line",
        "last$",
        ".",
        "a{2}",
        "o{2}",
        "조.한",
    ] {
        for flags in [&[][..], &["-i"], &["-w"], &["-F"], &["-i", "-w"], &["-C", "1"], &["-m", "1"], &["-c"]]
        {
            let rg = Command::new("rg")
                .args(["--no-config", "--no-heading", "--sort", "path", "--with-filename"])
                .args(if flags == ["-c"] { None } else { Some("-n") })
                .args(flags)
                .args(["-e", pattern])
                .current_dir(project.root())
                .output();
            let Ok(rg) = rg else { return };
            let expected = String::from_utf8(rg.stdout).expect("the files are UTF-8").replace("\r\n", "\n");
            let ours = project.jari(&[&["grep", "-q", "--no-update", pattern], flags].concat());
            assert_eq!(ours.stdout, expected, "{pattern} {flags:?}");
        }
    }
}
