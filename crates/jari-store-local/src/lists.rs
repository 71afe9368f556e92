//! Lists of files by gram, and by the names they use, as rows: so that they are committed with everything else. Pairs of a number
//! and a file are gathered, sorted and written as a segment; to let tantivy index them costs a quarter of the time that a whole
//! index takes.
//!
//! Lists only grow. A file that changed or is gone stays in the lists of its old segment until that is joined with others: it
//! is looked at for nothing, or left out by whoever knows the files.

use std::collections::{HashMap, HashSet};

use jari_base::FileId;
use jari_store::{Error, Result};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::{errors, rows};

/// Pairs that are sorted together, at most: 32 MB.
const PAIRS: usize = 4 << 20;

/// A row has at least this many bytes of lists, but for the last of a segment.
const ROW_BYTES: usize = 16 * 1024;

/// Segments with fewer pairs than this are small: when there are more than so many of them, they are joined.
const SMALL: u32 = PAIRS as u32 / 8;
const SMALL_SEGMENTS: usize = 8;

/// A table of lists.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Table {
    rows: &'static str,
    /// The key of `meta` that knows its segments.
    segments: &'static str,
    /// Whether files are listed, which change and go.
    of_files: bool,
}

/// By gram.
pub(crate) const GRAMS: Table = Table { rows: "grams", segments: "gram_segments", of_files: true };

/// By a number made of a name: names that share one are told apart by whoever looks into the files.
pub(crate) const NAMES: Table = Table { rows: "names", segments: "name_segments", of_files: true };

/// Spellings of names, by the runs of letters they have.
pub(crate) const SPELLED: Table = Table { rows: "spelled", segments: "spelled_segments", of_files: false };

/// What a batch of changes wrote together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Segment {
    number: u32,
    pairs: u32,
}

/// The segments, oldest first.
pub(crate) fn segments(connection: &Connection, table: &Table) -> Result<Vec<Segment>> {
    let packed: Option<Vec<u8>> = connection
        .query_row("SELECT value FROM meta WHERE key = ?", [table.segments], |row| row.get(0))
        .optional()
        .map_err(errors::sqlite)?;
    let Some(packed) = packed else { return Ok(Vec::new()) };
    postcard::from_bytes(&packed).map_err(|error| Error::Corrupt(error.to_string()))
}

/// Gathers the numbers of files.
#[derive(Debug)]
pub(crate) struct Writer {
    table: &'static Table,
    /// Number above, file below.
    pairs: Vec<u64>,
    /// How many of them are sorted together.
    most: usize,
}

impl Writer {
    /// Gathers in about so many bytes.
    pub(crate) fn new(table: &'static Table, memory: usize) -> Self {
        Self { table, pairs: Vec::new(), most: (memory / size_of::<u64>()).min(PAIRS) }
    }

    pub(crate) fn put(&mut self, connection: &Connection, file: FileId, numbers: &[u32]) -> Result<()> {
        let pair = |number: &u32| u64::from(*number) << 32 | u64::from(file.0);
        self.pairs.extend(numbers.iter().map(pair));
        if self.pairs.len() >= self.most { self.flush(connection) } else { Ok(()) }
    }

    pub(crate) fn clear(&mut self, connection: &Connection) -> Result<()> {
        self.pairs.clear();
        connection.execute_batch(&format!("DELETE FROM {}", self.table.rows)).map_err(errors::sqlite)?;
        keep(connection, self.table, &[])
    }

    /// Writes what was gathered; the writer can be used again.
    pub(crate) fn finish(&mut self, connection: &Connection) -> Result<()> {
        self.flush(connection)?;
        join(connection, self.table)
    }

    fn flush(&mut self, connection: &Connection) -> Result<()> {
        if self.pairs.is_empty() {
            return Ok(());
        }
        let mut segments = segments(connection, self.table)?;
        let number = segments.last().map_or(1, |last| last.number + 1);
        self.pairs.sort_unstable();
        segments.push(write(connection, self.table, number, &self.pairs)?);
        self.pairs.clear();
        keep(connection, self.table, &segments)
    }
}

fn keep(connection: &Connection, table: &Table, segments: &[Segment]) -> Result<()> {
    let packed = postcard::to_stdvec(segments).map_err(|error| Error::Backend(error.to_string()))?;
    rows::set_meta(connection, table.segments, packed)
}

