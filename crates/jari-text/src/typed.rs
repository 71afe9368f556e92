//! What people type: words, and between them filters like `lang:rust`, `-word` and `"a phrase"`.

/// A question as it was typed, its filters taken out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Typed {
    /// What is left to look for: words, phrases without their quotes, names after `symbol:`.
    pub words: String,
    /// After `path:`.
    pub paths: Vec<String>,
    /// After `-path:`.
    pub except_paths: Vec<String>,
    /// After `lang:`.
    pub languages: Vec<String>,
    /// After `kind:`.
    pub kinds: Vec<String>,
    /// After `symbol:`.
    pub symbols: Vec<String>,
    /// After a dash, a word or a phrase.
    pub without: Vec<String>,
    /// What looks like a filter and is none: `-lang:rust`.
    pub unknown: Vec<String>,
    /// In quotes.
    pub phrases: Vec<String>,
    /// Whether nothing but filters and phrases was typed: then places without the phrases are no answer. In a sentence quotes may
    /// be for emphasis.
    pub only_phrases: bool,
}

impl Typed {
    /// Takes `text` apart. A text of several lines is a report somebody pasted, in which dashes, colons and quotes are its own.
    pub fn new(text: &str) -> Self {
        if text.trim().contains('\n') {
            return Self { words: text.to_owned(), ..Self::default() };
        }
        let mut typed = Self { only_phrases: true, ..Self::default() };
        let mut words: Vec<String> = Vec::new();
        // Phones and word processors make quotes curly.
        let text = text.replace(['\u{201c}', '\u{201d}', '\u{201e}'], "\"");
        for piece in pieces(&text) {
            typed.take(piece, &mut words);
        }
        typed.only_phrases &= !typed.phrases.is_empty();
        typed.words = words.join(" ");
        typed
    }

    /// Whether it filters at all.
    pub fn filters(&self) -> bool {
        let Self {
            words: _,
            paths,
            except_paths,
            unknown,
            languages,
            kinds,
            symbols,
            without,
            phrases,
            only_phrases: _,
        } = self;
        [paths, except_paths, unknown, languages, kinds, symbols, without, phrases]
            .iter()
            .any(|list| !list.is_empty())
    }

    fn take(&mut self, piece: Piece, words: &mut Vec<String>) {
        let Piece { text, quoted } = piece;
        if let (true, Some(phrase)) = (quoted, inside(&text)) {
            self.phrases.push(phrase.to_owned());
            words.push(text.replace('"', ""));
            return;
        }
        if let Some(phrase) = text.strip_prefix('-').and_then(inside) {
            self.without.push(phrase.to_owned());
            return;
        }
        let value = |name: &str| text.strip_prefix(name).map(unquoted).filter(|value| is_value(value));
        if let Some(path) = value("path:") {
            self.paths.push(path);
        } else if let Some(path) = value("-path:") {
            self.except_paths.push(path);
        } else if let Some(language) = value("lang:").or_else(|| value("language:")) {
            self.languages.push(language);
        } else if ["-lang:", "-language:", "-kind:", "-symbol:"].iter().any(|name| value(name).is_some()) {
            self.unknown.push(text);
        } else if let Some(kind) = value("kind:") {
            self.kinds.push(kind);
        } else if let Some(symbol) = value("symbol:") {
            words.push(symbol.clone());
            self.symbols.push(symbol);
            self.only_phrases = false;
        } else if let Some(word) =
            text.strip_prefix('-').filter(|word| !words.is_empty() && is_excluded(word))
        {
            self.without.push(word.to_owned());
        } else {
            words.push(text);
            self.only_phrases = false;
        }
    }
}

/// `Path` of `path::Path` is no value, and neither is nothing.
fn is_value(value: &str) -> bool {
    !value.is_empty() && !value.starts_with(':')
}

/// Whether `-word` leaves out places. `-v` and `--verbose` are flags, and what begins a question is asked for.
fn is_excluded(word: &str) -> bool {
    word.chars().count() > 1
        && word.starts_with(char::is_alphabetic)
        && word.chars().all(|c| c.is_alphanumeric() || c == '_')
}

