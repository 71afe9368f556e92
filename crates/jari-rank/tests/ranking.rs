//! Candidates in, an order out, as those outside the room see it. No score is pinned: only what comes before what, and why.

use jari_base::{
    Candidates, ChunkCandidate, ChunkId, ChunkKind, DefinitionCandidate, Explanation, FileCandidate, FileId,
    Fusion, Language, LineRange, List, Mode, SymbolKind,
};
use jari_rank::{Blend, Lists, Plan, Ranked, Role, Script, Shape, Weights, order, ranked};
use jari_text::{Query, Typed};

fn id(file: u32, ordinal: u32) -> ChunkId {
    ChunkId { file: FileId(file), ordinal }
}

/// A file of code whose chunks have these BM25 and cosines.
fn file(number: u32, path: &str, chunks: &[(f32, f32)]) -> FileCandidate {
    let chunk = |(ordinal, (body, cosine)): (usize, &(f32, f32))| ChunkCandidate {
        chunk: id(number, ordinal as u32),
        kind: ChunkKind::Function,
        body: *body,
        name: 0.0,
        doc: 0.0,
        cosine: *cosine,
    };
    FileCandidate {
        file: FileId(number),
        path: path.to_owned(),
        language: Language::UNKNOWN,
        bm25: chunks.iter().map(|(body, _)| body).sum(),
        path_bm25: 0.0,
        chunks: chunks.iter().enumerate().map(chunk).collect(),
        definitions: Vec::new(),
    }
}

fn document(number: u32, path: &str, chunks: &[(f32, f32)]) -> FileCandidate {
    let mut document = file(number, path, chunks);
    document.chunks.iter_mut().for_each(|chunk| chunk.kind = ChunkKind::Section);
    document
}

fn defining(mut file: FileCandidate, name: &str, kind: SymbolKind) -> FileCandidate {
    let (chunk, lines) = (id(file.file.0, 0), LineRange::new(1, 2));
    file.definitions.push(DefinitionCandidate { name: name.to_owned(), kind, lines, chunk });
    file
}

fn candidates(query: &Query, files: Vec<FileCandidate>) -> Candidates {
    Candidates { files, rarity: vec![1.0; query.terms.len()], degraded: None }
}

fn ordered(question: &str, files: Vec<FileCandidate>) -> Vec<Ranked> {
    let query = Query::new(question);
    order(&query, &candidates(&query, files), &Weights::default(), 10)
}

fn files_of(ranked: &[Ranked]) -> Vec<u32> {
    ranked.iter().map(|ranked| ranked.chunk.file.0).collect()
}

/// Whether an explanation, or any part of it, is called so.
fn says(explanation: &Explanation, label: &str) -> bool {
    explanation.label.contains(label) || explanation.details.iter().any(|part| says(part, label))
}

#[test]
fn every_part_that_is_not_the_product_comes_after_it_unless_it_is_asked_for() {
    // Of each part a path, a question that asks for it, and what explanations call it.
    let parts = [
        (Role::Test, "tests/retry.rs", "tests of retry", "test"),
        (Role::Document, "docs/retry.c", "retry guide", "document"),
        (Role::Example, "examples/retry.rs", "retry example", "example"),
        (Role::Vendored, "third_party/retry.c", "vendored retry", "vendored"),
        (Role::Legacy, "legacy/retry.rs", "old retry", "legacy"),
        (Role::Config, "retry.yaml", "retry configuration", "settings or data"),
        (Role::Locale, "locale/retry.rs", "retry translation", "translation"),
        (Role::Generated, "gen/retry_pb2.py", "generated retry", "generated"),
        (Role::Declaration, "retry.d.ts", "type of retry", "declaration only"),
    ];
    for (role, path, asking, label) in parts {
        assert_eq!(Role::of(path), role, "{path}");
        assert_eq!(role.label(), label);
        assert_eq!(role.factor(&Query::new(asking)), 1.0, "{asking}");
        assert!(role.factor(&Query::new("retry backoff")) < 1.0, "{path}");
        let both = || vec![file(1, path, &[(1.0, 0.0)]), file(2, "src/retry.rs", &[(1.0, 0.0)])];
        let ranked = ordered("retry backoff", both());
        assert_eq!(files_of(&ranked), [2, 1], "{path}");
        assert!(says(&ranked[1].explanation, &format!("factor: {label}")), "{path}");
        assert_eq!(files_of(&ordered(asking, both()))[0], 1, "{path} is asked for by {asking}");
    }
    assert_eq!(Role::Product.label(), "product");
}

