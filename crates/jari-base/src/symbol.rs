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
        /// What a program answers to over a network: `GET /users/{id}`.
        Endpoint = "endpoint",
    }
}

impl SymbolKind {
    /// Whether it has members.
    pub fn is_type(self) -> bool {
        use SymbolKind::{Class, Enum, Impl, Interface, Module, Struct, Trait};
        matches!(self, Class | Enum | Impl | Interface | Module | Struct | Trait)
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

/// What a type declares a field to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldType {
    /// The type that has the field, by its place among the file's definitions.
    pub owner: u32,
    /// What the field is called.
    pub name: String,
    /// The name of its own type.
    pub declared: String,
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
        /// Brought in from elsewhere and handed on: `pub use`, `export … from`.
        Export = "export",
        /// Extended, implemented or mixed in by the definition around it.
        Inherit = "inherit",
    }
}

impl ReferenceKind {
    /// Whether it brings a name into the file.
    pub fn is_import(self) -> bool {
        matches!(self, Self::Import | Self::Export)
    }
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name as written, its last segment: `send` of `client.send()`. Of an import, what is brought in: a name, `*` for
    /// all or for the module itself, or the file as written where the language imports files.
    pub name: String,
    /// How it is used.
    pub kind: ReferenceKind,
    /// Where.
    pub line: u32,
    /// The definition it stands in, as an index into [`crate::Chunked::symbols`]; of an inheritance, the one that inherits.
    pub within: Option<u32>,
    /// What stands before the name, without arguments: `self.client`, `net::Pool`, `connect()`; `"` for a literal. Of an
    /// import, the module as written.
    pub qualifier: Option<String>,
    /// The type of what stands before the name, where the file shows it. `open()` is what that function returns, `open()#1` its
    /// second result, and `Pool.free` the type of a field that another file declares.
    pub receiver: Option<String>,
    /// Of an import, the name it goes by here, where that is another.
    pub alias: Option<String>,
}

impl Reference {
    /// A use of a name that stands alone.
    pub fn new(name: impl Into<String>, kind: ReferenceKind, line: u32) -> Self {
        Self { name: name.into(), kind, line, within: None, qualifier: None, receiver: None, alias: None }
    }

    /// What it is called in its own file.
    pub fn local_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }
}
