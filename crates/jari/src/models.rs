//! From settings to models: what makes vectors, what puts places in order, what translates.

use std::path::Path;
use std::sync::Arc;

use jari_embed::{Cache, Embedder, Model, Patience, Provider as Asked};
use jari_engine::{Embedding, Encoder, Reranker, Translator};
use jari_remote::{Chat, Endpoint, LlmReranker, LlmTranslator, Ollama, OpenAi, Voyage};

use crate::failure::Failure;
use crate::index::Index;
use crate::settings::{
    self, EmbeddingSettings, LlmSettings, Place, Provider, Rebuild, Settings, VectorIndex,
};

/// What makes vectors; `None` where the settings want none. A model that cannot be read is said to be so now; one that is asked is not
/// asked yet.
pub(crate) fn embedding(settings: &Settings) -> Result<Option<Embedding>, Failure> {
    let EmbeddingSettings { mut provider, model, dims, eager, mut budget, .. } = settings.embedding.clone();
    #[cfg(feature = "local")]
    if provider == Provider::Auto
        && model.as_deref().is_some_and(|folder| jari_transformer::Transformer::is_encoder(Path::new(folder)))
    {
        provider = Provider::Local;
    }
    if provider == Provider::Off || settings.vectors.index == VectorIndex::Off {
        return Ok(None);
    }
    let endpoint = |name: &str, place: &Place| {
        Endpoint::new(name, &place.base_url, place.api_key_env.as_deref()).map_err(Failure::from)
    };
    let named = |usual: &str| model.clone().unwrap_or_else(|| usual.to_owned());
    let asked: Box<dyn Asked> = match provider {
        Provider::OpenAi => {
            let endpoint = endpoint("openai", &settings.openai)?;
            Box::new(OpenAi::new(endpoint, &named(OpenAi::MODEL), dims))
        }
        Provider::Voyage => {
            let endpoint = endpoint("voyage", &settings.voyage)?;
            Box::new(Voyage::new(endpoint, &named(Voyage::MODEL), dims))
        }
        Provider::Ollama => {
            let endpoint = endpoint("ollama", &settings.ollama)?;
            Box::new(Ollama::new(endpoint, &named(Ollama::MODEL), dims))
        }
        Provider::Local => local(model.as_deref())?,
        Provider::Auto | Provider::Bundled | Provider::Off => {
            let mut read = match &model {
                None => Embedding::read("bundled", Model::bundled()),
                Some(path) => Embedding::read("folder", Model::open(Path::new(path))?),
            };
            read.eager = eager.unwrap_or(true) && settings.vectors.rebuild != Rebuild::Manual;
            return Ok(Some(read));
        }
    };
    let manual = settings.vectors.rebuild == Rebuild::Manual;
    if manual {
        budget.chunks = 0;
    }
    // A transformer on this machine takes all its cores by itself.
    let at_once = if provider == Provider::Local { 1 } else { settings.embedding.concurrency };
    let patience = Patience { timeout: settings.embedding.timeout, at_once, ..Patience::default() };
    let embedder = Embedder::new(asked, cache(settings), patience);
    let eager = eager.unwrap_or(false) && !manual;
    Ok(Some(Embedding { encoder: Encoder::Asked(Arc::new(embedder)), eager, budget }))
}

#[cfg(not(feature = "local"))]
fn local(_: Option<&str>) -> Result<Box<dyn Asked>, Failure> {
    Err(Failure::setting(
        "this program was built without transformers",
        "build it with them: cargo install --path crates/jari --features local",
    ))
}

#[cfg(feature = "local")]
fn local(folder: Option<&str>) -> Result<Box<dyn Asked>, Failure> {
    let Some(folder) = folder else {
        return Err(Failure::setting(
            "`local` needs the folder of a transformer",
            "JARI_EMBEDDING_MODEL=path/to/folder with config.json, model.safetensors and tokenizer.json",
        ));
    };
    Ok(Box::new(local::Local::open(Path::new(folder))?))
}

/// A transformer in this process.
#[cfg(feature = "local")]
mod local {
    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;
    use std::time::Duration;

    use jari_base::Explained;
    use jari_embed::{Limits, Provider, Side, Trouble};
    use jari_transformer::{Error, Transformer};

    /// Opened when it is needed: reading the weights takes a fifth of a second, and not every command asks.
    pub(super) struct Local {
        name: String,
        folder: PathBuf,
        opened: OnceLock<Result<Transformer, Trouble>>,
    }

    impl Local {
        pub(super) fn open(folder: &Path) -> Result<Self, Error> {
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            // What is no encoder says so now.
            let opened = match Transformer::is_encoder(folder) {
                true => OnceLock::new(),
                false => OnceLock::from(Ok(Transformer::open(folder)?)),
            };
            Ok(Self { name, folder: folder.to_owned(), opened })
        }

