//! A server that others wrote, in OpenAI's format: LiteLLM's proxy, from PyPI. Installing it takes minutes and the network, so it runs
//! where JARI_TEST_LITELLM names the program (`scripts/nightly` installs it), and says so where it does not.

mod common;
#[path = "../../jari-remote/tests/server/mod.rs"]
mod provider;

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::Project;
use provider::Server;

/// A proxy that ends with the test.
struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_of_others_is_spoken_to_in_its_own_format() {
    let Some(program) = std::env::var_os("JARI_TEST_LITELLM") else {
        eprintln!("not run: JARI_TEST_LITELLM does not name a `litellm` that could be asked");
        return;
    };
    let (project, upstream) = (Project::sample(), Server::embedding());
    let config = format!(
        "model_list:\n  - model_name: small\n    litellm_params:\n      model: openai/small\n      api_base: {}/v1\n      api_key: none\n\
         general_settings:\n  master_key: sk-hedgehog\n",
        upstream.address
    );
    project.write("config.yaml", config);
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
    let proxy = Command::new(program)
        .args(["--config", "config.yaml", "--host", "127.0.0.1", "--port", &port.to_string()])
        .current_dir(project.root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _proxy = Proxy(proxy.expect("it starts"));
    let began = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(120), "it does not listen");
        std::thread::sleep(Duration::from_millis(200));
    }
    project.remove("config.yaml");
    let jari = |arguments: &[&str], key: &str| {
        let mut command = project.command(arguments);
        command
            .env("JARI_EMBEDDING_PROVIDER", "openai")
            .env("JARI_EMBEDDING_MODEL", "small")
            .env("JARI_OPENAI_BASE_URL", format!("http://127.0.0.1:{port}/v1"))
            .env("OPENAI_API_KEY", key);
        project.run(&mut command)
    };
    let refused = jari(&["embed", "--all"], "sk-wrong").exits(2);
    assert!(
        refused.stderr.contains("refused with status 4") && !refused.stderr.contains("sk-wrong"),
        "{refused:?}"
    );
    let done = jari(&["embed", "--all", "--json"], "sk-hedgehog").exits(0).json();
    assert_eq!((&done["embedded"], &done["missing"]), (&5.into(), &5.into()), "{done}");
    let found = jari(&["search", "retry with backoff", "--json"], "sk-hedgehog").exits(0).json();
    assert_eq!(
        (&found["mode"], &found["results"][0]["path"]),
        (&"hybrid".into(), &"src/retry.rs".into()),
        "{found}"
    );
}
