//! The two steps from sources to a model.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use jari_embed::Model;
use rayon::prelude::*;

use crate::learn::{Example, Plan, Stream};
use crate::lexicon::Lexicon;
use crate::overlap::HeldOut;
use crate::pair::{self, Kind, Pair};
use crate::random::Random;
use crate::vocabulary::{Sizes, Vocabulary};
use crate::{learn, say, sources, start};

/// Reads the downloaded sources.
#[derive(Debug, clap::Args)]
pub(crate) struct Pairs {
    /// The folder with `sources.tsv` and `translations.tsv`
    #[arg(long, default_value = "training")]
    lists: PathBuf,
    /// Where the downloads lie
    #[arg(long)]
    cache: PathBuf,
    /// A folder whose texts must not be learned from; may be given more than once
    #[arg(long)]
    held_out: Vec<PathBuf>,
    /// Where the pairs go
    #[arg(long)]
    out: PathBuf,
}

impl Pairs {
    pub(crate) fn run(&self) -> Result<()> {
        let (mut pairs, notes) = sources::pairs(&self.lists, &self.cache)?;
        notes.iter().for_each(|note| say(note));
        for folder in &self.held_out {
            let held_out = HeldOut::read(folder)?;
            let before = pairs.len();
            let keep: Vec<bool> = pairs.par_iter().map(|pair| !held_out.shares(pair)).collect();
            let mut keep = keep.into_iter();
            pairs.retain(|_| keep.next().expect("one for each"));
            say(&format!(
                "{}: {} pairs share a run of words with it and are dropped",
                folder.display(),
                before - pairs.len()
            ));
        }
        for kind in [Kind::Code, Kind::Section, Kind::Translation] {
            say(&format!("{kind:?}: {} pairs", pairs.iter().filter(|pair| pair.kind == kind).count()));
        }
        pair::write(&self.out, &pairs)
    }
}

/// Learns a table.
#[derive(Debug, clap::Args)]
pub(crate) struct Learn {
    /// What `training pairs` wrote
    #[arg(long)]
    pairs: PathBuf,
    /// The model that English words begin with: a folder in model2vec's format
    #[arg(long)]
    teacher: PathBuf,
    /// The folder that the model and the glossary go to
    #[arg(long)]
    out: PathBuf,
    /// Another seed gives a model that differs by noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Batches to learn from
    #[arg(long, default_value_t = 2400)]
    steps: usize,
    /// Divides cosines before the softmax
    #[arg(long, default_value_t = 0.07)]
    temperature: f32,
    /// The first step, in deviations of the elements
    #[arg(long, default_value_t = 0.04)]
    rate: f32,
    /// Share of an answer's words left out each time
    #[arg(long, default_value_t = 0.4)]
    dropped: f32,
    /// Share of a question's words left out each time
    #[arg(long, default_value_t = 0.1)]
    query_dropped: f32,
    /// What a heading weighs against its text
    #[arg(long, default_value_t = 0.6)]
    heading_weight: f32,
    /// Share of answers without their heading
    #[arg(long, default_value_t = 0.5)]
    bare: f32,
    /// Rows for ASCII words
    #[arg(long, default_value_t = 30_000)]
    words: usize,
    /// Rows for Korean words and parts of words
    #[arg(long, default_value_t = 26_000)]
    foreign: usize,
    /// Rows for letter runs, a power of two
    #[arg(long, default_value_t = 16_384)]
    grams: usize,
    /// Of each batch: code, sections, translations, code asked for in Korean words
    #[arg(long, value_delimiter = ',', default_value = "512,64,384,64")]
    shares: Vec<usize>,
}

