//! `jari callers`, `jari callees`, `jari refs`, `jari implementations` and `jari imports`, as a user meets them.

mod common;

use common::{Project, check, keys};
use expect_test::expect;

/// Two pools, two queues, and who uses them.
fn project() -> Project {
    Project::new(&[
        (
            "net/pool.py",
            "class Pool:\n    def take(self):\n        return self.grow()\n\n    def grow(self):\n        return 1\n\n\ndef open_pool() -> Pool:\n    return Pool()\n",
        ),
        ("net/queue.py", "class Queue:\n    def take(self):\n        return 2\n"),
        (
            "app.py",
            "from net.pool import open_pool as opened\nfrom net.queue import Queue\n\n\ndef serve(queue):\n    pool = opened()\n    pool.take()\n    queue.take()\n    thing.take()\n\n\ndef main():\n    serve(Queue())\n    # open_pool() stands here in a comment\n    print('open_pool()')\n",
        ),
        ("loop.py", "def ping():\n    pong()\n\n\ndef pong():\n    ping()\n"),
    ])
}

fn lines(project: &Project, arguments: &[&str]) -> Vec<String> {
    let answer = project.json(arguments);
    let edges = answer["edges"].as_array().expect("a list").iter();
    let shown = edges.map(|edge| {
        let from = edge["from"]["name"].as_str().unwrap_or("-");
        format!(
            "{}:{} {from} → {}",
            edge["path"].as_str().unwrap_or_default(),
            edge["line"],
            edge["to"]["name"].as_str().unwrap_or_default()
        )
    });
    shown.collect()
}

