//! `jari install`, `jari uninstall`, `jari doctor`

mod common;

use common::{Project, check};
use expect_test::expect;

/// Settings of an agent in the home of `project`.
fn settings(project: &Project, path: &str) -> std::path::PathBuf {
    let file = project.home().join(path);
    std::fs::create_dir_all(file.parent().expect("it has a folder")).expect("folders can be made");
    file
}

#[test]
fn the_exact_change_is_shown_and_nothing_is_written() {
    let project = Project::sample();
    let file = settings(&project, ".cursor/mcp.json");
    std::fs::write(&file, "{\n  // mine\n  \"mcpServers\": {}\n}\n").expect("it can be written");
    let output = project.jari(&["install", "--agent", "cursor", "--scope", "project", "--dry-run"]);
    check(
        &output,
        &expect![[r#"
        exit: 0
        --- stdout
        Cursor changes · [TEMP]/project/.cursor/mcp.json
          + {
          +   "mcpServers": {
          +     "jari": {
          +       "command": "jari",
          +       "args": ["mcp", "${workspaceFolder}"]
          +     }
          +   }
          + }
        --- stderr
        nothing was written: this is what would be
    "#]],
    );
    assert!(!project.path(".cursor").exists());
    let asked = project.jari(&["install", "--agent", "cursor"]).exits(2);
    assert!(asked.stderr.contains("nobody can be asked"), "{asked:?}");
    assert!(std::fs::read_to_string(&file).expect("it is there").contains("\"mcpServers\": {}\n"));
}

#[test]
fn what_was_written_is_undone_byte_for_byte() {
    for (agent, path, before) in [
        ("claude", ".claude.json", "{\"numStartups\": 3, \"mcpServers\": {}}"),
        ("codex", ".codex/config.toml", "# mine\nmodel = \"x\"   # keep\n\n[tui]\nbell = true"),
        ("zed", "config/zed/settings.json", "// theirs\n{\n\t\"theme\": \"One\", /* x */\n}\n"),
        ("gemini", ".gemini/settings.json", "{}"),
        (
            "opencode",
            "config/opencode/opencode.jsonc",
            "{\n  \"mcp\": {\n    \"x\": { \"type\": \"remote\" }\n  }\n}\n",
        ),
        ("windsurf", ".codeium/windsurf/mcp_config.json", ""),
    ] {
        let project = Project::sample();
        let file = settings(&project, path);
        std::fs::write(&file, before).expect("it can be written");
        project.jari(&["install", "--agent", agent, "--yes"]).exits(0);
        let written = std::fs::read_to_string(&file).expect("it is there");
        assert!(written.contains("mcp") && written.contains("jari"), "{agent}: {written}");
        let again = project.jari(&["install", "--agent", agent, "--yes"]).exits(0);
        assert!(again.stdout.contains("is told already"), "{agent}: {again:?}");
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), written, "{agent}");
        project.jari(&["uninstall", "--agent", agent, "--yes"]).exits(0);
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), before, "{agent}");
    }
}

#[test]
fn a_file_that_was_not_there_is_gone_again() {
    let project = Project::sample();
    project.jari(&["install", "--agent", "vscode", "--scope", "project", "--yes"]).exits(0);
    assert_eq!(
        std::fs::read_to_string(project.path(".vscode/mcp.json")).expect("it is there"),
        "{\n  \"servers\": {\n    \"jari\": {\n      \"type\": \"stdio\",\n      \"command\": \"jari\",\n      \"args\": [\"mcp\", \"${workspaceFolder}\"]\n    }\n  }\n}\n"
    );
    project.jari(&["uninstall", "--agent", "vscode", "--scope", "project", "--yes"]).exits(0);
    assert!(!project.path(".vscode/mcp.json").exists());
}

#[test]
fn of_a_file_that_others_changed_only_our_entry_is_taken() {
    let project = Project::sample();
    let file = settings(&project, ".cursor/mcp.json");
    project.jari(&["install", "--agent", "cursor", "--yes"]).exits(0);
    let written = std::fs::read_to_string(&file).expect("it is there");
    std::fs::write(&file, written.replace("{\n  \"mcpServers\"", "{\n  \"theirs\": 1,\n  \"mcpServers\""))
        .expect("it can be written");
    project.jari(&["uninstall", "--agent", "cursor", "--yes"]).exits(0);
    let left = std::fs::read_to_string(&file).expect("it is there");
    assert!(left.contains("\"theirs\": 1") && !left.contains("jari"), "{left}");
}

#[test]
fn settings_that_cannot_be_read_are_left_alone() {
    let project = Project::sample();
    let file = settings(&project, ".gemini/settings.json");
    std::fs::write(&file, "{ \"broken\": ").expect("it can be written");
    let output = project.jari(&["install", "--agent", "gemini", "--yes"]).exits(2);
    assert!(output.stderr.contains("cannot be used"), "{output:?}");
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "{ \"broken\": ");
}

#[test]
fn the_doctor_says_what_to_type() {
    let project = Project::sample();
    settings(&project, ".gemini/settings.json");
    std::fs::write(
        settings(&project, ".cursor/mcp.json"),
        "{\"mcpServers\": {\"jari\": {\"command\": \"/gone/jari\"}}}",
    )
    .expect("it can be written");
    let mut command = project.command(&["doctor", "--json"]);
    command.env("PATH", project.home());
    let output = project.run(&mut command);
    let report = output.json();
    assert_eq!(report["healthy"], false);
    let about = |name: &str| {
        let checks = report["checks"].as_array().expect("a list");
        checks.iter().find(|check| check["about"] == name).cloned().unwrap_or_default()
    };
    assert_eq!(about("Cursor")["hint"], "jari install --agent cursor --yes");
    assert_eq!(
        (&about("Gemini CLI")["ok"], &about("Gemini CLI")["hint"]),
        (&true.into(), &"jari install --agent gemini".into())
    );
    assert_eq!(about("permissions")["ok"], true);
    assert_eq!(about("program")["ok"], false);
    assert_eq!(about("index")["message"], "none yet: the first search makes it");
}
