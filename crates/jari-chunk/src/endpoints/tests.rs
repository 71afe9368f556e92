//! A file in; its endpoints and who answers out.

use jari_base::{Language, SymbolKind};

fn check(language: &'static str, text: &str, expected: &str) {
    let chunked = crate::chunk(&Language::named(language), text, &Default::default());
    let endpoints =
        chunked.symbols.iter().enumerate().filter(|(_, symbol)| symbol.kind == SymbolKind::Endpoint);
    let shown: Vec<String> = endpoints
        .map(|(at, symbol)| {
            let mut answers = chunked.references.iter().filter(|one| one.within == Some(at as u32));
            let answers = answers.next().map(|one| {
                let of = one.qualifier.as_deref().filter(|of| *of != "self").map(|of| format!("{of}."));
                format!(" → {}{}", of.unwrap_or_default(), one.name)
            });
            format!("{}{}", symbol.name, answers.unwrap_or_default())
        })
        .collect();
    assert_eq!(shown.join("; "), expected, "{text}");
    assert!(chunked.symbols.is_sorted_by_key(|symbol| symbol.lines.start));
}

#[test]
fn python_decorators_and_django_paths() {
    check(
        "python",
        "@app.route('/users/<int:id>', methods=['GET', 'POST'])\ndef show(id):\n    pass\n",
        "GET /users/{id} → show; POST /users/{id} → show",
    );
    let fast = "router = APIRouter(prefix=\"/users\")\n\n@router.get(\"/{id}\")\nasync def show(id: int):\n    return 1\n";
    check("python", fast, "GET /users/{id} → show");
    let django = "from django.urls import include, path\nurlpatterns = [\n    path('users/<int:pk>/', views.show, name='x'),\n    path('blog/', include('blog.urls')),\n    path('all/', views.AllView.as_view()),\n]\n";
    check("python", django, "ANY /users/{pk}/ → views.show; ANY /all/ → views.AllView");
    let starlette = "from starlette.routing import Route\nroutes = [\n    Route('/', endpoint=home),\n    Route('/users/{id:int}', users.show, methods=['GET', 'DELETE']),\n]\n";
    check("python", starlette, "GET / → home; DELETE /users/{id} → users.show; GET /users/{id} → users.show");
    // What the next route says is not said of this one.
    let below =
        "@app.route('/a')\ndef a():\n    pass\n\n@app.route('/b', methods=['POST'])\ndef b():\n    pass\n";
    check("python", below, "GET /a → a; POST /b → b");
    // A client, and a dictionary.
    check("python", "client.get('/users')\nroutes.get('/x', None)\npath('a', b)\n", "");
}

#[test]
fn scripts_with_routers() {
    check(
        "javascript",
        "const app = express()\napp.get('/users/:id', auth, show)\n",
        "GET /users/{id} → show",
    );
    check("javascript", "app.post('/users', (req, res) => { res.end() })\n", "POST /users");
    check(
        "javascript",
        "const fastify = require('fastify')()\nfastify.route({\n  method: 'GET',\n  url: '/users',\n})\n",
        "GET /users",
    );
    check("javascript", "http.get('/users', config)\nclient.get('/x', y)\napp.get('title')\n", "");
    let nest = "import { Controller, Get } from '@nestjs/common';\n@Controller('users')\nexport class Users {\n  @Get(':id')\n  show(id: string) {\n    return 1;\n  }\n}\n";
    check("typescript", nest, "GET /users/{id} → show");
    let lists = "import { Controller, Get } from '@nestjs/common';\n@Controller({ path: 'users', version: '1' })\nexport class Users {\n  @Get(['mine', 'all'])\n  list(\n    @Query('by') by: string,\n  ) {\n    return 1;\n  }\n  @Post() add() { return 1; }\n  @Delete(':id') drop() { return 1; }\n}\n";
    check(
        "typescript",
        lists,
        "GET /users/all → list; GET /users/mine → list; POST /users → add; DELETE /users/{id} → drop",
    );
}

#[test]
fn go_routers() {
    check(
        "go",
        "package a\nfunc f() {\n\thttp.HandleFunc(\"/users\", list)\n\tmux.Handle(\"GET /users/{id}\", h)\n}\n",
        "ANY /users → list; GET /users/{id} → h",
    );
    check(
        "go",
        "package a\nfunc f(r *gin.Engine) {\n\tv1 := r.Group(\"/v1\")\n\tv1.GET(\"/users/:id\", auth, show)\n}\n",
        "GET /v1/users/{id} → show",
    );
    check("go", "package a\nfunc f() {\n\thttp.Get(\"/users\", x)\n\tm.Get(\"/a\", b)\n}\n", "");
    check(
        "go",
        "package a\nimport \"github.com/go-chi/chi/v5\"\nfunc f(r chi.Router) {\n\tr.Get(\"/users\", list)\n}\n",
        "GET /users → list",
    );
}