#[test]
fn names_of_files_tell_their_part_before_folders_do() {
    let check = |path: &str, role: Role| assert_eq!(Role::of(path), role, "{path}");
    check("vendor/x/README.md", Role::Document);
    check("docs/test_build.py", Role::Test);
    check("examples/app.min.js", Role::Generated);
    check("pkg/zz_generated.deepcopy.go", Role::Generated);
    check("po/de.po", Role::Locale);
    check("typings/x.pyi", Role::Declaration);
    check("conftest.py", Role::Test);
    check("Makefile", Role::Product);
    // The outermost folder that says something counts.
    check("examples/tests/a.rs", Role::Example);
    // A folder that only begins or ends like one says nothing.
    check("contests/a.rs", Role::Product);
    check("docstrings/a.rs", Role::Product);
}

#[test]
fn an_old_version_comes_after_its_successor_and_is_called_legacy() {
    let ranked = ordered(
        "retry",
        vec![file(1, "src/v1/retry.rs", &[(1.0, 0.0)]), file(2, "src/v2/retry.rs", &[(1.0, 0.0)])],
    );
    assert_eq!(files_of(&ranked), [2, 1]);
    assert!(says(&ranked[1].explanation, "factor: legacy"));
}

#[test]
fn a_second_chunk_of_a_file_comes_after_other_files_and_says_so() {
    let many = file(1, "src/a.rs", &[(2.0, 0.0), (1.9, 0.0), (1.8, 0.0), (1.7, 0.0)]);
    // As long a text with as many of the words, all in one place.
    let one = FileCandidate { bm25: many.bm25, ..file(2, "src/b.rs", &[(1.9, 0.0)]) };
    let ranked = ordered("retry request", vec![many, one]);
    assert_eq!(files_of(&ranked), [1, 2, 1, 1], "and no more than three of one file");
    assert!(says(&ranked[2].explanation, "listed already"));
    assert!(!says(&ranked[0].explanation, "listed already"));
}

#[test]
fn sections_stand_each_for_itself_and_must_say_something_themselves() {
    let mut page = document(1, "docs/retry.md", &[(2.0, 0.0), (0.0, 0.1), (0.0, 0.9), (0.0, 0.0)]);
    page.chunks[3].name = 1.0;
    let ranked = ordered("retry request", vec![page]);
    let mut shown: Vec<u32> = ranked.iter().map(|ranked| ranked.chunk.ordinal).collect();
    shown.sort_unstable();
    assert_eq!(shown, [0, 2, 3], "by words, by meaning, by its title; not the one that is merely far");
    let as_section = |ranked: &Ranked| ranked.word_by_word == 0.6;
    assert!(ranked.iter().all(|ranked| as_section(ranked) && !says(&ranked.explanation, "listed already")));
}

#[test]
fn documents_come_after_code_unless_most_of_what_was_found_are_documents() {
    let page = |number, words| document(number, &format!("docs/{number}.md"), &[(words, 0.0)]);
    let code = || file(9, "src/retry.rs", &[(3.0, 0.0)]);
    let among = |pages: u32, question: &str, code: FileCandidate| {
        let pages = (1..=pages).map(|number| page(number, if number == 1 { 2.0 } else { 0.1 }));
        files_of(&ordered(question, pages.chain([code]).collect()))[0]
    };
    assert_eq!(among(1, "retry request", code()), 9);
    assert_eq!(among(3, "retry request", code()), 1);
    let defines = || defining(code(), "retry_all", SymbolKind::Function);
    assert_eq!(
        among(3, "where is retry_all called", defines()),
        9,
        "who asks for a name wants what defines it"
    );
}

#[test]
fn a_file_of_which_only_the_path_matches_is_shown_by_its_beginning() {
    let mut named = file(7, "src/retry.rs", &[]);
    named.path_bm25 = 1.0;
    let ranked = ordered("retry", vec![named, file(8, "src/silent.rs", &[])]);
    assert_eq!(ranked.len(), 1, "what nothing speaks for is not shown");
    assert_eq!((ranked[0].chunk, ranked[0].bm25, ranked[0].cosine), (id(7, 0), 0.0, 0.0));
    assert!(says(&ranked[0].explanation, "the file's name is in the query"));
}

#[test]
fn a_file_without_a_name_of_its_own_goes_by_its_folder() {
    let named = |number, path: &str| FileCandidate { path_bm25: 1.0, ..file(number, path, &[(1.0, 0.0)]) };
    let ranked = ordered("retry", vec![named(1, "src/other/mod.rs"), named(2, "src/retry/mod.rs")]);
    assert_eq!(files_of(&ranked), [2, 1]);
}

#[test]
fn definitions_count_by_how_they_were_asked_for() {
    let check = |question: &str, name: &str, kind: SymbolKind, label: &str| {
        let defines = defining(file(2, "src/b.rs", &[(1.0, 0.0)]), name, kind);
        let ranked = ordered(question, vec![file(1, "src/a.rs", &[(1.1, 0.0)]), defines]);
        assert_eq!(files_of(&ranked), [2, 1], "{question}");
        assert!(says(&ranked[0].explanation, label), "{question}: {:?}", ranked[0].explanation);
    };
    check("where is retry_all called", "retry_all", SymbolKind::Function, "defines the name asked for");
    check("the Pool that keeps connections", "Pool", SymbolKind::Struct, "defines the type asked for");
    check(
        "parse header lines",
        "parseHeader",
        SymbolKind::Function,
        "defines neighbouring words as one name",
    );
}

