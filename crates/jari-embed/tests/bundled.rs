//! The model inside the binary: it is whole, it knows what it should, and the same text gives the same vector.

use std::path::Path;

use jari_embed::{Document, Error, Model};

/// The file that is built in.
fn file() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/jari.embd")
}

#[test]
fn the_bundled_model_is_whole_and_small_enough() {
    let opened = Model::open(&file()).expect("its checksum matches");
    let bundled = Model::bundled();
    assert_eq!(opened.fingerprint(), bundled.fingerprint());
    assert_eq!(opened.embed(&["retry"]), bundled.embed(&["retry"]));
    let size = std::fs::metadata(file()).expect("it is there").len();
    assert!(size <= 20_000_000, "{size} bytes");
}

#[test]
fn a_text_has_the_same_vector_alone_and_among_others() {
    let model = Model::bundled();
    let texts: Vec<String> =
        (0..500).map(|n| format!("fn retry_{n}(요청: Request) {{ send again after a pause }}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = model.embed(&texts);
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(model.embed(&[text]), std::slice::from_ref(vector));
    }
}

#[test]
fn meaning_is_nearer_than_spelling_in_both_languages() {
    let model = Model::bundled();
    let answers = [
        "fn retry_with_backoff(policy: &Policy) { loop { send(); sleep(pause); pause *= 2; } }",
        "def parse_header(line): name, value = line.split(':'); return name.strip(), value.strip()",
        "public boolean isEmpty() { return size == 0; }",
        "func (c *Cache) evict() { delete(c.items, c.oldest()) }",
    ];
    let answers = model.embed(&answers);
    let check = |question: &str, right: usize| {
        let query = &model.embed(&[question])[0];
        let best = (0..answers.len())
            .max_by(|one, two| answers[*one].cosine(query).total_cmp(&answers[*two].cosine(query)));
        assert_eq!(best, Some(right), "{question}");
    };
    check("send failed requests again with a growing delay", 0);
    check("실패한 요청을 다시 보내기", 0);
    check("split a header into its name and value", 1);
    check("헤더 파싱", 1);
    check("whether a collection has no elements", 2);
    check("remove the least recently used entry from the cache", 3);
    check("캐시에서 오래된 항목 제거", 3);
}

#[test]
fn headings_draw_documents_towards_them() {
    let model = Model::bundled();
    let text = "It is repeated at most three times.";
    let documents =
        [Document { text, heading: "", around: "" }, Document { text, heading: "network/retry", around: "" }];
    let vectors = model.embed_documents(&documents);
    assert_eq!(vectors[0], model.embed(&[text])[0]);
    let query = &model.embed(&["network retry"])[0];
    assert!(vectors[1].cosine(query) > vectors[0].cosine(query));
}

#[test]
fn nothing_known_gives_zeros() {
    let model = Model::bundled();
    let vectors = model.embed(&["", "…", "\u{fffd}"]);
    assert!(vectors.iter().all(jari_embed::Vector::is_zero));
    assert!(model.embed(&[]).is_empty());
}

#[test]
fn vectors_are_the_same_on_every_machine() {
    // The bits of all elements: another order of additions, or a fused one, would change them.
    let vector = &Model::bundled().embed(&["where do we retry failed requests 재시도"])[0];
    let mixed = vector.iter().fold(0u32, |mixed, element| mixed.rotate_left(5) ^ element.to_bits());
    assert_eq!(mixed, EXPECTED);
}

/// Changes with the weights only.
const EXPECTED: u32 = 2_053_324_691;

#[test]
fn damaged_files_say_what_helps() {
    use jari_base::Explained;

    let temp = tempfile::tempdir().expect("a folder");
    let path = temp.path().join("model.embd");
    let missing = Model::open(&path).err().expect("there is none");
    assert!(matches!(missing, Error::Missing { .. }) && missing.hint().is_some());
    std::fs::write(&path, "something else").expect("written");
    let foreign = Model::open(&path).err().expect("it is no model");
    assert!(foreign.to_string().contains("does not begin as a model"), "{foreign}");
    let mut bytes = std::fs::read(file()).expect("the model");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).expect("written");
    let damaged = Model::open(&path).err().expect("a bit was flipped");
    assert!(damaged.to_string().contains("checksum"), "{damaged}");
    assert!(damaged.hint().is_some());
}
