//! Trip 1 of a query, once for all stores: postings in, candidates out. A store only says where words stand.

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Instant;

use jari_base::{
    Bm25, Candidates, ChunkCandidate, ChunkId, ChunkKind, DefinitionCandidate, Degraded, FileCandidate,
    FileId, Filter, LineRange, Lookup, SymbolKind, Term,
};

use crate::{Error, Files, PathFilter, Result};

/// A field of a chunk, or of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Names that a chunk defines.
    Name,
    /// A chunk's doc comment.
    Doc,
    /// A chunk's text.
    Body,
    /// A file's path.
    Path,
}

/// A word's occurrence in one chunk or, for [`Field::Path`], in one file's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// Which chunk or file, by the store's own dense numbers.
    pub slot: u32,
    /// How often.
    pub count: u32,
    /// How many words the field has there.
    pub length: u32,
}

/// What a slot stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkSlot {
    /// The chunk. For path slots only its file counts.
    pub chunk: ChunkId,
    /// Its kind.
    pub kind: ChunkKind,
}

/// A definition of a name that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The name as written.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Where it stands.
    pub lines: LineRange,
    /// The chunk that shows it, below its doc comment.
    pub chunk: ChunkId,
}

/// Where words stand: all that a store must know.
pub trait Postings {
    /// One more than the largest slot.
    fn slots(&self) -> usize;

    /// Adds every live posting of `term` to `all`. The chunks of one file have slots one after the other, in order.
    fn postings(&self, field: Field, term: &str, all: &mut Vec<Posting>) -> Result<()>;

    /// The file of a slot.
    fn file(&self, slot: u32) -> FileId;

    /// The slot of a file's first chunk; `None` if it has none.
    fn first_slot(&self, file: FileId) -> Option<u32>;

    /// What a slot stands for.
    fn chunk(&self, slot: u32) -> ChunkSlot;

    /// Definitions whose folded name is among `names`, at most `limit` for each.
    fn definitions(&self, names: &[String], limit: usize) -> Result<Vec<Definition>>;

    /// The chunks whose vectors are nearest, nearest first.
    fn nearest(&self, vector: &[f32], limit: usize, allowed: &Allowed<'_>) -> Result<Nearest>;

    /// Calls `each` once for every one of `files`, in order, with how near each of its chunks is, to about a hundredth, in order; with
    /// nothing where there are no vectors of it.
    fn cosines(&self, vector: &[f32], files: &[FileId], each: &mut dyn FnMut(&[f32]));
}

/// What a search among vectors found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nearest {
    /// Chunks, nearest first.
    pub chunks: Vec<(ChunkId, f32)>,
    /// What did not help as it should.
    pub degraded: Option<Degraded>,
}

/// What a filter lets through, worked out for every file.
#[derive(Debug, Clone)]
pub struct Allowed<'a> {
    files: Option<Vec<bool>>,
    kinds: &'a [ChunkKind],
}

impl<'a> Allowed<'a> {
    /// Asks the filter about every file.
    pub fn new(filter: &'a Filter, files: &Files) -> Result<Self> {
        let paths = PathFilter::new(filter).map_err(Error::Backend)?;
        let files = (!paths.allows_all()).then(|| {
            let mut allowed = vec![false; files.numbers()];
            for file in files.iter().filter(|file| paths.allows(file)) {
                allowed[file.id.0 as usize] = true;
            }
            allowed
        });
        Ok(Self { files, kinds: &filter.kinds })
    }

    /// By the number of the file; `None` allows all.
    pub fn files(&self) -> Option<&[bool]> {
        self.files.as_deref()
    }

    /// The kinds that are allowed; empty for all.
    pub fn kinds(&self) -> &[ChunkKind] {
        self.kinds
    }

    /// Whether it lets everything through.
    fn all(&self) -> bool {
        self.files.is_none() && self.kinds.is_empty()
    }

    /// Whether anything of a file may be returned.
    pub fn file(&self, file: FileId) -> bool {
        self.files.as_ref().is_none_or(|files| files.get(file.0 as usize) == Some(&true))
    }

