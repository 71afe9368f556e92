//! A regular expression in, the grams that every line it matches has out. What cannot be told lets every file through.

use std::collections::BTreeSet;

use jari_store::GramQuery;
use jari_text::{fold_char, grams};
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// More ways to spell a part than this, and they are no longer told apart.
const MOST_RUNS: usize = 48;

/// Longer runs are taken as several.
const LONGEST_RUN: usize = 64;

/// A class of more characters than this may as well be any character.
const LARGEST_CLASS: usize = 12;

/// Characters at the end of one part that make a gram with the beginning of the next.
const SEAM: usize = 2;

/// The grams that a file must have for `pattern` to match one of its lines.
pub(crate) fn required_grams(pattern: &Hir) -> GramQuery {
    part(pattern).open().grams
}

/// Folded characters that stand next to each other, in each of the ways they may be.
type Runs = BTreeSet<Vec<char>>;

/// What is known of all that a part of a pattern matches.
enum Part {
    /// It is one of these.
    Exact(Runs),
    /// Only this much.
    Open(Open),
}

struct Open {
    /// It begins with one of these.
    starts: Runs,
    /// It ends with one of these.
    ends: Runs,
    /// It has these.
    grams: GramQuery,
}

impl Part {
    fn empty() -> Self {
        Self::Exact(Runs::from([Vec::new()]))
    }

    fn anything() -> Self {
        let nothing = Runs::from([Vec::new()]);
        Self::Open(Open { starts: nothing.clone(), ends: nothing, grams: GramQuery::All })
    }

    /// The same, with less known of it: only what its ends and its grams are.
    fn open(self) -> Open {
        match self {
            Self::Open(open) => open,
            Self::Exact(runs) => Open { starts: heads(&runs), ends: tails(&runs), grams: one_of(&runs) },
        }
    }
}

fn part(hir: &Hir) -> Part {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Part::empty(),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => sequence(text.chars().map(|c| Part::Exact(Runs::from([vec![fold_char(c)]])))),
            Err(_) => Part::anything(),
        },
        HirKind::Class(class) => class_of(class),
        HirKind::Capture(capture) => part(&capture.sub),
        HirKind::Repetition(repetition) => repeated(repetition),
        HirKind::Concat(all) => sequence(all.iter().map(part)),
        HirKind::Alternation(all) => choice(all.iter().map(part).collect()),
    }
}

fn class_of(class: &Class) -> Part {
    let Class::Unicode(class) = class else { return Part::anything() };
    let size: usize = class.ranges().iter().map(|range| range.len()).sum();
    if size > LARGEST_CLASS {
        return Part::anything();
    }
    let chars = class.ranges().iter().flat_map(|range| range.start()..=range.end());
    Part::Exact(chars.map(|c| vec![fold_char(c)]).collect())
}

fn repeated(repetition: &Repetition) -> Part {
    let Repetition { min, max, sub, .. } = repetition;
    if *min == 0 {
        return match max {
            Some(1) => choice(vec![part(sub), Part::empty()]),
            _ => Part::anything(),
        };
    }
    // Three characters make a gram, so what comes after three times tells nothing new.
    let times = (*min).min(3);
    let known = sequence((0..times).map(|_| part(sub)));
    if *max == Some(times) { known } else { Part::Open(known.open()) }
}

fn sequence(parts: impl IntoIterator<Item = Part>) -> Part {
    parts.into_iter().fold(Part::empty(), joined)
}

