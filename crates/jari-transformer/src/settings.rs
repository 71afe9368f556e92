//! What a folder says of its encoder: sizes, how tokens become one vector, what goes before a question.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::kernel::Activation;

/// All that is needed besides weights and tokenizer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) family: Family,
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) inner: usize,
    pub(crate) epsilon: f32,
    pub(crate) activation: Activation,
    pub(crate) positions: Positions,
    pub(crate) pooling: Pooling,
    /// Where texts are cut, if the folder says it.
    pub(crate) longest: Option<usize>,
    /// Whether texts are made lower before the tokenizer sees them.
    pub(crate) lower: bool,
    pub(crate) prefixes: Prefixes,
}

/// How tensors are called, and where positions begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Bert,
    Roberta,
    Distilbert,
}

/// How the states of the tokens become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pooling {
    /// Their mean. So it is where a folder does not say: most encoders were trained like this.
    Mean,
    /// The state of the first token.
    First,
    /// The largest of each element.
    Most,
}

/// How the places of a text are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Positions {
    /// From nought.
    Plain,
    /// From behind the number of the token that pads, which itself has no place.
    Behind(u32),
}

/// What goes before a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Prefixes {
    pub(crate) question: String,
    pub(crate) document: String,
}

/// The names of tensors, without what may stand before all of them.
pub(crate) struct Names {
    pub(crate) words: &'static str,
    pub(crate) places: &'static str,
    pub(crate) kinds: Option<&'static str>,
    pub(crate) norm: &'static str,
    /// Before the number of a layer and the names that follow.
    pub(crate) layers: &'static str,
    pub(crate) query: &'static str,
    pub(crate) key: &'static str,
    pub(crate) value: &'static str,
    pub(crate) attention_out: &'static str,
    pub(crate) attention_norm: &'static str,
    pub(crate) up: &'static str,
    pub(crate) down: &'static str,
    pub(crate) layer_norm: &'static str,
}

const BERT: Names = Names {
    words: "embeddings.word_embeddings.weight",
    places: "embeddings.position_embeddings.weight",
    kinds: Some("embeddings.token_type_embeddings.weight"),
    norm: "embeddings.LayerNorm",
    layers: "encoder.layer",
    query: "attention.self.query",
    key: "attention.self.key",
    value: "attention.self.value",
    attention_out: "attention.output.dense",
    attention_norm: "attention.output.LayerNorm",
    up: "intermediate.dense",
    down: "output.dense",
    layer_norm: "output.LayerNorm",
};

const DISTILBERT: Names = Names {
    kinds: None,
    layers: "transformer.layer",
    query: "attention.q_lin",
    key: "attention.k_lin",
    value: "attention.v_lin",
    attention_out: "attention.out_lin",
    attention_norm: "sa_layer_norm",
    up: "ffn.lin1",
    down: "ffn.lin2",
    layer_norm: "output_layer_norm",
    ..BERT
};

impl Family {
    /// The family of a `model_type`.
    fn of(name: &str) -> Option<Self> {
        match name {
            "bert" => Some(Self::Bert),
            "roberta" | "xlm-roberta" | "camembert" => Some(Self::Roberta),
            "distilbert" => Some(Self::Distilbert),
            _ => None,
        }
    }

    pub(crate) fn names(self) -> &'static Names {
        match self {
            Self::Bert | Self::Roberta => &BERT,
            Self::Distilbert => &DISTILBERT,
        }
    }
}

impl Positions {
    /// The first place there is.
    pub(crate) fn first(self) -> usize {
        match self {
            Self::Plain => 0,
            Self::Behind(pad) => pad as usize + 1,
        }
    }

    /// The place of each token.
    pub(crate) fn of(self, tokens: &[u32]) -> impl Iterator<Item = usize> {
        let mut next = self.first();
        tokens.iter().map(move |token| match self {
            Self::Behind(pad) if *token == pad => pad as usize,
            _ => {
                next += 1;
                next - 1
            }
        })
    }
}