    /// Whether chunks of a kind may be returned.
    pub fn kind(&self, kind: ChunkKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// Files are compared as wholes with less regard to length than chunks. On 21 whole repositories 0.3 scores 0.848, 0.1 the
/// same, 0.75 0.844.
const FILE_B: f32 = 0.3;

/// Words in a name, a doc comment and a path from which on they count as long. On 21 repositories double scores 0.003 to
/// 0.005 less, four times 0.005 to 0.007.
const MEAN_NAME: f32 = 2.0;
const MEAN_DOC: f32 = 10.0;
const MEAN_PATH: f32 = 3.0;

/// How much a match in a name or in a doc comment adds to the same word's match in the text, when the best chunks of a
/// file are chosen. From 0 to 1 the first moves 21 repositories by 0.005; without the second
/// they move by 0.001.
const NAME_WEIGHT: f32 = 0.5;
const DOC_WEIGHT: f32 = 0.25;

/// Definitions looked at for one name, so that `new` does not flood the list: 24 score 0.003 less, 200 the same.
const DEFINITIONS: usize = 50;

/// Chunks kept for each file: sections of one document compete with each other, so there are more than a list shows.
const BEST: usize = 8;

/// Of those, how many count for the file.
const SUMMED: usize = 3;

/// Chunks taken over from the list of vectors. With 200 the sets of `docs/evaluation.md` score the same.
const NEAREST: usize = 100;

/// Answers a look-up from postings.
pub fn candidates(lookup: &Lookup, files: &Files, index: &impl Postings) -> Result<Candidates> {
    let allowed = Allowed::new(&lookup.filter, files)?;
    let mut definitions = index.definitions(&lookup.names, DEFINITIONS)?;
    definitions.retain(|definition| allowed.file(definition.chunk.file) && allowed.kinds.is_empty());
    let vector = lookup.vector.as_deref();
    let near = vector.map(|vector| index.nearest(vector, NEAREST, &allowed)).transpose()?.unwrap_or_default();

    SCRATCH.with_borrow_mut(|scratch| {
        scratch.fit(index.slots(), files.numbers());
        let mut tally = Tally { bm25: lookup.bm25, files, index, scratch };
        let mut degraded = near.degraded;
        let mut rarity = vec![0.0; lookup.terms.len()];
        for (at, (rarity, term)) in rarity.iter_mut().zip(&lookup.terms).enumerate() {
            // One word at least, so that there is an answer.
            if at > 0 && lookup.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                degraded = Some(Degraded::TimeBudget);
                break;
            }
            *rarity = tally.term(term)?;
        }
        match allowed.all() {
            true => tally.choose_chunks(|_| true),
            false => tally
                .choose_chunks(|slot| allowed.file(index.file(slot)) && allowed.kind(index.chunk(slot).kind)),
        }
        let mut chosen =
            tally.best_files(lookup.limit, |file| allowed.file(file) && allowed.kinds.is_empty());
        let mut seen: HashSet<FileId> = chosen.iter().copied().collect();
        let defined = definitions.iter().map(|definition| definition.chunk.file);
        let others = defined.chain(near.chunks.iter().map(|(chunk, _)| chunk.file));
        chosen.extend(others.filter(|file| seen.insert(*file)));
        let mut files = Vec::with_capacity(chosen.len());
        let (mut left, mut near) = (chosen.iter(), Vec::new());
        let mut add = |cosines: &[f32]| {
            let Some(file) = left.next() else { return };
            tally.near(*file, cosines, &allowed, &mut near);
            files.extend(tally.candidate(*file, &definitions, cosines, &near));
        };
        match vector {
            Some(vector) => index.cosines(vector, &chosen, &mut add),
            None => chosen.iter().for_each(|_| add(&[])),
        }
        Ok(Candidates { files, rarity, degraded })
    })
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Sums as they add up. Kept from query to query, because clearing what was touched is cheaper than new memory for all.
#[derive(Default)]
struct Scratch {
    /// By slot: body, name and doc.
    chunks: Vec<[f32; 3]>,
    touched: Vec<u32>,
    /// By file number.
    files: Vec<FileSums>,
    best: Vec<BestChunks>,
    touched_files: Vec<FileId>,
    postings: Vec<Posting>,
    in_files: Vec<(FileId, u32)>,
}

#[derive(Clone, Copy)]
struct FileSums {
    touched: bool,
    bm25: f32,
    path: f32,
}

impl FileSums {
    const NONE: Self = Self { touched: false, bm25: 0.0, path: 0.0 };
}

/// The best chunks of one file, best first: one line of the processor's cache, because every chunk that has a word of the query looks
/// here.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct BestChunks([BestChunk; BEST]);

impl BestChunks {
    const NONE: Self = Self([BestChunk::NONE; BEST]);

    fn iter(&self) -> impl Iterator<Item = &BestChunk> {
        self.0.iter().take_while(|best| best.is_some())
    }

    fn is_empty(&self) -> bool {
        !self.0[0].is_some()
    }

    fn sum(&self) -> f32 {
        self.iter().take(SUMMED).map(|best| best.score).sum()
    }

    fn add(&mut self, new: BestChunk) {
        let Self(best) = self;
        if !new.is_better_than(&best[BEST - 1]) {
            return;
        }
        if let Some(at) = best.iter().position(|old| new.is_better_than(old)) {
            best[at..].rotate_right(1);
            best[at] = new;
        }
    }
}

impl Scratch {
    /// Room for an index of this size, with every sum at zero.
    fn fit(&mut self, slots: usize, files: usize) {
        for slot in self.touched.drain(..) {
            self.chunks[slot as usize] = [0.0; 3];
        }
        for file in self.touched_files.drain(..) {
            self.files[file.0 as usize] = FileSums::NONE;
            self.best[file.0 as usize] = BestChunks::NONE;
        }
        self.chunks.resize(slots, [0.0; 3]);
        self.files.resize(files, FileSums::NONE);
        self.best.resize(files, BestChunks::NONE);
    }

    fn add(&mut self, slot: u32, field: usize, score: f32) {
        let scores = &mut self.chunks[slot as usize];
        if *scores == [0.0; 3] {
            self.touched.push(slot);
        }
        scores[field] += score;
    }

    /// The sums of a file; `None` for a number that is not in use.
    fn file(&mut self, file: FileId) -> Option<&mut FileSums> {
        let sums = self.files.get_mut(file.0 as usize)?;
        if !sums.touched {
            sums.touched = true;
            self.touched_files.push(file);
        }
        Some(sums)
    }
}

struct Tally<'a, P> {
    bm25: Bm25,
    files: &'a Files,
    index: &'a P,
    scratch: &'a mut Scratch,
}

impl<P: Postings> Tally<'_, P> {
    /// Adds one word everywhere it stands; returns how rare it is among files.
    fn term(&mut self, term: &Term) -> Result<f32> {
        let Term { text: term, weight } = term;
        let weight = *weight;
        self.field(Field::Body, 0, term, weight, self.files.mean_chunk())?;
        self.count_files();
        let rarity = idf(self.files.totals().indexed, self.scratch.in_files.len());
        let whole = Bm25 { b: FILE_B, ..self.bm25 };
        let mean_file = self.files.mean_file();
        let in_files = std::mem::take(&mut self.scratch.in_files);
        for (file, count) in &in_files {
            let Some(words) = self.files.words(*file) else { continue };
            let Some(sums) = self.scratch.file(*file) else { continue };
            sums.bm25 += rarity * weight * saturation(whole, *count as f32, words as f32 / mean_file);
        }
        self.scratch.in_files = in_files;
        self.field(Field::Name, 1, term, weight, MEAN_NAME)?;
        self.field(Field::Doc, 2, term, weight, MEAN_DOC)?;
        let in_paths = self.paths(term, weight)?;
        // A word that stands only in paths is as rare as it is there.
        Ok(if rarity == 0.0 { in_paths } else { rarity })
    }

