//! The suite every store passes: `conformance::run(|| a new empty store)`.

use std::collections::BTreeSet;

use jari_base::{
    Bm25, Chunk, ChunkId, ChunkKind, Chunked, ContentHash, Document, FileId, Filter, Generation, Language,
    LineRange, Link, Lookup, Reference, ReferenceKind, Section, Skip, Stamp, Symbol, SymbolKind, Term, Value,
};

use crate::{
    ChunkWords, Error, FileInput, GramQuery, GramStatistics, Meaning, Snapshot, Store, SymbolLookup,
    SymbolMode,
};

/// Runs every check, each on a store of its own.
pub fn run<S: Store>(new: impl Fn() -> S) {
    an_empty_store_answers_with_nothing(&new());
    what_is_put_comes_back(&new());
    documents_come_back_with_their_sections(&new());
    nothing_is_seen_before_commit_and_a_dropped_batch_is_undone(&new());
    an_old_snapshot_does_not_change(&new());
    a_second_writer_is_told_that_the_store_is_busy(&new());
    putting_again_replaces(&new());
    a_rename_keeps_number_and_rows(&new());
    touched_and_skipped_files_are_remembered(&new());
    removed_files_are_gone_everywhere(&new());
    a_cleared_store_holds_only_what_came_after(&new());
    rarer_words_and_names_rank_first(&new());
    filters_hold_inside_the_look_up(&new());
    symbols_are_found_by_name(&new());
    vectors_find_the_nearest_and_go_with_their_files(&new());
    grams_narrow_down_the_files(&new());
    names_lead_to_the_files_that_use_them(&new());
    a_note_is_kept_beside_the_states(&new());
}

const STAMP: Stamp = Stamp { size: 10, modified: 1 };

/// A file to put into a store.
pub fn example(path: &str) -> FileInput {
    file(path, &[("first", "alpha beta"), ("second", "gamma")])
}

/// A file of one function a line group: `name: words`, four lines each.
fn file(path: &str, functions: &[(&str, &str)]) -> FileInput {
    let mut input = FileInput {
        path: path.to_owned(),
        path_words: path.replace(['/', '.'], "\n"),
        language: Language::named(if path.ends_with(".py") { "python" } else { "rust" }),
        stamp: STAMP,
        hash: ContentHash([path.len() as u8; 16]),
        text: String::new(),
        chunked: Chunked::default(),
        words: Vec::new(),
        meaning: None,
        grams: Some(Vec::new()),
    };
    for (at, (name, words)) in functions.iter().enumerate() {
        let at = at as u32;
        let lines = LineRange::new(at * 4 + 1, at * 4 + 3);
        input.text.push_str(&format!("fn {name}() {{\n    {words}\n}}\n\n"));
        input.chunked.chunks.push(Chunk {
            kind: ChunkKind::Function,
            lines,
            symbol: Some(at),
            doc: None,
            section: None,
            head: None,
        });
        input.chunked.symbols.push(Symbol {
            name: (*name).to_owned(),
            kind: SymbolKind::Function,
            container: Some("outer".to_owned()).filter(|_| at > 0),
            signature: format!("fn {name}()"),
            doc: Some("Says so.".to_owned()),
            exported: at == 0,
            lines,
        });
        let call = Reference::new(format!("call_{name}"), ReferenceKind::Call, lines.start + 1);
        input.chunked.references.push(Reference { within: Some(at), ..call });
        input.words.push(ChunkWords {
            name: (*name).to_owned(),
            doc: String::new(),
            body: format!("{name}\n{}", words.replace(' ', "\n")),
        });
    }
    input.grams = Some(input.text.bytes().map(u32::from).collect::<BTreeSet<_>>().into_iter().collect());
    input
}

fn put(store: &impl Store, files: &[FileInput]) -> Generation {
    let mut batch = store.write().expect("no other writer");
    for file in files {
        batch.put(file.clone()).expect("a file goes in");
    }
    batch.commit().expect("the batch commits")
}

fn lookup(words: &str) -> Lookup {
    Lookup {
        terms: words.split_whitespace().map(|word| Term { text: word.to_owned(), weight: 1.0 }).collect(),
        names: Vec::new(),
        vector: None,
        filter: Filter::default(),
        limit: 10,
        bm25: Bm25::default(),
        deadline: None,
    }
}

