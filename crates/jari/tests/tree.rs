//! `jari tree`, as a user meets it.

mod common;

use common::{Project, check};
use expect_test::expect;

#[test]
fn folders_show_what_they_hold() {
    check(
        &Project::sample().jari(&["tree"]),
        &expect![[r#"
        exit: 0
        --- stdout
        ./  3 files
          src/  2 files
            net/  1 file
              pool.py  python
            retry.rs  rust
          README.md  markdown
        --- stderr
        indexed   3 files · 4 chunks · [speed] · [time]
    "#]],
    );
}

#[test]
fn depth_ends_the_tree() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    check(
        &project.jari(&["tree", "--depth", "1"]),
        &expect![[r#"
        exit: 0
        --- stdout
        ./  3 files
          src/  2 files
          README.md  markdown
    "#]],
    );
    check(
        &project.jari(&["tree", "src", "--depth", "1"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/  2 files
          net/  1 file
          retry.rs  rust
    "#]],
    );
}

#[test]
fn a_file_is_shown_with_its_symbols() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    check(
        &project.jari(&["tree", "src/net/pool.py"]),
        &expect![[r#"
            exit: 0
            --- stdout
            src/net/pool.py  python
                 1  class Pool
                 4    def __init__(self, size)
                10    def take(self, patience)
        "#]],
    );
}

#[test]
fn a_file_is_named_from_where_the_user_stands() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let mut inside = project.command(&["tree", "pool.py", "--json"]);
    let answer = project.run(inside.current_dir(project.path("src/net"))).exits(0).json();
    assert_eq!(answer["file"], "src/net/pool.py");
    let absolute = project.path("src/retry.rs");
    assert_eq!(project.json(&["tree", absolute.to_str().unwrap()])["file"], "src/retry.rs");
}

#[test]
fn a_misspelt_path_gives_a_hint() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    check(
        &project.jari(&["tree", "src/net/pol.py"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: no `src/net/pol.py` in the index
        hint: did you mean src/net/pool.py?
    "#]],
    );
    check(
        &project.jari(&["tree", "scr/net"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: no `scr/net` in the index
        hint: did you mean src/net?
    "#]],
    );
    check(
        &project.jari(&["tree", "zebra"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: no `zebra` in the index
        hint: `jari tree` shows what is indexed, `jari status --skipped` what is not
    "#]],
    );
}

#[test]
fn json_has_one_shape() {
    let project = Project::sample();
    expect![[r#"
        {
          "files": 3,
          "folder": ".",
          "nodes": [
            {
              "files": 2,
              "folder": "src",
              "nodes": [
                {
                  "files": 1,
                  "folder": "net",
                  "nodes": [
                    {
                      "file": "pool.py",
                      "language": "python"
                    }
                  ]
                },
                {
                  "file": "retry.rs",
                  "language": "rust"
                }
              ]
            },
            {
              "file": "README.md",
              "language": "markdown"
            }
          ]
        }
    "#]]
    .assert_eq(&format!("{:#}\n", project.json(&["tree"])));
    let file = project.json(&["tree", "src/retry.rs"]);
    expect![[r#"
        {
          "file": "src/retry.rs",
          "language": "rust",
          "symbols": [
            {
              "container": null,
              "doc": "Runs `call` until it succeeds, waiting longer each time.",
              "end_line": 10,
              "exported": true,
              "kind": "function",
              "name": "retry_with_backoff",
              "signature": "pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool",
              "start_line": 1
            }
          ]
        }
    "#]]
    .assert_eq(&format!("{file:#}\n"));
}

#[test]
fn a_skipped_file_is_not_in_the_tree() {
    let project = Project::new(&[("a.rs", "fn a() {}\n"), (".env", "KEY=1\n")]);
    assert_eq!(project.json(&["tree"])["files"], 1);
    check(
        &project.jari(&["tree", ".env"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: no `.env` in the index
        hint: `jari tree` shows what is indexed, `jari status --skipped` what is not
    "#]],
    );
}
