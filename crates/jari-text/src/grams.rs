//! Grams: short runs of characters by which a substring narrows down files. Texts and patterns are cut alike.

use rustc_hash::FxHashSet;

/// Changes whenever the same text gives other grams than before.
pub const GRAM_VERSION: u32 = 1;

/// Runs of three ASCII characters have the numbers below this, all others share those above.
const ASCII_GRAMS: u32 = 1 << 21;

/// Cuts texts; keeps its memory from one to the next.
#[derive(Debug)]
pub struct GramCutter {
    ascii: Box<[u64]>,
    others: FxHashSet<u32>,
}

impl Default for GramCutter {
    fn default() -> Self {
        Self { ascii: vec![0; ASCII_GRAMS as usize / 64].into(), others: FxHashSet::default() }
    }
}

impl GramCutter {
    /// The grams of `text`, each once; `None` if there are more than `most`. None crosses the end of a line.
    pub fn cut(&mut self, text: &str, most: usize) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        let (mut first, mut second) = ('\n', '\n');
        for third in text.chars().map(fold_char).chain(['\n']) {
            if let Some(gram) = gram(first, second, third) {
                if self.is_new(gram) {
                    found.push(gram);
                }
                if found.len() > most {
                    break;
                }
            }
            (first, second) = (second, third);
        }
        self.forget(&found);
        (found.len() <= most).then_some(found)
    }

    fn is_new(&mut self, gram: u32) -> bool {
        if gram >= ASCII_GRAMS {
            return self.others.insert(gram);
        }
        let (word, mask) = (&mut self.ascii[gram as usize / 64], 1 << (gram % 64));
        let new = *word & mask == 0;
        *word |= mask;
        new
    }

    fn forget(&mut self, found: &[u32]) {
        found.iter().filter(|gram| **gram < ASCII_GRAMS).for_each(|gram| self.ascii[*gram as usize / 64] = 0);
        self.others.clear();
    }
}

/// The grams that every text with this run of folded characters in a line has.
pub fn grams(folded: &[char]) -> Vec<u32> {
    let at = |at: usize| folded.get(at).copied().unwrap_or('\n');
    (0..folded.len()).filter_map(|start| gram(at(start), at(start + 1), at(start + 2))).collect()
}

/// The character that stands for all cases of `c`. What it merges is looked at again by whoever reads the file.
pub fn fold_char(c: char) -> char {
    match c {
        '\0'..='\x7f' => c.to_ascii_lowercase(),
        // Where case does not count, a long s is an s.
        'ſ' => 's',
        _ => c.to_lowercase().next().unwrap_or(c),
    }
}

/// The number of a run: of three characters, or of the first two where both are of a script whose words are that short.
fn gram(first: char, second: char, third: char) -> Option<u32> {
    if first == '\n' || second == '\n' {
        None
    } else if is_dense(first) && is_dense(second) {
        Some(shared(u64::from(first) << 21 | u64::from(second)))
    } else if third == '\n' {
        None
    } else {
        Some(three(first, second, third))
    }
}

/// The number of a run of three characters.
pub(crate) fn three(first: char, second: char, third: char) -> u32 {
    if first.is_ascii() && second.is_ascii() && third.is_ascii() {
        u32::from(first) << 14 | u32::from(second) << 7 | u32::from(third)
    } else {
        shared(u64::from(first) << 42 | u64::from(second) << 21 | u64::from(third))
    }
}

/// A number above those of ASCII. Two runs may share one: a file more is looked at then, and no line is lost.
fn shared(characters: u64) -> u32 {
    let mixed = (characters.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32;
    ASCII_GRAMS + mixed % (u32::MAX - ASCII_GRAMS)
}

/// Hangul, kana and Chinese characters: two of them make a word.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(text: &str) -> Vec<char> {
        text.chars().map(fold_char).collect()
    }

    #[test]
    fn case_is_folded_and_lines_end_grams() {
        let mut cutter = GramCutter::default();
        assert_eq!(cutter.cut("AbCd", 10), cutter.cut("abcd", 10));
        assert_eq!(cutter.cut("abcd\nabc", 10).map(|grams| grams.len()), Some(2));
        assert_eq!(cutter.cut("ab\ncd", 10), Some(Vec::new()));
        assert_eq!(cutter.cut("abcd", 1), None);
    }

    #[test]
    fn two_syllables_are_enough() {
        assert_eq!(grams(&folded("결제")).len(), 1);
        assert_eq!(grams(&folded("결제 내역")).len(), 4);
        assert!(grams(&folded("ab")).is_empty());
    }

    proptest! {
        #[test]
        fn every_part_of_a_line_has_grams_of_its_text(
            before in "\\PC{0,5}", part in "[a-zA-Z가-힣 éſK]{0,6}", after in "\\PC{0,5}",
        ) {
            let text = GramCutter::default().cut(&format!("x\n{before}{part}{after}\ny"), 1000).unwrap();
            for gram in grams(&folded(&part)) {
                prop_assert!(text.contains(&gram));
            }
        }
    }
}
