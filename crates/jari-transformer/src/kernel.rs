//! The inner loops, as fast as the machine can: products of matrices, softmax, layer norm and the activations.
//!
//! Each is a plain loop that the compiler turns into vector instructions, but for the tiles of a product, which are spelled
//! out on x86. All of it is compiled once for every instruction set worth having, and the machine is asked once which it
//! knows. Sums are made in one order everywhere, so the answer is the same on all machines that multiply and add in one step.
//!
//! What was measured on products of 4,032 rows and the sizes of MiniLM, one thread of a busy machine with AVX-512: `gemm`
//! 110–165 GFLOPS, these tiles 85–150, `rten-gemm` 60–155, `matrixmultiply` 60–140. A dependency would bring little but weight.

use std::sync::OnceLock;

/// Columns of a panel.
pub(crate) const WIDTH: usize = 32;
/// Rows that are multiplied at once. Whoever calls a product leaves room for reading that many past the end.
pub(crate) const ROWS: usize = 12;
/// Depth at which a panel is left for the next rows: so much of it stays in the first cache. Sums go on where they were, so
/// it changes no result.
const DEPTH: usize = 384;
/// Tiles of rows that pass over a panel before the next one is fetched: they stay in the second cache.
const TILES: usize = 22;
/// Sums along a row are made of that many partial sums.
const LANES: usize = 16;

/// One depth of a panel, where a line of the cache begins: loads across two lines cost a third of the speed.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Line(pub(crate) [f32; WIDTH]);

/// What happens to each element of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activation {
    Nothing,
    /// `x·Φ(x)`, exact to the last bits: BERT's own.
    Gelu,
    /// The same by the approximation with tanh.
    GeluTanh,
    Relu,
}

/// Rows that lie in a larger matrix.
#[derive(Clone, Copy)]
pub(crate) struct Left<'a> {
    /// From the first element on.
    pub(crate) elements: &'a [f32],
    /// From one row to the next.
    pub(crate) stride: usize,
    /// How many rows count.
    pub(crate) rows: usize,
}

/// A matrix in panels of columns, each from top to bottom; before each panel lies the line that sums begin with.
#[derive(Clone, Copy)]
pub(crate) struct Right<'a> {
    pub(crate) lines: &'a [Line],
    /// Rows of the matrix.
    pub(crate) depth: usize,
    /// Columns that count; the last panel may have more.
    pub(crate) columns: usize,
}

/// The loops, chosen for this machine.
#[derive(Clone, Copy)]
pub(crate) struct Kernel {
    /// The product of two matrices, into rows that lie `stride` apart.
    pub(crate) product: fn(Left<'_>, Right<'_>, Activation, out: &mut [f32], stride: usize),
    /// Makes each row of `length` a distribution.
    pub(crate) softmax: fn(rows: &mut [f32], length: usize),
    /// Adds `more` to each row, then brings it to mean nought and deviation one, times and plus what was learned.
    pub(crate) norm: fn(rows: &mut [f32], more: &[f32], norm: &Norm),
}

/// What a layer norm learned.
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    pub(crate) epsilon: f32,
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

    const PLAIN: Self = Self {
        product: |left, right, activation, out, stride| {
            product::<FUSED>(
                left,
                right,
                activation,
                out,
                stride,
                Shape { rows: 6, columns: 16 },
                plain_tile,
            );
        },
        softmax: plain_softmax::<FUSED>,
        norm: plain_norm::<FUSED>,
    };
}

/// Whether the machine without being asked multiplies and adds in one step.
const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

/// How much of a product is made at once: as many sums as the registers hold.
#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    columns: usize,
}

/// One piece of a product.
struct Tile<'a> {
    left: &'a [f32],
    stride: usize,
    /// What the sums begin with, if not with what is there already.
    start: Option<&'a Line>,
    lines: &'a [Line],
    /// The first column of the lines.
    column: usize,
    /// Where the piece goes, and how far apart its rows are there.
    out: &'a mut [f32],
    out_stride: usize,
    /// Rows that are kept; the others are made in vain.
    rows: usize,
}

