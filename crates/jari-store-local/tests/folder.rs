//! What happens to the folder of an index: made, looked at, replaced, deleted, and shared with others who want it.

use std::path::Path;
use std::time::Duration;

use jari_base::{Backend, Degraded, Filter, Space};
use jari_store::{Error, FileInput, Meaning, Replaced, Store, conformance};
use jari_store_local::{FORMAT, Identity, LocalStore, Options, VectorOptions};

const OPTIONS: Options<'_> =
    Options { fingerprint: "test", fold: str::to_lowercase, vectors: None, memory: 64 << 20 };

fn vector_options(backend: Option<Backend>) -> VectorOptions {
    let space = Space { provider: "test".to_owned(), model: "two".to_owned(), dims: 2, fingerprint: 1 };
    VectorOptions { space, backend, most: 1_000, m: 4, ef_construction: 10, ef_search: 10 }
}

/// A store with one file.
fn filled(folder: &Path, options: Options<'_>, vectors: Option<Vec<f32>>) -> LocalStore {
    let (store, replaced) = LocalStore::open(folder, options).expect("it can be opened");
    assert_eq!(replaced, None);
    let mut batch = store.write().expect("nobody else writes");
    let meaning = vectors.map(|vectors| Meaning { vectors, words: Vec::new() });
    batch.put(FileInput { meaning, ..conformance::example("a.rs") }).expect("it can be put");
    batch.commit().expect("it can be committed");
    store
}

fn count(store: &LocalStore) -> usize {
    store.snapshot().and_then(|state| state.files()).expect("it can be read").iter().count()
}

/// Changes the rows by another hand, with their checksums.
fn by_hand(folder: &Path, statement: &str) {
    let flags = rusqlite::OpenFlags::default();
    let rows = rusqlite::Connection::open_with_flags_and_vfs(folder.join("store.db"), flags, c"jari")
        .expect("the rows are there");
    rows.execute_batch(statement).expect("the statement is right");
}

#[test]
fn those_who_only_look_make_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index");
    assert!(LocalStore::look(&index, OPTIONS).unwrap().is_none());
    assert!(!index.exists());
    filled(&index, OPTIONS, None);
    assert_eq!(count(&LocalStore::look(&index, OPTIONS).unwrap().expect("it is there")), 1);
}

#[test]
fn those_who_only_look_replace_nothing() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), OPTIONS, None);
    let looked = || LocalStore::look(folder.path(), OPTIONS).map(|found| found.is_some());
    by_hand(folder.path(), "PRAGMA user_version = 1");
    assert!(matches!(looked(), Err(Error::Corrupt(_))), "an old format");
    by_hand(folder.path(), "PRAGMA application_id = 7");
    assert!(matches!(looked(), Err(Error::Corrupt(_))), "somebody else's");
    let garbage = "no database at all";
    std::fs::write(folder.path().join("store.db"), garbage).unwrap();
    assert!(matches!(looked(), Err(Error::Corrupt(_))), "no database");
    assert_eq!(std::fs::read_to_string(folder.path().join("store.db")).unwrap(), garbage);
}

#[test]
fn an_older_format_is_made_anew_and_said() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), OPTIONS, None);
    by_hand(folder.path(), &format!("PRAGMA user_version = {}", FORMAT - 1));
    let (store, replaced) = LocalStore::open(folder.path(), OPTIONS).unwrap();
    assert_eq!((replaced, count(&store)), (Some(Replaced::Outdated), 0));
}

#[test]
fn rows_without_their_postings_are_damaged() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), OPTIONS, None);
    std::fs::remove_dir_all(folder.path().join("lexical")).unwrap();
    let (store, replaced) = LocalStore::open(folder.path(), OPTIONS).unwrap();
    assert!(matches!(replaced, Some(Replaced::Damaged(_))), "{replaced:?}");
    assert_eq!(count(&store), 0);
}