impl Learn {
    pub(crate) fn run(&self) -> Result<()> {
        let clock = Instant::now();
        let tell = |what: &str| say(&format!("{:6.1} s  {what}", clock.elapsed().as_secs_f32()));
        let pairs = pair::read(&self.pairs)?;
        let teacher = Model::open(&self.teacher)?;
        tell(&format!("{} pairs", pairs.len()));
        let sizes = Sizes { words: self.words, foreign: self.foreign, grams: self.grams };
        let vocabulary = Vocabulary::new(&pairs, sizes);
        tell(&format!(
            "{} words, {} of them Korean",
            vocabulary.words.len(),
            vocabulary.words.len() - vocabulary.foreign_from
        ));
        let lexicon = Lexicon::learn(&pairs);
        tell("translations of words");
        let mut rows = start::rows(&vocabulary, &lexicon, &teacher, self.seed);
        tell("the table to begin with");
        let streams = self.streams(&pairs, &vocabulary, &lexicon);
        tell("examples");
        let plan = Plan {
            steps: self.steps,
            batch: self.shares.iter().sum(),
            temperature: self.temperature,
            rate: self.rate,
            dropped: self.dropped,
            query_dropped: self.query_dropped,
            heading_weight: self.heading_weight,
            bare: self.bare,
            seed: self.seed,
        };
        let report = |step: usize, loss: f32| {
            if step.is_multiple_of(200) {
                tell(&format!("step {step}: loss {loss:.4}"));
            }
        };
        learn::learn(&mut rows, teacher.dims(), &streams, &plan, &report);
        fs_err::create_dir_all(&self.out)?;
        write(&self.out, &vocabulary, &rows, teacher.dims(), self.heading_weight)?;
        fs_err::write(self.out.join("glossary.ko-en.tsv"), lexicon.glossary())?;
        tell("done");
        Ok(())
    }

    fn streams(&self, pairs: &[Pair], vocabulary: &Vocabulary, lexicon: &Lexicon) -> Vec<Stream> {
        let encode = |pair: &Pair| Example {
            query: vocabulary.encode(&pair.query),
            text: vocabulary.encode(&pair.text),
            heading: vocabulary.encode(&pair.heading),
        };
        let usable = |example: &Example| !example.query.is_empty() && !example.text.is_empty();
        let of_kind = |kind: Kind| pairs.par_iter().filter(move |pair| pair.kind == kind);
        let examples: [Vec<Example>; 4] = [
            of_kind(Kind::Code).map(encode).filter(usable).collect(),
            of_kind(Kind::Section).map(encode).filter(usable).collect(),
            of_kind(Kind::Translation).map(encode).filter(usable).collect(),
            of_kind(Kind::Code)
                .filter_map(|pair| pseudo(pair, lexicon, self.seed).as_ref().map(encode))
                .filter(usable)
                .collect(),
        ];
        let streams = examples
            .into_iter()
            .zip(&self.shares)
            .map(|(examples, share)| Stream { examples, share: *share });
        streams.filter(|stream| stream.share > 0 && !stream.examples.is_empty()).collect()
    }
}

/// The pair with its question in Korean, word by word: bad grammar, but the words that people ask with.
fn pseudo(pair: &Pair, lexicon: &Lexicon, seed: u64) -> Option<Pair> {
    let mut random = Random::new(seed ^ jari_embed::hash(pair.query.as_bytes()));
    Some(Pair { query: in_korean(&pair.query, lexicon, &mut random)?, ..pair.clone() })
}

/// A question with its words replaced, if at least three have a translation.
fn in_korean(question: &str, lexicon: &Lexicon, random: &mut Random) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    jari_embed::features(question, |feature| {
        let jari_embed::Feature::Word(word) = feature else { return };
        let Some(translations) = lexicon.korean.get(word) else { return };
        let mut left = random.unit() * translations.iter().map(|(_, probability)| probability).sum::<f32>();
        for (korean, probability) in translations {
            left -= probability;
            if left <= 0.0 {
                return words.push(korean);
            }
        }
    });
    (words.len() >= 3).then(|| words.join(" "))
}

