//! The model file, read in place: no parsing, no copy of the table.
//!
//! All numbers are little endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | `JARIEMBD` |
//! | 8..12 | format, `u32`: 1 |
//! | 12..16 | dims, `u32` |
//! | 16..20 | words, `u32` |
//! | 20..24 | rows for letter runs, `u32`, a power of two |
//! | 24..28 | slots of the hash table, `u32`, a power of two above the number of words |
//! | 28..32 | bytes of all words together, `u32` |
//! | 32..36 | weight of a document's heading against its text, `f32` |
//! | 36..40 | zero |
//! | 40..48 | [`hash`] of everything after the header, `u64` |
//! | 48..64 | zero |
//! | then | slots: `u32` each, 0 if empty, else the number of a word plus one; open addressing, linear probing |
//! | then | where each word begins, `u32` each, and where the last one ends |
//! | then | the words, UTF-8, one after the other |
//! | then | rows: `i8` × dims for each word, then for each letter run. One scale for all, which normalising takes out |

use std::borrow::Cow;

use jari_kernel::signed;

use crate::features::{Feature, damp, features, grams, hash, is_word};

const MAGIC: &[u8; 8] = b"JARIEMBD";
const FORMAT: u32 = 1;
const HEADER: usize = 64;

/// One occurrence, in the units that occurrences are counted in: whole numbers add up alike in any order.
const ONE: f32 = 4096.0;

/// Marks the number of a word that the table does not know; below it are bits of the word's hash, which tell such words apart.
const UNKNOWN: u32 = 1 << 31;
const HASHED: u32 = (1 << 24) - 1;

/// Marks the number of a word of another script, which is more than its own row.
const FOREIGN: u32 = 1 << 30;

/// What is wrong with a model file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Something else.
    #[error("it does not begin as a model of Jari does")]
    Foreign,
    /// A later format.
    #[error("its format is {0}, and this Jari reads {FORMAT}")]
    Format(u32),
    /// Cut off, or longer than its header says.
    #[error("it has {found} bytes where its header promises {promised}")]
    Length {
        /// By the header.
        promised: u64,
        /// In truth.
        found: u64,
    },
    /// Numbers that cannot be.
    #[error("its header or word list contradicts itself")]
    Contradiction,
    /// Other bytes than were written.
    #[error("its checksum does not match its contents")]
    Checksum,
}

/// A static table: each feature a row, a text their weighted sum.
pub(crate) struct Table {
    bytes: Cow<'static, [u8]>,
    dims: usize,
    words: usize,
    grams: usize,
    slots: usize,
    heading_weight: f32,
    starts_at: usize,
    letters_at: usize,
    rows_at: usize,
}

impl Table {
    /// Looks at the header only, so that it takes no time.
    pub(crate) fn new(bytes: Cow<'static, [u8]>) -> Result<Self, Damage> {
        if bytes.len() < HEADER || !bytes.starts_with(MAGIC) {
            return Err(Damage::Foreign);
        }
        let number = |at| u32_at(&bytes, at) as usize;
        if number(8) != FORMAT as usize {
            return Err(Damage::Format(u32_at(&bytes, 8)));
        }
        let (dims, words, grams, slots, letters) =
            (number(12), number(16), number(20), number(24), number(28));
        let sane = dims > 0 && grams.is_power_of_two() && slots.is_power_of_two() && slots > words;
        if !sane {
            return Err(Damage::Contradiction);
        }
        let starts_at = HEADER + slots * 4;
        let letters_at = starts_at + (words + 1) * 4;
        let rows_at = letters_at + letters;
        let promised = rows_at as u64 + (words as u64 + grams as u64) * dims as u64;
        if promised != bytes.len() as u64 {
            return Err(Damage::Length { promised, found: bytes.len() as u64 });
        }
        let heading_weight = f32::from_bits(u32_at(&bytes, 32));
        if !(0.0..=10.0).contains(&heading_weight) {
            return Err(Damage::Contradiction);
        }
        Ok(Self { bytes, dims, words, grams, slots, heading_weight, starts_at, letters_at, rows_at })
    }

    /// Compares the contents with the checksum: for files that come from elsewhere.
    pub(crate) fn verify(&self) -> Result<(), Damage> {
        (self.checksum() == hash(&self.bytes[HEADER..])).then_some(()).ok_or(Damage::Checksum)
    }

