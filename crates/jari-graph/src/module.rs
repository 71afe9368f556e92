//! Whether a module, as an import writes it, is a file of the project. Two paths are compared; nobody looks for files.

use crate::Family;

/// How a file belongs to a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closeness {
    /// It lies below the module, which may hand its names on.
    Beneath,
    /// It is the module, or a part of it.
    Itself,
}

/// Files that stand for their folder.
const PYTHON_FOLDERS: &[&str] = &["__init__", "__main__"];
const SCRIPT_FOLDERS: &[&str] = &["index"];
const RUST_FOLDERS: &[&str] = &["mod", "lib", "main"];
const OTHER_FOLDERS: &[&str] = &["init"];

/// Endings that imports of JavaScript may write, and that may be another on disk.
const SCRIPT_ENDINGS: [&str; 10] = ["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"];

/// How the file at `to` belongs to `module` as an import in the file at `from` writes it; `None` if it does not.
pub fn leads(family: Family, from: &str, module: &str, to: &str) -> Option<Closeness> {
    match family {
        Family::Python => python(from, module, to),
        Family::Script => script(from, module, to),
        Family::Rust => rust(from, module, to),
        Family::Go => go(module, to),
        Family::Jvm | Family::Php | Family::CSharp => package(module, to),
        Family::C | Family::Ruby | Family::Swift | Family::Other => file(from, module, to),
    }
}

/// Names of which every file that `module` leads to has at least one among its [`steps`]; `None` where there is no such name. So most
/// files need not be compared.
pub fn anchors(family: Family, module: &str) -> Option<Vec<&str>> {
    let last = match family {
        Family::Python => module.rsplit('.').find(|name| !name.is_empty()),
        Family::Script if module.starts_with('.') => {
            let last = without_script_ending(module.rsplit('/').next()?);
            Some(last).filter(|last| !["", ".", ".."].contains(last) && !SCRIPT_FOLDERS.contains(last))
        }
        Family::Script => script_names(module).last().copied(),
        Family::Rust => {
            let names = module.split("::").filter(|name| !name.is_empty());
            // A crate alone is named by the folder above its sources, in another spelling, or not at all.
            names.skip(1).last().filter(|last| !["self", "super"].contains(last))
        }
        Family::Go => {
            let names = go_names(module);
            let at_root = names.first()?.contains('.') && names.len() <= 3;
            names.last().copied().filter(|_| !at_root)
        }
        Family::Jvm | Family::Php | Family::CSharp => {
            module.rsplit(['.', '\\', '/']).find(|name| !name.is_empty())
        }
        Family::C | Family::Ruby | Family::Swift | Family::Other => {
            let (bare, names) = file_names(module);
            let written = bare.rsplit('/').next().filter(|last| ![".", ".."].contains(last))?;
            return Some(vec![*names.last()?, written]);
        }
    };
    last.map(|last| vec![last])
}

/// The names of a path: its folders, and the file without its ending.
pub fn steps(path: &str) -> impl Iterator<Item = &str> {
    stem(path).split('/').filter(|step| !step.is_empty())
}

pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn stem(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((stem, ending)) if !ending.contains('/') => stem,
        _ => path,
    }
}

/// The same; files that stand for their folder are the folder.
fn steps_but<'a>(path: &'a str, folders: &[&str]) -> Vec<&'a str> {
    let mut steps: Vec<&str> = steps(path).collect();
    if steps.last().is_some_and(|last| folders.contains(last)) {
        steps.pop();
    }
    steps
}

/// How `to` ends with, or lies below, the steps of a module.
fn ends(to: &[&str], module: &[&str]) -> Option<Closeness> {
    if module.is_empty() {
        return None;
    }
    if to.ends_with(module) {
        return Some(Closeness::Itself);
    }
    let below = to.windows(module.len()).any(|window| window == module);
    below.then_some(Closeness::Beneath)
}

/// How `to` is, or lies below, one place.
fn placed(to: &[&str], at: &[&str]) -> Option<Closeness> {
    match to.strip_prefix(at) {
        Some([]) => Some(Closeness::Itself),
        Some(_) if !at.is_empty() => Some(Closeness::Beneath),
        _ => None,
    }
}

