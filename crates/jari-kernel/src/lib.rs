//! Inner loops over rows of bytes and bits, as fast as the machine can: products, counts of bits that differ, and products in full
//! precision.
//!
//! [`Kernel::of_machine`] asks the machine once which instruction sets it knows. Counts and full precision are plain loops that
//! the compiler turns into vector instructions, compiled once for every set worth having; products of bytes are spelled out,
//! because the compiler makes three times as many instructions of them. On ARM the plain loops are NEON already. All but the last
//! are integers, and that always makes the same sums in the same order, so the answer is the same everywhere.

use std::sync::OnceLock;

/// The loops, chosen for this machine.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// The product of two rows.
    pub dot: fn(&[i8], &[i8]) -> i32,
    /// The products of one row with each of many that lie one after the other.
    pub dots: fn(&[i8], &[i8], &mut Vec<i32>),
    /// For each row of bits, how many differ from the query's; both are words of 64 bits, rows in little endian.
    pub distances: fn(&[u8], &[u64], &mut Vec<u16>),
    /// Where a list has numbers that are at most so large, counted from a first.
    pub at_most: fn(&[u16], u16, usize, &mut Vec<usize>),
    /// The product of a vector with a row in full precision: its scale, its upper and its lower halves.
    pub product: fn(&[f32], f32, &[i8], &[i8]) -> f32,
}

impl Kernel {
    /// The best that this machine has.
    pub fn of_machine() -> Self {
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

    const PLAIN: Self = Self {
        dot: plain_dot,
        dots: plain_dots,
        distances: plain_distances,
        at_most: plain_at_most,
        product: plain_product,
    };
}

/// Bytes with a sign.
#[inline]
pub fn signed(bytes: &[u8]) -> &[i8] {
    #[expect(unsafe_code, reason = "the same bytes by another name")]
    // SAFETY: both types have one byte, any value, and no other rule.
    unsafe {
        std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len())
    }
}

