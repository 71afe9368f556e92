//! `jari completions`, as a user meets it.

mod common;

use common::{Project, check};
use expect_test::expect;

#[test]
fn every_shell_has_its_script() {
    let project = Project::new(&[]);
    for (shell, mark) in [
        ("bash", "complete -F _jari"),
        ("zsh", "#compdef jari"),
        ("fish", "complete -c jari"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let output = project.jari(&["completions", shell]).exits(0);
        assert!(output.stdout.contains(mark), "{shell}: {}", output.stdout);
        assert!(output.stdout.contains("max-tokens"), "{shell} knows the flags");
        assert!(!output.stdout.contains("reference"), "{shell} does not offer what help hides");
        assert_eq!(output.stderr, "");
    }
}

#[test]
fn an_unknown_shell_is_refused() {
    check(
        &Project::new(&[]).jari(&["completions", "cmd"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: invalid value 'cmd' for '<SHELL>'
          [possible values: bash, elvish, fish, powershell, zsh]

        For more information, try '--help'.
    "#]],
    );
}
