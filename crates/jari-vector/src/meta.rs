//! `meta.json`: what lies beside it, for people and for other programs. Nothing is decided by it.

use std::path::Path;

use jari_base::Space;

use crate::Error;

/// What is said of a folder of vectors.
pub(crate) struct Meta<'a> {
    pub(crate) space: &'a Space,
    pub(crate) rows: usize,
    pub(crate) checksum: u32,
    /// `m` and `ef_construction` of the graph that was built over them, where there is one.
    pub(crate) graph: Option<(usize, usize)>,
}

impl Meta<'_> {
    /// Writes it aside, then in the place of the old one.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Error> {
        let Self { space: Space { provider, model, dims, fingerprint }, rows, checksum, graph } = self;
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
        });
        let aside = folder.join("meta.json.new");
        fs_err::write(&aside, format!("{meta:#}\n")).map_err(Error::Writing)?;
        fs_err::rename(&aside, folder.join("meta.json")).map_err(Error::Writing)
    }
}
