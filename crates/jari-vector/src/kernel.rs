//! The inner loops, as fast as the machine can: products of rows of bytes, counts of bits that differ, and products in full
//! precision.
//!
//! Each is one plain loop that the compiler turns into vector instructions; it is compiled once for every instruction set
//! worth having, and the machine is asked once which it knows. On ARM the plain loop is NEON already. The first two are
//! integers, and the last always makes the same sums in the same order, so the answer is the same everywhere.

use std::sync::OnceLock;

use crate::row;

/// The loops, chosen for this machine.
#[derive(Clone, Copy)]
pub(crate) struct Kernel {
    /// The product of two rows.
    pub(crate) dot: fn(&[i8], &[i8]) -> i32,
    /// The products of one row with each of many that lie one after the other.
    pub(crate) dots: fn(&[i8], &[i8], &mut Vec<i32>),
    /// For each row of bits, how many differ from the query's; both are words of 64 bits, rows in little endian.
    pub(crate) distances: fn(&[u8], &[u64], &mut Vec<u16>),
    /// The product of a vector with a row in full precision: its scale, its upper and its lower halves.
    pub(crate) product: fn(&[f32], f32, &[i8], &[i8]) -> f32,
}

impl Kernel {
    pub(crate) fn of_machine() -> Self {
        static CHOSEN: OnceLock<Kernel> = OnceLock::new();
        *CHOSEN.get_or_init(Self::choose)
    }

    #[cfg(target_arch = "x86_64")]
    fn choose() -> Self {
        if x86::has_avx512() {
            x86::AVX512
        } else if x86::has_avx2() {
            x86::AVX2
        } else {
            Self::PLAIN
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn choose() -> Self {
        Self::PLAIN
    }

    const PLAIN: Self =
        Self { dot: plain_dot, dots: plain_dots, distances: plain_distances, product: row::product };
}

/// Asks the machine to have `row` at hand soon: rows that are looked at lie far apart, and waiting for each costs more than
/// multiplying it.
#[inline]
pub(crate) fn fetch(row: &[i8]) {
    #[cfg(target_arch = "x86_64")]
    for line in row.chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(unsafe_code, reason = "a hint to the machine")]
        // SAFETY: the address is that of a slice, and nothing is read.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line.as_ptr());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

#[inline(always)]
fn plain_dot(one: &[i8], two: &[i8]) -> i32 {
    // In this shape the compiler finds the instruction that multiplies and adds in one.
    let (ones, rest_one) = one.as_chunks::<64>();
    let (twos, rest_two) = two.as_chunks::<64>();
    let product = |one: &[i8], two: &[i8]| -> i32 {
        one.iter().zip(two).map(|(one, two)| i32::from(*one) * i32::from(*two)).sum()
    };
    let sum: i32 = ones.iter().zip(twos).map(|(one, two)| product(one, two)).sum();
    sum + product(rest_one, rest_two)
}

#[inline(always)]
fn plain_dots(one: &[i8], rows: &[i8], out: &mut Vec<i32>) {
    // A loop, because what `extend` calls would be compiled without the instruction set of whoever calls this.
    out.reserve(rows.len() / one.len().max(1));
    for row in rows.chunks_exact(one.len().max(1)) {
        out.push(plain_dot(one, row));
    }
}

#[inline(always)]
fn plain_distances(rows: &[u8], query: &[u64], out: &mut Vec<u16>) {
    // The usual lengths are spelled out: the compiler unrolls what it can count.
    match *query {
        [a, b, c, d] => count::<4>(rows, &[a, b, c, d], out),
        [a, b, c, d, e, f] => count::<6>(rows, &[a, b, c, d, e, f], out),
        _ => out.extend(rows.chunks_exact(query.len() * 8).map(|row| {
            let words = row.as_chunks::<8>().0.iter().zip(query);
            words.map(|(word, query)| (u64::from_le_bytes(*word) ^ query).count_ones() as u16).sum::<u16>()
        })),
    }
}

#[inline(always)]
fn count<const WORDS: usize>(rows: &[u8], query: &[u64; WORDS], out: &mut Vec<u16>) {
    out.extend(rows.as_chunks::<8>().0.as_chunks::<WORDS>().0.iter().map(|row| {
        let words = row.iter().zip(query);
        words.map(|(word, query)| (u64::from_le_bytes(*word) ^ query).count_ones() as u16).sum::<u16>()
    }));
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "calling code of an instruction set that was asked for just before")]
mod x86 {
    use super::{Kernel, plain_distances, plain_dot, plain_dots, row};

