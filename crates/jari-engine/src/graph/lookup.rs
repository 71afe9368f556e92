//! What a walk over the graph asks the store for, each thing once.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use jari_base::{FileId, Language, Reference, ReferenceKind, Symbol, SymbolKind, Uses};
use jari_graph::{Closeness, Definition, Family, Named, Types, anchors, leads, steps};
use jari_store::{FileRecord, Files, Snapshot, StoredSymbol};
use jari_text::returned_type;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Project, Result};

/// Types that are looked at above one.
const ABOVE: usize = 40;

/// Files that are looked at for what one type inherits from.
const FILES_OF_A_TYPE: usize = 30;

/// Types that are looked at for the declaration of one field: its own, and those above.
const OWNERS: usize = 6;

/// Definitions of one type that are looked at for a field.
const DECLARATIONS: usize = 3;

/// Files that one import may mean.
const IMPORTED: usize = 12;

/// A definition, by its file and its place in it.
type Place = (FileId, u32);

/// What a file uses.
#[derive(Default)]
pub(super) struct FileUses {
    pub(super) all: Uses,
    imports: OnceCell<Vec<Reference>>,
    inherited: OnceCell<Vec<Reference>>,
}

impl FileUses {
    pub(super) fn imports(&self) -> &[Reference] {
        self.imports.get_or_init(|| self.all.of_kind(ReferenceKind::is_import))
    }

    /// What its types inherit from.
    fn inherited(&self) -> &[Reference] {
        self.inherited.get_or_init(|| self.all.of_kind(|kind| kind == ReferenceKind::Inherit))
    }

    /// The names that it uses, other than to inherit from them.
    pub(super) fn spoken_of(&self) -> FxHashSet<&str> {
        let uses = self.all.names().filter(|(_, kind)| *kind != ReferenceKind::Inherit);
        uses.map(|(name, _)| name).collect()
    }
}

/// The store's answers so far.
pub(super) struct Lookups<'a> {
    pub(super) project: &'a Project,
    pub(super) snapshot: &'a dyn Snapshot,
    pub(super) files: Arc<Files>,
    uses: RefCell<FxHashMap<FileId, Rc<FileUses>>>,
    defined: RefCell<FxHashMap<FileId, Rc<Vec<Symbol>>>>,
    around: RefCell<FxHashMap<Place, Option<Rc<Symbol>>>>,
    named: RefCell<FxHashMap<String, Rc<Named>>>,
    above: RefCell<FxHashMap<String, Rc<Vec<String>>>>,
    directly_above: RefCell<FxHashMap<String, Rc<Vec<String>>>>,
    fields: RefCell<FxHashMap<(String, String), Option<String>>>,
    declared_fields: RefCell<FxHashMap<(String, String), Option<String>>>,
    modules: OnceCell<FxHashSet<String>>,
    /// The first thing that went wrong where no error can be returned.
    failed: RefCell<Option<crate::Error>>,
}

impl<'a> Lookups<'a> {
    pub(super) fn new(project: &'a Project, snapshot: &'a dyn Snapshot) -> Result<Self> {
        Ok(Self {
            project,
            snapshot,
            files: snapshot.files()?,
            uses: RefCell::default(),
            defined: RefCell::default(),
            around: RefCell::default(),
            named: RefCell::default(),
            above: RefCell::default(),
            directly_above: RefCell::default(),
            fields: RefCell::default(),
            declared_fields: RefCell::default(),
            modules: OnceCell::new(),
            failed: RefCell::default(),
        })
    }

    /// A file's uses.
    pub(super) fn uses(&self, file: FileId) -> Result<Rc<FileUses>> {
        if let Some(known) = self.uses.borrow().get(&file) {
            return Ok(known.clone());
        }
        let found = Rc::new(FileUses { all: self.snapshot.uses(file)?, ..FileUses::default() });
        self.uses.borrow_mut().insert(file, found.clone());
        Ok(found)
    }

