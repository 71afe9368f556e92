//! What is put comes back, nearest first, whatever happened in between.

use std::path::Path;

use jari_base::{Backend, Space};
use jari_vector::{Error, Filter, Index, Near, Options, Writer};

const DIMS: usize = 256;

fn space() -> Space {
    Space { provider: "test".to_owned(), model: "random".to_owned(), dims: DIMS, fingerprint: 11 }
}

/// A direction by chance, always the same for one seed.
fn direction(seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
    };
    let vector: Vec<f32> = (0..DIMS).map(|_| next() + next() + next()).collect();
    let length = vector.iter().map(|element| element * element).sum::<f32>().sqrt();
    vector.into_iter().map(|element| element / length).collect()
}

/// Three chunks of a file.
fn vectors(file: u32) -> Vec<f32> {
    (0..3).flat_map(|ordinal| direction(u64::from(file) * 3 + ordinal)).collect()
}

/// The words of three chunks of a file; the last has none.
fn words(file: u32) -> [Vec<u32>; 2] {
    [vec![file, file + 40_000, 1 << 31 | file], vec![7]]
}

fn write(folder: &Path, files: std::ops::Range<u32>, key: u64) {
    let mut writer = Writer::open(folder, &space(), usize::MAX).expect("it succeeds");
    for file in files {
        assert!(
            writer
                .put(file, key, &[file as u8 % 2, 1, 2], &vectors(file), &words(file))
                .expect("it succeeds")
        );
    }
    writer.save().expect("it succeeds");
}

fn open(folder: &Path) -> Index {
    Index::open(folder, &space(), Options::default(), |_, _| true).expect("it succeeds")
}

fn truth(files: std::ops::Range<u32>, query: &[f32], limit: usize) -> Vec<(u32, u32)> {
    let mut all: Vec<(f32, u32, u32)> = files
        .flat_map(|file| (0..3).map(move |ordinal| (file, ordinal)))
        .map(|(file, ordinal)| {
            let vector = direction(u64::from(file * 3 + ordinal));
            (vector.iter().zip(query).map(|(one, two)| one * two).sum(), file, ordinal)
        })
        .collect();
    all.sort_by(|one, two| two.0.total_cmp(&one.0));
    all.into_iter().take(limit).map(|(_, file, ordinal)| (file, ordinal)).collect()
}

fn places(found: &[Near]) -> Vec<(u32, u32)> {
    found.iter().map(|near| (near.file, near.ordinal)).collect()
}

#[test]
fn an_exact_search_finds_the_nearest_of_few_and_of_many() {
    let folder = tempfile::tempdir().unwrap();
    for (files, least) in [(0..20, 200), (20..9_000, 190)] {
        write(folder.path(), files.clone(), 1);
        let index = open(folder.path());
        assert_eq!(index.len(), files.end as usize * 3);
        assert_eq!(index.backend(), Backend::Exact);
        let mut hits = 0;
        for seed in 0..20 {
            let query = direction(1_000_000 + seed);
            let found = index.search(&query, 10, &Filter::default());
            let truth = truth(0..files.end, &query, 10);
            hits += places(&found).iter().filter(|place| truth.contains(place)).count();
            let mut cosines = Vec::new();
            index.cosines(&query, [found[0].file], |of_file| cosines.extend_from_slice(of_file));
            assert!((cosines[found[0].ordinal as usize] - found[0].score).abs() < 0.01);
        }
        // Directions by chance are the worst there is: hardly any is nearer than the rest.
        assert!(hits >= least, "{hits} of 200");
    }
    let index = open(folder.path());
    let vector = index.vector(7, 2).unwrap();
    assert!(vector.iter().zip(direction(7 * 3 + 2)).all(|(kept, put)| (kept - put).abs() < 1e-4));
    assert_eq!((index.vector(7, 3), index.vector(9_000, 0)), (None, None));
}

#[test]
fn filters_hold_inside_the_search() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 0..9_000, 1);
    let index = open(folder.path());
    let query = direction(77_777);
    let few: Vec<bool> = (0..9_000).map(|file| file % 1_000 == 3).collect();
    let only = Filter { files: Some(&few), kinds: &[] };
    let found = index.search(&query, 10, &only);
    assert_eq!(found.len(), 10);
    assert!(found.iter().all(|near| near.file % 1_000 == 3));
    let kinds = Filter { files: None, kinds: &[2] };
    assert!(index.search(&query, 50, &kinds).iter().all(|near| near.ordinal == 2));
    assert_eq!(index.search(&query, 50, &kinds).len(), 50);
    assert!(index.search(&query, 10, &Filter { files: Some(&[]), kinds: &[] }).is_empty());
}

