//! Tensors out of a safetensors file, one after another, so that no weight is in memory twice.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::Error;
use crate::kernel::Norm;

/// A header is never longer; the format says so.
const LONGEST_HEADER: u64 = 100_000_000;
/// Bytes that are read at once.
const CHUNK: usize = 1 << 20;
/// What every encoder has, whatever stands before it: some files name all tensors after the model around it.
const ANCHOR: &str = "embeddings.word_embeddings.weight";

/// An open file of weights. What is taken from it goes into its hash.
pub(crate) struct Weights {
    path: PathBuf,
    file: fs_err::File,
    tensors: HashMap<String, Tensor>,
    /// Before every name.
    prefix: String,
    /// Where the elements begin.
    start: u64,
    hasher: blake3::Hasher,
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

impl Weights {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let damaged = |reason: String| Error::Damaged { path: path.to_owned(), reason };
        let unreadable = |source| Error::Unreadable { path: path.to_owned(), source };
        let mut file = fs_err::File::open(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => Error::Missing { path: path.to_owned() },
            _ => unreadable(source),
        })?;
        let length = file.metadata().map_err(unreadable)?.len();
        if length < 8 {
            return Err(damaged("it is too short".to_owned()));
        }
        let mut header = [0; 8];
        file.read_exact(&mut header).map_err(unreadable)?;
        let header = u64::from_le_bytes(header);
        if header > LONGEST_HEADER.min(length - 8) {
            return Err(damaged("it is too short for its header".to_owned()));
        }
        let start = 8 + header;
        let mut bytes = vec![0; header as usize];
        file.read_exact(&mut bytes).map_err(unreadable)?;
        let entries: HashMap<String, serde_json::Value> = serde_json::from_slice(&bytes)
            .map_err(|error| damaged(format!("its header is no JSON: {error}")))?;
        let mut tensors = HashMap::new();
        for (name, entry) in entries.into_iter().filter(|(name, _)| name != "__metadata__") {
            let tensor: Tensor = serde_json::from_value(entry)
                .map_err(|error| damaged(format!("tensor `{name}`: {error}")))?;
            let [from, to] = tensor.data_offsets;
            if from > to || to > length - start {
                return Err(damaged(format!(
                    "it is shorter than its header says: `{name}` ends at byte {to}"
                )));
            }
            tensors.insert(name, tensor);
        }
        let prefix =
            tensors.keys().filter_map(|name| name.strip_suffix(ANCHOR)).min_by_key(|prefix| prefix.len());
        let prefix = prefix
            .ok_or_else(|| damaged(format!("it has no tensor `{ANCHOR}`: it is no encoder")))?
            .to_owned();
        Ok(Self { path: path.to_owned(), file, tensors, prefix, start, hasher: blake3::Hasher::new() })
    }

    /// The rows of a table, `width` elements each; there is at least one.
    pub(crate) fn table(&mut self, name: &str, width: usize) -> Result<Vec<f32>, Error> {
        let rows = self.shape(name)?.first().copied().unwrap_or(0).max(1);
        self.take(name, &[rows, width])
    }

    /// The weight of a dense layer, a row for each of its outputs, and its bias.
    pub(crate) fn dense(
        &mut self,
        name: &str,
        from: usize,
        to: usize,
    ) -> Result<(Vec<f32>, Vec<f32>), Error> {
        Ok((self.take(&format!("{name}.weight"), &[to, from])?, self.take(&format!("{name}.bias"), &[to])?))
    }

    /// What a layer norm learned. Files of long ago have Greek names.
    pub(crate) fn norm(&mut self, name: &str, size: usize, epsilon: f32) -> Result<Norm, Error> {
        let old = self.tensors.contains_key(&format!("{}{name}.gamma", self.prefix));
        let (weight, bias) = if old { ("gamma", "beta") } else { ("weight", "bias") };
        let weight = self.take(&format!("{name}.{weight}"), &[size])?;
        let bias = self.take(&format!("{name}.{bias}"), &[size])?;
        Ok(Norm { weight, bias, epsilon })
    }

    /// The hash of all that was taken.
    pub(crate) fn hash(&self) -> blake3::Hash {
        self.hasher.finalize()
    }

    fn shape(&self, name: &str) -> Result<&[usize], Error> {
        match self.tensors.get(&format!("{}{name}", self.prefix)) {
            Some(tensor) => Ok(&tensor.shape),
            None => Err(self.damaged(format!("it has no tensor `{}{name}`", self.prefix))),
        }
    }

    fn take(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let found = self.shape(name)?;
        if found != shape {
            return Err(
                self.damaged(format!("`{name}` has the shape {found:?}, and the settings say {shape:?}"))
            );
        }
        let tensor = &self.tensors[&format!("{}{name}", self.prefix)];
        let decode: fn(&[u8], &mut Vec<f32>) = match tensor.dtype.as_str() {
            "F32" => {
                |bytes, out| out.extend(bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)))
            }
            "F16" => {
                |bytes, out| out.extend(bytes.as_chunks().0.iter().map(|two| half(u16::from_le_bytes(*two))))
            }
            "BF16" => {
                |bytes, out| out.extend(bytes.as_chunks().0.iter().map(|two| brain(u16::from_le_bytes(*two))))
            }
            other => {
                let reason = format!("`{name}` is made of `{other}`, and only F32, F16 and BF16 are read");
                return Err(self.damaged(reason));
            }
        };
        let width = if tensor.dtype == "F32" { 4 } else { 2 };
        let [from, to] = tensor.data_offsets;
        let count = shape.iter().try_fold(1usize, |count, length| count.checked_mul(*length));
        if count.and_then(|count| count.checked_mul(width)).map(|bytes| bytes as u64) != Some(to - from) {
            return Err(self.damaged(format!("{} bytes do not hold `{name}` of {shape:?}", to - from)));
        }
        let elements = self.read(from, to, width, decode).map_err(|source| match source.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                self.damaged("it became shorter while it was read".to_owned())
            }
            _ => Error::Unreadable { path: self.path.clone(), source },
        })?;
        if elements.iter().any(|x| !x.is_finite()) {
            return Err(self.damaged(format!("`{name}` holds what is no number")));
        }
        Ok(elements)
    }

    fn read(
        &mut self,
        from: u64,
        to: u64,
        width: usize,
        decode: fn(&[u8], &mut Vec<f32>),
    ) -> std::io::Result<Vec<f32>> {
        self.file.seek(SeekFrom::Start(self.start + from))?;
        let mut rest = (to - from) as usize;
        let mut elements = Vec::with_capacity(rest / width);
        let mut chunk = vec![0; CHUNK.min(rest)];
        while rest > 0 {
            let bytes = &mut chunk[..CHUNK.min(rest)];
            self.file.read_exact(bytes)?;
            self.hasher.update(bytes);
            decode(bytes, &mut elements);
            rest -= bytes.len();
        }
        Ok(elements)
    }

    fn damaged(&self, reason: String) -> Error {
        Error::Damaged { path: self.path.clone(), reason }
    }
}

/// A number of sixteen bits, five of them the exponent, widened.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (bits >> 10 & 31, f32::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 => return f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// The upper half of a number, widened.
fn brain(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sixteen_bits_are_widened() {
        assert_eq!([half(0x3c00), half(0xc000), half(0x0001), half(0)], [1.0, -2.0, 2f32.powi(-24), 0.0]);
        assert!(half(0x7c00).is_nan());
        assert_eq!([brain(0x3f80), brain(0xc000), brain(0)], [1.0, -2.0, 0.0]);
    }
}
