//! `jari bench`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use jari_base::{Backend, ChunkId, Space};
use jari_engine::{Embedding, Error};
use jari_store::Snapshot;
use jari_vector::{Filter, Index as Vectors, Options, Writer};
use jari_wire::{VectorBenchJson, VectorBenchRowJson};

use super::Global;
use crate::failure::{Failure, Outcome};
use crate::index::Index;
use crate::printer::{self, FAINT};
use crate::progress::Reporter;
use crate::settings::VectorSettings;

/// Nearest chunks that a search is asked for, and that its recall is measured on.
const NEAREST: usize = 10;

/// Questions asked, each several times.
const QUESTIONS: usize = 200;

/// Measure how fast and how exact search is, on your own files
#[derive(Debug, Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Vectors(VectorBench),
}

/// Compare ways to search vectors: a plain scan, the exact index, and a graph
///
/// Vectors are those of the project's own chunks, questions its doc comments and headings. Recall is how many of the ten nearest
/// by a plain scan are found.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari bench vectors --points 10000,50000\n  jari bench vectors ~/src/large --json"
)]
struct VectorBench {
    /// The project
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// How many vectors, one measurement each; as many as the project has, at most
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "10000,50000,200000")]
    points: Vec<usize>,
}

impl Bench {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        match self.what {
            What::Vectors(bench) => bench.run(global),
        }
    }
}

impl VectorBench {
    fn run(self, global: &Global) -> Outcome {
        let mut index = Index::find(&self.folder, global)?;
        let reporter = Reporter::new(global.quiet);
        let Some(embedding) = index.project.embedding.clone() else {
            return Err(Failure::argument(
                "vectors are off",
                "unset JARI_EMBEDDING_PROVIDER and JARI_VECTOR_INDEX",
            ));
        };
        let (ready, (vectors, questions)) =
            index.sync(&reporter, |snapshot| Ok((vectors(snapshot)?, questions(snapshot, &embedding)?)))?;
        reporter.finish(&ready.update);
        if vectors.is_empty() || questions.is_empty() {
            return Err(Failure::argument(
                "there is nothing to measure",
                "name a project with code and comments",
            ));
        }
        let mut points: Vec<usize> =
            self.points.iter().map(|points| (*points).clamp(1, vectors.len())).collect();
        points.dedup();
        let mut rows = Vec::new();
        for points in points {
            reporter.say(&format!("measuring {} vectors", printer::count(points as u64)));
            // Evenly over the project, so that fewer are no less mixed.
            let some: Vec<&[f32]> = (0..points).map(|at| &*vectors[at * vectors.len() / points]).collect();
            measure(&some, &questions, &index.settings.vectors, &mut rows).map_err(|error| {
                Failure::argument(
                    format!("it cannot be measured: {error}"),
                    "is there room in the folder for temporary files?",
                )
            })?;
        }
        if global.json {
            printer::json(&VectorBenchJson { questions: questions.len(), rows })?;
        } else {
            printer::data(&text(&rows))?;
        }
        Ok(true)
    }
}

fn text(rows: &[VectorBenchRowJson]) -> String {
    let mut out = format!(
        "{FAINT}{:>9}  {:<6} {:>9} {:>8} {:>8} {:>9} {:>8} {:>10}{FAINT:#}\n",
        "points", "way", "recall@10", "p50 ms", "p95 ms", "build ms", "open ms", "size"
    );
    for row in rows {
        let VectorBenchRowJson { points, way, recall_10, p50_ms, p95_ms, build_ms, open_ms, bytes } = row;
        let _ = writeln!(
            out,
            "{:>9}  {way:<6} {recall_10:>9.4} {p50_ms:>8.3} {p95_ms:>8.3} {build_ms:>9.0} {open_ms:>8.2} {:>10}",
            printer::count(*points as u64),
            printer::bytes(*bytes)
        );
    }
    out
}

/// The vectors of all chunks.
fn vectors(snapshot: &dyn Snapshot) -> Result<Vec<Vec<f32>>, Error> {
    let mut vectors = Vec::new();
    for record in snapshot.files()?.iter() {
        let ids: Vec<ChunkId> =
            (0..record.chunks).map(|ordinal| ChunkId { file: record.id, ordinal }).collect();
        vectors.extend(snapshot.vectors(&ids)?.into_iter().flatten());
    }
    Ok(vectors)
}