#[test]
fn rows_of_other_contents_are_gone_and_newer_ones_count() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 0..100, 1);
    // File 5 has new contents, file 6 was removed.
    let mut writer = Writer::open(folder.path(), &space(), usize::MAX).unwrap();
    writer.put(5, 2, &[0], &direction(500_000), &[]).unwrap();
    writer.save().unwrap();
    let live = |file: u32, key: u64| file != 6 && key == if file == 5 { 2 } else { 1 };
    let index = Index::open(folder.path(), &space(), Options::default(), live).unwrap();
    assert_eq!(index.len(), 98 * 3 + 1);
    assert!(!index.holds(6) && index.holds(5));
    let found = index.search(&direction(5 * 3), 5, &Filter::default());
    assert!(found.iter().all(|near| near.score < 0.99), "{found:?}");
    assert_eq!(places(&index.search(&direction(500_000), 1, &Filter::default())), [(5, 0)]);
    // The same contents twice, as a batch that was undone and done again leaves them, are one.
    write(folder.path(), 7..8, 1);
    assert_eq!(Index::open(folder.path(), &space(), Options::default(), live).unwrap().len(), 98 * 3 + 1);
}

#[test]
fn what_is_dead_is_left_behind_when_there_is_much_of_it() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 0..300, 1);
    let live = |file: u32, _: u64| file.is_multiple_of(3);
    let before = Index::open(folder.path(), &space(), Options::default(), live).unwrap();
    assert!(before.is_wasteful());
    Writer::compact(folder.path(), &space(), &before).unwrap();
    let after = Index::open(folder.path(), &space(), Options::default(), live).unwrap();
    assert!(!after.is_wasteful() && after.rows() == after.len() && after.bytes() < before.bytes() / 2);
    for ordinal in 0..3 {
        let kept = words(297).get(ordinal).cloned().unwrap_or_default();
        for index in [&before, &after] {
            assert_eq!(index.words(297, ordinal as u32), Some(kept.clone()));
            assert_eq!(index.words(298, ordinal as u32), None, "it is dead");
        }
    }
    for seed in 0..20 {
        let query = direction(seed + 9_999);
        let search = |index: &Index| index.search(&query, 10, &Filter::default());
        assert_eq!(search(&before), search(&after), "the old file still serves, and says the same");
    }
}

#[test]
fn a_limit_on_rows_is_obeyed() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(folder.path(), &space(), 7).unwrap();
    let taken: Vec<bool> =
        (0..4).map(|file| writer.put(file, 1, &[0; 3], &vectors(file), &[]).unwrap()).collect();
    assert_eq!(taken, [true, true, false, false]);
    writer.save().unwrap();
    assert_eq!(open(folder.path()).len(), 6);
}

#[test]
fn a_writer_that_dies_leaves_the_old_vectors() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 0..50, 1);
    let path = folder.path().join("index.bin");
    let whole = std::fs::read(&path).unwrap();
    write(folder.path(), 50..60, 1);
    let more = std::fs::read(&path).unwrap();
    let query = direction(4_242);
    let expected = truth(0..50, &query, 10);
    // Killed while it appends: any part of the new rows, with or without their header.
    for cut in [whole.len(), whole.len() + 1, whole.len() + 64, whole.len() + 1_000, more.len() - 1] {
        let mut torn = more[..cut].to_vec();
        let header = whole.len()..(whole.len() + 64).min(cut);
        torn[header].fill(0);
        std::fs::write(&path, &torn).unwrap();
        let index = open(folder.path());
        assert_eq!(places(&index.search(&query, 10, &Filter::default())), expected);
        drop(index);
        // The next writer goes on from there.
        write(folder.path(), 50..60, 1);
        assert_eq!(std::fs::read(&path).unwrap(), more);
    }
    // Killed while it writes anew: the other file was not yet in place.
    std::fs::write(&path, &whole).unwrap();
    drop(Writer::anew(folder.path(), &space(), usize::MAX).unwrap());
    assert_eq!(places(&open(folder.path()).search(&query, 10, &Filter::default())), expected);
}

#[test]
fn damage_is_noticed_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 0..9, 1);
    let path = folder.path().join("index.bin");
    let whole = std::fs::read(&path).unwrap();
    for at in (0..128).chain((128..whole.len()).step_by(7)) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, &flipped).unwrap();
        match Index::open(folder.path(), &space(), Options::default(), |_, _| true) {
            Err(Error::Damaged(_) | Error::Other) => {}
            // A header of rows that cannot be read counts as none: they are made again.
            Ok(index) => assert!(index.is_empty() && (64..128).contains(&at), "byte {at}"),
            Err(error) => panic!("byte {at}: {error}"),
        }
    }
    std::fs::write(&path, "short").unwrap();
    assert!(matches!(
        Index::open(folder.path(), &space(), Options::default(), |_, _| true),
        Err(Error::Damaged(_))
    ));
    write(folder.path(), 0..9, 1);
    assert_eq!(std::fs::read(&path).unwrap(), whole, "a writer replaces what is damaged");
}

