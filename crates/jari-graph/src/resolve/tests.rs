//! A use and a few definitions in; what it means out.

use jari_base::LineRange;

use super::*;

/// Types with those above them, and folders.
struct World(&'static [(&'static str, &'static [&'static str])]);

impl Types for World {
    fn above(&self, name: &str) -> Rc<Vec<String>> {
        let found = self.0.iter().find(|(one, _)| *one == name).map_or(&[][..], |(_, above)| above);
        Rc::new(found.iter().map(|name| (*name).to_owned()).collect())
    }

    fn knows(&self, name: &str) -> bool {
        self.0.iter().any(|(one, _)| *one == name)
    }

    fn returned(&self, name: &str, number: usize, _: &Language, _: &str) -> Option<String> {
        (name == "open_pool").then(|| if number == 0 { "Pool" } else { "Queue" }.to_owned())
    }

    fn field(&self, owner: &str, name: &str) -> Option<String> {
        (owner == "Pool" && name == "waiting").then(|| "Queue".to_owned())
    }

    fn has_module(&self, name: &str) -> bool {
        name == "net"
    }
}

const WORLD: World =
    World(&[("Pool", &["Base"]), ("Base", &[]), ("Queue", &[]), ("Store", &[]), ("Local", &["Store"])]);

fn symbol(qualified: &str, kind: SymbolKind) -> Symbol {
    let (container, name) =
        qualified.rsplit_once('.').map_or((None, qualified), |(around, name)| (Some(around), name));
    Symbol {
        name: name.to_owned(),
        kind,
        container: container.map(str::to_owned),
        signature: String::new(),
        doc: None,
        exported: true,
        lines: LineRange::new(1, 2),
    }
}

/// Definitions as `path qualified.name`; members of what begins with a capital are methods.
fn named(definitions: &[&str]) -> Named {
    let one = |definition: &&str| {
        let (path, qualified) = definition.split_once(' ').expect("a path and a name");
        let member =
            qualified.split('.').rev().nth(1).is_some_and(|owner| owner.starts_with(char::is_uppercase));
        let kind = if member { SymbolKind::Method } else { SymbolKind::Function };
        let language = jari_base::Language::named(match path.rsplit('.').next() {
            Some("py") => "python",
            Some("rs") => "rust",
            Some("go") => "go",
            Some("java") => "java",
            Some("c" | "h") => "c",
            _ => "typescript",
        });
        let file = FileId(jari_base::fingerprint(path.as_bytes()) as u32);
        Definition { file, path: path.to_owned(), language, symbol: symbol(qualified, kind) }
    };
    Named::new(definitions.iter().map(one).collect())
}

fn import(module: &str, name: &str, alias: Option<&str>) -> Reference {
    Reference {
        qualifier: Some(module.to_owned()),
        alias: alias.map(str::to_owned),
        ..Reference::new(name, ReferenceKind::Import, 1)
    }
}

/// A call in the file at `path`: `receiver.name`, and the receiver's type behind a colon.
fn check(path: &str, call: &str, imports: &[Reference], definitions: &[&str], expected: &str) {
    let (call, receiver) =
        call.split_once(": ").map_or((call, None), |(call, receiver)| (call, Some(receiver)));
    let (qualifier, name) =
        call.rsplit_once(['.', ':']).map_or((None, call), |(before, name)| (Some(before), name));
    let reference = Reference {
        qualifier: qualifier.map(|qualifier| qualifier.trim_end_matches(':').to_owned()),
        receiver: receiver.map(str::to_owned),
        ..Reference::new(name, ReferenceKind::Call, 3)
    };
    let here = named(&[&format!("{path} x")]);
    let definition = &here.definitions()[0];
    let around = symbol("Pool.caller", SymbolKind::Method);
    let speaks_of = |name: &str| imports.iter().any(|one| one.name == name);
    let place = Place {
        file: definition.file,
        path,
        language: &definition.language,
        around: Some(&around),
        references: imports,
        speaks_of: &speaks_of,
    };
    let named = named(definitions);
    let shown: Vec<String> = resolve(place, &reference, &named, &WORLD)
        .iter()
        .map(|candidate| {
            let found = &named.definitions()[candidate.definition];
            let (path, name) = (&found.path, found.symbol.qualified());
            format!("{path} {name} ({}: {})", candidate.certainty.as_str(), candidate.reason)
        })
        .collect();
    assert_eq!(shown.join("; "), expected, "{call} in {path}");
}

