//! Routes that are declared by a call: Flask, FastAPI, Starlette, Django, Express, Fastify, Go's routers, axum, actix, Laravel.

use jari_base::{Chunked, Language, Reference, ReferenceKind};

use super::{Endpoint, VERBS, joined, literal, verb};
use crate::brackets::closing;

/// What routers are called, where a call on anything else may be a client's.
const ROUTERS: [&str; 12] =
    ["app", "router", "server", "fastify", "api", "r", "mux", "e", "engine", "route", "routes", "web"];

/// Lines that one declaration may take.
const LINES: usize = 8;

pub(super) fn read(language: &Language, text: &str, chunked: &Chunked) -> Vec<Endpoint> {
    let file = File { text, lines: text.lines().collect(), imports: imports(&chunked.references) };
    let calls = chunked.references.iter().filter(|reference| reference.kind == ReferenceKind::Call);
    let mut found = Vec::new();
    for call in calls {
        match language.as_str() {
            "python" => file.python(call, &mut found),
            "go" => file.go(call, &mut found),
            "rust" => file.rust(call, &mut found),
            "php" => file.laravel(call, &mut found),
            _ => file.script(call, &mut found),
        }
    }
    found
}

/// The modules that a file imports, in one string: what is asked is whether a framework is among them.
fn imports(references: &[Reference]) -> String {
    let imports = references.iter().filter(|reference| reference.kind.is_import());
    imports
        .map(|import| format!("{}/{}\n", import.qualifier.as_deref().unwrap_or_default(), import.name))
        .collect()
}

struct File<'a> {
    text: &'a str,
    lines: Vec<&'a str>,
    imports: String,
}

impl<'a> File<'a> {
    fn uses(&self, frameworks: &[&str]) -> bool {
        frameworks.iter().any(|framework| self.imports.contains(framework))
    }