    /// A file's definitions.
    pub(super) fn defined(&self, file: FileId) -> Result<Rc<Vec<Symbol>>> {
        if let Some(known) = self.defined.borrow().get(&file) {
            return Ok(known.clone());
        }
        let found = Rc::new(self.snapshot.defined(file)?);
        self.defined.borrow_mut().insert(file, found.clone());
        Ok(found)
    }

    /// The definition that a use stands in.
    pub(super) fn around(&self, file: FileId, reference: &Reference) -> Result<Option<Rc<Symbol>>> {
        let Some(ordinal) = reference.within else { return Ok(None) };
        if let Some(known) = self.around.borrow().get(&(file, ordinal)) {
            return Ok(known.clone());
        }
        let found = self.snapshot.definition(file, ordinal)?.map(Rc::new);
        self.around.borrow_mut().insert((file, ordinal), found.clone());
        Ok(found)
    }

    /// All definitions of a name, spelled exactly so.
    pub(super) fn named(&self, name: &str) -> Result<Rc<Named>> {
        if let Some(known) = self.named.borrow().get(name) {
            return Ok(known.clone());
        }
        let exact = self.spelled_anyhow(name)?.into_iter().filter(|one| one.symbol.name == name);
        let found = Rc::new(Named::new(exact.collect()));
        self.named.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(found)
    }

    /// All definitions of a name, whatever its style.
    pub(super) fn spelled_anyhow(&self, name: &str) -> Result<Vec<Definition>> {
        let placed = |StoredSymbol { file, ordinal, symbol }: StoredSymbol| {
            self.files.get(file).map(|record| self.definition(record, ordinal, symbol))
        };
        let named = crate::symbols::named(self.snapshot, name, usize::MAX)?;
        Ok(named.into_iter().filter_map(placed).collect())
    }

    pub(super) fn definition(&self, record: &FileRecord, ordinal: u32, symbol: Symbol) -> Definition {
        let FileRecord { id, path, language, .. } = record;
        Definition { file: *id, path: path.clone(), language: language.clone(), ordinal, symbol }
    }

    /// What went wrong while types were looked up.
    pub(super) fn check(&self) -> Result<()> {
        self.failed.borrow_mut().take().map_or(Ok(()), Err)
    }

    fn or_remember<T: Default>(&self, result: Result<T>) -> T {
        result.unwrap_or_else(|error| {
            self.failed.borrow_mut().get_or_insert(error);
            T::default()
        })
    }

    /// The type of a field as the definition of its type declares it. A method of that name is a property.
    fn declared_field(&self, owner: &str, name: &str) -> Result<Option<String>> {
        // Many types share those above them.
        let key = (owner.to_owned(), name.to_owned());
        if let Some(known) = self.declared_fields.borrow().get(&key) {
            return Ok(known.clone());
        }
        let members = self.named(name)?;
        let property = |one: &&Definition| one.symbol.kind == SymbolKind::Method;
        let declared = match members.of_owner(owner).find(property) {
            Some(property) => {
                returned_type(&property.symbol.signature, name, 0, Some(owner)).map(str::to_owned)
            }
            None => self.written_field(owner, name)?,
        };
        self.declared_fields.borrow_mut().insert(key, declared.clone());
        Ok(declared)
    }

    /// The same, from what the types of that name themselves declare, as far as they agree.
    fn written_field(&self, owner: &str, name: &str) -> Result<Option<String>> {
        let named = self.named(owner)?;
        let types = named.definitions().iter().filter(|one| one.symbol.kind.is_type());
        let mut found: Option<String> = None;
        for Definition { file, ordinal, .. } in types.take(DECLARATIONS) {
            let uses = self.uses(*file)?;
            let Some(declared) = uses.all.field(*ordinal, name) else { continue };
            // Types of one name that do not agree tell nothing.
            if found.as_ref().is_some_and(|found| found != declared) {
                return Ok(None);
            }
            found = Some(declared.to_owned());
        }
        Ok(found)
    }

