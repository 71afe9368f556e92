//! Learning: a question's vector is drawn to its answer's and away from the other answers of the batch.

use jari_embed::Vector;
use rayon::prelude::*;

use crate::random::Random;
use crate::start::deviation;
use crate::vocabulary::Rows;

/// How the table is learned. `MODEL_CARD.md` tells what each value was measured against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) steps: usize,
    /// Pairs that compete with each other.
    pub(crate) batch: usize,
    /// Divides cosines before the softmax.
    pub(crate) temperature: f32,
    /// The first step, in deviations of the table's elements; it shrinks to nothing.
    pub(crate) rate: f32,
    /// Share of an answer's words that are left out each time, so that no single word carries it.
    pub(crate) dropped: f32,
    /// The same for the question's words.
    pub(crate) query_dropped: f32,
    /// What the heading weighs against the text.
    pub(crate) heading_weight: f32,
    /// Share of answers that stand without their heading.
    pub(crate) bare: f32,
    pub(crate) seed: u64,
}

/// A pair as rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Example {
    pub(crate) query: Rows,
    pub(crate) text: Rows,
    pub(crate) heading: Rows,
}

/// Examples that share batches, and how many of each batch they are.
pub(crate) struct Stream {
    pub(crate) examples: Vec<Example>,
    pub(crate) share: usize,
}

/// Learns `rows` in place and returns the mean loss of the last steps; `report` hears of the loss now and then.
pub(crate) fn learn(
    rows: &mut [f32],
    dims: usize,
    streams: &[Stream],
    plan: &Plan,
    report: &dyn Fn(usize, f32),
) -> f32 {
    let mut adam = Adam::new(rows.len(), dims, plan.rate * deviation(rows));
    let mut random = Random::new(plan.seed);
    let mut decks: Vec<Deck> = streams.iter().map(|stream| Deck::new(stream.examples.len())).collect();
    let mut recent = 0.0;
    for step in 0..plan.steps {
        let mut batch = Vec::with_capacity(plan.batch);
        for (stream, deck) in streams.iter().zip(&mut decks) {
            for _ in 0..stream.share {
                batch.push(thinned(&stream.examples[deck.draw(&mut random)], plan, &mut random));
            }
        }
        let (loss, gradient) = gradient(rows, dims, &batch, plan);
        let left = 1.0 - step as f32 / plan.steps as f32;
        adam.step(rows, &gradient, left);
        recent = if step == 0 { loss } else { recent * 0.98 + loss * 0.02 };
        if step % 50 == 49 {
            report(step + 1, recent);
        }
    }
    recent
}

/// Every example once before any comes again.
struct Deck {
    order: Vec<u32>,
    at: usize,
}

impl Deck {
    fn new(count: usize) -> Self {
        Self { order: (0..count as u32).collect(), at: count }
    }

    fn draw(&mut self, random: &mut Random) -> usize {
        if self.at >= self.order.len() {
            random.shuffle(&mut self.order);
            self.at = 0;
        }
        self.at += 1;
        self.order[self.at - 1] as usize
    }
}

fn thinned(example: &Example, plan: &Plan, random: &mut Random) -> Example {
    let query = some(&example.query, plan.query_dropped, random);
    let text = some(&example.text, plan.dropped, random);
    let bare = random.unit() < plan.bare;
    Example { query, text, heading: if bare { Vec::new() } else { example.heading.clone() } }
}

/// Some of the rows, but never none.
fn some(rows: &Rows, dropped: f32, random: &mut Random) -> Rows {
    let kept: Rows = rows.iter().copied().filter(|_| random.unit() >= dropped).collect();
    if kept.is_empty() { rows.clone() } else { kept }
}

/// The loss of a batch and its gradient by rows.
fn gradient(rows: &[f32], dims: usize, batch: &[Example], plan: &Plan) -> (f32, Gradient) {
    let queries: Vec<Side> = batch.par_iter().map(|example| Side::new(rows, dims, &example.query)).collect();
    let texts: Vec<Side> = batch.par_iter().map(|example| Side::new(rows, dims, &example.text)).collect();
    let headings: Vec<Side> =
        batch.par_iter().map(|example| Side::new(rows, dims, &example.heading)).collect();
    let documents: Vec<Side> = texts
        .par_iter()
        .zip(&headings)
        .map(|(text, heading)| {
            let sum = text
                .unit
                .iter()
                .zip(&heading.unit)
                .map(|(text, heading)| text + plan.heading_weight * heading);
            Side::of_sum(sum.collect())
        })
        .collect();
    let count = batch.len();
    let flat = |sides: &[Side]| sides.iter().flat_map(|side| side.unit.iter().copied()).collect::<Vec<f32>>();
    let (questions, answers) = (flat(&queries), flat(&documents));
    let mut scores = vec![0.0f32; count * count];
    product(&questions, &answers, true, count, dims, count, &mut scores);
    let loss = softmax_both_ways(&mut scores, count, plan.temperature);
    let mut to_queries = vec![0.0f32; count * dims];
    product(&scores, &answers, false, count, count, dims, &mut to_queries);
    let transposed = transpose(&scores, count);
    let mut to_documents = vec![0.0f32; count * dims];
    product(&transposed, &questions, false, count, count, dims, &mut to_documents);

    let mut parts: Vec<(&Rows, Vec<f32>)> = Vec::with_capacity(count * 3);
    for (at, example) in batch.iter().enumerate() {
        let range = at * dims..(at + 1) * dims;
        parts.push((&example.query, queries[at].back(&to_queries[range.clone()])));
        let document = documents[at].back(&to_documents[range]);
        if !example.heading.is_empty() {
            let scaled: Vec<f32> = document.iter().map(|element| element * plan.heading_weight).collect();
            parts.push((&example.heading, headings[at].back(&scaled)));
        }
        parts.push((&example.text, texts[at].back(&document)));
    }
    (loss, Gradient::new(&parts, dims))
}