fn joined(left: Part, right: Part) -> Part {
    let (left, right) = match (left, right) {
        (Part::Exact(left), Part::Exact(right)) => match product(&left, &right) {
            Some(runs) if runs.iter().all(|run| run.len() <= LONGEST_RUN) => return Part::Exact(runs),
            _ => (Part::Exact(left), Part::Exact(right)),
        },
        other => other,
    };
    // What is known whole lets the part beyond it be seen.
    let start = if let Part::Exact(runs) = &left { Some(runs.clone()) } else { None };
    let end = if let Part::Exact(runs) = &right { Some(runs.clone()) } else { None };
    let (left, right) = (left.open(), right.open());
    let seam = product(&left.ends, &right.starts).map_or(GramQuery::All, |runs| one_of(&runs));
    let starts = start.and_then(|start| product(&start, &right.starts)).unwrap_or(left.starts);
    let ends = end.and_then(|end| product(&left.ends, &end)).unwrap_or(right.ends);
    Part::Open(Open {
        starts: heads(&starts),
        ends: tails(&ends),
        grams: all_of(vec![left.grams, seam, right.grams]),
    })
}

fn choice(parts: Vec<Part>) -> Part {
    let mut exact = Some(Runs::new());
    for part in &parts {
        exact = match (exact, part) {
            (Some(mut all), Part::Exact(runs)) if all.len() + runs.len() <= MOST_RUNS => {
                all.extend(runs.iter().cloned());
                Some(all)
            }
            _ => None,
        };
    }
    if let Some(runs) = exact {
        return Part::Exact(runs);
    }
    let (mut starts, mut ends, mut grams) = (Runs::new(), Runs::new(), Vec::new());
    for part in parts {
        let open = part.open();
        starts.extend(open.starts);
        ends.extend(open.ends);
        grams.push(open.grams);
    }
    Part::Open(Open { starts: few(starts), ends: few(ends), grams: any_of(grams) })
}

/// Each of `left` before each of `right`; `None` if those are too many.
fn product(left: &Runs, right: &Runs) -> Option<Runs> {
    if left.len() * right.len() > MOST_RUNS {
        return None;
    }
    let run = |left: &Vec<char>, right: &Vec<char>| left.iter().chain(right).copied().collect();
    Some(left.iter().flat_map(|left| right.iter().map(move |right| run(left, right))).collect())
}

/// The first characters of each.
fn heads(runs: &Runs) -> Runs {
    few(runs.iter().map(|run| run[..run.len().min(SEAM)].to_vec()).collect())
}

/// The last characters of each.
fn tails(runs: &Runs) -> Runs {
    few(runs.iter().map(|run| run[run.len().saturating_sub(SEAM)..].to_vec()).collect())
}

/// All of them, or that nothing is known if they are too many.
fn few(runs: Runs) -> Runs {
    if runs.len() <= MOST_RUNS { runs } else { Runs::from([Vec::new()]) }
}

fn one_of(runs: &Runs) -> GramQuery {
    any_of(runs.iter().map(|run| all_of(grams(run).into_iter().map(GramQuery::Gram).collect())).collect())
}

fn all_of(queries: Vec<GramQuery>) -> GramQuery {
    let mut all = Vec::new();
    for query in queries {
        match query {
            GramQuery::All => {}
            GramQuery::And(more) => all.extend(more),
            other => all.push(other),
        }
    }
    match all.len() {
        0 => GramQuery::All,
        1 => all.remove(0),
        _ => GramQuery::And(all),
    }
}

fn any_of(mut queries: Vec<GramQuery>) -> GramQuery {
    if queries.contains(&GramQuery::All) {
        GramQuery::All
    } else if queries.len() == 1 {
        queries.remove(0)
    } else {
        GramQuery::Or(queries)
    }
}

#[cfg(test)]
mod tests {
    use jari_text::GramCutter;
    use proptest::prelude::*;

    use super::*;

    fn parsed(pattern: &str) -> Hir {
        regex_syntax::ParserBuilder::new().utf8(false).multi_line(true).build().parse(pattern).unwrap()
    }

