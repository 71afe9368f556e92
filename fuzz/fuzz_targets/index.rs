//! Any bytes as a file that Jari reads back from disk: `cargo +nightly fuzz run index -- -detect_leaks=0`. The first byte picks which.
//! Checksums are made right, so that what stands behind them is read too. It is an error or a value that can be used, never a panic.

#![no_main]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use jari_base::{Backend, Space};
use jari_embed::{Cache, Document, Model};
use jari_engine::grep::{GrepRequest, Wanted};
use jari_engine::search::SearchRequest;
use jari_engine::symbols::SymbolRequest;
use jari_engine::{Project, graph, grep, ingest, search, symbols};
use jari_source::Seen;
use jari_store::{Snapshot, Store, SymbolMode};
use jari_store_local::{LocalStore, Options};
use jari_vector::{Filter, Index, Writer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    match choice % 8 {
        0 => table(bytes),
        1 => vectors(bytes),
        2 => graph_of_vectors(bytes),
        3 => cache(bytes),
        4 => note(bytes),
        5 => folder_of_a_model(bytes),
        _ => row(choice / 8, bytes),
    }
});

/// Where files are written: in memory, where the system has such a folder.
fn folder(name: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = folder.join(format!("jari-fuzz-index-{}", std::process::id())).join(name);
    std::fs::create_dir_all(&folder).expect("folders can be made");
    folder
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
}

/// `.embd`.
fn table(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 64 {
        put(&mut bytes, 0, b"JARIEMBD\x01\0\0\0");
        let sum = jari_embed::hash(&bytes[64..]);
        put(&mut bytes, 40, &sum.to_le_bytes());
    }
    if let Ok(model) = Model::from_bytes(bytes) {
        is_usable(&model);
    }
}

fn is_usable(model: &Model) {
    for vector in model.embed(&["retry request", "요청을 처리", "x\u{301}", ""]) {
        assert_eq!(vector.len(), model.dims());
        assert!(vector.iter().all(|element| element.is_finite()));
    }
    let text = "retry요청 x9 처리를";
    let words = model.read(&Document { text, heading: "a/b", around: "more" }).words;
    if let Some(mut wording) = model.wording("retry request 요청을 x9", |word| word.len() as f32) {
        let answered = wording.answered(&[&words[..], &[0, 3, 1 << 24, u32::MAX]].concat());
        assert!((-0.01..=1.01).contains(&answered), "{answered}");
    }
}

/// model2vec's folder: the first two bytes say how long `tokenizer.json` is, the rest is `model.safetensors`.
fn folder_of_a_model(bytes: &[u8]) {
    let Some((length, bytes)) = bytes.split_first_chunk() else { return };
    let (tokenizer, weights) = bytes.split_at(bytes.len().min(u16::from_le_bytes(*length).into()));
    let folder = folder("model");
    std::fs::write(folder.join("tokenizer.json"), tokenizer).expect("it can be written");
    std::fs::write(folder.join("model.safetensors"), weights).expect("it can be written");
    if let Ok(model) = Model::open(&folder) {
        is_usable(&model);
    }
}

const DIMS: usize = 8;

fn space() -> Space {
    Space { provider: "fuzz".to_owned(), model: "fuzz".to_owned(), dims: DIMS, fingerprint: 7 }
}

/// A file of rows: the header is right, what follows is headers of extents and their bodies.
fn vectors(bytes: &[u8]) {
    let mut file = vec![0; 64];
    put(&mut file, 0, b"JariVec2");
    put(&mut file, 8, &(DIMS as u32).to_le_bytes());
    put(&mut file, 16, &7_u64.to_le_bytes());
    seal(&mut file);
    file.extend_from_slice(bytes);
    let padded = |bytes: usize| bytes.next_multiple_of(64);
    let mut at = 64;
    while at + 64 <= file.len() {
        let (rows, runs, words) = (number(&file, at + 8), number(&file, at + 12), number(&file, at + 20));
        let planes = padded(rows) + 2 * padded(rows * 4) + padded(rows * 8) + 2 * padded(rows * DIMS);
        let body = padded(runs * 16) + planes + padded(words);
        let sum = crc32fast::hash(&file[at + 64..file.len().min(at + 64 + body)]);
        put(&mut file, at, b"JariRows");
        put(&mut file, at + 16, &sum.to_le_bytes());
        seal(&mut file[at..at + 64]);
        at += 64 + body;
    }
    let folder = folder("vectors");
    std::fs::write(folder.join("index.bin"), file).expect("it can be written");
    if let Ok(index) = Index::open(&folder, &space(), Default::default(), |file, _| file < 64) {
        searched(&index);
    }
}

