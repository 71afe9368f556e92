//! Names of types out of how code writes them.

use rustc_hash::FxHashSet;

/// Words before a type that say how it is held.
const TYPE_WORDS: [&str; 9] =
    ["mut ", "dyn ", "impl ", "const ", "final ", "readonly ", "ref ", "struct ", "inout "];

/// Types that are opened before what they hold is used.
const OPENED: [&str; 9] = [
    "Result",
    "Option",
    "Promise",
    "Future",
    "Task",
    "ValueTask",
    "Awaitable",
    "Coroutine",
    "CompletableFuture",
];

/// Words that open a declaration and are no type.
const STARTS: [&str; 12] =
    ["fn", "func", "def", "function", "fun", "async", "public", "private", "static", "export", "void", "pub"];

/// Words before the name of a field that are no type.
const MODIFIERS: [&str; 19] = [
    "pub",
    "pub(crate)",
    "pub(super)",
    "public",
    "private",
    "protected",
    "readonly",
    "static",
    "final",
    "val",
    "var",
    "let",
    "mut",
    "const",
    "override",
    "lateinit",
    "internal",
    "this",
    "return",
];

/// Lines that are longer than this declare no field: they are data, or nobody wrote them.
const LONGEST: usize = 400;

/// Lines between fields that are indented less than these.
const LABELS: [&str; 3] = ["public:", "protected:", "private:"];

/// What comments begin with, on a line of their own.
const COMMENTS: [&str; 4] = ["//", "#", "*", "--"];

/// What texts of several lines stand between.
const QUOTES: [&str; 2] = ["\"\"\"", "'''"];

/// Types through which the one inside is called.
const TRANSPARENT: [&str; 10] =
    ["Box", "Rc", "Arc", "Pin", "Cow", "Optional", "Readonly", "Annotated", "unique_ptr", "shared_ptr"];

/// The type that a declaration names: `Pool` of `&mut Pool<T>`, `*net.Pool`, `Arc<Pool>`; nothing where it is several.
pub fn declared_type(written: &str) -> Option<&str> {
    let mut written = written;
    loop {
        match named_type(written) {
            (Some(inside), _) => written = inside,
            (None, named) => return named,
        }
    }
}

/// What stands inside a type through which that is called, or else the type itself.
fn named_type(written: &str) -> (Option<&str>, Option<&str>) {
    let mut rest = written.trim().trim_start_matches([':', '?', '"', '\'']).trim_start();
    loop {
        let bare = rest.trim_start_matches(['&', '*', '(', ' ']);
        let bare = match bare.strip_prefix('\'') {
            Some(lifetime) => lifetime.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
            None => bare,
        };
        let unsaid = TYPE_WORDS.iter().find_map(|word| bare.strip_prefix(word)).unwrap_or(bare);
        if unsaid.len() == rest.len() {
            break;
        }
        rest = unsaid;
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "_.:\\$".contains(c))).unwrap_or(rest.len());
    let (path, inner) = rest.split_at(end);
    let path = path.trim_end_matches(':');
    let name = path.rsplit(['.', ':', '\\']).next().unwrap_or(path);
    if let Some(inner) = inner.strip_prefix(['<', '[']).filter(|_| TRANSPARENT.contains(&name)) {
        return (Some(inner), None);
    }
    // `[]Pool` is not a pool, and neither is one of several.
    let several = inner.trim_start().starts_with(['|', '[']) && !inner.trim_start().starts_with("[T]");
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    (None, Some(name).filter(|_| !several && is_name))
}

/// The type that a function says it returns, given its declaration on one line: of several results the one of that `number`, counted
/// from 0. `owner` stands for `Self`.
pub fn returned_type<'s>(
    signature: &'s str,
    name: &str,
    number: usize,
    owner: Option<&'s str>,
) -> Option<&'s str> {
    let at = find_word(signature, name)?;
    let (before, after) = (&signature[..at], &signature[at + name.len()..]);
    let rest = after_parameters(after).trim_end_matches([';', '{', ' ']);
    let said = rest.strip_prefix("->").or_else(|| rest.strip_prefix(':')).unwrap_or(rest).trim_start();
    let found = match said.strip_prefix('(') {
        // Go's named results: `(c *Context, err error)`.
        Some(several) => {
            let wanted = several.split([',', ')']).nth(number)?.trim();
            declared_type(wanted.rsplit(' ').next()?)
        }
        None if number > 0 => None,
        None if said.is_empty() => {
            let mut words = before.split_whitespace().rev();
            words.next().filter(|word| !STARTS.contains(word)).and_then(declared_type)
        }
        None => declared_type(said),
    }?;
    let inside = || said.split_once(['<', '[']).and_then(|(_, inside)| declared_type(inside));
    let found = if OPENED.contains(&found) { inside().unwrap_or(found) } else { found };
    match found {
        "Self" | "self" | "static" | "this" => owner,
        found => Some(found),
    }
}

