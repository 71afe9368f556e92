//! Routes of Rails and Sinatra.

use super::{Endpoint, joined, literal, verb};

pub(super) fn read(text: &str) -> Vec<Endpoint> {
    let rails = text.contains(".draw do");
    let sinatra = ["'sinatra", "\"sinatra", "Sinatra::Base"].iter().any(|word| text.contains(word));
    if !rails && !sinatra {
        return Vec::new();
    }
    let mut found = Vec::new();
    // What each open block adds to the paths in it.
    let mut blocks: Vec<String> = Vec::new();
    // How far the block is indented that declares routes. Tests have it beside requests, which look alike.
    let mut drawn: Option<usize> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if line.contains(".draw do") {
            drawn = Some(indent);
        } else if !line.is_empty() && drawn.is_some_and(|drawn| indent <= drawn) {
            drawn = None;
        }
        let rails = rails && drawn.is_some();
        if line == "end" {
            blocks.pop();
            continue;
        }
        let (word, rest) = line.split_once([' ', '(']).unwrap_or((line, ""));
        if !rails && !sinatra {
            continue;
        }
        let prefix: String = blocks.concat();
        if rails && matches!(word, "resources" | "resource") {
            resources(word, rest, &prefix, number, &mut found);
        } else if let Some(verb) = verb(word).filter(|_| word.starts_with(char::is_lowercase)) {
            let path = literal(rest).or_else(|| symbol(rest).filter(|_| rails));
            if let Some((path, rest)) = path.filter(|(path, _)| rails || path.starts_with('/')) {
                let handler = rails.then(|| answers(rest)).flatten();
                found.push(Endpoint {
                    verb: verb.to_owned(),
                    path: joined(&prefix, path),
                    line: number,
                    handler,
                });
            }
        }
        if opens(line) {
            blocks.push(added(word, rest));
        }
    }
    found
}

fn opens(line: &str) -> bool {
    line.ends_with(" do")
        || line.contains(" do |")
        || ["if ", "def ", "class ", "module ", "unless "].iter().any(|word| line.starts_with(word))
}

/// What a block adds to paths: `/admin` of `namespace :admin do`, `/users/{user_id}` of `resources :users do`.
fn added(word: &str, rest: &str) -> String {
    let (name, options) = symbol(rest).or_else(|| literal(rest)).unwrap_or_default();
    let name = name.trim_matches('/');
    let path = path(options).unwrap_or(name);
    match word {
        "namespace" | "scope" | "resource" if !path.is_empty() => format!("/{path}"),
        "resources" if !name.is_empty() => format!("/{path}/{{{}_id}}", singular(name)),
        _ => String::new(),
    }
}

/// `users` of `:users, only: …`.
fn symbol(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.trim_start().strip_prefix(':')?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    (end > 0).then(|| rest.split_at(end))
}

/// `members` of `path: "/members"`.
fn path(options: &str) -> Option<&str> {
    let (before, path) = options.split_once("path:")?;
    let (path, _) = literal(path)?;
    (!before.ends_with(|c: char| c.is_alphanumeric() || c == '_')).then(|| path.trim_matches('/'))
}

/// `users.show` of `to: 'users#show'` and of `=> 'users#show'`.
fn answers(rest: &str) -> Option<String> {
    let (_, target) = rest.split_once("to:").or_else(|| rest.split_once("=>"))?;
    let (target, _) = literal(target)?;
    let (controller, action) = target.split_once('#')?;
    let controller = controller.rsplit('/').next().unwrap_or(controller);
    let words = controller.split('_').map(|word| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_ascii_uppercase().to_string() + chars.as_str()).unwrap_or_default()
    });
    Some(format!("{}Controller.{action}", words.collect::<String>()))
}

fn resources(word: &str, rest: &str, prefix: &str, line: u32, found: &mut Vec<Endpoint>) {
    let Some((name, options)) = symbol(rest) else { return };
    let name = path(options).unwrap_or(name);
    let one = if word == "resources" { format!("{name}/{{id}}") } else { name.to_owned() };
    let all = [
        ("index", "GET", name),
        ("create", "POST", name),
        ("show", "GET", &one),
        ("update", "PATCH", &one),
        ("destroy", "DELETE", &one),
    ];
    let list =
        |key: &str| options.split_once(key).map(|(_, list)| list.split([']', '\n']).next().unwrap_or(list));
    let (only, except) = (list("only:"), list("except:"));
    for (action, verb, path) in all {
        let wanted = only.is_none_or(|only| only.contains(action))
            && except.is_none_or(|except| !except.contains(action));
        if wanted && !(word == "resource" && action == "index") {
            let path = joined(prefix, path);
            found.push(Endpoint { verb: verb.to_owned(), path, line, handler: None });
        }
    }
}

fn singular(name: &str) -> &str {
    name.strip_suffix('s').unwrap_or(name)
}
