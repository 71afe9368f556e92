//! A piece of code or text in, pieces that mean the same out.

use jari_base::{Filter, LineRange, Mode};
use jari_store::Snapshot;

use crate::near::Near;
use crate::search::{Hit, SearchRequest, SearchResponse, search};
use crate::{Error, Project, Result};

/// What others are to be like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Like {
    /// What it says.
    pub text: String,
    /// Where it stands, where it is of the project: it is not among the answers.
    pub place: Option<(String, LineRange)>,
}

impl Like {
    /// The chunk of an indexed file that holds a line.
    pub fn at(snapshot: &dyn Snapshot, path: &str, line: u32) -> Result<Self> {
        let files = snapshot.files()?;
        let known = files.at(path);
        if let Some(reason) = known.and_then(|record| record.skip) {
            return Err(Error::NotReadable { path: path.to_owned(), reason });
        }
        let Some(record) = known else {
            let mut near = Near::new(path);
            files.iter().for_each(|record| near.offer(&record.path));
            return Err(Error::NoSuchPath { path: path.to_owned(), near: near.names() });
        };
        let chunked = snapshot.chunked(record.id)?.unwrap_or_default();
        let text = snapshot.text(record.id)?.unwrap_or_default();
        let chunk = chunked.chunk_at(line).and_then(|at| chunked.chunks.get(at as usize));
        let lines = chunk.map(|chunk| chunk.lines).ok_or_else(|| Error::NoSuchLine {
            path: path.to_owned(),
            line,
            lines: text.lines().count(),
        })?;
        Ok(Self { text: lines.slice(&text).to_owned(), place: Some((path.to_owned(), lines)) })
    }

    fn is(&self, hit: &Hit) -> bool {
        self.place.as_ref().is_some_and(|(path, lines)| {
            hit.path == *path && hit.lines.start <= lines.end && lines.start <= hit.lines.end
        })
    }
}

/// The places most like it, itself left out.
pub fn similar(
    project: &Project,
    snapshot: &dyn Snapshot,
    like: &Like,
    filter: Filter,
    limit: usize,
) -> Result<SearchResponse> {
    // Pieces of the place itself may be among them.
    let request = SearchRequest {
        mode: Mode::Semantic,
        // A snippet's dashes and quotes are its own, and what is most alike is what was asked for.
        typed_filters: false,
        diverse: false,
        limit: limit + 3,
        filter,
        ..SearchRequest::new(like.text.as_str())
    };
    let mut response = search(project, snapshot, &request)?;
    response.hits.retain(|hit| !like.is(hit));
    response.hits.truncate(limit);
    Ok(response)
}