#[inline(always)]
fn product<const F: bool>(
    left: Left<'_>,
    right: Right<'_>,
    activation: Activation,
    out: &mut [f32],
    out_stride: usize,
    shape: Shape,
    make: impl Fn(Tile<'_>),
) {
    let mut spare = [0.0; ROWS * WIDTH];
    for first in (0..left.rows).step_by(shape.rows * TILES) {
        let last = left.rows.min(first + shape.rows * TILES);
        for (number, panel) in right.lines.chunks_exact(right.depth + 1).enumerate() {
            let (start, panel) = panel.split_first().expect("every panel begins with its first sums");
            for column in (number * WIDTH..right.columns.min((number + 1) * WIDTH)).step_by(shape.columns) {
                let columns = shape.columns.min(right.columns - column);
                // A tile writes whole rows of its own; where there is no room for them, it does so elsewhere and at once.
                let whole = columns == shape.columns;
                let parts = if whole { DEPTH } else { right.depth };
                for (part, lines) in panel.chunks(parts).enumerate() {
                    let start = (part == 0).then_some(start);
                    let done = (part + 1) * parts >= right.depth;
                    for row in (first..last).step_by(shape.rows) {
                        let rows = shape.rows.min(last - row);
                        let elements = &left.elements[row * left.stride + part * parts..];
                        let out = &mut out[row * out_stride + column..];
                        let (to, to_stride) =
                            if whole { (&mut *out, out_stride) } else { (&mut spare[..], shape.columns) };
                        make(Tile {
                            left: elements,
                            stride: left.stride,
                            start,
                            lines,
                            column: column % WIDTH,
                            out: to,
                            out_stride: to_stride,
                            rows,
                        });
                        if !done {
                            continue;
                        }
                        for (row, out) in out.chunks_mut(out_stride).take(rows).enumerate() {
                            if !whole {
                                out[..columns].copy_from_slice(&spare[row * shape.columns..][..columns]);
                            }
                            activate::<F>(&mut out[..columns], activation);
                        }
                    }
                }
            }
        }
    }
}

/// Six rows of sixteen columns: the registers of NEON hold as many sums.
#[inline(always)]
fn plain_tile(tile: Tile<'_>) {
    let Tile { left, stride, start, lines, column, out, out_stride, rows } = tile;
    let mut sums = [[0.0; 16]; 6];
    for (row, sums) in sums.iter_mut().enumerate().take(rows) {
        let from = start.map_or_else(|| &out[row * out_stride..], |start| &start.0[column..]);
        sums.copy_from_slice(&from[..16]);
    }
    let left: [&[f32]; 6] = std::array::from_fn(|row| &left[row * stride..][..lines.len()]);
    for (depth, line) in lines.iter().enumerate() {
        let line = line.0[column..].first_chunk::<16>().expect("half a line");
        for (sums, left) in sums.iter_mut().zip(&left) {
            let element = left[depth];
            sums.iter_mut().zip(line).for_each(|(sum, x)| *sum = fused::<FUSED>(element, *x, *sum));
        }
    }
    for (out, sums) in out.chunks_mut(out_stride).zip(&sums).take(rows) {
        out[..16].copy_from_slice(sums);
    }
}

#[inline(always)]
fn activate<const F: bool>(elements: &mut [f32], activation: Activation) {
    match activation {
        Activation::Nothing => {}
        Activation::Gelu => elements.iter_mut().for_each(|x| *x = gelu::<F>(*x)),
        Activation::GeluTanh => elements.iter_mut().for_each(|x| *x = gelu_tanh::<F>(*x)),
        Activation::Relu => elements.iter_mut().for_each(|x| *x = x.max(0.0)),
    }
}

#[inline(always)]
fn plain_softmax<const F: bool>(rows: &mut [f32], length: usize) {
    for row in rows.chunks_exact_mut(length) {
        let most = fold(row, f32::MIN, f32::max);
        row.iter_mut().for_each(|x| *x = exp::<F>(*x - most));
        let scale = 1.0 / fold(row, 0.0, |one, two| one + two);
        row.iter_mut().for_each(|x| *x *= scale);
    }
}

#[inline(always)]
fn plain_norm<const F: bool>(rows: &mut [f32], more: &[f32], norm: &Norm) {
    let length = norm.weight.len();
    for (row, more) in rows.chunks_exact_mut(length).zip(more.chunks_exact(length)) {
        row.iter_mut().zip(more).for_each(|(x, more)| *x += more);
        let mean = fold(row, 0.0, |one, two| one + two) / length as f32;
        row.iter_mut().for_each(|x| *x -= mean);
        let variance = fold_products::<F>(row) / length as f32;
        let scale = 1.0 / (variance + norm.epsilon).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(&norm.weight).zip(&norm.bias) {
            *x = fused::<F>(*x * scale, *weight, *bias);
        }
    }
}

/// One number of many, in an order that vector instructions can keep.
#[inline(always)]
fn fold(elements: &[f32], first: f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [first; LANES];
    let (chunks, rest) = elements.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = join(lanes[lane], chunk[lane]);
        }
    }
    lanes.iter_mut().zip(rest).for_each(|(lane, x)| *lane = join(*lane, *x));
    lanes.iter().fold(first, |one, two| join(one, *two))
}