#[test]
fn callers_are_told_apart_by_their_receivers() {
    let project = project();
    check(
        &project.jari(&["callers", "Pool.take"]),
        &expect![[r#"
            exit: 0
            --- stdout
            app.py:7 · call in serve → Pool.take  receiver is a Pool
            --- stderr
            indexed   4 files · 7 chunks · [speed] · [time]
            1 call · 1 that may mean it (--possible)
        "#]],
    );
    assert_eq!(lines(&project, &["callers", "Queue.take"]), ["app.py:8 serve → Queue.take"]);
}

#[test]
fn a_member_may_be_named_with_a_type_that_inherits_it() {
    let project = Project::new(&[
        ("base.py", "class Base:\n    def send(self):\n        return 1\n"),
        ("client.py", "from base import Base\n\n\nclass Client(Base):\n    pass\n"),
        ("app.py", "from client import Client\n\n\ndef main():\n    client = Client()\n    client.send()\n"),
    ]);
    assert_eq!(lines(&project, &["callers", "Client.send"]), ["app.py:6 main → Base.send"]);
    check(
        &project.jari(&["callers", "Server.send"]),
        &expect![[r#"
            exit: 1
            --- stderr
            nothing is called `Server.send`
            hint: names like it: Base.send
        "#]],
    );
}

#[test]
fn a_name_under_which_something_is_imported_counts_and_comments_do_not() {
    assert_eq!(lines(&project(), &["callers", "open_pool"]), ["app.py:6 serve → open_pool"]);
}

#[test]
fn hops_follow_callers_of_callers() {
    let project = project();
    let expected =
        ["net/pool.py:3 Pool.take → Pool.grow", "app.py:7 serve → Pool.take", "app.py:13 main → serve"];
    assert_eq!(lines(&project, &["callers", "grow", "--hops", "3"]), expected);
    assert_eq!(lines(&project, &["callers", "net/pool.py:5", "--hops", "1"]), expected[..1]);
    assert_eq!(lines(&project, &["callers", "Pool::grow"]), expected[..1]);
}

#[test]
fn cycles_end() {
    let project = project();
    let expected = ["loop.py:6 pong → ping", "loop.py:2 ping → pong"];
    assert_eq!(lines(&project, &["callers", "ping", "--hops", "9"]), expected);
    assert_eq!(lines(&project, &["callees", "pong", "--hops", "9"]), expected);
}

#[test]
fn callees_are_what_a_function_calls() {
    check(
        &project().jari(&["callees", "serve"]),
        &expect![[r#"
            exit: 0
            --- stdout
            app.py:6 · call in serve → open_pool  imported from net.pool
            app.py:7 · call in serve → Pool.take  receiver is a Pool
            app.py:8 · call in serve → Queue.take  likely: receiver is called like Queue
            --- stderr
            indexed   4 files · 7 chunks · [speed] · [time]
            3 calls · 1 that may mean several things (--possible)
        "#]],
    );
}

#[test]
fn references_are_of_every_kind() {
    check(
        &project().jari(&["refs", "Queue"]),
        &expect![[r#"
        exit: 0
        --- stdout
        app.py:2 · import → Queue  imported from net.queue
        app.py:13 · call in main → Queue  imported from net.queue
        --- stderr
        indexed   4 files · 7 chunks · [speed] · [time]
        2 uses
    "#]],
    );
}

#[test]
fn implementations_are_followed_downwards() {
    let project = Project::new(&[
        ("src/shape.rs", "pub trait Shape {\n    fn area(&self) -> u32;\n}\n"),
        (
            "src/square.rs",
            "use crate::shape::Shape;\npub struct Square;\nimpl Shape for Square {\n    fn area(&self) -> u32 {\n        4\n    }\n}\n",
        ),
        (
            "a.go",
            "package a\n\ntype Closer interface {\n\tClose() error\n}\n\ntype File struct{}\n\nfunc (f *File) Close() error { return nil }\n",
        ),
    ]);
    assert_eq!(lines(&project, &["implementations", "Shape"]), ["src/square.rs:3 Square → Shape"]);
    assert_eq!(
        lines(&project, &["implementations", "Shape.area"]),
        ["src/square.rs:4 Square.area → Shape.area"]
    );
    assert_eq!(lines(&project, &["implementations", "Closer"]), ["a.go:7 File → Closer"]);
    project.jari(&["implementations", "Square"]).exits(1);
}

#[test]
fn imports_say_which_file_is_meant() {
    let project = project();
    check(
        &project.jari(&["imports", "app.py"]),
        &expect![[r#"
        exit: 0
        --- stdout
        app.py:1 · open_pool as opened of net.pool → net/pool.py
        app.py:2 · Queue of net.queue → net/queue.py
        --- stderr
        indexed   4 files · 7 chunks · [speed] · [time]
        2 imports · 2 of the project
    "#]],
    );
    project.jari(&["imports", "net/queue.py"]).exits(1);
    check(
        &project.jari(&["imports", "net/quee.py"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: no `net/quee.py` in the index
        hint: did you mean net/queue.py?
    "#]],
    );
}

#[test]
fn pictures_have_boxes_and_arrows() {
    let project = project();
    check(
        &project.jari(&["callers", "grow", "--format", "mermaid"]),
        &expect![[r#"
        exit: 0
        --- stdout
        graph LR
          n0["Pool.take<br/>net/pool.py:2"]
          n1["Pool.grow<br/>net/pool.py:5"]
          n0 -->|"net/pool.py:3"| n1
        --- stderr
        indexed   4 files · 7 chunks · [speed] · [time]
        1 call
    "#]],
    );
    check(
        &project.jari(&["callers", "grow", "--format", "dot", "--quiet"]),
        &expect![[r#"
        exit: 0
        --- stdout
        digraph jari {
          rankdir=LR;
          node [shape=box, fontname="monospace"];
          n0 [label="Pool.take\nnet/pool.py:2"];
          n1 [label="Pool.grow\nnet/pool.py:5"];
          n0 -> n1 [label="net/pool.py:3"];
        }
    "#]],
    );
    check(
        &project.jari(&["callers", "grow", "--format", "dot", "--json"]),
        &expect![[r#"
        exit: 2
        --- stderr
        {"error":{"code":"bad_argument","message":"--json and --format exclude each other","hint":"leave out one of them"}}
    "#]],
    );
}

#[test]
fn names_that_are_nowhere_or_everywhere_get_an_answer() {
    let project = project();
    check(
        &project.jari(&["callers", "open_pol"]),
        &expect![[r#"
        exit: 1
        --- stderr
        indexed   4 files · 7 chunks · [speed] · [time]
        nothing is called `open_pol`
        hint: names like it: open_pool
    "#]],
    );
    let many: String = (0..30)
        .map(|number| format!("class C{number}:\n    def get(self):\n        return {number}\n\n\n"))
        .collect();
    project.write("many.py", &many);
    check(
        &project.jari(&["callers", "get"]),
        &expect![[r#"
        exit: 0
        --- stdout
        many.py:2-3 · method C0.get
        many.py:7-8 · method C1.get
        many.py:12-13 · method C2.get
        many.py:17-18 · method C3.get
        many.py:22-23 · method C4.get
        many.py:27-28 · method C5.get
        many.py:32-33 · method C6.get
        many.py:37-38 · method C7.get
        many.py:42-43 · method C8.get
        many.py:47-48 · method C9.get
        --- stderr
        indexed   1 file · 2 chunks · [speed] · [time]
        `get` has 30 definitions and is used in 0 files: name one of them
        hint: jari callers C0.get, or jari callers many.py:2
    "#]],
    );
    assert!(lines(&project, &["callers", "C3.get"]).is_empty());
    project.jari(&["callers", "nowhere.py:3"]).exits(2);
    project.jari(&["callers", "::"]).exits(2);
}

#[test]
fn budgets_cut_and_say_so() {
    let project = project();
    let calls: String = (0..80).map(|number| format!("def f{number}():\n    ping()\n\n\n")).collect();
    project.write("crowd.py", format!("from loop import ping\n\n\n{calls}"));
    let answer = project.json(&["callers", "ping"]);
    assert_eq!(answer["total"], 81);
    assert_eq!(answer["edges"].as_array().map(Vec::len), Some(50));
    let few = project.json(&["callers", "ping", "--max-tokens", "100"]);
    let count = few["edges"].as_array().map_or(0, Vec::len);
    assert!((1..9).contains(&count), "{count}");
}

#[test]
fn a_changed_file_changes_its_edges_and_those_into_it() {
    let project = project();
    assert_eq!(lines(&project, &["callers", "ping"]).len(), 1);
    project.write("loop.py", "def pong():\n    return 1\n");
    project.jari(&["callers", "ping"]).exits(1);
    project.write("other.py", "from loop import pong\n\npong()\n");
    assert_eq!(lines(&project, &["callers", "pong"]), ["other.py:3 - → pong"]);
    std::fs::remove_file(project.root().join("other.py")).expect("it was written");
    project.jari(&["callers", "pong"]).exits(1);
}

#[test]
fn endpoints_lead_to_those_who_answer() {
    let project = Project::new(&[(
        "web.py",
        "from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.route('/users/<int:id>')\ndef show(id):\n    return load(id)\n\n\ndef load(id):\n    return id\n",
    )]);
    assert_eq!(lines(&project, &["callees", "GET /users/{id}"]), ["web.py:6 GET /users/{id} → show"]);
    let expected = ["web.py:8 show → load", "web.py:6 GET /users/{id} → show"];
    assert_eq!(lines(&project, &["callers", "load", "--hops", "2"]), expected);
    assert_eq!(project.places(&["symbol", "GET /users/{id}"]), ["web.py:6-6"]);
}

#[test]
fn json_has_one_shape() {
    let answer = project().json(&["callers", "grow"]);
    let shape = [
        "defined",
        "definitions",
        "edges",
        "full",
        "index",
        "name",
        "outside",
        "possible",
        "relation",
        "timed_out",
        "total",
    ];
    assert_eq!(keys(&answer), shape);
    let edge = ["candidates", "certainty", "fresh", "from", "hop", "kind", "line", "path", "reason", "to"];
    assert_eq!(keys(&answer["edges"][0]), edge);
}

#[test]
fn a_budget_that_holds_no_line_does_not_say_that_nothing_was_found() {
    let project = project();
    assert!(project.jari(&["callers", "Pool.take", "--max-tokens", "1"]).exits(0).stdout.is_empty());
}

#[test]
fn a_place_is_taken_from_the_folder_we_stand_in_and_uses_from_the_folder_that_is_named() {
    let project = project();
    let mut command = project.command(&["callers", "pool.py:2", "--json"]);
    let answer = project.run(command.current_dir(project.path("net"))).json();
    assert_eq!(answer["definitions"][0]["name"], "Pool.take");
    project.jari(&["refs", "open_pool"]).exits(0);
    project.jari(&["refs", "open_pool", "net"]).exits(1);
}

#[test]
fn who_imports_a_file_is_told_in_reverse() {
    let project = project();
    check(
        &project.jari(&["imports", "net/pool.py", "--reverse", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        app.py:1 · open_pool as opened of net.pool → net/pool.py
    "#]],
    );
    project.jari(&["imports", "app.py", "--reverse"]).exits(1);
    let found = project.json(&["imports", "net/pool.py", "--reverse"]);
    assert_eq!(found["imports"][0]["path"], "app.py");
}

#[test]
fn what_a_module_hands_out_by_default_is_found_under_any_name() {
    let project = Project::new(&[
        ("src/open.js", "export default function open() {\n  return 1;\n}\n"),
        ("src/close.js", "export default function close() {\n  return 1;\n}\n"),
        (
            "src/main.js",
            "import begin from \"./open.js\";\nimport end from \"./close.js\";\n\nexport function main() {\n  begin();\n  end();\n}\n",
        ),
    ]);
    assert_eq!(lines(&project, &["callers", "open"]), ["src/main.js:5 main → open"]);
}

#[test]
fn a_folder_does_not_use_up_the_limit_for_what_lies_outside() {
    let many: String = (0..60).map(|at| format!("def u{at}():\n    core()\n\n\n")).collect();
    let project = Project::new(&[
        ("a/m.py", &format!("def core():\n    return 1\n\n\n{many}")),
        ("b/n.py", "from a.m import u7\n\n\ndef outer():\n    u7()\n"),
    ]);
    project.jari(&["index"]).exits(0);
    assert_eq!(lines(&project, &["callers", "core", "b", "--hops", "2"]), ["b/n.py:5 outer → u7"]);
}

#[test]
fn every_candidate_counts_however_many_there_are() {
    let classes: Vec<(String, String)> = (0..25)
        .map(|at| (format!("k{at}.py"), format!("class K{at}:\n    def zap(self):\n        return {at}\n")))
        .collect();
    let mut files: Vec<(&str, &str)> =
        classes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("use/u.py", "def f(x):\n    x.zap()\n"));
    let project = Project::new(&files);
    for at in [0, 7, 24] {
        let answer = project.json(&["callers", &format!("K{at}.zap"), "--possible"]);
        assert_eq!(answer["edges"][0]["candidates"], 25, "K{at}");
    }
}

#[test]
fn calls_of_one_line_are_told_once_each() {
    let project = Project::new(&[(
        "a.py",
        "def f():\n    return 1\n\n\ndef g():\n    return 2\n\n\ndef a():\n    f(); g(); f()\n",
    )]);
    assert_eq!(lines(&project, &["callees", "a"]), ["a.py:10 a → f", "a.py:10 a → g"]);
}

#[test]
fn a_route_above_a_function_is_no_call_of_it() {
    let project = Project::new(&[(
        "app.py",
        "from flask import Flask\n\napp = Flask(__name__)\n\n\ndef user():\n    return 1\n\n\n@app.route(\"/\")\ndef index():\n    return user()\n",
    )]);
    assert_eq!(lines(&project, &["callees", "index"]), ["app.py:12 index → user"]);
    assert_eq!(lines(&project, &["callees", "GET /"]), ["app.py:10 GET / → index"]);
}

#[test]
fn fields_lead_to_the_methods_of_their_types() {
    let project = Project::new(&[
        (
            "pool.py",
            "class Pool:\n    def take(self):\n        return 1\n\n\nclass Queue:\n    def take(self):\n        return 2\n",
        ),
        (
            "base.py",
            "from pool import Pool, Queue\n\n\nclass Base:\n    \"\"\"\n    used: Queue of things\n    \"\"\"\n    used: Pool\n    waiting: Queue\n",
        ),
        (
            "client.py",
            "from base import Base\n\n\nclass Client(Base):\n    def __init__(self, name, used=None):\n        pass\n\n    def send(self):\n        self.used.take()\n        self.waiting.take()\n",
        ),
    ]);
    assert_eq!(lines(&project, &["callers", "Pool.take"]), ["client.py:9 Client.send → Pool.take"]);
    assert_eq!(lines(&project, &["callers", "Queue.take"]), ["client.py:10 Client.send → Queue.take"]);
    // Another type of that name says otherwise: then nothing is sure.
    project.write("other.py", "from pool import Queue\n\n\nclass Base:\n    used: Queue\n");
    let answer = project.json(&["callers", "Pool.take", "--possible"]);
    assert_eq!(answer["edges"][0]["certainty"], "possible");
}