#[test]
fn annotations_of_java_and_rust() {
    let spring = "@RestController\n@RequestMapping(\"/users\")\npublic class Users {\n    @GetMapping(\"/{id}\")\n    public User show(int id) {\n        return null;\n    }\n    @RequestMapping(value = \"/all\", method = RequestMethod.POST)\n    public User all() {\n        return null;\n    }\n}\n";
    check("java", spring, "GET /users/{id} → show; POST /users/all → all");
    let several = "@Controller\n@RequestMapping(\"/owners/{owner}\")\nclass Pets {\n    @GetMapping({ \"/pets\" })\n    String all() {\n        return \"\";\n    }\n    @PostMapping(\n        value = { \"/pets/new\", \"/pets/add\" },\n        consumes = \"application/json (utf-8)\"\n    )\n    String add() {\n        return \"\";\n    }\n}\n";
    check(
        "java",
        several,
        "GET /owners/{owner}/pets → all; POST /owners/{owner}/pets/add → add; POST /owners/{owner}/pets/new → add",
    );
    let beside = "@Path(\"/users\") public class Users {\n    @GET @Path(\"{id}\") public User show(int id) { return null; }\n    @DELETE @Path(\"{id}\") public User drop(int id) { return null; }\n}\n";
    check("java", beside, "GET /users/{id} → show; DELETE /users/{id} → drop");
    let named = "@Controller(\"userPages\")\n@RequestMapping(path = \"/users\")\nclass Users {\n    @RequestMapping(value = \"/WIDGETS\", method = {RequestMethod.GET, RequestMethod.POST})\n    String all() {\n        return \"\";\n    }\n}\n";
    check("java", named, "GET /users/WIDGETS → all; POST /users/WIDGETS → all");
    let jax = "@Path(\"/users\")\npublic class Users {\n    @GET\n    @Path(\"{id}\")\n    public User show(int id) {\n        return null;\n    }\n}\n";
    check("java", jax, "GET /users/{id} → show");
    check("rust", "#[get(\"/users/<id>\")]\nfn show(id: u8) -> u8 {\n    id\n}\n", "GET /users/{id} → show");
    let axum = "use axum::Router;\nfn app() -> Router {\n    Router::new()\n        .route(\"/users/{id}\", get(show).delete(users::remove))\n        .route(\"/\", post(add))\n}\n";
    check("rust", axum, "DELETE /users/{id} → users.remove; GET /users/{id} → show; POST / → add");
}

#[test]
fn ruby_and_php() {
    let rails = "Rails.application.routes.draw do\n  get '/health', to: 'status#show'\n  namespace :admin do\n    resources :users, only: [:index, :show]\n  end\n  post 'login' => 'sessions#create'\nend\n";
    check(
        "ruby",
        rails,
        "GET /health → StatusController.show; GET /admin/users; GET /admin/users/{id}; POST /login → SessionsController.create",
    );
    // Requests of a test beside the routes that it declares.
    let test = "class PagesTest < Test\n  def test_show\n    with_routing do |set|\n      set.draw do\n        get '/pages', to: 'pages#index'\n        resources :people, path: '/members', only: :show do\n          get :photo\n        end\n      end\n      get '/pages'\n    end\n  end\nend\n";
    check(
        "ruby",
        test,
        "GET /pages → PagesController.index; GET /members/{id}; GET /members/{people_id}/photo",
    );
    check("ruby", "require 'sinatra'\nget '/users/:id' do\n  1\nend\n", "GET /users/{id}");
    check("ruby", "get '/users'\n", "");
    check(
        "php",
        "<?php\nRoute::get('/users/{id}', [UserController::class, 'show']);\nCache::get('/x', 1);\n",
        "GET /users/{id} → UserController.show",
    );
    check(
        "php",
        "<?php\nclass A {\n    #[Route('/users', methods: ['POST'])]\n    public function add() {\n        return 1;\n    }\n}\n",
        "POST /users → add",
    );
}

#[test]
fn contracts() {
    let yaml = "openapi: 3.0.0\ninfo:\n  title: get\npaths:\n  /users/{id}:\n    get:\n      operationId: show\n    parameters: []\n    post:\n      summary: x\ncomponents:\n  /x:\n    get: 1\n";
    check("yaml", yaml, "GET /users/{id}; POST /users/{id}");
    let json =
        "{\n  \"openapi\": \"3.0.0\",\n  \"paths\": {\n    \"/users\": {\n      \"get\": {}\n    }\n  }\n}\n";
    check("json", json, "GET /users");
    check(
        "graphql",
        "type Query {\n  users: [User]\n}\ntype Mutation {\n  add(name: String): User\n}\n",
        "QUERY users; MUTATION add",
    );
    check(
        "protobuf",
        "syntax = \"proto3\";\npackage net;\nservice Users {\n  rpc Show(Id) returns (User);\n}\n",
        "RPC /net.Users/Show",
    );
}
