//! A tiny encoder made on the spot, against a forward pass of plain loops; and folders that are broken.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod folder;

use std::path::Path;

use folder::{
    HEADS, HIDDEN, Kind, LAYERS, Names, PLACES, PLAIN, Tensors, config, safetensors, tensors, tokenizer,
    write,
};
use jari_base::Explained;
use jari_transformer::{Error, Side, Transformer};
use serde_json::{Value, json};

/// The forward pass as a textbook has it, in numbers of 64 bits.
fn slow(kind: Kind, tokens: &[usize]) -> Vec<f64> {
    let tensors = tensors(kind);
    let get = |name: &str| -> Vec<f64> {
        tensors[&format!("{}{name}", kind.prefix)].1.iter().map(|x| f64::from(*x)).collect()
    };
    let dense = |x: &[f64], name: &str| -> Vec<f64> {
        let (weight, bias) = (get(&format!("{name}.weight")), get(&format!("{name}.bias")));
        let row = |to: usize| x.iter().zip(&weight[to * x.len()..]).map(|(one, two)| one * two).sum::<f64>();
        bias.iter().enumerate().map(|(to, bias)| row(to) + bias).collect()
    };
    let epsilon = if kind.family == "distilbert" { 1e-12 } else { 1e-5 };
    let norm = |x: &[f64], name: &str| -> Vec<f64> {
        let mean = x.iter().sum::<f64>() / HIDDEN as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / HIDDEN as f64;
        let learned = get(&format!("{name}.weight")).into_iter().zip(get(&format!("{name}.bias")));
        x.iter()
            .zip(learned)
            .map(|(x, (weight, bias))| (x - mean) / (variance + epsilon).sqrt() * weight + bias)
            .collect()
    };
    let add =
        |one: &[f64], two: &[f64]| -> Vec<f64> { one.iter().zip(two).map(|(one, two)| one + two).collect() };
    let row = |table: &str, number: usize| get(table)[number * HIDDEN..][..HIDDEN].to_vec();
    let offset = if kind.family.ends_with("roberta") { 2 } else { 0 };
    let mut states: Vec<Vec<f64>> = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let word = row("embeddings.word_embeddings.weight", *token);
        let mut sum = add(&word, &row("embeddings.position_embeddings.weight", place + offset));
        if kind.family != "distilbert" {
            sum = add(&sum, &row("embeddings.token_type_embeddings.weight", 0));
        }
        states.push(norm(&sum, "embeddings.LayerNorm"));
    }
    for number in 0..LAYERS {
        let names = Names::of(kind, number);
        let parts: Vec<Vec<Vec<f64>>> =
            (0..3).map(|part| states.iter().map(|x| dense(x, &names.dense[part])).collect()).collect();
        let size = HIDDEN / HEADS;
        let mut next = Vec::new();
        for (token, state) in states.iter().enumerate() {
            let mut context = vec![0.0; HIDDEN];
            for head in (0..HIDDEN).step_by(size) {
                let score = |other: &Vec<f64>| {
                    let products = parts[0][token][head..head + size].iter().zip(&other[head..]);
                    (products.map(|(one, two)| one * two).sum::<f64>() / (size as f64).sqrt()).exp()
                };
                let scores: Vec<f64> = parts[1].iter().map(score).collect();
                let total: f64 = scores.iter().sum();
                for (score, value) in scores.iter().zip(&parts[2]) {
                    for column in head..head + size {
                        context[column] += score / total * value[column];
                    }
                }
            }
            let state = norm(&add(state, &dense(&context, &names.dense[3])), &names.norms[0]);
            let inner: Vec<f64> =
                dense(&state, &names.dense[4]).into_iter().map(|x| activation(kind.activation, x)).collect();
            next.push(norm(&add(&state, &dense(&inner, &names.dense[5])), &names.norms[1]));
        }
        states = next;
    }
    let pooled: Vec<f64> = (0..HIDDEN)
        .map(|column| {
            let mut column = states.iter().map(|state| state[column]);
            match kind.pooling {
                "cls_token" => column.next().unwrap(),
                "max_tokens" => column.fold(f64::MIN, f64::max),
                _ => column.sum(),
            }
        })
        .collect();
    let length = pooled.iter().map(|x| x * x).sum::<f64>().sqrt();
    pooled.iter().map(|x| x / length).collect()
}

