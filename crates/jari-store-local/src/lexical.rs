//! Postings: what is indexed under which field, and how it is read back.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jari_base::{ChunkId, ChunkKind, FileId};
use jari_store::{ChunkSlot, Error, Field, FileInput, Posting, Result};
use tantivy::columnar::Column;
use tantivy::indexer::{NoMergePolicy, UserOperation};
use tantivy::schema::{
    FAST, Field as TantivyField, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{
    Index, IndexSettings, IndexWriter, ReloadPolicy, Searcher, SegmentReader, TantivyDocument, Term,
};

use crate::directory::{SharedCommit, Sum, sweep};
use crate::errors;

/// Memory for postings that are not yet on disk, by thread: as much as helps, and as little as tantivy takes. More means fewer
/// segments.
const WRITER_MEMORY: usize = 120 * 1024 * 1024;

/// An update of a few files needs little.
const SMALL_WRITER_MEMORY: usize = 16 * 1024 * 1024;

/// What everything else needs while an index is made: the model, texts that are read, rows and grams that wait. tantivy needs half
/// as much again as it is given, while it writes a segment out. 62,000 files were indexed in 240 MB when postings had 43 of them, and in
/// 261 where 256 are allowed when they had 37: with this, they have 32 there, which is the least that two threads can do with.
const OTHERS: usize = 208 * 1024 * 1024;

/// More segments than this and the small ones are joined: each costs every query a look into its dictionary.
const SEGMENTS: usize = 8;

/// The place of a document that is no chunk: no kind has this number.
const NO_CHUNK: u32 = 0xff;

/// The fields. Chunks have `name`, `doc` and `body`; a file has one more document with its `path`.
#[derive(Debug, Clone, Copy)]
struct Fields {
    /// The file a document belongs to: deleting by it forgets the file.
    file: TantivyField,
    /// The file whose path a document holds: deleting by it forgets only the path.
    path_of: TantivyField,
    /// Ordinal and kind of a chunk, packed.
    place: TantivyField,
    name: TantivyField,
    doc: TantivyField,
    body: TantivyField,
    path: TantivyField,
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let words = TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer("words")
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(true),
    );
    let fields = Fields {
        file: schema.add_u64_field("file", FAST | INDEXED),
        path_of: schema.add_u64_field("path_of", INDEXED),
        place: schema.add_u64_field("place", FAST),
        name: schema.add_text_field("name", words.clone()),
        doc: schema.add_text_field("doc", words.clone()),
        body: schema.add_text_field("body", words.clone()),
        path: schema.add_text_field("path", words),
    };
    (schema.build(), fields)
}

fn index(directory: SharedCommit) -> Result<(Index, Fields)> {
    let (schema, fields) = schema();
    let settings = IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() };
    let index = Index::builder()
        .schema(schema)
        .settings(settings)
        .open_or_create(directory)
        .map_err(errors::tantivy)?;
    index.tokenizers().register("words", Words::default());
    Ok((index, fields))
}

/// How many threads write postings, and with how much memory in all.
fn shares(memory: usize) -> (usize, usize) {
    let memory = (memory.saturating_sub(OTHERS) / 3 * 2).max(SMALL_WRITER_MEMORY);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    let threads = threads.min(memory / SMALL_WRITER_MEMORY);
    (threads, memory.min(WRITER_MEMORY * threads))
}

/// Writes postings.
pub(crate) struct Writer {
    folder: PathBuf,
    directory: SharedCommit,
    writer: IndexWriter,
    fields: Fields,
}

impl Writer {
    /// Continues the state that `meta` names. `memory` is that of the whole program, where many files will come.
    pub(crate) fn open(folder: &Path, meta: Option<Vec<u8>>, memory: Option<usize>) -> Result<Self> {
        let exists = meta.is_some();
        let directory = SharedCommit::open(folder, meta).map_err(errors::tantivy)?;
        let (index, fields) = index(directory.clone())?;
        let committed = if exists { Some(index.load_metas().map_err(errors::tantivy)?) } else { None };
        sweep(folder, committed.as_ref());
        let (threads, memory) = memory.map_or((1, SMALL_WRITER_MEMORY), shares);
        let writer = index.writer_with_num_threads(threads, memory).map_err(errors::tantivy)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(Self { folder: folder.to_owned(), directory, writer, fields })
    }

    pub(crate) fn clear(&mut self) -> Result<()> {
        self.writer.delete_all_documents().map_err(errors::tantivy).map(drop)
    }

