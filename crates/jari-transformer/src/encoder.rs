//! The forward pass: tokens of some texts in, one vector for each text out.

use std::ops::Range;

use rayon::prelude::*;

use crate::Error;
use crate::kernel::{Activation, Kernel, Left, Norm, ROWS};
use crate::panels::Panels;
use crate::settings::{Pooling, Positions, Settings};
use crate::weights::Weights;

/// The weights, laid out for the kernel.
pub(crate) struct Encoder {
    kernel: Kernel,
    hidden: usize,
    heads: usize,
    inner: usize,
    activation: Activation,
    pooling: Pooling,
    positions: Positions,
    /// A row for each token.
    words: Vec<f32>,
    /// A row for each place of a token, with the row of the first kind of text added: there is no other here.
    places: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Query, key and value beside each other; the query is divided by the root of a head's size already.
    attention: Panels,
    attention_out: Panels,
    attention_norm: Norm,
    up: Panels,
    down: Panels,
    norm: Norm,
}

/// Where the numbers of a forward pass are kept, to be used again.
#[derive(Default)]
pub(crate) struct Scratch {
    rows: Vec<f32>,
    attention: Vec<f32>,
    context: Vec<f32>,
    more: Vec<f32>,
    inner: Vec<f32>,
    heads: Vec<Head>,
}

/// Keys and values of one head over one text.
#[derive(Default)]
struct Head {
    keys: Panels,
    values: Panels,
}

/// Whether one forward pass is spread over threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spread {
    /// There are other passes to keep them busy.
    No,
    /// It is the only one.
    Yes,
}

impl Encoder {
    pub(crate) fn new(settings: &Settings, weights: &mut Weights) -> Result<Self, Error> {
        let hidden = settings.hidden;
        let names = settings.family.names();
        let words = weights.table(names.words, hidden)?;
        let mut places = weights.table(names.places, hidden)?;
        if let Some(kinds) = names.kinds {
            let kinds = weights.table(kinds, hidden)?;
            places.iter_mut().zip(kinds[..hidden].iter().cycle()).for_each(|(place, kind)| *place += kind);
        }
        let norm = weights.norm(names.norm, hidden, settings.epsilon)?;
        let layers = (0..settings.layers).map(|number| Layer::new(settings, number, weights));
        let layers = layers.collect::<Result<_, _>>()?;
        Ok(Self {
            kernel: Kernel::of_machine(),
            hidden,
            heads: settings.heads,
            inner: settings.inner,
            activation: settings.activation,
            pooling: settings.pooling,
            positions: settings.positions,
            words,
            places,
            norm,
            layers,
        })
    }

    /// How many tokens it knows.
    pub(crate) fn vocabulary(&self) -> usize {
        self.words.len() / self.hidden
    }

    /// How long a text may be.
    pub(crate) fn longest(&self) -> usize {
        (self.places.len() / self.hidden).saturating_sub(self.positions.first())
    }

    /// A vector of length one for each text. No text is empty or longer than `longest`, and no token unknown.
    pub(crate) fn run(&self, texts: &[Vec<u32>], scratch: &mut Scratch, spread: Spread) -> Vec<Vec<f32>> {
        let rows = texts.iter().map(Vec::len).sum();
        scratch.make_room(self, rows);
        self.embed(texts, &mut scratch.rows);
        for layer in &self.layers {
            self.layer(layer, texts, scratch, rows, spread);
        }
        ranges(texts)
            .map(|text| self.pool(&scratch.rows[text.start * self.hidden..text.end * self.hidden]))
            .collect()
    }

    fn embed(&self, texts: &[Vec<u32>], rows: &mut [f32]) {
        let hidden = self.hidden;
        let tokens = texts.iter().flat_map(|text| text.iter().zip(self.positions.of(text)));
        for (row, (token, place)) in rows.chunks_exact_mut(hidden).zip(tokens) {
            row.copy_from_slice(&self.words[*token as usize * hidden..][..hidden]);
            (self.kernel.norm)(row, &self.places[place * hidden..][..hidden], &self.norm);
        }
    }

    fn layer(&self, layer: &Layer, texts: &[Vec<u32>], scratch: &mut Scratch, rows: usize, spread: Spread) {
        let Scratch { rows: states, attention, context, more, inner, heads } = scratch;
        self.dense(states, &layer.attention, Activation::Nothing, attention, rows, spread);
        for text in ranges(texts) {
            self.attend(attention, text, context, heads, spread);
        }
        self.dense(context, &layer.attention_out, Activation::Nothing, more, rows, spread);
        (self.kernel.norm)(&mut states[..rows * self.hidden], more, &layer.attention_norm);
        self.dense(states, &layer.up, self.activation, inner, rows, spread);
        self.dense(inner, &layer.down, Activation::Nothing, more, rows, spread);
        (self.kernel.norm)(&mut states[..rows * self.hidden], more, &layer.norm);
    }

    fn dense(
        &self,
        from: &[f32],
        weights: &Panels,
        activation: Activation,
        to: &mut [f32],
        rows: usize,
        spread: Spread,
    ) {
        let right = weights.right();
        let (stride, columns) = (right.depth, right.columns);
        let product = |first: usize, to: &mut [f32]| {
            let left = Left { elements: &from[first * stride..], stride, rows: to.len() / columns };
            (self.kernel.product)(left, right, activation, to, columns);
        };
        let to = &mut to[..rows * columns];
        match spread {
            Spread::No => product(0, to),
            Spread::Yes => {
                let part = rows.div_ceil(rayon::current_num_threads()).next_multiple_of(ROWS);
                let parts = to.par_chunks_mut(part * columns).enumerate();
                parts.for_each(|(number, to)| product(number * part, to));
            }
        }
    }

