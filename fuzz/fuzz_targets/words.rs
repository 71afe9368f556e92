//! Any line as a question and a pattern, any bytes as the file they are asked of: `cargo +nightly fuzz run words -- -detect_leaks=0`.
//! Words lie where they say, filters are right or refused, no grams lose a line, and hits lie inside the file.

#![no_main]

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use jari_base::{ContentHash, FileId, Filter, Language, LineRange, Stamp};
use jari_engine::grep::{FileMatches, GrepRequest, Wanted};
use jari_engine::search::SearchRequest;
use jari_engine::{Project, grep, search};
use jari_store::{ChunkWords, FileInput, FileRecord, MemoryStore, PathFilter, Snapshot, Store};
use jari_text::{GramCutter, Query, Tokenizer, Typed, highlights};
use libfuzzer_sys::fuzz_target;

/// Where the file stands: in memory, where the system has such a folder.
static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let root = folder.join(format!("jari-fuzz-words-{}", std::process::id()));
    std::fs::create_dir_all(&root).expect("a folder can be made");
    root
});

thread_local! {
    /// It keeps a quarter of a megabyte from one text to the next.
    static CUTTER: RefCell<GramCutter> = RefCell::default();
}

const LONGEST_PATTERN: usize = 80;

const PATHS: [&str; 5] = ["a.txt", "src/a.rs", "src/net/[b].py", "docs/가 나.md", ".github/x"];

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (line, file) = (String::from_utf8_lossy(&bytes[..end]), bytes.get(end + 1..).unwrap_or_default());

    words_lie_where_they_say(&String::from_utf8_lossy(file));
    names(&line);
    question(&line);
    // Compiling patterns and globs takes most of the time: one input in two does without, and long patterns are left out.
    match choice / 8 % 4 {
        0 if line.len() <= LONGEST_PATTERN => {
            patterns_find_the_same_with_grams_and_without(*choice, &line, file)
        }
        1 => filters_let_through_or_leave_out(&line),
        2 => hits_lie_inside_the_file(&line, file),
        _ => {}
    }
});

fn words_lie_where_they_say(text: &str) {
    let mut tokenizer = Tokenizer::default();
    let (mut count, mut terms) = (0, HashSet::new());
    tokenizer.tokens(text, |token| {
        assert!(text.get(token.range.clone()).is_some_and(|written| !written.is_empty()), "{token:?}");
        assert!(!token.text.is_empty() && !token.text.contains(char::is_whitespace), "{token:?}");
        count += 1;
        terms.insert(token.text.to_owned());
    });
    assert_eq!(tokenizer.lines(text).lines().count(), count, "one word a line");
    let marked = highlights(&mut tokenizer, text, &terms.iter().map(String::as_str).collect());
    assert!(marked.iter().all(|range| text.get(range.clone()).is_some()));
    assert!(marked.is_sorted_by_key(|range| range.start), "in order: {marked:?}");
    assert!(jari_text::estimate_tokens(text) <= text.len() * 3, "a byte is no more than a few tokens");
}

fn names(line: &str) {
    let folded = jari_text::fold_name(line);
    assert_eq!(jari_text::fold_name(&folded), folded, "folded once is folded");
    assert!(jari_text::spelling_grams(&jari_text::spelling(line)).is_sorted());
    jari_text::slips(line);
    assert!(jari_text::parts(line).all(|part| line.get(part).is_some_and(|part| !part.is_empty())));
    let (name, declaration) = line.split_once(' ').unwrap_or((line, line));
    for found in [jari_text::declared_type(declaration), jari_text::returned_type(declaration, name, 1, None)]
    {
        assert!(found.is_none_or(|found| declaration.contains(found)), "{found:?}");
    }
    for (field, declared) in jari_text::declared_fields(line) {
        assert!(line.contains(field) && line.contains(declared), "{field}: {declared}");
    }
}

fn question(line: &str) {
    let typed = Typed::new(line);
    let plain = line.replace(['\u{201c}', '\u{201d}', '\u{201e}'], "\"");
    if !typed.filters() {
        assert!(typed.words.split_whitespace().eq(plain.split_whitespace()), "nothing is lost: {typed:?}");
    }
    let query = Query::new(&typed.words);
    assert_eq!(query.terms.len(), query.weights.len());
    assert_eq!(query.terms.iter().collect::<HashSet<_>>().len(), query.terms.len(), "each once");
    query.names();
    query.korean();
}

