//! The uses of a name, file by file: each file tells for itself what its uses mean.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::rc::Rc;

use jari_base::{FileId, Reference, ReferenceKind, Symbol};
use jari_graph::{Candidate, Certainty, Definition, Named, Place, looks_around, resolve};
use jari_store::FileRecord;
use rustc_hash::{FxHashMap, FxHashSet};

use super::lookup::{FileUses, Lookups, may_mean};
use super::walk::{Key, key};
use crate::Result;

/// What is looked for.
pub(super) struct Sought<'a> {
    /// Definitions that share a name.
    pub(super) targets: &'a [Definition],
    /// Which uses count.
    pub(super) wanted: &'a dyn Fn(ReferenceKind) -> bool,
    /// Whether uses are returned of which nothing tells whether they mean a target.
    pub(super) possible: bool,
    /// Whether to end early.
    pub(super) is_over: &'a dyn Fn() -> bool,
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    /// By file, then in order.
    pub(super) uses: Vec<Use>,
    /// Uses that may mean a target, though nothing tells, where these are not returned.
    pub(super) unlisted: usize,
    /// Whether it ended early.
    pub(super) cut: bool,
}

/// A use that means one of the targets.
pub(super) struct Use {
    /// In which file.
    pub(super) file: FileId,
    /// How the name is used.
    pub(super) reference: Reference,
    /// The definition around it.
    pub(super) around: Option<Symbol>,
    /// What it means.
    pub(super) meant: Candidate,
    /// How many definitions it may mean.
    pub(super) candidates: usize,
}

impl Sought<'_> {
    /// Looks through the files that use the name.
    pub(super) fn find(&self, lookups: &Lookups<'_>) -> Result<Found> {
        let named = lookups.named(self.name())?;
        let targets: FxHashSet<Key> = self.targets.iter().map(key).collect();
        let is_target: Vec<bool> =
            named.definitions().iter().map(|one| targets.contains(&key(one))).collect();
        let mut found = Found::default();
        for file in self.users(lookups)? {
            if (self.is_over)() {
                found.cut = true;
                break;
            }
            if let Some(record) = lookups.files.get(file) {
                self.look_at(lookups, record, &named, &is_target, &mut found)?;
            }
        }
        Ok(found)
    }

    fn name(&self) -> &str {
        &self.targets[0].symbol.name
    }

    /// The files that may use the name, by number.
    fn users(&self, lookups: &Lookups<'_>) -> Result<Vec<FileId>> {
        let mut users = lookups.snapshot.users(self.name())?;
        // What a module hands out by default goes by any name elsewhere.
        if self.targets.iter().any(is_default) {
            users.extend(lookups.snapshot.users("default")?);
            users.sort_unstable();
            users.dedup();
        }
        Ok(users)
    }

    /// Adds the uses of one file that mean a target.
    fn look_at(
        &self,
        lookups: &Lookups<'_>,
        record: &FileRecord,
        named: &Named,
        is_target: &[bool],
        found: &mut Found,
    ) -> Result<()> {
        let here = lookups.uses(record.id)?;
        // Uses of one kind in one type mean the same: tests call a thing a hundred times.
        let mut known: FxHashMap<Likes<'_>, Rc<Vec<Candidate>>> = FxHashMap::default();
        let names = OnceCell::new();
        let speaks_of = |name: &str| names.get_or_init(|| here.spoken_of()).contains(name);
        let uses = self.uses_in(lookups, record, &here);
        for reference in uses.iter().filter(|one| (self.wanted)(one.kind)) {
            let around = match looks_around(reference) {
                true => lookups.around(record.id, reference)?,
                false => None,
            };
            let around = around.as_deref();
            let candidates = known
                .entry(likes(reference, around))
                .or_insert_with(|| {
                    let place = place(record, around, here.imports(), &speaks_of);
                    Rc::new(resolve(place, reference, named, lookups))
                })
                .clone();
            let targets = candidates.iter().filter(|one| is_target[one.definition]);
            let best = |one: &&Candidate| (Reverse(one.certainty), named.distance(&record.path, one));
            let Some(meant) = targets.min_by_key(best) else { continue };
            if meant.certainty == Certainty::Possible && !self.possible {
                found.unlisted += 1;
                continue;
            }
            found.uses.push(Use {
                file: record.id,
                reference: reference.clone(),
                around: lookups.around(record.id, reference)?.as_deref().cloned(),
                meant: meant.clone(),
                candidates: candidates.len(),
            });
        }
        Ok(())
    }

    /// The uses of the name in a file: under its own name, and under those that imports give it.
    fn uses_in(&self, lookups: &Lookups<'_>, record: &FileRecord, file: &FileUses) -> Vec<Reference> {
        let name = self.name();
        let defaults = self.targets.iter().filter(|target| is_default(target));
        let defaults: Vec<&FileRecord> =
            defaults.filter_map(|target| lookups.files.get(target.file)).collect();
        let brings = |one: &Reference| {
            one.name == name
                || one.name == "default" && defaults.iter().any(|meant| may_mean(record, one, meant))
        };
        let aliases: Vec<&str> =
            file.imports().iter().filter(|one| brings(one)).filter_map(|one| one.alias.as_deref()).collect();
        let is_use = |one: &Reference| match one.kind.is_import() {
            true => brings(one),
            false => one.name == name || aliases.contains(&one.name.as_str()),
        };
        let mut found = file.all.named(|used| used == name || used == "default" || aliases.contains(&used));
        found.retain(is_use);
        found
    }
}

/// Where a use stands.
pub(super) fn place<'a>(
    record: &'a FileRecord,
    around: Option<&'a Symbol>,
    imports: &'a [Reference],
    speaks_of: &'a dyn Fn(&str) -> bool,
) -> Place<'a> {
    Place { file: record.id, path: &record.path, language: &record.language, around, imports, speaks_of }
}

/// Whether a module of JavaScript hands it out by default.
fn is_default(definition: &Definition) -> bool {
    definition.symbol.signature.starts_with("export default ")
}

/// All that decides what a use means, within one file.
type Likes<'a> = (ReferenceKind, &'a str, Option<&'a str>, Option<&'a str>, Option<String>, Option<String>);

fn likes<'a>(reference: &'a Reference, around: Option<&Symbol>) -> Likes<'a> {
    let container = around.and_then(|around| around.container.clone());
    let is_type = around.filter(|around| around.kind.is_type()).map(|around| around.name.clone());
    let (qualifier, receiver) = (reference.qualifier.as_deref(), reference.receiver.as_deref());
    (reference.kind, &reference.name, qualifier, receiver, container, is_type)
}
