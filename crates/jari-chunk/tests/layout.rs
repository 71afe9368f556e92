//! Where chunks begin and end, at the limits.

use jari_base::{ChunkKind, Chunked, Language, Note};

#[test]
fn a_long_function_is_split_into_pieces_that_share_lines() {
    let body: String = (0..298).map(|n| format!("    step({n});\n")).collect();
    let chunked = rust(&format!("fn long() {{\n{body}}}\n"));
    let chunks = &chunked.chunks;
    assert!(chunks.len() > 3 && chunks.iter().all(|chunk| chunk.lines.count() <= 100));
    assert!(chunks.iter().all(|chunk| chunk.kind == ChunkKind::Function && chunk.symbol == Some(0)));
    assert_eq!((chunks[0].lines.start, chunks[chunks.len() - 1].lines.end), (1, 300));
    for pair in chunks.windows(2) {
        let shared = (pair[0].lines.end + 1 - pair[1].lines.start) * 1_000 / pair[0].lines.count();
        assert!((100..=150).contains(&shared), "{} and {} share {shared} ‰", pair[0].lines, pair[1].lines);
    }
}

#[test]
fn a_hundred_lines_are_one_chunk_and_one_more_are_two() {
    let function = |lines: usize| format!("fn long() {{\n{}}}\n", "    step();\n".repeat(lines - 2));
    assert_eq!(spans(&rust(&function(100))), [(1, 100)]);
    assert_eq!(rust(&function(101)).chunks.len(), 2);
}

#[test]
fn long_lines_make_small_pieces() {
    let line = format!("    step({});\n", "x".repeat(1_000));
    let chunked = rust(&format!("fn wide() {{\n{}}}\n", line.repeat(20)));
    assert!(chunked.chunks.len() >= 4, "{:?}", spans(&chunked));
}

#[test]
fn without_a_grammar_there_are_windows_and_a_note() {
    let text: String = (0..120).map(|n| format!("line {n}\n")).collect();
    let language = Language::named("perl");
    let chunked = jari_chunk::chunk(&language, &text, &Default::default());
    assert_eq!(spans(&chunked), [(1, 50), (41, 90), (81, 120)]);
    assert!(chunked.chunks.iter().all(|chunk| chunk.kind == ChunkKind::Block && chunk.symbol.is_none()));
    assert_eq!(chunked.notes, [Note::NoGrammar]);
    assert!(jari_chunk::chunk(&language, "", &Default::default()).notes.is_empty());
}

#[test]
fn line_breaks_of_either_kind_give_the_same_lines() {
    let text = "use a::b;\n\n/// Takes one.\nfn take(\n    from: u8,\n) -> u8 {\n    from\n}\n\nconst LIMIT: u8 = 3;\n";
    let expected = rust(text);
    assert_eq!(spans(&expected), [(1, 1), (3, 8), (10, 10)]);
    assert_eq!(expected.symbols[0].lines.to_string(), "3-8");
    assert_eq!(rust(text.trim_end()), expected);
    assert_eq!(rust(&text.replace('\n', "\r\n")), expected);
    assert_eq!(rust(text.replace('\n', "\r\n").trim_end()), expected);
}

#[test]
fn short_functions_stay_with_what_is_around_them() {
    let chunked = rust("use a::b;\n\nfn short() {\n    b();\n    b();\n}\n\nconst LIMIT: u8 = 3;\n");
    assert_eq!(spans(&chunked), [(1, 8)]);
    assert_eq!(chunked.chunks[0].kind, ChunkKind::Module);
    assert_eq!(chunked.symbols.len(), 2);

    let chunked =
        rust("use a::b;\n\nfn longer() {\n    b();\n    b();\n    b();\n}\n\nconst LIMIT: u8 = 3;\n");
    assert_eq!(spans(&chunked), [(1, 1), (3, 7), (9, 9)]);
}

#[test]
fn closing_lines_do_not_make_a_chunk_too_long() {
    let members: String =
        (0..3).map(|n| format!("    fn m{n}() {{\n{}    }}\n", "        x();\n".repeat(97))).collect();
    let text = format!("mod a {{\n{members}\n}}\n");
    assert!(rust(&text).chunks.iter().all(|chunk| chunk.lines.count() <= 100), "{:?}", spans(&rust(&text)));
}

fn rust(text: &str) -> Chunked {
    jari_chunk::chunk(&jari_chunk::language_of("a.rs", text), text, &Default::default())
}

fn spans(chunked: &Chunked) -> Vec<(u32, u32)> {
    chunked.chunks.iter().map(|chunk| (chunk.lines.start, chunk.lines.end)).collect()
}