fn filters_let_through_or_leave_out(line: &str) {
    let typed = Typed::new(line);
    for glob in typed.paths.iter().chain(&typed.except_paths).chain([&typed.words]) {
        let wanted = PathFilter::new(&Filter { paths: vec![glob.clone()], ..Filter::default() });
        let left_out = PathFilter::new(&Filter { except_paths: vec![glob.clone()], ..Filter::default() });
        let (Ok(wanted), Ok(left_out)) = (wanted, left_out) else { continue };
        for path in PATHS {
            assert_ne!(wanted.allows(&record(path)), left_out.allows(&record(path)), "`{glob}` and {path}");
        }
    }
}

fn record(path: &str) -> FileRecord {
    let stamp = Stamp { size: 0, modified: 0 };
    let (path, language) = (path.to_owned(), Language::UNKNOWN);
    FileRecord { id: FileId(0), path, language, stamp, hash: None, skip: None, chunks: 0, words: 0 }
}

/// The file on disk, and a store that holds it. It is put there by hand: a walk with its threads for one small file would take most of
/// the time.
fn indexed(text: &str, grams: Option<Vec<u32>>) -> (Project, Arc<dyn Snapshot>) {
    std::fs::write(ROOT.join("a.txt"), text).expect("the file can be written");
    let project = Project {
        root: ROOT.clone(),
        limits: Default::default(),
        documents: Default::default(),
        embedding: None,
        reranker: None,
        translator: None,
        max_grams: 100_000,
    };
    let language = Language::named("text");
    let chunked = jari_chunk::chunk(&language, text, &Default::default());
    let mut tokenizer = Tokenizer::default();
    let mut words = |lines: LineRange| ChunkWords {
        name: String::new(),
        doc: String::new(),
        body: tokenizer.lines(lines.slice(text)),
    };
    let file = FileInput {
        path: "a.txt".to_owned(),
        path_words: "a\ntxt".to_owned(),
        language,
        stamp: Stamp { size: text.len() as u64, modified: 0 },
        hash: ContentHash([0; 16]),
        text: text.to_owned(),
        words: chunked.chunks.iter().map(|chunk| words(chunk.lines)).collect(),
        chunked,
        meaning: None,
        grams,
    };
    let store = MemoryStore::new(jari_text::fold_name);
    let mut batch = store.write().expect("nobody else writes");
    batch.put(file).expect("memory does not fail");
    batch.commit().expect("memory does not fail");
    (project, store.snapshot().expect("memory does not fail"))
}

fn patterns_find_the_same_with_grams_and_without(choice: u8, line: &str, file: &[u8]) {
    let request = GrepRequest {
        pattern: line.to_owned(),
        literal: choice & 1 != 0,
        ignore_case: choice & 2 != 0,
        word: choice & 4 != 0,
        filter: Filter::default(),
        wanted: Wanted::Lines { before: 1, after: 1 },
        max_count: None,
        limit: None,
        max_gram_frequency: 1.0,
    };
    let text = String::from_utf8_lossy(file);
    let grams = CUTTER.with_borrow_mut(|cutter| cutter.cut(&text, usize::MAX));
    // With one file, what grams let through is all there is.
    if grepped(indexed(&text, grams), &request).is_some_and(|found| found.is_empty()) {
        assert_eq!(grepped(indexed(&text, None), &request), Some(Vec::new()), "grams lose no line");
    }
}

fn hits_lie_inside_the_file(line: &str, file: &[u8]) {
    let text = String::from_utf8_lossy(file);
    let (project, snapshot) = indexed(&text, Some(Vec::new()));
    let request = SearchRequest { explain: true, context: Some(2), ..SearchRequest::new(line) };
    let Ok(response) = search::search(&project, &*snapshot, &request) else { return };
    let count = text.lines().count() as u32;
    for hit in response.hits {
        assert!(
            1 <= hit.lines.start && hit.lines.start <= hit.lines.end && hit.lines.end <= count,
            "{hit:?}"
        );
        assert!((0.0..=1.0).contains(&hit.score), "{hit:?}");
    }
}

fn grepped(
    (project, snapshot): (Project, Arc<dyn Snapshot>),
    request: &GrepRequest,
) -> Option<Vec<FileMatches>> {
    let plan = grep::plan(&*snapshot, request).ok()?;
    let mut found = Vec::new();
    let summary = grep::grep(&project, request, plan, &mut |file| {
        found.push(file);
        true
    });
    summary.expect("a pattern with a plan can be looked for");
    for line in found.iter().flat_map(|file| &file.lines) {
        assert!(line.matches.iter().all(|range| line.text.get(range.clone()).is_some()), "{line:?}");
    }
    Some(found)
}