/// Writes sorted pairs.
fn write(connection: &Connection, table: &Table, number: u32, pairs: &[u64]) -> Result<Segment> {
    let insert = format!("INSERT INTO {} VALUES (?, ?)", table.rows);
    let mut insert = connection.prepare_cached(&insert).map_err(errors::sqlite)?;
    let mut row = Vec::new();
    let (mut first, mut last) = (0, 0);
    for list in pairs.chunk_by(|a, b| a >> 32 == b >> 32) {
        let gram = (list[0] >> 32) as u32;
        if row.is_empty() {
            (first, last) = (gram, gram);
        }
        push_list(&mut row, gram - last, list);
        last = gram;
        if row.len() >= ROW_BYTES {
            insert.execute(params![key(number, first), row]).map_err(errors::sqlite)?;
            row.clear();
        }
    }
    if !row.is_empty() {
        insert.execute(params![key(number, first), row]).map_err(errors::sqlite)?;
    }
    Ok(Segment { number, pairs: pairs.len() as u32 })
}

/// How far the gram is from the one before, how many files have it, how many bytes follow, and the files, each as its
/// distance from the one before.
fn push_list(row: &mut Vec<u8>, step: u32, list: &[u64]) {
    let mut bytes = Vec::with_capacity(list.len() * 2);
    let mut last = 0;
    for file in list.iter().map(|pair| *pair as u32) {
        push(&mut bytes, file - last);
        last = file;
    }
    push(row, step);
    push(row, list.len() as u32);
    push(row, bytes.len() as u32);
    row.append(&mut bytes);
}

fn key(segment: u32, gram: u32) -> i64 {
    i64::from(segment) << 32 | i64::from(gram)
}

/// The files that have a number, in order.
pub(crate) fn files(
    connection: &Connection,
    table: &Table,
    segments: &[Segment],
    gram: u32,
) -> Result<Vec<u32>> {
    let statement =
        format!("SELECT key, lists FROM {} WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT 1", table.rows);
    let mut statement = connection.prepare_cached(&statement).map_err(errors::sqlite)?;
    let mut files = Vec::new();
    for Segment { number, .. } in segments {
        let mut rows = statement.query([key(*number, 0), key(*number, gram)]).map_err(errors::sqlite)?;
        let Some(row) = rows.next().map_err(errors::sqlite)? else { continue };
        let found = Lists::of(row)?
            .find_map(|list| list.map(|list| (list.gram == gram).then_some(list.files)).transpose());
        if let Some(mut bytes) = found.transpose()? {
            let mut file = 0;
            while !bytes.is_empty() {
                file += pull(&mut bytes)?;
                files.push(file);
            }
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// How many files have each gram, about.
pub(crate) fn frequencies(connection: &Connection) -> Result<HashMap<u32, u64>> {
    let mut frequencies = HashMap::new();
    let mut statement = connection.prepare("SELECT key, lists FROM grams").map_err(errors::sqlite)?;
    let mut rows = statement.query([]).map_err(errors::sqlite)?;
    while let Some(row) = rows.next().map_err(errors::sqlite)? {
        for list in Lists::of(row)? {
            let List { gram, count, .. } = list?;
            *frequencies.entry(gram).or_default() += u64::from(count);
        }
    }
    Ok(frequencies)
}

/// Makes one segment of all small ones if there are many, without what has changed since or is gone.
fn join(connection: &Connection, table: &Table) -> Result<()> {
    let (small, mut large): (Vec<Segment>, Vec<Segment>) =
        segments(connection, table)?.into_iter().partition(|segment| segment.pairs < SMALL);
    if small.len() <= SMALL_SEGMENTS {
        return Ok(());
    }
    let known: HashSet<u32> = connection
        .prepare("SELECT id FROM files")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .map_err(errors::sqlite)?;
    let mut newest: HashMap<u32, u32> = HashMap::new();
    let mut pairs = Vec::new();
    for Segment { number, .. } in &small {
        let range = [key(*number, 0), key(*number, u32::MAX)];
        let statement = format!("SELECT key, lists FROM {} WHERE key BETWEEN ? AND ?", table.rows);
        let mut statement = connection.prepare_cached(&statement).map_err(errors::sqlite)?;
        let mut rows = statement.query(range).map_err(errors::sqlite)?;
        while let Some(row) = rows.next().map_err(errors::sqlite)? {
            for list in Lists::of(row)? {
                let List { gram, mut files, .. } = list?;
                let mut file = 0;
                while !files.is_empty() {
                    file += pull(&mut files)?;
                    newest.insert(file, *number);
                    pairs.push((u64::from(gram) << 32 | u64::from(file), *number));
                }
            }
        }
        let delete = format!("DELETE FROM {} WHERE key BETWEEN ? AND ?", table.rows);
        connection.execute(&delete, range).map_err(errors::sqlite)?;
    }
    pairs.retain(|(pair, number)| {
        let file = *pair as u32;
        !table.of_files || known.contains(&file) && newest.get(&file) == Some(number)
    });
    let mut pairs: Vec<u64> = pairs.into_iter().map(|(pair, _)| pair).collect();
    pairs.sort_unstable();
    let last = small.iter().chain(&large).map(|segment| segment.number).max().unwrap_or_default();
    large.push(write(connection, table, last + 1, &pairs)?);
    keep(connection, table, &large)
}

/// The lists of one row.
struct Lists<'a> {
    rest: &'a [u8],
    gram: u32,
}

struct List<'a> {
    gram: u32,
    count: u32,
    files: &'a [u8],
}

impl<'a> Lists<'a> {
    fn of(row: &'a rusqlite::Row<'_>) -> Result<Self> {
        let key: i64 = row.get(0).map_err(errors::sqlite)?;
        let lists = row.get_ref(1).map_err(errors::sqlite)?;
        let rest = lists.as_blob().map_err(|error| Error::Corrupt(error.to_string()))?;
        Ok(Self { rest, gram: key as u32 })
    }

    fn list(&mut self) -> Result<List<'a>> {
        self.gram = self.gram.wrapping_add(pull(&mut self.rest)?);
        let count = pull(&mut self.rest)?;
        let bytes = pull(&mut self.rest)? as usize;
        let (files, rest) = self.rest.split_at_checked(bytes).ok_or_else(damaged)?;
        self.rest = rest;
        Ok(List { gram: self.gram, count, files })
    }
}