fn seal(header: &mut [u8]) {
    let sum = crc32fast::hash(&header[..60]);
    put(header, 60, &sum.to_le_bytes());
}

fn searched(index: &Index) {
    let query = [0.5, -0.5, 0.1, 0.0, 0.3, 0.2, -0.1, 0.4];
    for filter in [Filter::default(), Filter { files: Some(&[true, false, true]), kinds: &[1] }] {
        let found = index.search(&query, 5, &filter);
        assert!(found.len() <= 5);
        for near in found {
            assert_eq!(index.vector(near.file, near.ordinal).map(|vector| vector.len()), Some(DIMS));
            assert!(index.words(near.file, near.ordinal).is_some());
        }
    }
    let mut has_cosines = Vec::new();
    index.cosines(&query, 0..64, |cosines| has_cosines.push(!cosines.is_empty()));
    assert!((0..64).map(|file| index.holds(file)).eq(has_cosines));
}

/// Rows, and the bytes of a graph over them.
static ROWS: LazyLock<(PathBuf, Vec<u8>)> = LazyLock::new(|| {
    let folder = folder("graph");
    let mut writer = Writer::open(&folder, &space(), usize::MAX).expect("vectors can be written");
    for file in 0..24_u32 {
        let vector: Vec<f32> =
            (0..DIMS).map(|at| ((file as usize * 7 + at * at) % 11) as f32 / 11.0 - 0.4).collect();
        writer.put(file, 1, &[1], &vector, &[vec![file, 1 << 24]]).expect("vectors can be written");
    }
    writer.save().expect("vectors can be written");
    Writer::build_graph(&folder, &space(), 4, 8, |_| {}).expect("a graph can be built");
    let graph = std::fs::read(folder.join("hnsw.bin")).expect("it was written");
    (folder, graph)
});

/// A graph over rows that are right.
fn graph_of_vectors(bytes: &[u8]) {
    let (folder, right) = &*ROWS;
    let mut file = bytes.to_vec();
    if file.len() >= 64 {
        put(&mut file, 0, b"JariHnsw");
        // Of which rows it is; then of itself.
        put(&mut file, 28, &right[28..32]);
        let sum = crc32fast::hash(&file[64..]);
        put(&mut file, 32, &sum.to_le_bytes());
        seal(&mut file[..64]);
    }
    std::fs::write(folder.join("hnsw.bin"), file).expect("it can be written");
    let options = jari_vector::Options { backend: Some(Backend::Hnsw), ef_search: 16 };
    let index = Index::open(folder, &space(), options, |_, _| true).expect("the rows are right");
    searched(&index);
}

/// What models answered.
fn cache(bytes: &[u8]) {
    let path = folder("cache").join("answers.db");
    for end in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
    std::fs::write(&path, bytes).expect("it can be written");
    let Ok(cache) = Cache::open(&path, 1 << 20) else { return };
    let key = Cache::key(&["a", "b"]);
    assert_eq!(cache.get(&[key, key]).len(), 2);
    if cache.put("model", &[(key, vec![1, 2, 3])]).is_ok() {
        assert!(cache.get(&[key])[0].as_deref().is_none_or(|answer| answer == [1, 2, 3]));
    }
    let _ = cache.kept();
}

/// What the last walk saw.
fn note(bytes: &[u8]) {
    let kept = [blake3::hash(bytes).as_bytes(), bytes].concat();
    if let Some(seen) = Seen::read(&kept) {
        seen.is_of(1);
        seen.is_settled(i64::MAX / 2);
        assert!(!seen.holds(Path::new("/nowhere"), &AtomicBool::new(false)));
    }
}

/// A column, and which of its rows.
const COLUMNS: [(&str, &str, &str); 20] = [
    ("texts", "text", "1"),
    ("uses", "uses", "1"),
    ("documents", "document", "1"),
    ("grams", "lists", "1"),
    ("names", "lists", "1"),
    ("spelled", "lists", "1"),
    ("meta", "value", "key = 'gram_segments'"),
    ("meta", "value", "key = 'name_segments'"),
    ("meta", "value", "key = 'spelled_segments'"),
    ("meta", "value", "key = 'segments'"),
    ("meta", "value", "key = 'sums'"),
    ("meta", "value", "key = 'generation'"),
    ("files", "hash", "1"),
    ("files", "size", "1"),
    ("files", "chunks", "1"),
    ("files", "words", "1"),
    ("chunks", "kind", "1"),
    ("chunks", "symbol", "1"),
    ("chunks", "section", "1"),
    ("symbols", "chunk", "1"),
];