    /// What stands behind the name of a call, up to a few lines below.
    fn arguments(&self, call: &Reference) -> Option<&'a str> {
        let line = self.lines.get(call.line as usize - 1)?;
        let start = line.as_ptr() as usize - self.text.as_ptr() as usize;
        let at = line.match_indices(&call.name).find_map(|(at, name)| {
            let rest = line[at + name.len()..].trim_start();
            rest.starts_with('(').then(|| start + line.len() - rest.len() + 1)
        })?;
        let last = self.lines.get((call.line as usize - 1 + LINES).min(self.lines.len() - 1))?;
        let end = last.as_ptr() as usize - self.text.as_ptr() as usize + last.len();
        self.text.get(at..end)
    }

    /// The path that the router of a call begins with, where the file shows how it was made.
    fn prefix(&self, router: &str, words: &[&str]) -> &'a str {
        let made = |line: &&&str| {
            let line = line.trim_start();
            let rest = line.trim_start_matches("const ").trim_start_matches("let ").strip_prefix(router);
            rest.is_some_and(|rest| rest.trim_start().starts_with(['=', ':']))
                && words.iter().any(|word| line.contains(word))
        };
        let Some(line) = self.lines.iter().find(made) else { return "" };
        let behind = words.iter().find_map(|word| line.split_once(word)).map(|(_, rest)| rest);
        let named =
            ["url_prefix=", "prefix="].iter().find_map(|key| line.split_once(key)).map(|(_, rest)| rest);
        let found = named.or(behind.filter(|_| words.contains(&"Group("))).and_then(literal);
        found.map_or("", |(prefix, _)| prefix)
    }

    fn python(&self, call: &Reference, found: &mut Vec<Endpoint>) {
        let Some(arguments) = self.arguments(call).map(closed) else { return };
        if call.qualifier.is_none() {
            match call.name.as_str() {
                "path" if self.uses(&["django.urls", "django.conf.urls"]) => {
                    self.django(call, arguments, found);
                }
                "Route" if self.uses(&["starlette", "fastapi"]) => starlette(call, arguments, found),
                _ => {}
            }
            return;
        }
        let decorates = self.lines[call.line as usize - 1].trim_start().starts_with('@');
        let Some((path, rest)) = literal(arguments).filter(|(path, _)| decorates && path.starts_with('/'))
        else {
            return;
        };
        let router = call.qualifier.as_deref().unwrap_or_default();
        let path = joined(self.prefix(router, &["APIRouter(", "Blueprint("]), path);
        let verbs: Vec<&str> = match (verb(&call.name), call.name.as_str()) {
            (Some(verb), _) => vec![verb],
            (None, "route" | "api_route") => methods(rest),
            _ => return,
        };
        let endpoint = |verb: &str| Endpoint {
            verb: verb.to_owned(),
            path: path.clone(),
            line: call.line,
            handler: None,
        };
        found.extend(verbs.into_iter().map(endpoint));
    }

    fn django(&self, call: &Reference, arguments: &str, found: &mut Vec<Endpoint>) {
        let Some((path, rest)) = literal(arguments) else { return };
        let Some(view) = rest.trim_start().strip_prefix(',').map(str::trim_start) else { return };
        // Others declare what lies below.
        if view.starts_with("include") || view.contains("include(") && !view.contains('\n') {
            return;
        }
        let name =
            view.split(|c: char| !(c.is_alphanumeric() || "_.".contains(c))).next().unwrap_or_default();
        let handler = name.strip_suffix(".as_view").unwrap_or(name).to_owned();
        let handler = Some(handler).filter(|handler| !handler.is_empty());
        found.push(Endpoint { verb: "ANY".to_owned(), path: joined("", path), line: call.line, handler });
    }

    fn script(&self, call: &Reference, found: &mut Vec<Endpoint>) {
        const FRAMEWORKS: [&str; 9] =
            ["express", "fastify", "koa", "hono", "restify", "polka", "router", "routes", "itty"];
        let Some(router) = call.qualifier.as_deref() else { return };
        let last = router.rsplit('.').next().unwrap_or(router).to_ascii_lowercase();
        let framework = self.uses(&FRAMEWORKS);
        let routes = ["app", "router"].contains(&last.as_str())
            || framework
                && (ROUTERS.contains(&last.as_str()) || last.ends_with("router") || last.ends_with("app"));
        if !routes {
            return;
        }
        let Some(arguments) = self.arguments(call) else { return };
        if call.name == "route" && arguments.trim_start().starts_with('{') {
            self.fastify(call, arguments, found);
            return;
        }
        let verb = verb(&call.name).or((call.name == "all").then_some("ANY"));
        let (Some(verb), Some((path, rest))) = (verb, literal(arguments)) else { return };
        // A client asks for a path; a router also names who answers.
        let Some(handlers) = rest.trim_start().strip_prefix(',').filter(|_| path.starts_with('/')) else {
            return;
        };
        let handler = last_name(handlers);
        found.push(Endpoint { verb: verb.to_owned(), path: joined("", path), line: call.line, handler });
    }

    /// `fastify.route({ method: 'GET', url: '/users', handler })`
    fn fastify(&self, call: &Reference, arguments: &str, found: &mut Vec<Endpoint>) {
        let value =
            |key: &str| arguments.split_once(key).and_then(|(_, rest)| literal(rest)).map(|(value, _)| value);
        let path = value("url:").or_else(|| value("path:")).filter(|path| path.starts_with('/'));
        if let (Some(verb), Some(path)) = (value("method:").and_then(verb), path) {
            let path = joined("", path);
            found.push(Endpoint { verb: verb.to_owned(), path, line: call.line, handler: None });
        }
    }

    fn go(&self, call: &Reference, found: &mut Vec<Endpoint>) {
        let Some(router) = call.qualifier.as_deref() else { return };
        let Some((written, rest)) = self.arguments(call).and_then(literal) else { return };
        let Some(handlers) = rest.trim_start().strip_prefix(',') else { return };
        let title =
            call.name.starts_with(char::is_uppercase) && call.name[1..].starts_with(char::is_lowercase);
        let (verb, path) = match call.name.as_str() {
            "HandleFunc" | "Handle" => match written.split_once(' ') {
                // Since Go 1.22 the pattern may begin with the verb.
                Some((verb, path)) => (self::verb(verb), path),
                None => (said_verb(rest).or(Some("ANY")), written),
            },
            name if title && !self.uses(&["chi", "fiber", "httprouter"]) => {
                (self::verb(name).filter(|_| false), written)
            }
            name => (self::verb(name), written),
        };
        let Some(verb) = verb.filter(|_| path.starts_with('/')) else { return };
        let path = joined(self.prefix(router, &["Group("]), path);
        found.push(Endpoint { verb: verb.to_owned(), path, line: call.line, handler: last_name(handlers) });
    }

    /// axum's `.route("/users", get(list).post(add))`, actix' `web::resource("/users").route(web::get().to(list))`.
    fn rust(&self, call: &Reference, found: &mut Vec<Endpoint>) {
        let is_route = call.name == "route" && self.uses(&["axum", "actix", "poem", "warp", "salvo"]);
        let is_resource = call.name == "resource" && call.qualifier.as_deref() == Some("web");
        if !is_route && !is_resource {
            return;
        }
        let Some((path, rest)) =
            self.arguments(call).and_then(literal).filter(|(path, _)| path.starts_with('/'))
        else {
            return;
        };
        // Up to the next route.
        let rest = rest.split([';']).next().unwrap_or(rest);
        let rest = rest
            .split("\n        .route(\"")
            .next()
            .unwrap_or(rest)
            .split("\n    .route(\"")
            .next()
            .unwrap_or(rest);
        for name in VERBS {
            let lower = name.to_ascii_lowercase();
            let Some(at) = rest.find(&format!("{lower}(")) else { continue };
            if rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let inside = &rest[at + lower.len() + 1..];
            let inside = inside.strip_prefix(").to(").unwrap_or(inside);
            let handler =
                inside.split([')', ',', '\n', '(']).next().map(str::trim).filter(|handler| is_path(handler));
            let handler = handler.map(str::to_owned);
            found.push(Endpoint { verb: name.to_owned(), path: joined("", path), line: call.line, handler });
        }
    }

    /// `Route::get('/users', [UserController::class, 'show'])`
    fn laravel(&self, call: &Reference, found: &mut Vec<Endpoint>) {
        if call.qualifier.as_deref() != Some("Route") {
            return;
        }
        let verb = verb(&call.name).or((call.name == "any").then_some("ANY"));
        let Some((path, rest)) = self.arguments(call).and_then(literal) else { return };
        let (Some(verb), Some(handler)) = (verb, rest.trim_start().strip_prefix(',')) else { return };
        let handler = handler.trim_start().strip_prefix('[').and_then(|pair| {
            let (class, method) = pair.split_once("::class")?;
            let (method, _) = literal(method.trim_start().trim_start_matches(','))?;
            Some(format!("{}.{method}", class.rsplit('\\').next().unwrap_or(class)))
        });
        found.push(Endpoint { verb: verb.to_owned(), path: joined("", path), line: call.line, handler });
    }
}

