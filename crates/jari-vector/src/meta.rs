//! `meta.json`: what lies beside it, for people and for other programs. Nothing is decided by it.

use std::path::Path;
use std::time::Duration;

use jari_base::Space;

use crate::Error;

const NAME: &str = "meta.json";

/// What is said of a folder of vectors.
pub(crate) struct Meta<'a> {
    pub(crate) space: &'a Space,
    pub(crate) rows: usize,
    pub(crate) checksum: u32,
    /// `m` and `ef_construction` of the graph that was built over them, where there is one.
    pub(crate) graph: Option<(usize, usize)>,
    pub(crate) built: Built,
}

/// How long vectors took to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Built {
    /// From the first vector to the last, when all were made together.
    pub rows: Duration,
    /// The graph over them.
    pub graph: Duration,
}

impl Built {
    /// What was said of the vectors in `folder`; nothing where nobody knows.
    pub fn read(folder: &Path) -> Self {
        let meta = std::fs::read(folder.join(NAME)).ok();
        let meta: Option<serde_json::Value> = meta.and_then(|meta| serde_json::from_slice(&meta).ok());
        let milliseconds = |key: &str| {
            let number = meta.as_ref().and_then(|meta| meta.get(key)?.as_u64());
            Duration::from_millis(number.unwrap_or_default())
        };
        Self { rows: milliseconds("build_ms"), graph: milliseconds("graph_build_ms") }
    }
}

impl Meta<'_> {
    /// Writes it aside, then in the place of the old one.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Error> {
        let Self { space: Space { provider, model, dims, fingerprint }, rows, checksum, graph, built } = self;
        let parameters = match graph {
            Some((m, ef_construction)) => {
                serde_json::json!({ "backend": "hnsw", "m": m, "ef_construction": ef_construction })
            }
            None => serde_json::json!({ "backend": "exact" }),
        };
        let meta = serde_json::json!({
            "version": 1,
            "provider": provider,
            "model": model,
            "dims": dims,
            "count": rows,
            "fingerprint": format!("{fingerprint:016x}"),
            "parameters": parameters,
            "checksum": format!("{checksum:08x}"),
            "build_ms": built.rows.as_millis() as u64,
            "graph_build_ms": built.graph.as_millis() as u64,
        });
        let aside = folder.join("meta.json.new");
        fs_err::write(&aside, format!("{meta:#}\n")).map_err(Error::Writing)?;
        fs_err::rename(&aside, folder.join(NAME)).map_err(Error::Writing)
    }
}
