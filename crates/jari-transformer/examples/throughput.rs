//! Measures texts a second over the texts that `tests/reference.py` leaves beside the model:
//! `cargo run --release -p jari-transformer --example throughput -- FOLDER/all-MiniLM-L6-v2 [threads] [rounds]`

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use cpu_time::ProcessTime;
use jari_transformer::{Side, Transformer};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("the folder of the model"));
    let threads: usize = arguments.next().map_or(2, |threads| threads.parse().expect("a number of threads"));
    let rounds: usize = arguments.next().map_or(5, |rounds| rounds.parse().expect("a number of rounds"));
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .expect("the first pool of the process");
    let start = Instant::now();
    let transformer = Transformer::open(&folder).expect("a model");
    println!("opened in {:.0} ms", start.elapsed().as_secs_f64() * 1000.0);
    let texts = std::fs::read(folder.join("texts.json")).expect("tests/reference.py writes it");
    let texts: BTreeMap<String, Vec<String>> = serde_json::from_slice(&texts).expect("lists of texts");
    for (name, texts) in &texts {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for batch in [32, 1] {
            transformer.embed(&texts[..batch], Side::Document);
            for _ in 0..rounds {
                let (wall, cpu) = (Instant::now(), ProcessTime::now());
                for batch in texts.chunks(batch) {
                    std::hint::black_box(transformer.embed(batch, Side::Document));
                }
                let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
                let count = texts.len() as f64;
                println!(
                    "jari {name} batch {batch} threads {threads}: {:.1} texts/s, {:.2} ms CPU a text",
                    count / wall,
                    cpu / count * 1000.0
                );
            }
        }
    }
}
