//! The real all-MiniLM-L6-v2, against a forward pass in numpy. `tests/reference.py` makes the folder.

use std::io::Write;
use std::path::PathBuf;

use jari_transformer::{Side, Transformer};

/// A text, and what the reference makes of it.
#[derive(serde::Deserialize)]
struct Answer {
    text: String,
    vector: Vec<f32>,
}

#[test]
fn vectors_are_those_of_the_reference() {
    let Some(folder) = std::env::var_os("JARI_TEST_MINILM").map(PathBuf::from) else {
        say(
            "vectors_are_those_of_the_reference was not run: JARI_TEST_MINILM names no folder that tests/reference.py made",
        );
        return;
    };
    let answers = std::fs::read(folder.join("reference.json")).expect("tests/reference.py writes it");
    let answers: Vec<Answer> = serde_json::from_slice(&answers).unwrap();
    let transformer = Transformer::open(&folder).unwrap();
    assert_eq!((transformer.dims(), transformer.max_tokens()), (384, 256));

    let texts: Vec<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
    let together = transformer.embed(&texts, Side::Document);
    let mut apart = 0f32;
    for (answer, vector) in answers.iter().zip(&together) {
        let most = vector.iter().zip(&answer.vector).map(|(one, two)| (one - two).abs()).fold(0.0, f32::max);
        assert!(most < 1e-5, "{most} for {:?}", answer.text);
        apart = apart.max(most);
        assert_eq!(
            &transformer.embed(&[answer.text.as_str()], Side::Question)[0],
            vector,
            "{:?}",
            answer.text
        );
    }
    say(&format!("{} texts differ from the reference by at most {apart:.1e}", texts.len()));
}

/// Past the harness, which keeps what passing tests print to itself.
fn say(what: &str) {
    writeln!(std::io::stderr(), "{what}").expect("somebody listens");
}