#[test]
fn meaning_decides_where_no_word_of_the_question_is_known() {
    let query = Query::new("요청을 다시 보낸다");
    let files = vec![file(1, "src/a.rs", &[(0.0, 0.4)]), file(2, "src/b.rs", &[(0.0, 0.8)])];
    let unknown = Candidates { files, rarity: vec![0.0; query.terms.len()], degraded: None };
    let ranked = order(&query, &unknown, &Weights::default(), 10);
    assert_eq!(files_of(&ranked), [2, 1]);
    assert!(ranked.iter().all(|ranked| (0.0..=1.0).contains(&ranked.score)));
}

#[test]
fn modes_look_at_words_at_meaning_or_at_both() {
    let query = Query::new("retry request");
    // One has the words, one the meaning.
    let files = vec![file(1, "src/a.rs", &[(9.0, 0.31)]), file(2, "src/b.rs", &[(0.5, 0.9)])];
    let candidates = candidates(&query, files);
    let plan = Plan { intent: jari_base::Intent::Nav, shape: Shape::Sentence, script: Script::Latin };
    let first = |mode, fusion, alpha| {
        let ranked = ranked(&query, &plan, &candidates, mode, Blend { fusion, alpha }, 10);
        assert_eq!(ranked.len(), 2);
        assert!(ranked.iter().all(|ranked| (0.0..=1.0).contains(&ranked.score)), "{mode} {fusion}");
        (ranked[0].chunk.file.0, ranked[0].explanation.clone())
    };
    assert_eq!(first(Mode::Keyword, Fusion::Linear, 0.5).0, 1);
    assert_eq!(first(Mode::Semantic, Fusion::Linear, 0.5).0, 2);
    // One way of looking makes one list, whatever would join two.
    assert_eq!(first(Mode::Semantic, Fusion::Rrf, 0.5).0, 2);
    for fusion in [Fusion::Rrf, Fusion::Weighted, Fusion::Alpha] {
        let (_, explanation) = first(Mode::Hybrid, fusion, 0.5);
        assert!(says(&explanation, "by words") && says(&explanation, "by vectors"), "{fusion}");
        assert!(says(&explanation, fusion.as_str()), "{fusion}");
    }
    assert_eq!(first(Mode::Hybrid, Fusion::Alpha, 0.0).0, 1, "no weight for vectors");
    assert_eq!(first(Mode::Hybrid, Fusion::Alpha, 100.0).0, 2, "hardly any for words");
    assert!(!says(&first(Mode::Hybrid, Blend::default().fusion, 0.5).1, "by vectors"));
}

#[test]
fn a_path_is_looked_for_among_paths() {
    let typed = Typed::new("src/net/retry.rs");
    let query = Query::new(&typed.words);
    let plan = Plan::new(&typed, &query, None);
    assert_eq!(plan.shape, Shape::Path);
    let named = FileCandidate { path_bm25: 3.0, ..file(2, "src/net/retry.rs", &[(1.0, 0.0)]) };
    let speaks_of_it = FileCandidate { path_bm25: 0.5, ..file(1, "src/net/other.rs", &[(3.0, 0.0)]) };
    let candidates = candidates(&query, vec![speaks_of_it, named]);
    let shown = ranked(&query, &plan, &candidates, Mode::Keyword, Blend::default(), 10);
    assert_eq!(files_of(&shown), [2, 1]);
}

#[test]
fn no_candidates_make_an_empty_list() {
    assert!(ordered("retry", Vec::new()).is_empty());
    let query = Query::new("retry");
    let plan = Plan { intent: jari_base::Intent::Nav, shape: Shape::Sentence, script: Script::Latin };
    for fusion in Fusion::ALL {
        let blend = Blend { fusion: *fusion, alpha: 0.5 };
        assert!(ranked(&query, &plan, &Candidates::default(), Mode::Hybrid, blend, 10).is_empty());
    }
}

#[test]
fn a_definition_stands_on_the_list_of_names() {
    let files = vec![
        defining(file(1, "src/a.rs", &[(0.0, 0.0)]), "retry", SymbolKind::Function),
        file(2, "src/b.rs", &[(1.0, 0.0)]),
    ];
    let lists = Lists::new(&Candidates { files, ..Candidates::default() });
    let of = |file| lists.of(id(file, 0)).iter().map(|found| (found.list, found.rank)).collect::<Vec<_>>();
    assert_eq!(of(1), [(List::Symbol, 1)]);
    assert_eq!(of(2), [(List::Keyword, 1)]);
    assert!(of(3).is_empty());
}