    pub(crate) fn checksum(&self) -> u64 {
        u64::from(u32_at(&self.bytes, 40)) | u64::from(u32_at(&self.bytes, 44)) << 32
    }

    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    pub(crate) fn heading_weight(&self) -> f32 {
        self.heading_weight
    }

    /// The sum of the rows of `text`, not normalised.
    pub(crate) fn sum(&self, text: &str) -> Vec<f32> {
        self.sum_and_words(text, &mut Vec::new())
    }

    /// The same, and the numbers of the words of `text`, as they come, added to `words`: of whole words that it knows, of the
    /// beginnings of Korean ones, and of ASCII words that it does not know.
    pub(crate) fn sum_and_words(&self, text: &str, words: &mut Vec<u32>) -> Vec<f32> {
        let mut sum = vec![0.0; self.dims];
        for (row, count) in self.counts(text, words) {
            let weight = damp(count as f32 / ONE);
            let elements = self.row(row).iter();
            sum.iter_mut().zip(elements).for_each(|(sum, element)| *sum += weight * f32::from(*element));
        }
        sum
    }

    /// The row of a word by its number, where the word is known and no more than that row.
    pub(crate) fn row_of(&self, number: u32) -> Option<&[i8]> {
        ((number as usize) < self.words).then(|| self.row(number))
    }

    /// A word of another script, by its number. It is the sum of its parts.
    pub(crate) fn foreign(&self, number: u32) -> Option<&str> {
        let number = (number & UNKNOWN == 0).then_some(number ^ FOREIGN)?;
        std::str::from_utf8(self.word(number as usize)?).ok()
    }

    fn row(&self, row: u32) -> &[i8] {
        let start = self.rows_at + row as usize * self.dims;
        signed(&self.bytes[start..start + self.dims])
    }

    /// Each row of `text` once, with its occurrences, in order of the rows.
    fn counts(&self, text: &str, words: &mut Vec<u32>) -> Vec<(u32, u32)> {
        let mut seen: Vec<(u32, u32)> = Vec::with_capacity(text.len() / 4);
        features(text, |feature| match feature {
            Feature::Word(word) => match self.find(word) {
                Some(row) => {
                    words.push(row);
                    seen.push((row, ONE as u32));
                }
                None => {
                    words.push(UNKNOWN | (hash(word.as_bytes()) as u32 & HASHED));
                    self.letter_runs(word, &mut seen);
                }
            },
            Feature::Foreign(word, weight) => {
                let Some(row) = self.find(word) else { return };
                words.extend(is_word(weight).then_some(FOREIGN | row));
                seen.push((row, (weight * ONE) as u32));
            }
        });
        seen.sort_unstable();
        seen.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        seen
    }

    fn letter_runs(&self, word: &str, seen: &mut Vec<(u32, u32)>) {
        let first = seen.len();
        grams(word, |gram| seen.push((self.words as u32 + (gram as u32 & (self.grams as u32 - 1)), 0)));
        let share = (ONE / (seen.len() - first).max(1) as f32) as u32;
        seen[first..].iter_mut().for_each(|(_, count)| *count = share);
    }

    fn find(&self, word: &str) -> Option<u32> {
        let mut slot = hash(word.as_bytes()) as usize & (self.slots - 1);
        // A damaged table could be full; a sound one has an empty slot to end at.
        for _ in 0..self.slots {
            let number = u32_at(&self.bytes, HEADER + slot * 4).checked_sub(1)?;
            if self.word(number as usize)? == word.as_bytes() {
                return Some(number);
            }
            slot = (slot + 1) & (self.slots - 1);
        }
        None
    }

