//! A name with something before it: a module, a type, or a receiver.

use super::*;

impl<'a> Resolver<'a> {
    /// A name with something before it.
    pub(super) fn qualified(&self, qualifier: &str) -> Vec<Candidate> {
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
    pub(super) fn by_module(&self, qualifier: &str, first: &str) -> Option<Vec<Candidate>> {
        let whole = |import: &&Reference| {
            import.name == "*"
                && import.alias.as_deref().is_some_and(|alias| alias == qualifier || alias == first)
        };
        let namespace = self.place.imports.iter().find(whole);
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
    pub(super) fn by_receiver(&self, receiver: &str) -> Vec<Candidate> {
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

    pub(super) fn demoted(&self, found: Vec<Candidate>) -> Vec<Candidate> {
        let less = |candidate: Candidate| Candidate { certainty: Certainty::Possible, ..candidate };
        found.into_iter().map(less).collect()
    }

    /// Members of a type, else of those above it; and those of types below, which may be meant, too.
    pub(super) fn of_type(&self, name: &str, reason: impl Fn(String) -> Reason) -> Vec<Candidate> {
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
    pub(super) fn inherited(&self, name: &str) -> Vec<Candidate> {
        for above in self.types.above(name).iter() {
            let owned: Vec<(usize, &Definition)> = self.among(self.named.by_owner.get(above)).collect();
            if !owned.is_empty() {
                return self.narrowed(above, owned, || Reason::Inherited(above.clone()));
            }
        }
        Vec::new()
    }

    /// Of several types that share a name, the one that is meant here.
    pub(super) fn narrowed(
        &self,
        name: &str,
        owned: Vec<(usize, &Definition)>,
        reason: impl Fn() -> Reason,
    ) -> Vec<Candidate> {
        let paths: Vec<&str> = owned.iter().map(|(_, definition)| definition.path.as_str()).collect();
        if paths.iter().all(|path| *path == paths[0]) {
            return owned.into_iter().map(|(at, _)| certain(at, reason())).collect();
        }
        let import =
            self.place.imports.iter().find(|import| import.local_name() == name || import.name == name);
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
    pub(super) fn unknown(&self, receiver: &str) -> Vec<Candidate> {
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
        let mentioned = |definition: &Definition| {
            definition.file == self.place.file || definition.owner().is_some_and(self.place.speaks_of)
        };
        let near: Vec<_> = members.iter().filter(|(_, one)| !ordinary && mentioned(one)).collect();
        if let Some(owner) = near.first().map(|(_, one)| one.owner())
            && near.iter().all(|(_, one)| one.owner() == owner)
        {
            let reason = Reason::Mentioned(owner.unwrap_or_default().to_owned());
            return near.into_iter().map(|(at, _)| likely(*at, reason.clone())).collect();
        }
        let count = members.len();
        let candidate = |(at, _): (usize, &Definition)| Candidate {
            definition: at,
            certainty: Certainty::Possible,
            reason: Reason::OneOf(count),
        };
        members.into_iter().map(candidate).collect()
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
    let ends = |name: &str| (name.as_bytes().first().copied(), name.as_bytes().last().copied());
    let ((first, last), (owner_first, owner_last)) = (ends(called), ends(owner));
    if called.len() < 3 || owner.len() < 3 || first != owner_first && last != owner_last {
        return None;
    }
    if called.ends_with(owner) || owner.ends_with(called) {
        return Some(Likeness::Ending);
    }
    owner.starts_with(called).then_some(Likeness::Beginning)
}