#[test]
fn the_own_file_comes_before_all_others() {
    check("a.py", "take", &[], &["a.py take", "b.py take"], "a.py take (certain: same file)");
    // A method needs its receiver in Python, and none in Java.
    check("a.py", "take", &[], &["a.py Pool.take"], "");
    check("A.java", "take", &[], &["A.java Pool.take"], "A.java Pool.take (certain: same type)");
    check("A.java", "take", &[], &["B.java Base.take"], "B.java Base.take (certain: inherited from Base)");
}

#[test]
fn imports_say_where_a_name_is_from() {
    let both = ["net/pool.py take", "net/queue.py take"];
    let from = |module: &str| [import(module, "take", None)];
    check("a.py", "take", &from("net.pool"), &both, "net/pool.py take (certain: imported from net.pool)");
    check("a.py", "take", &from("itertools"), &both, "");
    check("a.py", "take", &[], &both, "");
    let two = "net/pool.py take (likely: imported from net); net/queue.py take (likely: imported from net)";
    check("a.py", "take", &from("net"), &both, two);
    let renamed = [import("net.pool", "take", Some("grab"))];
    let with_own = ["a.py take", "net/pool.py take"];
    check("a.py", "grab", &renamed, &with_own, "net/pool.py take (certain: imported from net.pool)");
    let all = [import("net.pool", "*", None)];
    check("a.py", "take", &all, &both, "net/pool.py take (certain: imported with all of net.pool)");
    let module = [import("net", "pool", None)];
    check("a.py", "pool.take", &module, &both, "net/pool.py take (certain: imported from net.pool)");
    let outside = [import("os", "*", Some("os"))];
    check("a.py", "os.take", &outside, &both, "");
}

#[test]
fn receivers_decide_between_methods() {
    let both = ["p.py Pool.take", "q.py Queue.take"];
    check("a.py", "x.take: Pool", &[], &both, "p.py Pool.take (certain: receiver is a Pool)");
    check("a.py", "Pool.take", &[], &both, "p.py Pool.take (certain: named with Pool)");
    check("a.py", "self.take", &[], &both, "p.py Pool.take (certain: receiver is a Pool)");
    check("a.py", "my_queue.take", &[], &both, "q.py Queue.take (likely: receiver is called like Queue)");
    check("a.py", "x.take: Vec", &[], &both, "");
    check("a.py", "x.take: open_pool()", &[], &both, "p.py Pool.take (certain: receiver is a Pool)");
    check("a.py", "x.take: open_pool()#1", &[], &both, "q.py Queue.take (certain: receiver is a Queue)");
    check(
        "a.py",
        "x.take: open_pool().waiting",
        &[],
        &both,
        "q.py Queue.take (certain: receiver is a Queue)",
    );
    check("a.py", "x.take: Pool.waiting", &[], &both, "q.py Queue.take (certain: receiver is a Queue)");
    check("a.py", "net.open_pool().take", &[], &both, "p.py Pool.take (certain: receiver is a Pool)");
    check("a.py", "\".take", &[], &both, "");
    let either = "p.py Pool.take (possible: one of 2); q.py Queue.take (possible: one of 2)";
    check("a.py", "x.take", &[], &both, either);
    check(
        "a.py",
        "x.take_over",
        &[],
        &["p.py Pool.take_over"],
        "p.py Pool.take_over (likely: the only definition)",
    );
}

#[test]
fn types_above_and_below_are_followed() {
    check(
        "a.py",
        "x.close: Pool",
        &[],
        &["b.py Base.close"],
        "b.py Base.close (certain: inherited from Base)",
    );
    check(
        "a.py",
        "super().close",
        &[],
        &["b.py Base.close", "p.py Pool.close"],
        "b.py Base.close (certain: inherited from Base)",
    );
    check(
        "a.rs",
        "x.put: Store",
        &[],
        &["s.rs Store.put", "l.rs Local.put"],
        "s.rs Store.put (certain: receiver is a Store); l.rs Local.put (likely: through Store)",
    );
}

#[test]
fn packages_and_headers_need_no_import() {
    check(
        "net/a.go",
        "take",
        &[],
        &["net/pool.go take", "other/pool.go take"],
        "net/pool.go take (certain: same package)",
    );
    check("a.c", "take", &[], &["src/pool.c take"], "src/pool.c take (certain: the only definition)");
    let included = [Reference::new("pool.h", ReferenceKind::Import, 1)];
    check(
        "a.c",
        "take",
        &included,
        &["x/pool.c take", "y/queue.c take"],
        "x/pool.c take (likely: imported from x/pool.c)",
    );
    check("a.py", "take", &[], &["a.c take"], "");
}
