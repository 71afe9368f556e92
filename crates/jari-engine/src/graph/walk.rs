//! The walk itself: from definitions to their uses and on to what is around those, or the other way; each definition once, so
//! that cycles end, and within bounds of time and number.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::time::Instant;

use jari_base::{FileId, LineRange, Reference, ReferenceKind, Symbol, SymbolKind};
use jari_graph::{Candidate, Certainty, Definition, Reason, best_first, resolve};
use jari_store::{PathFilter, Snapshot};
use rustc_hash::{FxHashMap, FxHashSet};

use super::lookup::Lookups;
use super::uses::{Sought, Use, place};
use super::{Edge, GraphAnswer, GraphRequest, Node, edge, name};
use crate::search::is_fresh;
use crate::{Error, Project, Result};

/// A name with more definitions than this is not followed unless one of them is named.
const CROWD: usize = 20;

/// Definitions of such a name that are shown.
const SHOWN: usize = 10;

/// Definitions of the same name elsewhere that are named where the one that was asked for is not there.
const NEAR: usize = 5;

/// Definitions that are followed from one hop to the next.
const FRONTIER: usize = 200;

/// Definitions that one call may mean, of those that are listed; beyond it only their number counts.
const TOLD: usize = 20;

/// Levels of inheritance that are followed downwards.
const LEVELS: usize = 4;

/// A definition, told apart from all others.
pub(super) type Key = (FileId, u32);

pub(super) fn key(definition: &Definition) -> Key {
    (definition.file, definition.ordinal)
}

struct Walk<'a> {
    lookups: Lookups<'a>,
    request: &'a GraphRequest,
    cancelled: &'a dyn Fn() -> bool,
    began: Instant,
    filter: PathFilter,
    answer: GraphAnswer,
    seen: FxHashSet<Key>,
}

/// How edges are listed: those of one line by what they lead to.
fn order(edge: &Edge) -> (usize, Reverse<Certainty>, &str, u32, &str, LineRange) {
    let Node { path, symbol, .. } = &edge.to;
    (edge.hop, Reverse(edge.certainty), &edge.path, edge.line, path, symbol.lines)
}

impl<'a> Walk<'a> {
    /// Begins at the definitions that the name means; `None` if there is nothing to follow.
    fn begin(
        project: &'a Project,
        snapshot: &'a dyn Snapshot,
        request: &'a GraphRequest,
        cancelled: &'a dyn Fn() -> bool,
    ) -> Result<(Self, Vec<Definition>)> {
        let filter = PathFilter::new(&request.within)
            .map_err(|error| Error::BadFilter(format!("the path filter cannot be read: {error}")))?;
        let lookups = Lookups::new(project, snapshot)?;
        let mut roots = name::definitions(&lookups, &request.name)?;
        let mut answer = GraphAnswer { defined: roots.len(), ..GraphAnswer::default() };
        if roots.is_empty() {
            let last = crate::symbols::split(&request.name).1;
            // The name itself, of something else than was said, is nearer than any other.
            let mut elsewhere = lookups.spelled_anyhow(last)?;
            elsewhere.truncate(NEAR);
            answer.near = match elsewhere.is_empty() {
                true => crate::near::names(snapshot, last)?,
                false => elsewhere.iter().map(|one| one.symbol.qualified()).collect(),
            };
            answer.near.dedup();
        }
        let crowded = roots.len() > CROWD;
        if crowded {
            let name = roots[0].symbol.name.clone();
            answer.crowd = Some(snapshot.users(&name)?.len());
            roots.truncate(SHOWN);
        }
        answer.definitions = roots.iter().map(Node::from).collect();
        let seen = roots.iter().map(key).collect();
        let walk = Self { lookups, request, cancelled, began: Instant::now(), filter, answer, seen };
        Ok((walk, if crowded { Vec::new() } else { roots }))
    }

    fn is_over(&mut self) -> bool {
        self.answer.timed_out |= self.began.elapsed() > self.request.time;
        self.answer.timed_out || (self.cancelled)()
    }

    /// Puts edges in order and cuts them.
    fn finish(mut self) -> Result<GraphAnswer> {
        self.lookups.check()?;
        let edges = &mut self.answer.edges;
        edges.sort_by(|one, other| order(one).cmp(&order(other)));
        edges.dedup_by(|one, other| order(one) == order(other) && one.kind == other.kind);
        self.answer.total = edges.len();
        edges.truncate(self.request.limit);
        let mut fresh: FxHashMap<String, bool> = FxHashMap::default();
        for edge in edges {
            let Some(record) = self.lookups.files.at(&edge.path) else { continue };
            let look = || is_fresh(self.lookups.project, record);
            edge.fresh = *fresh.entry(edge.path.clone()).or_insert_with(look);
        }
        Ok(self.answer)
    }