/// A text's sum of rows, brought to length one.
struct Side {
    unit: Vec<f32>,
    length: f32,
}

impl Side {
    fn new(rows: &[f32], dims: usize, text: &Rows) -> Self {
        let mut sum = vec![0.0f32; dims];
        for (row, weight) in text {
            let start = *row as usize * dims;
            sum.iter_mut()
                .zip(&rows[start..start + dims])
                .for_each(|(total, element)| *total += weight * element);
        }
        Self::of_sum(sum)
    }

    fn of_sum(sum: Vec<f32>) -> Self {
        let length = sum.iter().map(|element| element * element).sum::<f32>().sqrt().max(1e-6);
        Self { unit: Vector::normalised(sum).into_inner(), length }
    }

    /// The gradient by the sum, from the one by the vector of length one: what points along the vector changes nothing.
    fn back(&self, gradient: &[f32]) -> Vec<f32> {
        let along: f32 = gradient.iter().zip(&self.unit).map(|(one, two)| one * two).sum();
        gradient
            .iter()
            .zip(&self.unit)
            .map(|(gradient, unit)| (gradient - along * unit) / self.length)
            .collect()
    }
}

/// Turns scores into their gradient and returns the loss: the right answer among all, and the right question among all.
fn softmax_both_ways(scores: &mut Vec<f32>, count: usize, temperature: f32) -> f32 {
    scores.par_iter_mut().for_each(|score| *score /= temperature);
    let sideways = transpose(scores, count);
    let softmax = |scores: &[f32]| -> (Vec<f32>, f32) {
        let parts: Vec<(Vec<f32>, f32)> = scores
            .par_chunks(count)
            .enumerate()
            .map(|(at, row)| {
                let highest = row.iter().copied().fold(f32::MIN, f32::max);
                let mut powers: Vec<f32> = row.iter().map(|score| (score - highest).exp()).collect();
                let all: f32 = powers.iter().sum();
                powers.iter_mut().for_each(|power| *power /= all);
                let loss = -powers[at].max(1e-20).ln();
                (powers, loss)
            })
            .collect();
        let loss = parts.iter().map(|(_, loss)| loss).sum::<f32>() / count as f32;
        (parts.into_iter().flat_map(|(powers, _)| powers).collect(), loss)
    };
    let ((answers, one), (questions, two)) = rayon::join(|| softmax(scores), || softmax(&sideways));
    let questions = transpose(&questions, count);
    let scale = 1.0 / (2.0 * count as f32 * temperature);
    for (at, score) in scores.iter_mut().enumerate() {
        let right = if at / count == at % count { 2.0 } else { 0.0 };
        *score = (answers[at] + questions[at] - right) * scale;
    }
    (one + two) / 2.0
}

fn transpose(matrix: &[f32], count: usize) -> Vec<f32> {
    let mut turned = vec![0.0f32; matrix.len()];
    turned.par_chunks_mut(count).enumerate().for_each(|(column, out)| {
        out.iter_mut().enumerate().for_each(|(row, element)| *element = matrix[row * count + column]);
    });
    turned
}

/// `out = one · two`, or `one · twoᵀ`; a band of rows for each thread.
fn product(
    one: &[f32],
    two: &[f32],
    turned: bool,
    rows: usize,
    inner: usize,
    columns: usize,
    out: &mut [f32],
) {
    let band = rows.div_ceil(rayon::current_num_threads()).max(1);
    let (down, across) = if turned { (1, inner as isize) } else { (columns as isize, 1) };
    out.par_chunks_mut(band * columns).zip(one.par_chunks(band * inner)).for_each(|(out, one)| {
        let rows = one.len() / inner;
        // SAFETY: the slices are as long as the strides say: `rows`, `inner` and `columns` are their shapes.
        #[expect(unsafe_code, reason = "matrixmultiply speaks pointers")]
        unsafe {
            matrixmultiply::sgemm(
                rows,
                inner,
                columns,
                1.0,
                one.as_ptr(),
                inner as isize,
                1,
                two.as_ptr(),
                down,
                across,
                0.0,
                out.as_mut_ptr(),
                columns as isize,
                1,
            );
        }
    });
}

