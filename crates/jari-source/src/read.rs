//! One file: its text and hash, or why it is skipped.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
#[cfg(unix)]
use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use jari_base::{ContentHash, Skip, Stamp};

use crate::{Limits, decode, secrets};

/// Endings of formats that minifiers and exporters put on one line.
const SQUEEZABLE: &[&str] =
    &["cjs", "css", "geojson", "htm", "html", "js", "json", "jsx", "mjs", "svg", "ts", "xml"];

/// A file with lines longer than this on the mean was not written by a person.
const SQUEEZED_LINE: usize = 300;

/// Short files are read whatever their lines look like.
const SQUEEZED_FILE: usize = 4_000;

/// How many lines at the top may say that a machine wrote the file.
const HEADER_LINES: usize = 12;

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contents {
    /// Text worth indexing, with the hash of its bytes.
    Text {
        /// Decoded to UTF-8, secrets masked; line breaks as they are.
        text: String,
        /// Of the bytes on disk.
        hash: ContentHash,
    },
    /// Not indexed.
    Skipped(Skip),
}

/// Reads the file at `path`, which the walk met as `name`.
pub fn read(path: &Path, limits: &Limits) -> Contents {
    let hashed = bytes(path, limits, Vec::new()).and_then(|bytes| {
        let hash = hash(&bytes);
        Ok(Contents::Text { text: text(path, bytes)?, hash })
    });
    hashed.unwrap_or_else(Contents::Skipped)
}

/// The text of the file at `path`, without its hash and with its secrets: for those who look at many files and show few. What they
/// show, they mask. `room` is memory that they no longer need.
pub fn read_unmasked(path: &Path, limits: &Limits, room: Vec<u8>) -> Result<String, Skip> {
    unmasked(path, bytes(path, limits, room)?)
}

/// The most bytes of a file that says how we behave: settings and ignore rules. Those that people write have a few thousand.
const SMALL: u64 = 1024 * 1024;

/// The bytes of a small file of the project that says how we behave, and its stamp. A link is refused, for it could lead to anything; so is
/// what never begins or never ends.
pub fn read_small(path: &Path) -> io::Result<(Vec<u8>, Stamp)> {
    let is_link = || std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    let file = open(path).map_err(|error| match is_link() {
        true => io::Error::other("it is a link, and links are not followed"),
        false => error,
    });
    small(file?)
}

/// The same for a file of the user's own, which may be a link: many keep their settings elsewhere.
pub fn read_small_of_user(path: &Path) -> io::Result<(Vec<u8>, Stamp)> {
    small(open_with(path, 0)?)
}

fn small(file: File) -> io::Result<(Vec<u8>, Stamp)> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large, whatever the system says of its size.
    file.take(SMALL + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > SMALL {
        true => Err(io::Error::other(format!("it has more than {SMALL} bytes"))),
        false => Ok((bytes, stamp_of(&metadata))),
    }
}

/// Why a file is skipped that the system did not give us.
pub(crate) fn reason(error: &io::Error) -> Skip {
    if is_passing(error) { Skip::NotNow } else { Skip::Unreadable }
}

/// Whether an error says that the system is short of something, and nothing of the file.
#[cfg(unix)]
fn is_passing(error: &io::Error) -> bool {
    use libc::{EAGAIN, EBUSY, EINTR, EIO, EMFILE, ENFILE, ENOMEM, ESTALE, ETIMEDOUT};
    let passing = [EAGAIN, EBUSY, EINTR, EIO, EMFILE, ENFILE, ENOMEM, ESTALE, ETIMEDOUT];
    error.raw_os_error().is_some_and(|number| passing.contains(&number))
}

/// Whether an error says that the system is short of something, and nothing of the file.
#[cfg(not(unix))]
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, OutOfMemory, ResourceBusy, TimedOut};
    matches!(error.kind(), Interrupted | OutOfMemory | ResourceBusy | TimedOut)
}

fn bytes(path: &Path, limits: &Limits, room: Vec<u8>) -> Result<Vec<u8>, Skip> {
    let file = open(path).map_err(|error| reason(&error))?;
    let metadata = file.metadata().map_err(|error| reason(&error))?;
    // It may have become something else since the walk saw it: a device never ends, and a pipe never begins.
    if !metadata.is_file() {
        return Err(Skip::Unreadable);
    }
    let size = metadata.len();
    let mut bytes = room;
    bytes.clear();
    bytes.reserve(size.min(limits.max_file_size) as usize + 1);
    // One byte more than allowed tells a file that has grown since the walk.
    file.take(limits.max_file_size + 1).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    if bytes.len() as u64 > limits.max_file_size { Err(Skip::TooLarge) } else { Ok(bytes) }
}

/// Opens a file that may have been replaced: links are not followed, and nothing is waited for.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    open_with(path, libc::O_NOFOLLOW)
}

/// Opens a file that may have been replaced. Links are not told from files here.
#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    open_with(path, 0)
}

/// Opens a file without waiting for anything.
fn open_with(path: &Path, flags: i32) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags | libc::O_NONBLOCK);
    #[cfg(not(unix))]
    let _ = flags;
    options.open(path)
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Skip> {
    let text = unmasked(path, bytes)?;
    match secrets::masked(&text) {
        Cow::Owned(masked) => Ok(masked),
        Cow::Borrowed(_) => Ok(text),
    }
}

fn unmasked(path: &Path, bytes: Vec<u8>) -> Result<String, Skip> {
    let text = decode::text(bytes).ok_or(Skip::Binary)?;
    skip(path, &text).map_or(Ok(text), Err)
}

