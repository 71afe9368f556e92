//! A graph over the rows: from each to some that are near it, in layers that thin out upwards, so that a search goes down
//! and along in few steps (hierarchical navigable small world, Malkov and Yashunin 2016).
//!
//! Links are all it holds; the rows stay where they are. It covers the rows that were there when it was built; newer ones
//! are looked at one by one, and dead ones are walked through but not returned.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;
use std::path::Path;

use crate::Error;
use crate::file::{Rows, mapped};
use jari_kernel::Kernel;

const NAME: &str = "hnsw.bin";
const MAGIC: [u8; 8] = *b"JariHnsw";
const HEADER: usize = 64;

/// Neighbours of a node in a layer, at most.
const MOST_LINKS: usize = 128;

/// Layers above the lowest, at most: with two neighbours each, there is no row for more.
const MOST_LAYERS: usize = 64;

/// No neighbour here.
const NONE: u32 = u32::MAX;

/// A row with how near it is; the nearest is the greatest, and of equals the first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scored(f32, u32);

impl Eq for Scored {}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The rows seen by one search, forgotten without clearing.
#[derive(Default)]
struct Seen {
    marks: Vec<u32>,
    mark: u32,
}

impl Seen {
    fn begin(&mut self, rows: usize) {
        self.marks.resize(rows, 0);
        self.mark = self.mark.wrapping_add(1);
        if self.mark == 0 {
            self.marks.fill(0);
            self.mark = 1;
        }
    }

    /// Whether it was not seen before.
    fn first(&mut self, row: u32) -> bool {
        let mark = &mut self.marks[row as usize];
        std::mem::replace(mark, self.mark) != self.mark
    }
}

/// The best `sight` rows in one layer, from `entries` on. `links` hands out neighbours.
fn explore(
    entries: &[Scored],
    sight: usize,
    seen: &mut Seen,
    mut links: impl FnMut(u32, &mut dyn FnMut(u32)),
    near: impl Fn(u32) -> f32,
    allows: impl Fn(u32) -> bool,
) -> BinaryHeap<Reverse<Scored>> {
    let mut open: BinaryHeap<Scored> = BinaryHeap::new();
    let mut found: BinaryHeap<Reverse<Scored>> = BinaryHeap::new();
    for entry in entries {
        if seen.first(entry.1) {
            open.push(*entry);
            if allows(entry.1) {
                found.push(Reverse(*entry));
            }
        }
    }
    while let Some(next) = open.pop() {
        if found.len() >= sight && found.peek().is_some_and(|Reverse(worst)| next < *worst) {
            break;
        }
        links(next.1, &mut |row| {
            if !seen.first(row) {
                return;
            }
            let scored = Scored(near(row), row);
            if found.len() < sight || found.peek().is_some_and(|Reverse(worst)| scored > *worst) {
                open.push(scored);
                if allows(row) {
                    found.push(Reverse(scored));
                    if found.len() > sight {
                        found.pop();
                    }
                }
            }
        });
    }
    found
}

/// A graph, mapped into memory.
pub(crate) struct Graph {
    map: memmap2::Mmap,
    rows: usize,
    m: usize,
    ef_construction: usize,
    entry: u32,
    top: usize,
    /// Rows that stand in layers above the lowest, with their highest layer and where their links begin.
    upper: Vec<(u32, usize, usize)>,
}

impl Graph {
    /// Opens the graph in `folder`, if it is one over these rows.
    pub(crate) fn open(folder: &Path, rows: &Rows) -> Result<Self, Error> {
        let map = mapped(&folder.join(NAME))?;
        let header = map.get(..HEADER).ok_or(Error::Damaged("the graph has no header"))?;
        let number = |at: usize| word(header, at) as usize;
        if header[..8] != MAGIC || crc32fast::hash(&header[..HEADER - 4]) != word(header, HEADER / 4 - 1) {
            return Err(Error::Damaged("the graph's header is not what was written"));
        }
        let [covered, m, entry, top, count] = [number(2), number(3), number(4), number(5), number(6)];
        let ef_construction = number(9);
        if rows.checksum(covered) != Some(word(header, 7)) {
            return Err(Error::Other);
        }
        if crc32fast::hash(&map[HEADER..]) != word(header, 8) {
            return Err(Error::Damaged("the graph is not what was written"));
        }
        // Checksums tell of accidents. Whoever writes them anew over other contents must not get further than this.
        let impossible = Error::Damaged("the graph contradicts itself");
        let table = HEADER + covered * 2 * m.min(MOST_LINKS) * 4;
        let mut begin = table + count * 8;
        let entered = entry < covered || entry == NONE as usize;
        if !(2..=MOST_LINKS).contains(&m)
            || !entered
            || top > MOST_LAYERS
            || count > covered
            || begin > map.len()
        {
            return Err(impossible);
        }
        let mut upper: Vec<(u32, usize, usize)> = Vec::with_capacity(count);
        for at in 0..count {
            let (row, level) = (word(&map[table..], at * 2), word(&map[table..], at * 2 + 1) as usize);
            let ascends = upper.last().is_none_or(|(before, ..)| *before < row);
            if !ascends || row as usize >= covered || !(1..=top).contains(&level) {
                return Err(impossible);
            }
            upper.push((row, level, begin));
            begin += level * m * 4;
        }
        if begin > map.len() {
            return Err(impossible);
        }
        Ok(Self { map, rows: covered, m, ef_construction, entry: entry as u32, top, upper })
    }

