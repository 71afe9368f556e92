//! The rows on disk: one file that grows at its end, read in place.
//!
//! ```text
//! header   magic, format, dimensions, fingerprint of what made the vectors, checksum
//! extent   header: rows, runs, checksums, bytes of words
//!          runs    the files its rows belong to, each with the key of the contents they were made of
//!          kinds, scales, signs, upper halves, lower halves of all its rows, plane by plane
//!          where the words of each row end, and the words
//! extent   …
//! ```
//!
//! An extent is there when its header is, and that is written last. What follows the last whole extent was being written
//! when a process died; nobody reads it and the next writer cuts it off. Rows are never changed in place, so whoever has
//! the file mapped goes on reading what was there.

use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use jari_base::Space;
use jari_kernel::{signed, whole};

use crate::Error;
use crate::row::{Planes, words};
use crate::words::{pack, unpack};

pub(crate) const NAME: &str = "index.bin";

/// Marks the file as ours and says how it is laid out.
const MAGIC: [u8; 8] = *b"JariVec2";
const EXTENT: [u8; 8] = *b"JariRows";

/// Bytes of a header. Planes begin at multiples of it too, which is a line of the processor's cache.
const LINE: usize = 64;

/// Bytes of a run.
const RUN: usize = 16;

/// Rows that are written out as one extent while an index is made: about 9 MB at 256 dimensions.
const EXTENT_ROWS: usize = 16 * 1024;

/// The rows of one file, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) file: u32,
    /// Of the contents that the rows were made of.
    pub(crate) key: u64,
    /// Its first row, counted over all extents.
    pub(crate) first: usize,
    pub(crate) rows: usize,
}

impl Run {
    pub(crate) fn range(&self) -> Range<usize> {
        self.first..self.first + self.rows
    }
}

/// A file of rows, mapped.
pub(crate) struct Rows {
    map: memmap2::Mmap,
    dims: usize,
    extents: Vec<Extent>,
    runs: Vec<Run>,
    /// Where the last whole extent ends.
    end: usize,
}

/// Where the planes of one extent lie in the file.
#[derive(Debug, Clone)]
struct Extent {
    first: usize,
    rows: usize,
    checksum: u32,
    kinds: usize,
    scales: usize,
    signs: usize,
    upper: usize,
    lower: usize,
    ends: usize,
    words: Range<usize>,
}

/// The upper halves of the rows of one extent.
pub(crate) struct Uppers<'a> {
    first: usize,
    dims: usize,
    scales: &'a [[u8; 4]],
    upper: &'a [i8],
}

impl Uppers<'_> {
    pub(crate) fn row(&self, row: usize) -> &[i8] {
        let begin = (row - self.first) * self.dims;
        &self.upper[begin..begin + self.dims]
    }

    pub(crate) fn scale(&self, row: usize) -> f32 {
        f32::from_le_bytes(self.scales[row - self.first])
    }
}

impl Rows {
    /// Opens the file in `folder`, if it holds vectors of this space.
    pub(crate) fn open(folder: &Path, space: &Space) -> Result<Self, Error> {
        let map = mapped(&folder.join(NAME))?;
        let header = map.get(..LINE).ok_or(Error::Damaged("it has no header"))?;
        if header[..8] != MAGIC {
            return Err(Error::Damaged("it is no file of vectors, or of another version"));
        }
        if number(header, LINE - 4) != u64::from(crc32fast::hash(&header[..LINE - 4])) {
            return Err(Error::Damaged("its header is not what was written"));
        }
        let dims = number(header, 8) as usize;
        if dims != space.dims || long(header, 16) != space.fingerprint {
            return Err(Error::Other);
        }
        let mut rows = Self { map, dims, extents: Vec::new(), runs: Vec::new(), end: LINE };
        while rows.take_extent()? {}
        Ok(rows)
    }

