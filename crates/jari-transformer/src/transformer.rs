//! A folder, opened: what the other rooms use.

use std::path::Path;

use rayon::prelude::*;

use crate::Error;
use crate::encoder::{Encoder, Scratch, Spread};
use crate::settings::{self, Settings};
use crate::tokens::Tokens;
use crate::weights::Weights;

/// Tokens of one forward pass: enough that the weights are not fetched in vain, few enough that the states stay in the second
/// cache.
const PASS: usize = 256;

/// What of the result could change with the same folder. Part of every fingerprint.
const VERSION: &[u8] = b"jari-transformer 1";

/// Which side of a search a text stands on: some models were trained with different words before each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What somebody looks for.
    Question,
    /// What is found.
    Document,
}

/// An encoder. Sharing one between threads is free.
pub struct Transformer {
    settings: Settings,
    tokens: Tokens,
    encoder: Encoder,
    longest: usize,
    fingerprint: u64,
}

impl Transformer {
    /// The encoder in `folder`.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let settings = Settings::read(folder)?;
        let path = folder.join("model.safetensors");
        let shards = folder.join("model.safetensors.index.json");
        if !path.exists() && shards.exists() {
            return Err(Error::Sharded { path: shards });
        }
        let mut weights = Weights::open(&path)?;
        let encoder = Encoder::new(&settings, &mut weights)?;
        let longest = encoder.longest().min(settings.longest.unwrap_or(usize::MAX));
        if longest == 0 {
            return Err(Error::Damaged { path, reason: "it has no place for a token".to_owned() });
        }
        let tokens =
            Tokens::open(&folder.join("tokenizer.json"), encoder.vocabulary(), longest, settings.lower)?;
        let fingerprint = fingerprint(&settings, &weights, &tokens, longest);
        Ok(Self { settings, tokens, encoder, longest, fingerprint })
    }

    /// Whether `folder` holds the settings and weights of an encoder that `open` knows. Other models' folders do not.
    pub fn is_encoder(folder: &Path) -> bool {
        settings::is_encoder(folder)
    }

    /// The length of its vectors.
    pub fn dims(&self) -> usize {
        self.settings.hidden
    }

    /// A text is cut after that many tokens, those around it included.
    pub fn max_tokens(&self) -> usize {
        self.longest
    }

    /// Tells models apart: vectors of models with different fingerprints must not meet.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// A vector of length one for each text, in order, by the threads of the rayon pool it is called in. A text has the same
    /// vector alone and among others.
    pub fn embed(&self, texts: &[&str], side: Side) -> Vec<Vec<f32>> {
        let prefix = match side {
            Side::Question => &self.settings.prefixes.question,
            Side::Document => &self.settings.prefixes.document,
        };
        let tokens: Vec<Vec<u32>> = match prefix.as_str() {
            "" => texts.par_iter().map(|text| self.tokens.of(text)).collect(),
            prefix => texts.par_iter().map(|text| self.tokens.of(&format!("{prefix}{text}"))).collect(),
        };
        let passes = passes(&tokens);
        let spread = if passes.len() < rayon::current_num_threads() { Spread::Yes } else { Spread::No };
        let vectors = passes
            .par_iter()
            .map_init(Scratch::default, |scratch, pass| self.encoder.run(pass, scratch, spread));
        vectors.collect::<Vec<_>>().into_iter().flatten().collect()
    }
}

/// Texts that go through the encoder together.
fn passes(texts: &[Vec<u32>]) -> Vec<&[Vec<u32>]> {
    let mut tokens = 0;
    let together = texts.chunk_by(|text, _| {
        tokens += text.len();
        let full = tokens >= PASS;
        if full {
            tokens = 0;
        }
        !full
    });
    together.collect()
}

fn fingerprint(settings: &Settings, weights: &Weights, tokens: &Tokens, longest: usize) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(VERSION).update(weights.hash().as_bytes()).update(tokens.hash().as_bytes());
    // The settings as they are spelled in the program: a new field is a new model.
    hasher.update(format!("{settings:?} {longest}").as_bytes());
    let hash = hasher.finalize();
    u64::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has thirty-two bytes"))
}