    pub(super) fn has_avx2() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")
    }

    pub(super) fn has_avx512() -> bool {
        has_avx2()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("avx512vpopcntdq")
    }

    // SAFETY: these are chosen only where the machine has what they need.
    pub(super) const AVX2: Kernel = Kernel {
        dot: |one, two| unsafe { avx2_dot(one, two) },
        dots: |one, rows, out| unsafe { avx2_dots(one, rows, out) },
        distances: |rows, query, out| unsafe { avx2_distances(rows, query, out) },
        product: |vector, scale, upper, lower| unsafe { avx2_product(vector, scale, upper, lower) },
    };
    // SAFETY: as above.
    pub(super) const AVX512: Kernel = Kernel {
        dot: |one, two| unsafe { avx512_dot(one, two) },
        dots: |one, rows, out| unsafe { avx512_dots(one, rows, out) },
        distances: |rows, query, out| unsafe { avx512_distances(rows, query, out) },
        product: |vector, scale, upper, lower| unsafe { avx512_product(vector, scale, upper, lower) },
    };

    #[target_feature(enable = "avx2,popcnt")]
    fn avx2_dot(one: &[i8], two: &[i8]) -> i32 {
        plain_dot(one, two)
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn avx2_dots(one: &[i8], rows: &[i8], out: &mut Vec<i32>) {
        plain_dots(one, rows, out);
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn avx2_distances(rows: &[u8], query: &[u64], out: &mut Vec<u16>) {
        plain_distances(rows, query, out);
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn avx2_product(vector: &[f32], scale: f32, upper: &[i8], lower: &[i8]) -> f32 {
        row::product(vector, scale, upper, lower)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq,avx2,popcnt")]
    fn avx512_dot(one: &[i8], two: &[i8]) -> i32 {
        plain_dot(one, two)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq,avx2,popcnt")]
    fn avx512_dots(one: &[i8], rows: &[i8], out: &mut Vec<i32>) {
        plain_dots(one, rows, out);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq,avx2,popcnt")]
    fn avx512_distances(rows: &[u8], query: &[u64], out: &mut Vec<u16>) {
        plain_distances(rows, query, out);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq,avx2,popcnt")]
    fn avx512_product(vector: &[f32], scale: f32, upper: &[i8], lower: &[i8]) -> f32 {
        row::product(vector, scale, upper, lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set of loops that this machine can run.
    fn kernels() -> Vec<Kernel> {
        let mut kernels = vec![Kernel::PLAIN, Kernel::of_machine()];
        #[cfg(target_arch = "x86_64")]
        {
            kernels.extend(x86::has_avx2().then_some(x86::AVX2));
            kernels.extend(x86::has_avx512().then_some(x86::AVX512));
        }
        kernels
    }

    proptest::proptest! {
        #[test]
        fn every_instruction_set_gives_the_same(
            pairs in proptest::collection::vec((proptest::num::i8::ANY, proptest::num::i8::ANY), 0..600),
            rows in proptest::collection::vec(proptest::num::u8::ANY, 0..900),
            query in proptest::collection::vec(proptest::num::u64::ANY, 1..7),
        ) {
            let (one, two): (Vec<i8>, Vec<i8>) = pairs.into_iter().unzip();
            let vector: Vec<f32> = one.iter().map(|element| f32::from(*element) / 7.0).collect();
            let product = row::product(&vector, 0.01, &one, &two);
            let dot: i32 = one.iter().zip(&two).map(|(one, two)| i32::from(*one) * i32::from(*two)).sum();
            let rows = &rows[..rows.len() / (query.len() * 8) * query.len() * 8];
            let bytes: Vec<u8> = query.iter().flat_map(|word| word.to_le_bytes()).collect();
            let distances: Vec<u16> = rows
                .chunks(bytes.len())
                .map(|row| row.iter().zip(&bytes).map(|(one, two)| (one ^ two).count_ones() as u16).sum())
                .collect();
            for kernel in kernels() {
                proptest::prop_assert_eq!((kernel.dot)(&one, &two), dot);
                let mut dots = Vec::new();
                (kernel.dots)(&one, &[&two[..], &one[..]].concat(), &mut dots);
                proptest::prop_assert_eq!(dots.first(), (!one.is_empty()).then_some(&dot));
                let same = (kernel.product)(&vector, 0.01, &one, &two);
                proptest::prop_assert_eq!(same.to_bits(), product.to_bits());
                let mut out = Vec::new();
                (kernel.distances)(rows, &query, &mut out);
                proptest::prop_assert_eq!(&out, &distances);
            }
        }
    }
}