fn found(snapshot: &dyn Snapshot, lookup: &Lookup) -> Vec<String> {
    snapshot.candidates(lookup).expect("a look-up succeeds").files.into_iter().map(|file| file.path).collect()
}

fn an_empty_store_answers_with_nothing(store: &impl Store) {
    let snapshot = store.snapshot().expect("a snapshot");
    assert_eq!(snapshot.generation(), Generation(0));
    assert_eq!(snapshot.files().expect("files are known").iter().count(), 0);
    assert!(found(&*snapshot, &lookup("anything")).is_empty());
    assert!(snapshot.hydrate(&[ChunkId { file: FileId(1), ordinal: 0 }]).expect("it succeeds").is_empty());
}

fn documents_come_back_with_their_sections(store: &impl Store) {
    let mut input = file("docs/a.md", &[("first", "alpha"), ("second", "beta")]);
    let section = |at: u32, title: &str| Section {
        title: title.to_owned(),
        level: at as u8 + 1,
        parent: at.checked_sub(1),
        id: title.to_lowercase(),
        anchor: title.to_lowercase(),
        lines: LineRange::new(at * 4 + 1, at * 4 + 4),
        whole: LineRange::new(at * 4 + 1, 8),
        bytes: 0..1,
        hash: ContentHash([7; 16]),
    };
    let link = Link { target: "b.md".to_owned(), text: "b".to_owned(), image: false, line: 2, bytes: 3..5 };
    let document = Document {
        title: Some("A page".to_owned()),
        front_matter: vec![("draft".to_owned(), Value::List(vec![Value::Bool(true), Value::Float(0.5)]))],
        sections: vec![section(0, "Top"), section(1, "Part")],
        links: vec![link],
        ..Document::default()
    };
    input.chunked.document = Some(document.clone());
    let last = input.chunked.chunks.last_mut().expect("there are two");
    (last.kind, last.symbol, last.section) = (ChunkKind::Section, None, Some(1));
    last.head = Some(LineRange::new(1, 1));
    put(store, &[input.clone(), example("src/a.rs")]);

    let snapshot = store.snapshot().expect("a snapshot");
    let id = snapshot.files().expect("files are known").at("docs/a.md").expect("the file is known").id;
    assert_eq!(snapshot.chunked(id).expect("it succeeds").as_ref(), Some(&input.chunked));
    let mut seen = Vec::new();
    snapshot.documents(&mut |file, document| seen.push((file, document))).expect("it succeeds");
    assert_eq!(seen, [(id, document)]);
    let chunk = snapshot.hydrate(&[ChunkId { file: id, ordinal: 1 }]).expect("it succeeds").remove(0);
    assert_eq!(chunk.head.as_deref(), Some("fn first() {"));
    let [part] = &chunk.sections[..] else { panic!("it touches one section: {chunk:?}") };
    assert_eq!((part.id.as_str(), part.title.as_deref()), ("part", Some("A page")));
    assert_eq!(part.heading_path, ["Top", "Part"]);

    let mut batch = store.write().expect("no other writer");
    batch.remove(id).expect("it goes");
    batch.commit().expect("the batch commits");
    let mut left = 0;
    store.snapshot().expect("a snapshot").documents(&mut |_, _| left += 1).expect("it succeeds");
    assert_eq!(left, 0);
}

fn what_is_put_comes_back(store: &impl Store) {
    let input = file("src/a.rs", &[("first", "alpha beta"), ("second", "gamma")]);
    assert_eq!(put(store, std::slice::from_ref(&input)), Generation(1));
    let snapshot = store.snapshot().expect("a snapshot");
    let record =
        snapshot.files().expect("files are known").at("src/a.rs").expect("the file is known").clone();
    assert_eq!((record.chunks, record.words), (2, 5));
    assert_eq!((record.hash, record.stamp, record.skip), (Some(input.hash), STAMP, None));
    assert_eq!(snapshot.text(record.id).expect("it succeeds").as_ref(), Some(&input.text));
    assert_eq!(snapshot.chunked(record.id).expect("it succeeds").as_ref(), Some(&input.chunked));
    let chunk = ChunkId { file: record.id, ordinal: 1 };
    let hydrated = snapshot.hydrate(&[chunk]).expect("it succeeds");
    assert_eq!(hydrated[0].text, "fn second() {\n    gamma\n}");
    assert_eq!(hydrated[0].symbol.as_ref(), Some(&input.chunked.symbols[1]));
    assert_eq!(snapshot.statistics().expect("it succeeds").chunks, 2);
}

