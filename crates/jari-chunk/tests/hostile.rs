//! Files that are made to hurt: nested without end, on one line, cut anywhere, changed byte by byte. All are read, in bounded time.

mod common;

use std::time::{Duration, Instant};

use jari_base::Language;

/// How many changes of each sample are tried: few where every change is tested, or what `JARI_TEST_ROUNDS` says.
fn rounds() -> usize {
    std::env::var("JARI_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(12)
}

/// No file may take longer, on a busy machine and without optimisation: a parser is given four seconds.
const LONGEST: Duration = Duration::from_secs(20);

/// All samples in the long form; else those whose grammars were found to be slow, and a few others.
fn samples() -> Vec<common::Sample> {
    let all = common::samples();
    if std::env::var_os("JARI_TEST_ROUNDS").is_some() {
        return all;
    }
    let short = ["bash", "c", "kotlin", "markdown", "mdx", "python", "rust", "typescript"];
    all.into_iter().filter(|sample| short.contains(&sample.language.as_str())).collect()
}

/// It took two minutes.
#[test]
fn a_parser_that_is_lost_is_given_up() {
    let text = "x\n".repeat(100_000);
    let began = Instant::now();
    let chunked = jari_chunk::chunk(&Language::named("lua"), &text, &Default::default());
    assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
    assert_eq!(chunked.notes, [jari_base::Note::Unparsed]);
}

/// The grammar's scanner lost the memory of the tag at each word: gigabytes.
#[test]
fn dollar_quotes_of_sql_cost_no_memory_and_hide_no_definition() {
    let memory = || {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default() * 4096
    };
    let sql = Language::named("sql");
    let endless = format!("select \"\"${}$ {}", "a".repeat(1_000), "$b ".repeat(60_000));
    let before = memory();
    check(&sql, &endless, "a tag that is never closed");
    check(&sql, &"$a$ $b$ ".repeat(60_000), "tags in each other");
    assert!(memory() < before + (150 << 20), "{} MB more", (memory() - before) >> 20);
    let text = "CREATE FUNCTION first_one() RETURNS int AS $$\n  SELECT 1;\n  -- 가나\n$$ LANGUAGE sql;\n\nCREATE TABLE second_one (id int);\n";
    let chunked = jari_chunk::chunk(&sql, text, &Default::default());
    let names: Vec<&str> = chunked.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["first_one", "second_one", "id"]);
}

/// The grammar's scanner looked each up in a table of 256: the program ended.
#[test]
fn wide_characters_behind_braces_of_bash_are_read() {
    for before in ["{", "{1", "{1..", "{1..9"] {
        for wide in ["é", "가", "\u{31860}", "\u{10ffff}"] {
            check(&Language::named("bash"), &format!("echo {before}{wide}}}\n"), "braces");
        }
    }
}

/// The program ended.
#[test]
fn blocks_of_yaml_without_end_are_read() {
    let by_columns: String = (0..400).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    for text in ["- ".repeat(1_000) + "a\n", "? ".repeat(1_000) + "a\n", by_columns] {
        let chunked = jari_chunk::chunk(&Language::named("yaml"), &text, &Default::default());
        assert_eq!(chunked.notes, [jari_base::Note::Unparsed]);
    }
    let usual = "a:\n  - b: 1\n    c:\n      - d\n";
    assert!(jari_chunk::chunk(&Language::named("yaml"), usual, &Default::default()).notes.is_empty());
}

/// It panicked.
#[test]
fn a_name_taken_from_a_word_that_is_no_ascii_is_read() {
    let text = "\u{fffd}{(\"'`each kind).then\n\u{fffd}].call(1)\n가>.call(2)\n";
    for language in ["ruby", "python", "rust", "kotlin", "cpp"] {
        check(&Language::named(language), text, "no ascii before a name");
    }
}

fn check(language: &Language, text: &str, what: &str) {
    let began = Instant::now();
    let chunked = jari_chunk::chunk(language, text, &Default::default());
    let took = began.elapsed();
    assert!(took < LONGEST, "{language}, {what}: {took:?}");
    let count = text.lines().count() as u32;
    assert!(
        chunked.chunks.iter().all(|chunk| chunk.lines.start >= 1 && chunk.lines.end <= count),
        "{language}, {what}"
    );
    let prose = jari_chunk::prose(language, text);
    assert_eq!(prose.matches('\n').count(), text.matches('\n').count(), "{language}, {what}");
}

/// Deep enough for any stack, and not so deep that the slowest grammars fill the time of a test.
const NESTED: usize = 1_000;

#[test]
fn nesting_without_end_is_read() {
    let patterns = [
        ("(", ""),
        ("((", "))"),
        ("{", "}"),
        ("[", "]"),
        ("<", ">"),
        ("if (a) {", "}"),
        ("fn a() {", "}"),
        ("f(", ")"),
        ("<div>", "</div>"),
        ("> ", ""),
        ("- ", ""),
        ("*", ""),
        ("_a", ""),
        ("`", ""),
        ("[a](", ")"),
        ("![", "]"),
        ("#", ""),
        ("\"", ""),
        ("/*", "*/"),
        ("a.", ""),
        ("!", ""),
        ("-", ""),
        ("\n\t", ""),
        ("${", "}"),
        ("begin ", " end"),
        ("<a ", ">"),
        ("{/*", "*/}"),
        ("|", ""),
        ("&", ""),
        ("::", ""),
    ];
    for sample in samples() {
        for (open, close) in patterns {
            let text = format!("{}x{}\n", open.repeat(NESTED), close.repeat(NESTED));
            check(&sample.language, &text, &format!("{open:?} nested"));
        }
    }
}

#[test]
fn samples_with_changed_bytes_are_read() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |end: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % end as u64) as usize
    };
    for sample in common::samples() {
        for round in 0..rounds() {
            let mut bytes = sample.text.clone().into_bytes();
            for _ in 0..1 + next(8) {
                let at = next(bytes.len());
                match next(5) {
                    0 => bytes[at] ^= 1 << next(8),
                    1 => bytes.truncate(at.max(1)),
                    2 => drop(bytes.drain(at..(at + next(40)).min(bytes.len()))),
                    3 => {
                        let piece = bytes[at..(at + next(60)).min(bytes.len())].repeat(1 + next(30));
                        bytes.splice(at..at, piece);
                    }
                    _ => drop(bytes.splice(at..at, *b"\0\xff{(\"'`")),
                }
                if bytes.is_empty() {
                    bytes.push(b'x');
                }
            }
            check(&sample.language, &String::from_utf8_lossy(&bytes), &format!("change {round}"));
        }
    }
}

#[test]
fn a_megabyte_on_one_line_and_a_megabyte_of_lines_are_read() {
    for sample in samples() {
        for (what, text) in [
            ("one line", "a = b + c; ".repeat(15_000)),
            ("one word", "x".repeat(300_000)),
            ("short lines", "x\n".repeat(50_000)),
            ("generated", (0..3_000).map(|number| format!("int v{number} = {number};\n")).collect()),
        ] {
            check(&sample.language, &text, what);
        }
    }
}