/// `config.json`. The second names are those of DistilBERT.
#[derive(Deserialize)]
struct Config {
    #[serde(alias = "dim")]
    hidden_size: usize,
    #[serde(alias = "n_layers")]
    num_hidden_layers: usize,
    #[serde(alias = "n_heads")]
    num_attention_heads: usize,
    #[serde(alias = "hidden_dim")]
    intermediate_size: usize,
    layer_norm_eps: Option<f32>,
    #[serde(alias = "activation")]
    hidden_act: Option<String>,
    position_embedding_type: Option<String>,
    pad_token_id: Option<u32>,
    #[serde(rename = "_name_or_path")]
    name: Option<String>,
}

#[derive(Deserialize)]
struct ModelType {
    model_type: Option<String>,
}

/// Whether the folder holds an encoder of a known family.
pub(crate) fn is_encoder(folder: &Path) -> bool {
    let config = read::<ModelType>(&folder.join("config.json"));
    let known = config
        .ok()
        .flatten()
        .and_then(|config| config.model_type)
        .is_some_and(|name| Family::of(&name).is_some());
    known && folder.join("model.safetensors").is_file()
}

impl Settings {
    pub(crate) fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("config.json");
        let missing = || Error::Missing { path: path.clone() };
        // The architecture first: settings of another one are called otherwise.
        let found = read::<ModelType>(&path)?.ok_or_else(missing)?.model_type.unwrap_or_default();
        let family = Family::of(&found).ok_or(Error::Architecture { path: path.clone(), found })?;
        let config: Config = read(&path)?.ok_or_else(missing)?;
        let damaged = |reason: String| Error::Damaged { path: path.clone(), reason };
        let Config { hidden_size: hidden, num_attention_heads: heads, intermediate_size: inner, .. } = config;
        if [hidden, heads, inner, config.num_hidden_layers].contains(&0) || hidden % heads != 0 {
            return Err(damaged(format!(
                "{heads} heads cannot share {hidden} elements, with {inner} between"
            )));
        }
        let activation = match config.hidden_act.as_deref() {
            None | Some("gelu") => Activation::Gelu,
            Some("gelu_new" | "gelu_pytorch_tanh" | "gelu_fast") => Activation::GeluTanh,
            Some("relu") => Activation::Relu,
            Some(other) => {
                return Err(damaged(format!(
                    "the activation `{other}` is not known; `gelu`, `gelu_new` and `relu` are"
                )));
            }
        };
        if let Some(other) = config.position_embedding_type.as_deref().filter(|kind| *kind != "absolute") {
            return Err(damaged(format!("positions are `{other}`, and only `absolute` ones are known")));
        }
        let modules = Modules::read(folder)?;
        Ok(Self {
            family,
            hidden,
            layers: config.num_hidden_layers,
            heads,
            inner,
            epsilon: config.layer_norm_eps.unwrap_or(1e-12),
            activation,
            positions: match family {
                Family::Roberta => Positions::Behind(config.pad_token_id.unwrap_or(1)),
                Family::Bert | Family::Distilbert => Positions::Plain,
            },
            pooling: modules.pooling,
            longest: modules.longest,
            lower: modules.lower,
            prefixes: Prefixes::read(folder, config.name.as_deref().unwrap_or_default())?,
        })
    }
}

/// What sentence-transformers does around the encoder.
struct Modules {
    pooling: Pooling,
    longest: Option<usize>,
    lower: bool,
}

#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    path: String,
    r#type: String,
}

#[derive(Deserialize, Default)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

#[derive(Deserialize)]
struct TokenizerConfig {
    /// Where there is no end, a number of thirty digits stands here.
    model_max_length: Option<f64>,
}

impl Modules {
    fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("modules.json");
        let modules: Vec<Module> = read(&path)?.unwrap_or_default();
        let mut pooling = "1_Pooling".to_owned();
        for module in modules {
            match module.r#type.rsplit('.').next().unwrap_or_default() {
                "Transformer" | "Normalize" => {}
                "Pooling" => pooling = module.path,
                other => {
                    let reason = format!("vectors go through a module `{other}`, which is not known");
                    return Err(Error::Damaged { path, reason });
                }
            }
        }
        let sentence: SentenceConfig = read(&folder.join("sentence_bert_config.json"))?.unwrap_or_default();
        let tokenizer: Option<TokenizerConfig> = read(&folder.join("tokenizer_config.json"))?;
        let tokenizer =
            tokenizer.and_then(|tokenizer| tokenizer.model_max_length).filter(|most| *most >= 1.0);
        Ok(Self {
            pooling: Pooling::read(&folder.join(pooling).join("config.json"))?,
            // A number too large for the type becomes its largest.
            longest: sentence.max_seq_length.or(tokenizer.map(|most| most as usize)),
            lower: sentence.do_lower_case,
        })
    }
}