#[test]
fn postings_that_are_gone_are_damage_and_no_empty_answer() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), OPTIONS, None);
    for entry in std::fs::read_dir(folder.path().join("lexical")).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    assert!(matches!(store.snapshot().map(drop), Err(Error::Corrupt(_))));
    // Whoever asks for rows alone hears of it when postings are asked for.
    let rows = store.rows().unwrap();
    assert_eq!(rows.files().unwrap().iter().count(), 1);
    let lookup = jari_base::Lookup {
        terms: vec![jari_base::Term { text: "alpha".to_owned(), weight: 1.0 }],
        names: Vec::new(),
        vector: None,
        filter: Filter::default(),
        limit: 5,
        bm25: Default::default(),
        deadline: None,
    };
    assert!(matches!(rows.candidates(&lookup), Err(Error::Corrupt(_))));
}

#[test]
fn a_database_without_its_tables_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), OPTIONS, None);
    by_hand(folder.path(), "DROP TABLE files");
    assert!(matches!(store.snapshot().and_then(|state| state.files().map(drop)), Err(Error::Corrupt(_))));
}

#[test]
fn a_row_of_another_type_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), OPTIONS, None);
    by_hand(folder.path(), "UPDATE files SET hash = 'no hash'");
    assert!(matches!(store.snapshot().and_then(|state| state.files().map(drop)), Err(Error::Corrupt(_))));
}

#[test]
fn replacing_keeps_what_another_process_has_made_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path(), OPTIONS, None));
    let damaged = Identity::of(folder.path());
    assert!(damaged.is_some());
    assert_eq!(count(&LocalStore::replace(folder.path(), OPTIONS, damaged).unwrap()), 0);
    drop(filled(folder.path(), OPTIONS, None));
    // The one that was damaged is gone, and so this one is another's work.
    assert_ne!(Identity::of(folder.path()), damaged);
    assert_eq!(count(&LocalStore::replace(folder.path(), OPTIONS, damaged).unwrap()), 1);
}

#[test]
fn deleting_takes_the_index_and_leaves_what_is_not_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index");
    assert!(!LocalStore::delete(&index).unwrap(), "there was none");
    filled(&index, OPTIONS, None);
    std::fs::write(index.join("notes.txt"), "mine").unwrap();
    assert!(LocalStore::delete(&index).unwrap());
    let left: Vec<_> = std::fs::read_dir(&index).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["notes.txt"]);
    std::fs::remove_file(index.join("notes.txt")).unwrap();
    filled(&index, OPTIONS, None);
    assert!(LocalStore::delete(&index).unwrap());
    assert!(!index.exists(), "nothing is left, and so the folder goes, too");
}

#[test]
fn deleting_leaves_the_duty_to_whoever_has_it() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), OPTIONS, None);
    let duty = LocalStore::take_duty(folder.path()).unwrap();
    assert!(duty.is_some());
    assert!(LocalStore::take_duty(folder.path()).unwrap().is_none(), "one has it");
    LocalStore::delete(folder.path()).unwrap();
    assert!(LocalStore::take_duty(folder.path()).unwrap().is_none(), "and still has it");
    drop(duty);
    assert!(LocalStore::take_duty(folder.path()).unwrap().is_some());
}

#[test]
fn one_writes_and_others_are_told_or_wait() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = LocalStore::open(folder.path(), OPTIONS).unwrap();
    let batch = store.write().unwrap();
    assert!(matches!(store.write().map(drop), Err(Error::Busy)));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| store.wait_for_writer().unwrap());
        std::thread::sleep(Duration::from_millis(50));
        assert!(!waiting.is_finished());
        drop(batch);
        waiting.join().unwrap();
    });
    store.write().unwrap().commit().unwrap();
}

#[test]
fn a_batch_that_is_dropped_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), OPTIONS, None);
    let before = store.snapshot().unwrap().generation();
    let mut batch = store.write().unwrap();
    batch.put(conformance::example("b.rs")).unwrap();
    drop(batch);
    assert_eq!((store.snapshot().unwrap().generation(), count(&store)), (before, 1));
}