struct Piece {
    text: String,
    quoted: bool,
}

/// The text between blanks, where quotes keep blanks inside.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = end_of(rest);
        let (piece, after) = rest.split_at(end);
        pieces.push(Piece {
            text: piece.to_owned(),
            quoted: piece.starts_with('"') && piece[1..].contains('"'),
        });
        rest = after.trim_start();
    }
    pieces
}

/// Where the first piece ends. A quote that is opened at its beginning, after a dash or after a filter's colon, lasts until it is closed; one that
/// never is, is a sign like others.
fn end_of(text: &str) -> usize {
    let blank = text.find(char::is_whitespace).unwrap_or(text.len());
    let Some(open) = text[..blank].find('"') else { return blank };
    if open > 0 && &text[..open] != "-" && !text[..open].ends_with(':') {
        return blank;
    }
    let Some(close) = text[open + 1..].find('"') else { return blank };
    let closed = open + 1 + close + 1;
    // What is glued to the closing quote belongs to it: `"phrase",` and `"phrase"은`.
    closed + text[closed..].find(char::is_whitespace).unwrap_or(text.len() - closed)
}

/// What stands between the first two quotes, if it is a phrase that can be looked for.
fn inside(text: &str) -> Option<&str> {
    let phrase = text.strip_prefix('"')?.split('"').next()?.trim();
    phrase.chars().any(char::is_alphanumeric).then_some(phrase)
}

fn unquoted(value: &str) -> String {
    value.trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_taken_out() {
        let typed =
            Typed::new("retry lang:rust path:src/net -path:tests kind:function symbol:send_all -legacy");
        assert_eq!(typed.words, "retry send_all");
        assert_eq!((typed.languages, typed.paths), (vec!["rust".to_owned()], vec!["src/net".to_owned()]));
        assert_eq!((typed.kinds, typed.symbols), (vec!["function".to_owned()], vec!["send_all".to_owned()]));
        assert_eq!(
            (typed.without, typed.except_paths),
            (vec!["legacy".to_owned()], vec!["tests".to_owned()])
        );
    }

    #[test]
    fn phrases_bind_only_where_nothing_else_is_asked() {
        let only = Typed::new("\"connection reset\" lang:go");
        assert!(
            only.only_phrases && only.phrases == ["connection reset"] && only.words == "connection reset"
        );
        let sentence = Typed::new("where do we \"remember\" the user's choice");
        assert!(!sentence.only_phrases && sentence.phrases == ["remember"]);
        assert_eq!(Typed::new("path:\"my docs\" setup").paths, ["my docs"]);
    }

    #[test]
    fn phrases_are_left_out_after_a_dash() {
        let typed = Typed::new("recovery -\"stack\" -\"a stack trace\" of panics");
        assert_eq!(
            (typed.words.as_str(), typed.without),
            ("recovery of panics", vec!["stack".into(), "a stack trace".into()])
        );
        assert!(typed.phrases.is_empty() && !typed.only_phrases);
    }

    #[test]
    fn curly_quotes_are_quotes() {
        assert_eq!(Typed::new("\u{201c}connection pool\u{201d}"), Typed::new("\"connection pool\""));
    }

    #[test]
    fn what_cannot_be_left_out_is_told() {
        assert_eq!(Typed::new("take -lang:python").unknown, ["-lang:python"]);
    }

    #[test]
    fn what_only_looks_like_a_filter_is_text() {
        for text in [
            "path::Path join",
            "std::path: what is it",
            "what does -v do",
            "pass --verbose to cargo",
            "-race detector",
            "well-known names",
            "an \"unclosed quote",
            "kind: of",
            "5\" screen",
            "title\n\n-removed lang:rust \"x y\"",
        ] {
            let typed = Typed::new(text);
            assert!(!typed.filters(), "{text}: {typed:?}");
            assert_eq!(typed.words, text);
        }
    }
}
