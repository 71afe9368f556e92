//! One state of the vectors, ready to be asked.

use std::ops::Range;
use std::path::Path;

use jari_base::{Backend, Space};
use jari_kernel::Kernel;

use crate::Error;
use crate::file::{Rows, Run};
use crate::hnsw::Graph;
use crate::row;

/// Rows whose signs differ least from the query's, which are then looked at byte by byte: at least this many, and one in so
/// many. For 150 real questions these hold 99.9 % of the ten nearest of 50,000 chunks, and all of 187,000 and 370,000.
const CANDIDATES: usize = 4_096;
const CANDIDATES_ONE_IN: usize = 20;

/// How many rows ahead the machine is told which it will need.
const FETCHED_AHEAD: usize = 12;

/// Signs of fewer dimensions say too little.
const SIGNS_TELL: usize = 128;

/// Of those, how many are compared in full precision: at least this many, or this many times as many as are asked for. Four times as many
/// move no figure of `docs/evaluation.md`, and the median query takes a twentieth more.
const RESCORED: usize = 100;
const RESCORED_TIMES: usize = 2;

/// Where fewer than one row in this many may be returned, a graph leads astray: those rows are looked at one by one.
const SELECTIVE: usize = 8;

/// From how many rows on a graph is followed where nobody chose. Below it every row is looked at in a millisecond or two, and
/// the answer is exact.
const GRAPH_PAYS: usize = 400_000;

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// `None` looks at every row until a graph pays.
    pub backend: Option<Backend>,
    /// How many nodes of a graph are kept in sight while it is searched.
    pub ef_search: usize,
}

impl Default for Options {
    /// Questions are less like chunks than chunks are like each other: on 50,000 real chunks 64 in sight find 0.91 of the ten
    /// nearest, 100 find 0.95, 200 find 0.975.
    fn default() -> Self {
        Self { backend: None, ef_search: 200 }
    }
}

/// What may be returned.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// By the number of the file; `None` allows all.
    pub files: Option<&'a [bool]>,
    /// By the kind of the chunk; empty allows all.
    pub kinds: &'a [u8],
}

impl Filter<'_> {
    fn allows_all(&self) -> bool {
        self.files.is_none() && self.kinds.is_empty()
    }

    fn allows_file(&self, file: u32) -> bool {
        self.files.is_none_or(|files| files.get(file as usize) == Some(&true))
    }
}

/// A chunk, and how near it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Its file.
    pub file: u32,
    /// Which chunk of the file.
    pub ordinal: u32,
    /// The cosine: 1 for the same direction.
    pub score: f32,
}

/// Vectors, mapped into memory.
pub struct Index {
    rows: Rows,
    graph: Option<Graph>,
    options: Options,
    /// What is alive, in the order of rows.
    runs: Vec<Run>,
    /// For each file, one more than its place in `runs`; 0 for none.
    places: Vec<u32>,
    /// The rows that are alive.
    ranges: Vec<Range<usize>>,
    live: usize,
}

impl Index {
    /// Opens the vectors in `folder`, if they are of this space. `live` says for a file and a key whether its rows count.
    pub fn open(
        folder: &Path,
        space: &Space,
        options: Options,
        live: impl Fn(u32, u64) -> bool,
    ) -> Result<Self, Error> {
        let rows = Rows::open(folder, space)?;
        let mut places = Vec::new();
        let mut runs: Vec<Run> = Vec::new();
        // The newest run of a file is the one that counts.
        for run in rows.runs().iter().rev().filter(|run| run.rows > 0 && live(run.file, run.key)) {
            let file = run.file as usize;
            if places.len() <= file {
                places.resize(file + 1, 0_u32);
            }
            if places[file] == 0 {
                places[file] = 1;
                runs.push(*run);
            }
        }
        runs.reverse();
        for (place, run) in runs.iter().enumerate() {
            places[run.file as usize] = place as u32 + 1;
        }
        let graph = match options.backend {
            None if rows.len() < GRAPH_PAYS => None,
            Some(Backend::Exact) => None,
            Some(Backend::Hnsw) | None => Graph::open(folder, &rows).ok(),
        };
        let ranges = joined(runs.iter().map(Run::range));
        let live = runs.iter().map(|run| run.rows).sum();
        Ok(Self { rows, graph, options, runs, places, ranges, live })
    }

