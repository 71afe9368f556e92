//! The words every surface shows, read back; and the small questions that the vocabulary answers of itself.

use jari_base::{
    Backend, BlockKind, Bm25, Chunk, ChunkKind, Chunked, ContentHash, Degraded, Document, ErrorCode,
    Explanation, Fusion, Intent, Language, LineRange, List, Mode, Note, Reference, ReferenceKind, Section,
    Skip, Symbol, SymbolKind, fingerprint,
};

/// Every word is read back as what wrote it, no two are alike, and a wrong one is answered with the right ones.
macro_rules! check_words {
    ($($name:ident),+) => {$({
        for value in $name::ALL {
            assert_eq!(value.as_str().parse(), Ok(*value));
            assert_eq!($name::ALL.iter().filter(|other| other.as_str() == value.as_str()).count(), 1, "{value}");
        }
        let refused = "no such word".parse::<$name>().expect_err("no value is called so");
        assert!($name::ALL.iter().all(|value| refused.contains(value.as_str())), "{refused}");
    })+};
}

#[test]
fn words_are_read_back_as_they_are_written() {
    check_words!(
        Backend,
        BlockKind,
        ChunkKind,
        Degraded,
        ErrorCode,
        Fusion,
        Intent,
        List,
        Mode,
        Note,
        ReferenceKind,
        Skip,
        SymbolKind
    );
    assert_eq!("hybird".parse::<Mode>().unwrap_err(), "`hybird` is none of keyword, semantic, hybrid");
}

#[test]
fn words_and_languages_stand_in_columns() {
    assert_eq!(format!("{:>8}|{:<6}|", SymbolKind::Enum, Mode::Hybrid), "    enum|hybrid|");
    assert_eq!(format!("{:<6}|", Language::named("go")), "go    |");
    assert_eq!(Language::UNKNOWN.to_string(), "unknown");
    // A name that was read is the same language as one that was known.
    assert_eq!(Language::from("rust".to_owned()), Language::named("rust"));
}

#[test]
fn statuses_tell_whose_fault_it_is() {
    use ErrorCode as Code;
    let check = |status: u16, codes: &[Code]| {
        for code in codes {
            assert_eq!(code.http_status(), status, "{code}");
        }
        codes.len()
    };
    let checked = check(400, &[Code::EmptyQuery, Code::BadArgument, Code::BadSetting, Code::NotAFolder])
        + check(403, &[Code::Unreadable])
        + check(404, &[Code::NotFound, Code::NoIndex])
        + check(409, &[Code::IndexTooNew])
        + check(500, &[Code::IndexCorrupt, Code::Internal])
        + check(503, &[Code::IndexBusy, Code::ModelUnavailable])
        + check(507, &[Code::DiskFull]);
    assert_eq!(checked, Code::ALL.len(), "every code has its place above");
}

#[test]
fn lines_are_counted_with_both_ends() {
    let lines = LineRange::new(3, 5);
    assert_eq!((lines.count(), lines.to_string()), (3, "3-5".to_owned()));
    assert_eq!([2, 3, 5, 6].map(|line| lines.contains(line)), [false, true, true, false]);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "line ranges start at 1")]
fn lines_do_not_run_backwards() {
    LineRange::new(5, 3);
}

fn chunk(first: u32, last: u32) -> Chunk {
    let lines = LineRange::new(first, last);
    Chunk { kind: ChunkKind::Function, lines, symbol: None, doc: None, section: None, head: None }
}

#[test]
fn a_line_in_several_chunks_belongs_to_the_one_that_begins_nearest() {
    let chunked = Chunked { chunks: vec![chunk(1, 20), chunk(4, 9), chunk(30, 31)], ..Chunked::default() };
    assert_eq!(
        [1, 4, 9, 10, 25, 31].map(|line| chunked.chunk_at(line)),
        [Some(0), Some(1), Some(1), Some(0), None, Some(2)]
    );
}

fn section(title: &str, parent: Option<u32>, first: u32, last: u32) -> Section {
    let lines = LineRange::new(first, last);
    Section {
        title: title.to_owned(),
        level: 1,
        parent,
        id: String::new(),
        anchor: String::new(),
        lines,
        whole: lines,
        bytes: 0..0,
        hash: ContentHash([0; 16]),
    }
}

#[test]
fn a_section_knows_the_titles_around_it_and_its_lines() {
    let sections = vec![
        section("", None, 1, 2),
        section("Guide", None, 3, 4),
        section("Setup", Some(1), 5, 9),
        section("Linux", Some(2), 10, 12),
    ];
    let document = Document { sections, ..Document::default() };
    assert_eq!(document.heading_path(3), ["Guide", "Setup", "Linux"]);
    assert!(document.heading_path(0).is_empty(), "text before the first heading has no title");
    assert!(document.heading_path(9).is_empty(), "a section that is not there has none either");
    assert_eq!([2, 3, 9, 99].map(|line| document.section_at(line)), [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(Document::default().section_at(1), None);
}

#[test]
fn names_are_shown_with_what_surrounds_them() {
    let symbol = |container: Option<&str>| Symbol {
        name: "take".to_owned(),
        kind: SymbolKind::Method,
        container: container.map(str::to_owned),
        signature: String::new(),
        doc: None,
        exported: true,
        lines: LineRange::new(1, 1),
    };
    assert_eq!(symbol(Some("net.Pool")).qualified(), "net.Pool.take");
    assert_eq!(symbol(None).qualified(), "take");
}

#[test]
fn an_import_goes_by_its_alias() {
    let plain = Reference::new("take", ReferenceKind::Import, 1);
    let renamed = Reference { alias: Some("grab".to_owned()), ..plain.clone() };
    assert_eq!((plain.local_name(), renamed.local_name()), ("take", "grab"));
    let imports: Vec<_> = ReferenceKind::ALL.iter().filter(|kind| kind.is_import()).collect();
    assert_eq!(imports, [&ReferenceKind::Import, &ReferenceKind::Export]);
}

/// Kept in indexes: another number would make all vectors anew.
#[test]
fn fingerprints_are_fnv() {
    assert_eq!(fingerprint(b""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fingerprint(b"a"), 0xaf63_dc4c_8601_ec8c);
    assert_ne!(fingerprint(b"ab"), fingerprint(b"ba"));
}

#[test]
fn explanations_are_trees() {
    let leaf = Explanation::leaf("weight", 0.5);
    let node = Explanation::node("score", 0.25, vec![leaf.clone()]);
    assert!(leaf.details.is_empty());
    assert_eq!((&*node.label, node.value, &node.details[0]), ("score", 0.25, &leaf));
}

#[test]
fn words_are_weighed_as_usual_where_nobody_says() {
    let Bm25 { k1, b } = Bm25::default();
    assert!(k1 > 0.0 && (0.0..=1.0).contains(&b));
}