    /// Adds one word in paths; returns how rare it is there.
    fn paths(&mut self, term: &str, weight: f32) -> Result<f32> {
        self.collect(Field::Path, term)?;
        let rarity = idf(self.files.totals().indexed, self.scratch.postings.len());
        let postings = std::mem::take(&mut self.scratch.postings);
        for posting in &postings {
            let Some(sums) = self.scratch.file(self.index.file(posting.slot)) else { continue };
            let length = posting.length as f32 / MEAN_PATH;
            sums.path += rarity * weight * saturation(self.bm25, posting.count as f32, length);
        }
        self.scratch.postings = postings;
        Ok(rarity)
    }

    /// Adds one word in one field of the chunks.
    fn field(&mut self, field: Field, at: usize, term: &str, weight: f32, mean: f32) -> Result<()> {
        self.collect(field, term)?;
        let rare = idf(self.files.totals().chunks, self.scratch.postings.len()) * weight;
        let postings = std::mem::take(&mut self.scratch.postings);
        for posting in &postings {
            let worth = saturation(self.bm25, posting.count as f32, posting.length as f32 / mean);
            self.scratch.add(posting.slot, at, rare * worth);
        }
        self.scratch.postings = postings;
        Ok(())
    }

    fn collect(&mut self, field: Field, term: &str) -> Result<()> {
        self.scratch.postings.clear();
        self.index.postings(field, term, &mut self.scratch.postings)
    }

