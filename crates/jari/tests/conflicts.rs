//! `jari conflicts`, as a user meets it.

mod common;

use common::{Project, check};
use expect_test::expect;

/// A README and a page that state other values than the code.
fn project() -> Project {
    Project::new(&[
        ("pool/settings.py", "POOL_SIZE = 8\nRETRY_LIMIT = 3\n"),
        (
            "README.md",
            "# Pool\n\n| name | default |\n|---|---|\n| `POOL_SIZE` | `10` |\n| `RETRY_LIMIT` | 3 |\n",
        ),
        ("docs/reference.md", "---\ndate: 2024-05-01\n---\n# Reference\n\n## POOL_SIZE\n\nDefault: `8`\n"),
        ("CHANGELOG.md", "# Changelog\n\n- `POOL_SIZE` defaults to `4`.\n"),
    ])
}

#[test]
fn places_that_state_different_defaults_stand_side_by_side() {
    check(
        &project().jari(&["conflicts"]),
        &expect![[r#"
            exit: 1
            --- stdout
            POOL_SIZE
              pool/settings.py:1 · 8  code · no date
              README.md:5 · 10  readme · no date · Pool
              docs/reference.md:8 · 8  reference · 2024-05-01 · Reference › POOL_SIZE
            --- stderr
            indexed   4 files · 5 chunks · [speed] · [time]
            1 conflict in 2 settings with a stated default
        "#]],
    );
    let found = project().json(&["conflicts"]);
    let statements = found["conflicts"][0]["statements"].as_array().expect("a list").clone();
    let standings: Vec<_> = statements.iter().map(|one| one["standing"].as_str().expect("a word")).collect();
    assert_eq!(standings, ["code", "readme", "reference"]);
    assert_eq!(statements[2]["date"], "2024-05-01");
}

#[test]
fn where_all_agree_there_is_no_conflict() {
    let project = project();
    project.write("README.md", "# Pool\n\n| name | default |\n|---|---|\n| `POOL_SIZE` | `8` |\n");
    project.jari(&["conflicts"]).exits(0);
    project.write("README.md", "# Pool\n\n| name | default |\n|---|---|\n| `POOL_SIZE` | `9` |\n");
    project.jari(&["conflicts", "--name", "RETRY_LIMIT"]).exits(0);
    project.jari(&["conflicts", "pool"]).exits(1);
}

#[test]
fn packages_beside_each_other_may_differ() {
    let project = Project::new(&[
        ("a/package.json", "{}"),
        ("a/README.md", "# A\n\n`LOG_LEVEL` defaults to `info`.\n"),
        ("b/package.json", "{}"),
        ("b/README.md", "# B\n\n`LOG_LEVEL` defaults to `debug`.\n"),
    ]);
    project.jari(&["conflicts"]).exits(0);
}
