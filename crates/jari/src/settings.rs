//! Settings: flags, then the environment, then `jari.toml`, then the user's file, then the defaults.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use jari_base::Bm25;
use jari_source::Limits;
use serde::Deserialize;

use crate::failure::Failure;

/// A setting, as the reference page lists it.
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) variable: &'static str,
    pub(crate) default: &'static str,
    pub(crate) project: bool,
    pub(crate) about: &'static str,
}

/// The one list of settings.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "index_dir",
        variable: "JARI_INDEX_DIR",
        default: "`.jari` in the project",
        project: false,
        about: "Where the index is kept. A checked-in `jari.toml` cannot set it.",
    },
    Setting {
        key: "max_file_size",
        variable: "JARI_MAX_FILE_SIZE",
        default: "`1048576`",
        project: true,
        about: "Files with more bytes are skipped.",
    },
    Setting {
        key: "bm25_k1",
        variable: "JARI_BM25_K1",
        default: "`1.5`",
        project: true,
        about: "How fast repeated words stop adding to a score.",
    },
    Setting {
        key: "bm25_b",
        variable: "JARI_BM25_B",
        default: "`0.75`",
        project: true,
        about: "How much long texts are held back, 0 to 1.",
    },
];

/// Settings as they hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) index_dir: Option<PathBuf>,
    pub(crate) limits: Limits,
    pub(crate) bm25: Bm25,
    /// What was set but does not count.
    pub(crate) notes: Vec<String>,
}

/// Settings as one place has them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Layer {
    index_dir: Option<PathBuf>,
    max_file_size: Option<u64>,
    bm25_k1: Option<f32>,
    bm25_b: Option<f32>,
}

impl Settings {
    /// What holds for the project at `root`; `index_dir` is the flag.
    pub(crate) fn resolve(root: &Path, index_dir: Option<PathBuf>) -> Result<Self, Failure> {
        let flags = Layer { index_dir, ..Layer::default() };
        let environment = environment(|name| std::env::var(name).ok())?;
        let mut project = file(&root.join("jari.toml"))?;
        let mut notes = Vec::new();
        if project.index_dir.take().is_some() {
            notes.push(
                "`index_dir` in `jari.toml` does not count: a checked-in file cannot move the index"
                    .to_owned(),
            );
        }
        let user = match etcetera::choose_base_strategy() {
            Ok(base) => file(&base.config_dir().join("jari").join("config.toml"))?,
            Err(_) => Layer::default(),
        };
        let layers = [flags, environment, project, user];
        let defaults = (Limits::default(), Bm25::default());
        // Every field is named, so that a new setting cannot be forgotten here.
        let Layer { index_dir, max_file_size, bm25_k1, bm25_b } =
            layers.into_iter().fold(Layer::default(), first);
        let settings = Self {
            index_dir,
            limits: Limits { max_file_size: max_file_size.unwrap_or(defaults.0.max_file_size) },
            bm25: Bm25 { k1: bm25_k1.unwrap_or(defaults.1.k1), b: bm25_b.unwrap_or(defaults.1.b) },
            notes,
        };
        settings.check()
    }

    fn check(self) -> Result<Self, Failure> {
        let Bm25 { k1, b } = self.bm25;
        if !(0.0..=10.0).contains(&k1) {
            return Err(Failure::setting(
                format!("bm25_k1 is {k1}"),
                "it lies between 0 and 10; 1.5 is usual",
            ));
        }
        if !(0.0..=1.0).contains(&b) {
            return Err(Failure::setting(format!("bm25_b is {b}"), "it lies between 0 and 1; 0.75 is usual"));
        }
        Ok(self)
    }
}

/// The first layer that has a value wins.
fn first(above: Layer, below: Layer) -> Layer {
    let Layer { index_dir, max_file_size, bm25_k1, bm25_b } = below;
    Layer {
        index_dir: above.index_dir.or(index_dir),
        max_file_size: above.max_file_size.or(max_file_size),
        bm25_k1: above.bm25_k1.or(bm25_k1),
        bm25_b: above.bm25_b.or(bm25_b),
    }
}

fn environment(variable: impl Fn(&str) -> Option<String>) -> Result<Layer, Failure> {
    fn number<N: std::str::FromStr>(name: &str, value: Option<String>) -> Result<Option<N>, Failure> {
        let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(None) };
        let parsed = value.trim().parse().ok();
        parsed.map(Some).ok_or_else(|| {
            Failure::setting(
                format!("{name} is `{value}`, which is no such number"),
                format!("unset {name} or give a number"),
            )
        })
    }
    Ok(Layer {
        index_dir: variable("JARI_INDEX_DIR").filter(|value| !value.is_empty()).map(PathBuf::from),
        max_file_size: number("JARI_MAX_FILE_SIZE", variable("JARI_MAX_FILE_SIZE"))?,
        bm25_k1: number("JARI_BM25_K1", variable("JARI_BM25_K1"))?,
        bm25_b: number("JARI_BM25_B", variable("JARI_BM25_B"))?,
    })
}

fn file(path: &Path) -> Result<Layer, Failure> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(Layer::default()) };
    toml::from_str(&text).map_err(|error| {
        let known: Vec<_> = SETTINGS.iter().map(|setting| setting.key).collect();
        let message = format!("`{}` cannot be used: {}", path.display(), error.to_string().trim());
        Failure::setting(message, format!("the settings are {}", known.join(", ")))
    })
}

/// Where an index is kept when the project cannot hold it: in the user's cache, by the project's path.
pub(crate) fn cache_dir(root: &Path) -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    let path: String =
        root.to_string_lossy().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    // File names end at 255 bytes, and the end of a path is its telling part.
    let telling = &path[path.ceil_char_boundary(path.len().saturating_sub(180))..];
    // FNV-1a, so that `a-b` and `a/b` do not share a folder.
    let bytes = root.as_os_str().as_encoded_bytes();
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Some(base.cache_dir().join("jari").join("indexes").join(format!("{telling}-{hash:016x}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_layers_win() {
        let near = Layer { bm25_b: Some(0.5), ..Layer::default() };
        let far = Layer { bm25_b: Some(0.9), max_file_size: Some(7), ..Layer::default() };
        let both = first(near, far);
        assert_eq!((both.bm25_b, both.max_file_size), (Some(0.5), Some(7)));
    }

    #[test]
    fn every_setting_has_its_variable() {
        let seen = std::cell::RefCell::new(Vec::new());
        environment(|name| {
            seen.borrow_mut().push(name.to_owned());
            None
        })
        .expect("nothing is set");
        let listed: Vec<_> = SETTINGS.iter().map(|setting| setting.variable.to_owned()).collect();
        assert_eq!(seen.into_inner(), listed);
    }

    #[test]
    fn words_where_a_number_belongs_are_refused() {
        assert!(environment(|name| (name == "JARI_BM25_B").then(|| "much".to_owned())).is_err());
    }
}
