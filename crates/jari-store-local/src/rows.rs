//! Rows: how files, chunks and symbols are written to SQLite and read back.

use jari_base::{
    Chunk, ChunkId, ChunkKind, Chunked, ContentHash, Document, FileId, Generation, Language, LineRange, Note,
    Reference, Skip, Stamp, Symbol, SymbolKind, Uses, fingerprint,
};
use jari_store::{
    Definition, Error, FileInput, FileRecord, Files, Result, StoredChunk, StoredSymbol, SymbolLookup,
    SymbolMode, Totals,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;

use crate::directory::Sum;
use crate::errors;
use crate::recent::{Opened, Recent};

/// Files that room is made for before they are counted.
const MOST_FORESEEN: usize = 1 << 17;

/// Rows looked at for one look-up by part of a name; beyond it nobody reads on.
const MOST_SYMBOLS: usize = 20_000;

pub(crate) fn generation(connection: &Connection) -> Result<Generation> {
    let number = connection
        .query_row("SELECT value FROM meta WHERE key = 'generation'", [], |row| row.get::<_, i64>(0));
    number.map(|number| Generation(number as u64)).map_err(errors::sqlite)
}

/// How long the batch took that made the index from nothing.
pub(crate) fn build_ms(connection: &Connection) -> Result<u64> {
    let found = connection
        .query_row("SELECT value FROM meta WHERE key = 'build_ms'", [], |row| row.get::<_, i64>(0))
        .optional();
    found.map(|found| found.unwrap_or_default() as u64).map_err(errors::sqlite)
}

/// tantivy's list of segments for this state.
pub(crate) fn segments(connection: &Connection) -> Result<Option<Vec<u8>>> {
    connection
        .query_row("SELECT value FROM meta WHERE key = 'segments'", [], |row| row.get(0))
        .optional()
        .map_err(errors::sqlite)
}

/// The checksums of those segments' files.
pub(crate) fn sums(connection: &Connection) -> Result<Vec<Sum>> {
    Ok(unpacked_meta(connection, "sums")?.unwrap_or_default())
}

pub(crate) fn set_segments(connection: &Connection, segments: Vec<u8>, sums: &[Sum]) -> Result<()> {
    let packed = postcard::to_stdvec(sums).map_err(|error| Error::Backend(error.to_string()))?;
    set_meta(connection, "segments", segments)?;
    set_meta(connection, "sums", packed)
}

pub(crate) fn files(connection: &Connection) -> Result<Files> {
    let mut statement = prepare(connection, &format!("SELECT {FILE} FROM files"))?;
    let rows = statement.query_map([], file_of);
    // About as many as numbers were given out; where many files came and went, that says little.
    let mut records = Vec::with_capacity((next_file(connection)? as usize).min(MOST_FORESEEN));
    for record in rows.map_err(errors::sqlite)? {
        records.push(record.map_err(errors::sqlite)?);
    }
    Ok(Files::new(records))
}

pub(crate) fn file(connection: &Connection, file: FileId) -> Result<Option<FileRecord>> {
    let mut statement = prepare(connection, &format!("SELECT {FILE} FROM files WHERE id = ?"))?;
    statement.query_row([file.0], file_of).optional().map_err(errors::sqlite)
}

/// Sums as they are kept: a reason for skipped files, and of all files with it how many, their chunks, and their words.
type Sums = Vec<(Option<String>, i64, i64, i64)>;

/// Counts all files once, for those who open this state.
pub(crate) fn set_totals(connection: &Connection) -> Result<()> {
    let mut statement =
        prepare(connection, "SELECT skip, count(*), sum(chunks), sum(words) FROM files GROUP BY skip")?;
    let sums = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
    let sums: Sums = sums.and_then(Iterator::collect).map_err(errors::sqlite)?;
    let packed = postcard::to_stdvec(&sums).map_err(|error| Error::Backend(error.to_string()))?;
    set_meta(connection, "totals", packed)
}

pub(crate) fn totals(connection: &Connection) -> Result<Totals> {
    let sums: Sums = unpacked_meta(connection, "totals")?.unwrap_or_default();
    let mut totals = Totals::default();
    for (skip, files, chunks, words) in sums {
        let skip: Option<Skip> = skip.and_then(|word| word.parse().ok());
        match skip {
            None => totals.indexed += files as u64,
            Some(reason) => *totals.skipped.entry(reason).or_default() += files as usize,
        }
        totals.chunks += chunks as u64;
        totals.words += words as u64;
    }
    Ok(totals)
}

fn unpacked_meta<T: DeserializeOwned>(connection: &Connection, key: &str) -> Result<Option<T>> {
    let packed: Option<Vec<u8>> = connection
        .query_row("SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0))
        .optional()
        .map_err(errors::sqlite)?;
    let unpack = |packed: Vec<u8>| postcard::from_bytes(&packed);
    packed.map(unpack).transpose().map_err(|error| Error::Corrupt(error.to_string()))
}

pub(crate) fn text(connection: &Connection, file: FileId) -> Result<Option<String>> {
    let mut statement = prepare(connection, "SELECT text FROM texts WHERE file = ?")?;
    let mut rows = statement.query([file.0]).map_err(errors::sqlite)?;
    let Some(row) = rows.next().map_err(errors::sqlite)? else { return Ok(None) };
    let packed = row.get_ref(0).map_err(errors::sqlite)?;
    unpack(packed.as_blob().map_err(|error| Error::Corrupt(error.to_string()))?).map(Some)
}

/// A file's uses of names, and what could not be read as it should.
pub(crate) fn uses(connection: &Connection, file: FileId) -> Result<Option<(Uses, Vec<Note>)>> {
    let mut statement = prepare(connection, "SELECT uses FROM uses WHERE file = ?")?;
    let mut rows = statement.query([file.0]).map_err(errors::sqlite)?;
    let Some(row) = rows.next().map_err(errors::sqlite)? else { return Ok(None) };
    let packed = row.get_ref(0).map_err(errors::sqlite)?;
    let packed = packed.as_blob().map_err(|error| Error::Corrupt(error.to_string()))?;
    let unpacked =
        lz4_flex::decompress_size_prepended(packed).map_err(|error| Error::Corrupt(error.to_string()))?;
    postcard::from_bytes(&unpacked).map(Some).map_err(|error| Error::Corrupt(error.to_string()))
}

/// The definitions of a file, in order.
pub(crate) fn symbols_of(connection: &Connection, file: FileId) -> Result<Vec<Symbol>> {
    let mut statement =
        prepare(connection, &format!("SELECT {SYMBOL} FROM symbols WHERE file = ? ORDER BY ordinal"))?;
    statement.query_map([file.0], symbol_of).and_then(Iterator::collect).map_err(errors::sqlite)
}

/// One definition of a file.
pub(crate) fn symbol(connection: &Connection, file: FileId, ordinal: u32) -> Result<Option<Symbol>> {
    let mut statement =
        prepare(connection, &format!("SELECT {SYMBOL} FROM symbols WHERE file = ? AND ordinal = ?"))?;
    statement.query_row([file.0, ordinal], symbol_of).optional().map_err(errors::sqlite)
}

/// A number for a name: files are listed by it.
pub(crate) fn name_number(name: &str) -> u32 {
    let mixed = fingerprint(name.as_bytes());
    (mixed ^ mixed >> 32) as u32
}

/// The numbers of the names that are used, each once.
pub(crate) fn name_numbers(references: &[Reference]) -> Vec<u32> {
    let mut numbers: Vec<u32> = references.iter().map(|reference| name_number(&reference.name)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

pub(crate) fn chunked(connection: &Connection, file: FileId) -> Result<Option<Chunked>> {
    let Some((uses, notes)) = uses(connection, file)? else { return Ok(None) };
    let mut statement =
        prepare(connection, &format!("SELECT {CHUNK} FROM chunks WHERE file = ? ORDER BY ordinal"))?;
    let chunks =
        statement.query_map([file.0], chunk_of).and_then(Iterator::collect).map_err(errors::sqlite)?;
    let symbols = symbols_of(connection, file)?;
    let document = document(connection, file)?;
    Ok(Some(Chunked { chunks, symbols, references: uses.all(), fields: uses.fields(), document, notes }))
}

fn document(connection: &Connection, file: FileId) -> Result<Option<Document>> {
    let mut statement = prepare(connection, "SELECT document FROM documents WHERE file = ?")?;
    let packed: Option<Vec<u8>> =
        statement.query_row([file.0], |row| row.get(0)).optional().map_err(errors::sqlite)?;
    packed.map(|packed| unpack_document(&packed)).transpose()
}

pub(crate) fn documents(connection: &Connection, visit: &mut dyn FnMut(FileId, Document)) -> Result<()> {
    let mut statement = prepare(connection, "SELECT file, document FROM documents ORDER BY file")?;
    let mut rows = statement.query([]).map_err(errors::sqlite)?;
    while let Some(row) = rows.next().map_err(errors::sqlite)? {
        let packed: Vec<u8> = row.get(1).map_err(errors::sqlite)?;
        visit(FileId(row.get(0).map_err(errors::sqlite)?), unpack_document(&packed)?);
    }
    Ok(())
}

fn unpack_document(packed: &[u8]) -> Result<Document> {
    postcard::from_bytes(packed).map_err(|error| Error::Corrupt(error.to_string()))
}

/// A chunk with its symbol and its lines.
pub(crate) fn hydrated(
    connection: &Connection,
    id: ChunkId,
    recent: &mut Recent,
) -> Result<Option<StoredChunk>> {
    if let Some(chunk) = recent.chunk(id) {
        return Ok(Some(chunk.clone()));
    }
    let Some((chunk, symbol)) = chunk(connection, id)? else { return Ok(None) };
    let is_enough = |opened: &Opened| opened.document.is_some() || chunk.section.is_none();
    if !recent.file(id.file).is_some_and(is_enough) {
        let document = if chunk.section.is_some() { document(connection, id.file)? } else { None };
        let missing = || Error::Corrupt(format!("file {} has chunks but no text", id.file.0));
        let text = text(connection, id.file)?.ok_or_else(missing)?;
        recent.put_file(id.file, Opened { text, document });
    }
    let new =
        |Opened { text, document }: &Opened| StoredChunk::new(id, &chunk, symbol, document.as_ref(), text);
    let chunk = recent.file(id.file).map(new);
    Ok(chunk.map(|chunk| recent.put_chunk(chunk).clone()))
}

fn chunk(connection: &Connection, id: ChunkId) -> Result<Option<(Chunk, Option<Symbol>)>> {
    let mut statement = prepare(
        connection,
        "SELECT c.kind, c.first, c.last, c.symbol, c.doc_first, c.doc_last, c.section, c.head_first, c.head_last,
                s.name, s.kind, s.container, s.signature, s.doc, s.exported, s.first, s.last
         FROM chunks c LEFT JOIN symbols s ON s.file = c.file AND s.ordinal = c.symbol
         WHERE c.file = ? AND c.ordinal = ?",
    )?;
    let row = statement.query_row([id.file.0, id.ordinal], |row| {
        let has_symbol = row.get_ref(9)? != ValueRef::Null;
        let symbol = if has_symbol { Some(symbol_at(row, 9)?) } else { None };
        Ok((chunk_of(row)?, symbol))
    });
    row.optional().map_err(errors::sqlite)
}

/// Definitions whose name matches; the caller filters and orders.
pub(crate) fn symbols(connection: &Connection, lookup: &SymbolLookup) -> Result<Vec<StoredSymbol>> {
    let (condition, bounds) = match lookup.mode {
        SymbolMode::Exact => ("folded = ?1 AND ?2 = ''", (lookup.folded.clone(), String::new())),
        SymbolMode::Prefix => (
            "folded >= ?1 AND folded < ?2",
            (lookup.folded.clone(), format!("{}{}", lookup.folded, char::MAX)),
        ),
        SymbolMode::Contains => ("instr(folded, ?1) > 0 AND ?2 = ''", (lookup.folded.clone(), String::new())),
    };
    let mut statement = prepare(
        connection,
        &format!("SELECT {SYMBOL}, file, ordinal FROM symbols WHERE {condition} LIMIT {MOST_SYMBOLS}"),
    )?;
    let found = statement.query_map([bounds.0, bounds.1], |row| {
        Ok(StoredSymbol { symbol: symbol_of(row)?, file: FileId(row.get(8)?), ordinal: row.get(9)? })
    });
    found.and_then(Iterator::collect).map_err(errors::sqlite)
}

pub(crate) fn symbol_names(connection: &Connection, visit: &mut dyn FnMut(&str)) -> Result<()> {
    let mut statement = prepare(connection, "SELECT DISTINCT name FROM symbols")?;
    let mut rows = statement.query([]).map_err(errors::sqlite)?;
    while let Some(row) = rows.next().map_err(errors::sqlite)? {
        let name = row.get_ref(0).map_err(errors::sqlite)?;
        visit(name.as_str().map_err(|error| Error::Corrupt(error.to_string()))?);
    }
    Ok(())
}

/// Takes note of how a name is spelt; the number of the spelling, if it is new.
pub(crate) fn put_spelling(connection: &Connection, folded: &str) -> Result<Option<u32>> {
    let mut statement = prepare(connection, "INSERT OR IGNORE INTO spellings (folded) VALUES (?)")?;
    let new = statement.execute([folded]).map_err(errors::sqlite)? > 0;
    Ok(new.then(|| connection.last_insert_rowid() as u32))
}

/// A spelling by its number.
pub(crate) fn spelling(connection: &Connection, number: u32) -> Result<Option<String>> {
    let mut statement = prepare(connection, "SELECT folded FROM spellings WHERE id = ?")?;
    statement.query_row([number], |row| row.get(0)).optional().map_err(errors::sqlite)
}

/// A name that is spelt so, as one of its definitions has it; `None` if it is defined no more.
pub(crate) fn name_spelt(connection: &Connection, folded: &str) -> Result<Option<String>> {
    let mut statement = prepare(connection, "SELECT name FROM symbols WHERE folded = ? LIMIT 1")?;
    statement.query_row([folded], |row| row.get(0)).optional().map_err(errors::sqlite)
}

pub(crate) fn definitions(
    connection: &Connection,
    names: &[String],
    limit: usize,
) -> Result<Vec<Definition>> {
    let mut statement = prepare(
        connection,
        "SELECT name, kind, first, last, file, chunk FROM symbols WHERE folded = ? LIMIT ?",
    )?;
    let mut found = Vec::new();
    for name in names {
        let rows = statement.query_map(params![name, limit as i64], |row| {
            Ok(Definition {
                name: row.get(0)?,
                kind: kind_at(SymbolKind::ALL, row, 1)?,
                lines: LineRange { start: row.get(2)?, end: row.get(3)? },
                chunk: ChunkId { file: FileId(row.get(4)?), ordinal: row.get(5)? },
            })
        });
        for definition in rows.map_err(errors::sqlite)? {
            found.push(definition.map_err(errors::sqlite)?);
        }
    }
    Ok(found)
}

pub(crate) fn count(connection: &Connection, table: &str) -> Result<u64> {
    let number =
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0));
    number.map(|number| number as u64).map_err(errors::sqlite)
}

pub(crate) fn number_of(connection: &Connection, path: &str) -> Result<Option<FileId>> {
    let mut statement = prepare(connection, "SELECT id FROM files WHERE path = ?")?;
    statement.query_row([path], |row| row.get(0)).optional().map(|id| id.map(FileId)).map_err(errors::sqlite)
}

pub(crate) fn put_file(connection: &Connection, record: &FileRecord) -> Result<()> {
    let mut statement =
        prepare(connection, "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    let FileRecord { id, path, language, stamp, hash, skip, chunks, words } = record;
    let row = params![
        id.0,
        path,
        language.as_str(),
        stamp.size as i64,
        stamp.modified,
        hash.map(|hash| hash.0),
        skip.map(Skip::as_str),
        chunks,
        words
    ];
    statement.execute(row).map(drop).map_err(errors::sqlite)
}

pub(crate) fn put_contents(
    connection: &Connection,
    id: FileId,
    file: &FileInput,
    fold: fn(&str) -> String,
) -> Result<()> {
    let Chunked { chunks, symbols, references, fields, document, notes } = &file.chunked;
    let uses = postcard::to_stdvec(&(Uses::new(references, fields), notes))
        .map_err(|error| Error::Backend(error.to_string()))?;
    let mut statement = prepare(connection, "INSERT INTO texts VALUES (?, ?)")?;
    statement.execute(params![id.0, pack(&file.text)]).map_err(errors::sqlite)?;
    let mut statement = prepare(connection, "INSERT INTO uses VALUES (?, ?)")?;
    statement.execute(params![id.0, lz4_flex::compress_prepend_size(&uses)]).map_err(errors::sqlite)?;

    let mut statement = prepare(connection, "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for (ordinal, Chunk { kind, lines, symbol, doc, section, head }) in chunks.iter().enumerate() {
        let row = params![
            id.0,
            ordinal as u32,
            *kind as u8,
            lines.start,
            lines.end,
            symbol,
            doc.map(|doc| doc.start),
            doc.map(|doc| doc.end),
            section,
            head.map(|head| head.start),
            head.map(|head| head.end)
        ];
        statement.execute(row).map_err(errors::sqlite)?;
    }

    if let Some(document) = document {
        let packed = postcard::to_stdvec(document).map_err(|error| Error::Backend(error.to_string()))?;
        let mut statement = prepare(connection, "INSERT INTO documents VALUES (?, ?)")?;
        statement.execute(params![id.0, packed]).map_err(errors::sqlite)?;
    }

    let mut statement =
        prepare(connection, "INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for (ordinal, symbol) in symbols.iter().enumerate() {
        let Symbol { name, kind, container, signature, doc, exported, lines } = symbol;
        let chunk = file.chunked.chunk_of(symbol).unwrap_or_default();
        let row = params![
            id.0,
            ordinal as u32,
            name,
            fold(name),
            *kind as u8,
            container,
            signature,
            doc,
            exported,
            lines.start,
            lines.end,
            chunk
        ];
        statement.execute(row).map_err(errors::sqlite)?;
    }
    Ok(())
}

pub(crate) fn remove_contents(connection: &Connection, file: FileId) -> Result<()> {
    for statement in [
        "DELETE FROM texts WHERE file = ?",
        "DELETE FROM uses WHERE file = ?",
        "DELETE FROM chunks WHERE file = ?",
        "DELETE FROM symbols WHERE file = ?",
        "DELETE FROM documents WHERE file = ?",
    ] {
        prepare(connection, statement)?.execute([file.0]).map_err(errors::sqlite)?;
    }
    Ok(())
}

/// Forgets all files and what they hold. Numbers are still not given out twice.
pub(crate) fn clear(connection: &Connection) -> Result<()> {
    let statements = "DELETE FROM files; DELETE FROM texts; DELETE FROM uses; DELETE FROM chunks; DELETE FROM symbols; \
                      DELETE FROM documents; DELETE FROM spellings;";
    connection.execute_batch(statements).map_err(errors::sqlite)
}

pub(crate) fn remove_file(connection: &Connection, file: FileId) -> Result<()> {
    prepare(connection, "DELETE FROM files WHERE id = ?")?.execute([file.0]).map(drop).map_err(errors::sqlite)
}

pub(crate) fn touch(connection: &Connection, file: FileId, stamp: Stamp) -> Result<()> {
    let mut statement = prepare(connection, "UPDATE files SET size = ?, modified = ? WHERE id = ?")?;
    statement.execute(params![stamp.size as i64, stamp.modified, file.0]).map(drop).map_err(errors::sqlite)
}

pub(crate) fn rename(connection: &Connection, file: FileId, path: &str) -> Result<()> {
    let mut statement = prepare(connection, "UPDATE files SET path = ? WHERE id = ?")?;
    statement.execute(params![path, file.0]).map(drop).map_err(errors::sqlite)
}

/// Of a file that is indexed.
pub(crate) fn path_and_hash(connection: &Connection, file: FileId) -> Result<Option<(String, ContentHash)>> {
    let mut statement =
        prepare(connection, "SELECT path, hash FROM files WHERE id = ? AND hash IS NOT NULL")?;
    statement
        .query_row([file.0], |row| Ok((row.get(0)?, ContentHash(row.get(1)?))))
        .optional()
        .map_err(errors::sqlite)
}

/// The kinds of a file's chunks, in order.
pub(crate) fn kinds(connection: &Connection, file: FileId) -> Result<Vec<ChunkKind>> {
    let mut statement = prepare(connection, "SELECT kind FROM chunks WHERE file = ? ORDER BY ordinal")?;
    let kinds = statement.query_map([file.0], |row| kind_at(ChunkKind::ALL, row, 0));
    kinds.and_then(Iterator::collect).map_err(errors::sqlite)
}

pub(crate) fn next_file(connection: &Connection) -> Result<u32> {
    connection
        .query_row("SELECT value FROM meta WHERE key = 'next_file'", [], |row| row.get(0))
        .map_err(errors::sqlite)
}

pub(crate) fn set_meta(connection: &Connection, key: &str, value: impl rusqlite::ToSql) -> Result<()> {
    prepare(connection, "INSERT OR REPLACE INTO meta VALUES (?, ?)")?
        .execute(params![key, value])
        .map(drop)
        .map_err(errors::sqlite)
}

const FILE: &str = "id, path, language, size, modified, hash, skip, chunks, words";
const CHUNK: &str = "kind, first, last, symbol, doc_first, doc_last, section, head_first, head_last";
const SYMBOL: &str = "name, kind, container, signature, doc, exported, first, last";

fn file_of(row: &Row<'_>) -> rusqlite::Result<FileRecord> {
    Ok(FileRecord {
        id: FileId(row.get(0)?),
        path: row.get(1)?,
        language: Language::from(row.get::<_, String>(2)?),
        stamp: Stamp { size: row.get::<_, i64>(3)? as u64, modified: row.get(4)? },
        hash: row.get::<_, Option<[u8; 16]>>(5)?.map(ContentHash),
        skip: row.get_ref(6)?.as_str_or_null()?.and_then(|word| word.parse().ok()),
        chunks: row.get(7)?,
        words: row.get(8)?,
    })
}

fn chunk_of(row: &Row<'_>) -> rusqlite::Result<Chunk> {
    let range = |first: usize| -> rusqlite::Result<Option<LineRange>> {
        let ends = Option::zip(row.get(first)?, row.get(first + 1)?);
        ends.map(|(start, end)| lines(first, start, end)).transpose()
    };
    Ok(Chunk {
        kind: kind_at(ChunkKind::ALL, row, 0)?,
        lines: lines(1, row.get(1)?, row.get(2)?)?,
        symbol: row.get(3)?,
        doc: range(4)?,
        section: row.get(6)?,
        head: range(7)?,
    })
}

fn symbol_of(row: &Row<'_>) -> rusqlite::Result<Symbol> {
    symbol_at(row, 0)
}

/// The symbol whose columns begin at `first`.
fn symbol_at(row: &Row<'_>, first: usize) -> rusqlite::Result<Symbol> {
    Ok(Symbol {
        name: row.get(first)?,
        kind: kind_at(SymbolKind::ALL, row, first + 1)?,
        container: row.get(first + 2)?,
        signature: row.get(first + 3)?,
        doc: row.get(first + 4)?,
        exported: row.get(first + 5)?,
        lines: lines(first + 6, row.get(first + 6)?, row.get(first + 7)?)?,
    })
}

/// Lines as they may be: from the first on, at least one, and not more than a file has.
fn lines(column: usize, start: u32, end: u32) -> rusqlite::Result<LineRange> {
    match start >= 1 && start <= end && end < u32::MAX / 2 {
        true => Ok(LineRange { start, end }),
        false => Err(rusqlite::Error::IntegralValueOutOfRange(column, i64::from(end))),
    }
}

/// A kind by its number.
fn kind_at<K: Copy>(all: &[K], row: &Row<'_>, column: usize) -> rusqlite::Result<K> {
    let number: i64 = row.get(column)?;
    all.get(number as usize).copied().ok_or(rusqlite::Error::IntegralValueOutOfRange(column, number))
}

fn prepare<'c>(connection: &'c Connection, sql: &str) -> Result<rusqlite::CachedStatement<'c>> {
    connection.prepare_cached(sql).map_err(errors::sqlite)
}

fn pack(text: &str) -> Vec<u8> {
    lz4_flex::compress_prepend_size(text.as_bytes())
}

fn unpack(packed: &[u8]) -> Result<String> {
    let bytes =
        lz4_flex::decompress_size_prepended(packed).map_err(|error| Error::Corrupt(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| Error::Corrupt(error.to_string()))
}