impl<'a> Iterator for Lists<'a> {
    type Item = Result<List<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        (!self.rest.is_empty()).then(|| self.list())
    }
}

fn damaged() -> Error {
    Error::Corrupt("a list of files is cut short".to_owned())
}

/// Seven bits a byte, lowest first.
fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn pull(bytes: &mut &[u8]) -> Result<u32> {
    let mut number = 0;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, rest) = bytes.split_first().ok_or_else(damaged)?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(damaged())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        let tables = "CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID; \
                      CREATE TABLE files (id INTEGER PRIMARY KEY); \
                      CREATE TABLE grams (key INTEGER PRIMARY KEY, lists BLOB NOT NULL);";
        connection.execute_batch(tables).unwrap();
        connection
    }

    fn put(connection: &Connection, file: u32, grams: &[u32]) {
        connection.execute("INSERT OR IGNORE INTO files VALUES (?)", [file]).unwrap();
        let mut writer = Writer::new(&GRAMS, PAIRS * 8);
        writer.put(connection, FileId(file), grams).unwrap();
        writer.finish(connection).unwrap();
    }

    fn found(connection: &Connection, gram: u32) -> Vec<u32> {
        files(connection, &GRAMS, &segments(connection, &GRAMS).unwrap(), gram).unwrap()
    }

    #[test]
    fn many_grams_over_many_rows_are_found_again() {
        let connection = connection();
        let mut writer = Writer::new(&GRAMS, PAIRS * 8);
        for file in 0..300 {
            let grams: Vec<u32> =
                (0..2000).filter(|gram| file % (gram % 7 + 1) == 0).map(|gram| gram * 1000).collect();
            writer.put(&connection, FileId(file), &grams).unwrap();
        }
        writer.finish(&connection).unwrap();
        let rows: i64 = connection.query_row("SELECT count(*) FROM grams", [], |row| row.get(0)).unwrap();
        assert!(rows > 3, "{rows}");
        for gram in [0, 1, 5, 999, 1999] {
            let expected: Vec<u32> = (0..300).filter(|file| file % (gram % 7 + 1) == 0).collect();
            assert_eq!(found(&connection, gram * 1000), expected, "{gram}");
        }
        assert!(found(&connection, 1).is_empty() && found(&connection, 2_000_000).is_empty());
        assert_eq!(frequencies(&connection).unwrap()[&0], 300);
    }

    #[test]
    fn small_segments_are_joined_and_forget_what_is_gone() {
        let connection = connection();
        put(&connection, 1, &[5]);
        put(&connection, 2, &[5, u32::MAX]);
        put(&connection, 1, &[6]);
        connection.execute("DELETE FROM files WHERE id = 2", []).unwrap();
        assert_eq!(found(&connection, 5), [1, 2]);
        for file in 10..17 {
            put(&connection, file, &[7]);
        }
        assert_eq!(segments(&connection, &GRAMS).unwrap().len(), 2);
        assert_eq!(found(&connection, 5), [0; 0]);
        assert_eq!(found(&connection, 6), [1]);
        assert_eq!(found(&connection, 7), [10, 11, 12, 13, 14, 15, 16]);
    }
}
