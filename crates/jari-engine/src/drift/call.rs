//! What a call gives and what a definition takes, read from their text. Whatever is not plain is left unread: nothing is said of it.

use std::ops::Range;

/// How the languages that are read write calls and definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    CSharp,
    Go,
    Java,
    Kotlin,
    Python,
    Rust,
    /// JavaScript and TypeScript: whoever gives fewer than are declared is right as often as not.
    Script,
}

impl Family {
    pub(super) fn of(language: &str) -> Option<Self> {
        Some(match language {
            "csharp" => Self::CSharp,
            "go" => Self::Go,
            "java" => Self::Java,
            "kotlin" => Self::Kotlin,
            "python" => Self::Python,
            "rust" => Self::Rust,
            "javascript" | "typescript" | "tsx" => Self::Script,
            _ => return None,
        })
    }

    /// What stands between the name of an argument and its value.
    fn names_by(self) -> Option<char> {
        match self {
            Self::Python | Self::Kotlin => Some('='),
            Self::CSharp => Some(':'),
            Self::Go | Self::Java | Self::Rust | Self::Script => None,
        }
    }

    fn comment(self) -> &'static str {
        if self == Self::Python { "#" } else { "//" }
    }
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Given {
    positional: usize,
    named: Vec<String>,
}

impl Given {
    pub(super) fn is_empty(&self) -> bool {
        self.positional == 0 && self.named.is_empty()
    }

    /// The arguments of the one call of `name` in `line`, which may end below it: `below` begins with the line.
    pub(super) fn of(family: Family, name: &str, line: &str, below: &str) -> Option<Self> {
        let mut calls = opened(name, line);
        let open = calls.next()?;
        if calls.next().is_some() {
            return None;
        }
        let (parts, end) = parts(family, below, open, false)?;
        // A block behind the call is one argument more.
        if family == Family::Kotlin && below[end..].trim_start().starts_with('{') {
            return None;
        }
        let mut given = Self::default();
        for part in parts.into_iter().map(|part| &below[part]) {
            let unsure = part.starts_with('*') || part.contains("..") || part.contains(['…', '<', '|', '$']);
            if unsure || part.contains("=>") || part.contains("->") || part.contains("lambda ") {
                return None;
            }
            match family.names_by().and_then(|mark| named(part, mark)) {
                Some(name) => given.named.push(name.to_owned()),
                None => given.positional += 1,
            }
        }
        Some(given)
    }
}

/// The parameters of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Taken {
    /// In their order: the name, and whether it can be left out.
    positional: Vec<(String, bool)>,
    /// Those that are given by name alone.
    named: Vec<(String, bool)>,
    any_positional: bool,
    any_named: bool,
    /// Whether all further ones are given by name alone.
    by_name_alone: bool,
    /// Whether the first stood for the object itself, and is not counted.
    has_self: bool,
}

impl Taken {
    /// The parameters of the definition of `name` that `text` begins with.
    pub(super) fn of(family: Family, name: &str, text: &str) -> Option<Self> {
        let open = opened(name, text).next()?;
        let (parts, _) = parts(family, text, open, true)?;
        let mut taken = Self::default();
        for (at, part) in parts.into_iter().map(|part| &text[part]).enumerate() {
            taken.add(family, at == 0, part)?;
        }
        Some(taken)
    }

    fn add(&mut self, family: Family, first: bool, part: &str) -> Option<()> {
        if part.contains("lambda") {
            return None;
        }
        match family {
            Family::Python => {
                if part.starts_with("**") {
                    self.any_named = true;
                } else if part.starts_with('*') {
                    self.by_name_alone = true;
                    self.any_positional = part != "*";
                } else if part == "/" {
                    return Some(());
                } else if first && ["self", "cls"].contains(&word(part)) {
                    self.has_self = true;
                } else {
                    let parameter = (word(part).to_owned(), part.contains('='));
                    let to = if self.by_name_alone { &mut self.named } else { &mut self.positional };
                    to.push(parameter);
                }
            }
            Family::Rust => {
                let plain = part.trim_start_matches(['&', ' ']).trim_start_matches("mut ");
                let plain = match plain.strip_prefix('\'') {
                    Some(lifetime) => lifetime.split_once(' ')?.1.trim_start_matches("mut "),
                    None => plain,
                };
                if part.starts_with("#[") {
                    return None;
                }
                if first && word(plain) == "self" {
                    self.has_self = true;
                } else {
                    self.positional.push((word(plain).to_owned(), false));
                }
            }
            Family::Go => {
                self.any_positional |= part.contains("...");
                self.positional.push((word(part).to_owned(), part.contains("...")));
            }
            Family::Java => {
                self.any_positional |= part.contains("...");
                let name = part.rsplit([' ', '.']).next()?;
                self.positional.push((name.to_owned(), part.contains("...")));
            }
            Family::CSharp => {
                if first && part.starts_with("this ") {
                    return Some(());
                }
                self.any_positional |= part.starts_with("params ");
                let (declared, default) =
                    part.split_once('=').map_or((part, false), |(left, _)| (left, true));
                let name = declared.trim_end().rsplit(' ').next()?;
                self.positional.push((name.to_owned(), default || part.starts_with("params ")));
            }
            Family::Kotlin => {
                let (declared, rest) = part.split_once(':')?;
                self.any_positional |= declared.contains("vararg ");
                let name = declared.trim_end().rsplit(' ').next()?;
                self.positional.push((name.to_owned(), rest.contains('=') || declared.contains("vararg ")));
            }
            Family::Script => {
                if part.starts_with("this:") {
                    return Some(());
                }
                self.any_positional |= part.starts_with("...");
                self.positional.push((word(part).to_owned(), true));
            }
        }
        Some(())
    }