fn activation(name: &str, x: f64) -> f64 {
    match name {
        "gelu_new" => {
            0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh())
        }
        "relu" => x.max(0.0),
        _ => {
            // Φ by many small steps.
            let steps = 20_000;
            let width = x / f64::from(steps);
            let density = |at: f64| (-at * at / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
            let area: f64 = (0..steps).map(|step| density((f64::from(step) + 0.5) * width) * width).sum();
            x * (0.5 + area)
        }
    }
}

fn open(kind: Kind) -> Transformer {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), kind);
    Transformer::open(temp.path()).unwrap()
}

#[track_caller]
fn check_near(vector: &[f32], expected: &[f64]) {
    assert_eq!(vector.len(), expected.len());
    for (one, two) in vector.iter().zip(expected) {
        assert!((f64::from(*one) - two).abs() < 1e-5, "{one} is not {two}");
    }
}

#[test]
fn vectors_are_those_of_the_textbook() {
    let kinds = [
        PLAIN,
        Kind { family: "xlm-roberta", prefix: "roberta.", ..PLAIN },
        Kind { pooling: "cls_token", prefix: "bert.", ..PLAIN },
        Kind { pooling: "max_tokens", activation: "gelu_new", ..PLAIN },
        Kind { family: "distilbert", prefix: "distilbert.", activation: "relu", ..PLAIN },
        Kind { dtype: "BF16", ..PLAIN },
    ];
    for kind in kinds {
        let transformer = open(kind);
        let texts = ["Retry requests after timeout!", "", "retry"];
        let vectors = transformer.embed(&texts, Side::Document);
        check_near(&vectors[0], &slow(kind, &[0, 4, 5, 6, 7, 8, 9, 3, 2]));
        check_near(&vectors[1], &slow(kind, &[0, 2]));
        check_near(&vectors[2], &slow(kind, &[0, 4, 2]));
    }
}

/// The tokenizer of XLM-RoBERTa and multilingual-e5.
#[test]
fn sentence_pieces_are_read_as_well_as_word_pieces() {
    let kind = Kind { family: "xlm-roberta", prefix: "roberta.", ..PLAIN };
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), kind);
    let pieces = [
        "<s>",
        "<pad>",
        "</s>",
        "<unk>",
        "▁retry",
        "▁request",
        "s",
        "▁after",
        "▁다시",
        "요청",
        "▁query",
        ":",
    ];
    let vocab: Vec<Value> =
        pieces.iter().enumerate().map(|(at, piece)| json!([piece, -(at as f64)])).collect();
    let mut read = tokenizer();
    read["normalizer"] = Value::Null;
    read["pre_tokenizer"] =
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true});
    read["model"] = json!({"type": "Unigram", "unk_id": 3, "vocab": vocab, "byte_fallback": false});
    std::fs::write(temp.path().join("tokenizer.json"), read.to_string()).unwrap();
    let transformer = Transformer::open(temp.path()).unwrap();
    let vectors = transformer.embed(&["retry requests", "다시요청 after"], Side::Document);
    check_near(&vectors[0], &slow(kind, &[0, 4, 5, 6, 2]));
    check_near(&vectors[1], &slow(kind, &[0, 8, 9, 7, 2]));
}

#[test]
fn long_texts_are_cut_where_places_end() {
    let transformer = open(PLAIN);
    assert_eq!((transformer.dims(), transformer.max_tokens()), (HIDDEN, PLACES));
    let long = transformer.embed(&["retry ".repeat(1000).as_str()], Side::Document);
    let tokens: Vec<usize> = [0].into_iter().chain([4; PLACES - 2]).chain([2]).collect();
    check_near(&long[0], &slow(PLAIN, &tokens));
    assert_eq!(open(Kind { family: "xlm-roberta", ..PLAIN }).max_tokens(), PLACES - 2);
}

