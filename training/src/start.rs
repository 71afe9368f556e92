//! Where rows begin: words as another model has them, letter runs fitted to the words, Korean words as their translations.

use jari_embed::Model;
use rayon::prelude::*;

use crate::lexicon::Lexicon;
use crate::random::Random;
use crate::vocabulary::Vocabulary;

/// Rounds of fitting the letter runs.
const ROUNDS: usize = 40;

/// How much of a translation's length a Korean row begins with: it is a guess, and a random part stands beside it.
const GUESS: f32 = 0.7;

/// The table to begin with, row after row.
pub(crate) fn rows(vocabulary: &Vocabulary, lexicon: &Lexicon, teacher: &Model, seed: u64) -> Vec<f32> {
    let dims = teacher.dims();
    let mut rows = vec![0.0f32; vocabulary.rows() * dims];
    let known = vocabulary.foreign_from * dims;
    rows[..known]
        .par_chunks_mut(dims)
        .zip(&vocabulary.words)
        .for_each(|(row, word)| row.copy_from_slice(&teacher.sum(word)));
    let deviation = deviation(&rows[..known]);
    let mut random = Random::new(seed);
    for number in vocabulary.foreign_from..vocabulary.words.len() {
        let mut row: Vec<f32> = (0..dims).map(|_| random.normal() * deviation * 0.3).collect();
        for (english, probability) in lexicon.english.get(&vocabulary.words[number]).into_iter().flatten() {
            if let Some(found) =
                vocabulary.number(english).filter(|found| (*found as usize) < vocabulary.foreign_from)
            {
                let start = found as usize * dims;
                let translation = &rows[start..start + dims];
                row.iter_mut()
                    .zip(translation)
                    .for_each(|(element, other)| *element += GUESS * probability * other);
            }
        }
        rows[number * dims..(number + 1) * dims].copy_from_slice(&row);
    }
    fit_grams(vocabulary, dims, &mut rows);
    rows
}

/// The deviation of the elements: the measure of a step.
pub(crate) fn deviation(elements: &[f32]) -> f32 {
    let squares: f64 = elements.iter().map(|element| f64::from(element * element)).sum();
    (squares / elements.len().max(1) as f64).sqrt() as f32
}

/// Makes letter runs sum up to the words they stand in, as nearly as they can: gradient descent on the squared difference.
fn fit_grams(vocabulary: &Vocabulary, dims: usize, rows: &mut [f32]) {
    let (words, grams) = rows.split_at_mut(vocabulary.words.len() * dims);
    let offset = vocabulary.words.len() as u32;
    let parts: Vec<Vec<(u32, f32)>> = vocabulary.words[..vocabulary.foreign_from]
        .par_iter()
        .map(|word| vocabulary.gram_rows(word))
        .collect();
    let mut uses: Vec<Vec<(u32, f32)>> = vec![Vec::new(); grams.len() / dims];
    for (word, parts) in parts.iter().enumerate() {
        parts.iter().for_each(|(gram, weight)| uses[(gram - offset) as usize].push((word as u32, *weight)));
    }
    for _ in 0..ROUNDS {
        let missing: Vec<Vec<f32>> = parts
            .par_iter()
            .enumerate()
            .map(|(word, parts)| {
                let mut missing = words[word * dims..(word + 1) * dims].to_vec();
                for (gram, weight) in parts {
                    let start = (gram - offset) as usize * dims;
                    missing
                        .iter_mut()
                        .zip(&grams[start..start + dims])
                        .for_each(|(missing, element)| *missing -= weight * element);
                }
                missing
            })
            .collect();
        grams.par_chunks_mut(dims).zip(&uses).for_each(|(gram, uses)| {
            // Divided by the weight of all uses, a step cannot overshoot; a little more keeps rare runs small.
            let bound = 0.2 + uses.iter().map(|(_, weight)| weight).sum::<f32>();
            for (word, weight) in uses {
                let step = weight / bound;
                gram.iter_mut()
                    .zip(&missing[*word as usize])
                    .for_each(|(element, missing)| *element += step * missing);
            }
        });
    }
}