    pub(crate) fn put(&mut self, id: FileId, file: &FileInput, replaces: bool) -> Result<()> {
        let mut operations = Vec::with_capacity(file.words.len() + 2);
        if replaces {
            operations.push(UserOperation::Delete(Term::from_field_u64(self.fields.file, id.0.into())));
        }
        operations.push(UserOperation::Add(self.path_document(id, &file.path_words)));
        for (ordinal, (chunk, words)) in file.chunked.chunks.iter().zip(&file.words).enumerate() {
            let mut document = TantivyDocument::default();
            document.add_u64(self.fields.file, id.0.into());
            document.add_u64(self.fields.place, (ordinal as u64) << 8 | chunk.kind as u64);
            for (field, words) in [
                (self.fields.name, &words.name),
                (self.fields.doc, &words.doc),
                (self.fields.body, &words.body),
            ] {
                if !words.is_empty() {
                    document.add_text(field, words);
                }
            }
            operations.push(UserOperation::Add(document));
        }
        self.writer.run(operations).map_err(errors::tantivy).map(drop)
    }

    pub(crate) fn rename(&mut self, id: FileId, words: &str) -> Result<()> {
        let forget = UserOperation::Delete(Term::from_field_u64(self.fields.path_of, id.0.into()));
        let path = UserOperation::Add(self.path_document(id, words));
        self.writer.run([forget, path]).map_err(errors::tantivy).map(drop)
    }

    pub(crate) fn remove(&mut self, id: FileId) {
        self.writer.delete_term(Term::from_field_u64(self.fields.file, id.0.into()));
    }

    /// Writes everything out; returns the list of segments for SQLite to commit, and the checksums of their files.
    pub(crate) fn finish(mut self, known: &[Sum]) -> Result<(Vec<u8>, Vec<Sum>)> {
        self.writer.commit().map_err(errors::tantivy)?;
        let mut segments = self.writer.index().searchable_segment_metas().map_err(errors::tantivy)?;
        if segments.len() > SEGMENTS {
            segments.sort_by_key(|segment| segment.num_docs());
            let small: Vec<_> =
                segments[..=segments.len() - SEGMENTS / 2].iter().map(|segment| segment.id()).collect();
            self.writer.merge(&small).wait().map_err(errors::tantivy)?;
        }
        let index = self.writer.index().clone();
        self.writer.wait_merging_threads().map_err(errors::tantivy)?;
        let sums = self.directory.sums(&self.folder, &index.load_metas().map_err(errors::tantivy)?, known)?;
        let meta = self.directory.meta();
        let missing = || Error::Backend("tantivy committed no list of segments".to_owned());
        Ok((meta.ok_or_else(missing)?, sums))
    }

    fn path_document(&self, id: FileId, words: &str) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        document.add_u64(self.fields.file, id.0.into());
        document.add_u64(self.fields.path_of, id.0.into());
        // A column where every document has a value is read faster.
        document.add_u64(self.fields.place, NO_CHUNK.into());
        document.add_text(self.fields.path, words);
        document
    }
}

/// Reads postings of one state.
pub(crate) struct Reader {
    segments: Vec<Segment>,
    fields: Fields,
    slots: usize,
    /// What each slot stands for, read when the first query comes.
    places: OnceLock<Vec<Place>>,
    /// One more than the slot of each file's first chunk, by the file's number; 0 for none.
    firsts: OnceLock<Vec<u32>>,
    /// Keeps the segments' files open.
    _searcher: Option<Searcher>,
}

struct Segment {
    reader: SegmentReader,
    /// The slot of its first document.
    base: u32,
    file: Column<u64>,
    place: Column<u64>,
}

/// A document's file, and its ordinal and kind as they are packed.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    file: u32,
    packed: u32,
}

