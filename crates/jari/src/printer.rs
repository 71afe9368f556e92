//! What is printed. stdout is data, stderr is talk; text from files cannot move the cursor.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use jari_base::Explanation;
use jari_engine::documents::Page;
use jari_engine::search::Line;
use jari_engine::secrets;
use serde::Serialize;

use crate::failure::Failure;

pub(crate) const PATH: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const NAME: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
const MATCH: Style = AnsiColor::Yellow.on_default().bold();
const WRONG: Style = AnsiColor::Red.on_default().bold();
const HELP: Style = AnsiColor::Green.on_default().bold();

/// Masked secrets in all that was printed.
static MASKS: AtomicUsize = AtomicUsize::new(0);

/// Says that secrets were masked, if some were.
pub(crate) fn talk_masks() {
    talk_notes(&secrets::note(MASKS.load(Ordering::Relaxed)).into_iter().collect::<Vec<_>>());
}

/// Prints an answer.
pub(crate) fn data(text: &str) -> Result<(), Failure> {
    MASKS.fetch_add(secrets::count(text), Ordering::Relaxed);
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::Output)
}

/// Prints an answer as JSON, on one line if it is piped.
pub(crate) fn json(shape: &impl Serialize) -> Result<(), Failure> {
    let pretty = io::IsTerminal::is_terminal(&io::stdout());
    let text = if pretty { serde_json::to_string_pretty(shape) } else { serde_json::to_string(shape) };
    let text = text.map_err(|error| Failure::Output(error.into()))?;
    data(&format!("{}\n", escaped(&text)))
}

/// JSON in which what commands a terminal is escaped. Such characters stand in its strings alone, so it says the same.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && is_command(c) {
            let _ = write!(out, "\\u{:04x}", c as u32);
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a character commands a terminal, or changes the direction in which it writes.
fn is_command(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Says something to the user, on stderr.
pub(crate) fn talk(message: &str) {
    // With stderr closed there is nobody left to tell.
    let _ = writeln!(anstream::stderr(), "{message}");
}

pub(crate) fn talk_error(message: &str) {
    let lines: Vec<String> = message.lines().map(safe).collect();
    talk(&format!("{WRONG}error:{WRONG:#} {}", lines.join("\n")));
}

pub(crate) fn talk_hint(message: &str) {
    talk(&format!("{HELP}hint:{HELP:#} {}", safe(message)));
}

pub(crate) fn talk_notes(notes: &[String]) {
    for note in notes {
        talk(&format!("{FAINT}note:{FAINT:#} {}", safe(note)));
    }
}

/// Says that a document was not read as it should have been.
pub(crate) fn talk_degraded(page: &Page) {
    if page.is_degraded() {
        let note = format!("`{}` is not valid {}: read by a tolerant parser", page.path, page.language);
        talk_notes(&[note]);
    }
}

/// A line of a file with its number, matches marked.
pub(crate) fn line(out: &mut String, line: &Line) {
    let _ = write!(out, "{FAINT}{:>6}{FAINT:#}  ", line.number);
    marked(out, &line.text, &line.highlights);
    out.push('\n');
}

/// A line of a file with some of it marked.
pub(crate) fn marked(out: &mut String, text: &str, ranges: &[Range<usize>]) {
    let mut at = 0;
    for range in ranges {
        out.push_str(&safe(&text[at..range.start]));
        let _ = write!(out, "{MATCH}{}{MATCH:#}", safe(&text[range.clone()]));
        at = range.end;
    }
    out.push_str(&safe(&text[at..]));
}

/// The titles of a section; the document's own title stands before those that do not begin with it.
pub(crate) fn heading_path(title: Option<&str>, path: &[String]) -> String {
    let title = title.filter(|title| path.first().is_none_or(|first| first != title));
    let titles = title.into_iter().chain(path.iter().map(String::as_str));
    titles.map(safe).collect::<Vec<_>>().join(" › ")
}

/// How a score came to be, indented.
pub(crate) fn explanation(out: &mut String, explanation: &Explanation, depth: usize) {
    let _ = writeln!(
        out,
        "        {:indent$}{:.3}  {}",
        "",
        explanation.value,
        explanation.label,
        indent = depth * 3
    );
    for detail in &explanation.details {
        self::explanation(out, detail, depth + 1);
    }
}

/// Text from outside, with characters that command a terminal made visible; line breaks too, so that a name cannot
/// forge a line of ours.
pub(crate) fn safe(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => c,
            '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
            c if is_command(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// `1,204`
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 file`, `2 files`
pub(crate) fn plural(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(number), if number == 1 { "" } else { "s" })
}

/// `3 ms`, `1.4 s`
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 1.0 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.1} s") }
}

/// `1.2 MB`
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(1_204_567), "1,204,567");
        assert_eq!(count(12), "12");
        assert_eq!(plural(1, "file"), "1 file");
        assert_eq!(bytes(1_234_567), "1.2 MB");
        assert_eq!(duration(Duration::from_millis(1_420)), "1.4 s");
    }

    #[test]
    fn json_cannot_command_the_terminal_and_says_the_same() {
        let text = "a\u{9b}2Jb\u{202e}c\u{7f}\u{61c}\n\u{1b}";
        let json = serde_json::to_string_pretty(&[text]).expect("a text is JSON");
        let shown = escaped(&json);
        assert!(shown.contains("\\u009b") && shown.contains("\\u202e"), "{shown}");
        assert!(!shown.chars().any(|c| c != '\n' && is_command(c)), "{shown}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&shown).expect("it is JSON"), [text]);
    }

    #[test]
    fn file_text_cannot_command_the_terminal() {
        assert_eq!(safe("a\u{1b}[2Jb\u{202e}\nc"), "a␛[2Jb\u{fffd}␊c");
    }
}
