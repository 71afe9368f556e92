//! Which words of a file go into which field of the index.

use jari_base::{Chunk, ChunkKind, Chunked, Document};
use jari_store::ChunkWords;
use jari_text::Tokenizer;

/// Changes whenever the same chunks give other fields than before.
pub(crate) const VERSION: u32 = 2;

/// The words of a path.
pub(crate) fn path_words(tokenizer: &mut Tokenizer, path: &str) -> String {
    tokenizer.lines(path)
}

/// The words of each chunk, in order. `text` is what a reader of the file sees (`jari_chunk::prose`).
pub(crate) fn chunk_words(tokenizer: &mut Tokenizer, text: &str, chunked: &Chunked) -> Vec<ChunkWords> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
    let slice = |first: u32, last: u32| {
        let start = starts.get(first as usize - 1).copied().unwrap_or(text.len());
        &text[start..starts.get(last as usize).copied().unwrap_or(text.len())]
    };
    let words = |chunk: &Chunk| {
        if let (Some(document), Some(section)) = (&chunked.document, chunk.section) {
            let head = chunk.head.map(|head| slice(head.start, head.end)).unwrap_or_default();
            let body = tokenizer.lines(head) + &tokenizer.lines(slice(chunk.lines.start, chunk.lines.end));
            return section_words(tokenizer, document, section, chunk, body);
        }
        let mut body = tokenizer.lines(slice(chunk.lines.start, chunk.lines.end));
        body.push_str(&tokenizer.lines(&signatures(chunk, chunked)));
        ChunkWords {
            name: tokenizer.lines(&names(chunk, chunked)),
            doc: chunk.doc.map(|doc| tokenizer.lines(slice(doc.start, doc.end))).unwrap_or_default(),
            body,
        }
    };
    chunked.chunks.iter().map(words).collect()
}

/// A section is named by the headings it holds; what surrounds it stands where a doc comment would.
fn section_words(
    tokenizer: &mut Tokenizer,
    document: &Document,
    section: u32,
    chunk: &Chunk,
    body: String,
) -> ChunkWords {
    let held =
        document.sections[section as usize..].iter().take_while(|held| held.lines.start <= chunk.lines.end);
    let mut path = document.heading_path(section);
    path.pop();
    path.extend(document.title.clone());
    ChunkWords {
        name: held.map(|held| tokenizer.lines(&held.title)).collect(),
        doc: path.iter().map(|title| tokenizer.lines(title)).collect(),
        body,
    }
}

/// The names a chunk defines: what it is the body of, and what begins in it.
fn names(chunk: &Chunk, chunked: &Chunked) -> String {
    let own = chunk.symbol.map(|symbol| chunked.symbols[symbol as usize].qualified()).unwrap_or_default();
    let first = chunked.symbols.partition_point(|symbol| symbol.lines.start < chunk.lines.start);
    let inside = chunked.symbols[first..].iter().take_while(|symbol| symbol.lines.start <= chunk.lines.end);
    inside.fold(own, |names, symbol| names + " " + &symbol.name)
}

/// A type's own chunk also speaks of its members, whose bodies are chunks of their own.
fn signatures(chunk: &Chunk, chunked: &Chunked) -> String {
    let Some(owner) = chunk.symbol.filter(|_| chunk.kind == ChunkKind::Class) else { return String::new() };
    let owner = &chunked.symbols[owner as usize];
    if !chunk.lines.contains(owner.lines.start) {
        return String::new();
    }
    let first = chunked.symbols.partition_point(|symbol| symbol.lines.start <= chunk.lines.end);
    let members = chunked.symbols[first..].iter().take_while(|symbol| symbol.lines.start <= owner.lines.end);
    members.map(|symbol| symbol.signature.as_str()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use jari_base::Language;

    use super::*;

    #[test]
    fn a_type_speaks_of_its_members_and_a_method_of_its_type() {
        let member = |name: &str| {
            format!(
                "    def {name}(self, patience):\n        a = 1\n        b = 2\n        c = 3\n        return a\n"
            )
        };
        let text = &format!("class Pool:\n{}{}", member("open"), member("take"));
        let chunked = jari_chunk::chunk(&Language::named("python"), text, &Default::default());
        let words = chunk_words(&mut Tokenizer::default(), text, &chunked);
        assert_eq!(words.len(), 2);
        assert_eq!(words[0].name.lines().collect::<Vec<_>>(), ["pool", "pool", "open"]);
        assert!(words[0].body.contains("take"), "{words:?}");
        assert_eq!(words[1].name.lines().collect::<Vec<_>>(), ["pool", "take", "take"]);
    }
}