/// Writes the model: rows as whole numbers of eight bits.
fn write(
    folder: &Path,
    vocabulary: &Vocabulary,
    rows: &[f32],
    dims: usize,
    heading_weight: f32,
) -> Result<()> {
    // One scale for all, set so that all but one element in ten thousand fit.
    let mut sizes: Vec<f32> = rows.iter().map(|element| element.abs()).collect();
    let place = sizes.len() - 1 - sizes.len() / 10_000;
    let (_, largest, _) = sizes.select_nth_unstable_by(place, f32::total_cmp);
    let scale = 127.0 / largest.max(1e-12);
    let small = |element: &f32| (element * scale).round().clamp(-127.0, 127.0) as i8;
    let rows: Vec<Vec<i8>> = rows.chunks_exact(dims).map(|row| row.iter().map(small).collect()).collect();
    let words: Vec<&str> = vocabulary.words.iter().map(String::as_str).collect();
    Ok(fs_err::write(folder.join("jari.embd"), jari_embed::write(&words, &rows, heading_weight))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model2vec folder with a random row for each word.
    fn teacher(folder: &Path, words: &[&str]) {
        let vocabulary: Vec<String> =
            words.iter().enumerate().map(|(number, word)| format!("\"{word}\": {number}")).collect();
        let tokenizer = format!(
            "{{\"normalizer\": {{\"lowercase\": true}}, \"model\": {{\"type\": \"WordPiece\", \"vocab\": {{{}}}}}}}",
            vocabulary.join(",")
        );
        std::fs::write(folder.join("tokenizer.json"), tokenizer).unwrap();
        let (rows, dims) = (words.len(), 16);
        let header = format!(
            "{{\"embeddings\": {{\"dtype\": \"F32\", \"shape\": [{rows}, {dims}], \"data_offsets\": [0, {}]}}}}",
            rows * dims * 4
        );
        let mut weights = (header.len() as u64).to_le_bytes().to_vec();
        weights.extend(header.as_bytes());
        let mut random = Random::new(3);
        (0..rows * dims).for_each(|_| weights.extend(random.normal().to_le_bytes()));
        std::fs::write(folder.join("model.safetensors"), weights).unwrap();
    }

    #[test]
    fn a_model_learned_from_a_few_pairs_answers_in_both_languages() {
        let temp = tempfile::tempdir().unwrap();
        let topics = [
            ("retry", "again", "재시도"),
            ("file", "open", "파일"),
            ("sort", "order", "정렬"),
            ("cache", "store", "캐시"),
        ];
        let words: Vec<&str> = topics.iter().flat_map(|(one, two, _)| [*one, *two]).collect();
        teacher(temp.path(), &words);
        let pair = |kind, query: &str, text: &str| Pair {
            kind,
            source: "test".to_owned(),
            query: query.to_owned(),
            text: text.to_owned(),
            heading: String::new(),
        };
        let mut pairs = Vec::new();
        for _ in 0..5 {
            for (name, meaning, korean) in topics {
                pairs.push(pair(Kind::Code, meaning, name));
                pairs.push(pair(Kind::Translation, korean, meaning));
            }
        }
        let path = temp.path().join("pairs.jsonl");
        pair::write(&path, &pairs).unwrap();
        let learn = Learn {
            pairs: path,
            teacher: temp.path().to_owned(),
            out: temp.path().join("out"),
            seed: 1,
            steps: 80,
            temperature: 0.1,
            rate: 0.1,
            dropped: 0.0,
            query_dropped: 0.0,
            heading_weight: 0.5,
            bare: 0.0,
            words: 100,
            foreign: 100,
            grams: 16,
            shares: vec![4, 0, 4, 0],
        };
        learn.run().unwrap();
        let model = Model::open(&temp.path().join("out/jari.embd")).unwrap();
        let names: Vec<&str> = topics.iter().map(|(name, ..)| *name).collect();
        let answers = model.embed(&names);
        for (at, (_, _, korean)) in topics.iter().enumerate() {
            let query = &model.embed(&[korean])[0];
            let nearest =
                (0..4).max_by(|one, two| answers[*one].cosine(query).total_cmp(&answers[*two].cosine(query)));
            assert_eq!(nearest, Some(at), "{korean}");
        }
        let glossary = std::fs::read_to_string(temp.path().join("out/glossary.ko-en.tsv")).unwrap();
        assert!(glossary.contains("파일\topen"), "{glossary}");
    }
}
