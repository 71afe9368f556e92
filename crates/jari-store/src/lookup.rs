//! Trip 1 of a query, once for all stores: postings in, candidates out. A store only says where words stand.

use jari_base::{
    Bm25, Candidates, ChunkCandidate, ChunkId, ChunkKind, DefinitionCandidate, FileCandidate, FileId,
    LineRange, Lookup, SymbolKind,
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
    /// The chunk that holds its first line.
    pub chunk: ChunkId,
}

/// Where words stand: all that a store must know.
pub trait Postings {
    /// One more than the largest slot.
    fn slots(&self) -> usize;

    /// Calls `each` for every live posting of `term`. The chunks of one file come one after the other.
    fn postings(&self, field: Field, term: &str, each: &mut dyn FnMut(Posting)) -> Result<()>;

    /// The file of a slot.
    fn file(&self, slot: u32) -> FileId;

    /// What a slot stands for.
    fn chunk(&self, slot: u32) -> ChunkSlot;

    /// Definitions whose folded name is among `names`, at most `limit` for each.
    fn definitions(&self, names: &[String], limit: usize) -> Result<Vec<Definition>>;
}

/// Files are compared as wholes with less regard to length than chunks: 0.3 was best on 21 repositories, and flat
/// around it.
const FILE_B: f32 = 0.3;

/// Words of a name, a doc comment and a path on the mean. They only say what counts as long; half or double changes
/// no order that was looked at.
const MEAN_NAME: f32 = 4.0;
const MEAN_DOC: f32 = 20.0;
const MEAN_PATH: f32 = 6.0;

/// How much a match in a name or in a doc comment adds to the same word's match in the text, when the best chunk of a
/// file is chosen.
const NAME_WEIGHT: f32 = 0.5;
const DOC_WEIGHT: f32 = 0.25;

/// Definitions looked at for one name: enough for any honest name, and `new` does not flood the list.
const DEFINITIONS: usize = 50;

/// Chunks kept for each file.
const BEST: usize = 3;

/// Answers a look-up from postings.
pub fn candidates(lookup: &Lookup, files: &Files, index: &impl Postings) -> Result<Candidates> {
    let filter = PathFilter::new(&lookup.filter).map_err(Error::Backend)?;
    let allowed: Option<Vec<bool>> = (!filter.allows_all()).then(|| {
        let mut allowed = vec![false; files.numbers()];
        for file in files.iter().filter(|file| filter.allows(file)) {
            allowed[file.id.0 as usize] = true;
        }
        allowed
    });
    let allows =
        |file: FileId| allowed.as_ref().is_none_or(|allowed| allowed.get(file.0 as usize) == Some(&true));

    let mut tally = Tally::new(lookup.bm25, files, index);
    let mut rarity = Vec::with_capacity(lookup.terms.len());
    for term in &lookup.terms {
        rarity.push(tally.term(&term.text, term.weight)?);
    }
    let best = tally.best_chunks(|slot| {
        let at = index.chunk(slot);
        let kinds = &lookup.filter.kinds;
        (allows(at.chunk.file) && (kinds.is_empty() || kinds.contains(&at.kind))).then_some(at.chunk)
    });
    let mut definitions = index.definitions(&lookup.names, DEFINITIONS)?;
    definitions.retain(|definition| allows(definition.chunk.file));

    let mut chosen =
        tally.best_files(&best, lookup.limit, |file| allows(file) && lookup.filter.kinds.is_empty());
    if lookup.filter.kinds.is_empty() {
        for definition in &definitions {
            if !chosen.contains(&definition.chunk.file) {
                chosen.push(definition.chunk.file);
            }
        }
    }
    let candidate = |file: FileId| {
        let record = files.get(file)?;
        let at = file.0 as usize;
        let of_file = |definition: &&Definition| definition.chunk.file == file;
        Some(FileCandidate {
            file,
            path: record.path.clone(),
            language: record.language.clone(),
            bm25: tally.file[at],
            path_bm25: tally.path[at],
            chunks: best.of(file).iter().map(|best| tally.candidate(*best)).collect(),
            definitions: definitions
                .iter()
                .filter(of_file)
                .map(|found| DefinitionCandidate {
                    name: found.name.clone(),
                    kind: found.kind,
                    lines: found.lines,
                    chunk: found.chunk,
                })
                .collect(),
        })
    };
    Ok(Candidates { files: chosen.into_iter().filter_map(candidate).collect(), rarity })
}

/// Scores as they add up, term by term.
struct Tally<'a, P> {
    bm25: Bm25,
    files: &'a Files,
    index: &'a P,
    /// By slot: body, name and doc.
    chunks: Vec<[f32; 3]>,
    touched: Vec<u32>,
    /// By file number.
    file: Vec<f32>,
    path: Vec<f32>,
    postings: Vec<Posting>,
    in_files: Vec<(FileId, u32)>,
}

impl<'a, P: Postings> Tally<'a, P> {
    fn new(bm25: Bm25, files: &'a Files, index: &'a P) -> Self {
        Self {
            bm25,
            files,
            index,
            chunks: vec![[0.0; 3]; index.slots()],
            touched: Vec::new(),
            file: vec![0.0; files.numbers()],
            path: vec![0.0; files.numbers()],
            postings: Vec::new(),
            in_files: Vec::new(),
        }
    }