    /// Adds an edge and returns whether the walk goes on from it.
    fn add(&mut self, mut edge: Edge, candidate: &Candidate, candidates: usize, hop: usize) -> bool {
        edge.certainty = candidate.certainty;
        edge.reason = candidate.reason.to_string();
        edge.candidates = match candidate.reason {
            Reason::OneOf(count) => count,
            _ => candidates,
        };
        edge.hop = hop;
        if self.lookups.files.at(&edge.path).is_some_and(|record| self.filter.allows(record)) {
            self.answer.edges.push(edge);
        }
        candidate.certainty != Certainty::Possible
    }
}

/// Against the arrows: from what is used to who uses it.
pub(super) fn inwards(
    project: &Project,
    snapshot: &dyn Snapshot,
    request: &GraphRequest,
    cancelled: &dyn Fn() -> bool,
    wanted: impl Fn(ReferenceKind) -> bool,
) -> Result<GraphAnswer> {
    let (mut walk, mut frontier) = Walk::begin(project, snapshot, request, cancelled)?;
    for hop in 1..=request.hops {
        let mut next: Vec<Definition> = Vec::new();
        for targets in by_name(std::mem::take(&mut frontier)) {
            // What comes after would be cut: nearer edges are shown first. All direct ones are counted.
            walk.answer.full = walk.answer.edges.len() >= request.limit;
            if hop > 1 && (walk.answer.full || walk.is_over()) {
                break;
            }
            walk.uses_of(&targets, hop, &wanted, &mut next)?;
        }
        next.truncate(FRONTIER);
        frontier = next;
    }
    walk.finish()
}

/// Definitions of one name are looked for together.
fn by_name(mut definitions: Vec<Definition>) -> Vec<Vec<Definition>> {
    definitions.sort_by(|one, other| one.symbol.name.cmp(&other.symbol.name));
    let groups = definitions.chunk_by(|one, other| one.symbol.name == other.symbol.name);
    groups.map(<[Definition]>::to_vec).collect()
}

impl Walk<'_> {
    /// Adds the uses that mean one of `targets`, which share a name; what is around them goes to `next`.
    fn uses_of(
        &mut self,
        targets: &[Definition],
        hop: usize,
        wanted: &dyn Fn(ReferenceKind) -> bool,
        next: &mut Vec<Definition>,
    ) -> Result<()> {
        let named = self.lookups.named(&targets[0].symbol.name)?;
        let (began, request, cancelled) = (self.began, self.request, self.cancelled);
        let is_over = || began.elapsed() > request.time || cancelled();
        let sought = Sought { targets, wanted, possible: request.possible, is_over: &is_over };
        let found = sought.find(&self.lookups)?;
        self.answer.possible += found.unlisted;
        self.answer.timed_out |= found.cut && began.elapsed() > request.time;
        let files = self.lookups.files.clone();
        for Use { file, reference, around, meant, candidates } in found.uses {
            let Some(record) = files.get(file) else { continue };
            let to = &named.definitions()[meant.definition];
            let found = edge(record, &reference, around.clone(), Node::from(to));
            let follows = self.add(found, &meant, candidates, hop);
            if let (true, Some(around), Some(ordinal)) = (follows, around, reference.within) {
                let caller = self.lookups.definition(record, ordinal, around);
                if self.seen.insert(key(&caller)) {
                    next.push(caller);
                }
            }
        }
        Ok(())
    }
}

/// Along the arrows: from what is defined to what it calls.
pub(super) fn outwards(
    project: &Project,
    snapshot: &dyn Snapshot,
    request: &GraphRequest,
    cancelled: &dyn Fn() -> bool,
) -> Result<GraphAnswer> {
    let (mut walk, mut frontier) = Walk::begin(project, snapshot, request, cancelled)?;
    for hop in 1..=request.hops {
        let mut next = Vec::new();
        for definition in std::mem::take(&mut frontier) {
            if walk.is_over() {
                break;
            }
            walk.calls_of(&definition, hop, &mut next)?;
        }
        next.truncate(FRONTIER);
        frontier = next;
    }
    walk.finish()
}

