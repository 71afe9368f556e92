//! Which files may hold a substring, once for all stores. A store only says which files have a gram.

use jari_base::FileId;

use crate::Result;

/// Stands for every gram: what a file has that was too rich to be cut.
pub const ANY_GRAM: u32 = u32::MAX;

/// The grams a file must have to be worth a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GramQuery {
    /// Every file is.
    All,
    /// Those with this one.
    Gram(u32),
    /// Those that all of these let through.
    And(Vec<GramQuery>),
    /// Those that one of these lets through.
    Or(Vec<GramQuery>),
}

/// What the grams of an index are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GramStatistics {
    /// Different grams.
    pub grams: u64,
    /// Of those, how many stand in too many files to narrow anything.
    pub common: u64,
    /// Files with too many grams to be cut: they are always looked at.
    pub uncut: u64,
}

/// Where grams stand: all that a store must know.
pub trait GramPostings {
    /// The files that have a gram, by number and in order. Files that had it once, or are gone, may be among them.
    fn gram_files(&self, gram: u32) -> Result<Vec<u32>>;
}

/// The files that may match, by number; `None` if the grams tell nothing. Grams in more than `most` files are not used.
pub fn narrow(query: &GramQuery, most: u64, index: &impl GramPostings) -> Result<Option<Vec<FileId>>> {
    let narrowing = Narrowing { most, index };
    let Some(files) = narrowing.files(query)? else { return Ok(None) };
    let files = union(files, &index.gram_files(ANY_GRAM)?);
    Ok(Some(files.into_iter().map(FileId).collect()))
}

struct Narrowing<'a, I> {
    most: u64,
    index: &'a I,
}

impl<I: GramPostings> Narrowing<'_, I> {
    fn files(&self, query: &GramQuery) -> Result<Option<Vec<u32>>> {
        match query {
            GramQuery::All => Ok(None),
            GramQuery::Gram(gram) => {
                Ok(Some(self.index.gram_files(*gram)?).filter(|files| files.len() as u64 <= self.most))
            }
            GramQuery::Or(any) => {
                let mut all = Vec::new();
                for query in any {
                    let Some(files) = self.files(query)? else { return Ok(None) };
                    all = union(all, &files);
                }
                Ok(Some(all))
            }
            GramQuery::And(all) => {
                let mut left: Option<Vec<u32>> = None;
                for query in all {
                    let Some(files) = self.files(query)? else { continue };
                    match &mut left {
                        Some(left) => intersect(left, &files),
                        None => left = Some(files),
                    }
                    if left.as_ref().is_some_and(Vec::is_empty) {
                        break;
                    }
                }
                Ok(left)
            }
        }
    }
}

/// Keeps what is in both; both are sorted.
fn intersect(left: &mut Vec<u32>, right: &[u32]) {
    let mut right = right.iter().copied().peekable();
    left.retain(|file| {
        while right.next_if(|other| other < file).is_some() {}
        right.peek() == Some(file)
    });
}

/// What is in either; both are sorted.
fn union(mut left: Vec<u32>, right: &[u32]) -> Vec<u32> {
    left.extend_from_slice(right);
    // Two runs in order: the sort notices and merges them.
    left.sort();
    left.dedup();
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    /// File n has the grams that divide it; file 12 is too rich to be cut.
    struct Divisors;

    impl GramPostings for Divisors {
        fn gram_files(&self, gram: u32) -> Result<Vec<u32>> {
            if gram == ANY_GRAM {
                return Ok(vec![12]);
            }
            Ok((1..12).filter(|file| file % gram == 0).collect())
        }
    }

    fn check(query: &GramQuery, most: u64, expected: Option<&[u32]>) {
        let files = narrow(query, most, &Divisors).unwrap();
        let files = files.map(|files| files.into_iter().map(|file| file.0).collect::<Vec<_>>());
        assert_eq!(files.as_deref(), expected, "{query:?}");
    }

    #[test]
    fn files_need_all_of_and_and_one_of_or() {
        use GramQuery::{All, And, Gram, Or};
        check(&Gram(5), 99, Some(&[5, 10, 12]));
        check(&And(vec![Gram(2), Gram(3)]), 99, Some(&[6, 12]));
        check(&Or(vec![Gram(4), Gram(5)]), 99, Some(&[4, 5, 8, 10, 12]));
        check(&And(vec![Gram(2), Or(vec![Gram(3), Gram(5)])]), 99, Some(&[6, 10, 12]));
        check(&And(vec![Gram(2), All]), 99, Some(&[2, 4, 6, 8, 10, 12]));
        check(&Or(vec![Gram(2), All]), 99, None);
        check(&Or(Vec::new()), 99, Some(&[12]));
    }

    #[test]
    fn common_grams_do_not_narrow() {
        use GramQuery::{And, Gram, Or};
        check(&Gram(2), 3, None);
        check(&And(vec![Gram(2), Gram(5)]), 3, Some(&[5, 10, 12]));
        check(&Or(vec![Gram(2), Gram(5)]), 3, None);
    }
}
