//! Which definitions a use of a name may mean. What the syntax shows decides: the import, the receiver, the type around, the
//! file; where it shows nothing, all that fit are returned, nearest first.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use jari_base::{FileId, Language, Reference, ReferenceKind, Symbol, SymbolKind};
use jari_text::fold_name;

use crate::Family;
use crate::habits::{Habits, is_ordinary};
use crate::module::{Closeness, folder, leads};

/// Candidates that are told apart for one use; beyond it only their number counts.
const MOST: usize = 20;

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
    by_owner: HashMap<String, Vec<usize>>,
    by_file: HashMap<FileId, Vec<usize>>,
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
}

/// Where a use stands.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// In which file.
    pub file: FileId,
    /// Its path.
    pub path: &'a str,
    /// Its language.
    pub language: &'a Language,
    /// The definition around the use.
    pub around: Option<&'a Symbol>,
    /// All uses of the file.
    pub references: &'a [Reference],
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

/// The definitions of `named` that `reference` may mean, best first; none if it means something outside the project. What is less
/// sure than the best is left out, but for methods that are reached through a type above.
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
    // What stands nearer is named first.
    found.sort_by_cached_key(|candidate| {
        let definition = &named.definitions[candidate.definition];
        (std::cmp::Reverse(candidate.certainty), distance(place.path, &definition.path))
    });
    found.truncate(MOST);
    found
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

    fn imports(&self) -> impl Iterator<Item = &'a Reference> + '_ {
        self.place.references.iter().filter(|reference| reference.kind.is_import())
    }

    /// The import that brings in a name.
    fn import_of(&self, name: &str) -> Option<&'a Reference> {
        let names = |import: &&Reference| {
            import.name != "*" && import.qualifier.is_some() && import.local_name() == name
        };
        self.imports().find(names)
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

    /// A name without anything before it.
    fn alone(&self) -> Vec<Candidate> {
        // What goes by another name here is not what the file itself calls so.
        let renamed =
            self.named.definitions.first().is_some_and(|one| one.symbol.name != self.reference.name);
        let own = if renamed { Vec::new() } else { self.in_file() };
        if !own.is_empty() {
            return own;
        }
        if let Some(import) = self.import_of(&self.reference.name) {
            return self.of_import(import);
        }
        if self.habits.implicit_self
            && let Some(around) = self.type_around()
        {
            let of_type = self.of_type(around, |_| Reason::SameType);
            if !of_type.is_empty() {
                return of_type;
            }
        }
        let packaged: Vec<Candidate> = self
            .fitting()
            .filter(|(_, definition)| self.habits.folder_is_package && !definition.is_member())
            .filter(|(_, definition)| package(self.place.path) == package(&definition.path))
            .map(|(at, _)| certain(at, Reason::Package))
            .collect();
        if !packaged.is_empty() {
            return packaged;
        }
        let wild = self.by_wildcard();
        if !wild.is_empty() {
            return wild;
        }
        self.by_name_alone()
    }

    /// Definitions of the same file that can be used without a receiver.
    fn in_file(&self) -> Vec<Candidate> {
        let around = self.type_around();
        let mut found = Vec::new();
        for (at, definition) in self.among(self.named.by_file.get(&self.place.file)) {
            if !definition.is_member() {
                found.push(certain(at, Reason::SameFile));
            } else if self.habits.implicit_self && around.is_some() && definition.owner() == around {
                found.push(certain(at, Reason::SameType));
            }
        }
        found
    }

    /// What an import brings in.
    fn of_import(&self, import: &Reference) -> Vec<Candidate> {
        let Some(module) = &import.qualifier else { return Vec::new() };
        let mut found = Vec::new();
        for (at, definition) in self.fitting().filter(|(_, definition)| !definition.is_member()) {
            let reason = || Reason::Imported(module.clone());
            match leads(self.family, self.place.path, module, &definition.path) {
                Some(Closeness::Itself) => found.push(certain(at, reason())),
                Some(Closeness::Beneath) => found.push(likely(at, reason())),
                None => {}
            }
        }
        if found.is_empty() {
            // A static member of a type: `import static a.Pool.take`.
            let last = module.rsplit(['.', ':', '\\']).next().unwrap_or(module);
            found.extend(
                self.among(self.named.by_owner.get(last))
                    .map(|(at, _)| certain(at, Reason::Named(last.to_owned()))),
            );
        }
        if found.is_empty() && self.is_of_project(module) {
            // Handed on under another path.
            let all: Vec<usize> =
                self.fitting().filter(|(_, one)| !one.is_member()).map(|(at, _)| at).collect();
            if let [only] = all[..] {
                found.push(likely(only, Reason::Only));
            }
        }
        found
    }

    /// Whether a module may be one of the project's, as far as its first word tells.
    fn is_of_project(&self, module: &str) -> bool {
        let first =
            module.split(['.', ':', '\\', '/']).find(|part| !part.is_empty() && !part.starts_with('@'));
        module.starts_with('.')
            || first.is_some_and(|first| {
                ["crate", "self", "super"].contains(&first)
                    || self.types.has_module(first)
                    || self.types.has_module(&first.replace('_', "-"))
            })
    }

    /// What imports of everything bring in.
    fn by_wildcard(&self) -> Vec<Candidate> {
        let wild: Vec<&str> = self
            .imports()
            .filter(|import| import.name == "*" && import.alias.is_none())
            .filter_map(|import| import.qualifier.as_deref())
            .collect();
        let mut found = Vec::new();
        for (at, definition) in self.fitting().filter(|(_, one)| !wild.is_empty() && !one.is_member()) {
            let brought = wild.iter().find_map(|module| {
                let closeness = leads(self.family, self.place.path, module, &definition.path)?;
                Some((module, closeness))
            });
            if let Some((module, closeness)) = brought {
                let reason = Reason::Wildcard((*module).to_owned());
                found.push(if closeness == Closeness::Itself {
                    certain(at, reason)
                } else {
                    likely(at, reason)
                });
            }
        }
        found
    }

    /// Where nothing but the name tells: a language whose names are known everywhere, or a file that is no module.
    fn by_name_alone(&self) -> Vec<Candidate> {
        let script = self.family == Family::Script && self.imports().next().is_none();
        let everywhere = |definition: &Definition| {
            !self.habits.needs_import || script || definition.symbol.kind == SymbolKind::Macro
        };
        let callable = |definition: &Definition| {
            !definition.is_member() || matches!(self.family, Family::Ruby | Family::Other)
        };
        let found: Vec<(usize, &Definition)> =
            self.fitting().filter(|(_, one)| everywhere(one) && callable(one)).collect();
        if let [(only, _)] = found[..] {
            let sure = self.family == Family::C || !self.definition(only).is_member();
            return vec![if sure && !script {
                certain(only, Reason::Only)
            } else {
                likely(only, Reason::Only)
            }];
        }
        let included = |definition: &Definition| {
            self.imports().any(|import| {
                import.qualifier.is_none()
                    && leads(self.family, self.place.path, &import.name, &definition.path).is_some()
            })
        };
        let (named, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(_, definition)| included(definition));
        if !named.is_empty() {
            return named
                .into_iter()
                .map(|(at, one)| likely(at, Reason::Imported(one.path.clone())))
                .collect();
        }
        self.several(others)
    }

    /// One of several: those of the same folder before others.
    fn several(&self, found: Vec<(usize, &Definition)>) -> Vec<Candidate> {
        let count = found.len();
        let near = |definition: &Definition| folder(&definition.path) == folder(self.place.path);
        let beside = found.iter().filter(|(_, definition)| near(definition)).count();
        let candidate = |(at, definition): (usize, &Definition)| Candidate {
            definition: at,
            // A header and its source are one.
            certainty: match near(definition) && beside <= 2 || count <= 2 && self.family == Family::C {
                true => Certainty::Likely,
                false => Certainty::Possible,
            },
            reason: Reason::OneOf(count),
        };
        found.into_iter().map(candidate).collect()
    }

    /// A name with something before it.
    fn qualified(&self, qualifier: &str) -> Vec<Candidate> {
        if qualifier == "\"" {
            return Vec::new();
        }
        if SUPERS.contains(&qualifier) {
            let Some(around) = self.type_around() else { return Vec::new() };
            return self.inherited(around);
        }
        if let Some(receiver) = &self.reference.receiver {
            match receiver.contains(['(', '.']) {
                false => return self.by_receiver(receiver),
                true => {
                    if let Some(found) = self.followed(receiver) {
                        return self.by_receiver(&found);
                    }
                }
            }
        }
        if SELVES.contains(&qualifier) {
            return match self.type_around() {
                Some(around) => self.by_receiver(around),
                None => self.in_file(),
            };
        }
        let last = qualifier.rsplit(['.', ':']).next().unwrap_or(qualifier);
        let first = qualifier.split(['.', ':']).next().unwrap_or(qualifier);
        if let Some(returned) = last.strip_suffix("()").and_then(|function| self.returned(function, 0)) {
            return self.by_receiver(&returned);
        }
        let meant = self.meant(last);
        let owned: Vec<(usize, &Definition)> = self.among(self.named.by_owner.get(meant)).collect();
        if !owned.is_empty() {
            return self.narrowed(meant, owned, || Reason::Named(meant.to_owned()));
        }
        if meant.starts_with(char::is_uppercase) && self.types.knows(meant) {
            return self.inherited(meant);
        }
        if let Some(found) = self.by_module(qualifier, first) {
            return found;
        }
        if self.reference.kind != ReferenceKind::Call {
            return Vec::new();
        }
        self.unknown(last)
    }

    /// A member of a module: one that is imported, or one that is named by its path. `None` if no module is meant.
    fn by_module(&self, qualifier: &str, first: &str) -> Option<Vec<Candidate>> {
        let whole = |import: &&Reference| {
            import.name == "*"
                && import.alias.as_deref().is_some_and(|alias| alias == qualifier || alias == first)
        };
        let namespace = self.imports().find(whole);
        let named = self.import_of(first);
        let separator = if self.family == Family::Rust { "::" } else { "." };
        let rest = qualifier[first.len()..].trim_start_matches(['.', ':']);
        let module = match (namespace, named) {
            (Some(import), _) => {
                let module = import.qualifier.as_deref()?;
                if import.alias.as_deref() == Some(qualifier) || rest.is_empty() {
                    module.to_owned()
                } else {
                    // `import a` and then `a.b.c()`.
                    [module, rest].join(separator)
                }
            }
            (None, Some(import)) => {
                let module = import.qualifier.as_deref()?;
                let parts = [module, &import.name, rest];
                parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(separator)
            }
            (None, None) if qualifier.contains("::") || self.family == Family::Rust => {
                qualifier.replace('.', "::")
            }
            (None, None) => return None,
        };
        let mut found = Vec::new();
        for (at, definition) in self.fitting().filter(|(_, definition)| !definition.is_member()) {
            match leads(self.family, self.place.path, &module, &definition.path) {
                Some(Closeness::Itself) => found.push(certain(at, Reason::Imported(module.clone()))),
                Some(Closeness::Beneath) => found.push(likely(at, Reason::Imported(module.clone()))),
                None => {}
            }
        }
        let is_module = namespace.is_some() || qualifier.contains("::");
        let outside = named.is_some_and(|import| {
            import.qualifier.as_deref().is_some_and(|module| !self.is_of_project(module))
        });
        (!found.is_empty() || is_module || outside).then_some(found)
    }

    /// A method of a receiver whose type the file shows.
    fn by_receiver(&self, receiver: &str) -> Vec<Candidate> {
        let meant = self.meant(receiver);
        let found = self.of_type(meant, Reason::Receiver);
        if !found.is_empty() {
            return found;
        }
        // A type parameter, or an alias, says nothing; another type of the project may have the method by a macro.
        let parameter = receiver.len() <= 2 || receiver.starts_with(char::is_lowercase);
        match parameter || self.types.knows(meant) {
            true => self.demoted(self.unknown(receiver)),
            false => Vec::new(),
        }
    }

    fn demoted(&self, found: Vec<Candidate>) -> Vec<Candidate> {
        let less = |candidate: Candidate| Candidate { certainty: Certainty::Possible, ..candidate };
        found.into_iter().map(less).collect()
    }

    /// Members of a type, else of those above it; and those of types below, which may be meant, too.
    fn of_type(&self, name: &str, reason: impl Fn(String) -> Reason) -> Vec<Candidate> {
        let owned: Vec<(usize, &Definition)> = self.among(self.named.by_owner.get(name)).collect();
        let mut found = match owned.is_empty() {
            true => self.inherited(name),
            false => self.narrowed(name, owned, || reason(name.to_owned())),
        };
        let members = self.fitting().filter(|(_, definition)| definition.is_member());
        for (at, definition) in members.take(LOOKED_THROUGH) {
            let Some(owner) = definition.owner().filter(|owner| *owner != name) else { continue };
            if self.types.above(owner).iter().any(|above| above == name) {
                found.push(likely(at, Reason::Through(name.to_owned())));
            }
        }
        found
    }

    /// Members of the types above one, the nearest type first.
    fn inherited(&self, name: &str) -> Vec<Candidate> {
        for above in self.types.above(name).iter() {
            let owned: Vec<(usize, &Definition)> = self.among(self.named.by_owner.get(above)).collect();
            if !owned.is_empty() {
                return self.narrowed(above, owned, || Reason::Inherited(above.clone()));
            }
        }
        Vec::new()
    }

    /// Of several types that share a name, the one that is meant here.
    fn narrowed(
        &self,
        name: &str,
        owned: Vec<(usize, &Definition)>,
        reason: impl Fn() -> Reason,
    ) -> Vec<Candidate> {
        let paths: Vec<&str> = owned.iter().map(|(_, definition)| definition.path.as_str()).collect();
        if paths.iter().all(|path| *path == paths[0]) {
            return owned.into_iter().map(|(at, _)| certain(at, reason())).collect();
        }
        let import = self.imports().find(|import| import.local_name() == name || import.name == name);
        let imported = |definition: &Definition| {
            let module = import.and_then(|import| import.qualifier.as_deref());
            module
                .is_some_and(|module| leads(self.family, self.place.path, module, &definition.path).is_some())
        };
        let tests: [&dyn Fn(&Definition) -> bool; 3] =
            [&|definition| definition.file == self.place.file, &imported, &|definition| {
                folder(&definition.path) == folder(self.place.path)
            }];
        for test in tests {
            let found: Vec<Candidate> =
                owned.iter().filter(|(_, one)| test(one)).map(|(at, _)| certain(*at, reason())).collect();
            if !found.is_empty() {
                return found;
            }
        }
        owned.into_iter().map(|(at, _)| likely(at, reason())).collect()
    }

    /// A method of a receiver of which only the name is known.
    fn unknown(&self, receiver: &str) -> Vec<Candidate> {
        let called = fold_name(receiver.trim_end_matches("()").trim_end_matches("[]"));
        let members: Vec<(usize, &Definition)> = self
            .fitting()
            .filter(|(_, definition)| definition.is_member() || self.family == Family::Other)
            .collect();
        let like = |at: usize| likeness(&called, &self.named.owners[at]);
        let owner = |definition: &'a Definition| definition.owner().unwrap_or_else(|| stem(&definition.path));
        let alike: Vec<(Likeness, usize, &str)> = members
            .iter()
            .filter_map(|(at, definition)| Some((like(*at)?, *at, owner(definition))))
            .collect();
        for how in [Likeness::Same, Likeness::Ending, Likeness::Beginning] {
            let of_kind = alike.iter().filter(|(likeness, ..)| *likeness == how);
            let found: Vec<(usize, &str)> = of_kind.map(|(_, at, owner)| (*at, *owner)).collect();
            let one_owner = found.iter().all(|(_, owner)| *owner == found[0].1);
            // `queue` may be any of several queues.
            if !found.is_empty() && (one_owner || how == Likeness::Same) {
                let candidate = |(at, owner): (usize, &str)| likely(at, Reason::Resembles(owner.to_owned()));
                return found.into_iter().map(candidate).collect();
            }
            if !found.is_empty() {
                let count = found.len();
                let candidate = |(at, _): (usize, &str)| Candidate {
                    definition: at,
                    certainty: Certainty::Possible,
                    reason: Reason::OneOf(count),
                };
                return found.into_iter().map(candidate).collect();
            }
        }
        let ordinary = is_ordinary(&self.reference.name);
        if let ([(only, _)], false) = (&members[..], ordinary) {
            return vec![likely(*only, Reason::Only)];
        }
        let names = self.place.references.iter().filter(|one| one.kind != ReferenceKind::Inherit);
        let spoken_of: HashSet<&str> = names
            .map(|one| one.name.as_str())
            .filter(|name| self.named.by_owner.contains_key(*name))
            .collect();
        let mentioned = |definition: &Definition| {
            definition.file == self.place.file
                || definition.owner().is_some_and(|owner| spoken_of.contains(owner))
        };
        let (near, far): (Vec<_>, Vec<_>) = members.into_iter().partition(|(_, one)| mentioned(one));
        let one_owner = near.iter().all(|(_, one)| one.owner() == near[0].1.owner());
        if !near.is_empty() && one_owner && !ordinary {
            let candidate = |(at, one): (usize, &Definition)| {
                likely(at, Reason::Mentioned(one.owner().unwrap_or_default().to_owned()))
            };
            return near.into_iter().map(candidate).collect();
        }
        let count = near.len() + far.len();
        let candidate = |(at, _): (usize, &Definition)| Candidate {
            definition: at,
            certainty: Certainty::Possible,
            reason: Reason::OneOf(count),
        };
        near.into_iter().chain(far).map(candidate).collect()
    }
}

/// How a variable is called like a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    /// `pool` and `Pool`.
    Same,
    /// `free_pool` and `Pool`, `pool` and `ThreadPool`.
    Ending,
    /// `req` and `Request`.
    Beginning,
}

fn likeness(called: &str, owner: &str) -> Option<Likeness> {
    if called.is_empty() || called == owner {
        return (called == owner && !called.is_empty()).then_some(Likeness::Same);
    }
    if called.len() < 3 || owner.len() < 3 {
        return None;
    }
    if called.ends_with(owner) || owner.ends_with(called) {
        return Some(Likeness::Ending);
    }
    owner.starts_with(called).then_some(Likeness::Beginning)
}

/// How many folders lie between two files.
fn distance(one: &str, other: &str) -> usize {
    let steps = |path: &str| path.bytes().filter(|byte| *byte == b'/').count() + 1;
    let shared = one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count();
    steps(one) + steps(other) - 2 * shared
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
