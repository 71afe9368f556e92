//! What answers were taken from lately. Questions come back to the same files, and unpacking a text takes longer than anything that is
//! done with a few of its lines.

use std::collections::HashMap;
use std::hash::Hash;

use jari_base::{ChunkId, Document, FileId};
use jari_store::StoredChunk;

/// Bytes that are kept at most of texts, and of chunks, more or less.
const MOST: usize = 24 << 20;

/// What a text, a chunk or a section takes beside its words, about.
const BESIDE: usize = 512;

/// A file as it is unpacked.
pub(crate) struct Opened {
    pub(crate) text: String,
    /// Where a chunk of it has a section.
    pub(crate) document: Option<Document>,
}

/// The files and chunks of one state that were asked for lately.
#[derive(Default)]
pub(crate) struct Recent {
    files: Kept<FileId, Opened>,
    chunks: Kept<ChunkId, StoredChunk>,
}

impl Recent {
    pub(crate) fn file(&mut self, file: FileId) -> Option<&Opened> {
        self.files.get(file)
    }

    pub(crate) fn put_file(&mut self, file: FileId, opened: Opened) -> &Opened {
        let sections = opened.document.as_ref().map_or(0, |document| document.sections.len());
        let bytes = opened.text.len() + BESIDE * (1 + sections);
        self.files.put(file, opened, bytes)
    }

    pub(crate) fn chunk(&mut self, id: ChunkId) -> Option<&StoredChunk> {
        self.chunks.get(id)
    }

    pub(crate) fn put_chunk(&mut self, chunk: StoredChunk) -> &StoredChunk {
        let bytes = chunk.text.len() + BESIDE * (1 + chunk.sections.len());
        self.chunks.put(chunk.id, chunk, bytes)
    }
}

/// Two generations: what is asked for moves to the newer one, and when that has grown to half of [`MOST`] it becomes the older, which is
/// forgotten.
struct Kept<K, V> {
    newer: HashMap<K, (V, usize)>,
    older: HashMap<K, (V, usize)>,
    /// Of the newer one.
    bytes: usize,
}

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self { newer: HashMap::new(), older: HashMap::new(), bytes: 0 }
    }
}

impl<K: Copy + Eq + Hash, V> Kept<K, V> {
    fn get(&mut self, key: K) -> Option<&V> {
        if let Some((value, bytes)) = self.older.remove(&key) {
            self.put(key, value, bytes);
        }
        self.newer.get(&key).map(|(value, _)| value)
    }

    fn put(&mut self, key: K, value: V, bytes: usize) -> &V {
        if self.bytes >= MOST / 2 {
            self.older = std::mem::take(&mut self.newer);
            self.bytes = 0;
        }
        self.bytes += bytes;
        &self.newer.entry(key).insert_entry((value, bytes)).into_mut().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_for_lately_is_forgotten() {
        let mut kept = Kept::default();
        for number in 0..9 {
            kept.put(number, (), MOST / 4);
            assert!(kept.get(0).is_some(), "it is asked for each time");
            assert!(kept.bytes <= MOST / 2 + MOST / 4);
        }
        assert!(kept.get(1).is_none() && kept.get(8).is_some());
    }
}