/// What the file system says of a file; `None` if it is no regular file any more, or none that we may read.
pub fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    (metadata.is_file() && is_readable(&metadata)).then(|| stamp_of(&metadata))
}

/// Whether we may read a file, as far as the file system tells without opening it.
#[cfg(unix)]
pub(crate) fn is_readable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    may_read(metadata.mode(), metadata.uid())
}

/// Whether we may read a file, as far as the file system tells without opening it.
#[cfg(not(unix))]
pub(crate) fn is_readable(_: &std::fs::Metadata) -> bool {
    true
}

/// Whether we may read a file of this mode and owner. Our groups are not asked for: what a group may read is opened.
#[cfg(unix)]
pub(crate) fn may_read(mode: u32, owner: u32) -> bool {
    static WE: LazyLock<rustix::process::Uid> = LazyLock::new(rustix::process::geteuid);
    let bits = if WE.as_raw() == owner { 0o400 } else { 0o044 };
    WE.is_root() || mode & bits != 0
}

pub(crate) fn stamp_of(metadata: &std::fs::Metadata) -> Stamp {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Stamp { size: metadata.len(), modified: modified.map_or(0, |since| since.as_nanos() as i64) }
}

fn hash(bytes: &[u8]) -> ContentHash {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    ContentHash(short)
}

fn skip(path: &Path, text: &str) -> Option<Skip> {
    if text.trim_start().starts_with("-----BEGIN") && text.contains("PRIVATE KEY-----") {
        return Some(Skip::Secret);
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let lines = || memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    if SQUEEZABLE.contains(&ending) && text.len() > SQUEEZED_FILE && text.len() / lines() > SQUEEZED_LINE {
        return Some(Skip::Minified);
    }
    text.lines().take(HEADER_LINES).any(says_generated).then_some(Skip::Generated)
}

/// The two conventions that linters and review tools agree on: `@generated`, and `generated … DO NOT EDIT`.
fn says_generated(line: &str) -> bool {
    let comment = line.trim_start().starts_with(['/', '#', '*', '-', ';', '<', '%', '(', '"']);
    let marked = || line.split(|c: char| !(c.is_alphanumeric() || c == '@')).any(|word| word == "@generated");
    comment && (marked() || (line.contains("DO NOT EDIT") && line.to_ascii_lowercase().contains("generated")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, contents: &[u8], expected: Option<Skip>) {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join(name);
        std::fs::write(&path, contents).unwrap();
        let skipped = match read(&path, &Limits { max_file_size: 10_000, ..Limits::default() }) {
            Contents::Text { .. } => None,
            Contents::Skipped(skip) => Some(skip),
        };
        assert_eq!(skipped, expected, "{name}");
    }

    #[test]
    fn each_reason_has_its_file() {
        check("a.rs", b"fn main() {}\n", None);
        check("a.rs", b"\x00\x01\x02binary", Some(Skip::Binary));
        check("a.rs", &[b'x'; 10_001], Some(Skip::TooLarge));
        check("a.js", "x".repeat(5_000).as_bytes(), Some(Skip::Minified));
        check("a.md", "long prose ".repeat(500).as_bytes(), None);
        check(
            "a.go",
            b"// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\n",
            Some(Skip::Generated),
        );
        check("a.rs", b"// @generated by a tool\n", Some(Skip::Generated));
        check("a.rs", b"let marker = \"@generated\";\n", None);
        check("deploy", b"-----BEGIN RSA PRIVATE KEY-----\nabc\n", Some(Skip::Secret));
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_file_any_more_is_not_read() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("real"), "text").unwrap();
        std::os::unix::fs::symlink(temp.path().join("real"), temp.path().join("link")).unwrap();
        assert!(
            std::process::Command::new("mkfifo").arg(temp.path().join("pipe")).status().unwrap().success()
        );
        for path in
            [temp.path().join("link"), temp.path().join("pipe"), "/dev/zero".into(), "/dev/null".into()]
        {
            let contents = read(&path, &Limits::default());
            assert_eq!(contents, Contents::Skipped(Skip::Unreadable), "{}", path.display());
        }
    }

    #[test]
    #[cfg(unix)]
    fn small_files_are_regular_and_small() {
        let temp = tempfile::tempdir().unwrap();
        let path = |name: &str| temp.path().join(name);
        std::fs::write(path("real"), "text").unwrap();
        std::fs::write(path("large"), "x".repeat(SMALL as usize + 1)).unwrap();
        std::os::unix::fs::symlink(path("real"), path("link")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        assert_eq!(read_small(&path("real")).unwrap().0, b"text");
        for odd in [path("link"), path("large"), path("pipe"), "/dev/zero".into(), temp.path().to_owned()] {
            assert!(read_small(&odd).is_err(), "{}", odd.display());
        }
        assert_eq!(read_small_of_user(&path("link")).unwrap().0, b"text");
        for odd in [path("large"), path("pipe"), "/dev/zero".into()] {
            assert!(read_small_of_user(&odd).is_err(), "{}", odd.display());
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_shortage_says_nothing_of_the_file() {
        for number in [libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::EIO] {
            assert_eq!(reason(&io::Error::from_raw_os_error(number)), Skip::NotNow);
        }
        for number in [libc::EACCES, libc::ENOENT, libc::ELOOP] {
            assert_eq!(reason(&io::Error::from_raw_os_error(number)), Skip::Unreadable);
        }
    }

    #[test]
    fn a_missing_file_is_unreadable() {
        let contents = read(Path::new("/nonexistent/file"), &Limits::default());
        assert_eq!(contents, Contents::Skipped(Skip::Unreadable));
    }
}