    /// Adds one word everywhere it stands; returns how rare it is among files.
    fn term(&mut self, term: &str, weight: f32) -> Result<f32> {
        let chunks = self.files.chunks();
        let mean = self.files.mean_chunk();
        self.collect(Field::Body, term)?;
        self.count_files();
        let rare = idf(chunks, self.postings.len()) * weight;
        let rarity = idf(self.files.indexed(), self.in_files.len());
        for posting in &self.postings {
            let scores = &mut self.chunks[posting.slot as usize];
            if *scores == [0.0; 3] {
                self.touched.push(posting.slot);
            }
            scores[0] += rare * saturation(self.bm25, posting.count as f32, posting.length as f32 / mean);
        }
        let whole = Bm25 { b: FILE_B, ..self.bm25 };
        let mean_file = self.files.mean_file();
        for (file, count) in &self.in_files {
            let Some(record) = self.files.get(*file) else { continue };
            self.file[file.0 as usize] +=
                rarity * weight * saturation(whole, *count as f32, record.words as f32 / mean_file);
        }
        for (at, field, mean) in [(1, Field::Name, MEAN_NAME), (2, Field::Doc, MEAN_DOC)] {
            self.collect(field, term)?;
            let rare = idf(chunks, self.postings.len()) * weight;
            for posting in &self.postings {
                let scores = &mut self.chunks[posting.slot as usize];
                if *scores == [0.0; 3] {
                    self.touched.push(posting.slot);
                }
                scores[at] +=
                    rare * saturation(self.bm25, posting.count as f32, posting.length as f32 / mean);
            }
        }
        self.collect(Field::Path, term)?;
        let rare = idf(self.files.indexed(), self.postings.len()) * weight;
        for posting in &self.postings {
            let file = self.index.file(posting.slot);
            self.path[file.0 as usize] +=
                rare * saturation(self.bm25, posting.count as f32, posting.length as f32 / MEAN_PATH);
        }
        // A word that stands only in paths is as rare as it is there.
        Ok(if self.in_files.is_empty() { idf(self.files.indexed(), self.postings.len()) } else { rarity })
    }

    fn collect(&mut self, field: Field, term: &str) -> Result<()> {
        self.postings.clear();
        let postings = &mut self.postings;
        self.index.postings(field, term, &mut |posting| postings.push(posting))
    }

    /// From occurrences in chunks to occurrences in files.
    fn count_files(&mut self) {
        self.in_files.clear();
        for posting in &self.postings {
            let file = self.index.file(posting.slot);
            match self.in_files.last_mut() {
                Some((last, count)) if *last == file => *count += posting.count,
                _ => self.in_files.push((file, posting.count)),
            }
        }
    }

    fn best_chunks(&self, allow: impl Fn(u32) -> Option<ChunkId>) -> BestChunks {
        let mut best = BestChunks { by_file: vec![0; self.files.numbers()], lists: vec![Vec::new()] };
        for slot in &self.touched {
            let [body, name, doc] = self.chunks[*slot as usize];
            let score = body + NAME_WEIGHT * name + DOC_WEIGHT * doc;
            if let Some(chunk) = allow(*slot) {
                best.offer(BestChunk { slot: *slot, chunk, score });
            }
        }
        best
    }

    /// The files worth ranking: by the sum of what is known, each part against its own maximum.
    fn best_files(
        &self,
        best: &BestChunks,
        limit: usize,
        allow_without_chunk: impl Fn(FileId) -> bool,
    ) -> Vec<FileId> {
        let sums: Vec<f32> = (0..self.file.len())
            .map(|at| best.of(FileId(at as u32)).iter().map(|best| best.score).sum())
            .collect();
        let most = |scores: &[f32]| scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let (most_sum, most_file, most_path) = (most(&sums), most(&self.file), most(&self.path));
        let mut scored: Vec<(f32, FileId)> = (0..self.file.len())
            .filter_map(|at| {
                let file = FileId(at as u32);
                let matches = !best.of(file).is_empty() || (self.path[at] > 0.0 && allow_without_chunk(file));
                let score = sums[at] / most_sum + self.file[at] / most_file + self.path[at] / most_path;
                matches.then_some((score, file))
            })
            .collect();
        let by_score = |a: &(f32, FileId), b: &(f32, FileId)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if scored.len() > limit {
            scored.select_nth_unstable_by(limit, by_score);
            scored.truncate(limit);
        }
        scored.sort_unstable_by(by_score);
        scored.into_iter().map(|(_, file)| file).collect()
    }

    fn candidate(&self, best: BestChunk) -> ChunkCandidate {
        let [body, name, doc] = self.chunks[best.slot as usize];
        ChunkCandidate { chunk: best.chunk, body, name, doc }
    }
}

#[derive(Debug, Clone, Copy)]
struct BestChunk {
    slot: u32,
    chunk: ChunkId,
    score: f32,
}

/// The best few chunks of each file that has any.
struct BestChunks {
    /// By file number, a place in `lists`; 0 is empty.
    by_file: Vec<u32>,
    lists: Vec<Vec<BestChunk>>,
}

impl BestChunks {
    fn of(&self, file: FileId) -> &[BestChunk] {
        self.by_file.get(file.0 as usize).map_or(&[], |place| &self.lists[*place as usize])
    }

    fn offer(&mut self, new: BestChunk) {
        let Some(place) = self.by_file.get_mut(new.chunk.file.0 as usize) else { return };
        if *place == 0 {
            *place = self.lists.len() as u32;
            self.lists.push(Vec::with_capacity(BEST));
        }
        let list = &mut self.lists[*place as usize];
        let better =
            |old: &BestChunk| old.score > new.score || (old.score == new.score && old.chunk < new.chunk);
        let at = list.partition_point(better);
        if at < BEST {
            if list.len() == BEST {
                list.pop();
            }
            list.insert(at, new);
        }
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
