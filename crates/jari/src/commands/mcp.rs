//! `jari mcp`

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use etcetera::BaseStrategy;
use jari_engine::living::Living;
use jari_mcp::{Served, Tools};

use super::Global;
use crate::failure::{Failure, Outcome};
use crate::index::Index;
use crate::models;
use crate::printer;

/// Holds the token that every request over HTTP must bear.
const TOKEN: &str = "JARI_MCP_TOKEN";

/// Serve the project to coding agents over MCP
///
/// Ready at once: the index is made and kept up to date in the background, and questions are answered from what there is.
/// Several servers on one project share one index. `jari install` tells your agents about it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari mcp\n  jari mcp ~/src/project --tools all\n  jari mcp --http 127.0.0.1:8765\n  JARI_MCP_TOKEN=… jari mcp --http 0.0.0.0:8765"
)]
pub(crate) struct Mcp {
    /// The project
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// Serve Streamable HTTP at http://ADDRESS/mcp instead of standard input and output. Off this machine it needs a
    /// token in JARI_MCP_TOKEN
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,

    /// Which tools to offer
    #[arg(long, value_enum, default_value_t = Set::Core)]
    tools: Set,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Set {
    /// Ten at most, few tokens
    Core,
    /// All there are
    All,
}

impl Mcp {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { folder, http, tools } = self;
        let listening = http.map(listen).transpose()?;
        let tools = match tools {
            Set::Core => Tools::Core,
            Set::All => Tools::All,
        };
        let index = Index::find(&folder, global)?;
        refuse_home(&index.project.root)?;
        index.check_folder()?;
        let home = index.home();
        let (model, sends) = (models::named(&index), models::sends(&index));
        let Index { project, settings, folder, notes, .. } = index;
        let index_dir = folder.display().to_string();
        let served = Served {
            living: Living::start(project, home),
            tuning: settings.tuning,
            max_gram_frequency: settings.trigrams.max_doc_freq,
            index_dir,
            model,
            sends,
            notes,
        };
        let ended = match listening {
            None => jari_mcp::serve_stdio(served, tools),
            Some((listener, address, token)) => {
                if !global.quiet {
                    printer::talk(&format!("serving http://{address}/mcp"));
                }
                jari_mcp::serve_http(served, tools, listener, token)
            }
        };
        ended.map(|()| true).map_err(Failure::Output)
    }
}

/// Opens the address, and finds the token where one is needed.
fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr, Option<String>), Failure> {
    let token = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
    if token.is_none() && !address.ip().is_loopback() {
        return Err(Failure::argument(
            format!("{address} can be reached from other machines, and there is no token"),
            format!("set {TOKEN} to a secret that clients must bear, or serve 127.0.0.1"),
        ));
    }
    let cannot = |error: std::io::Error| {
        Failure::argument(format!("cannot serve {address}: {error}"), "choose another port, or 0 for any")
    };
    let listener = TcpListener::bind(address).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    Ok((listener, address, token))
}

/// An agent that starts its servers anywhere must not have all of a disk indexed.
pub(super) fn refuse_home(root: &Path) -> Result<(), Failure> {
    let home = etcetera::choose_base_strategy().ok().and_then(|base| base.home_dir().canonicalize().ok());
    if root.parent().is_some() && home.as_deref() != Some(root) {
        return Ok(());
    }
    Err(Failure::argument(
        format!("`{}` is no project", root.display()),
        "start it in a project, or name one: jari mcp ~/src/project",
    ))
}
