//! Definitions and uses of names.

use serde::{Deserialize, Serialize};

use crate::{LineRange, words};

words! {
    /// What a name stands for.
    SymbolKind {
        /// A free function.
        Function = "function",
        /// A function of a type.
        Method = "method",
        /// A class, or an object.
        Class = "class",
        /// A struct, record or union.
        Struct = "struct",
        /// An enumeration.
        Enum = "enum",
        /// An interface or protocol.
        Interface = "interface",
        /// A trait, mixin or type class.
        Trait = "trait",
        /// An implementation or extension of a type.
        Impl = "impl",
        /// A module, namespace or package.
        Module = "module",
        /// A type alias.
        Type = "type",
        /// A constant, static or top-level variable.
        Constant = "constant",
        /// A field, property or column.
        Field = "field",
        /// A macro.
        Macro = "macro",
        /// A table, resource, key or other named piece of data.
        Data = "data",
    }
}

/// A definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its own name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The names around it, outermost first, joined by dots: `Outer.Inner`.
    pub container: Option<String>,
    /// Its declaration on one line, without the body.
    pub signature: String,
    /// First line of its doc comment.
    pub doc: Option<String>,
    /// Whether other files can see it, as far as syntax tells.
    pub exported: bool,
    /// From its doc comment to the end of its body.
    pub lines: LineRange,
}

impl Symbol {
    /// The name with what surrounds it: `Class.method`.
    pub fn qualified(&self) -> String {
        match &self.container {
            Some(container) => format!("{container}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

words! {
    /// How a name is used.
    ReferenceKind {
        /// Called, or a macro invoked.
        Call = "call",
        /// Named as a type.
        Type = "type",
        /// Brought in from elsewhere.
        Import = "import",
    }
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name as written, its last segment: `send` of `client.send()`. For imports, the path as written.
    pub name: String,
    /// How it is used.
    pub kind: ReferenceKind,
    /// Where.
    pub line: u32,
}
