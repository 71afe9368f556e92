//! Rows of numbers that are read without unpacking them: one copy of bytes brings back as many as there are.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Rows of `N` numbers, each of two bytes where that is enough for all of them, else of four.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Table<const N: usize> {
    wide: bool,
    numbers: Vec<u8>,
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(rows: &[[u32; N]]) -> Self {
        let all = || rows.iter().flatten();
        let wide = all().any(|number| *number > u32::from(u16::MAX));
        let numbers = match wide {
            true => all().flat_map(|number| number.to_le_bytes()).collect(),
            false => all().flat_map(|number| (*number as u16).to_le_bytes()).collect(),
        };
        Self { wide, numbers }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = [u32; N]> {
        self.rows_with(0, |_| true)
    }

    /// The rows whose number in a column is wanted; of others nothing else is read.
    pub(crate) fn rows_with(
        &self,
        column: usize,
        wanted: impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = [u32; N]> {
        let width = if self.wide { 4 } else { 2 };
        let number = move |row: &[u8], at: usize| match row[at * width..][..width] {
            [a, b] => u32::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => unreachable!("two bytes, or four"),
        };
        let rows = self.numbers.chunks_exact(N * width).filter(move |row| wanted(number(row, column)));
        rows.map(move |row| std::array::from_fn(|at| number(row, at)))
    }
}

impl<const N: usize> Serialize for Table<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = self.numbers.clone();
        bytes.push(u8::from(self.wide));
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Table<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
        }
        let mut numbers = deserializer.deserialize_bytes(Bytes)?;
        let wide = numbers.pop().ok_or_else(|| Error::custom("a table without its width"))? != 0;
        Ok(Self { wide, numbers })
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn rows_come_back_narrow_and_wide() {
        for most in [3, u32::from(u16::MAX), u32::from(u16::MAX) + 1, u32::MAX] {
            let rows = [[0, most], [7, 1]];
            let table = Table::new(&rows);
            assert_eq!(table.rows().collect::<Vec<_>>(), rows);
            assert_eq!(table.rows_with(1, |number| number == most).collect::<Vec<_>>(), rows[..1]);
            assert_eq!(table.numbers.len(), if most > u32::from(u16::MAX) { 16 } else { 8 });
        }
        assert!(Table::<2>::new(&[]).is_empty());
    }
}