/// The gradient of the rows that a batch touches.
struct Gradient {
    rows: Vec<u32>,
    elements: Vec<f32>,
}

impl Gradient {
    /// Sums for each row in the order of the batch, so that threads do not change the result.
    fn new(parts: &[(&Rows, Vec<f32>)], dims: usize) -> Self {
        let mut uses: Vec<(u32, u32, f32)> = parts
            .iter()
            .enumerate()
            .flat_map(|(part, (text, _))| text.iter().map(move |(row, weight)| (*row, part as u32, *weight)))
            .collect();
        uses.par_sort_unstable_by_key(|(row, part, _)| (*row, *part));
        let groups: Vec<&[(u32, u32, f32)]> = uses.chunk_by(|one, two| one.0 == two.0).collect();
        let mut elements = vec![0.0f32; groups.len() * dims];
        elements.par_chunks_mut(dims).zip(&groups).for_each(|(sum, group)| {
            for (_, part, weight) in group.iter() {
                sum.iter_mut()
                    .zip(&parts[*part as usize].1)
                    .for_each(|(sum, element)| *sum += weight * element);
            }
        });
        Self { rows: groups.iter().map(|group| group[0].0).collect(), elements }
    }
}

/// Adam, for the rows that a batch touches; each row counts its own steps, so that rare words learn as fast as others.
struct Adam {
    dims: usize,
    rate: f32,
    state: Vec<Moments>,
}

#[derive(Clone, Default)]
struct Moments {
    steps: i32,
    /// Mean and mean square of the gradient, element after element; empty until the row is touched.
    moments: Vec<(f32, f32)>,
}

impl Adam {
    fn new(elements: usize, dims: usize, rate: f32) -> Self {
        Self { dims, rate, state: vec![Moments::default(); elements / dims] }
    }

    fn step(&mut self, rows: &mut [f32], gradient: &Gradient, left: f32) {
        const KEPT: (f32, f32) = (0.9, 0.999);
        let (dims, rate) = (self.dims, self.rate * left);
        let mut touched = gradient.rows.iter().zip(gradient.elements.chunks_exact(dims)).peekable();
        let mut work = Vec::with_capacity(gradient.rows.len());
        for (number, (row, state)) in rows.chunks_exact_mut(dims).zip(&mut self.state).enumerate() {
            if touched.peek().is_some_and(|(touched, _)| **touched as usize == number) {
                work.push((row, state, touched.next().expect("it was peeked at").1));
            }
        }
        work.into_par_iter().for_each(|(row, state, gradient)| {
            state.steps += 1;
            state.moments.resize(dims, (0.0, 0.0));
            let (first, second) = (1.0 - KEPT.0.powi(state.steps), 1.0 - KEPT.1.powi(state.steps));
            for ((element, (mean, square)), gradient) in row.iter_mut().zip(&mut state.moments).zip(gradient)
            {
                *mean = KEPT.0 * *mean + (1.0 - KEPT.0) * gradient;
                *square = KEPT.1 * *square + (1.0 - KEPT.1) * gradient * gradient;
                *element -= rate * (*mean / first) / ((*square / second).sqrt() + 1e-12);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan {
        steps: 60,
        batch: 4,
        temperature: 0.1,
        rate: 0.1,
        dropped: 0.0,
        query_dropped: 0.0,
        heading_weight: 0.4,
        bare: 0.0,
        seed: 1,
    };

    fn examples() -> Vec<Example> {
        (0..4)
            .map(|n| Example {
                query: vec![(n, 1.0)],
                text: vec![(n + 4, 1.0), (12, 1.0)],
                heading: vec![(n + 8, 0.5)],
            })
            .collect()
    }

    fn table(dims: usize) -> Vec<f32> {
        let mut random = Random::new(7);
        (0..13 * dims).map(|_| random.normal()).collect()
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let (dims, batch) = (8, examples());
        let rows = table(dims);
        let (_, found) = gradient(&rows, dims, &batch, &PLAN);
        for (row, part) in found.rows.iter().zip(found.elements.chunks_exact(dims)) {
            for (at, slope) in part.iter().enumerate() {
                let moved = |by: f32| {
                    let mut rows = rows.clone();
                    rows[*row as usize * dims + at] += by;
                    gradient(&rows, dims, &batch, &PLAN).0
                };
                let measured = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                assert!((measured - slope).abs() < 2e-3, "row {row}: {measured} {slope}");
            }
        }
    }

    #[test]
    fn learning_finds_the_answers_and_is_the_same_each_time() {
        let streams = [Stream { examples: examples(), share: 4 }];
        let run = || {
            let mut rows = table(8);
            let loss = learn(&mut rows, 8, &streams, &PLAN, &|_, _| {});
            (rows, loss)
        };
        let (rows, loss) = run();
        let (again, _) = run();
        assert!(rows == again);
        assert!(gradient(&rows, 8, &examples(), &PLAN).0 < 0.1, "{loss}");
    }
}
