//! A generated project: enough code and prose that its index has many pages, segments and rows.

use super::Project;
use super::random::Random;

const THINGS: &[&str] =
    &["socket", "ledger", "hedgehog", "parser", "budget", "window", "matrix", "invoice", "kernel", "garden"];
const ACTS: &[&str] =
    &["open", "close", "measure", "retry", "balance", "render", "divide", "collect", "follow", "repeat"];

/// A project with `files` files of code and pages.
pub(crate) fn project(files: usize) -> Project {
    let project = Project::new(&[]);
    for number in 0..files {
        write(&project, number, 0);
    }
    project
}

/// Writes file `number` in one of its versions.
pub(crate) fn write(project: &Project, number: usize, version: usize) {
    project.write(path(number), text(number, version));
}

/// Where file `number` stands.
pub(crate) fn path(number: usize) -> String {
    let ending = ["rs", "py", "md", "ts"][number % 4];
    format!("part{}/{}_{number}.{ending}", number % 5, THINGS[number % THINGS.len()])
}

/// What file `number` says in a version: names and words follow from both.
pub(crate) fn text(number: usize, version: usize) -> String {
    let mut random = Random::new((number as u64) << 32 | version as u64);
    let mut text = String::new();
    for part in 0..3 + random.below(4) {
        let (act, thing) = (*random.pick(ACTS), *random.pick(THINGS));
        let name = format!("{act}_{thing}_{number}_{part}");
        let value = random.below(1000);
        text += &match number % 4 {
            0 => format!(
                "/// Will {act} the {thing}, version {version}.\npub fn {name}(count: u32) -> u32 {{\n    let {thing} = count * {value};\n    {thing} + {part}\n}}\n\n"
            ),
            1 => format!(
                "def {name}(count):\n    \"\"\"Will {act} the {thing}, version {version}.\"\"\"\n    {thing} = count * {value}\n    return {thing} + {part}\n\n\n"
            ),
            2 => format!(
                "# To {act} the {thing} {number}.{part}\n\nIn version {version} we {act} each {thing} {value} times. See [it]({}).\n\n",
                ["a.md", "../part0/x.md"][part % 2]
            ),
            _ => format!(
                "/** Will {act} the {thing}, version {version}. */\nexport function {name}(count: number): number {{\n  const {thing} = count * {value};\n  return {thing} + {part};\n}}\n\n"
            ),
        };
    }
    text
}

/// Young files are looked at again by every command: waits until these are not.
pub(crate) fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(50));
}

/// Changes the tree as people do: edits, new files, files that go or move.
pub(crate) fn edit(project: &Project, files: usize, version: usize, random: &mut Random) {
    for _ in 0..1 + random.below(6) {
        let number = random.below(files);
        let there = project.path(path(number)).exists();
        match random.below(5) {
            0 if there => project.remove(&path(number)),
            1 if there => project.rename(&path(number), &format!("part0/moved_{number}_{version}.rs")),
            _ => write(project, number, version),
        }
    }
}
