//! Answers a file of questions over a folder, with vectors alone or with words alone, and writes the run to be scored.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use jari_chunk::DocumentOptions;
use jari_embed::{Document, Model, Vector};
use jari_source::{Contents, Limits};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::bm25::Bm25;

/// Results a question gets: enough that some can be dropped before the first ten are scored.
const RESULTS: usize = 30;

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Evaluate {
    /// Questions, one JSON object a line: `id`, `query`, and where each asks its own folder, `repo` and `root`
    #[arg(long)]
    queries: PathBuf,
    /// The folder to search; questions with a `repo` search `CORPUS/repo/root`
    #[arg(long)]
    corpus: PathBuf,
    /// Where the run goes, one JSON object a line
    #[arg(long)]
    run: PathBuf,
    /// A model file or folder; without it, BM25 over the same chunks
    #[arg(long)]
    model: Option<PathBuf>,
    /// What headings weigh, instead of what the model says
    #[arg(long)]
    heading_weight: Option<f32>,
    /// Only the best chunk of each file, as search does for code
    #[arg(long)]
    one_per_file: bool,
}

#[derive(Deserialize)]
struct Question {
    id: String,
    query: String,
    repo: Option<String>,
    root: Option<String>,
}

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
    results: Vec<Place<'a>>,
}

/// A chunk's place.
#[derive(Debug, Clone, Serialize)]
struct Place<'a> {
    path: &'a str,
    start_line: u32,
    end_line: u32,
}

/// A chunk to be found.
struct Chunk {
    path: String,
    heading: String,
    text: String,
    start_line: u32,
    end_line: u32,
}

impl Evaluate {
    /// Answers all questions.
    pub(crate) fn run(&self) -> Result<()> {
        let model = self.model.as_deref().map(Model::open).transpose()?;
        let model = model.map(|model| match self.heading_weight {
            Some(weight) => model.with_heading_weight(weight),
            None => model,
        });
        let mut folders: BTreeMap<PathBuf, Vec<Question>> = BTreeMap::new();
        for (at, line) in fs_err::read_to_string(&self.queries)?.lines().enumerate() {
            let question: Question = serde_json::from_str(line)
                .with_context(|| format!("{}:{}", self.queries.display(), at + 1))?;
            let below = |part: &Option<String>| part.clone().unwrap_or_default();
            let folder = self.corpus.join(below(&question.repo)).join(below(&question.root));
            folders.entry(folder).or_default().push(question);
        }
        let mut run = std::io::BufWriter::new(fs_err::File::create(&self.run)?);
        for (folder, questions) in &folders {
            let chunks = chunks(folder)?;
            for (question, scores) in questions.iter().zip(scores(model.as_ref(), &chunks, questions)) {
                let results = best(&chunks, &scores, self.one_per_file);
                serde_json::to_writer(&mut run, &Answer { id: &question.id, results })?;
                run.write_all(b"\n")?;
            }
        }
        Ok(run.flush()?)
    }
}

/// A score for each chunk, for each question.
fn scores(model: Option<&Model>, chunks: &[Chunk], questions: &[Question]) -> Vec<Vec<f32>> {
    let queries: Vec<&str> = questions.iter().map(|question| question.query.as_str()).collect();
    match model {
        Some(model) => {
            let documents: Vec<_> = chunks
                .iter()
                .map(|chunk| Document { text: &chunk.text, heading: &chunk.heading, around: "" })
                .collect();
            let vectors = model.embed_documents(&documents);
            let cosines = |query: &Vector| vectors.iter().map(|vector| vector.cosine(query)).collect();
            model.embed(&queries).par_iter().map(cosines).collect()
        }
        None => {
            let texts: Vec<String> =
                chunks.iter().map(|chunk| format!("{}\n{}", chunk.heading, chunk.text)).collect();
            let words = Bm25::new(&texts);
            queries.iter().map(|query| words.scores(query)).collect()
        }
    }
}

fn best<'a>(chunks: &'a [Chunk], scores: &[f32], one_per_file: bool) -> Vec<Place<'a>> {
    let mut order: Vec<usize> = (0..chunks.len()).filter(|at| scores[*at] > 0.0).collect();
    order.sort_by(|one, two| scores[*two].total_cmp(&scores[*one]).then(one.cmp(two)));
    let mut seen = std::collections::HashSet::new();
    let fresh = order.into_iter().filter(|at| !one_per_file || seen.insert(chunks[*at].path.as_str()));
    let place = |at: usize| Place {
        path: &chunks[at].path,
        start_line: chunks[at].start_line,
        end_line: chunks[at].end_line,
    };
    fresh.take(RESULTS).map(place).collect()
}

/// The chunks that Jari makes of a folder, in order.
fn chunks(folder: &Path) -> Result<Vec<Chunk>> {
    let limits = Limits::default();
    let walked = jari_source::walk(folder, &limits)?;
    let files: Vec<Vec<Chunk>> = walked
        .entries
        .par_iter()
        .filter(|entry| entry.skip.is_none())
        .map(|entry| match jari_source::read(&folder.join(&entry.path), &limits) {
            Contents::Text { text, .. } => of_file(&entry.path, &text),
            Contents::Skipped(_) => Vec::new(),
        })
        .collect();
    Ok(files.into_iter().flatten().collect())
}

fn of_file(path: &str, text: &str) -> Vec<Chunk> {
    let lines: Vec<&str> = text.lines().collect();
    let chunked = jari_chunk::chunk(&jari_chunk::language_of(path, text), text, &DocumentOptions::default());
    let make = |chunk: &jari_base::Chunk| Chunk {
        path: path.to_owned(),
        heading: jari_embed::heading(path, &chunked, chunk),
        text: lines[chunk.lines.start as usize - 1..(chunk.lines.end as usize).min(lines.len())].join("\n"),
        start_line: chunk.lines.start,
        end_line: chunk.lines.end,
    };
    chunked.chunks.iter().map(make).collect()
}
