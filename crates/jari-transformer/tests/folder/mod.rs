//! A folder with a tiny encoder of chance numbers.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test file uses its part of it")]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

pub const HIDDEN: usize = 32;
pub const INNER: usize = 48;
pub const HEADS: usize = 4;
pub const LAYERS: usize = 2;
pub const PLACES: usize = 24;
pub const WORDS: [&str; 12] =
    ["<s>", "<pad>", "</s>", "[UNK]", "retry", "request", "##s", "after", "time", "##out", "query", ":"];

pub type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// How a folder differs from plain BERT.
#[derive(Clone, Copy)]
pub struct Kind {
    pub family: &'static str,
    pub pooling: &'static str,
    pub prefix: &'static str,
    pub activation: &'static str,
    pub dtype: &'static str,
}

pub const PLAIN: Kind =
    Kind { family: "bert", pooling: "mean_tokens", prefix: "", activation: "gelu", dtype: "F32" };

pub fn tensors(kind: Kind) -> Tensors {
    let mut state = 42u64;
    let mut tensors = Tensors::new();
    let mut add = |name: &str, shape: &[usize], about: f32| {
        let count = shape.iter().product();
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let x = ((state >> 40) as f32 / (1 << 23) as f32 - 1.0) * 0.3 + about;
            // What numbers of sixteen bits hold, too.
            f32::from_bits(x.to_bits() & 0xffff_0000)
        };
        let elements = std::iter::repeat_with(next).take(count).collect();
        tensors.insert(format!("{}{name}", kind.prefix), (shape.to_vec(), elements));
    };
    add("embeddings.word_embeddings.weight", &[WORDS.len(), HIDDEN], 0.0);
    add("embeddings.position_embeddings.weight", &[PLACES, HIDDEN], 0.0);
    if kind.family != "distilbert" {
        add("embeddings.token_type_embeddings.weight", &[2, HIDDEN], 0.0);
    }
    let mut add_dense = |name: &str, from: usize, to: usize| {
        add(&format!("{name}.weight"), &[to, from], 0.0);
        add(&format!("{name}.bias"), &[to], 0.0);
    };
    for number in 0..LAYERS {
        let names = Names::of(kind, number);
        for name in &names.dense[..4] {
            add_dense(name, HIDDEN, HIDDEN);
        }
        add_dense(&names.dense[4], HIDDEN, INNER);
        add_dense(&names.dense[5], INNER, HIDDEN);
    }
    let norms = (0..LAYERS).flat_map(|number| Names::of(kind, number).norms);
    for name in norms.chain(["embeddings.LayerNorm".to_owned()]) {
        add(&format!("{name}.weight"), &[HIDDEN], 1.0);
        add(&format!("{name}.bias"), &[HIDDEN], 0.0);
    }
    tensors
}

pub struct Names {
    /// Query, key, value, out, up, down.
    pub dense: [String; 6],
    pub norms: [String; 2],
}

impl Names {
    pub fn of(kind: Kind, number: usize) -> Self {
        let bert =
            ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"];
        let (layer, first, second, norms) = match kind.family {
            "distilbert" => (
                format!("transformer.layer.{number}"),
                ["attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"],
                ["ffn.lin1", "ffn.lin2"],
                ["sa_layer_norm", "output_layer_norm"],
            ),
            _ => (
                format!("encoder.layer.{number}"),
                bert,
                ["intermediate.dense", "output.dense"],
                ["attention.output.LayerNorm", "output.LayerNorm"],
            ),
        };
        let [a, b, c, d] = first.map(|name| format!("{layer}.{name}"));
        let [e, f] = second.map(|name| format!("{layer}.{name}"));
        Self { dense: [a, b, c, d, e, f], norms: norms.map(|name| format!("{layer}.{name}")) }
    }
}

pub fn safetensors(tensors: &Tensors, dtype: &str) -> Vec<u8> {
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, (shape, elements)) in tensors {
        let start = data.len();
        for x in elements {
            match dtype {
                "BF16" => data.extend(((x.to_bits() >> 16) as u16).to_le_bytes()),
                _ => data.extend(x.to_le_bytes()),
            }
        }
        header.insert(
            name.clone(),
            json!({"dtype": dtype, "shape": shape, "data_offsets": [start, data.len()]}),
        );
    }
    header.insert("__metadata__".to_owned(), json!({"format": "pt"}));
    let header = Value::from(header).to_string();
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

pub fn config(kind: Kind) -> Value {
    match kind.family {
        "distilbert" => json!({
            "model_type": "distilbert", "dim": HIDDEN, "n_layers": LAYERS, "n_heads": HEADS, "hidden_dim": INNER,
            "activation": kind.activation, "pad_token_id": 1,
        }),
        family => json!({
            "model_type": family, "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS, "intermediate_size": INNER, "hidden_act": kind.activation,
            "layer_norm_eps": 1e-5, "pad_token_id": 1, "max_position_embeddings": PLACES, "type_vocab_size": 2,
        }),
    }
}

pub fn tokenizer() -> Value {
    let vocab: BTreeMap<&str, usize> =
        WORDS.iter().enumerate().map(|(number, word)| (*word, number)).collect();
    let special = |id: usize| {
        json!({"id": id, "content": WORDS[id], "special": true, "single_word": false, "lstrip": false,
               "rstrip": false, "normalized": false})
    };
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 16}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 1,
                    "pad_type_id": 0, "pad_token": "<pad>"},
        "added_tokens": [special(0), special(1), special(2)],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                       "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]},
                               "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}},
        },
        "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocab},
    })
}

pub fn write(folder: &Path, kind: Kind) {
    std::fs::create_dir_all(folder.join("1_Pooling")).unwrap();
    let put = |name: &str, value: Value| std::fs::write(folder.join(name), value.to_string()).unwrap();
    put("config.json", config(kind));
    put("tokenizer.json", tokenizer());
    put(
        "1_Pooling/config.json",
        json!({"word_embedding_dimension": HIDDEN, format!("pooling_mode_{}", kind.pooling): true}),
    );
    std::fs::write(folder.join("model.safetensors"), safetensors(&tensors(kind), kind.dtype)).unwrap();
}