/// `folder` with `.` and `..` followed.
fn joined<'a>(folder: &'a str, path: &'a str) -> Option<Vec<&'a str>> {
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()?),
            step => steps.push(step),
        }
    }
    Some(steps)
}

fn python(from: &str, module: &str, to: &str) -> Option<Closeness> {
    let target = steps_but(to, PYTHON_FOLDERS);
    let dots = module.len() - module.trim_start_matches('.').len();
    let names: Vec<&str> = module.split('.').filter(|name| !name.is_empty()).collect();
    if dots > 0 {
        let mut at: Vec<&str> = folder(from).split('/').filter(|step| !step.is_empty()).collect();
        at.truncate(at.len().checked_sub(dots - 1)?);
        at.extend(names);
        return placed(&target, &at);
    }
    let found = ends(&target, &names)?;
    // A lone name is a module at the top of the sources, or beside the script that imports it.
    let depth = target.iter().position(|step| *step == names[0])?;
    let beside = folder(from) == target[..depth].join("/");
    (names.len() > 1 || depth <= 1 || beside).then_some(found)
}

fn script(from: &str, module: &str, to: &str) -> Option<Closeness> {
    let target = steps_but(to, SCRIPT_FOLDERS);
    if module.starts_with('.') {
        let mut at = joined(folder(from), module)?;
        let last = at.pop()?;
        at.push(without_script_ending(last));
        if at.last().is_some_and(|last| SCRIPT_FOLDERS.contains(last)) {
            at.pop();
        }
        return match placed(&target, &at) {
            None if at.is_empty() && target.len() == 1 => Some(Closeness::Beneath),
            found => found,
        };
    }
    ends(&target, &script_names(module))
}

/// `./pool.js` may be `pool.ts`, and `./pool.service` is no ending.
fn without_script_ending(name: &str) -> &str {
    let bare = name.rsplit_once('.').filter(|(_, ending)| SCRIPT_ENDINGS.contains(ending));
    bare.map_or(name, |(bare, _)| bare)
}

fn script_names(module: &str) -> Vec<&str> {
    let mut names: Vec<&str> =
        stem(module).split('/').filter(|name| !["@", "~", "#", "src", ""].contains(name)).collect();
    // A package of a workspace is known by the last part of its name.
    if names.first().is_some_and(|scope| scope.starts_with('@')) {
        names.remove(0);
    }
    names
}

fn rust(from: &str, module: &str, to: &str) -> Option<Closeness> {
    let (home, here) = crate_of(from);
    let (other, target) = crate_of(to);
    let mut names: Vec<&str> = module.split("::").filter(|name| !name.is_empty()).collect();
    let mut at: Vec<&str> = here.clone();
    match names.first() {
        Some(&"crate") => at.clear(),
        Some(&"self") => {}
        Some(&"super") => {
            at.pop();
        }
        Some(&("std" | "core" | "alloc")) if !["std", "core", "alloc"].contains(&other.as_str()) => {
            return None;
        }
        Some(first) => {
            // Another crate by its name, or a module beside this one.
            if *first == other {
                let closeness = placed(&target, &names[1..]);
                return if names.len() == 1 { Some(Closeness::Beneath) } else { closeness };
            }
            if home == other {
                let child: Vec<&str> = here.iter().chain(&names).copied().collect();
                let sibling: Vec<&str> =
                    here.iter().take(here.len().saturating_sub(1)).chain(&names).copied().collect();
                let found = placed(&target, &child).or_else(|| placed(&target, &sibling));
                return found.or_else(|| placed(&target, &names));
            }
            // A crate at the root of the project does not show its name.
            return (other.is_empty() && !first.starts_with(char::is_uppercase))
                .then(|| placed(&target, &names[1..]).or((names.len() == 1).then_some(Closeness::Beneath)))
                .flatten();
        }
        None => return None,
    }
    if home != other {
        return None;
    }
    names.remove(0);
    while names.first() == Some(&"super") {
        at.pop();
        names.remove(0);
    }
    at.extend(names);
    if at.is_empty() {
        return Some(if target.is_empty() { Closeness::Itself } else { Closeness::Beneath });
    }
    placed(&target, &at)
}