impl Walk<'_> {
    /// Adds what a definition calls, the definitions inside it included.
    fn calls_of(&mut self, caller: &Definition, hop: usize, next: &mut Vec<Definition>) -> Result<()> {
        let files = self.lookups.files.clone();
        let Some(record) = files.get(caller.file) else { return Ok(()) };
        let here = self.lookups.uses(caller.file)?;
        let defined = self.lookups.defined(caller.file)?;
        let lines = caller.symbol.lines;
        let names = OnceCell::new();
        let speaks_of = |name: &str| names.get_or_init(|| here.spoken_of()).contains(name);
        let calls = here.all.of_kind(|kind| kind == ReferenceKind::Call);
        for reference in calls.iter().filter(|one| lines.contains(one.line)) {
            let around = reference.within.and_then(|within| defined.get(within as usize));
            let inside = around.is_some_and(|around| lines.contains(around.lines.start));
            // A route that stands above a function hands requests to it; the function does not call itself for that.
            let is_route = around.is_some_and(|around| around.kind == SymbolKind::Endpoint);
            if !inside || is_route && caller.symbol.kind != SymbolKind::Endpoint {
                continue;
            }
            let renames = |one: &&Reference| one.alias.as_deref() == Some(&reference.name) && one.name != "*";
            let import = here.imports().iter().find(renames);
            let named = self.lookups.named(import.map_or(&reference.name, |import| &import.name))?;
            let place = place(record, around, here.imports(), &speaks_of);
            let mut candidates = resolve(place, reference, &named, &self.lookups);
            best_first(&mut candidates, &named, &record.path);
            let Some(best) = candidates.first() else {
                self.answer.outside += 1;
                continue;
            };
            if best.certainty == Certainty::Possible && !self.request.possible {
                self.answer.possible += 1;
                continue;
            }
            for candidate in candidates.iter().take(TOLD) {
                let to = &named.definitions()[candidate.definition];
                let found = edge(record, reference, around.cloned(), Node::from(to));
                let follows = self.add(found, candidate, candidates.len(), hop);
                if follows && self.seen.insert(key(to)) {
                    next.push(to.clone());
                }
            }
        }
        Ok(())
    }
}

/// From a type to what is made of it; from a method to those that stand in for it.
pub(super) fn below(
    project: &Project,
    snapshot: &dyn Snapshot,
    request: &GraphRequest,
    cancelled: &dyn Fn() -> bool,
) -> Result<GraphAnswer> {
    let (mut walk, roots) = Walk::begin(project, snapshot, request, cancelled)?;
    let (types, methods): (Vec<_>, Vec<_>) = roots.into_iter().partition(|root| root.symbol.kind.is_type());
    let mut frontier = types.clone();
    for hop in 1..=LEVELS {
        let mut next: Vec<Definition> = Vec::new();
        for targets in by_name(std::mem::take(&mut frontier)) {
            walk.uses_of(&targets, hop, &|kind| kind == ReferenceKind::Inherit, &mut next)?;
        }
        frontier = next;
    }
    for interface in types.iter().filter(|root| root.language.as_str() == "go") {
        walk.satisfying(interface)?;
    }
    for method in &methods {
        walk.standing_in(method)?;
    }
    walk.finish()
}

impl Walk<'_> {
    /// Adds the methods of types below that have the name of `method`.
    fn standing_in(&mut self, method: &Definition) -> Result<()> {
        use jari_graph::Types as _;
        let Some(owner) = method.owner() else { return Ok(()) };
        let named = self.lookups.named(&method.symbol.name)?;
        for other in named.definitions().iter().filter(|other| key(other) != key(method)) {
            let below = other
                .owner()
                .is_some_and(|other| self.lookups.above(other).iter().any(|above| above == owner));
            if below {
                self.add_implementation(other, method, Reason::Inherited(owner.to_owned()));
            }
        }
        Ok(())
    }

    /// Adds Go's types that have all methods of an interface.
    fn satisfying(&mut self, interface: &Definition) -> Result<()> {
        if interface.symbol.kind != SymbolKind::Interface {
            return Ok(());
        }
        let defined = self.lookups.defined(interface.file)?;
        let own = |symbol: &&Symbol| {
            symbol.kind == SymbolKind::Method
                && symbol.container.as_deref() == Some(&interface.symbol.qualified())
        };
        let mut owners: Option<FxHashSet<String>> = None;
        for method in defined.iter().filter(own) {
            let named = self.lookups.named(&method.name)?;
            let here: FxHashSet<String> =
                named.definitions().iter().filter_map(|one| one.owner().map(str::to_owned)).collect();
            owners = Some(match owners {
                Some(owners) => owners.intersection(&here).cloned().collect(),
                None => here,
            });
        }
        for owner in owners.unwrap_or_default().into_iter().filter(|owner| *owner != interface.symbol.name) {
            let named = self.lookups.named(&owner)?;
            for found in named.definitions().iter().filter(|one| is_struct(one)) {
                self.add_implementation(found, interface, Reason::Named("all its methods".to_owned()));
            }
        }
        Ok(())
    }

    fn add_implementation(&mut self, found: &Definition, of: &Definition, reason: Reason) {
        let Some(record) = self.lookups.files.clone().get(found.file).cloned() else { return };
        let reference = Reference::new(&found.symbol.name, ReferenceKind::Inherit, found.symbol.lines.start);
        let found = edge(&record, &reference, Some(found.symbol.clone()), Node::from(of));
        let candidate = Candidate { definition: 0, certainty: Certainty::Likely, reason };
        self.add(found, &candidate, 1, 1);
    }
}

fn is_struct(definition: &Definition) -> bool {
    definition.language.as_str() == "go"
        && matches!(definition.symbol.kind, SymbolKind::Struct | SymbolKind::Type)
}
