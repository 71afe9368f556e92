//! Vectors, as everyone but their maker and their index sees them.

use std::path::PathBuf;

use crate::words;

/// Which vectors may be compared with each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// Who made them.
    pub provider: String,
    /// With which model.
    pub model: String,
    /// How long they are.
    pub dims: usize,
    /// Of the model and of how texts are cut: vectors with another one are of no use.
    pub fingerprint: u64,
}

impl Space {
    /// The folder of these vectors, below that of all vectors.
    pub fn folder(&self) -> PathBuf {
        let plain = |name: &str| -> String {
            let keep = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
            let plain: String = name.chars().map(keep).collect();
            format!("{}{}", if plain.starts_with('.') { "_" } else { "" }, plain)
        };
        [plain(&self.provider), plain(&self.model)].iter().collect()
    }
}

words! {
    /// How vectors are searched.
    Backend {
        /// By looking at every one.
        Exact = "exact",
        /// Along a graph.
        Hnsw = "hnsw",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_the_folder() {
        let space = |provider: &str, model: &str| Space {
            provider: provider.to_owned(),
            model: model.to_owned(),
            dims: 1,
            fingerprint: 0,
        };
        assert_eq!(space("bundled", "jari").folder(), PathBuf::from("bundled/jari"));
        assert_eq!(space("..", "../a b/c").folder(), PathBuf::from("_../_..-a-b-c"));
    }
}