/// The crate that a file belongs to, as code writes its name, and the modules down to the file. Tests are crates of their own.
fn crate_of(path: &str) -> (String, Vec<&str>) {
    let steps = steps_but(path, RUST_FOLDERS);
    let source = steps.iter().rposition(|step| *step == "src");
    let beside = || steps.iter().rposition(|step| ["tests", "benches", "examples"].contains(step));
    let Some(at) = source.or_else(beside) else { return (String::new(), steps) };
    let name = at.checked_sub(1).map(|before| steps[before].replace('-', "_")).unwrap_or_default();
    let name = if source.is_some() { name } else { format!("{name}/{}", steps[at]) };
    (name, steps[at + 1..].to_vec())
}

fn go(module: &str, to: &str) -> Option<Closeness> {
    let names = go_names(module);
    let target: Vec<&str> = folder(to).split('/').filter(|step| !step.is_empty()).collect();
    if target.is_empty() {
        // The package at the root: its address has a host, an owner and a name.
        return (names.first()?.contains('.') && names.len() <= 3).then_some(Closeness::Itself);
    }
    // The more of the folders the address names, the surer; its own host and owner are in no folder.
    let shared = names.iter().rev().zip(target.iter().rev()).take_while(|(one, other)| one == other).count();
    let whole = shared == target.len().min(names.len());
    (shared > 0
        && (whole || names.first().is_some_and(|host| host.contains('.')) && shared + 3 >= names.len()))
    .then_some(Closeness::Itself)
}

/// The steps of a package's address, without its version.
fn go_names(module: &str) -> Vec<&str> {
    let is_version = |name: &str| name.strip_prefix('v').is_some_and(|number| number.parse::<u32>().is_ok());
    let mut names: Vec<&str> = module.split('/').filter(|name| !name.is_empty()).collect();
    names.pop_if(|last| is_version(last));
    names
}

fn package(module: &str, to: &str) -> Option<Closeness> {
    let names: Vec<&str> = module.split(['.', '\\', '/']).filter(|name| !name.is_empty()).collect();
    let target = steps_but(to, OTHER_FOLDERS);
    let last = names.last()?;
    if ends(&target, &names).is_some() {
        return Some(Closeness::Itself);
    }
    let folder = &target[..target.len().saturating_sub(1)];
    // Namespaces seldom are folders from end to end.
    let shared = names.iter().rev().zip(folder.iter().rev()).take_while(|(one, other)| one == other).count();
    let type_of_file = target.last() == Some(last) && names.len() > 1;
    (shared > 0 || type_of_file).then_some(Closeness::Beneath)
}

fn file(from: &str, module: &str, to: &str) -> Option<Closeness> {
    let (bare, names) = file_names(module);
    let target = steps_but(to, OTHER_FOLDERS);
    if ends(&target, &names).is_some_and(|found| found == Closeness::Itself) {
        return Some(Closeness::Itself);
    }
    let at = joined(folder(from), bare)?;
    placed(&target, &at)
}