/// What the project itself says in sentences: doc comments and headings.
fn questions(snapshot: &dyn Snapshot, embedding: &Embedding) -> Result<Vec<Vec<f32>>, Error> {
    let mut said: Vec<String> = Vec::new();
    for record in snapshot.files()?.iter().filter(|record| record.skip.is_none()) {
        let Some(chunked) = snapshot.chunked(record.id)? else { continue };
        said.extend(chunked.symbols.into_iter().filter_map(|symbol| symbol.doc));
        said.extend(
            chunked.document.into_iter().flat_map(|document| document.sections).map(|section| section.title),
        );
    }
    said.retain(|said| said.split_whitespace().count() > 2);
    let step = (said.len() / QUESTIONS).max(1);
    let chosen: Vec<&str> = said.iter().map(String::as_str).step_by(step).take(QUESTIONS).collect();
    Ok(embedding.of_questions(&chosen)?.into_iter().flatten().collect())
}

/// Adds a row for each way to search.
fn measure(
    vectors: &[&[f32]],
    questions: &[Vec<f32>],
    settings: &VectorSettings,
    rows: &mut Vec<VectorBenchRowJson>,
) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let space =
        Space { provider: "bench".into(), model: "bench".into(), dims: vectors[0].len(), fingerprint: 0 };
    let flat: Vec<f32> = vectors.concat();
    let (truth, plain) = plain_scan(&flat, space.dims, questions);
    rows.push(row(vectors.len(), "plain", 1.0, plain, Duration::ZERO, Duration::ZERO, flat.len() as u64 * 4));

    let began = Instant::now();
    let mut writer = Writer::anew(folder.path(), &space, usize::MAX)?;
    for (file, group) in vectors.chunks(64).enumerate() {
        writer.put(file as u32, 0, &vec![0; group.len()], &group.concat(), &[])?;
    }
    writer.save()?;
    rows.push(searched(folder.path(), &space, Backend::Exact, began.elapsed(), questions, &truth)?);

    let began = Instant::now();
    Writer::build_graph(folder.path(), &space, settings.m, settings.ef_construction, |_| {})?;
    rows.push(searched(folder.path(), &space, Backend::Hnsw, began.elapsed(), questions, &truth)?);
    Ok(())
}

/// For each question, how near the last of its ten nearest is; and times.
fn plain_scan(flat: &[f32], dims: usize, questions: &[Vec<f32>]) -> (Vec<f32>, Vec<Duration>) {
    let ask = |question: &Vec<f32>| {
        let began = Instant::now();
        let product = |row: &[f32]| -> f32 { row.iter().zip(question).map(|(one, two)| one * two).sum() };
        let mut scores: Vec<f32> = flat.chunks_exact(dims).map(product).collect();
        let last = NEAREST.min(scores.len()) - 1;
        let (_, last, _) = scores.select_nth_unstable_by(last, |one, two| two.total_cmp(one));
        (*last, began.elapsed())
    };
    questions.iter().map(ask).unzip()
}

fn searched(
    folder: &Path,
    space: &Space,
    backend: Backend,
    build: Duration,
    questions: &[Vec<f32>],
    truth: &[f32],
) -> Result<VectorBenchRowJson, Box<dyn std::error::Error>> {
    let began = Instant::now();
    let options = Options { backend: Some(backend), ..Options::default() };
    let index = Vectors::open(folder, space, options, |_, _| true)?;
    let open = began.elapsed();
    let mut times = Vec::new();
    let (mut found, mut wanted) = (0, 0);
    for (question, last) in questions.iter().zip(truth) {
        let began = Instant::now();
        let near = index.search(question, NEAREST, &Filter::default());
        times.push(began.elapsed());
        wanted += NEAREST.min(index.len());
        // Copies of one text are equally near: any of them will do.
        found += near.iter().filter(|near| near.score >= last - 1e-5).count();
    }
    let recall = found as f64 / wanted.max(1) as f64;
    Ok(row(index.len(), backend.as_str(), recall, times, build, open, index.bytes()))
}

fn row(
    points: usize,
    way: &'static str,
    recall_10: f64,
    mut times: Vec<Duration>,
    build: Duration,
    open: Duration,
    bytes: u64,
) -> VectorBenchRowJson {
    times.sort_unstable();
    let milliseconds = |duration: Duration| duration.as_secs_f64() * 1e3;
    let at = |share: usize| times.get(times.len() * share / 100).copied().map_or(0.0, milliseconds);
    VectorBenchRowJson {
        points,
        way,
        recall_10,
        p50_ms: at(50),
        p95_ms: at(95),
        build_ms: milliseconds(build),
        open_ms: milliseconds(open),
        bytes,
    }
}