/// The arguments of a call whose `(` stands right before, down to its end.
fn closed(arguments: &str) -> &str {
    closing(arguments).map_or(arguments, |end| &arguments[..end])
}

/// The verbs of `methods=["GET", "POST"]`; without it, `GET`.
fn methods(arguments: &str) -> Vec<&'static str> {
    let list = arguments.split_once("methods=").and_then(|(_, list)| list.split([']', ')', '}']).next());
    let named = |list: &str| VERBS.into_iter().filter(|verb| list.contains(verb)).collect::<Vec<_>>();
    list.map(named).filter(|verbs| !verbs.is_empty()).unwrap_or_else(|| vec!["GET"])
}

/// Starlette's `Route("/users", show, methods=["GET"])` and `Route("/users", endpoint=show)`.
fn starlette(call: &Reference, arguments: &str, found: &mut Vec<Endpoint>) {
    let Some((path, rest)) = literal(arguments).filter(|(path, _)| path.starts_with('/')) else { return };
    let second = rest.trim_start().strip_prefix(',').unwrap_or_default();
    let (_, handler) = rest.split_once("endpoint=").unwrap_or(("", second));
    let handler = handler.split(',').next().map(str::trim).filter(|handler| is_path(handler));
    let endpoint = |verb: &str| Endpoint {
        verb: verb.to_owned(),
        path: joined("", path),
        line: call.line,
        handler: handler.map(str::to_owned),
    };
    found.extend(methods(rest).into_iter().map(endpoint));
}

/// gorilla's `.Methods("GET")`.
fn said_verb(rest: &str) -> Option<&'static str> {
    let (_, list) = rest.lines().next()?.split_once(".Methods(")?;
    VERBS.into_iter().find(|verb| list.contains(verb))
}

fn is_path(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.:".contains(c))
}

/// The last argument of a call, if it is a name: what stands before it looks at the request first.
fn last_name(arguments: &str) -> Option<String> {
    let end = arguments.find([')', '{', '\n']).unwrap_or(arguments.len());
    if arguments[end..].starts_with('{') || arguments[..end].contains('(') {
        return None;
    }
    let last = arguments[..end].rsplit(',').map(str::trim).find(|argument| !argument.is_empty())?;
    is_path(last).then(|| last.to_owned())
}