    /// Each token of `text` gathers from all of its tokens.
    fn attend(
        &self,
        attention: &[f32],
        text: Range<usize>,
        context: &mut [f32],
        heads: &mut [Head],
        spread: Spread,
    ) {
        let (hidden, stride, size) = (self.hidden, 3 * self.hidden, self.hidden / self.heads);
        let length = text.len();
        let attention = &attention[text.start * stride..];
        for (number, head) in heads.iter_mut().enumerate() {
            let keys = &attention[hidden + number * size..];
            head.keys.fill_columns(keys, stride, length, size);
            head.values.fill_rows(&keys[hidden..], stride, length, size);
        }
        let strip = |number: usize, context: &mut [f32], scores: &mut Vec<f32>| {
            let rows = context.len() / hidden;
            scores.resize(ROWS * length, 0.0);
            for (column, head) in (0..hidden).step_by(size).zip(heads.iter()) {
                let queries = &attention[number * ROWS * stride + column..];
                let queries = Left { elements: queries, stride, rows };
                (self.kernel.product)(queries, head.keys.right(), Activation::Nothing, scores, length);
                (self.kernel.softmax)(&mut scores[..rows * length], length);
                let scores = Left { elements: scores, stride: length, rows };
                let context = &mut context[column..];
                (self.kernel.product)(scores, head.values.right(), Activation::Nothing, context, hidden);
            }
        };
        let context = &mut context[text.start * hidden..text.end * hidden];
        match spread {
            Spread::No => {
                let mut scores = Vec::new();
                for (number, context) in context.chunks_mut(ROWS * hidden).enumerate() {
                    strip(number, context, &mut scores);
                }
            }
            Spread::Yes => context
                .par_chunks_mut(ROWS * hidden)
                .enumerate()
                .for_each_init(Vec::new, |scores, (number, context)| strip(number, context, scores)),
        }
    }

    fn pool(&self, states: &[f32]) -> Vec<f32> {
        let mut vector = states[..self.hidden].to_vec();
        for state in states[self.hidden..].chunks_exact(self.hidden) {
            let elements = vector.iter_mut().zip(state);
            match self.pooling {
                Pooling::First => break,
                // Normalising makes the sum a mean.
                Pooling::Mean => elements.for_each(|(sum, x)| *sum += x),
                Pooling::Most => elements.for_each(|(most, x)| *most = most.max(*x)),
            }
        }
        normalise(&mut vector);
        vector
    }
}

/// Where the rows of each text lie.
fn ranges(texts: &[Vec<u32>]) -> impl Iterator<Item = Range<usize>> {
    texts.iter().scan(0, |start, text| {
        let range = *start..*start + text.len();
        *start = range.end;
        Some(range)
    })
}

/// Brings a vector to length one. One that has no direction stays nought.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    let scale = if length.is_normal() { 1.0 / length } else { 0.0 };
    for x in vector {
        *x = if scale == 0.0 { 0.0 } else { (f64::from(*x) * scale) as f32 };
    }
}

impl Scratch {
    /// Room for `rows` rows, and for those that a product reads past the end.
    fn make_room(&mut self, encoder: &Encoder, rows: usize) {
        let rows = rows + ROWS;
        for (buffer, width) in [
            (&mut self.rows, encoder.hidden),
            (&mut self.attention, 3 * encoder.hidden),
            (&mut self.context, encoder.hidden),
            (&mut self.more, encoder.hidden),
            (&mut self.inner, encoder.inner),
        ] {
            buffer.resize((rows * width).max(buffer.len()), 0.0);
        }
        self.heads.resize_with(encoder.heads, Head::default);
    }
}

impl Layer {
    fn new(settings: &Settings, number: usize, weights: &mut Weights) -> Result<Self, Error> {
        let (hidden, inner) = (settings.hidden, settings.inner);
        let names = settings.family.names();
        let name = |part: &str| format!("{}.{number}.{part}", names.layers);
        let scale = 1.0 / ((hidden / settings.heads) as f32).sqrt();
        let mut attention = Panels::new(hidden, 3 * hidden);
        for (part, scale, first) in
            [(names.query, scale, 0), (names.key, 1.0, hidden), (names.value, 1.0, 2 * hidden)]
        {
            let (mut weight, mut bias) = weights.dense(&name(part), hidden, hidden)?;
            weight.iter_mut().chain(&mut bias).for_each(|x| *x *= scale);
            attention.fill(first, &weight, &bias);
        }
        let mut dense = |part: &str, from: usize, to: usize| {
            let (weight, bias) = weights.dense(&name(part), from, to)?;
            let mut panels = Panels::new(from, to);
            panels.fill(0, &weight, &bias);
            Ok(panels)
        };
        let attention_out = dense(names.attention_out, hidden, hidden)?;
        let up = dense(names.up, hidden, inner)?;
        let down = dense(names.down, inner, hidden)?;
        let attention_norm = weights.norm(&name(names.attention_norm), hidden, settings.epsilon)?;
        let norm = weights.norm(&name(names.layer_norm), hidden, settings.epsilon)?;
        Ok(Self { attention, attention_out, attention_norm, up, down, norm })
    }
}