/// The fields that the lines of a type declare, each once, and the types they give them. Fields stand on the lines that are indented
/// least, and on those that set one of their own.
pub fn declared_fields(declaration: &str) -> Vec<(&str, &str)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let outer = declaration.lines().next().map_or(0, indent);
    let is_member = |line: &&str| !line.trim().is_empty() && !LABELS.contains(&line.trim());
    let inner = declaration.lines().filter(is_member).map(indent);
    let least = inner.filter(|indent| *indent > outer).min().unwrap_or(0);
    let sets = |line: &str| ["self.", "this."].iter().any(|own| line.trim_start().starts_with(own));
    let mut known: FxHashSet<&str> = FxHashSet::default();
    let mut found = Vec::new();
    let (mut quoted, mut remark) = (false, false);
    for line in declaration.lines() {
        let begins_with = |mark: &&str| line.trim_start().starts_with(*mark);
        let (was_quoted, was_remark) = (quoted, remark || begins_with(&"/*"));
        quoted ^= QUOTES.iter().any(|quotes| line.matches(quotes).count() % 2 == 1);
        remark = was_remark && !line.contains("*/");
        let is_code = !was_quoted && !was_remark && !COMMENTS.iter().any(begins_with);
        if !is_code || line.len() > LONGEST || indent(line) != least && !sets(line) {
            continue;
        }
        for name in may_be_declared(line) {
            if let Some(declared) = field_type(line, name).filter(|_| known.insert(name)) {
                found.push((name, declared));
            }
        }
    }
    found
}

/// The names of a line that it may declare, by what stands behind them: most are only used.
fn may_be_declared(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.filter(|word| {
        let end = word.as_ptr().addr() - line.as_ptr().addr() + word.len();
        let behind = &line.as_bytes()[end..];
        let may_end = |behind: &u8| behind.is_ascii_whitespace() || b":;=,*".contains(behind);
        behind.first().is_none_or(may_end) || behind.starts_with(b"?:") || behind.starts_with(b"!:")
    })
}

/// The type that a line declares a field to be: `Pool` of `free: Pool,`, `free *Pool`, `private Pool free;`.
fn field_type<'s>(line: &'s str, name: &str) -> Option<&'s str> {
    let line = line.trim_start_matches("self.").trim();
    let at = find_word(line, name)?;
    let (before, after) = (line[..at].trim_end(), line[at + name.len()..].trim_start());
    // `free?: Pool` and `free!: Pool` of TypeScript.
    let after = after.strip_prefix(['?', '!']).filter(|rest| rest.starts_with(':')).unwrap_or(after);
    let modifiers = |before: &str| before.split_whitespace().all(|word| MODIFIERS.contains(&word));
    match after.chars().next() {
        Some(':') if modifiers(before.trim_end_matches("self.")) => declared_type(&after[1..]),
        // Java and C put the type first, Go last.
        Some(';' | '=' | ',') | None if is_declaration(before) => {
            // `Pool *free;` of C, `Pool $free;` of PHP.
            let marks: &[char] = if after.is_empty() { &[] } else { &['*', '&', '$', ' '] };
            let last = last_word(before.trim_end_matches(marks));
            let is_type = !MODIFIERS.contains(&last) && !last.contains(['(', '.']) && !last.ends_with(':');
            declared_type(last).filter(|_| is_type)
        }
        Some(c) if before.is_empty() && (c.is_alphabetic() || c == '*') => declared_type(after),
        _ => None,
    }
}

/// Whether what stands before a name may end with its type: no value is given before it, and it is no parameter.
fn is_declaration(before: &str) -> bool {
    let count = |c: char| before.matches(c).count();
    let behind_marks = before.rsplit([')', ']']).next().unwrap_or(before);
    count('(') == count(')') && !behind_marks.contains('=')
}

/// The last word, with what it holds: `Map<String, Pool>`.
fn last_word(text: &str) -> &str {
    let mut depth = 0;
    let begin = text.rfind(|c: char| {
        match c {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => {}
        }
        depth == 0 && c == ' '
    });
    begin.map_or(text, |at| &text[at + 1..])
}

/// Where a name stands as a word of its own.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(in_name) && !text[at + word.len()..].starts_with(in_name))
}