    pub(crate) fn is_there(folder: &Path) -> bool {
        folder.join(NAME).exists()
    }

    /// What it was built with: neighbours of a node, and nodes in sight.
    pub(crate) fn parameters(&self) -> (usize, usize) {
        (self.m, self.ef_construction)
    }

    /// How many rows it covers.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// The `sight` nearest rows that it leads to.
    pub(crate) fn search(
        &self,
        rows: &Rows,
        query: &[i8],
        sight: usize,
        allows: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        thread_local! {
            static SEEN: std::cell::RefCell<Seen> = std::cell::RefCell::default();
        }
        if self.entry == NONE {
            return Vec::new();
        }
        let kernel = Kernel::of_machine();
        let near = |row: u32| (kernel.dot)(query, rows.upper(row as usize)) as f32 * rows.scale(row as usize);
        SEEN.with_borrow_mut(|seen| {
            let mut best = Scored(near(self.entry), self.entry);
            for layer in (1..=self.top).rev() {
                seen.begin(self.rows);
                let found =
                    explore(&[best], 1, seen, |row, each| self.links(layer, row, each), near, |_| true);
                best = found.into_iter().map(|Reverse(found)| found).max().unwrap_or(best);
            }
            seen.begin(self.rows);
            let links = |row, each: &mut dyn FnMut(u32)| self.links(0, row, each);
            let found = explore(&[best], sight, seen, links, near, |row| allows(row as usize));
            found.into_iter().map(|Reverse(found)| found.1 as usize).collect()
        })
    }

    fn links(&self, layer: usize, row: u32, each: &mut dyn FnMut(u32)) {
        let (begin, most) = if layer == 0 {
            (HEADER + row as usize * 2 * self.m * 4, 2 * self.m)
        } else {
            let Ok(place) = self.upper.binary_search_by_key(&row, |(row, _, _)| *row) else { return };
            if layer > self.upper[place].1 {
                return;
            }
            (self.upper[place].2 + (layer - 1) * self.m * 4, self.m)
        };
        let links = self.map[begin..begin + most * 4].as_chunks::<4>().0;
        let known = |link: &u32| (*link as usize) < self.rows;
        links.iter().map(|link| u32::from_le_bytes(*link)).take_while(known).for_each(each);
    }
}

/// The `at`-th number.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at * 4..at * 4 + 4].try_into().expect("four bytes"))
}