#[test]
fn a_file_where_the_folder_should_be_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    std::fs::write(&path, "a file").unwrap();
    let refused = LocalStore::open(&path, OPTIONS).map(drop);
    assert!(matches!(refused, Err(Error::NotWritable { .. })), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a file");
}

/// Also a folder that nobody can write to, or a disk that is full: the note may be lost, and nothing else.
#[test]
fn a_note_that_cannot_be_kept_is_lost_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), OPTIONS, None);
    assert_eq!(store.recall(), None);
    store.remember(b"what I saw");
    assert_eq!(store.recall().as_deref(), Some(&b"what I saw"[..]));
    std::fs::remove_file(folder.path().join("seen")).unwrap();
    std::fs::create_dir(folder.path().join("seen")).unwrap();
    store.remember(b"something else");
    assert_eq!(store.recall(), None);
    assert!(!folder.path().join("seen.new").exists());
}

#[test]
fn vectors_that_are_forgotten_are_missing_and_the_rest_stays() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = vector_options(None);
    let options = Options { vectors: Some(&vectors), ..OPTIONS };
    let store = filled(folder.path(), options, Some(vec![1.0, 0.0, 0.0, 1.0]));
    let missing = || store.snapshot().unwrap().unembedded().unwrap().len();
    assert_eq!(missing(), 0);
    store.forget_vectors().unwrap();
    assert_eq!((missing(), count(&store)), (1, 1));
    store.forget_vectors().unwrap();
    // A store that keeps none has none to forget, and no graph over them.
    let (plain, _) = LocalStore::open(folder.path(), OPTIONS).unwrap();
    plain.forget_vectors().unwrap();
    plain.build_graph(|_| {}).unwrap();
    assert!(!plain.lacks_graph().unwrap());
}

#[test]
fn a_graph_that_was_asked_for_is_missed_until_it_is_built() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = vector_options(Some(Backend::Hnsw));
    let options = Options { vectors: Some(&vectors), ..OPTIONS };
    let store = filled(folder.path(), options, Some(vec![1.0, 0.0, 0.0, 1.0]));
    let asked = || {
        let lookup = jari_base::Lookup {
            terms: Vec::new(),
            names: Vec::new(),
            vector: Some(vec![1.0, 0.0]),
            filter: Filter::default(),
            limit: 5,
            bm25: Default::default(),
            deadline: None,
        };
        store.snapshot().unwrap().candidates(&lookup).unwrap().degraded
    };
    assert!(store.lacks_graph().unwrap());
    assert_eq!(asked(), Some(Degraded::VectorIndexUnavailable));
    let mut built = 0;
    store.build_graph(|nodes| built = nodes).unwrap();
    assert_eq!(built, 2);
    assert!(!store.lacks_graph().unwrap());
    assert_eq!(asked(), None);
    assert_eq!(store.snapshot().unwrap().nearest(&[1.0, 0.0], 1, &Filter::default()).unwrap().len(), 1);
}

#[test]
fn vectors_that_are_damaged_are_missing_and_words_still_answer() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = vector_options(None);
    let options = Options { vectors: Some(&vectors), ..OPTIONS };
    let store = filled(folder.path(), options, Some(vec![1.0, 0.0, 0.0, 1.0]));
    let file = folder.path().join("vectors/test/two/index.bin");
    std::fs::write(&file, "these are no vectors").unwrap();
    let state = store.snapshot().unwrap();
    assert_eq!(state.unembedded().unwrap().len(), 1);
    assert!(state.nearest(&[1.0, 0.0], 1, &Filter::default()).unwrap().is_empty());
    let statistics = state.statistics().unwrap().vectors.expect("they are to be kept");
    assert_eq!((statistics.count, statistics.missing), (0, 2));
}
