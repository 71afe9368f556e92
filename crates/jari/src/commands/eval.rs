//! `jari eval`

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use jari_base::{Fusion, Mode};
use jari_engine::Project;
use jari_engine::eval::{Figures, Level, Place, Question, Report, Target, judge};
use jari_engine::search::{Calls, SearchRequest, search};
use jari_store::Snapshot;
use jari_wire::{EvalCost, EvalJson, EvalRowJson, QuestionJson, RunJson};

use super::Global;
use crate::failure::{Failure, Outcome};
use crate::index::Index;
use crate::printer::{self, FAINT, NAME};
use crate::progress::Reporter;

/// Places asked for: those that do not count are left out before the first ten are judged.
const PLACES: usize = 30;

/// Measure how good answers are, on questions with known answers
///
/// Each line of the file is an object: {"id", "query", "targets": [{"path", "start_line"?, "end_line"?}]}, and where it asks
/// about one of several projects, "repo" and "root". Figures are NDCG@10, how often an answer is the first, among five and
/// among ten, MRR, and times.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari eval --queries questions.jsonl\n  jari eval --queries questions.jsonl --compare\n  jari eval --queries questions.jsonl --min 0.8          fails where NDCG@10 is lower: for CI\n  jari eval --queries all.jsonl --root 'repos/{repo}/{root}' --run run.jsonl --format csv"
)]
pub(crate) struct Eval {
    /// Questions, one JSON object a line
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,

    /// The project; {repo}, {root} and {id} stand for what each question says
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: String,

    /// How to look: by words, by meaning, or by both
    #[arg(long, value_name = "MODE", default_value = "hybrid", value_parser = super::mode)]
    mode: Mode,

    /// What must be right: the lines, or only the file
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = By::Span)]
    level: By,

    /// Ask what this field of each question says, instead of `query`
    #[arg(long, value_name = "NAME", default_value = "query")]
    field: String,

    /// Write the places of each answer to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,

    /// Ask in every way there is, and compare
    #[arg(long, conflicts_with = "run")]
    compare: bool,

    /// How to print the figures
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Exit with code 1 if NDCG@10 is lower
    #[arg(long, value_name = "NDCG", value_parser = share)]
    min: Option<f64>,
}

/// What must be right about a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// File and lines
    Span,
    /// The file
    File,
}

/// How figures are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One object
    Json,
    /// One line a row
    Csv,
}

/// A way to ask.
struct Way {
    name: String,
    report: Report,
    request: SearchRequest,
    /// Where it is not the one that is set.
    fusion: Option<Fusion>,
    calls: Calls,
}