/// An index, its project, and the bytes of its rows.
static STORE: LazyLock<(PathBuf, Project, Vec<u8>)> = LazyLock::new(|| {
    let (root, index) = (folder("project"), folder("store"));
    for (name, text) in [
        ("a.rs", "use b::Pool;\n\n/// Takes one.\npub fn take(pool: &Pool) -> u8 {\n    pool.free()\n}\n"),
        ("b.rs", "pub struct Pool;\n\nimpl Pool {\n    pub fn free(&self) -> u8 {\n        1\n    }\n}\n"),
        ("c.md", "# Pool\n\nSee [a](a.rs).\n\n## Free\n\n| a | b |\n|---|---|\n| take | 2 |\n"),
    ] {
        std::fs::write(root.join(name), text).expect("files can be written");
    }
    let project = Project {
        root: root.canonicalize().expect("it is there"),
        limits: Default::default(),
        documents: Default::default(),
        embedding: None,
        reranker: None,
        translator: None,
        max_grams: 100_000,
    };
    let (store, _) = LocalStore::open(&index, options()).expect("a store can be made");
    ingest::update(&project, &store, &|_| {}).expect("it can be indexed");
    drop(store);
    let rows = std::fs::read(index.join("store.db")).expect("it was written");
    (index, project, rows)
});

fn options() -> Options<'static> {
    Options { fingerprint: "fuzz", fold: jari_text::fold_name, vectors: None, memory: 64 << 20 }
}

/// One value of the rows, written by another hand. Its first byte says of which type it is.
fn row(choice: u8, bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let (index, project, rows) = &*STORE;
    let path = index.join("store.db");
    for end in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
    std::fs::write(&path, rows).expect("it can be written");
    let (table, column, which) = COLUMNS[usize::from(choice) % COLUMNS.len()];
    let flags = rusqlite::OpenFlags::default();
    let connection =
        rusqlite::Connection::open_with_flags_and_vfs(&path, flags, c"jari").expect("the rows are right");
    let update = format!("UPDATE {table} SET {column} = ?1 WHERE {which}");
    let written = match kind % 3 {
        0 => connection.execute(&update, [bytes]),
        1 => connection.execute(&update, [String::from_utf8_lossy(bytes)]),
        _ => {
            let mut eight = [0; 8];
            eight[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
            connection.execute(&update, [i64::from_le_bytes(eight)])
        }
    };
    drop(connection);
    if written.is_ok()
        && let Ok(Some(store)) = LocalStore::look(index, options())
        && let Ok(snapshot) = store.snapshot()
    {
        asked(project, &*snapshot);
    }
}

/// Everything that reads rows. Errors are right here.
fn asked(project: &Project, snapshot: &dyn Snapshot) {
    let _ = search::search(project, snapshot, &SearchRequest::new("take pool free"));
    let request = SymbolRequest {
        name: "pol".to_owned(),
        mode: SymbolMode::Exact,
        kinds: Vec::new(),
        filter: Default::default(),
        limit: 5,
    };
    let _ = symbols::symbols(project, snapshot, &request);
    let _ = graph::callers(project, snapshot, &graph::GraphRequest::new("free"), &|| false);
    let _ = graph::callees(project, snapshot, &graph::GraphRequest::new("take"), &|| false);
    let request = GrepRequest {
        pattern: "take".to_owned(),
        literal: true,
        ignore_case: false,
        word: false,
        filter: Default::default(),
        wanted: Wanted::Count,
        max_count: None,
        limit: None,
        max_gram_frequency: 1.0,
    };
    let _ = grep::plan(snapshot, &request);
    let _ = snapshot.gram_statistics(1);
    let _ = snapshot.statistics();
    let _ = snapshot.documents(&mut |_, _| {});
    let Ok(files) = snapshot.files() else { return };
    for file in files.iter() {
        let _ = snapshot.chunked(file.id);
        let _ = snapshot.text(file.id);
    }
}
