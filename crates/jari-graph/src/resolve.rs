//! Which definitions a use of a name may mean. What the syntax shows decides: the import, the receiver, the type around, the
//! file; where it shows nothing, all that fit are returned, nearest first.

use std::cmp::Reverse;
use std::rc::Rc;

use jari_base::{FileId, Language, Reference, ReferenceKind, Symbol, SymbolKind};
use jari_text::fold_name;
use rustc_hash::FxHashMap;

use crate::Family;
use crate::habits::{Habits, is_ordinary};
use crate::module::{Closeness, folder, leads};

mod alone;
mod receiver;

/// Definitions whose supertypes are looked at for one use.
const LOOKED_THROUGH: usize = 60;

/// Words for the thing that a method belongs to, and for what that is made of.
const SELVES: [&str; 6] = ["self", "this", "$this", "cls", "Self", "static"];
const SUPERS: [&str; 4] = ["super", "super()", "parent", "base"];

/// A definition and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// In which file.
    pub file: FileId,
    /// Its path.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// Its place among the file's definitions.
    pub ordinal: u32,
    /// What is defined.
    pub symbol: Symbol,
}

impl Definition {
    /// The type or module around it, without what is around that.
    pub fn owner(&self) -> Option<&str> {
        self.symbol.container.as_deref().and_then(|container| container.rsplit('.').next())
    }

    fn is_member(&self) -> bool {
        matches!(self.symbol.kind, SymbolKind::Method | SymbolKind::Field)
    }
}

/// All definitions of one name, spelled alike.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Named {
    definitions: Vec<Definition>,
    by_owner: FxHashMap<String, Vec<usize>>,
    by_file: FxHashMap<FileId, Vec<usize>>,
    /// Of each definition: its family, and what it belongs to, made comparable.
    families: Vec<Family>,
    owners: Vec<String>,
}

impl Named {
    /// Puts definitions in order.
    pub fn new(definitions: Vec<Definition>) -> Self {
        let mut named = Self { definitions, ..Self::default() };
        for (at, definition) in named.definitions.iter().enumerate() {
            named.by_file.entry(definition.file).or_default().push(at);
            if let Some(owner) = definition.owner() {
                named.by_owner.entry(owner.to_owned()).or_default().push(at);
            }
            named.families.push(Family::of(&definition.language));
            named.owners.push(fold_name(definition.owner().unwrap_or_else(|| stem(&definition.path))));
        }
        named
    }

    /// All of them.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// How many folders lie between a file and the definition that a candidate means.
    pub fn distance(&self, path: &str, candidate: &Candidate) -> usize {
        let definition = &self.definitions[candidate.definition];
        depth(path.as_bytes()) + depth(definition.path.as_bytes()) + 2 - 2 * shared(path, &definition.path)
    }

    /// Those that belong to a type or module.
    pub fn of_owner(&self, owner: &str) -> impl Iterator<Item = &Definition> {
        self.by_owner.get(owner).into_iter().flatten().map(|at| &self.definitions[*at])
    }
}

/// Where a use stands.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// In which file.
    pub file: FileId,
    /// Its path.
    pub path: &'a str,
    /// Its language.
    pub language: &'a Language,
    /// The definition around the use, where [`looks_around`] says that it matters.
    pub around: Option<&'a Symbol>,
    /// All imports of the file.
    pub imports: &'a [Reference],
    /// Whether the file uses a name, other than to inherit from it.
    pub speaks_of: &'a dyn Fn(&str) -> bool,
}

/// What is known of the project's types and modules.
pub trait Types {
    /// The names of the types above one: what it extends, implements or mixes in, and what that does.
    fn above(&self, name: &str) -> Rc<Vec<String>>;

    /// Whether the project defines a type of that name.
    fn knows(&self, name: &str) -> bool;

    /// The type that functions of a name return, as far as they agree, those of `folder` before others; of several results the one
    /// of that `number`.
    fn returned(&self, name: &str, number: usize, language: &Language, folder: &str) -> Option<String>;

    /// The type of a field.
    fn field(&self, owner: &str, name: &str) -> Option<String>;

    /// Whether a folder or file of the project is called so.
    fn has_module(&self, name: &str) -> bool;
}