fn nothing_is_seen_before_commit_and_a_dropped_batch_is_undone(store: &impl Store) {
    let mut batch = store.write().expect("no other writer");
    batch.put(file("a.rs", &[("a", "alpha")])).expect("it goes in");
    assert!(found(&*store.snapshot().expect("a snapshot"), &lookup("alpha")).is_empty());
    drop(batch);
    assert!(found(&*store.snapshot().expect("a snapshot"), &lookup("alpha")).is_empty());
    put(store, &[file("b.rs", &[("b", "alpha")])]);
    assert_eq!(found(&*store.snapshot().expect("a snapshot"), &lookup("alpha")), ["b.rs"]);
}

fn an_old_snapshot_does_not_change(store: &impl Store) {
    put(store, &[file("a.rs", &[("a", "alpha")])]);
    let old = store.snapshot().expect("a snapshot");
    put(store, &[file("a.rs", &[("a", "beta")]), file("b.rs", &[("b", "alpha")])]);
    assert_eq!(found(&*old, &lookup("alpha")), ["a.rs"]);
    assert_eq!(found(&*old, &lookup("beta")), Vec::<String>::new());
    assert_eq!(old.files().expect("files are known").iter().count(), 1);
    let new = store.snapshot().expect("a snapshot");
    assert_eq!(found(&*new, &lookup("alpha")), ["b.rs"]);
    assert_eq!((old.generation(), new.generation()), (Generation(1), Generation(2)));
}

fn a_second_writer_is_told_that_the_store_is_busy(store: &impl Store) {
    let first = store.write().expect("no other writer");
    assert!(matches!(store.write().map(drop), Err(Error::Busy)));
    drop(first);
    store.write().expect("the lock is free again");
}

fn putting_again_replaces(store: &impl Store) {
    put(store, &[file("a.rs", &[("a", "alpha"), ("b", "beta")])]);
    let id =
        store.snapshot().expect("a snapshot").files().expect("files are known").at("a.rs").expect("known").id;
    put(store, &[file("a.rs", &[("c", "gamma")])]);
    let snapshot = store.snapshot().expect("a snapshot");
    assert_eq!(
        snapshot.files().expect("files are known").at("a.rs").expect("known").id,
        id,
        "an edit keeps the number"
    );
    assert!(found(&*snapshot, &lookup("alpha beta")).is_empty());
    assert_eq!(found(&*snapshot, &lookup("gamma")), ["a.rs"]);
    assert_eq!(snapshot.statistics().expect("it succeeds").symbols, 1);
}

fn a_rename_keeps_number_and_rows(store: &impl Store) {
    put(store, &[file("old/a.rs", &[("a", "alpha")])]);
    let id = store
        .snapshot()
        .expect("a snapshot")
        .files()
        .expect("files are known")
        .at("old/a.rs")
        .expect("known")
        .id;
    let mut batch = store.write().expect("no other writer");
    batch.rename(id, "new/a.rs", "new\na\nrs", STAMP).expect("it succeeds");
    batch.commit().expect("it commits");
    let snapshot = store.snapshot().expect("a snapshot");
    assert_eq!(snapshot.files().expect("files are known").at("new/a.rs").expect("known").id, id);
    assert!(snapshot.files().expect("files are known").at("old/a.rs").is_none());
    assert_eq!(found(&*snapshot, &lookup("alpha")), ["new/a.rs"]);
    assert_eq!(found(&*snapshot, &lookup("new")), ["new/a.rs"]);
    assert!(found(&*snapshot, &lookup("old")).is_empty());
}