    /// From occurrences in chunks to occurrences in files.
    fn count_files(&mut self) {
        let Scratch { postings, in_files, .. } = &mut *self.scratch;
        in_files.clear();
        for posting in postings {
            let file = self.index.file(posting.slot);
            match in_files.last_mut() {
                Some((last, count)) if *last == file => *count += posting.count,
                _ => in_files.push((file, posting.count)),
            }
        }
    }

    /// Finds the best chunks of every file.
    fn choose_chunks(&mut self, allows: impl Fn(u32) -> bool) {
        for at in 0..self.scratch.touched.len() {
            let slot = self.scratch.touched[at];
            let [body, name, doc] = self.scratch.chunks[slot as usize];
            if !allows(slot) {
                continue;
            }
            let new = BestChunk { slot, score: body + NAME_WEIGHT * name + DOC_WEIGHT * doc };
            let file = self.index.file(slot);
            let Some(best) = self.scratch.best.get_mut(file.0 as usize) else { continue };
            let is_first = best.is_empty();
            best.add(new);
            if is_first {
                self.scratch.file(file);
            }
        }
    }

    /// The files worth ranking: by the sum of what is known, each part against its own maximum.
    fn best_files(&self, limit: usize, allows_without_chunk: impl Fn(FileId) -> bool) -> Vec<FileId> {
        let Scratch { files, best, touched_files, .. } = &*self.scratch;
        let (mut most_sum, mut most_file, mut most_path) =
            (f32::MIN_POSITIVE, f32::MIN_POSITIVE, f32::MIN_POSITIVE);
        for file in touched_files {
            let (sums, best) = (&files[file.0 as usize], &best[file.0 as usize]);
            most_sum = most_sum.max(best.sum());
            most_file = most_file.max(sums.bm25);
            most_path = most_path.max(sums.path);
        }
        let score = |file: &FileId| {
            let (sums, best) = (&files[file.0 as usize], &best[file.0 as usize]);
            let counts = !best.is_empty() || (sums.path > 0.0 && allows_without_chunk(*file));
            let score = best.sum() / most_sum + sums.bm25 / most_file + sums.path / most_path;
            counts.then_some((score, *file))
        };
        let mut scored: Vec<(f32, FileId)> = touched_files.iter().filter_map(score).collect();
        // Equal scores go by path, because numbers tell the history of an index.
        let path = |file: FileId| self.files.get(file).map(|record| record.path.as_str());
        let by_score = |a: &(f32, FileId), b: &(f32, FileId)| {
            b.0.total_cmp(&a.0).then_with(|| path(a.1).cmp(&path(b.1)))
        };
        if scored.len() > limit {
            scored.select_nth_unstable_by(limit, by_score);
            scored.truncate(limit);
        }
        scored.sort_unstable_by(by_score);
        scored.into_iter().map(|(_, file)| file).collect()
    }