    /// How many rows are alive.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether nothing is alive.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// How many rows are on disk, live or not.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> u64 {
        self.rows.bytes() + self.graph.as_ref().map_or(0, Graph::bytes)
    }

    /// How it searches.
    pub fn backend(&self) -> Backend {
        if self.graph.is_some() { Backend::Hnsw } else { Backend::Exact }
    }

    /// Whether it was to follow a graph, and there is none over most of the rows.
    pub fn lacks_graph(&self) -> bool {
        let covered = self.graph.as_ref().map_or(0, Graph::len);
        self.options.backend == Some(Backend::Hnsw) && covered < self.rows.len() - self.rows.len() / 4
    }

    /// Whether there is so much waste that the file should be written anew.
    pub fn is_wasteful(&self) -> bool {
        crate::writer::is_wasteful(self.rows.len(), self.live, self.rows.extents())
    }

    /// Whether it has vectors of a file.
    pub fn holds(&self, file: u32) -> bool {
        self.run(file).is_some()
    }

    /// The vector of a chunk.
    pub fn vector(&self, file: u32, ordinal: u32) -> Option<Vec<f32>> {
        let run = self.run(file)?;
        ((ordinal as usize) < run.rows).then(|| self.rows.vector(run.first + ordinal as usize))
    }

    /// The words of a chunk, as they were put.
    pub fn words(&self, file: u32, ordinal: u32) -> Option<Vec<u32>> {
        let run = self.run(file)?;
        ((ordinal as usize) < run.rows).then(|| self.rows.words(run.first + ordinal as usize))
    }

    /// Calls `each` for every one of `files`, in order: about how near its chunks are, in order, by upper halves alone; nothing if
    /// there are no vectors of it.
    pub fn cosines(&self, query: &[f32], files: impl IntoIterator<Item = u32>, mut each: impl FnMut(&[f32])) {
        let kernel = Kernel::of_machine();
        let (query, scale) = jari_kernel::bytes(query);
        let (mut cosines, mut products) = (Vec::new(), Vec::new());
        for file in files {
            cosines.clear();
            products.clear();
            if let Some(run) = self.run(file) {
                let (uppers, scales) = self.rows.uppers(run);
                (kernel.dots)(&query, uppers, &mut products);
                let cosine = |(product, of_row): (&i32, f32)| *product as f32 * scale * of_row * 256.0;
                cosines.extend(products.iter().zip(scales).map(cosine));
            }
            each(&cosines);
        }
    }

    /// The `limit` nearest chunks, nearest first. Chunks without a known word are near to nothing.
    pub fn search(&self, query: &[f32], limit: usize, filter: &Filter<'_>) -> Vec<Near> {
        if limit == 0 || query.iter().all(|element| *element == 0.0) {
            return Vec::new();
        }
        let rows = match &self.graph {
            Some(graph) if filter.allows_all() || self.allowed(filter) * SELECTIVE >= self.live => {
                self.along(graph, query, limit, filter)
            }
            _ => self.scan(query, limit, &self.ranges(filter)),
        };
        self.best(query, rows, limit)
    }

    /// The nearest by full precision, of rows that were found by less.
    fn best(&self, query: &[f32], rows: impl IntoIterator<Item = usize>, limit: usize) -> Vec<Near> {
        let kernel = Kernel::of_machine();
        let near = |row: usize| {
            let (scale, upper, lower) = self.rows.parts(row);
            let run = &self.runs[self.runs.partition_point(|run| run.first + run.rows <= row)];
            let score = (kernel.product)(query, scale, upper, lower);
            (scale > 0.0).then_some(Near { file: run.file, ordinal: (row - run.first) as u32, score })
        };
        let mut found: Vec<Near> = rows.into_iter().filter_map(near).collect();
        found.sort_unstable_by(|one, two| {
            two.score.total_cmp(&one.score).then((one.file, one.ordinal).cmp(&(two.file, two.ordinal)))
        });
        found.truncate(limit);
        found
    }

    /// The rows worth comparing in full precision, of all in `ranges`.
    fn scan(&self, query: &[f32], limit: usize, ranges: &[Range<usize>]) -> Vec<usize> {
        let kernel = Kernel::of_machine();
        let rescored = RESCORED.max(limit * RESCORED_TIMES);
        let count: usize = ranges.iter().map(Range::len).sum();
        let candidates = CANDIDATES.max(rescored * 4).max(count / CANDIDATES_ONE_IN);
        let rows: Vec<usize> = if count > candidates && query.len() >= SIGNS_TELL {
            self.alike(kernel, &row::signs(query), ranges, count, candidates)
        } else {
            ranges.iter().cloned().flatten().collect()
        };
        let (query, _) = jari_kernel::bytes(query);
        let mut scored: Vec<u64> = Vec::with_capacity(rows.len());
        for (uppers, rows) in self.rows.uppers_around(&rows) {
            for (at, row) in rows.iter().enumerate() {
                if let Some(soon) = rows.get(at + FETCHED_AHEAD) {
                    jari_kernel::fetch(uppers.row(*soon));
                }
                let product = (kernel.dot)(&query, uppers.row(*row)) as f32;
                scored.push(place(product * uppers.scale(*row), *row));
            }
        }
        if scored.len() > rescored {
            scored.select_nth_unstable(rescored);
            scored.truncate(rescored);
        }
        scored.into_iter().map(row_at).collect()
    }

    /// About `wanted` rows whose signs differ least from the query's.
    fn alike(
        &self,
        kernel: Kernel,
        query: &[u64],
        ranges: &[Range<usize>],
        count: usize,
        wanted: usize,
    ) -> Vec<usize> {
        let mut distances: Vec<u16> = Vec::with_capacity(count);
        for range in ranges {
            let mut first = range.start;
            while first < range.end {
                let (signs, rows) = self.rows.signs(first..range.end);
                (kernel.distances)(signs, query, &mut distances);
                first += rows;
            }
        }
        let mut histogram = vec![0_usize; query.len() * 64 + 1];
        distances.iter().for_each(|distance| histogram[usize::from(*distance)] += 1);
        let mut below = 0;
        let limit = histogram.iter().position(|rows| {
            below += rows;
            below >= wanted
        });
        // All rows at the limit come along: there are few, and which of them would be chance.
        let limit = limit.unwrap_or(histogram.len()) as u16;
        let mut rows = Vec::with_capacity(below);
        let mut left = distances.as_slice();
        for range in ranges {
            let (here, further) = left.split_at(range.len());
            (kernel.at_most)(here, limit, range.start, &mut rows);
            left = further;
        }
        rows
    }

    /// What the graph leads to; rows that it does not know are looked at one by one.
    fn along(&self, graph: &Graph, query: &[f32], limit: usize, filter: &Filter<'_>) -> Vec<usize> {
        let sight = self.options.ef_search.max(limit * 2);
        let mut found =
            graph.search(&self.rows, &jari_kernel::bytes(query).0, sight, |row| self.is_allowed(row, filter));
        if found.len() < limit {
            return self.scan(query, limit, &self.ranges(filter));
        }
        let newer: Vec<_> = self
            .ranges(filter)
            .into_iter()
            .filter(|range| range.end > graph.len())
            .map(|range| range.start.max(graph.len())..range.end)
            .collect();
        found.extend(self.scan(query, limit, &newer));
        found
    }

    fn is_allowed(&self, row: usize, filter: &Filter<'_>) -> bool {
        let place = self.runs.partition_point(|run| run.first + run.rows <= row);
        self.runs.get(place).is_some_and(|run| {
            run.first <= row
                && filter.allows_file(run.file)
                && (filter.kinds.is_empty() || filter.kinds.contains(&self.rows.kind(row)))
        })
    }

    /// How many rows may be returned, by file alone.
    fn allowed(&self, filter: &Filter<'_>) -> usize {
        self.runs.iter().filter(|run| filter.allows_file(run.file)).map(|run| run.rows).sum()
    }

    fn ranges(&self, filter: &Filter<'_>) -> Vec<Range<usize>> {
        if filter.allows_all() {
            return self.ranges.clone();
        }
        let runs = self.runs.iter().filter(|run| filter.allows_file(run.file)).map(Run::range);
        if filter.kinds.is_empty() {
            return joined(runs);
        }
        let rows = runs.flatten().filter(|row| filter.kinds.contains(&self.rows.kind(*row)));
        joined(rows.map(|row| row..row + 1))
    }

    fn run(&self, file: u32) -> Option<&Run> {
        let place = self.places.get(file as usize).copied().filter(|place| *place > 0)?;
        Some(&self.runs[place as usize - 1])
    }

    /// The runs that are alive, for a writer that leaves the others behind.
    pub(crate) fn live_runs(&self) -> (&Rows, &[Run]) {
        (&self.rows, &self.runs)
    }
}

/// A score and a row as one number, which is compared at once: the least is the nearest, and of equal scores the earlier row.
fn place(score: f32, row: usize) -> u64 {
    // As `f32::total_cmp` does: the bits of numbers below zero are turned around.
    let bits = score.to_bits().cast_signed();
    let ascending = (bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed()).cast_unsigned() ^ (1 << 31);
    u64::from(!ascending) << 32 | row as u64
}

fn row_at(place: u64) -> usize {
    place as u32 as usize
}

/// The same rows in fewer ranges.
fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_the_order_of_scores_then_of_rows() {
        let scores = [f32::INFINITY, 1.5, 1.0, 0.25, 0.0, -0.0, -0.5, -2.0, f32::NEG_INFINITY];
        let places: Vec<u64> =
            scores.iter().flat_map(|score| [place(*score, 3), place(*score, 70_000)]).collect();
        assert!(places.is_sorted());
        assert_eq!(row_at(place(-0.5, 70_000)), 70_000);
    }
}
