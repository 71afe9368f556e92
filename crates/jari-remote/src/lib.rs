//! Models elsewhere, when a user names one: embeddings and chat over HTTP. The only code of Jari that calls out.

mod chat;
mod embeddings;
mod http;
mod reranker;
mod translator;

pub use chat::Chat;
pub use embeddings::{Ollama, OpenAi, Voyage};
pub use http::{Endpoint, is_home};
pub use reranker::{LlmReranker, RerankBudget};
pub use translator::LlmTranslator;