/// A graph that grows row by row.
pub(crate) struct Builder<'a> {
    rows: &'a Rows,
    kernel: Kernel,
    m: usize,
    ef: usize,
    /// By layer and row; only rows that stand in a layer have links there.
    layers: Vec<Vec<Vec<u32>>>,
    levels: Vec<usize>,
    entry: u32,
    seen: Seen,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(rows: &'a Rows, m: usize, ef: usize) -> Self {
        let m = m.clamp(2, MOST_LINKS);
        let levels: Vec<usize> = (0..rows.len()).map(|row| level(row as u64, m)).collect();
        let top = levels.iter().copied().max().unwrap_or(0);
        Self {
            rows,
            kernel: Kernel::of_machine(),
            m,
            ef: ef.max(m),
            layers: vec![vec![Vec::new(); rows.len()]; top + 1],
            levels,
            entry: NONE,
            seen: Seen::default(),
        }
    }

    fn near(&self, one: u32, two: u32) -> f32 {
        let (one, two) = (one as usize, two as usize);
        let product = (self.kernel.dot)(self.rows.upper(one), self.rows.upper(two));
        product as f32 * self.rows.scale(one) * self.rows.scale(two)
    }

    /// Takes in every row; `progress` hears how many are in.
    pub(crate) fn build(mut self, mut progress: impl FnMut(usize)) -> Self {
        for row in 0..self.rows.len() {
            // A row of zeros is near to nothing.
            if self.rows.scale(row) > 0.0 {
                self.insert(row as u32);
            }
            progress(row + 1);
        }
        self
    }

    fn insert(&mut self, row: u32) {
        let level = self.levels[row as usize];
        if self.entry == NONE {
            self.entry = row;
            return;
        }
        let top = self.levels[self.entry as usize];
        let mut entries = vec![Scored(self.near(row, self.entry), self.entry)];
        for layer in (0..=top).rev() {
            let sight = if layer > level { 1 } else { self.ef };
            let mut seen = std::mem::take(&mut self.seen);
            seen.begin(self.rows.len());
            let links = |row: u32, each: &mut dyn FnMut(u32)| {
                self.layers[layer][row as usize].iter().copied().for_each(each);
            };
            let found = explore(&entries, sight, &mut seen, links, |other| self.near(row, other), |_| true);
            self.seen = seen;
            entries = found.into_iter().map(|Reverse(found)| found).collect();
            if layer <= level {
                for near in self.diverse(entries.clone(), self.m) {
                    self.layers[layer][row as usize].push(near);
                    self.link(layer, near, row);
                }
            }
        }
        if level > top {
            self.entry = row;
        }
    }

    /// Links `from` to `to`; where that is one too many, the ones worth keeping stay.
    fn link(&mut self, layer: usize, from: u32, to: u32) {
        let most = if layer == 0 { 2 * self.m } else { self.m };
        self.layers[layer][from as usize].push(to);
        let links = &self.layers[layer][from as usize];
        if links.len() > most {
            let scored = links.iter().map(|link| Scored(self.near(from, *link), *link)).collect();
            self.layers[layer][from as usize] = self.diverse(scored, most);
        }
    }

    /// Of `scored`, at most `most` that lie in different directions. Places that stay free are not filled up: copies of one
    /// text, of which code has many, would know only each other.
    fn diverse(&self, mut scored: Vec<Scored>, most: usize) -> Vec<u32> {
        scored.sort_unstable_by(|one, two| two.cmp(one));
        let mut chosen: Vec<u32> = Vec::with_capacity(most);
        for Scored(near, row) in scored {
            if chosen.len() == most {
                break;
            }
            if chosen.iter().all(|chosen| self.near(*chosen, row) < near) {
                chosen.push(row);
            }
        }
        chosen
    }

    /// Writes it aside, then in the place of the old one.
    pub(crate) fn save(&self, folder: &Path) -> Result<(), Error> {
        let mut body: Vec<u8> = Vec::with_capacity(self.rows.len() * 2 * self.m * 4);
        let put = |body: &mut Vec<u8>, links: &[u32], most: usize| {
            let filled = links.iter().copied().chain(std::iter::repeat(NONE)).take(most);
            body.extend(filled.flat_map(u32::to_le_bytes));
        };
        for links in &self.layers[0] {
            put(&mut body, links, 2 * self.m);
        }
        let upper: Vec<usize> = (0..self.rows.len()).filter(|row| self.levels[*row] > 0).collect();
        for row in &upper {
            body.extend((*row as u32).to_le_bytes());
            body.extend((self.levels[*row] as u32).to_le_bytes());
        }
        for row in &upper {
            for layer in 1..=self.levels[*row] {
                put(&mut body, &self.layers[layer][*row], self.m);
            }
        }
        let top = if self.entry == NONE { 0 } else { self.levels[self.entry as usize] };
        let checksum = self.rows.checksum(self.rows.len()).unwrap_or_default();
        let mut header = MAGIC.to_vec();
        for number in
            [self.rows.len() as u32, self.m as u32, self.entry, top as u32, upper.len() as u32, checksum]
        {
            header.extend(number.to_le_bytes());
        }
        header.extend(crc32fast::hash(&body).to_le_bytes());
        header.extend((self.ef as u32).to_le_bytes());
        header.resize(HEADER - 4, 0);
        header.extend(crc32fast::hash(&header).to_le_bytes());
        let aside = folder.join(format!("{NAME}.new"));
        let mut file = fs_err::File::create(&aside).map_err(Error::Writing)?;
        file.write_all(&header).and_then(|()| file.write_all(&body)).map_err(Error::Writing)?;
        file.sync_all().map_err(Error::Writing)?;
        fs_err::rename(&aside, folder.join(NAME)).map_err(Error::Writing)
    }
}

/// In how many layers above the lowest a row stands: each has one row in `m` of the one below. By chance, but always the
/// same.
fn level(row: u64, m: usize) -> usize {
    let mut mixed = row.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    let uniform = ((mixed >> 11) as f64 + 1.0) / (1_u64 << 53) as f64;
    (-uniform.ln() / (m as f64).ln()) as usize
}
