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
            Some("cs") => "csharp",
            Some("lua") => "lua",
            Some("php") => "php",
            Some("rb") => "ruby",
            Some("swift") => "swift",
            Some("zig") => "zig",
            _ => "typescript",
        });
        let file = FileId(jari_base::fingerprint(path.as_bytes()) as u32);
        Definition { file, path: path.to_owned(), language, ordinal: 0, symbol: symbol(qualified, kind) }
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

/// A call in the file at `path`, inside a method of `Pool`: `receiver.name`, and the receiver's type behind a colon.
fn check(path: &str, call: &str, imports: &[Reference], definitions: &[&str], expected: &str) {
    let around = symbol("Pool.caller", SymbolKind::Method);
    let shown = resolved(path, Some(&around), &called(call), imports, &named(definitions));
    assert_eq!(shown, expected, "{call} in {path}");
}

fn called(call: &str) -> Reference {
    let (call, receiver) =
        call.split_once(": ").map_or((call, None), |(call, receiver)| (call, Some(receiver)));
    let (qualifier, name) =
        call.rsplit_once(['.', ':']).map_or((None, call), |(before, name)| (Some(before), name));
    Reference {
        qualifier: qualifier.map(|qualifier| qualifier.trim_end_matches(':').to_owned()),
        receiver: receiver.map(str::to_owned),
        ..Reference::new(name, ReferenceKind::Call, 3)
    }
}

