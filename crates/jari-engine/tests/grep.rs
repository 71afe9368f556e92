//! `grep` against a plain scan: patterns are made of the text they are looked for in, so that most of them match.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use jari_base::Filter;
use jari_engine::grep::{GrepRequest, Wanted, grep, plan};
use jari_engine::{Project, ingest};
use jari_source::Limits;
use jari_store::{MemoryStore, Snapshot, Store};
use proptest::prelude::*;

/// A project of real files, indexed once.
struct Indexed {
    project: Project,
    snapshot: Arc<dyn Snapshot>,
    /// All lines: path, number, text.
    lines: Vec<(String, u64, String)>,
    _folder: tempfile::TempDir,
}

static INDEXED: LazyLock<Indexed> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut lines = Vec::new();
    let korean = "고객의 결제 내역을 조회한다\n결제를 취소한다 CANCEL\n환불 내역\n".to_owned();
    let mut texts = vec![("korean.md".to_owned(), korean)];
    let files = std::fs::read_dir(sources).expect("the sources are there").flatten();
    for entry in files.filter(|entry| entry.path().is_file()) {
        let name = entry.file_name().into_string().expect("names are UTF-8");
        texts.push((name, std::fs::read_to_string(entry.path()).expect("it is text")));
    }
    texts.sort();
    for (name, text) in &texts {
        std::fs::write(folder.path().join(name), text).expect("files can be written");
        lines.extend((1..).zip(text.lines()).map(|(number, line)| (name.clone(), number, line.to_owned())));
    }
    let project = Project {
        root: folder.path().to_owned(),
        limits: Limits::default(),
        documents: Default::default(),
        embedding: None,
        // The longest files have more.
        reranker: None,
        translator: None,
        max_grams: 2500,
    };
    let store = MemoryStore::new(jari_text::fold_name);
    let (snapshot, _) = ingest::update(&project, &store as &dyn Store, &|_| {}).expect("it is indexed");
    Indexed { project, snapshot, lines, _folder: folder }
});

/// Turns a piece of text into a pattern that matches it and more.
fn patterned(piece: &str, twist: u8, at: usize) -> String {
    let chars: Vec<char> = piece.chars().collect();
    let at = at % chars.len();
    let escaped = |chars: &[char]| regex_syntax::escape(&chars.iter().collect::<String>());
    let (before, it, after) = (escaped(&chars[..at]), escaped(&chars[at..=at]), escaped(&chars[at + 1..]));
    match twist {
        0 => format!("{before}{it}{after}"),
        1 => format!("{before}.{after}"),
        2 => format!("{before}{it}?{after}"),
        3 => format!("{before}({it}|x){after}"),
        4 => format!("{before}.*{after}"),
        5 => format!("({before}{it}|{after})"),
        6 => format!("{before}{it}+{after}"),
        7 => format!("\\b{before}[^ ]{after}"),
        8 => format!("^\\s*{before}{it}{after}"),
        _ => format!("{before}{it}{after}$"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn lines_are_those_of_a_plain_scan(
        line in any::<prop::sample::Index>(), from in 0..60usize, length in 1..14usize, twist in 0..10u8, at in 0..14usize,
        ignore_case in any::<bool>(),
    ) {
        let Indexed { project, snapshot, lines, .. } = &*INDEXED;
        let piece: String = line.get(lines).2.chars().skip(from).take(length).collect();
        prop_assume!(!piece.is_empty());
        let pattern = patterned(&piece, twist, at);
        let plain = regex::RegexBuilder::new(&pattern).case_insensitive(ignore_case).build().expect("it is made to be valid");
        let expected: Vec<_> = lines
            .iter()
            .filter(|(_, _, line)| plain.is_match(line))
            .map(|(path, number, _)| (path.clone(), *number))
            .collect();
        let request = GrepRequest {
            pattern: pattern.clone(),
            literal: false,
            ignore_case,
            word: false,
            filter: Filter::default(),
            wanted: Wanted::Lines { before: 0, after: 0 },
            max_count: None,
            limit: None,
            max_gram_frequency: 0.5,
        };
        let mut found = Vec::new();
        let summary = grep(project, &request, plan(&**snapshot, &request)?, &mut |file| {
            found.extend(file.lines.iter().map(|line| (file.path.clone(), line.number)));
            true
        });
        prop_assert_eq!(&found, &expected, "{}", pattern);
        prop_assert_eq!(summary.expect("it is answered").lines, expected.len() as u64);
    }
}
