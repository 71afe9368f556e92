//! What stands above a chunk: its section's title, or the words of its path.

use jari_base::{Chunk, Chunked, Section};

/// The heading of a chunk of the file at `path`, for [`crate::Document`].
///
/// In documents a section's own title says what it is about, and the page's title where it belongs: twice the one and once
/// the other measured better than either alone or than all titles between; with those of all short sections of one chunk Korean
/// headings find English sections with 0.860 instead of 0.851. In code it is the path, without its ending and
/// without numbers, which say nothing; the name of what is defined stands in the text already, and once more made it worse.
pub fn heading(path: &str, chunked: &Chunked, chunk: &Chunk) -> String {
    let document = chunked.document.as_ref().zip(chunk.section);
    let held = document
        .and_then(|(document, at)| Some((document, document.sections.get(at as usize..)?.split_first()?)));
    let Some((document, (section, next))) = held else { return path_heading(path) };
    let page = document.title.as_deref().unwrap_or_default();
    let own = if section.title.is_empty() { page } else { &section.title };
    let mut heading = format!("{page} {own} {own}");
    // Short sections that share a chunk: it is about each of them.
    for Section { title, .. } in next.iter().take_while(|next| next.lines.start <= chunk.lines.end) {
        heading.push_str(&format!(" {title} {title}"));
    }
    heading
}

/// What else stands above a chunk of a document, for [`crate::Document`]: the page's path, and all titles around the sections it touches.
pub fn around(path: &str, chunked: &Chunked, chunk: &Chunk) -> String {
    let Some((document, first)) = chunked.document.as_ref().zip(chunk.section) else { return String::new() };
    let mut around = path_heading(path);
    around.extend(document.title.iter().flat_map(|title| [" ", title]));
    let touched = document.sections.iter().enumerate().skip(first as usize);
    for (at, _) in touched.take_while(|(_, section)| section.lines.start <= chunk.lines.end) {
        document.heading_path(at as u32).iter().for_each(|title| around.extend([" ", title]));
    }
    around
}

/// The words of a path, without its ending and without numbers.
pub fn path_heading(path: &str) -> String {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    let end = path[name..].rfind('.').filter(|at| *at > 0).map_or(path.len(), |at| name + at);
    path[..end].replace(|c: char| c.is_ascii_digit(), " ")
}

#[cfg(test)]
mod tests {
    use jari_base::{ChunkKind, ContentHash, Document, LineRange};

    use super::*;

    fn chunk(section: Option<u32>, start: u32, end: u32) -> Chunk {
        let lines = LineRange::new(start, end);
        Chunk { kind: ChunkKind::Section, lines, symbol: None, doc: None, section, head: None }
    }

    #[test]
    fn code_stands_below_its_path_and_sections_below_their_titles() {
        let code = Chunked::default();
        assert_eq!(heading("src/net.d/retry2.test.rs", &code, &chunk(None, 1, 2)), "src/net.d/retry .test");
        assert_eq!(heading("bin/.profile", &code, &chunk(None, 1, 2)), "bin/.profile");
        let section = |title: &str, line: u32| Section {
            title: title.to_owned(),
            level: 1,
            parent: None,
            id: String::new(),
            anchor: String::new(),
            lines: LineRange::new(line, line + 1),
            whole: LineRange::new(line, line + 1),
            bytes: 0..1,
            hash: ContentHash([0; 16]),
        };
        let sections = vec![section("", 1), section("Retries", 3)];
        let document = Document { title: Some("Networking".to_owned()), sections, ..Document::default() };
        let page = Chunked { document: Some(document), ..Chunked::default() };
        assert_eq!(heading("docs/net.md", &page, &chunk(Some(1), 3, 4)), "Networking Retries Retries");
        assert_eq!(heading("docs/net.md", &page, &chunk(Some(0), 1, 2)), "Networking Networking Networking");
        let mut page = page;
        let sections = &mut page.document.as_mut().expect("it was put").sections;
        sections.push(section("Timeouts", 5));
        sections.push(section("Elsewhere", 7));
        let both = "Networking Retries Retries Timeouts Timeouts";
        assert_eq!(heading("docs/net.md", &page, &chunk(Some(1), 3, 6)), both);
    }
}