    /// What the definitions of a type say they inherit from.
    fn directly_above(&self, name: &str) -> Result<Rc<Vec<String>>> {
        if let Some(known) = self.directly_above.borrow().get(name) {
            return Ok(known.clone());
        }
        let mut files: FxHashSet<FileId> = FxHashSet::default();
        let mut above: Vec<String> = Vec::new();
        for Definition { file, ordinal, symbol, .. } in self.named(name)?.definitions() {
            if !symbol.kind.is_type() || files.len() == FILES_OF_A_TYPE && !files.contains(file) {
                continue;
            }
            files.insert(*file);
            let uses = self.uses(*file)?;
            // A type inside this one inherits for itself.
            for reference in uses.inherited().iter().filter(|one| one.within == Some(*ordinal)) {
                if !above.contains(&reference.name) {
                    above.push(reference.name.clone());
                }
            }
        }
        let above = Rc::new(above);
        self.directly_above.borrow_mut().insert(name.to_owned(), above.clone());
        Ok(above)
    }
}

impl Types for Lookups<'_> {
    fn above(&self, name: &str) -> Rc<Vec<String>> {
        if let Some(known) = self.above.borrow().get(name) {
            return known.clone();
        }
        let mut above: Vec<String> = Vec::new();
        let mut at = 0;
        let mut current = Some(name.to_owned());
        while let Some(next) = current {
            for one in self.or_remember(self.directly_above(&next)).iter() {
                if one != name && !above.contains(one) && above.len() < ABOVE {
                    above.push(one.clone());
                }
            }
            current = above.get(at).cloned();
            at += 1;
        }
        let above = Rc::new(above);
        self.above.borrow_mut().insert(name.to_owned(), above.clone());
        above
    }

    fn knows(&self, name: &str) -> bool {
        let named = self.or_remember(self.named(name));
        named.definitions().iter().any(|definition| definition.symbol.kind.is_type())
    }

    fn field(&self, owner: &str, name: &str) -> Option<String> {
        let key = (owner.to_owned(), name.to_owned());
        if let Some(known) = self.fields.borrow().get(&key) {
            return known.clone();
        }
        let above = self.above(owner);
        let owners = std::iter::once(owner).chain(above.iter().map(String::as_str));
        let found = owners.take(OWNERS).find_map(|owner| self.or_remember(self.declared_field(owner, name)));
        self.fields.borrow_mut().insert(key, found.clone());
        found
    }

    fn returned(&self, name: &str, number: usize, language: &Language, folder: &str) -> Option<String> {
        let named = self.or_remember(self.named(name));
        let fits = |one: &&Definition| {
            let callable = matches!(one.symbol.kind, SymbolKind::Function | SymbolKind::Method);
            callable && Family::meets(language, &one.language)
        };
        let agreed = |all: &mut dyn Iterator<Item = &Definition>| {
            let mut found: Option<&str> = None;
            for one in all {
                let returned = returned_type(&one.symbol.signature, name, number, one.owner())?;
                if found.is_some_and(|found| found != returned) {
                    return None;
                }
                found = Some(returned);
            }
            found.map(str::to_owned)
        };
        let beside = |one: &&Definition| one.path.rsplit_once('/').map_or("", |(folder, _)| folder) == folder;
        let all = named.definitions();
        agreed(&mut all.iter().filter(fits).filter(beside)).or_else(|| agreed(&mut all.iter().filter(fits)))
    }

    fn has_module(&self, name: &str) -> bool {
        let modules = self.modules.get_or_init(|| {
            let mut modules: FxHashSet<String> = FxHashSet::default();
            let mut last = "";
            for record in self.files.iter().filter(|record| record.skip.is_none()) {
                let (folder, file) = record.path.rsplit_once('/').unwrap_or(("", &record.path));
                // Files stand in order of their paths, so that a folder is seen once.
                if folder != last {
                    for step in folder.split('/').filter(|step| !modules.contains(*step)).collect::<Vec<_>>()
                    {
                        modules.insert(step.to_owned());
                    }
                    last = folder;
                }
                let stem = file.split('.').next().unwrap_or(file);
                if !modules.contains(stem) {
                    modules.insert(stem.to_owned());
                }
            }
            modules
        });
        modules.contains(name)
    }
}