    /// Takes in the extent that begins where the last one ended; says whether there was one.
    fn take_extent(&mut self) -> Result<bool, Error> {
        let Some(header) = self.map.get(self.end..self.end + LINE) else { return Ok(false) };
        if header[..8] != EXTENT
            || number(header, LINE - 4) != u64::from(crc32fast::hash(&header[..LINE - 4]))
        {
            return Ok(false);
        }
        let (rows, runs) = (number(header, 8) as usize, number(header, 12) as usize);
        let (checksum, words) = (number(header, 16) as u32, number(header, 20) as usize);
        let begin = self.end + LINE;
        let layout = Layout::new(rows, runs, self.dims, words);
        let body =
            self.map.get(begin..begin + layout.bytes).ok_or(Error::Damaged("its last rows are missing"))?;
        if crc32fast::hash(body) != checksum {
            return Err(Error::Damaged("its rows are not what was written"));
        }
        let first = self.len();
        let mut next = first;
        for run in body[..runs * RUN].as_chunks::<RUN>().0 {
            let run = Run {
                file: number(run, 0) as u32,
                key: long(run, 8),
                first: next,
                rows: number(run, 4) as usize,
            };
            next += run.rows;
            self.runs.push(run);
        }
        if next - first != rows {
            return Err(Error::Damaged("its runs do not cover its rows"));
        }
        self.extents.push(Extent {
            first,
            rows,
            checksum,
            kinds: begin + layout.kinds,
            scales: begin + layout.scales,
            signs: begin + layout.signs,
            upper: begin + layout.upper,
            lower: begin + layout.lower,
            ends: begin + layout.ends,
            words: begin + layout.words..begin + layout.words + words,
        });
        self.end = begin + layout.bytes;
        Ok(true)
    }

    /// How many rows there are, live or not.
    pub(crate) fn len(&self) -> usize {
        self.extents.last().map_or(0, |extent| extent.first + extent.rows)
    }

    pub(crate) fn extents(&self) -> usize {
        self.extents.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.end as u64
    }

    /// All runs, in the order they were written.
    pub(crate) fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Tells one sequence of rows from another: of the first `rows`, which must end with an extent.
    pub(crate) fn checksum(&self, rows: usize) -> Option<u32> {
        let covered = self.extents.iter().take_while(|extent| extent.first < rows);
        let end = covered.clone().last().map_or(0, |extent| extent.first + extent.rows);
        (end == rows).then(|| chained(covered.map(|extent| extent.checksum)))
    }

    fn extent(&self, row: usize) -> (&Extent, usize) {
        let at = self.extents.partition_point(|extent| extent.first + extent.rows <= row);
        let extent = &self.extents[at];
        (extent, row - extent.first)
    }

    fn plane(&self, begin: usize, row: usize, width: usize) -> &[u8] {
        &self.map[begin + row * width..begin + (row + 1) * width]
    }

    pub(crate) fn kind(&self, row: usize) -> u8 {
        let (extent, row) = self.extent(row);
        self.map[extent.kinds + row]
    }

    pub(crate) fn upper(&self, row: usize) -> &[i8] {
        let (extent, row) = self.extent(row);
        signed(self.plane(extent.upper, row, self.dims))
    }

    /// What the elements of a row are multiplied with.
    pub(crate) fn scale(&self, row: usize) -> f32 {
        let (extent, row) = self.extent(row);
        f32::from_bits(number(&self.map, extent.scales + row * 4) as u32)
    }