fn touched_and_skipped_files_are_remembered(store: &impl Store) {
    put(store, &[file("a.rs", &[("a", "alpha")])]);
    let id =
        store.snapshot().expect("a snapshot").files().expect("files are known").at("a.rs").expect("known").id;
    let later = Stamp { size: 10, modified: 2 };
    let mut batch = store.write().expect("no other writer");
    batch.touch(id, later).expect("it succeeds");
    batch.skip("logo.png", STAMP, Skip::Binary).expect("it succeeds");
    batch.commit().expect("it commits");
    let files = store.snapshot().expect("a snapshot").files().expect("files are known");
    assert_eq!(files.at("a.rs").expect("known").stamp, later);
    assert_eq!(files.at("logo.png").expect("known").skip, Some(Skip::Binary));
    assert_eq!(files.totals().indexed, 1);
    let rows = store.rows().expect("a snapshot");
    assert_eq!(rows.totals(), *files.totals());
    assert_eq!(rows.totals().skipped_in_all(), 1);
    assert_eq!(rows.file(id).expect("files are known").as_ref(), files.get(id));
    assert_eq!(rows.file(FileId(u32::MAX)).expect("files are known"), None);

    let mut batch = store.write().expect("no other writer");
    batch.skip("a.rs", later, Skip::TooLarge).expect("it succeeds");
    batch.commit().expect("it commits");
    let snapshot = store.snapshot().expect("a snapshot");
    assert!(found(&*snapshot, &lookup("alpha")).is_empty(), "a file that is skipped now is not found");
}

fn removed_files_are_gone_everywhere(store: &impl Store) {
    put(store, &[file("a.rs", &[("a", "alpha")]), file("b.rs", &[("b", "alpha")])]);
    let id =
        store.snapshot().expect("a snapshot").files().expect("files are known").at("a.rs").expect("known").id;
    let mut batch = store.write().expect("no other writer");
    batch.remove(id).expect("it succeeds");
    batch.commit().expect("it commits");
    let snapshot = store.snapshot().expect("a snapshot");
    assert_eq!(found(&*snapshot, &lookup("alpha")), ["b.rs"]);
    assert!(snapshot.text(id).expect("it succeeds").is_none());
    assert_eq!(snapshot.statistics().expect("it succeeds").symbols, 1);
}

fn a_cleared_store_holds_only_what_came_after(store: &impl Store) {
    put(store, &[file("a.rs", &[("a", "alpha")]), file("b.rs", &[("b", "beta")])]);
    let old = store.snapshot().expect("a snapshot");
    let mut batch = store.write().expect("no other writer");
    batch.clear().expect("it succeeds");
    batch.put(file("b.rs", &[("b", "gamma")])).expect("it goes in");
    batch.commit().expect("it commits");
    let new = store.snapshot().expect("a snapshot");
    assert!(found(&*new, &lookup("alpha beta")).is_empty());
    assert_eq!(found(&*new, &lookup("gamma")), ["b.rs"]);
    assert_eq!(new.files().expect("files are known").iter().count(), 1);
    assert_eq!(new.statistics().expect("it succeeds").symbols, 1);
    assert_eq!(found(&*old, &lookup("alpha")), ["a.rs"], "an old snapshot still answers");
}

fn rarer_words_and_names_rank_first(store: &impl Store) {
    put(
        store,
        &[
            file("a.rs", &[("a", "common common common")]),
            file("b.rs", &[("b", "common rare")]),
            file("c.rs", &[("common", "common"), ("d", "filler"), ("e", "filler")]),
        ],
    );
    let snapshot = store.snapshot().expect("a snapshot");
    assert_eq!(found(&*snapshot, &lookup("common rare"))[0], "b.rs");
    assert_eq!(found(&*snapshot, &Lookup { limit: 1, ..lookup("common rare") }), ["b.rs"]);
    let named = Lookup { names: vec!["common".to_owned()], ..lookup("nowhere") };
    let candidates = snapshot.candidates(&named).expect("it succeeds");
    assert_eq!(candidates.files.len(), 1);
    assert_eq!(candidates.files[0].definitions[0].name, "common");
    let rarity = snapshot.candidates(&lookup("common rare absent")).expect("it succeeds").rarity;
    assert!(rarity[1] > rarity[0] && rarity[2] == 0.0, "{rarity:?}");
}

