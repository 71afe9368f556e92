//! Documents and their sections as resources: `jari:///docs/guide.md`, `jari:///docs/guide.md#guide/install`.

use jari_engine::Error;
use jari_engine::documents::{Extent, Found, Page, Which, section};
use jari_engine::narrow::{self, Only};
use rmcp::ErrorData;
use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::call::{Call, Refusal};

/// How every address begins.
pub(crate) const SCHEME: &str = "jari:///";

/// Resources in one answer.
const PAGE: usize = 200;

const MARKDOWN: &str = "text/markdown";

/// The documents of the project, by path.
pub(crate) fn list(call: &Call<'_>, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
    let first: usize = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse()
            .map_err(|_| ErrorData::invalid_params(format!("no answer gave the cursor `{cursor}`"), None))?,
    };
    let source = call.paths().map_err(|refusal| failed(&refusal))?;
    let languages = narrow::languages(&[], Some(Only::Documents)).map_err(|error| failed(&error.into()))?;
    let files = source.snapshot.files().map_err(|error| failed(&Error::from(error).into()))?;
    let documents: Vec<_> = files
        .iter()
        .filter(|record| {
            record.skip.is_none() && languages.iter().any(|language| language == record.language.as_str())
        })
        .collect();
    let resource = |record: &&jari_store::FileRecord| {
        let mime = if record.language.as_str() == "markdown" { MARKDOWN } else { "text/plain" };
        Resource::new(address(&record.path), record.path.clone())
            .with_mime_type(mime)
            .with_size(record.stamp.size)
    };
    let mut page =
        ListResourcesResult::with_all_items(documents.iter().skip(first).take(PAGE).map(resource).collect());
    page.next_cursor = (first + PAGE < documents.len()).then(|| (first + PAGE).to_string());
    Ok(page)
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("jari:///{+path}", "document")
            .with_title("A document")
            .with_description("A document of the project, by its path"),
        ResourceTemplate::new("jari:///{+path}#{+section}", "section")
            .with_title("A section")
            .with_description("A section with its subsections, by the id that doc_toc and searches give")
            .with_mime_type(MARKDOWN),
    ]
}

/// The text of a document or section.
pub(crate) fn read(call: &Call<'_>, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let missing = |why: String| ErrorData::resource_not_found(why, Some(serde_json::json!({ "uri": uri })));
    let Some(inside) = uri.strip_prefix(SCHEME) else {
        return Err(missing(format!(
            "no resource is called `{uri}`: addresses look like jari:///docs/guide.md"
        )));
    };
    let (path, id) = inside.split_once('#').map_or((inside, None), |(path, id)| (path, Some(decoded(id))));
    let page = Page::open(call.project(), &call.path(&decoded(path))).map_err(|error| match error {
        Error::Source(_) | Error::Store(_) => failed(&error.into()),
        error => missing(Refusal::from(error).to_string()),
    })?;
    let text = match id {
        None => page.text.clone(),
        Some(id) => {
            let found = section(&page, &Which::Id(id.clone()), Extent { with_subsections: true, raw: true });
            match found.map_err(|error| missing(error.to_string()))? {
                Found::Section(found) => found.text,
                Found::Nothing { .. } => {
                    return Err(missing(format!("`{}` has no section `{id}`", page.path)));
                }
            }
        }
    };
    let mime = if page.language.as_str() == "markdown" { MARKDOWN } else { "text/plain" };
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(mime)]))
}

fn failed(refusal: &Refusal) -> ErrorData {
    ErrorData::internal_error(refusal.to_string(), None)
}

/// The address of a path: what would end or split it is written in percent.
fn address(path: &str) -> String {
    let mut address = SCHEME.to_owned();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                address.push(byte as char);
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

/// Without percent signs.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.filter(|_| *first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_its_path() {
        for path in ["docs/guide.md", "문서/설치 방법.md", "a#b?c%20.md"] {
            let address = address(path);
            assert!(address.is_ascii() && !address[SCHEME.len()..].contains(['#', '?', ' ']), "{address}");
            assert_eq!(decoded(&address[SCHEME.len()..]), path);
        }
        assert_eq!(decoded("100%"), "100%");
    }
}