/// All indexed files, by the names of their folders and their own.
pub(super) struct Tree<'a> {
    all: Vec<&'a FileRecord>,
    by_step: FxHashMap<&'a str, Vec<&'a FileRecord>>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(files: &'a Files) -> Self {
        let all: Vec<&FileRecord> = files.iter().filter(|record| record.skip.is_none()).collect();
        let mut by_step: FxHashMap<&str, Vec<&FileRecord>> = FxHashMap::default();
        for record in &all {
            for step in steps(&record.path) {
                by_step.entry(step).or_default().push(record);
            }
        }
        Self { all, by_step }
    }

    /// The files that an import means: those that are it, else those below it.
    pub(super) fn imported(&self, from: &FileRecord, import: &Reference) -> Vec<&'a str> {
        let family = Family::of(&from.language);
        for module in modules(family, import) {
            let found = self.of_module(family, from, &module);
            if !found.is_empty() && found.len() <= IMPORTED {
                return found;
            }
        }
        Vec::new()
    }

    /// Whether `meant` is among them.
    pub(super) fn means(&self, from: &FileRecord, import: &Reference, meant: &FileRecord) -> bool {
        let family = Family::of(&from.language);
        if !may_mean(from, import, meant) {
            return false;
        }
        for module in modules(family, import) {
            let closeness = leads(family, &from.path, &module, &meant.path);
            if closeness == Some(Closeness::Beneath) && self.is_crowd(family, from, &module, meant) {
                continue;
            }
            let found = self.of_module(family, from, &module);
            if !found.is_empty() && found.len() <= IMPORTED {
                return found.contains(&meant.path.as_str());
            }
        }
        false
    }

    /// Whether so much lies below a module that it says nothing. What does lies around `meant`, which is below it.
    fn is_crowd(&self, family: Family, from: &FileRecord, module: &str, meant: &FileRecord) -> bool {
        let at = self.all.partition_point(|record| record.path < meant.path);
        let around = &self.all[at.saturating_sub(IMPORTED)..self.all.len().min(at + 2 * IMPORTED)];
        let below = |record: &&&FileRecord| {
            Family::meets(&from.language, &record.language)
                && leads(family, &from.path, module, &record.path) == Some(Closeness::Beneath)
        };
        around.iter().filter(below).count() > IMPORTED
    }

    fn of_module(&self, family: Family, from: &FileRecord, module: &str) -> Vec<&'a str> {
        let may_be: Vec<&FileRecord> = match anchors(family, module) {
            None => self.all.clone(),
            Some(names) => {
                names.iter().filter_map(|name| self.by_step.get(name)).flatten().copied().collect()
            }
        };
        let (mut exact, mut beneath) = (Vec::new(), Vec::new());
        let others = may_be.into_iter().filter(|record| record.id != from.id);
        for record in others.filter(|record| Family::meets(&from.language, &record.language)) {
            match leads(family, &from.path, module, &record.path) {
                Some(Closeness::Itself) => exact.push(record.path.as_str()),
                Some(Closeness::Beneath) => beneath.push(record.path.as_str()),
                None => {}
            }
        }
        // Below the top of a crate or package lies everything: that says nothing.
        let mut found = if exact.is_empty() { beneath } else { exact };
        // A file may have a name twice in its path.
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Whether an import may mean a file, as far as the two alone tell.
pub(super) fn may_mean(from: &FileRecord, import: &Reference, file: &FileRecord) -> bool {
    let family = Family::of(&from.language);
    Family::meets(&from.language, &file.language)
        && modules(family, import)
            .iter()
            .any(|module| leads(family, &from.path, module, &file.path).is_some())
}

/// The modules that an import may name, the most particular first.
fn modules(family: Family, import: &Reference) -> Vec<String> {
    let mut modules = Vec::new();
    match &import.qualifier {
        None => modules.push(import.name.clone()),
        Some(module) => {
            // `from a import b` may mean the module `a.b`.
            let separator = match family {
                Family::Rust => "::",
                Family::Php => "\\",
                _ => ".",
            };
            let bare = module.ends_with('.') || import.name == "*";
            if family != Family::Script && import.name != "*" {
                modules.push(format!("{module}{}{}", if bare { "" } else { separator }, import.name));
            }
            modules.push(module.clone());
        }
    }
    modules
}