/// The sum of squares, in the same order.
#[inline(always)]
fn fold_products<const F: bool>(elements: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = elements.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = fused::<F>(chunk[lane], chunk[lane], lanes[lane]);
        }
    }
    lanes.iter_mut().zip(rest).for_each(|(lane, x)| *lane = fused::<F>(*x, *x, *lane));
    lanes.iter().sum()
}

/// `one · two + three`. Where the machine cannot do it in one step, the library would take a hundred.
#[inline(always)]
fn fused<const F: bool>(one: f32, two: f32, three: f32) -> f32 {
    if F { one.mul_add(two, three) } else { one * two + three }
}

#[inline(always)]
fn gelu<const F: bool>(x: f32) -> f32 {
    let half = 0.5 * x;
    fused::<F>(half, erf::<F>(x * std::f32::consts::FRAC_1_SQRT_2), half)
}

#[inline(always)]
fn gelu_tanh<const F: bool>(x: f32) -> f32 {
    // `0.5·(1 + tanh u)` is the logistic function of `2u`.
    const TWICE_ROOT: f32 = 1.595_769; // 2·√(2/π)
    let inner = TWICE_ROOT * fused::<F>(0.044_715 * x * x, x, x);
    x / (1.0 + exp::<F>(-inner))
}

/// The error function within two units of the last place: one polynomial near nought, and `1 - e^polynomial` beyond. Both are
/// worked out for every element, because vector instructions cannot branch.
#[inline(always)]
fn erf<const F: bool>(x: f32) -> f32 {
    let square = x * x;
    let mut near = -5.967_617e-4;
    for coefficient in [4.991_194_2e-3, -2.676_813_5e-2, 1.128_199_25e-1, -3.761_253_4e-1, 1.283_791_7e-1] {
        near = fused::<F>(near, square, coefficient);
    }
    let near = fused::<F>(near, x, x);
    // Beyond four it is one.
    let size = x.abs().min(4.0);
    let mut far = -1.728_534_7e-5;
    for coefficient in
        [3.831_971_3e-4, -3.883_964_4e-3, 2.425_462_2e-2, -1.067_778_8e-1, -6.348_467e-1, -1.287_175_1e-1]
    {
        far = fused::<F>(far, size, coefficient);
    }
    let far = 1.0 - exp::<F>(fused::<F>(far, size, -size));
    if size > 0.927_734_4 { far.copysign(x) } else { near }
}

/// `e` to the power of `x` within two units of the last place; what is too small or too large for it is cut.
#[inline(always)]
fn exp<const F: bool>(x: f32) -> f32 {
    // Added and taken away, it rounds to a whole number, which then stands in the lowest bits.
    const ROUND: f32 = 12_582_912.0; // 1.5·2²³
    let x = x.clamp(-87.0, 88.0);
    let shifted = fused::<F>(x, std::f32::consts::LOG2_E, ROUND);
    let whole = shifted - ROUND;
    // ln 2 in two parts, so that nothing is lost.
    let rest = fused::<F>(whole, -0.693_145_75, x);
    let rest = fused::<F>(whole, -1.428_606_8e-6, rest);
    let mut power = 1.378_059_4e-3;
    for coefficient in [8.373_124_5e-3, 4.166_953_6e-2, 1.666_647_2e-1, 4.999_998_5e-1, 1.0, 1.0] {
        power = fused::<F>(power, rest, coefficient);
    }
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "instructions of a set that was asked for before")]
mod x86 {
    use std::arch::x86_64::{
        __m256, __m512, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_storeu_ps, _mm512_fmadd_ps,
        _mm512_loadu_ps, _mm512_set1_ps, _mm512_storeu_ps,
    };