#[test]
fn vectors_of_another_space_never_meet() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 0..9, 1);
    for other in [Space { dims: 32, ..space() }, Space { fingerprint: 12, ..space() }] {
        let opened = Index::open(folder.path(), &other, Options::default(), |_, _| true);
        assert!(matches!(opened, Err(Error::Other)));
    }
}

#[test]
fn a_graph_finds_nearly_all_and_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 0..1_000, 1);
    let options = Options { backend: Some(Backend::Hnsw), ..Options::default() };
    let live = |file: u32, _: u64| file != 11;
    let open = || Index::open(folder.path(), &space(), options, live).unwrap();
    assert!(open().lacks_graph() && open().backend() == Backend::Exact);
    let mut seen = 0;
    Writer::build_graph(folder.path(), &space(), 16, 200, |rows| seen = rows).unwrap();
    assert_eq!(seen, 3_000);
    // Newer rows, and one that died, need no new graph.
    write(folder.path(), 1_000..1_100, 1);
    let meta = std::fs::read_to_string(folder.path().join("meta.json")).unwrap();
    assert!(meta.contains("\"backend\": \"hnsw\"") && meta.contains("\"ef_construction\": 200"), "{meta}");
    let (index, again) = (open(), open());
    assert!(!index.lacks_graph() && index.backend() == Backend::Hnsw);
    let mut hits = 0;
    let mut expected = 0;
    for seed in 0..100 {
        let query = direction(5_000_000 + seed);
        let found = index.search(&query, 10, &Filter::default());
        assert_eq!(found, again.search(&query, 10, &Filter::default()));
        assert!(found.iter().all(|near| near.file != 11));
        let truth: Vec<_> = truth(0..1_100, &query, 11).into_iter().filter(|(file, _)| *file != 11).collect();
        expected += 10;
        hits += places(&found).iter().filter(|place| truth[..10].contains(place)).count();
    }
    assert!(hits * 100 >= expected * 95, "{hits} of {expected}");
    let few: Vec<bool> = (0..1_100).map(|file| file % 150 == 1).collect();
    assert_eq!(index.search(&direction(3), 10, &Filter { files: Some(&few), kinds: &[] }).len(), 10);
    let graph = folder.path().join("hnsw.bin");
    let mut bytes = std::fs::read(&graph).unwrap();
    bytes[5_000] ^= 1;
    std::fs::write(&graph, bytes).unwrap();
    assert_eq!(open().backend(), Backend::Exact, "a damaged graph is not followed");
}

/// Checksums that fit do not make a graph true.
#[test]
fn a_graph_that_contradicts_itself_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 0..200, 1);
    Writer::build_graph(folder.path(), &space(), 4, 40, |_| {}).unwrap();
    let options = Options { backend: Some(Backend::Hnsw), ..Options::default() };
    let open = || Index::open(folder.path(), &space(), options, |_, _| true).unwrap();
    assert_eq!(open().backend(), Backend::Hnsw);
    let graph = folder.path().join("hnsw.bin");
    let whole = std::fs::read(&graph).unwrap();
    let field = |number: usize| number * 4..number * 4 + 4;
    let forged = |place: std::ops::Range<usize>, value: u32| {
        let mut bytes = whole.clone();
        bytes[place].copy_from_slice(&value.to_le_bytes());
        let contents = crc32fast::hash(&bytes[64..]);
        bytes[field(8)].copy_from_slice(&contents.to_le_bytes());
        let header = crc32fast::hash(&bytes[..60]);
        bytes[field(15)].copy_from_slice(&header.to_le_bytes());
        std::fs::write(&graph, bytes).unwrap();
        let index = open();
        let found = index.search(&direction(3), 10, &Filter::default());
        (index.backend(), found.len())
    };
    assert_eq!(forged(field(9), 41), (Backend::Hnsw, 10), "what was forged passes its checksums");
    for (what, number, value) in [
        ("links", 3, 0x1000_0000),
        ("no links", 3, 0),
        ("entry", 4, 100_000),
        ("layers", 5, u32::MAX),
        ("upper rows", 6, u32::MAX),
        ("more upper rows than rows", 6, 1_000),
    ] {
        assert_eq!(forged(field(number), value), (Backend::Exact, 10), "{what}");
    }
    let (_, found) = forged(64..68, 100_000);
    assert!(found <= 10, "a link to a row that is not there leads nowhere");
}

#[test]
fn the_description_beside_it_is_readable() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 0..2, 1);
    let meta: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("meta.json")).unwrap()).unwrap();
    assert_eq!((&meta["count"], &meta["dims"], &meta["model"]), (&6.into(), &256.into(), &"random".into()));
}