    /// What is wrong with a call; `None` where nothing is. A method that is called through its type has the object as its first argument.
    pub(super) fn refuses(&self, given: &Given, through_type: bool) -> Option<Refusal> {
        let all = || self.positional.iter().chain(&self.named);
        let unknown = given.named.iter().find(|name| !all().any(|(known, _)| known == *name));
        if let Some(unknown) = unknown.filter(|_| !self.any_named) {
            return Some(Refusal::Unknown(unknown.clone()));
        }
        let count = given.positional;
        let most = self.positional.len() + usize::from(self.has_self && through_type);
        if count > most && !self.any_positional {
            return Some(Refusal::TooMany { given: count, takes: self.positional.len() });
        }
        let missing = |(name, optional): &&(String, bool)| !optional && !given.named.contains(name);
        let left_out = self.positional.iter().skip(count).chain(&self.named).find(missing);
        left_out.map(|(name, _)| Refusal::Missing(name.clone()))
    }
}

/// Why a call cannot be meant for a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It names an argument that there is not.
    Unknown(String),
    /// It gives too many.
    TooMany {
        /// How many it gives.
        given: usize,
        /// How many are taken.
        takes: usize,
    },
    /// It leaves one out that is needed.
    Missing(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "is given `{name}`, which it does not take"),
            Self::TooMany { given: 1, .. } => f.write_str("is given an argument and takes none"),
            Self::TooMany { given, takes } => write!(f, "is given {given} arguments and takes {takes}"),
            Self::Missing(name) => write!(f, "is not given `{name}`, which it needs"),
        }
    }
}

/// Where the parentheses open that follow `name`, with type parameters between them or not.
fn opened<'t>(name: &'t str, text: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).filter_map(move |(at, _)| {
        let rest = &text[at + name.len()..];
        if text[..at].ends_with(is_part) || rest.starts_with(is_part) {
            return None;
        }
        let skipped = rest.trim_start_matches("::");
        let skipped = match skipped.chars().next() {
            Some('<') => &skipped[closing(skipped, '<', '>')?..],
            Some('[') => &skipped[closing(skipped, '[', ']')?..],
            _ => skipped,
        };
        skipped.starts_with('(').then_some(text.len() - skipped.len())
    })
}

/// Where the bracket that a text begins with is closed.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            _ if c == open => depth += 1,
            _ if c == close => depth -= 1,
            ';' | '{' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + c.len_utf8());
        }
    }
    None
}

/// What stands between commas in the parentheses that open at `open`, and where they end. In a declaration `<` opens a list of types.
fn parts(family: Family, text: &str, open: usize, declares: bool) -> Option<(Vec<Range<usize>>, usize)> {
    let angles = declares && !matches!(family, Family::Python | Family::Go);
    let mut parts = Vec::new();
    let mut stack = Vec::new();
    let mut begins = open + 1;
    let mut at = open;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut next = at + c.len_utf8();
        match c {
            _ if rest.starts_with(family.comment()) || rest.starts_with("/*") => return None,
            '"' | '`' => next = at + string_end(rest)?,
            // A character, or the lifetime of a reference.
            '\'' if family != Family::Rust => next = at + string_end(rest)?,
            '\'' => next = at + character_end(rest),
            '(' | '[' | '{' => stack.push(c),
            '<' if angles => stack.push(c),
            '>' if angles && !text[..at].ends_with(['-', '=']) => {
                stack.pop().filter(|open| *open == '<')?;
            }
            ')' | ']' | '}' => {
                let fits = matches!((stack.pop()?, c), ('(', ')') | ('[', ']') | ('{', '}'));
                if !fits {
                    return None;
                }
                if stack.is_empty() {
                    parts.push(begins..at);
                    let trimmed = parts.into_iter().map(|part| trim(text, part));
                    return Some((trimmed.filter(|part| !part.is_empty()).collect(), next));
                }
            }
            ',' if stack.len() == 1 => {
                parts.push(begins..at);
                begins = next;
            }
            _ => {}
        }
        at = next;
    }
    None
}

fn trim(text: &str, part: Range<usize>) -> Range<usize> {
    let inner = &text[part.clone()];
    let begins = part.start + (inner.len() - inner.trim_start().len());
    begins..begins + inner.trim().len()
}

