//! How fast the bundled model is: `RAYON_NUM_THREADS=1 cargo run --release -p jari-embed --example speed [FILE]...`

use std::hint::black_box;
use std::time::Instant;

use jari_embed::{Document, Model};

/// Tokens of a chunk, as a language model counts them.
const TOKENS: usize = 130;

#[expect(clippy::print_stdout, reason = "an example talks to whoever runs it")]
fn main() {
    let files: Vec<String> =
        std::env::args().skip(1).filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    let texts = if files.is_empty() { vec![include_str!("../src/table.rs").to_owned()] } else { files };
    let chunks: Vec<String> = texts.iter().flat_map(|text| pieces(text)).collect();
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).cycle().take(20_000).collect();

    let clock = Instant::now();
    let model = black_box(Model::bundled());
    println!("load       {:8.1} µs", clock.elapsed().as_secs_f64() * 1e6);

    let documents: Vec<_> = chunks
        .iter()
        .map(|text| Document { text, heading: "crates/jari-embed/src/table", around: "" })
        .collect();
    model.embed_documents(&documents[..1_000]);
    let clock = Instant::now();
    let vectors = model.embed_documents(&documents);
    let taken = clock.elapsed().as_secs_f64();
    let tokens: usize = chunks.iter().map(|chunk| jari_text::estimate_tokens(chunk)).sum();
    let mean = tokens / chunks.len();
    println!(
        "documents  {:8.0} a second, {mean} tokens each, {} threads",
        vectors.len() as f64 / taken,
        rayon::current_num_threads()
    );

    let queries = ["where do we retry failed requests", "실패한 요청을 다시 보내는 곳", "parse_header"];
    let clock = Instant::now();
    for _ in 0..1_000 {
        queries.iter().for_each(|query| drop(black_box(model.embed(&[query]))));
    }
    println!("query      {:8.1} µs", clock.elapsed().as_secs_f64() * 1e6 / 3_000.0);
}

/// Runs of lines with about the tokens of a chunk.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for line in text.lines() {
        let last = pieces.last_mut().expect("there is one");
        last.push_str(line);
        last.push('\n');
        if jari_text::estimate_tokens(last) >= TOKENS {
            pieces.push(String::new());
        }
    }
    pieces.pop_if(|last| last.is_empty());
    pieces
}