/// How sure it is that a use means a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// One of several, and nothing tells which.
    Possible,
    /// Names and places speak for it.
    Likely,
    /// The syntax names it.
    Certain,
}

impl Certainty {
    /// The word users know it by.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Possible => "possible",
            Self::Likely => "likely",
            Self::Certain => "certain",
        }
    }
}

/// Why a use means a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It stands in the same file.
    SameFile,
    /// It belongs to the same type.
    SameType,
    /// It belongs to a type above.
    Inherited(String),
    /// The receiver has its type.
    Receiver(String),
    /// The receiver has a type above its own.
    Through(String),
    /// It is named with what is around it.
    Named(String),
    /// It is imported.
    Imported(String),
    /// It is imported with everything else of a module.
    Wildcard(String),
    /// It stands in the same package.
    Package,
    /// The receiver is called like its type.
    Resembles(String),
    /// The file names its type elsewhere.
    Mentioned(String),
    /// There is no other of that name.
    Only,
    /// It is one of several.
    OneOf(usize),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::SameFile => f.write_str("same file"),
            Self::SameType => f.write_str("same type"),
            Self::Inherited(name) => write!(f, "inherited from {name}"),
            Self::Receiver(name) => write!(f, "receiver is a {name}"),
            Self::Through(name) => write!(f, "through {name}"),
            Self::Named(name) => write!(f, "named with {name}"),
            Self::Imported(module) => write!(f, "imported from {module}"),
            Self::Wildcard(module) => write!(f, "imported with all of {module}"),
            Self::Package => f.write_str("same package"),
            Self::Resembles(name) => write!(f, "receiver is called like {name}"),
            Self::Mentioned(name) => write!(f, "the file names {name}"),
            Self::Only => f.write_str("the only definition"),
            Self::OneOf(count) => write!(f, "one of {count}"),
        }
    }
}

/// A definition that a use may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// As an index into [`Named::definitions`].
    pub definition: usize,
    /// How sure it is.
    pub certainty: Certainty,
    /// Why.
    pub reason: Reason,
}

/// The definitions of `named` that `reference` may mean; none if it means something outside the project. What is less sure than the
/// best is left out, but for methods that are reached through a type above.
pub fn resolve(place: Place<'_>, reference: &Reference, named: &Named, types: &dyn Types) -> Vec<Candidate> {
    let family = Family::of(place.language);
    let resolver = Resolver { place, reference, named, types, family, habits: family.habits() };
    let mut found = match &reference.qualifier {
        _ if reference.kind.is_import() => resolver.of_import(reference),
        None => resolver.alone(),
        Some(qualifier) => resolver.qualified(qualifier),
    };
    let best = found.iter().map(|candidate| candidate.certainty).max();
    let through = |candidate: &Candidate| matches!(candidate.reason, Reason::Through(_));
    found.retain(|candidate| Some(candidate.certainty) == best || through(candidate));
    found
}

/// Puts the surest candidates first, and of those the nearest to the file at `path`.
pub fn best_first(candidates: &mut [Candidate], named: &Named, path: &str) {
    candidates
        .sort_by_cached_key(|candidate| (Reverse(candidate.certainty), named.distance(path, candidate)));
}

/// Whether what a use means depends on the definition around it.
pub fn looks_around(reference: &Reference) -> bool {
    match reference.qualifier.as_deref() {
        None => !reference.kind.is_import(),
        Some(qualifier) => SELVES.contains(&qualifier) || SUPERS.contains(&qualifier),
    }
}

struct Resolver<'a> {
    place: Place<'a>,
    reference: &'a Reference,
    named: &'a Named,
    types: &'a dyn Types,
    family: Family,
    habits: Habits,
}

fn certain(definition: usize, reason: Reason) -> Candidate {
    Candidate { definition, certainty: Certainty::Certain, reason }
}

fn likely(definition: usize, reason: Reason) -> Candidate {
    Candidate { definition, certainty: Certainty::Likely, reason }
}

