//! A name without anything before it: of the file, of an import, of the package, or known by itself.

use super::*;

impl<'a> Resolver<'a> {
    /// A name without anything before it.
    pub(super) fn alone(&self) -> Vec<Candidate> {
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
    pub(super) fn in_file(&self) -> Vec<Candidate> {
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
    pub(super) fn of_import(&self, import: &Reference) -> Vec<Candidate> {
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
    pub(super) fn is_of_project(&self, module: &str) -> bool {
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
    pub(super) fn by_wildcard(&self) -> Vec<Candidate> {
        let wild: Vec<&str> = self
            .place
            .imports
            .iter()
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
    pub(super) fn by_name_alone(&self) -> Vec<Candidate> {
        let script = self.family == Family::Script && self.place.imports.is_empty();
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
            self.place.imports.iter().any(|import| {
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
    pub(super) fn several(&self, found: Vec<(usize, &Definition)>) -> Vec<Candidate> {
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
}