    /// `abc&bcd`, `(abc|xyz)`; `~` for one that is not ASCII, `*` for every file.
    fn shown(query: &GramQuery) -> String {
        let list = |all: &[GramQuery], mark| all.iter().map(shown).collect::<Vec<_>>().join(mark);
        match query {
            GramQuery::All => "*".to_owned(),
            GramQuery::Gram(gram) if gram >> 21 > 0 => "~".to_owned(),
            GramQuery::Gram(gram) => {
                [14, 7, 0].into_iter().map(|shift| char::from((gram >> shift) as u8 & 0x7f)).collect()
            }
            GramQuery::And(all) => list(all, "&"),
            GramQuery::Or(any) => format!("({})", list(any, "|")),
        }
    }

    fn check(pattern: &str, expected: &str) {
        assert_eq!(shown(&required_grams(&parsed(pattern))), expected, "{pattern}");
    }

    #[test]
    fn literals_need_all_their_grams() {
        check("Abcd", "abc&bcd");
        check("ab", "*");
        check("결제", "~");
        check("결제 내", "~&~");
        check(r"a\.b", "a.b");
    }

    #[test]
    fn case_makes_no_difference() {
        check("(?i)Task", "tas&ask");
        check("(?i)straße", "str&tra&~&~");
    }

    #[test]
    fn anchors_and_boundaries_need_nothing() {
        check(r"^\babc\b$", "abc");
        check(r"a(?:\b)bc", "abc");
    }

    #[test]
    fn choices_need_one() {
        check("abc|xyz", "(abc|xyz)");
        check("abc|x", "*");
        check("a(b|c)d", "(abd|acd)");
        check("foo(bar|)baz", "(foo&oob&oba&bar&arb&rba&baz|foo&oob&oba&baz)");
        check("colou?r", "(col&olo&lor|col&olo&lou&our)");
    }

    #[test]
    fn what_stands_between_is_left_open() {
        check("abc.*xyz", "abc&xyz");
        check(r"fn \w+\(self", "fn &(se&sel&elf");
        check(".*", "*");
        check("ab.*c", "*");
    }

    #[test]
    fn repetitions_need_what_they_repeat() {
        check("(abc)+", "abc");
        check("(abc)*", "*");
        check("a{3}", "aaa");
        check("a{2}b", "aab");
        check("xa+y", "*");
        check("x(ab)+y", "xab&aby");
        check("a{20}", "aaa");
    }

    #[test]
    fn classes_are_told_apart_while_they_are_small() {
        check("a[bc]d", "(abd|acd)");
        check("a[a-z]d", "*");
        check("[0-9]{3}", "*");
    }

    #[test]
    fn large_patterns_stay_small() {
        let many: Vec<String> = (0..2000).map(|number| format!("word{number}")).collect();
        assert!(shown(&required_grams(&parsed(&many.join("|")))).len() < 100_000);
        required_grams(&parsed(&"(a|b|c|d)".repeat(200)));
        required_grams(&parsed("((((abc){9}){9}){9}){9}"));
    }

    fn lets_through(query: &GramQuery, grams: &[u32]) -> bool {
        match query {
            GramQuery::All => true,
            GramQuery::Gram(gram) => grams.contains(gram),
            GramQuery::And(all) => all.iter().all(|query| lets_through(query, grams)),
            GramQuery::Or(any) => any.iter().any(|query| lets_through(query, grams)),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Whatever matches a line is let through.
        #[test]
        fn no_match_is_lost(
            pattern in r"(\(\?i\))?([abK가나]{1,4}|\[ab가\]|\[\^a\]|\(a\|bk\|\)|\(b가\)[+*?]|\.|a\{2,3\}|\\b|\(가나\|나b\)\{2\}){1,5}",
            text in "[abkKſK가나 ]{0,12}",
        ) {
            let hir = parsed(&pattern);
            let regex = regex::Regex::new(&pattern).unwrap();
            let grams = GramCutter::default().cut(&text, 1000).unwrap();
            if regex.is_match(&text) {
                prop_assert!(lets_through(&required_grams(&hir), &grams), "{} {}", pattern, shown(&required_grams(&hir)));
            }
        }
    }
}