/// What stands behind type parameters and parameters.
fn after_parameters(text: &str) -> &str {
    let mut depth = 0;
    let mut rest = text.trim_start();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '<' => depth += 1,
            '>' if before == '-' || before == '=' => {}
            ')' | ']' | '>' => depth -= 1,
            _ => {}
        }
        before = c;
        if depth == 0 && c == ')' {
            rest = text[at + 1..].trim_start();
            break;
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_show_types() {
        let declared = |written, expected: Option<&str>| {
            assert_eq!(declared_type(written), expected, "{written}");
        };
        declared("&'a mut Pool<T>", Some("Pool"));
        declared(": Pool", Some("Pool"));
        declared("*net.Pool", Some("Pool"));
        declared("Arc<dyn Store>", Some("Store"));
        declared("Optional[Pool]", Some("Pool"));
        declared("Pool | None", None);
        declared("[]Pool", None);
        declared("&[Pool]", None);
    }

    #[test]
    fn lines_declare_fields() {
        let check = |line, expected: Option<&str>| assert_eq!(field_type(line, "free"), expected, "{line}");
        check("    pub(crate) free: Arc<Pool>,", Some("Pool"));
        check("\tfree *net.Pool", Some("Pool"));
        check("    private final Pool free;", Some("Pool"));
        check("    private readonly free: Pool;", Some("Pool"));
        check("        self.free: Pool = x", Some("Pool"));
        check("    free?: Pool;", Some("Pool"));
        check("    private free!: Pool;", Some("Pool"));
        check("    Pool *free;", Some("Pool"));
        check("    private ?Pool $free = null;", Some("Pool"));
        check("    return free;", None);
        check("    return *free;", None);
        check("    a.free = b", None);
        check("    call(free)", None);
    }

    #[test]
    fn types_declare_fields() {
        let check = |declaration, name, expected: Option<&str>| {
            let fields = declared_fields(declaration);
            let mut found = fields.iter().filter(|(one, _)| *one == name).map(|(_, declared)| *declared);
            assert_eq!((found.next(), found.next()), (expected, None), "{name} of {declaration}");
        };
        let rust = "struct A {\n    free: Pool,\n    used: Arc<Pool>,\n}";
        check(rust, "free", Some("Pool"));
        check(rust, "used", Some("Pool"));
        check(rust, "Pool", None);
        check("type A struct {\n\tfree *net.Pool\n\tn, m int\n}", "free", Some("Pool"));
        // What stands further in is of something else, but for what a method sets.
        let java =
            "class A {\n  private Pool free;\n  void f() {\n    Other used = free;\n    Queue free;\n  }\n}";
        check(java, "free", Some("Pool"));
        check(java, "used", None);
        let python =
            "class A:\n    x = f(a, b=c)\n    def f(self):\n        self.free: Pool = x\n        used: Z = 1";
        check(python, "free", Some("Pool"));
        check(python, "used", None);
        check(python, "b", None);
        check("", "free", None);
        let java = "class A {\n  /*\n  Queue free;\n  */\n  @Column(name = \"x\") Pool free;\n  Map<String, Pool> all;\n  void g(int n, Queue left, int m) {}\n}";
        check(java, "free", Some("Pool"));
        check(java, "all", Some("Map"));
        check("class A {\n public:\n  Pool free;\n};", "free", Some("Pool"));
        check("class A {\n  free?: Pool;\n}", "free", Some("Pool"));
        check(java, "left", None);
        let python = "class A:\n    \"\"\"\n    free: Queue of things\n    \"\"\"\n    free: Pool\n    def f(self, name, used=None): ...";
        check(python, "free", Some("Pool"));
        check(python, "used", None);
        let long = format!("class A {{\n  int[] all = {{{}}}; Pool free;\n}}", "1, ".repeat(LONGEST));
        check(&long, "free", None);
    }

    #[test]
    fn depth_has_no_end() {
        let deep = format!("{}Pool", "Box<".repeat(200_000));
        assert_eq!(declared_type(&deep), Some("Pool"));
    }

    #[test]
    fn signatures_show_what_comes_back() {
        let check = |signature, expected: Option<&str>| {
            assert_eq!(returned_type(signature, "open", 0, Some("Owner")), expected, "{signature}");
        };
        check("func open(opts ...Option) *Engine", Some("Engine"));
        check("func open(w Writer) (c *Context, err error)", Some("Context"));
        check("fn open(f: impl Fn() -> bool) -> Pool", Some("Pool"));
        check("pub fn open<T: Fn(u8) -> u8>(f: T) -> Self", Some("Owner"));
        check("def open(self, a: int = 3) -> ContentDecoder", Some("ContentDecoder"));
        check("async open(a: string): Promise<Pool>", Some("Pool"));
        check("fn open() -> io::Result<Pool>", Some("Pool"));
        check("public AnnotatedClass open()", Some("AnnotatedClass"));
        check("public abstract AnnotatedClass open();", Some("AnnotatedClass"));
        check("def open(self)", None);
        check("function open(a)", None);
        check("fn open()", None);
        check("fun open(a: Int): Pool", Some("Pool"));
    }
}