impl Pooling {
    fn read(path: &Path) -> Result<Self, Error> {
        let Some(config) = read::<serde_json::Map<String, serde_json::Value>>(path)? else {
            return Ok(Self::Mean);
        };
        let damaged = |reason: String| Error::Damaged { path: path.to_owned(), reason };
        if config.get("include_prompt").and_then(serde_json::Value::as_bool) == Some(false) {
            return Err(damaged("it leaves prefixes out of the vector, which is not known".to_owned()));
        }
        // One name, or a word for each way.
        let named = config.get("pooling_mode").and_then(serde_json::Value::as_str);
        let ways = config.iter().filter(|(_, value)| value.as_bool() == Some(true));
        let ways: Vec<&str> =
            ways.filter_map(|(key, _)| key.strip_prefix("pooling_mode_")).chain(named).collect();
        match ways.as_slice() {
            [] | ["mean_tokens" | "mean" | "mean_sqrt_len_tokens" | "mean_sqrt_len"] => Ok(Self::Mean),
            ["cls_token" | "cls"] => Ok(Self::First),
            ["max_tokens" | "max"] => Ok(Self::Most),
            others => {
                let reason =
                    format!("tokens are joined by `{}`; known are mean, cls or max", others.join("` and `"));
                Err(damaged(reason))
            }
        }
    }
}

#[derive(Deserialize)]
struct Prompts {
    #[serde(default)]
    prompts: std::collections::BTreeMap<String, String>,
    default_prompt_name: Option<String>,
}

impl Prefixes {
    fn read(folder: &Path, name: &str) -> Result<Self, Error> {
        let prompts: Option<Prompts> = read(&folder.join("config_sentence_transformers.json"))?;
        let said = prompts.map(|Prompts { prompts, default_prompt_name }| {
            let prompt = |keys: &[&str]| {
                let keys = keys.iter().copied().chain(default_prompt_name.as_deref());
                keys.filter_map(|key| prompts.get(key)).next().cloned().unwrap_or_default()
            };
            Self { question: prompt(&["query", "question"]), document: prompt(&["document", "passage"]) }
        });
        // Later versions of sentence-transformers write empty prompts into every folder.
        match said {
            Some(said) if said != Self::default() => Ok(said),
            _ => Ok(names(folder)
                .chain([name.to_owned()])
                .find_map(|name| Self::of_family(&name))
                .unwrap_or_default()),
        }
    }

    /// What models were trained with that do not say it in their folder.
    fn of_family(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric() && c != '.').collect();
        let has = |word: &str| words.contains(&word);
        if has("e5") && !has("instruct") {
            return Some(Self { question: "query: ".to_owned(), document: "passage: ".to_owned() });
        }
        if has("bge") && has("en") {
            let question = "Represent this sentence for searching relevant passages: ".to_owned();
            return Some(Self { question, document: String::new() });
        }
        None
    }
}

/// What the folder may be called: by itself, or, in the cache of Hugging Face, two above it.
fn names(folder: &Path) -> impl Iterator<Item = String> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let cache = folder.parent().filter(|parent| parent.ends_with("snapshots")).and_then(Path::parent);
    let names = [Some(folder.as_path()), cache].into_iter().flatten().filter_map(Path::file_name);
    names.map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>().into_iter()
}

/// A file of JSON, if there is one.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let bytes = match fs_err::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Unreadable { path: path.to_owned(), source }),
    };
    let value = serde_json::from_slice(&bytes);
    value.map(Some).map_err(|error| Error::Damaged { path: path.to_owned(), reason: error.to_string() })
}