impl<'a> Resolver<'a> {
    fn definition(&self, at: usize) -> &'a Definition {
        &self.named.definitions[at]
    }

    /// Definitions that code of this language can use in this way.
    fn fitting(&self) -> impl Iterator<Item = (usize, &'a Definition)> + '_ {
        let all = self.named.definitions.iter().enumerate();
        all.filter(|(at, definition)| self.fits(*at, definition))
    }

    fn fits(&self, at: usize, definition: &Definition) -> bool {
        use SymbolKind::{
            Class, Constant, Data, Endpoint, Enum, Field, Impl, Interface, Module, Struct, Trait, Type,
        };
        let kind = match self.reference.kind {
            ReferenceKind::Call => {
                !matches!(definition.symbol.kind, Impl | Data | Endpoint | Field | Interface)
            }
            ReferenceKind::Type | ReferenceKind::Inherit => {
                matches!(
                    definition.symbol.kind,
                    Class | Struct | Enum | Interface | Trait | Type | Module | Constant
                )
            }
            ReferenceKind::Import | ReferenceKind::Export => {
                !matches!(definition.symbol.kind, Impl | Data | Endpoint)
            }
        };
        let seen =
            definition.file == self.place.file || definition.symbol.exported || !self.habits.private_to_file;
        kind && seen && self.meets(at, definition)
    }

    fn meets(&self, at: usize, definition: &Definition) -> bool {
        self.named.families[at] == self.family
            && (self.family != Family::Other || *self.place.language == definition.language)
    }

    fn among(&self, places: Option<&'a Vec<usize>>) -> impl Iterator<Item = (usize, &'a Definition)> + '_ {
        let places = places.map(Vec::as_slice).unwrap_or_default();
        places
            .iter()
            .map(|at| (*at, self.definition(*at)))
            .filter(|(at, definition)| self.fits(*at, definition))
    }

    /// The import that brings in a name.
    fn import_of(&self, name: &str) -> Option<&'a Reference> {
        let names = |import: &&Reference| {
            import.name != "*" && import.qualifier.is_some() && import.local_name() == name
        };
        self.place.imports.iter().find(names)
    }

    /// What a type is called where it is defined. The default of a module has no name there.
    fn meant<'n>(&self, name: &'n str) -> &'n str
    where
        'a: 'n,
    {
        let import = self.import_of(name).filter(|import| import.name != "default");
        import.map_or(name, |import| &import.name)
    }

    fn returned(&self, function: &str, number: usize) -> Option<String> {
        self.types.returned(self.meant(function), number, self.place.language, folder(self.place.path))
    }

    /// The type at the end of `open()#1.free`.
    fn followed(&self, receiver: &str) -> Option<String> {
        let mut steps = receiver.split('.');
        let first = steps.next()?;
        let mut found = match first.split_once("()") {
            Some((function, number)) => {
                self.returned(function, number.trim_start_matches('#').parse().unwrap_or_default())?
            }
            None => self.meant(first).to_owned(),
        };
        for step in steps {
            found = self.types.field(&found, step)?;
        }
        Some(found)
    }

    /// The type that the definition around belongs to, or is.
    fn type_around(&self) -> Option<&'a str> {
        use SymbolKind::{Class, Enum, Impl, Interface, Struct, Trait};
        let around = self.place.around?;
        if matches!(around.kind, Class | Enum | Impl | Interface | Struct | Trait) {
            return Some(&around.name);
        }
        // `Pool.take.log`: a function inside a method still has its `this`.
        around
            .container
            .as_deref()?
            .split('.')
            .find(|part| self.types.knows(part))
            .or_else(|| around.container.as_deref()?.rsplit('.').next())
    }
}

/// How many folders a file lies in.
fn depth(path: &[u8]) -> usize {
    path.iter().filter(|byte| **byte == b'/').count()
}

/// How many steps two paths have in common.
fn shared(one: &str, other: &str) -> usize {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let alike = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    // What they share ends with a whole step of both.
    let ends = |path: &[u8]| path.get(alike).is_none_or(|next| *next == b'/');
    depth(&one[..alike]) + usize::from(ends(one) && ends(other))
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// The folder that is a package: sources and tests of one lie under different roots.
fn package(path: &str) -> &str {
    let folder = folder(path);
    let roots = ["/java/", "/kotlin/", "/scala/"];
    let begin = roots.iter().filter_map(|root| folder.find(root).map(|at| at + root.len())).min();
    &folder[begin.unwrap_or(0)..]
}

#[cfg(test)]
mod tests;