    /// `rows`, which ascend, with the upper halves of all rows around them, extent by extent.
    pub(crate) fn uppers_around<'a>(
        &'a self,
        mut rows: &'a [usize],
    ) -> impl Iterator<Item = (Uppers<'a>, &'a [usize])> {
        std::iter::from_fn(move || {
            let (extent, _) = self.extent(*rows.first()?);
            let inside = rows.partition_point(|row| *row < extent.first + extent.rows);
            let (here, further) = rows.split_at(inside);
            rows = further;
            let scales = &self.map[extent.scales..extent.scales + extent.rows * 4];
            let upper = &self.map[extent.upper..extent.upper + extent.rows * self.dims];
            let uppers = Uppers {
                first: extent.first,
                dims: self.dims,
                scales: scales.as_chunks().0,
                upper: signed(upper),
            };
            Some((uppers, here))
        })
    }

    /// The words of a row, as they were put.
    pub(crate) fn words(&self, row: usize) -> Vec<u32> {
        let (extent, at) = self.extent(row);
        unpack(self.packed_words(extent, at))
    }

    fn packed_words(&self, extent: &Extent, at: usize) -> &[u8] {
        let end = |at: usize| number(&self.map, extent.ends + at * 4) as usize;
        let begin = at.checked_sub(1).map_or(0, end);
        self.map[extent.words.clone()].get(begin..end(at)).unwrap_or_default()
    }

    /// A row's scale, upper and lower halves.
    pub(crate) fn parts(&self, row: usize) -> (f32, &[i8], &[i8]) {
        let (extent, at) = self.extent(row);
        let upper = signed(self.plane(extent.upper, at, self.dims));
        let lower = signed(self.plane(extent.lower, at, self.dims));
        (f32::from_bits(number(&self.map, extent.scales + at * 4) as u32), upper, lower)
    }

    /// The row as it was put.
    pub(crate) fn vector(&self, row: usize) -> Vec<f32> {
        let (scale, upper, lower) = self.parts(row);
        upper.iter().zip(lower).map(|(upper, lower)| whole(upper, lower) * scale).collect()
    }

    /// The upper halves of all rows of a run, one after the other, and their scales. A run lies in one extent.
    pub(crate) fn uppers(&self, run: &Run) -> (&[i8], impl Iterator<Item = f32>) {
        let (extent, first) = self.extent(run.first);
        let begin = extent.upper + first * self.dims;
        let scales = extent.scales + first * 4;
        let scales = self.map[scales..scales + run.rows * 4].as_chunks::<4>().0;
        let upper = signed(&self.map[begin..begin + run.rows * self.dims]);
        (upper, scales.iter().map(|scale| f32::from_le_bytes(*scale)))
    }

    /// The signs of rows that lie beside each other, as many of `rows` as one extent has.
    pub(crate) fn signs(&self, rows: Range<usize>) -> (&[u8], usize) {
        let (extent, first) = self.extent(rows.start);
        let count = (extent.rows - first).min(rows.len());
        let width = words(self.dims) * 8;
        let begin = extent.signs + first * width;
        (&self.map[begin..begin + count * width], count)
    }
}

/// A file of ours, mapped into memory.
pub(crate) fn mapped(path: &Path) -> Result<memmap2::Mmap, Error> {
    let file = match fs_err::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(Error::Missing),
        other => other.map_err(Error::Reading)?,
    };
    #[expect(unsafe_code, reason = "mapping a file")]
    // SAFETY: extents are only ever appended, and files replaced as a whole, so mapped bytes that are read never
    // change. Somebody else who writes into the file is found by the checksums, as far as a running process can.
    unsafe { memmap2::Mmap::map(file.file()) }.map_err(Error::Reading)
}

/// Where the planes of an extent begin, counted from the end of its header.
struct Layout {
    kinds: usize,
    scales: usize,
    signs: usize,
    upper: usize,
    lower: usize,
    ends: usize,
    words: usize,
    bytes: usize,
}

impl Layout {
    fn new(rows: usize, runs: usize, dims: usize, word_bytes: usize) -> Self {
        let kinds = padded(runs * RUN);
        let scales = kinds + padded(rows);
        let signs = scales + padded(rows * 4);
        let upper = signs + padded(rows * words(dims) * 8);
        let lower = upper + padded(rows * dims);
        let ends = lower + padded(rows * dims);
        let words = ends + padded(rows * 4);
        Self { kinds, scales, signs, upper, lower, ends, words, bytes: words + padded(word_bytes) }
    }
}

fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(LINE)
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Writes rows: behind those that are there, or into a file of its own that takes the other's place at the end.
pub(crate) struct RowsWriter {
    file: fs_err::File,
    /// The name it has until it is whole, where it is to replace another.
    aside: Option<PathBuf>,
    dims: usize,
    end: u64,
    /// Rows in extents that are written, and the checksums of those.
    written: usize,
    checksums: Vec<u32>,
    pending: Pending,
}

/// The extent that is being filled.
#[derive(Default)]
struct Pending {
    runs: Vec<Run>,
    kinds: Vec<u8>,
    planes: Planes,
    /// Where the words of each row end in `words`.
    ends: Vec<u32>,
    words: Vec<u8>,
}

impl Pending {
    /// What was added to `words` since the last row are those of the next.
    fn end_words(&mut self) {
        self.ends.push(self.words.len() as u32);
    }
}

impl RowsWriter {
    /// Goes on behind `rows`.
    pub(crate) fn append(folder: &Path, rows: &Rows) -> Result<Self, Error> {
        let file = fs_err::OpenOptions::new().write(true).open(folder.join(NAME)).map_err(Error::Writing)?;
        file.set_len(rows.end as u64).map_err(Error::Writing)?;
        Ok(Self {
            file,
            aside: None,
            dims: rows.dims,
            end: rows.end as u64,
            written: rows.len(),
            checksums: rows.extents.iter().map(|extent| extent.checksum).collect(),
            pending: Pending::default(),
        })
    }

