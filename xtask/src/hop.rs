//! `cargo xtask hop`: whether what the best hits call, and what calls them, is a better use of room than more hits.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;

use crate::ask::Asked;
use crate::say;

/// Hits whose neighbours are looked at.
const FROM: usize = 3;

/// Neighbours that are taken in place of hits.
const NEIGHBOURS: usize = 3;

/// Places in all.
const ROOM: [usize; 2] = [8, 11];

/// Compare more hits with the neighbours of the best ones: the share of files that answer a question which are among them
#[derive(Debug, Args)]
pub(crate) struct Hop {
    #[command(flatten)]
    asked: Asked,

    /// Questions: one object a line, with `repo`, `query` and `targets`
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,

    /// The field that names the folder of a question's repository
    #[arg(long, value_name = "FIELD", default_value = "repo")]
    folder: String,

    /// The field that holds the question
    #[arg(long, value_name = "FIELD", default_value = "query")]
    field: String,
}

#[derive(Deserialize)]
struct Target {
    path: String,
}

#[derive(Deserialize)]
struct Hits {
    results: Vec<Place>,
}

#[derive(Deserialize, Clone, PartialEq)]
struct Place {
    path: String,
    start_line: u32,
    end_line: u32,
    symbol: Option<String>,
}

impl Place {
    fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.start_line <= other.end_line && other.start_line <= self.end_line
    }
}

#[derive(Deserialize)]
struct Edges {
    edges: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    from: Option<Place>,
    to: Place,
}

impl Hop {
    pub(crate) fn run(&self) -> Result<()> {
        let mut indexed: BTreeSet<String> = BTreeSet::new();
        let (mut more, mut hops, mut questions) = ([0.0; ROOM.len()], [0.0; ROOM.len()], 0);
        for line in fs_err::read_to_string(&self.queries)?.lines() {
            let question: serde_json::Value = serde_json::from_str(line)?;
            let text = |field: &str| {
                question[field].as_str().with_context(|| format!("a question without `{field}`"))
            };
            let (repository, words) = (text(&self.folder)?, text(&self.field)?);
            let targets: Vec<Target> = serde_json::from_value(question["targets"].clone())?;
            if !self.asked.folder(repository).is_dir() || question["category"] == "symbol" {
                continue;
            }
            if indexed.insert(repository.to_owned()) {
                self.asked.ask(&["index"], repository)?;
            }
            let most = ROOM[ROOM.len() - 1].to_string();
            let Hits { results } =
                self.asked.json(&["search", words, "--intent", "explain", "--limit", &most], repository)?;
            let neighbours = self.neighbours(&results, repository)?;
            let found = |places: &mut dyn Iterator<Item = &Place>| {
                let paths: BTreeSet<&str> = places.map(|place| place.path.as_str()).collect();
                let found = targets.iter().filter(|target| paths.contains(target.path.as_str())).count();
                found as f64 / targets.len().max(1) as f64
            };
            for (at, room) in ROOM.into_iter().enumerate() {
                more[at] += found(&mut results.iter().take(room));
                hops[at] += found(&mut results.iter().take(room - NEIGHBOURS).chain(&neighbours));
            }
            questions += 1;
        }
        for (at, room) in ROOM.into_iter().enumerate() {
            let (more, hops) = (more[at] / f64::from(questions), hops[at] / f64::from(questions));
            let kept = room - NEIGHBOURS;
            say(&format!(
                "{questions} questions · {room} hits {more:.3} · {kept} hits and {NEIGHBOURS} neighbours {hops:.3}"
            ));
        }
        Ok(())
    }

    /// What the best hits call and what calls them, by how often; not what is a hit already.
    fn neighbours(&self, hits: &[Place], repository: &str) -> Result<Vec<Place>> {
        let mut met: Vec<(Place, f64)> = Vec::new();
        for (rank, hit) in hits.iter().take(FROM).enumerate().filter(|(_, hit)| hit.symbol.is_some()) {
            // A doc comment or decorator may stand on the first line.
            let place = format!("{}:{}", hit.path, (hit.start_line + 1).min(hit.end_line));
            for relation in ["callees", "callers"] {
                let Edges { edges } = self.asked.json(&[relation, &place, "--limit", "30"], repository)?;
                for edge in edges {
                    let other = if relation == "callees" { Some(edge.to) } else { edge.from };
                    let Some(other) = other.filter(|other| !hits.iter().any(|hit| hit.overlaps(other)))
                    else {
                        continue;
                    };
                    let weight = 1.0 / (rank as f64 + 1.0);
                    match met.iter_mut().find(|(known, _)| *known == other) {
                        Some((_, sum)) => *sum += weight,
                        None => met.push((other, weight)),
                    }
                }
            }
        }
        met.sort_by(|one, other| other.1.total_cmp(&one.1));
        Ok(met.into_iter().take(NEIGHBOURS).map(|(place, _)| place).collect())
    }
}
