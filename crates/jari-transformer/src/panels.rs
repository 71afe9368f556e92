//! Matrices as the kernel wants them on the right of a product: panels of columns, each from top to bottom.

use crate::kernel::{Line, Right, WIDTH};

/// A matrix, and what its sums begin with.
#[derive(Default)]
pub(crate) struct Panels {
    lines: Vec<Line>,
    depth: usize,
    columns: usize,
}

impl Panels {
    /// A matrix of noughts.
    pub(crate) fn new(depth: usize, columns: usize) -> Self {
        let mut panels = Self::default();
        panels.reset(depth, columns);
        panels
    }

    pub(crate) fn right(&self) -> Right<'_> {
        Right { lines: &self.lines, depth: self.depth, columns: self.columns }
    }

    /// Columns from `first` on: each row of `weight` becomes one, and its sum begins with the element of `bias`.
    pub(crate) fn fill(&mut self, first: usize, weight: &[f32], bias: &[f32]) {
        for ((column, row), bias) in (first..).zip(weight.chunks_exact(self.depth)).zip(bias) {
            let panel = self.panel(column / WIDTH);
            let elements = std::iter::once(bias).chain(row);
            panel.iter_mut().zip(elements).for_each(|(line, element)| line.0[column % WIDTH] = *element);
        }
    }

    /// The matrix whose columns are `count` rows of `size` elements, `stride` apart.
    pub(crate) fn fill_columns(&mut self, from: &[f32], stride: usize, count: usize, size: usize) {
        self.reset(size, count);
        for column in 0..count {
            let row = &from[column * stride..][..size];
            let lines = self.panel(column / WIDTH)[1..].iter_mut();
            lines.zip(row).for_each(|(line, element)| line.0[column % WIDTH] = *element);
        }
    }

    /// The matrix of `count` rows of `size` elements, `stride` apart.
    pub(crate) fn fill_rows(&mut self, from: &[f32], stride: usize, count: usize, size: usize) {
        self.reset(count, size);
        for depth in 0..count {
            for (number, part) in from[depth * stride..][..size].chunks(WIDTH).enumerate() {
                self.panel(number)[1 + depth].0[..part.len()].copy_from_slice(part);
            }
        }
    }

    fn reset(&mut self, depth: usize, columns: usize) {
        // What columns past the end hold is never read; the first lines are always noughts but for `fill`.
        self.lines.clear();
        self.lines.resize((depth + 1) * columns.div_ceil(WIDTH), Line([0.0; WIDTH]));
        (self.depth, self.columns) = (depth, columns);
    }

    fn panel(&mut self, number: usize) -> &mut [Line] {
        let length = self.depth + 1;
        &mut self.lines[number * length..][..length]
    }
}
