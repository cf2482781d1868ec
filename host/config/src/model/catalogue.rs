//! Providers that need no configuration but a key.
//!
//! The names are snodo's catalogue and, behind it, those by which litellm, on which snodo stands, knows further servers. Addresses and
//! variables are those of each provider's own documentation, named beside it.

use super::binding::Wire;
use crate::model_config::{Origin, origin};

/// A known provider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    /// Its name.
    pub(crate) name: &'static str,
    /// How it is spoken to.
    pub(crate) wire: Wire,
    /// Its address, without the part that belongs to the wire format. Empty where there is none for everybody.
    pub(crate) base_url: &'static str,
    /// The variable that holds its key. None: it wants no key, or it stands elsewhere.
    pub(crate) key_variable: Option<&'static str>,
    /// What litellm is told before the model's name; none: the name as it is.
    pub(crate) route: Option<&'static str>,
    /// Sent with each request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
}

/// The variable that holds the account of Cloudflare's address.
pub(crate) const CLOUDFLARE_ACCOUNT: &str = "CLOUDFLARE_ACCOUNT_ID";

/// snodo's own service. Its address and key stand under `cloud`.
pub(crate) const SNODO_CLOUD: &str = "snodo-cloud";

const fn openai(name: &'static str, base_url: &'static str, key_variable: Option<&'static str>) -> Known {
    Known {
        name,
        wire: Wire::OpenAi,
        base_url,
        key_variable,
        route: None,
        headers: &[],
    }
}

const KNOWN: [Known; 13] = [
    // https://docs.anthropic.com/en/api/overview
    Known {
        wire: Wire::Anthropic,
        ..openai("anthropic", "https://api.anthropic.com", Some("ANTHROPIC_API_KEY"))
    },
    // https://platform.openai.com/docs/api-reference/introduction
    openai("openai", "https://api.openai.com/v1", Some("OPENAI_API_KEY")),
    // https://openrouter.ai/docs/api-reference/overview
    openai("openrouter", "https://openrouter.ai/api/v1", Some("OPENROUTER_API_KEY")),
    // https://ai.google.dev/api
    Known {
        wire: Wire::Gemini,
        route: Some("gemini"),
        ..openai(
            "google",
            "https://generativelanguage.googleapis.com",
            Some("GEMINI_API_KEY"),
        )
    },
    // https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/
    Known {
        route: Some("openai"),
        headers: &[("x-session-affinity", "{task_id}")],
        ..openai(
            "cloudflare",
            "https://api.cloudflare.com/client/v4/accounts/{account_id}/ai/v1",
            Some("CLOUDFLARE_API_KEY"),
        )
    },
    // https://api-docs.deepseek.com/
    openai("deepseek", "https://api.deepseek.com", Some("DEEPSEEK_API_KEY")),
    Known {
        route: Some("openai"),
        ..openai(SNODO_CLOUD, "", None)
    },
    // https://docs.mistral.ai/api
    openai("mistral", "https://api.mistral.ai/v1", Some("MISTRAL_API_KEY")),
    // https://console.groq.com/docs/openai
    openai("groq", "https://api.groq.com/openai/v1", Some("GROQ_API_KEY")),
    // https://docs.x.ai/docs/api-reference
    openai("xai", "https://api.x.ai/v1", Some("XAI_API_KEY")),
    // https://docs.ollama.com/api/openai-compatibility
    openai("ollama", "http://localhost:11434/v1", None),
    // https://lmstudio.ai/docs/developer/openai-compat
    openai("lm_studio", "http://localhost:1234/v1", None),
    // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
    openai("hosted_vllm", "http://localhost:8000/v1", None),
];

/// The names of all.
pub(crate) const PROVIDER_NAMES: [&str; KNOWN.len()] = {
    let mut names = [""; KNOWN.len()];
    let mut i = 0;
    while i < KNOWN.len() {
        names[i] = KNOWN[i].name;
        i += 1;
    }
    names
};

/// The known provider of a name, also of those by which litellm means one of them.
pub(crate) fn catalogue(name: &str) -> Option<&'static Known> {
    let name = match name {
        "gemini" => "google",
        "ollama_chat" => "ollama",
        "vllm" => "hosted_vllm",
        "openai_like" | "custom_openai" | "text-completion-openai" => "openai",
        "anthropic_text" => "anthropic",
        other => other,
    };
    KNOWN.iter().find(|known| known.name == name)
}

impl Known {
    /// Who its address leads to.
    pub(crate) fn origin(&self) -> Option<Origin> {
        origin(self.base_url)
    }
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, SNODO_CLOUD, Wire};

    #[test]
    fn the_page_shows_it_as_it_is() {
        let page = include_str!("../../../../docs/models.md");
        let shown: Vec<&str> = page
            .lines()
            .skip_while(|line| !line.starts_with("| provider | address |"))
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .collect();
        let rows: Vec<String> = KNOWN
            .iter()
            .map(|known| {
                let wire = match known.wire {
                    Wire::OpenAi => "OpenAI",
                    Wire::Anthropic => "Anthropic",
                    Wire::Gemini => "Gemini",
                };
                let (address, key) = if known.name == SNODO_CLOUD {
                    let under = "as it stands under `cloud`".to_owned();
                    (under.clone(), under)
                } else {
                    let key = known.key_variable.map_or("–".to_owned(), |name| format!("`{name}`"));
                    (format!("`{}`", known.base_url), key)
                };
                format!("| `{}` | {address} | {key} | {wire} |", known.name)
            })
            .collect();
        assert_eq!(shown, rows);
    }
}