    /// Begins a new file.
    pub(crate) fn create(folder: &Path, space: &Space) -> Result<Self, Error> {
        fs_err::create_dir_all(folder).map_err(Error::Writing)?;
        let aside = folder.join(format!("{NAME}.new"));
        let mut file = fs_err::File::create(&aside).map_err(Error::Writing)?;
        let mut header = [0; LINE];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&(space.dims as u32).to_le_bytes());
        header[16..24].copy_from_slice(&space.fingerprint.to_le_bytes());
        seal(&mut header);
        file.write_all(&header).map_err(Error::Writing)?;
        Ok(Self {
            file,
            aside: Some(aside),
            dims: space.dims,
            end: LINE as u64,
            written: 0,
            checksums: Vec::new(),
            pending: Pending::default(),
        })
    }

    /// How many rows the file will have.
    pub(crate) fn len(&self) -> usize {
        self.written + self.pending.kinds.len()
    }

    /// Adds the rows of a file: of each chunk its kind, its vector and its words, which may be none.
    pub(crate) fn put(
        &mut self,
        file: u32,
        key: u64,
        kinds: &[u8],
        vectors: &[f32],
        words: &[Vec<u32>],
    ) -> Result<(), Error> {
        self.begin_run(file, key, kinds.len());
        self.pending.kinds.extend_from_slice(kinds);
        for vector in vectors.chunks_exact(self.dims) {
            self.pending.planes.push(vector);
        }
        for row in 0..kinds.len() {
            pack(words.get(row).map_or(&[], Vec::as_slice), &mut self.pending.words);
            self.pending.end_words();
        }
        self.flush_if_full()
    }

    /// Takes over a run of another file as it is.
    pub(crate) fn copy(&mut self, from: &Rows, run: &Run) -> Result<(), Error> {
        self.begin_run(run.file, run.key, run.rows);
        let width = words(self.dims) * 8;
        for row in run.range() {
            let (extent, at) = from.extent(row);
            self.pending.kinds.push(from.map[extent.kinds + at]);
            let planes = &mut self.pending.planes;
            planes.scales.push(from.scale(row));
            planes.signs.extend_from_slice(from.plane(extent.signs, at, width));
            planes.upper.extend_from_slice(signed(from.plane(extent.upper, at, self.dims)));
            planes.lower.extend_from_slice(signed(from.plane(extent.lower, at, self.dims)));
            self.pending.words.extend_from_slice(from.packed_words(extent, at));
            self.pending.end_words();
        }
        self.flush_if_full()
    }

    fn begin_run(&mut self, file: u32, key: u64, rows: usize) {
        self.pending.runs.push(Run { file, key, first: self.len(), rows });
    }

    fn flush_if_full(&mut self) -> Result<(), Error> {
        if self.pending.kinds.len() < EXTENT_ROWS { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let Pending { runs, kinds, planes, ends, words } = std::mem::take(&mut self.pending);
        if runs.is_empty() {
            return Ok(());
        }
        let layout = Layout::new(kinds.len(), runs.len(), self.dims, words.len());
        let mut body = Vec::with_capacity(layout.bytes);
        for run in &runs {
            body.extend(run.file.to_le_bytes());
            body.extend((run.rows as u32).to_le_bytes());
            body.extend(run.key.to_le_bytes());
        }
        body.resize(layout.kinds, 0);
        body.extend(&kinds);
        body.resize(layout.scales, 0);
        body.extend(planes.scales.iter().flat_map(|scale| scale.to_bits().to_le_bytes()));
        body.resize(layout.signs, 0);
        body.extend(&planes.signs);
        body.resize(layout.upper, 0);
        body.extend(planes.upper.iter().map(|half| *half as u8));
        body.resize(layout.lower, 0);
        body.extend(planes.lower.iter().map(|half| *half as u8));
        body.resize(layout.ends, 0);
        body.extend(ends.iter().flat_map(|end| end.to_le_bytes()));
        body.resize(layout.words, 0);
        body.extend(&words);
        body.resize(layout.bytes, 0);
        let mut header = [0; LINE];
        header[..8].copy_from_slice(&EXTENT);
        header[8..12].copy_from_slice(&(kinds.len() as u32).to_le_bytes());
        header[12..16].copy_from_slice(&(runs.len() as u32).to_le_bytes());
        let checksum = crc32fast::hash(&body);
        header[16..20].copy_from_slice(&checksum.to_le_bytes());
        header[20..24].copy_from_slice(&(words.len() as u32).to_le_bytes());
        seal(&mut header);
        // The header makes it valid, so it comes last.
        self.file.seek(SeekFrom::Start(self.end + LINE as u64)).map_err(Error::Writing)?;
        self.file.write_all(&body).map_err(Error::Writing)?;
        self.file.sync_data().map_err(Error::Writing)?;
        self.file.seek(SeekFrom::Start(self.end)).map_err(Error::Writing)?;
        self.file.write_all(&header).map_err(Error::Writing)?;
        self.end += (LINE + layout.bytes) as u64;
        self.written += kinds.len();
        self.checksums.push(checksum);
        Ok(())
    }

    /// Writes everything out. Returns the checksum of all rows, and the name of a new file, which [`take_place`] makes the one
    /// that is read.
    pub(crate) fn finish(mut self) -> Result<(u32, Option<PathBuf>), Error> {
        self.flush()?;
        self.file.sync_all().map_err(Error::Writing)?;
        Ok((chained(self.checksums), self.aside))
    }
}

/// Puts a new file of rows in the place of the old one.
pub(crate) fn take_place(aside: &Path, folder: &Path) -> Result<(), Error> {
    fs_err::rename(aside, folder.join(NAME)).map_err(Error::Writing)
}

/// One checksum of many.
fn chained(checksums: impl IntoIterator<Item = u32>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    checksums.into_iter().for_each(|checksum| hasher.update(&checksum.to_le_bytes()));
    hasher.finalize()
}

/// Ends a header with its checksum.
fn seal(header: &mut [u8; LINE]) {
    let checksum = crc32fast::hash(&header[..LINE - 4]);
    header[LINE - 4..].copy_from_slice(&checksum.to_le_bytes());
}