fn filters_hold_inside_the_look_up(store: &impl Store) {
    let crowd: Vec<_> =
        (0..30).map(|n| file(&format!("src/{n}.rs"), &[("f", "alpha alpha alpha")])).collect();
    put(store, &crowd);
    put(store, &[file("docs/one.py", &[("g", "alpha filler filler filler")])]);
    let snapshot = store.snapshot().expect("a snapshot");
    let only = |filter: Filter| found(&*snapshot, &Lookup { filter, limit: 5, ..lookup("alpha") });
    assert_eq!(only(Filter { paths: vec!["docs".to_owned()], ..Filter::default() }), ["docs/one.py"]);
    assert_eq!(only(Filter { languages: vec!["python".to_owned()], ..Filter::default() }), ["docs/one.py"]);
    assert_eq!(only(Filter { kinds: vec![ChunkKind::Class], ..Filter::default() }), Vec::<String>::new());
    assert_eq!(only(Filter { kinds: vec![ChunkKind::Function], ..Filter::default() }).len(), 5);
}

fn symbols_are_found_by_name(store: &impl Store) {
    put(
        store,
        &[
            file("a.rs", &[("parse_header", "x"), ("parse", "x")]),
            file("b.py", &[("ParseHeader", "x"), ("reparse", "x")]),
        ],
    );
    let snapshot = store.snapshot().expect("a snapshot");
    let names = |name: &str, folded: &str, mode, filter: Filter| -> Vec<String> {
        let lookup = SymbolLookup {
            name: name.to_owned(),
            folded: folded.to_owned(),
            mode,
            kinds: Vec::new(),
            filter,
            limit: 10,
        };
        snapshot.symbols(&lookup).expect("it succeeds").into_iter().map(|found| found.symbol.name).collect()
    };
    let all = Filter::default;
    assert_eq!(
        names("ParseHeader", "parseheader", SymbolMode::Exact, all()),
        ["ParseHeader", "parse_header"]
    );
    assert_eq!(names("parse", "parse", SymbolMode::Prefix, all()), ["parse", "ParseHeader", "parse_header"]);
    assert_eq!(
        names("parse", "parse", SymbolMode::Contains, all()),
        ["parse", "reparse", "ParseHeader", "parse_header"]
    );
    let python = Filter { languages: vec!["python".to_owned()], ..all() };
    assert_eq!(names("parse", "parse", SymbolMode::Prefix, python), ["ParseHeader"]);
    let mut every = Vec::new();
    snapshot.symbol_names(&mut |name| every.push(name.to_owned())).expect("it succeeds");
    every.sort();
    assert_eq!(every, ["ParseHeader", "parse", "parse_header", "reparse"]);
}