    fn word(&self, number: usize) -> Option<&[u8]> {
        if number >= self.words {
            return None;
        }
        let start = u32_at(&self.bytes, self.starts_at + number * 4) as usize;
        let end = u32_at(&self.bytes, self.starts_at + number * 4 + 4) as usize;
        self.bytes[self.letters_at..self.rows_at].get(start..end)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// A model file of `words` with a row each, and of rows for letter runs after them.
///
/// # Panics
/// If the numbers of words and rows do not fit each other, or the letter runs are no power of two.
pub fn write(words: &[&str], rows: &[Vec<i8>], heading_weight: f32) -> Vec<u8> {
    let dims = rows.first().map_or(0, Vec::len);
    let grams = rows.len() - words.len();
    assert!(grams.is_power_of_two(), "letter runs are found by the low bits of their hash");
    let slots = (words.len() * 2).next_power_of_two();
    let mut table = vec![0u32; slots];
    for (number, word) in words.iter().enumerate() {
        let mut slot = hash(word.as_bytes()) as usize & (slots - 1);
        while table[slot] != 0 {
            slot = (slot + 1) & (slots - 1);
        }
        table[slot] = number as u32 + 1;
    }
    let mut starts = vec![0u32];
    words.iter().for_each(|word| starts.push(starts.last().expect("it begins with 0") + word.len() as u32));
    let mut body: Vec<u8> = Vec::new();
    table.iter().chain(&starts).for_each(|number| body.extend(number.to_le_bytes()));
    words.iter().for_each(|word| body.extend(word.as_bytes()));
    rows.iter().for_each(|row| body.extend(row.iter().map(|element| *element as u8)));

    let mut file = MAGIC.to_vec();
    let letters = *starts.last().expect("it begins with 0");
    for number in [FORMAT, dims as u32, words.len() as u32, grams as u32, slots as u32, letters] {
        file.extend(number.to_le_bytes());
    }
    file.extend(heading_weight.to_le_bytes());
    file.extend([0; 4]);
    file.extend(hash(&body).to_le_bytes());
    file.resize(HEADER, 0);
    file.append(&mut body);
    file
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Vec<u8> {
        write(&["retry", "request", "요청"], &[vec![1, 0], vec![0, 2], vec![0, 3], vec![5, 5]], 0.4)
    }

    fn table(bytes: Vec<u8>) -> Result<Table, Damage> {
        Table::new(Cow::Owned(bytes))
    }

    #[test]
    fn words_find_their_rows_and_others_fall_apart() {
        let table = table(sample()).unwrap();
        table.verify().unwrap();
        assert_eq!(table.sum("Retry"), [1.0, 0.0]);
        assert_eq!(table.sum("요청을"), [0.0, 3.0]);
        assert_eq!(table.sum("unknown 모름"), [5.0 * damp(4086.0 / ONE), 5.0 * damp(4086.0 / ONE)]);
        assert_eq!(table.sum(""), [0.0, 0.0]);
        let mut words = Vec::new();
        table.sum_and_words("retry unknown 요청을 모름 unknown other", &mut words);
        let [retry, unknown, request, again, other] = words[..] else { panic!("five words: {words:?}") };
        assert_eq!((retry, request, unknown), (0, FOREIGN | 2, again));
        assert!(unknown >= UNKNOWN && other >= UNKNOWN && unknown != other);
        assert_eq!((table.row_of(retry), table.foreign(retry)), (Some(&[1, 0][..]), None));
        assert_eq!((table.row_of(request), table.foreign(request)), (None, Some("요청")));
        assert_eq!((table.row_of(other), table.foreign(other)), (None, None));
        // Sixteen times the word weighs four times as much.
        assert_eq!(table.sum(&"retry ".repeat(16)), [4.0, 0.0]);
    }

    #[test]
    fn damaged_files_are_told_apart() {
        assert_eq!(table(b"short".to_vec()).err(), Some(Damage::Foreign));
        assert_eq!(table(vec![0; 100]).err(), Some(Damage::Foreign));
        let mut newer = sample();
        newer[8] = 2;
        assert_eq!(table(newer).err(), Some(Damage::Format(2)));
        let mut cut = sample();
        cut.pop();
        assert!(matches!(table(cut).err(), Some(Damage::Length { .. })));
        let mut flipped = sample();
        *flipped.last_mut().unwrap() ^= 1;
        assert_eq!(table(flipped).unwrap().verify(), Err(Damage::Checksum));
    }

    proptest! {
        #[test]
        fn no_flipped_byte_makes_it_panic(at in 0usize..sample().len(), to: u8, text in "\\PC{0,20}") {
            let mut bytes = sample();
            bytes[at] = to;
            if let Ok(table) = table(bytes) {
                table.sum(&text);
                table.sum("retry request 요청");
            }
        }
    }
}