/// Asks the machine to have `row` at hand soon: rows that are looked at lie far apart, and waiting for each costs more than
/// multiplying it.
#[inline]
pub fn fetch(row: &[i8]) {
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

/// A vector in bytes, the largest 127 or -127, and what they are multiplied with.
pub fn bytes(vector: &[f32]) -> (Vec<i8>, f32) {
    let largest = vector.iter().fold(f32::MIN_POSITIVE, |largest, element| largest.max(element.abs()));
    (vector.iter().map(|element| (element / largest * 127.0).round() as i8).collect(), largest / 127.0)
}

#[inline(always)]
fn plain_dot(one: &[i8], two: &[i8]) -> i32 {
    one.iter().zip(two).map(|(one, two)| i32::from(*one) * i32::from(*two)).sum()
}

/// Each product by `dot`.
#[inline(always)]
fn dots(one: &[i8], rows: &[i8], out: &mut Vec<i32>, dot: impl Fn(&[i8], &[i8]) -> i32) {
    // A loop, because what `extend` calls would be compiled without the instruction set of whoever calls this.
    out.reserve(rows.len() / one.len().max(1));
    for row in rows.chunks_exact(one.len().max(1)) {
        out.push(dot(one, row));
    }
}

fn plain_dots(one: &[i8], rows: &[i8], out: &mut Vec<i32>) {
    dots(one, rows, out, plain_dot);
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

#[inline(always)]
fn plain_at_most(numbers: &[u16], most: u16, first: usize, out: &mut Vec<usize>) {
    let (blocks, rest) = numbers.as_chunks::<64>();
    let mut begin = first;
    for block in blocks {
        let mut marks = [0_u8; 64];
        marks.iter_mut().zip(block).for_each(|(mark, number)| *mark = u8::from(*number <= most));
        // A bit for each of the sixty-four: few are set, and those alone are looked at.
        let mut set = (0..8).fold(0_u64, |set, at| {
            let eight = u64::from_le_bytes(marks.as_chunks::<8>().0[at]);
            set | (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at)
        });
        while set != 0 {
            out.push(begin + set.trailing_zeros() as usize);
            set &= set - 1;
        }
        begin += 64;
    }
    let near = rest.iter().zip(begin..).filter(|(number, _)| **number <= most);
    out.extend(near.map(|(_, at)| at));
}

/// An element of a row, before its scale.
#[inline(always)]
pub fn whole(upper: &i8, lower: &i8) -> f32 {
    f32::from(*upper) * 256.0 + f32::from(*lower)
}

#[inline(always)]
fn plain_product(vector: &[f32], scale: f32, upper: &[i8], lower: &[i8]) -> f32 {
    // Sixteen sums beside each other, which the machine can make at once; always the same sixteen.
    let mut sums = [0.0_f32; LANES];
    let (vectors, vector) = vector.as_chunks::<LANES>();
    let (uppers, upper) = upper.as_chunks::<LANES>();
    let (lowers, lower) = lower.as_chunks::<LANES>();
    for (vector, (upper, lower)) in vectors.iter().zip(uppers.iter().zip(lowers)) {
        add(&mut sums, vector, upper, lower);
    }
    add(&mut sums, vector, upper, lower);
    sums.iter().sum::<f32>() * scale
}

#[inline(always)]
fn add(sums: &mut [f32; LANES], vector: &[f32], upper: &[i8], lower: &[i8]) {
    for (sum, (element, row)) in sums.iter_mut().zip(vector.iter().zip(upper.iter().zip(lower))) {
        *sum += element * whole(row.0, row.1);
    }
}

/// Sums made beside each other.
const LANES: usize = 16;

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "instruction sets that were asked for just before")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m512i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32,
        _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256,
        _mm256_madd_epi16, _mm256_setzero_si256, _mm512_dpbusd_epi32, _mm512_loadu_si512,
        _mm512_reduce_add_epi32, _mm512_set1_epi8, _mm512_setzero_si512, _mm512_sub_epi32, _mm512_xor_si512,
    };

    use super::{Kernel, dots, plain_at_most, plain_distances, plain_dot, plain_product};

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
        at_most: |numbers, most, first, out| unsafe { avx2_at_most(numbers, most, first, out) },
        product: |vector, scale, upper, lower| unsafe { avx2_product(vector, scale, upper, lower) },
    };
    // SAFETY: as above.
    pub(super) const AVX512: Kernel = Kernel {
        dot: |one, two| unsafe { avx512_dot(one, two) },
        dots: |one, rows, out| unsafe { avx512_dots(one, rows, out) },
        distances: |rows, query, out| unsafe { avx512_distances(rows, query, out) },
        at_most: |numbers, most, first, out| unsafe { avx512_at_most(numbers, most, first, out) },
        product: |vector, scale, upper, lower| unsafe { avx512_product(vector, scale, upper, lower) },
    };

    #[target_feature(enable = "avx2,popcnt")]
    fn avx2_dot(one: &[i8], two: &[i8]) -> i32 {
        let (ones, rest_one) = one.as_chunks::<16>();
        let (twos, rest_two) = two.as_chunks::<16>();
        // SAFETY: sixteen bytes are read, and need not be aligned.
        let wide = |bytes: &[i8; 16]| unsafe {
            _mm256_cvtepi8_epi16(_mm_loadu_si128(bytes.as_ptr().cast::<__m128i>()))
        };
        let mut sums = _mm256_setzero_si256();
        for (one, two) in ones.iter().zip(twos) {
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(wide(one), wide(two)));
        }
        let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b11_10>(four));
        let sum = _mm_add_epi32(two, _mm_shuffle_epi32::<0b01>(two));
        _mm_cvtsi128_si32(sum) + plain_dot(rest_one, rest_two)
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn avx2_dots(one: &[i8], rows: &[i8], out: &mut Vec<i32>) {
        dots(one, rows, out, |one, row| avx2_dot(one, row));
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn avx2_distances(rows: &[u8], query: &[u64], out: &mut Vec<u16>) {
        plain_distances(rows, query, out);
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn avx2_at_most(numbers: &[u16], most: u16, first: usize, out: &mut Vec<usize>) {
        plain_at_most(numbers, most, first, out);
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn avx2_product(vector: &[f32], scale: f32, upper: &[i8], lower: &[i8]) -> f32 {
        plain_product(vector, scale, upper, lower)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq,avx2,popcnt")]
    fn avx512_dot(one: &[i8], two: &[i8]) -> i32 {
        let (ones, rest_one) = one.as_chunks::<64>();
        let (twos, rest_two) = two.as_chunks::<64>();
        // SAFETY: sixty-four bytes are read, and need not be aligned.
        let read = |bytes: &[i8; 64]| unsafe { _mm512_loadu_si512(bytes.as_ptr().cast::<__m512i>()) };
        // The instruction multiplies bytes without a sign by bytes with one, so one side is read as 128 more than it is, and what
        // that brings is taken off again.
        let more = _mm512_set1_epi8(i8::MIN);
        let (mut sums, mut excess) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for (one, two) in ones.iter().zip(twos) {
            let one = read(one);
            sums = _mm512_dpbusd_epi32(sums, _mm512_xor_si512(read(two), more), one);
            excess = _mm512_dpbusd_epi32(excess, more, one);
        }
        _mm512_reduce_add_epi32(_mm512_sub_epi32(sums, excess)) + plain_dot(rest_one, rest_two)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq,avx2,popcnt")]
    fn avx512_dots(one: &[i8], rows: &[i8], out: &mut Vec<i32>) {
        dots(one, rows, out, |one, row| avx512_dot(one, row));
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq,avx2,popcnt")]
    fn avx512_distances(rows: &[u8], query: &[u64], out: &mut Vec<u16>) {
        plain_distances(rows, query, out);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq,avx2,popcnt")]
    fn avx512_at_most(numbers: &[u16], most: u16, first: usize, out: &mut Vec<usize>) {
        plain_at_most(numbers, most, first, out);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq,avx2,popcnt")]
    fn avx512_product(vector: &[f32], scale: f32, upper: &[i8], lower: &[i8]) -> f32 {
        plain_product(vector, scale, upper, lower)
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

    #[test]
    fn the_least_element_that_bytes_can_say_is_read() {
        assert_eq!(whole(&-128, &-1), -32_769.0);
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
            let product = plain_product(&vector, 0.01, &one, &two);
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
                let numbers: Vec<u16> = one.iter().map(|number| u16::from(number.unsigned_abs())).collect();
                let most = numbers.first().copied().unwrap_or_default();
                let mut near = vec![usize::MAX];
                (kernel.at_most)(&numbers, most, 70, &mut near);
                let expected = numbers.iter().enumerate().filter(|(_, number)| **number <= most);
                let expected = expected.map(|(at, _)| 70 + at);
                proptest::prop_assert_eq!(near, std::iter::once(usize::MAX).chain(expected).collect::<Vec<_>>());
            }
        }
    }
}