impl Reader {
    /// Opens the state that `meta` names, whose files have these checksums; none is an empty one.
    pub(crate) fn open(folder: &Path, meta: Option<Vec<u8>>, sums: &[Sum]) -> Result<Self> {
        let (_, fields) = schema();
        if meta.is_none() {
            return Ok(Self {
                segments: Vec::new(),
                fields,
                slots: 0,
                places: OnceLock::new(),
                firsts: OnceLock::new(),
                _searcher: None,
            });
        }
        let directory = SharedCommit::open(folder, meta).map_err(errors::tantivy)?;
        directory.check(sums)?;
        let (index, fields) = index(directory)?;
        let reader =
            index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(errors::tantivy)?;
        let searcher: Searcher = reader.searcher();
        let mut slots = 0;
        let mut segments = Vec::new();
        for reader in searcher.segment_readers() {
            let column = |name| reader.fast_fields().u64(name).map_err(errors::tantivy);
            segments.push(Segment {
                base: slots,
                file: column("file")?,
                place: column("place")?,
                reader: reader.clone(),
            });
            slots += reader.max_doc();
        }
        Ok(Self {
            segments,
            fields,
            slots: slots as usize,
            places: OnceLock::new(),
            firsts: OnceLock::new(),
            _searcher: Some(searcher),
        })
    }

    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    pub(crate) fn postings(&self, field: Field, term: &str, all: &mut Vec<Posting>) -> Result<()> {
        let field = match field {
            Field::Name => self.fields.name,
            Field::Doc => self.fields.doc,
            Field::Body => self.fields.body,
            Field::Path => self.fields.path,
        };
        let term = Term::from_field_text(field, term);
        for Segment { reader, base, .. } in &self.segments {
            let inverted = reader.inverted_index(field).map_err(errors::tantivy)?;
            let found = inverted.read_block_postings(&term, IndexRecordOption::WithFreqs);
            let Some(mut postings) = found.map_err(|error| errors::tantivy(error.into()))? else { continue };
            let lengths = reader.get_fieldnorms_reader(field).map_err(errors::tantivy)?;
            let posting = |(document, count): (&u32, &u32)| Posting {
                slot: base + document,
                count: *count,
                length: lengths.fieldnorm(*document),
            };
            while !postings.docs().is_empty() {
                let block = postings.docs().iter().zip(postings.freqs());
                match reader.alive_bitset() {
                    None => all.extend(block.map(posting)),
                    Some(alive) => {
                        all.extend(block.filter(|(document, _)| alive.is_alive(**document)).map(posting));
                    }
                }
                postings.advance();
            }
        }
        Ok(())
    }

    pub(crate) fn file(&self, slot: u32) -> FileId {
        FileId(self.places()[slot as usize].file)
    }

    pub(crate) fn first_slot(&self, file: FileId) -> Option<u32> {
        let firsts = self.firsts.get_or_init(|| {
            let mut firsts = Vec::new();
            for Segment { reader, base, .. } in &self.segments {
                for document in reader.doc_ids_alive() {
                    let Place { file, packed } = self.places()[(base + document) as usize];
                    if packed >> 8 == 0 && packed != NO_CHUNK {
                        let file = file as usize;
                        firsts.resize(firsts.len().max(file + 1), 0);
                        firsts[file] = base + document + 1;
                    }
                }
            }
            firsts
        });
        firsts.get(file.0 as usize).and_then(|first| first.checked_sub(1))
    }

    pub(crate) fn chunk(&self, slot: u32) -> ChunkSlot {
        let Place { file, packed } = self.places()[slot as usize];
        let kind = ChunkKind::ALL.get(packed as usize & 0xff).copied().unwrap_or(ChunkKind::Block);
        ChunkSlot { chunk: ChunkId { file: FileId(file), ordinal: packed >> 8 }, kind }
    }

    /// Unpacked once: a query asks for thousands of them, and a look into a column costs ten times a look here.
    fn places(&self) -> &[Place] {
        self.places.get_or_init(|| {
            let mut places = Vec::with_capacity(self.slots);
            for Segment { reader, file, place, .. } in &self.segments {
                places.extend((0..reader.max_doc()).map(|document| Place {
                    file: file.first(document).unwrap_or_default() as u32,
                    packed: place.first(document).unwrap_or_default() as u32,
                }));
            }
            places
        })
    }
}

/// Words come one a line; all thinking about them is done in `jari-text`.
#[derive(Debug, Clone, Default)]
struct Words {
    token: Token,
}

struct Lines<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = Lines<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Lines<'a> {
        self.token.reset();
        Lines { rest: text, token: &mut self.token }
    }
}

impl TokenStream for Lines<'_> {
    fn advance(&mut self) -> bool {
        if self.rest.is_empty() {
            return false;
        }
        // Words are short: a plain loop beats the set-up of a vectorised search.
        let end = self.rest.bytes().position(|byte| byte == b'\n').unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        self.token.text.clear();
        self.token.text.push_str(word);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