/// Stores of this check keep vectors of two dimensions.
fn vectors_find_the_nearest_and_go_with_their_files(store: &impl Store) {
    let with = |path: &str, vectors: &[f32]| FileInput {
        meaning: Some(Meaning { vectors: vectors.to_vec(), words: vec![vec![2, 900], vec![70_000]] }),
        ..file(path, &[("first", "alpha"), ("second", "beta")])
    };
    put(
        store,
        &[
            with("a.rs", &[1.0, 0.0, 0.6, 0.8]),
            with("b.py", &[0.8, 0.6, 0.0, 0.0]),
            file("c.rs", &[("f", "gamma")]),
        ],
    );
    let snapshot = store.snapshot().expect("a snapshot");
    let path = |file: FileId| {
        snapshot.files().expect("files are known").get(file).expect("it is known").path.clone()
    };
    let nearest = |snapshot: &dyn Snapshot, filter: &Filter| -> Vec<(String, u32)> {
        let found = snapshot.nearest(&[1.0, 0.0], 10, filter).expect("it succeeds");
        assert!(found.is_sorted_by(|one, two| one.1 >= two.1));
        found.iter().map(|(chunk, _)| (path(chunk.file), chunk.ordinal)).collect()
    };
    let all = Filter::default();
    let place = |path: &str, ordinal: u32| (path.to_owned(), ordinal);
    // A chunk of zeros is near to nothing, and a file without vectors is not found.
    assert_eq!(nearest(&*snapshot, &all), [place("a.rs", 0), place("b.py", 0), place("a.rs", 1)]);
    let python = Filter { languages: vec!["python".to_owned()], ..Filter::default() };
    assert_eq!(nearest(&*snapshot, &python), [place("b.py", 0)]);
    assert_eq!(nearest(&*snapshot, &Filter { kinds: vec![ChunkKind::Class], ..Filter::default() }), []);
    let missing: Vec<String> = snapshot.unembedded().expect("it succeeds").into_iter().map(path).collect();
    assert_eq!(missing, ["c.rs"]);

    // Both lists come together: a file found by its vector alone, and cosines for what words found.
    let asked = Lookup { vector: Some(vec![1.0, 0.0]), ..lookup("gamma") };
    let candidates = snapshot.candidates(&asked).expect("it succeeds");
    let found =
        |path: &str| candidates.files.iter().find(|file| file.path == path).expect("it is a candidate");
    let near = &found("a.rs").chunks;
    assert_eq!(
        near.iter().map(|chunk| (chunk.chunk.ordinal, chunk.body)).collect::<Vec<_>>(),
        [(0, 0.0), (1, 0.0)]
    );
    assert!((near[0].cosine - 1.0).abs() < 0.01 && (near[1].cosine - 0.6).abs() < 0.01, "{near:?}");
    assert!(found("c.rs").chunks[0].body > 0.0 && found("c.rs").chunks[0].cosine == 0.0);
    assert_eq!(candidates.degraded, None);

    // New contents and a new path both need new vectors; a removed file is gone.
    let id = |path: &str| snapshot.files().expect("files are known").at(path).expect("it is known").id;
    let mut batch = store.write().expect("a batch");
    let words_of = |snapshot: &dyn Snapshot, places: &[(&str, u32)]| {
        let chunk = |(path, ordinal): &(&str, u32)| ChunkId { file: id(path), ordinal: *ordinal };
        snapshot.words(&places.iter().map(chunk).collect::<Vec<_>>()).expect("it succeeds")
    };
    // Each in its place; no model has read `c.rs`.
    assert_eq!(
        words_of(&*snapshot, &[("b.py", 1), ("c.rs", 0), ("a.rs", 0)]),
        [Some(vec![70_000]), None, Some(vec![2, 900])]
    );
    assert_eq!(words_of(&*snapshot, &[]), []);
    let wordless = Meaning { vectors: vec![0.9, 0.1], words: Vec::new() };
    batch.embed(id("c.rs"), wordless).expect("it succeeds");
    batch.rename(id("a.rs"), "moved.rs", "moved", STAMP).expect("it succeeds");
    batch.remove(id("b.py")).expect("it succeeds");
    batch.commit().expect("it succeeds");
    let after = store.snapshot().expect("a snapshot");
    assert_eq!(nearest(&*after, &all), [place("c.rs", 0)]);
    assert_eq!(after.unembedded().expect("it succeeds"), [id("a.rs")]);
    let chunk = ChunkId { file: id("c.rs"), ordinal: 0 };
    let moved = ChunkId { file: id("a.rs"), ordinal: 0 };
    let vectors = after.vectors(&[moved, chunk]).expect("it succeeds");
    assert_eq!(
        vectors.iter().map(|vector| vector.as_ref().map(Vec::len)).collect::<Vec<_>>(),
        [None, Some(2)]
    );
    assert_eq!(words_of(&*after, &[("c.rs", 0)]), [Some(Vec::new())], "not every model has words");
    assert_eq!(words_of(&*after, &[("a.rs", 0)]), [None], "it was moved");
    assert_eq!(nearest(&*snapshot, &all).len(), 3, "the old state still has its own");
}