/// A file as it is written, without its ending, and its steps.
fn file_names(module: &str) -> (&str, Vec<&str>) {
    let bare = stem(module.trim_matches(['"', '<', '>', '\'']));
    let separator = if module.contains('/') { '/' } else { '.' };
    (bare, bare.split(separator).filter(|name| !["", ".", ".."].contains(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(family: Family, from: &str, module: &str, to: &str, expected: Option<Closeness>) {
        assert_eq!(leads(family, from, module, to), expected, "{module} in {from} to {to}");
        let may = anchors(family, module).is_none_or(|names| steps(to).any(|step| names.contains(&step)));
        assert!(may || expected.is_none(), "{module} is not looked for in {to}");
    }

    const ITSELF: Option<Closeness> = Some(Closeness::Itself);
    const BENEATH: Option<Closeness> = Some(Closeness::Beneath);

    #[test]
    fn python_modules_are_files_and_packages() {
        check(Family::Python, "a/b.py", ".c", "a/c.py", ITSELF);
        check(Family::Python, "a/b.py", "..d.c", "d/c.py", ITSELF);
        check(Family::Python, "x.py", "net.pool", "src/net/pool.py", ITSELF);
        check(Family::Python, "x.py", "net", "src/net/pool.py", BENEATH);
        check(Family::Python, "x.py", "net", "src/net/__init__.py", ITSELF);
        check(Family::Python, "x.py", "json", "deep/down/json.py", None);
        check(Family::Python, "deep/down/x.py", "json", "deep/down/json.py", ITSELF);
        check(Family::Python, "x.py", "os.path", "src/net/pool.py", None);
    }

    #[test]
    fn scripts_name_files_and_packages() {
        check(Family::Script, "src/a.ts", "./pool", "src/pool.ts", ITSELF);
        check(Family::Script, "src/a.ts", "./pool.js", "src/pool.ts", ITSELF);
        check(Family::Script, "src/a.ts", "../lib", "lib/index.js", ITSELF);
        check(Family::Script, "src/a.ts", "../lib", "lib/pool.js", BENEATH);
        check(Family::Script, "src/a.ts", "@/net/pool", "src/net/pool.ts", ITSELF);
        check(Family::Script, "src/a.ts", "@scope/core", "packages/core/src/pool.ts", BENEATH);
        check(Family::Script, "src/a.ts", "lodash", "src/pool.ts", None);
        check(Family::Script, "src/a.ts", "./index", "src/index.ts", ITSELF);
        check(Family::Script, "a.ts", "./index", "index.ts", ITSELF);
        check(Family::Script, "a.ts", "./index", "pool.ts", BENEATH);
        check(Family::Script, "src/a.ts", "../../pool", "pool.ts", None);
        check(Family::Script, "src/a.ts", "@", "src/pool.ts", None);
    }

    #[test]
    fn rust_paths_begin_at_crates_and_modules() {
        check(Family::Rust, "src/a.rs", "crate::pool", "src/pool.rs", ITSELF);
        check(Family::Rust, "src/a.rs", "crate::pool", "src/pool/inner.rs", BENEATH);
        check(Family::Rust, "src/net/a.rs", "super::pool", "src/net/pool.rs", ITSELF);
        check(Family::Rust, "src/net/mod.rs", "self::pool", "src/net/pool.rs", ITSELF);
        check(Family::Rust, "src/a.rs", "crate", "src/pool.rs", BENEATH);
        check(Family::Rust, "app/src/a.rs", "my_net::pool", "my-net/src/pool.rs", ITSELF);
        check(Family::Rust, "app/src/a.rs", "my_net", "my-net/src/pool.rs", BENEATH);
        check(Family::Rust, "app/src/a.rs", "crate::pool", "my-net/src/pool.rs", None);
        check(Family::Rust, "src/a.rs", "std::mem", "src/mem.rs", None);
        check(Family::Rust, "tests/a.rs", "net::pool", "src/pool.rs", ITSELF);
        check(Family::Rust, "src/net/deep/a.rs", "super::super::pool", "src/net/pool.rs", ITSELF);
        check(Family::Rust, "src/net/mod.rs", "pool", "src/net/pool.rs", ITSELF);
        check(Family::Rust, "src/net/a.rs", "pool", "src/net/pool.rs", ITSELF);
        check(Family::Rust, "src/deep/a.rs", "net", "src/net/pool.rs", BENEATH);
        check(Family::Rust, "src/a.rs", "", "src/pool.rs", None);
    }

    #[test]
    fn packages_are_folders() {
        check(Family::Go, "a.go", "example.com/me/net/pool", "pool/take.go", ITSELF);
        check(Family::Go, "a.go", "net/http", "pool/take.go", None);
        check(Family::Go, "cmd/a.go", "example.com/me/net", "take.go", ITSELF);
        check(Family::Go, "a.go", "fmt", "internal/fmt/x.go", ITSELF);
        check(Family::Jvm, "A.java", "com.net.Pool", "src/main/java/com/net/Pool.java", ITSELF);
        check(Family::Jvm, "A.java", "com.net", "src/main/java/com/net/Pool.java", ITSELF);
        check(Family::Jvm, "A.java", "java.util", "src/main/java/com/net/Pool.java", None);
        check(Family::Php, "A.php", "App\\Net", "src/Net/Pool.php", BENEATH);
    }

    #[test]
    fn files_are_included_by_their_path() {
        check(Family::C, "src/a.c", "pool.h", "src/pool.c", ITSELF);
        check(Family::C, "src/a.c", "net/pool.h", "include/net/pool.h", ITSELF);
        check(Family::Ruby, "lib/a.rb", "./pool", "lib/pool.rb", ITSELF);
        check(Family::C, "src/a.c", "stdio.h", "src/pool.c", None);
    }
}