/// What a use in the file at `path` may mean.
fn resolved(
    path: &str,
    around: Option<&Symbol>,
    reference: &Reference,
    imports: &[Reference],
    named: &Named,
) -> String {
    let here = self::named(&[&format!("{path} x")]);
    let definition = &here.definitions()[0];
    let speaks_of = |name: &str| imports.iter().any(|one| one.name == name);
    let place = Place {
        file: definition.file,
        path,
        language: &definition.language,
        around,
        imports,
        speaks_of: &speaks_of,
    };
    let mut found = resolve(place, reference, named, &WORLD);
    best_first(&mut found, named, path);
    let shown: Vec<String> = found
        .iter()
        .map(|candidate| {
            let found = &named.definitions()[candidate.definition];
            let (path, name) = (&found.path, found.symbol.qualified());
            format!("{path} {name} ({}: {})", candidate.certainty.as_str(), candidate.reason)
        })
        .collect();
    shown.join("; ")
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

#[test]
fn languages_differ_in_what_needs_no_import() {
    let one = |path: &str| format!("{path} take (certain: the only definition)");
    check("src/a.cs", "take", &[], &["lib/b.cs take"], &one("lib/b.cs"));
    check("src/a.php", "take", &[], &["lib/b.php take"], &one("lib/b.php"));
    check("a.lua", "take", &[], &["lib/b.lua take"], &one("lib/b.lua"));
    check("a.lua", "take", &[], &["lib/b.zig take"], "");
    check("a.rs", "take", &[], &["lib/b.rs take"], "");
    let beside = ["src/b.swift take", "lib/c.swift take"];
    check("src/a.swift", "take", &[], &beside, "src/b.swift take (certain: same package)");
    // Ruby calls methods without a receiver: its own first, then whoever has one of that name.
    check("a.rb", "take", &[], &["b.rb Pool.take"], "b.rb Pool.take (certain: same type)");
    let other = "q.rb Queue.take (likely: the only definition)";
    check("a.rb", "take", &[], &["q.rb Queue.take"], other);
    // A script without imports shares its names with the page; a module does not.
    check("a.ts", "take", &[], &["b.ts take"], "b.ts take (likely: the only definition)");
    check("a.ts", "take", &[import("./x", "y", None)], &["b.ts take"], "");
}

#[test]
fn of_several_those_of_the_folder_come_first() {
    let three = ["lib/p.rb take", "x/q.rb take", "y/r.rb take"];
    check("lib/a.rb", "take", &[], &three, "lib/p.rb take (likely: one of 3)");
    let any = "lib/p.rb take (possible: one of 3); x/q.rb take (possible: one of 3); y/r.rb take (possible: one of 3)";
    check("a.rb", "take", &[], &three, any);
    // A header and its source are one.
    let both = "inc/p.h take (likely: one of 2); src/p.c take (likely: one of 2)";
    check("a.c", "take", &[], &["inc/p.h take", "src/p.c take"], both);
}

#[test]
fn imports_lead_through_other_modules() {
    let handed_on = [import("net.api", "take", None)];
    let only = "core/pool.py take (likely: the only definition)";
    check("a.py", "take", &handed_on, &["core/pool.py take"], only);
    check("a.py", "take", &handed_on, &["core/pool.py take", "core/queue.py take"], "");
    let member = [import("com.net.Pool", "take", None)];
    check(
        "A.java",
        "take",
        &member,
        &["x/P.java Pool.take"],
        "x/P.java Pool.take (certain: named with Pool)",
    );
    let all = [import("net", "*", None)];
    let below = "net/pool.py take (likely: imported with all of net)";
    check("a.py", "take", &all, &["net/pool.py take", "other/pool.py take"], below);
    let whole = [import("net", "*", Some("net"))];
    let through = "net/pool.py take (certain: imported from net.pool)";
    check("a.py", "net.pool.take", &whole, &["net/pool.py take", "net/queue.py take"], through);
}

#[test]
fn rust_names_modules_by_their_path() {
    let both = ["src/pool.rs take", "src/net/pool.rs take"];
    let itself = "src/pool.rs take (certain: imported from crate::pool)";
    check("src/a.rs", "crate::pool::take", &[], &both, itself);
    let below = "src/net/pool.rs take (likely: imported from crate::net)";
    check("src/a.rs", "crate::net::take", &[], &both, below);
    let inherited = "s.rs Store.put (certain: inherited from Store)";
    check("a.rs", "Local::put", &[], &["s.rs Store.put"], inherited);
}

#[test]
fn of_types_that_share_a_name_the_nearest_is_meant() {
    let both = ["x/p.py Pool.take", "y/p.py Pool.take"];
    let (x, y) =
        ("x/p.py Pool.take (certain: receiver is a Pool)", "y/p.py Pool.take (certain: receiver is a Pool)");
    check("x/p.py", "v.take: Pool", &[], &both, x);
    check("y/a.py", "v.take: Pool", &[], &both, y);
    check("a.py", "v.take: Pool", &[import("x.p", "Pool", None)], &both, x);
    let either =
        "x/p.py Pool.take (likely: receiver is a Pool); y/p.py Pool.take (likely: receiver is a Pool)";
    check("a.py", "v.take: Pool", &[], &both, either);
}

#[test]
fn what_little_is_known_of_a_receiver_counts_little() {
    let one = ["p.py Pool.take_over"];
    // A type parameter says nothing.
    check("a.py", "x.take_over: T", &[], &one, "p.py Pool.take_over (possible: the only definition)");
    check("a.py", "[].take_over", &[], &one, "p.py Pool.take_over (likely: the only definition)");
    let queues = ["w.py WorkQueue.take", "t.py TaskQueue.take"];
    let either = "w.py WorkQueue.take (possible: one of 2); t.py TaskQueue.take (possible: one of 2)";
    check("a.py", "queue.take", &[], &queues, either);
    let both = ["p.py Pool.take_over", "q.py Queue.take_over"];
    let named = [import("net.pool", "Pool", None)];
    check("a.py", "x.take_over", &named, &both, "p.py Pool.take_over (likely: the file names Pool)");
}

#[test]
fn outside_of_types_self_is_the_file_and_inside_the_type_itself() {
    let both = named(&["a.py take", "p.py Pool.take"]);
    let call = called("self.take");
    assert_eq!(resolved("a.py", None, &call, &[], &both), "a.py take (certain: same file)");
    let class = symbol("Pool", SymbolKind::Class);
    assert_eq!(
        resolved("a.py", Some(&class), &call, &[], &both),
        "p.py Pool.take (certain: receiver is a Pool)"
    );
    assert_eq!(resolved("a.py", None, &called("super().take"), &[], &both), "");
}

#[test]
fn a_type_is_no_function_and_an_import_may_be_either() {
    let all = {
        let mut function = named(&["a.py Pool"]).definitions().to_vec();
        let mut class = function.clone();
        class[0].symbol.kind = SymbolKind::Class;
        class[0].symbol.lines = LineRange::new(7, 9);
        function.append(&mut class);
        Named::new(function)
    };
    let meant = |reference: &Reference| {
        let shown = resolved("a.py", None, reference, &[], &all);
        shown.split("; ").filter(|shown| !shown.is_empty()).count()
    };
    assert_eq!(meant(&Reference::new("Pool", ReferenceKind::Type, 1)), 1);
    assert_eq!(meant(&Reference::new("Pool", ReferenceKind::Inherit, 1)), 1);
    assert_eq!(meant(&Reference::new("Pool", ReferenceKind::Call, 1)), 2);
    assert_eq!(meant(&Reference { kind: ReferenceKind::Import, ..import("a", "Pool", None) }), 2);
    // A type with something before it that nobody knows is not guessed.
    let unknown =
        Reference { qualifier: Some("x".to_owned()), ..Reference::new("Pool", ReferenceKind::Type, 1) };
    assert_eq!(meant(&unknown), 0);
}