        fn transformer(&self) -> Result<&Transformer, Trouble> {
            let open = || {
                let opened = Transformer::open(&self.folder);
                opened.map_err(|error| Trouble::lasting(error.to_string(), error.hint().unwrap_or_default()))
            };
            self.opened.get_or_init(open).as_ref().map_err(Clone::clone)
        }
    }

    impl Provider for Local {
        fn name(&self) -> &str {
            "local"
        }

        fn model(&self) -> &str {
            &self.name
        }

        fn dims(&self) -> Option<usize> {
            Some(self.transformer().ok()?.dims())
        }

        fn fingerprint(&self) -> u64 {
            self.transformer().map_or(0, Transformer::fingerprint)
        }

        fn destination(&self) -> Option<&str> {
            None
        }

        fn limits(&self) -> Limits {
            // It cuts texts by its own tokens; a batch is as much as a deadline may be late by.
            Limits { batch: 16, batch_tokens: 4_000, text_tokens: usize::MAX / 2 }
        }

        fn embed_batch(&self, texts: &[&str], side: Side, _: Duration) -> Result<Vec<Vec<f32>>, Trouble> {
            let side = match side {
                Side::Question => jari_transformer::Side::Question,
                Side::Document => jari_transformer::Side::Document,
            };
            Ok(self.transformer()?.embed(texts, side))
        }
    }
}

/// What models that talk are used for.
#[derive(Default)]
pub(crate) struct Talking {
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
    pub(crate) translator: Option<Arc<dyn Translator>>,
}

/// What puts the best places in order, and what translates, where the settings want so.
pub(crate) fn talking(settings: &Settings) -> Result<Talking, Failure> {
    let LlmSettings { chat, rerank, translate } = &settings.llm;
    let Some((place, model)) = chat.as_ref().filter(|_| rerank.is_some() || translate.is_some()) else {
        return Ok(Talking::default());
    };
    let endpoint = Endpoint::new("llm", &place.base_url, place.api_key_env.as_deref())?;
    let chat = Arc::new(Chat::new(endpoint, model));
    let mut talking = Talking::default();
    if let Some(budget) = *rerank {
        talking.reranker = Some(Arc::new(LlmReranker::new(chat.clone(), cache(settings), budget)));
    }
    if let Some(time) = *translate {
        talking.translator = Some(Arc::new(LlmTranslator::new(chat, time)));
    }
    Ok(talking)
}

/// Which model makes vectors, for people.
pub(crate) fn named(Index { settings, project, .. }: &Index) -> String {
    let Some(embedding) = &project.embedding else { return "off".to_owned() };
    let dims = match embedding.dims() {
        Some(dims) => format!("{dims} dimensions"),
        None => "dimensions not known yet".to_owned(),
    };
    match &embedding.encoder {
        Encoder::Read { provider, .. } => {
            let name = settings.embedding.model.as_deref().unwrap_or(provider);
            format!("{name} · {dims}")
        }
        Encoder::Asked(_) => format!("{} {} · {dims}", embedding.provider(), embedding.model()),
    }
}

/// What leaves this machine, and where it goes.
pub(crate) fn sends(Index { settings, project, .. }: &Index) -> Vec<String> {
    let mut sends = Vec::new();
    let embedding = project.embedding.as_ref();
    let asked = embedding.and_then(Embedding::asked);
    if let Some((embedder, host)) =
        asked.and_then(|embedder| Some((embedder, embedder.provider().destination()?)))
    {
        let eager = embedding.is_some_and(|embedding| embedding.eager);
        let what =
            if eager { "all chunks and questions" } else { "questions and the chunks of files they look at" };
        sends.push(format!(
            "{what} to {host} ({} {})",
            embedder.provider().name(),
            embedder.provider().model()
        ));
    }
    let LlmSettings { chat, rerank, translate } = &settings.llm;
    if let Some((place, model)) = chat {
        let host =
            place.base_url.split("//").last().and_then(|rest| rest.split('/').next()).unwrap_or_default();
        if rerank.is_some() {
            sends.push(format!("questions and the places that answer best to {host} (llm {model})"));
        }
        if translate.is_some() {
            sends.push(format!("Korean questions to {host} (llm {model})"));
        }
    }
    sends
}

/// What models answered before. Where it cannot be opened they are asked again.
pub(crate) fn cache(settings: &Settings) -> Option<Arc<Cache>> {
    let most = settings.embedding.cache;
    let path = settings::answers_file().filter(|_| most > 0)?;
    Cache::open(&path, most).ok().map(Arc::new)
}