impl Eval {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let questions = self.questions()?;
        if self.run.as_ref().is_some_and(|run| is_same_file(run, &self.queries)) {
            return Err(Failure::argument(
                format!("`{}` holds the questions and would be written over", self.queries.display()),
                "give --run another file",
            ));
        }
        let mut ways = Vec::new();
        let mut run = match &self.run {
            None => None,
            Some(path) => {
                Some((path, BufWriter::new(std::fs::File::create(path).map_err(|e| unusable(path, &e))?)))
            }
        };
        let level = if self.level == By::File { Level::File } else { Level::Span };
        let reporter = Reporter::new(global.quiet);
        let mut absent = Vec::new();
        for (root, questions) in by_root(&self.root, questions)? {
            let index_dir = global.index_dir.as_ref().map(|folder| folder.join(plain(&root)));
            let mut index = Index::find(&root, &Global { index_dir, ..global.clone() })?;
            let (ready, ()) = index.sync(&reporter, |_| Ok(()))?;
            let filter = index.narrowed(jari_base::Filter::default());
            if ways.is_empty() {
                ways = self.ways(&index.project);
            }
            absent.extend(missing(&*ready.snapshot, &questions)?);
            for question in questions {
                for way in &mut ways {
                    let query = question.query.clone();
                    let mut tuning = index.settings.tuning;
                    tuning.blend.fusion = way.fusion.unwrap_or(tuning.blend.fusion);
                    let request =
                        SearchRequest { query, filter: filter.clone(), tuning, ..way.request.clone() };
                    let began = Instant::now();
                    // A question without a word has no answer.
                    let (hits, calls) = match search(&index.project, &*ready.snapshot, &request) {
                        Err(jari_engine::Error::EmptyQuery) => (Vec::new(), Calls::default()),
                        other => other.map(|response| (response.hits, response.calls))?,
                    };
                    let took = began.elapsed();
                    way.calls.add(calls);
                    let place = |hit: jari_engine::search::Hit| Place {
                        path: hit.path,
                        start_line: hit.lines.start,
                        end_line: hit.lines.end,
                    };
                    let places: Vec<Place> = hits.into_iter().map(place).collect();
                    way.report.add(&question, judge(&question, &places, level), took);
                    if let Some((path, out)) = &mut run {
                        let line = serde_json::to_string(&RunJson::new(&question.id, &places));
                        let line = line.map_err(|error| Failure::Output(error.into()))?;
                        writeln!(out, "{line}").map_err(|error| unusable(path, &error))?;
                    }
                }
            }
        }
        if let Some((id, path)) = absent.first().filter(|_| !global.quiet) {
            printer::talk(&format!(
                "targets that no indexed file can be, so that nothing finds them: {}; the first is `{path}` of question {id}",
                absent.len()
            ));
        }
        if let Some((path, mut out)) = run {
            out.flush().map_err(|error| unusable(path, &error))?;
        }
        self.print(&ways, global)?;
        let headline = ways.iter().map(|way| way.report.headline().ndcg).fold(0.0, f64::max);
        match self.min {
            Some(least) if headline < least => {
                printer::talk(&format!("NDCG@10 is {headline:.4}, which is less than {least}"));
                Ok(false)
            }
            _ => Ok(true),
        }
    }

    fn questions(&self) -> Result<Vec<Question>, Failure> {
        let text = std::fs::read_to_string(&self.queries).map_err(|error| unusable(&self.queries, &error))?;
        // Editors of some systems put a mark of the encoding first.
        let text = text.trim_start_matches('\u{feff}');
        let mut questions = Vec::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let read = serde_json::from_str::<QuestionJson>(line).map_err(|error| error.to_string());
            let question = read.and_then(|read| read.question(&self.field)).map_err(|error| {
                Failure::argument(
                    format!("{}:{} is no question: {error}", self.queries.display(), at + 1),
                    "a line is {\"id\": …, \"query\": …, \"targets\": [{\"path\": …}]}",
                )
            })?;
            questions.push(question);
        }
        if questions.is_empty() {
            return Err(Failure::argument(
                format!("`{}` has no questions", self.queries.display()),
                "one JSON object a line: see `jari eval --help`",
            ));
        }
        Ok(questions)
    }

    fn ways(&self, project: &Project) -> Vec<Way> {
        let usual = SearchRequest { limit: PLACES, ..SearchRequest::new("") };
        let way = |name: &str, request| Way {
            name: name.to_owned(),
            report: Report::default(),
            request,
            fusion: None,
            calls: Calls::default(),
        };
        if !self.compare {
            return vec![way(self.mode.as_str(), SearchRequest { mode: self.mode, ..usual })];
        }
        let by_mode =
            Mode::ALL.iter().map(|mode| way(mode.as_str(), SearchRequest { mode: *mode, ..usual.clone() }));
        let by_fusion = Fusion::ALL
            .iter()
            .filter(|fusion| **fusion != Fusion::Linear)
            .map(|fusion| Way { fusion: Some(*fusion), ..way(&format!("hybrid {fusion}"), usual.clone()) });
        let mut ways: Vec<Way> = by_mode.chain(by_fusion).collect();
        ways.push(way("hybrid without MMR", SearchRequest { diverse: false, ..usual.clone() }));
        ways.push(way("hybrid without glossary", SearchRequest { translate: false, ..usual.clone() }));
        if project.reranker.is_some() {
            ways.push(way("hybrid without reranker", SearchRequest { rerank: false, ..usual.clone() }));
        }
        if project.translator.is_some() {
            ways.push(way("hybrid without translator", SearchRequest { translator: false, ..usual }));
        }
        ways
    }

    fn print(&self, ways: &[Way], global: &Global) -> Result<(), Failure> {
        let format = if global.json { Format::Json } else { self.format };
        match format {
            Format::Json => {
                let rows = ways.iter().flat_map(rows).map(|row| {
                    let Row { way, group, count, figures, cost } = row;
                    EvalRowJson::new(way, group, count, figures, cost)
                });
                printer::json(&EvalJson { rows: rows.collect() })
            }
            Format::Csv => {
                let mut out =
                    "way,group,questions,ndcg_10,hit_1,hit_5,hit_10,mrr,mean_ms,p95_ms,embedding_calls,reranker_calls,translator_calls\n"
                        .to_owned();
                for Row { way, group, count, figures: f, cost } in ways.iter().flat_map(rows) {
                    let times = cost.map_or_else(
                        || ",,,,".to_owned(),
                        |EvalCost { mean_ms, p95_ms, calls }| {
                            let Calls { embedding, reranker, translator } = calls;
                            format!("{mean_ms:.3},{p95_ms:.3},{embedding},{reranker},{translator}")
                        },
                    );
                    let _ = writeln!(
                        out,
                        "{way},{group},{count},{:.4},{:.4},{:.4},{:.4},{:.4},{times}",
                        f.ndcg, f.hit_1, f.hit_5, f.hit_10, f.mrr
                    );
                }
                printer::data(&out)
            }
            Format::Text => {
                let mut out = format!(
                    "{FAINT}{:<44} {:>6} {:>8} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8}{FAINT:#}\n",
                    "", "n", "NDCG@10", "hit@1", "hit@5", "hit@10", "MRR", "mean ms", "p95 ms", "calls"
                );
                for Row { way, group, count, figures: f, cost } in ways.iter().flat_map(rows) {
                    let name = format!("{way} {group}");
                    let _ = write!(
                        out,
                        "{name:<44} {count:>6} {NAME}{:>8.4}{NAME:#} {:>6.3} {:>6.3} {:>6.3} {:>6.3}",
                        f.ndcg, f.hit_1, f.hit_5, f.hit_10, f.mrr
                    );
                    if let Some(EvalCost { mean_ms, p95_ms, calls }) = cost {
                        let Calls { embedding, reranker, translator } = calls;
                        let _ = write!(out, " {mean_ms:>8.2} {p95_ms:>8.2} {embedding:>8}");
                        for (number, what) in [(reranker, "reranker"), (translator, "translator")] {
                            if number > 0 {
                                let _ = write!(out, " + {number} {what}");
                            }
                        }
                    }
                    out.push('\n');
                }
                printer::data(&out)
            }
        }
    }
}

