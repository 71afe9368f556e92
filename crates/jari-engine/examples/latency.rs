//! How long a query takes in process: `latency ROOT INDEX_DIR [MODE [QUESTIONS]]` prints median and 95th percentile in milliseconds.
//!
//! The queries are the lines of the file QUESTIONS, or else names and doc lines of the index itself, so any repository will do. No two are
//! the same, and those of one file are not asked one after the other, so that little can be remembered.

use std::time::Instant;

use jari_base::Mode;
use jari_embed::Model;
use jari_engine::search::{SearchRequest, search};
use jari_engine::{Embedding, Project};
use jari_store::{Snapshot, Store};
use jari_store_local::{LocalStore, Options, VectorOptions};

/// As in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Queries asked at most.
const QUERIES: usize = 2_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(root), Some(index)) = (arguments.next(), arguments.next()) else {
        return Err("usage: latency ROOT INDEX_DIR [MODE [QUESTIONS]]".into());
    };
    let mode = arguments.next().map_or(Ok(Mode::Hybrid), |mode| mode.parse())?;
    let project = Project {
        root: root.into(),
        limits: jari_source::Limits::default(),
        documents: Default::default(),
        embedding: Some(Embedding { eager: false, ..Embedding::read("bundled", Model::bundled()) }),
        reranker: None,
        translator: None,
        max_grams: 10_000,
    };
    let fingerprint = project.fingerprint();
    let vectors = project.embedding.as_ref().map(|embedding| VectorOptions {
        space: embedding.space(&fingerprint).expect("a table knows its length"),
        backend: None,
        most: usize::MAX,
        m: 16,
        ef_construction: 200,
        ef_search: 200,
    });
    let options = Options {
        fingerprint: &fingerprint,
        fold: jari_text::fold_name,
        vectors: vectors.as_ref(),
        memory: 512 << 20,
    };
    let (store, _) = LocalStore::open(index.as_ref(), options)?;
    let snapshot = store.snapshot()?;
    let mut queries = match arguments.next() {
        Some(file) => std::fs::read_to_string(file)?.lines().map(str::to_owned).collect(),
        None => of_the_index(&*snapshot)?,
    };
    queries.sort_unstable_by_key(|query| jari_base::fingerprint(query.as_bytes()));
    queries.dedup();
    let step = (queries.len() / QUERIES).max(1);
    let mut times = Vec::new();
    for query in queries.iter().step_by(step).take(QUERIES) {
        let request = SearchRequest { mode, ..SearchRequest::new(query.as_str()) };
        let began = Instant::now();
        if search(&project, &*snapshot, &request).is_ok() {
            times.push(began.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
    #[expect(clippy::print_stdout, reason = "an example prints")]
    {
        println!("{:.3} {:.3}", at(0.5), at(0.95));
    }
    Ok(())
}

/// Names and doc lines of what is defined in it.
fn of_the_index(snapshot: &dyn Snapshot) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut queries = Vec::new();
    for record in snapshot.files()?.iter().filter(|record| record.skip.is_none()) {
        let Some(chunked) = snapshot.chunked(record.id)? else { continue };
        for symbol in chunked.symbols.iter().step_by(7) {
            queries.push(symbol.name.replace('_', " "));
            queries.extend(symbol.doc.clone());
        }
    }
    Ok(queries)
}