fn grams_narrow_down_the_files(store: &impl Store) {
    let rich = FileInput { grams: None, ..file("rich.rs", &[("rich", "w")]) };
    put(store, &[file("a.rs", &[("x", "w")]), file("b.rs", &[("z", "w")]), rich]);
    let paths = |most: u64, query: GramQuery| {
        let snapshot = store.snapshot().expect("the store answers");
        let files = snapshot.narrow(&query, most).expect("the store answers")?;
        let path = |file: FileId| Some(snapshot.files().expect("files are known").get(file)?.path.clone());
        Some(files.into_iter().filter_map(path).collect::<Vec<_>>().join(" "))
    };
    let has = |byte: u8| GramQuery::Gram(byte.into());
    assert_eq!(paths(9, has(b'x')).as_deref(), Some("a.rs rich.rs"));
    assert_eq!(paths(9, GramQuery::And(vec![has(b'w'), has(b'z')])).as_deref(), Some("b.rs rich.rs"));
    assert_eq!(paths(9, GramQuery::Or(vec![has(b'x'), has(b'z')])).as_deref(), Some("a.rs b.rs rich.rs"));
    assert_eq!(paths(9, has(b'!')).as_deref(), Some("rich.rs"));
    assert_eq!(paths(1, has(b'w')), None);
    let GramStatistics { grams, common, uncut } =
        store.snapshot().expect("the store answers").gram_statistics(1).expect("the store answers");
    assert_eq!((grams - common, uncut), (2, 1));

    // A rename keeps them, new contents add to them.
    let id = |path: &str| {
        store
            .snapshot()
            .expect("the store answers")
            .files()
            .expect("files are known")
            .at(path)
            .expect("it was put")
            .id
    };
    let mut batch = store.write().expect("nobody else writes");
    batch.rename(id("a.rs"), "moved.rs", "moved", STAMP).expect("the store takes it");
    batch.remove(id("rich.rs")).expect("the store takes it");
    batch.put(file("b.rs", &[("y", "w")])).expect("the store takes it");
    batch.commit().expect("the store takes it");
    assert_eq!(paths(9, has(b'x')).as_deref(), Some("moved.rs"));
    assert_eq!(paths(9, has(b'y')).as_deref(), Some("b.rs"));
}

fn names_lead_to_the_files_that_use_them(store: &impl Store) {
    put(store, &[file("a.rs", &[("x", "w")]), file("b.rs", &[("x", "w"), ("y", "w")])]);
    let users = |name: &str| {
        let snapshot = store.snapshot().expect("the store answers");
        let files = snapshot.users(name).expect("the store answers").into_iter();
        let path = |file: FileId| Some(snapshot.files().expect("files are known").get(file)?.path.clone());
        files.filter_map(path).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(users("call_x"), "a.rs b.rs");
    assert_eq!(users("call_y"), "b.rs");
    assert_eq!(users("Call_x"), "");
    let snapshot = store.snapshot().expect("the store answers");
    let id = |path: &str| snapshot.files().expect("files are known").at(path).expect("it was put").id;
    let references = snapshot.uses(id("b.rs")).expect("the store answers").all();
    let defined = snapshot.defined(id("b.rs")).expect("the store answers");
    let within = |at: usize| defined[references[at].within.expect("it was put") as usize].name.as_str();
    assert_eq!((within(0), within(1)), ("x", "y"));
    let second = snapshot.definition(id("b.rs"), 1).expect("the store answers");
    assert_eq!(second.as_ref(), defined.get(1));
    assert_eq!(snapshot.definition(id("b.rs"), 9).expect("the store answers"), None);

    let mut batch = store.write().expect("nobody else writes");
    batch.rename(id("b.rs"), "moved.rs", "moved", STAMP).expect("the store takes it");
    batch.remove(id("a.rs")).expect("the store takes it");
    batch.commit().expect("the store takes it");
    assert_eq!(users("call_x"), "moved.rs");
    assert!(snapshot.uses(FileId(999)).expect("the store answers").is_empty());
}

fn a_note_is_kept_beside_the_states(store: &impl Store) {
    assert_eq!(store.recall(), None);
    store.remember(b"first");
    store.remember(b"second");
    assert_eq!(store.recall().as_deref(), Some(&b"second"[..]));
    assert_eq!(store.snapshot().expect("the store answers").generation(), Generation(0));
}

#[cfg(test)]
mod tests {
    use crate::MemoryStore;

    #[test]
    fn the_twin_conforms() {
        super::run(|| MemoryStore::new(|name| name.replace('_', "").to_lowercase()));
    }
}