#[test]
fn the_folder_says_what_goes_before_a_text_and_where_it_ends() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("model");
    write(&folder, PLAIN);
    let plain = Transformer::open(&folder).unwrap();
    let prompts = json!({"prompts": {"query": "query: ", "document": ""}});
    std::fs::write(folder.join("config_sentence_transformers.json"), prompts.to_string()).unwrap();
    std::fs::write(folder.join("sentence_bert_config.json"), r#"{"max_seq_length": 7}"#).unwrap();
    let said = Transformer::open(&folder).unwrap();
    assert_eq!(said.max_tokens(), 7);
    check_near(&said.embed(&["retry"], Side::Question)[0], &slow(PLAIN, &[0, 10, 11, 4, 2]));
    check_near(&said.embed(&["retry"], Side::Document)[0], &slow(PLAIN, &[0, 4, 2]));
    assert_ne!(plain.fingerprint(), said.fingerprint());
    assert_eq!(plain.fingerprint(), open(PLAIN).fingerprint());

    // A model of the e5 family is known by its name.
    let folder = temp.path().join("tiny-e5-small");
    write(&folder, PLAIN);
    let e5 = Transformer::open(&folder).unwrap();
    check_near(&e5.embed(&["retry"], Side::Question)[0], &slow(PLAIN, &[0, 10, 11, 4, 2]));
}

#[test]
fn only_encoders_are_taken_for_encoders() {
    let temp = tempfile::tempdir().unwrap();
    assert!(!Transformer::is_encoder(temp.path()));
    write(temp.path(), PLAIN);
    assert!(Transformer::is_encoder(temp.path()));
    for other in [r#"{"model_type": "model2vec", "normalize": true}"#, r#"{"normalize": true}"#, "{"] {
        std::fs::write(temp.path().join("config.json"), other).unwrap();
        assert!(!Transformer::is_encoder(temp.path()), "{other}");
    }
}

/// What is said of a folder after `damage` was done to it.
fn error_after(damage: impl Fn(&Path)) -> Error {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), PLAIN);
    damage(temp.path());
    let error = Transformer::open(temp.path()).err().expect("it is broken");
    assert!(error.hint().is_some(), "{error}");
    error
}