/// A line of figures.
struct Row<'a> {
    way: &'a str,
    group: &'a str,
    count: usize,
    figures: Figures,
    /// Of all questions together.
    cost: Option<EvalCost>,
}

fn rows(Way { name, report, calls, .. }: &Way) -> Vec<Row<'_>> {
    let (mean, late) = report.latency();
    let cost =
        Some(EvalCost { mean_ms: mean.as_secs_f64() * 1e3, p95_ms: late.as_secs_f64() * 1e3, calls: *calls });
    let row = |group, count, figures| Row { way: name, group, count, figures, cost: None };
    let mut rows = vec![Row { cost, ..row("all", report.len(), report.all()) }];
    rows.extend(report.over_repos().map(|figures| row("mean over projects", report.len(), figures)));
    rows.extend(report.groups().map(|(group, count, figures)| row(group, count, figures)));
    rows
}

/// A figure from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let least = text.parse::<f64>().ok().filter(|least| (0.0..=1.0).contains(least));
    least.ok_or_else(|| "NDCG@10 is a number from 0 to 1".to_owned())
}

/// Whether two paths lead to one file.
fn is_same_file(one: &Path, two: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| two.canonicalize().is_ok_and(|two| one == two))
}

/// Targets that no file of the index can be, each with its question.
fn missing(snapshot: &dyn Snapshot, questions: &[Question]) -> Result<Vec<(String, String)>, Failure> {
    let files = snapshot.files().map_err(jari_engine::Error::from)?;
    let is_absent = |target: &&Target| {
        let at = files.at(&target.path).into_iter().chain(files.iter());
        !at.filter(|record| record.skip.is_none()).any(|record| target.is_in(&record.path))
    };
    let of = |question: &Question| {
        let absent: Vec<_> =
            question.targets.iter().filter(is_absent).map(|target| target.path.clone()).collect();
        absent.into_iter().map(|path| (question.id.clone(), path)).collect::<Vec<_>>()
    };
    Ok(questions.iter().flat_map(of).collect())
}

/// Questions by the folder they ask about, in order.
fn by_root(pattern: &str, questions: Vec<Question>) -> Result<Vec<(PathBuf, Vec<Question>)>, Failure> {
    let mut roots: Vec<(PathBuf, Vec<Question>)> = Vec::new();
    for question in questions {
        for (part, said) in [("repo", &question.repo), ("root", &question.root)] {
            if said.is_none() && pattern.contains(&format!("{{{part}}}")) {
                return Err(Failure::argument(
                    format!("question {} does not say its `{part}`, which --root asks for", question.id),
                    format!("add \"{part}\" to the question, or take {{{part}}} out of --root"),
                ));
            }
        }
        let or_empty = |part: &Option<String>| part.clone().unwrap_or_default();
        let root = if pattern.contains('{') {
            let filled = pattern.replace("{repo}", &or_empty(&question.repo)).replace("{id}", &question.id);
            PathBuf::from(filled.replace("{root}", &or_empty(&question.root)))
        } else {
            Path::new(pattern).join(or_empty(&question.repo)).join(or_empty(&question.root))
        };
        match roots.iter_mut().find(|(known, _)| *known == root) {
            Some((_, asked)) => asked.push(question),
            None => roots.push((root, vec![question])),
        }
    }
    Ok(roots)
}

/// A path as the name of one folder.
fn plain(path: &Path) -> String {
    path.to_string_lossy().chars().map(|c| if c.is_alphanumeric() || c == '.' { c } else { '-' }).collect()
}

fn unusable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::argument(format!("`{}` cannot be used: {error}", path.display()), "check the path")
}
