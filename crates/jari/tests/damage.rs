//! An index whose bytes are not what was written: answers are right all the same, because it is noticed.

mod common;

use std::path::{Path, PathBuf};

use common::Project;
use common::random::{Random, rounds};
use common::state::answer;
use common::tree;
use serde_json::Value;

/// Questions that read every part of an index.
const QUESTIONS: &[&[&str]] = &[
    &["search", "how to balance a ledger", "-k", "5"],
    &["search", "retry hedgehog", "--path", "*.py"],
    &["symbol", "open", "--mode", "prefix"],
    &["grep", "divide_[a-z]+_1", "-k", "20"],
    &["tree"],
    &["links"],
];

/// One way to harm a file.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Flip,
    Zero,
    Truncate,
    Delete,
    Swap,
    Append,
}

const DAMAGES: &[Damage] =
    &[Damage::Flip, Damage::Zero, Damage::Truncate, Damage::Delete, Damage::Swap, Damage::Append];

#[test]
fn whatever_happens_to_the_bytes_the_answers_are_right() {
    let project = tree::project(60);
    project.jari(&["index"]).exits(0);
    // A second batch, so that there are old and new segments, deleted documents and rows that were freed.
    for number in (0..60).step_by(7) {
        tree::write(&project, number, 1);
    }
    tree::settle();
    project.jari(&["update"]).exits(0);
    let expected: Vec<Value> = QUESTIONS.iter().map(|question| answer(&project, question).0).collect();
    let whole = contents(&project);
    let mut random = Random::seeded(7);
    let (mut wrong, mut noticed) = (Vec::new(), 0);
    for kind in kinds(&whole) {
        for round in 0..rounds(7) {
            restore(&project, &whole);
            let files: Vec<&PathBuf> =
                whole.iter().map(|(path, _)| path).filter(|path| kind_of(path) == kind).collect();
            let file = *random.pick(&files);
            let damage = DAMAGES[round % DAMAGES.len()];
            let what = harm(file, damage, &files, &mut random);
            let at = random.below(QUESTIONS.len());
            for (question, expected) in QUESTIONS.iter().zip(&expected).cycle().skip(at).take(2) {
                let (found, notes) = answer(&project, question);
                noticed += usize::from(notes.contains("damaged"));
                if found != *expected {
                    wrong.push(format!("{damage:?} {kind} ({what}): {question:?}\n{notes}\n{found:.2000}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(noticed > 10, "damage was noticed only {noticed} times: is anything checked?");
}

fn contents(project: &Project) -> Vec<(PathBuf, Vec<u8>)> {
    project
        .index_files()
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).expect("the files of a test can be used")))
        .collect()
}

fn restore(project: &Project, whole: &[(PathBuf, Vec<u8>)]) {
    std::fs::remove_dir_all(project.path(".jari")).expect("the files of a test can be used");
    for (path, bytes) in whole {
        project.write(path, bytes);
    }
}

/// `store.db`, `index.bin`, or what part of a segment a file is.
fn kind_of(path: &Path) -> String {
    let name = path.file_name().expect("it has a name").to_string_lossy();
    if path.parent().is_some_and(|folder| folder.ends_with("lexical")) {
        path.extension().unwrap_or_default().to_string_lossy().into_owned()
    } else {
        name.into_owned()
    }
}

fn kinds(whole: &[(PathBuf, Vec<u8>)]) -> Vec<String> {
    let mut kinds: Vec<String> = whole.iter().map(|(path, _)| kind_of(path)).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Harms a file; says how.
fn harm(file: &Path, damage: Damage, same_kind: &[&PathBuf], random: &mut Random) -> String {
    let mut bytes = std::fs::read(file).expect("the files of a test can be used");
    let length = bytes.len().max(1);
    let at = random.below(length);
    let most = *random.pick(&[1, 16, 5000]);
    let count = 1 + random.below(most);
    let end = (at + count).min(bytes.len());
    match damage {
        Damage::Delete => {
            std::fs::remove_file(file).expect("the files of a test can be used");
            return "all of it".to_owned();
        }
        Damage::Flip => bytes.get_mut(at..end).unwrap_or_default().iter_mut().for_each(|byte| *byte ^= 0x15),
        Damage::Zero => bytes.get_mut(at..end).unwrap_or_default().fill(0),
        Damage::Truncate => bytes.truncate(at),
        Damage::Append => bytes.extend(std::iter::repeat_n(0x5a, count)),
        Damage::Swap => {
            let other = *random.pick(same_kind);
            if other != file {
                let theirs = std::fs::read(other).expect("the files of a test can be used");
                std::fs::write(other, &bytes).expect("the files of a test can be used");
                std::fs::write(file, theirs).expect("the files of a test can be used");
                return format!("with {}", other.display());
            }
            // Whole pages, so that each of them is sound by itself.
            let pages = bytes.len() / 4096;
            if pages > 2 {
                let (one, two) = (1 + random.below(pages - 1), 1 + random.below(pages - 1));
                for byte in 0..4096 {
                    bytes.swap(one * 4096 + byte, two * 4096 + byte);
                }
            } else {
                bytes.reverse();
            }
        }
    }
    std::fs::write(file, bytes).expect("the files of a test can be used");
    format!("{at}..{end} of {length}")
}