/// Where the text ends that a quotation mark opens.
fn string_end(rest: &str) -> Option<usize> {
    let quote = &rest[..1];
    let long = quote.repeat(3);
    if rest.starts_with(&long) {
        return Some(rest[3..].find(&long)? + 6);
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != "`" => return None,
            _ if rest[at..].starts_with(quote) => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn character_end(rest: &str) -> usize {
    let length = rest.chars().skip(1).take(10).position(|c| c == '\'');
    match length {
        Some(length @ 1..=8) if length == 1 || rest[1..].starts_with('\\') => {
            rest.char_indices().nth(length + 2).map_or(rest.len(), |(at, _)| at)
        }
        _ => 1,
    }
}

/// The word that a text begins with.
fn word(text: &str) -> &str {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or(text)
}

/// The name of an argument that is given by name.
fn named(part: &str, mark: char) -> Option<&str> {
    let name = word(part);
    let rest = part[name.len()..].trim_start().strip_prefix(mark)?;
    (!name.is_empty() && !rest.starts_with(mark)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(family: Family, declared: &str, called: &str) -> Option<Refusal> {
        let taken = Taken::of(family, "take", declared).expect(declared);
        let through_type = called.starts_with("Pool");
        taken.refuses(&Given::of(family, "take", called, called).expect(called), through_type)
    }

    #[test]
    fn calls_fit_their_definitions() {
        for (family, declared, called) in [
            (Family::Python, "def take(self, size, *, patience=2.0):", "pool.take(3, patience=1)"),
            (Family::Python, "def take(size, *rest, **others):", "take(1, 2, 3, four=4)"),
            (Family::Python, "def take(size: int = 3, /, name: str = ','):", "take()"),
            (Family::Python, "def take(a, b):", "take(\"(\", f(1, 2))"),
            (Family::Python, "def take(a, *, b):", "take(a=1, b={2: 3, 4: 5})"),
            (Family::Rust, "fn take<T: Into<U>, U>(&mut self, f: Box<dyn Fn(T, U) -> V>) {", "x.take(f)"),
            (Family::Rust, "pub fn take(&'a self, size: usize)", "Pool::take(&pool, 2)"),
            (Family::Rust, "fn take(mark: char, text: &'a str)", "take('(', \"a, b\")"),
            (Family::Go, "func (p *Pool) take(size, patience int, more ...string) error {", "p.take(1, 2)"),
            (Family::Go, "func take[T any](f func(a, b T) T) {", "take(add)"),
            (Family::Java, "void take(Map<String, List<Integer>> sizes, String... names)", "take(sizes)"),
            (Family::Kotlin, "fun take(size: Int, patience: Long = 2): Pool", "take(size = 3)"),
            (Family::CSharp, "void take(this Pool pool, int size, string name = null)", "pool.take(size: 3)"),
            (Family::Script, "function take(size: number, options?: { a: number, b: string }) {", "take(1)"),
            (Family::Script, "take(...sizes) {", "pool.take(1, 2, 3)"),
        ] {
            assert_eq!(refusal(family, declared, called), None, "{declared} {called}");
        }
    }

    #[test]
    fn what_a_definition_does_not_take_is_refused() {
        for (family, declared, called, wanted) in [
            (
                Family::Python,
                "def take(size):",
                "take(size=2, patience=1)",
                Refusal::Unknown("patience".to_owned()),
            ),
            (
                Family::Python,
                "def take(size, *, patience=1):",
                "take(2, 3)",
                Refusal::TooMany { given: 2, takes: 1 },
            ),
            (
                Family::Python,
                "def take(\n    size,\n    name,\n):",
                "take(2)",
                Refusal::Missing("name".to_owned()),
            ),
            (
                Family::Rust,
                "fn take(size: usize) -> Pool",
                "take(2, 3)",
                Refusal::TooMany { given: 2, takes: 1 },
            ),
            (
                Family::Rust,
                "fn take(self, size: usize, name: &str)",
                "pool.take(2)",
                Refusal::Missing("name".to_owned()),
            ),
            (Family::Go, "func take(size int)", "take()", Refusal::Missing("size".to_owned())),
            (
                Family::Kotlin,
                "fun take(size: Int)",
                "take(patience = 3)",
                Refusal::Unknown("patience".to_owned()),
            ),
            (Family::Script, "function take(size) {", "take(1, 2)", Refusal::TooMany { given: 2, takes: 1 }),
        ] {
            assert_eq!(refusal(family, declared, called), Some(wanted), "{declared} {called}");
        }
    }

    #[test]
    fn what_is_not_plain_is_left_unread() {
        for called in [
            "take(...)",
            "take(*sizes)",
            "take(**options)",
            "take(lambda a, b: a)",
            "take(a",
            "take(1) + take(2)",
            "take(a, # the size",
            "take('a)",
            "take",
        ] {
            assert_eq!(Given::of(Family::Python, "take", called, called), None, "{called}");
        }
        let block = "take(1) { it }";
        assert_eq!(Given::of(Family::Kotlin, "take", block, block), None);
    }
}