    /// Puts the slots of the nearest chunks of a file into `near`, nearest first.
    fn near(&self, file: FileId, cosines: &[f32], allowed: &Allowed<'_>, near: &mut Vec<(f32, u32)>) {
        near.clear();
        let Some(first) = self.index.first_slot(file) else { return };
        let of_kind = |slot: u32| allowed.kinds.is_empty() || allowed.kind(self.index.chunk(slot).kind);
        let all = cosines.iter().copied().zip(first..);
        near.extend(all.filter(|(cosine, slot)| *cosine > 0.0 && of_kind(*slot)));
        let nearer = |one: &(f32, u32), two: &(f32, u32)| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1));
        if near.len() > BEST {
            near.select_nth_unstable_by(BEST, nearer);
            near.truncate(BEST);
        }
        near.sort_unstable_by(nearer);
    }

    fn candidate(
        &self,
        file: FileId,
        definitions: &[Definition],
        cosines: &[f32],
        near: &[(f32, u32)],
    ) -> Option<FileCandidate> {
        let record = self.files.get(file)?;
        let sums = &self.scratch.files[file.0 as usize];
        let chunk = |slot: u32| {
            let [body, name, doc] = self.scratch.chunks[slot as usize];
            let ChunkSlot { chunk, kind } = self.index.chunk(slot);
            let cosine = cosines.get(chunk.ordinal as usize).copied().unwrap_or_default();
            ChunkCandidate { chunk, kind, body, name, doc, cosine }
        };
        let best = &self.scratch.best[file.0 as usize];
        let is_new = |slot: u32| best.iter().all(|best| best.slot != slot);
        let mut chunks: Vec<ChunkCandidate> = Vec::with_capacity(2 * BEST);
        chunks.extend(best.iter().map(|best| chunk(best.slot)));
        chunks.extend(near.iter().filter(|(_, slot)| is_new(*slot)).map(|(_, slot)| chunk(*slot)));
        let definition = |found: &Definition| DefinitionCandidate {
            name: found.name.clone(),
            kind: found.kind,
            lines: found.lines,
            chunk: found.chunk,
        };
        Some(FileCandidate {
            file,
            path: record.path.clone(),
            language: record.language.clone(),
            bm25: sums.bm25,
            path_bm25: sums.path,
            chunks,
            definitions: definitions
                .iter()
                .filter(|found| found.chunk.file == file)
                .map(definition)
                .collect(),
        })
    }
}

#[derive(Debug, Clone, Copy)]
struct BestChunk {
    slot: u32,
    score: f32,
}

impl BestChunk {
    /// Worse than any.
    const NONE: Self = Self { slot: u32::MAX, score: f32::NEG_INFINITY };

    fn is_some(&self) -> bool {
        self.slot != u32::MAX
    }

    fn is_better_than(&self, other: &Self) -> bool {
        self.score > other.score || (self.score == other.score && self.slot < other.slot)
    }
}

/// How rare a word is that stands in `found` of `all` places.
fn idf(all: u64, found: usize) -> f32 {
    if found == 0 {
        return 0.0;
    }
    let (all, found) = (all as f32, found as f32);
    (1.0 + (all - found + 0.5).max(0.0) / (found + 0.5)).ln()
}

/// What `count` occurrences are worth in a text `length` times the mean.
fn saturation(bm25: Bm25, count: f32, length: f32) -> f32 {
    let Bm25 { k1, b } = bm25;
    count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_repetition_saturates() {
        assert!(idf(100, 1) > idf(100, 50) && idf(100, 50) > idf(100, 100));
        assert_eq!(idf(100, 0), 0.0);
        let bm25 = Bm25::default();
        let worth = |count: f32| saturation(bm25, count, 1.0);
        assert!(worth(2.0) < 2.0 * worth(1.0) && worth(2.0) > worth(1.0));
        assert!(saturation(bm25, 1.0, 2.0) < worth(1.0), "long texts are held back");
    }
}