#[test]
fn broken_folders_are_errors_that_name_the_file() {
    let put = |name: &'static str, text: &'static str| {
        move |folder: &Path| std::fs::write(folder.join(name), text).unwrap()
    };
    let set = |key: &'static str, value: Value| {
        move |folder: &Path| {
            let mut config = config(PLAIN);
            config[key] = value.clone();
            std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
        }
    };
    let without = |name: &'static str| move |folder: &Path| std::fs::remove_file(folder.join(name)).unwrap();
    let weights = |change: fn(&mut Tensors), dtype: &'static str| {
        move |folder: &Path| {
            let mut tensors = tensors(PLAIN);
            change(&mut tensors);
            std::fs::write(folder.join("model.safetensors"), safetensors(&tensors, dtype)).unwrap();
        }
    };
    let tokens = |path: &'static str, value: Value| {
        move |folder: &Path| {
            let mut tokenizer = tokenizer();
            *tokenizer.pointer_mut(path).unwrap() = value.clone();
            std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
        }
    };
    type Damage = Box<dyn Fn(&Path)>;
    let cases: Vec<(Damage, &str, &str)> = vec![
        (Box::new(without("config.json")), "config.json", "there is no"),
        (Box::new(without("tokenizer.json")), "tokenizer.json", "there is no"),
        (Box::new(without("model.safetensors")), "model.safetensors", "there is no"),
        (
            Box::new(move |folder: &Path| {
                without("model.safetensors")(folder);
                put("model.safetensors.index.json", "{}")(folder);
            }),
            "model.safetensors.index.json",
            "several files",
        ),
        (Box::new(put("config.json", "{")), "config.json", "EOF"),
        (Box::new(put("tokenizer.json", "{}")), "tokenizer.json", "cannot be used"),
        (Box::new(put("modules.json", r#"[{"type": "a.b.Dense"}]"#)), "modules.json", "`Dense`"),
        (
            Box::new(put("1_Pooling/config.json", r#"{"pooling_mode": "lasttoken"}"#)),
            "config.json",
            "lasttoken",
        ),
        (Box::new(set("model_type", json!("nomic_bert"))), "config.json", "`nomic_bert`"),
        (Box::new(set("model_type", json!(null))), "config.json", "not supported"),
        (Box::new(set("num_attention_heads", json!(5))), "config.json", "5 heads"),
        (Box::new(set("num_attention_heads", json!(0))), "config.json", "0 heads"),
        (Box::new(set("hidden_size", json!(64))), "model.safetensors", "has the shape [12, 32]"),
        (Box::new(set("hidden_size", json!(-1))), "config.json", "invalid"),
        (Box::new(set("num_hidden_layers", json!(3))), "model.safetensors", "no tensor `encoder.layer.2"),
        (Box::new(set("intermediate_size", json!(64))), "model.safetensors", "intermediate.dense.weight"),
        (Box::new(set("hidden_act", json!("swish"))), "config.json", "`swish`"),
        (Box::new(set("position_embedding_type", json!("relative_key"))), "config.json", "relative_key"),
        (Box::new(weights(Tensors::clear, "F32")), "model.safetensors", "no tensor"),
        (
            Box::new(weights(|all| drop(all.remove("encoder.layer.1.output.LayerNorm.bias")), "F32")),
            "model.safetensors",
            "no tensor `encoder.layer.1.output.LayerNorm.bias`",
        ),
        (Box::new(weights(|_| {}, "I32")), "model.safetensors", "`I32`"),
        (Box::new(weights(|_| {}, "F16")), "model.safetensors", "bytes do not hold"),
        (
            Box::new(weights(|all| all.values_mut().next().unwrap().1[0] = f32::NAN, "F32")),
            "model.safetensors",
            "no number",
        ),
        (
            Box::new(weights(|all| all.values_mut().for_each(|tensor| tensor.0[0] = usize::MAX), "F32")),
            "model.safetensors",
            "cannot be used",
        ),
        (Box::new(tokens("/model/vocab/:", json!(12))), "tokenizer.json", "a token 12"),
        (
            Box::new(tokens("/post_processor/special_tokens/<s>/ids/0", json!(4_000_000_000u32))),
            "tokenizer.json",
            "a token 4000000000",
        ),
        (Box::new(tokens("/model/unk_token", json!("[NONE]"))), "tokenizer.json", "cannot be used"),
    ];
    for (damage, file, reason) in cases {
        let error = error_after(damage).to_string();
        assert!(error.contains(file) && error.contains(reason), "{error}: neither {file} nor {reason}");
    }
}

#[test]
fn cut_weights_are_errors() {
    let bytes = safetensors(&tensors(PLAIN), "F32");
    for length in [0, 7, 8, 100, bytes.len() / 2, bytes.len() - 1] {
        let error =
            error_after(|folder| std::fs::write(folder.join("model.safetensors"), &bytes[..length]).unwrap());
        assert!(error.to_string().contains("model.safetensors"), "{error}");
    }
    let endless = [u64::MAX.to_le_bytes().as_slice(), &bytes[8..]].concat();
    error_after(|folder| std::fs::write(folder.join("model.safetensors"), &endless).unwrap());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn a_text_has_the_same_vector_alone_and_among_others(
        texts in proptest::collection::vec("((retry|request|s|after|timeout|\\PC{1,3}|<pad>) ?){0,30}", 1..60),
    ) {
        static TRANSFORMER: std::sync::LazyLock<Transformer> =
            std::sync::LazyLock::new(|| open(Kind { family: "xlm-roberta", ..PLAIN }));
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let together = TRANSFORMER.embed(&texts, Side::Document);
        proptest::prop_assert_eq!(together.len(), texts.len());
        for (text, vector) in texts.iter().zip(&together) {
            proptest::prop_assert_eq!(&TRANSFORMER.embed(&[text], Side::Document)[0], vector);
            let length: f32 = vector.iter().map(|x| x * x).sum();
            proptest::prop_assert!((length - 1.0).abs() < 1e-5);
        }
    }
}
