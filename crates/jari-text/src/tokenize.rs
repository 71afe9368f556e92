//! Text in, words out, each with its place.

use std::cell::RefCell;
use std::ops::Range;

use crate::hangul;
use crate::identifier::parts;
use crate::stem::Stems;

/// Longer runs are hashes, keys or encoded data: nobody types them.
const LONGEST: usize = 64;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    /// As it stands in the postings: lower case, stemmed where it is plain English.
    pub text: &'a str,
    /// What it is.
    pub kind: TokenKind,
    /// The bytes of the text it was made from.
    pub range: Range<usize>,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word that is no compound, or a part of an identifier: stemmed.
    Word,
    /// A compound identifier as a whole: `parse_header`, `utf8`, `kebab-case`.
    Identifier,
    /// A word of another script, without its particle if it is Korean.
    Foreign,
    /// Two neighbouring syllables of such a word.
    Bigram,
}

/// Makes words. Holds what is worth keeping between texts, so keep one a thread.
pub struct Tokenizer {
    stems: Stems,
    lower: String,
}

thread_local! {
    static OWN: RefCell<Tokenizer> = RefCell::new(Tokenizer::default());
}

impl Tokenizer {
    /// Lends out this thread's tokenizer, which remembers the stems of earlier texts.
    pub fn of_thread<T>(act: impl FnOnce(&mut Tokenizer) -> T) -> T {
        OWN.with(|own| match own.try_borrow_mut() {
            Ok(mut tokenizer) => act(&mut tokenizer),
            Err(_) => act(&mut Tokenizer::default()),
        })
    }
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self { stems: Stems::new(), lower: String::new() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    /// ASCII letters, digits and `_`.
    Ascii,
    /// Hangul syllables.
    Hangul,
    /// Scripts written without spaces.
    Dense,
    /// Letters of any other script.
    Letter,
    /// Everything that parts words.
    None,
}

fn script(c: char) -> Script {
    match c {
        '_' => Script::Ascii,
        c if c.is_ascii() => {
            if c.is_ascii_alphanumeric() {
                Script::Ascii
            } else {
                Script::None
            }
        }
        c if hangul::is_syllable(c) => Script::Hangul,
        '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' => Script::Dense,
        c if c.is_alphanumeric() => Script::Letter,
        _ => Script::None,
    }
}

impl Tokenizer {
    /// Calls `emit` for each word of `text`, in order.
    pub fn tokens(&mut self, text: &str, emit: impl FnMut(Token<'_>)) {
        self.stemmed_where(|_| true, text, emit);
    }

    /// The same tokens with words as they stand there, in lower case: for those who do not look stems up, which is half the work.
    pub fn unstemmed(&mut self, text: &str, emit: impl FnMut(Token<'_>)) {
        self.stemmed_where(|_| false, text, emit);
    }

    /// The same tokens, of which those words are stemmed that, in lower case, are `wanted` so.
    pub(crate) fn stemmed_where(
        &mut self,
        wanted: impl Fn(&str) -> bool,
        text: &str,
        mut emit: impl FnMut(Token<'_>),
    ) {
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut kebab = 0;
        while at < bytes.len() {
            let start = at;
            if bytes[at].is_ascii() {
                if !is_word_byte(bytes[at]) {
                    at += 1;
                    continue;
                }
                while at < bytes.len() && is_word_byte(bytes[at]) {
                    at += 1;
                }
                // An accented letter makes it a plain word: `naïve`.
                let joins = text[at..].chars().next().is_some_and(|c| script(c) == Script::Letter);
                if !joins {
                    self.identifier(&wanted, text, start..at, &mut emit);
                    if start >= kebab {
                        kebab = self.kebab(text, start..at, &mut emit);
                    }
                    continue;
                }
            }
            let first = text[start..].chars().next().expect("start is inside the text");
            let found = if bytes[start].is_ascii() { Script::Letter } else { script(first) };
            at = text[start..]
                .char_indices()
                .find(|&(_, c)| {
                    let here = script(c);
                    here != found && !(found == Script::Letter && here == Script::Ascii)
                })
                .map_or(text.len(), |(offset, _)| start + offset);
            if at == start {
                at += first.len_utf8();
            }
            match found {
                Script::Hangul => self.korean(text, start..at, &mut emit),
                Script::Dense => dense(text, start..at, &mut emit),
                Script::Letter => self.letters(text, start..at, &mut emit),
                Script::Ascii | Script::None => {}
            }
        }
    }

    /// The words of `text`, one a line: the form in which texts reach a store.
    pub fn lines(&mut self, text: &str) -> String {
        let mut lines = String::with_capacity(text.len());
        self.tokens(text, |token| {
            lines.push_str(token.text);
            lines.push('\n');
        });
        lines
    }

    fn identifier(
        &mut self,
        wanted: &impl Fn(&str) -> bool,
        text: &str,
        range: Range<usize>,
        emit: &mut impl FnMut(Token<'_>),
    ) {
        let identifier = &text[range.clone()];
        let mut pieces = parts(identifier);
        let Some(first) = pieces.next() else { return };
        let compound = first != (0..identifier.len());
        if compound && identifier.len() <= LONGEST {
            self.lower.clear();
            self.lower.push_str(identifier);
            self.lower.make_ascii_lowercase();
            emit(Token { text: &self.lower, kind: TokenKind::Identifier, range: range.clone() });
        }
        for piece in std::iter::once(first).chain(pieces) {
            let lone_letter =
                compound && piece.len() == 1 && !identifier.as_bytes()[piece.start].is_ascii_digit();
            if lone_letter || piece.len() > LONGEST {
                continue;
            }
            self.lower.clear();
            self.lower.push_str(&identifier[piece.clone()]);
            self.lower.make_ascii_lowercase();
            let place = range.start + piece.start..range.start + piece.end;
            let text = if wanted(&self.lower) { self.stems.stem(&self.lower) } else { &self.lower };
            emit(Token { text, kind: TokenKind::Word, range: place });
        }
    }

    /// `first-second-third` as one identifier; returns where it ends. Single letters are arithmetic, not names.
    fn kebab(&mut self, text: &str, first: Range<usize>, emit: &mut impl FnMut(Token<'_>)) -> usize {
        let bytes = text.as_bytes();
        let mut end = first.end;
        let mut shortest = first.len();
        while end < bytes.len() && bytes[end] == b'-' {
            let start = end + 1;
            let stop = start + bytes[start..].iter().take_while(|byte| is_word_byte(**byte)).count();
            if stop == start {
                break;
            }
            shortest = shortest.min(stop - start);
            end = stop;
        }
        if end > first.end && shortest >= 2 && end - first.start <= LONGEST {
            self.lower.clear();
            self.lower.push_str(&text[first.start..end]);
            self.lower.make_ascii_lowercase();
            emit(Token { text: &self.lower, kind: TokenKind::Identifier, range: first.start..end });
        }
        end
    }

    fn letters(&mut self, text: &str, range: Range<usize>, emit: &mut impl FnMut(Token<'_>)) {
        if range.len() > LONGEST {
            return;
        }
        self.lower.clear();
        self.lower.extend(text[range.clone()].chars().flat_map(char::to_lowercase));
        emit(Token { text: &self.lower, kind: TokenKind::Foreign, range });
    }

    fn korean(&mut self, text: &str, range: Range<usize>, emit: &mut impl FnMut(Token<'_>)) {
        let word = &text[range.clone()];
        let stem = hangul::strip_particle(word);
        let place = range.start..range.start + stem.len();
        if stem.len() <= LONGEST {
            emit(Token { text: stem, kind: TokenKind::Foreign, range: place.clone() });
        }
        if let Some(syllable) = hangul::lone_syllable(stem) {
            emit(Token {
                text: syllable,
                kind: TokenKind::Foreign,
                range: place.start..place.start + syllable.len(),
            });
        }
        pairs(text, place, emit);
    }
}

/// A run of a script without spaces: its pairs, or itself if it is a single character.
fn dense(text: &str, range: Range<usize>, emit: &mut impl FnMut(Token<'_>)) {
    let mut chars = text[range.clone()].chars();
    if chars.next().is_some() && chars.next().is_none() {
        emit(Token { text: &text[range.clone()], kind: TokenKind::Foreign, range });
    } else {
        pairs(text, range, emit);
    }
}

/// Bigrams of a run, but not a bigram that is the whole run once more.
fn pairs(text: &str, range: Range<usize>, emit: &mut impl FnMut(Token<'_>)) {
    let run = &text[range.clone()];
    let whole_was_said = hangul::is_syllable(run.chars().next().unwrap_or_default());
    for pair in hangul::bigrams(run) {
        if whole_was_said && pair.len() == run.len() {
            continue;
        }
        let start = pair.as_ptr() as usize - text.as_ptr() as usize;
        emit(Token { text: pair, kind: TokenKind::Bigram, range: start..start + pair.len() });
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        let words = Tokenizer::default().lines(text);
        assert_eq!(words.lines().collect::<Vec<_>>().join(" "), expected, "{text}");
    }

    #[test]
    fn identifiers_are_kept_whole_and_split() {
        check("HTTPServer2", "httpserver2 http server 2");
        check("parse_headers", "parse_headers pars header");
        check("retryWithBackoff", "retrywithbackoff retri with backoff");
        check("__init__", "__init__ init");
    }

    #[test]
    fn kebab_names_are_whole_too_but_arithmetic_is_not() {
        check("--max-tokens", "max max-tokens token");
        check("a-b", "a b");
        check("one-two-three", "one one-two-three two three");
    }

    #[test]
    fn words_are_stemmed() {
        check("validation validates validator", "valid valid valid");
        check("the cats are running", "the cat are run");
    }

    #[test]
    fn words_can_be_had_as_they_are() {
        let mut words = Vec::new();
        Tokenizer::default().unstemmed("Running parseHeaders", |token| words.push(token.text.to_owned()));
        assert_eq!(words, ["running", "parseheaders", "parse", "headers"]);
    }

    #[test]
    fn korean_words_lose_particles_and_gain_bigrams() {
        check("결제를", "결제");
        check("데이터베이스에서", "데이터베이스 데이 이터 터베 베이 이스");
        check("값을", "값을 값");
        check("결제 handler", "결제 handler");
        check("결제handler", "결제 handler");
    }

    #[test]
    fn other_scripts_are_words_too() {
        check("naïve Straße", "naïve straße");
        check("検索結果", "検索 索結 結果");
        check("読", "読");
    }

    #[test]
    fn data_is_no_word() {
        check(&"a".repeat(65), "");
        check("…—« »", "");
    }

    proptest! {
        #[test]
        fn places_lie_inside_the_text_and_words_are_one_line(text in "\\PC{0,80}") {
            Tokenizer::default().tokens(&text, |token| {
                assert!(text.get(token.range.clone()).is_some());
                assert!(!token.text.is_empty() && !token.text.contains('\n'));
            });
        }
    }
}
