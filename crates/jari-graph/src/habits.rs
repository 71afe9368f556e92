//! What languages do with names: who may call what without saying where it is from.

use jari_base::Language;

/// Languages that call each other's code by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// C, C++, Objective-C.
    C,
    /// C#.
    CSharp,
    /// Go.
    Go,
    /// Java, Kotlin, Scala.
    Jvm,
    /// PHP.
    Php,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// JavaScript and TypeScript.
    Script,
    /// Swift.
    Swift,
    /// Any other: names are taken as they are.
    Other,
}

/// What holds for a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Habits {
    /// A function of another file must be imported, or be named with its module.
    pub(crate) needs_import: bool,
    /// Methods of the same type are called without a receiver.
    pub(crate) implicit_self: bool,
    /// Files of one folder see each other.
    pub(crate) folder_is_package: bool,
    /// What is not exported is seen by its own file alone.
    pub(crate) private_to_file: bool,
}

impl Family {
    /// Of a language.
    pub fn of(language: &Language) -> Self {
        match language.as_str() {
            "c" | "cpp" | "objc" => Self::C,
            "csharp" => Self::CSharp,
            "go" => Self::Go,
            "java" | "kotlin" | "scala" => Self::Jvm,
            "php" => Self::Php,
            "python" => Self::Python,
            "ruby" => Self::Ruby,
            "rust" => Self::Rust,
            "javascript" | "typescript" | "tsx" => Self::Script,
            "swift" => Self::Swift,
            _ => Self::Other,
        }
    }

    /// Whether code of one language can call code of the other by its name.
    pub fn meets(one: &Language, other: &Language) -> bool {
        match Self::of(one) {
            Self::Other => one == other,
            family => family == Self::of(other),
        }
    }

    pub(crate) fn habits(self) -> Habits {
        let (needs_import, implicit_self, folder_is_package, private_to_file) = match self {
            Self::C => (false, true, false, true),
            Self::CSharp | Self::Swift => (false, true, true, false),
            Self::Go => (true, false, true, false),
            Self::Jvm => (true, true, true, false),
            Self::Php => (false, false, true, false),
            Self::Python => (true, false, false, false),
            Self::Ruby => (false, true, false, false),
            Self::Rust => (true, false, false, false),
            Self::Script => (true, false, false, false),
            Self::Other => (false, true, false, false),
        };
        Habits { needs_import, implicit_self, folder_is_package, private_to_file }
    }
}

/// Methods that every library has: that a project defines one of that name says little about who is meant.
pub(crate) fn is_ordinary(name: &str) -> bool {
    const ORDINARY: &[&str] = &[
        "accept",
        "add",
        "all",
        "and_then",
        "any",
        "append",
        "apply",
        "as_ref",
        "as_str",
        "at",
        "await",
        "begin",
        "bind",
        "build",
        "call",
        "cancel",
        "clear",
        "clone",
        "close",
        "collect",
        "commit",
        "compare",
        "concat",
        "contains",
        "copy",
        "count",
        "create",
        "data",
        "decode",
        "delete",
        "dispose",
        "drop",
        "emit",
        "empty",
        "encode",
        "end",
        "entry",
        "eq",
        "equals",
        "error",
        "exec",
        "execute",
        "exists",
        "expect",
        "extend",
        "fetch",
        "fill",
        "filter",
        "find",
        "finish",
        "first",
        "flatten",
        "flush",
        "fmt",
        "fold",
        "format",
        "from",
        "get",
        "get_mut",
        "getvalue",
        "group",
        "handle",
        "has",
        "hash",
        "head",
        "id",
        "index",
        "indexof",
        "info",
        "init",
        "insert",
        "into",
        "invoke",
        "is_empty",
        "isempty",
        "items",
        "iter",
        "join",
        "key",
        "keys",
        "last",
        "len",
        "length",
        "list",
        "listen",
        "load",
        "lock",
        "log",
        "lower",
        "main",
        "map",
        "match",
        "max",
        "merge",
        "min",
        "name",
        "new",
        "next",
        "now",
        "of",
        "on",
        "open",
        "parse",
        "patch",
        "path",
        "peek",
        "pop",
        "post",
        "print",
        "process",
        "push",
        "put",
        "query",
        "read",
        "reduce",
        "register",
        "reject",
        "release",
        "remove",
        "render",
        "replace",
        "request",
        "reset",
        "resolve",
        "result",
        "reverse",
        "rollback",
        "run",
        "save",
        "search",
        "select",
        "send",
        "set",
        "setup",
        "shift",
        "size",
        "skip",
        "slice",
        "sort",
        "split",
        "start",
        "stop",
        "strip",
        "sub",
        "submit",
        "sum",
        "swap",
        "take",
        "test",
        "text",
        "then",
        "title",
        "to_string",
        "tostring",
        "to_owned",
        "trim",
        "truncate",
        "try_from",
        "type",
        "unlock",
        "unwrap",
        "update",
        "upper",
        "url",
        "value",
        "values",
        "visit",
        "wait",
        "walk",
        "warn",
        "with",
        "wrap",
        "write",
        "zip",
    ];
    let lower = name.to_ascii_lowercase();
    ORDINARY.contains(&lower.as_str()) || lower.len() < 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_one_family_call_each_other() {
        let meets = |one, other| Family::meets(&Language::named(one), &Language::named(other));
        assert!(meets("java", "kotlin") && meets("c", "cpp") && meets("javascript", "tsx"));
        assert!(!meets("python", "ruby") && !meets("java", "javascript") && !meets("php", "lua"));
        // Of those that nothing is known of, each meets itself alone.
        assert!(meets("lua", "lua") && !meets("lua", "zig"));
    }
}