    use super::{Activation, Kernel, Left, Norm, Right, Shape, Tile, plain_norm, plain_softmax, product};

    pub(super) fn has_avx2() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
    }

    pub(super) fn has_avx512() -> bool {
        has_avx2()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
    }

    /// The loops for one instruction set: tiles of `$rows` rows and two registers of `$lanes` columns. Tiles are spelled out
    /// because the compiler finds the same instructions by itself only now and then, and is thirty times slower without.
    macro_rules! kernel {
        ($kernel:ident, $module:ident, $features:literal, $vector:ty, $lanes:literal, $rows:literal,
         $load:ident, $store:ident, $spread:ident, $fused:ident) => {
            // SAFETY: it is chosen only where the machine has what it needs.
            pub(super) const $kernel: Kernel = Kernel {
                product: |left, right, activation, out, stride| unsafe {
                    $module::multiply(left, right, activation, out, stride);
                },
                softmax: |rows, length| unsafe { $module::softmax(rows, length) },
                norm: |rows, more, norm| unsafe { $module::norm(rows, more, norm) },
            };

            mod $module {
                use super::*;

                #[target_feature(enable = $features)]
                pub(super) fn multiply(
                    left: Left<'_>,
                    right: Right<'_>,
                    activation: Activation,
                    out: &mut [f32],
                    stride: usize,
                ) {
                    let shape = Shape { rows: $rows, columns: 2 * $lanes };
                    product::<true>(left, right, activation, out, stride, shape, |each| tile(each));
                }

                #[target_feature(enable = $features)]
                #[inline]
                fn tile(tile: Tile<'_>) {
                    let Tile { left, stride, lines, out, .. } = tile;
                    let mut sums = [pair(&[0.0; 2 * $lanes]); $rows];
                    for row in 0..$rows {
                        if let Some(start) = tile.start {
                            sums[row] = pair(&start.0[tile.column..]);
                        } else if row < tile.rows {
                            sums[row] = pair(&out[row * tile.out_stride..]);
                        }
                    }
                    assert!(
                        left.len() >= ($rows - 1) * stride + lines.len(),
                        "all rows of a tile can be read"
                    );
                    for (depth, line) in lines.iter().enumerate() {
                        let line = pair(&line.0[tile.column..]);
                        for row in 0..$rows {
                            // SAFETY: the last row and depth were asked for above.
                            let element = $spread(unsafe { *left.get_unchecked(row * stride + depth) });
                            sums[row][0] = $fused(element, line[0], sums[row][0]);
                            sums[row][1] = $fused(element, line[1], sums[row][1]);
                        }
                    }
                    for row in 0..$rows {
                        if row < tile.rows {
                            let out = &mut out[row * tile.out_stride..][..2 * $lanes];
                            // SAFETY: the slice is as long as two registers.
                            unsafe { $store(out.as_mut_ptr(), sums[row][0]) };
                            // SAFETY: as above.
                            unsafe { $store(out[$lanes..].as_mut_ptr(), sums[row][1]) };
                        }
                    }
                }

                #[target_feature(enable = $features)]
                #[inline]
                fn pair(line: &[f32]) -> [$vector; 2] {
                    let (first, second) = line[..2 * $lanes].split_at($lanes);
                    // SAFETY: each slice is as long as a register.
                    unsafe { [$load(first.as_ptr()), $load(second.as_ptr())] }
                }

                #[target_feature(enable = $features)]
                pub(super) fn softmax(rows: &mut [f32], length: usize) {
                    plain_softmax::<true>(rows, length);
                }

                #[target_feature(enable = $features)]
                pub(super) fn norm(rows: &mut [f32], more: &[f32], norm: &Norm) {
                    plain_norm::<true>(rows, more, norm);
                }
            }
        };
    }

    kernel!(
        AVX2,
        avx2,
        "avx2,fma",
        __m256,
        8,
        6,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_fmadd_ps
    );
    kernel!(
        AVX512,
        avx512,
        "avx512f,avx512dq,avx512vl,avx2,fma",
        __m512,
        16,
        12,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_fmadd_ps
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set of loops that this machine can run and that rounds alike.
    fn kernels() -> Vec<Kernel> {
        let mut kernels = vec![Kernel::of_machine()];
        kernels.extend(FUSED.then_some(Kernel::PLAIN));
        #[cfg(target_arch = "x86_64")]
        {
            kernels.extend(x86::has_avx2().then_some(x86::AVX2));
            kernels.extend(x86::has_avx512().then_some(x86::AVX512));
        }
        kernels
    }

    /// Numbers between minus one and one.
    fn numbers(count: usize, seed: u64) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    fn multiply(kernel: Kernel, rows: usize, depth: usize, columns: usize, seed: u64) -> Vec<f32> {
        let mut panels = crate::panels::Panels::new(depth, columns);
        panels.fill(0, &numbers(depth * columns, seed), &numbers(columns, seed + 1));
        let left = numbers((rows + ROWS) * depth, seed + 2);
        let mut out = vec![0.0; rows * columns];
        let left = Left { elements: &left, stride: depth, rows };
        (kernel.product)(left, panels.right(), Activation::Nothing, &mut out, columns);
        out
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
        #[test]
        fn products_are_right_and_alike_on_every_instruction_set(
            rows in 1usize..40, depth in 1usize..900, columns in 1usize..80, seed in 0u64..1000,
        ) {
            let (weight, bias) = (numbers(depth * columns, seed), numbers(columns, seed + 1));
            let left = numbers((rows + ROWS) * depth, seed + 2);
            let first = multiply(Kernel::of_machine(), rows, depth, columns, seed);
            for row in 0..rows {
                for column in 0..columns {
                    let products = left[row * depth..][..depth].iter().zip(&weight[column * depth..]);
                    let sum: f64 = products.map(|(one, two)| f64::from(*one) * f64::from(*two)).sum();
                    let apart = f64::from(first[row * columns + column]) - sum - f64::from(bias[column]);
                    proptest::prop_assert!(apart.abs() < 1e-4, "{} at {},{}", apart, row, column);
                }
            }
            for kernel in kernels() {
                proptest::prop_assert_eq!(&multiply(kernel, rows, depth, columns, seed), &first);
            }
            for (one, two) in multiply(Kernel::PLAIN, rows, depth, columns, seed).iter().zip(&first) {
                proptest::prop_assert!((one - two).abs() < 1e-4);
            }
        }
    }

    /// The error function by its series, which is slow and exact.
    fn slow_erf(x: f64) -> f64 {
        if x.abs() > 5.0 {
            return x.signum();
        }
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * std::f64::consts::FRAC_2_SQRT_PI
    }

    #[test]
    fn functions_are_exact_to_the_last_bits() {
        for step in -12_000..=12_000 {
            let x = step as f32 / 1000.0;
            let exact = f64::from(x);
            let gelu_exact = 0.5 * exact * (1.0 + slow_erf(exact / std::f64::consts::SQRT_2));
            assert!((f64::from(gelu::<true>(x)) - gelu_exact).abs() < 1e-6, "gelu {x}");
            assert!((f64::from(gelu::<false>(x)) - gelu_exact).abs() < 1e-6, "gelu {x}");
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (exact + 0.044_715 * exact.powi(3));
            let tanh_exact = 0.5 * exact * (1.0 + inner.tanh());
            assert!((f64::from(gelu_tanh::<true>(x)) - tanh_exact).abs() < 2e-6, "gelu_tanh {x}");
            assert!((f64::from(exp::<true>(x)) / exact.exp() - 1.0).abs() < 3e-7, "exp {x}");
        }
        assert!(exp::<true>(-1e9) < 1e-37 && exp::<true>(1e9).is_finite());
    }

    #[test]
    fn rows_become_distributions_and_norms() {
        for kernel in kernels() {
            let mut rows = numbers(3 * 37, 5);
            (kernel.softmax)(&mut rows, 37);
            for row in rows.chunks(37) {
                assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            }
            let norm = Norm { weight: vec![2.0; 37], bias: vec![1.0; 37], epsilon: 1e-12 };
            let mut rows = numbers(37, 6);
            (kernel.norm)(&mut rows, &numbers(37, 7), &norm);
            assert!((rows.iter().sum::<f32>() / 37.0 - 1.0).abs() < 1e-5);
            assert!((rows.iter().map(|x| (x - 1.0).powi(2)).sum::<f32>() / 37.0 - 4.0).abs() < 1e-4);
        }
    }
}
