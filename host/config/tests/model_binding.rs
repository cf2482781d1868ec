//! Which model a role has, and what it takes to call it. The figures are what snodo 0.26 resolves from the same files; where this host
//! departs from them, the row says so.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use secrecy::ExposeSecret;
use snodo_config::model::{
    BindFault, Binding, Declared, KeySource, ModelRole, RoleContext, Wire, bind, coder_prefix, role_limits, role_model,
};
use snodo_config::model_config::{ModelConfig, load_model_config};

fn load(text: &str) -> ModelConfig {
    match load_model_config("config.yml", text.as_bytes()) {
        Ok((config, _)) => config,
        Err(error) => panic!("{}\n{text}", error.plain()),
    }
}

/// snodo's usual provider of tests.
const FAKE: &str = "providers: {fake: {base_url: 'http://127.0.0.1:9/v1', api_key: sk-f, litellm_provider: openai}}\n";

fn fake(rest: &str) -> ModelConfig {
    load(&format!("{FAKE}{rest}"))
}

/// A key as a table has it: `env NAME`, `key VALUE`, `run PROGRAM`, `–`.
fn key(binding: &Binding) -> String {
    match &binding.key {
        KeySource::None => "–".to_owned(),
        KeySource::Literal { key, .. } => format!("key {}", key.expose_secret()),
        KeySource::Environment { name, .. } => format!("env {name}"),
        KeySource::Command { argv, .. } => format!("run {}", argv.join(" ")),
        KeySource::Encrypted { .. } => "stored".to_owned(),
    }
}

fn flag(flag: &str) -> RoleContext<'_> {
    RoleContext {
        flag: Some(flag),
        ..RoleContext::default()
    }
}

/// The models of the coder, the validators and the classifier.
fn models(config: &ModelConfig, context: RoleContext<'_>) -> [String; 3] {
    ModelRole::ALL.map(|role| role_model(config, role, context).model)
}

const CLAUDE: &str = "claude-sonnet-4-20250514";

#[test]
fn models_of_the_roles_are_snodos() {
    let none = RoleContext::default();
    for (what, config, context, [coder, validator, classifier]) in [
        ("no file", load(""), none, [CLAUDE; 3]),
        (
            "`default_model` moves the coder only",
            fake("model: fake/m\ndefault_model: fake/dm\n"),
            none,
            ["fake/dm", "fake/m", "fake/m"],
        ),
        (
            "a role's own",
            fake("model: fake/base\nllm: {coder: {model: fake/coder}}\n"),
            none,
            ["fake/coder", "fake/base", "fake/base"],
        ),
        (
            "the newer place goes before the older one",
            fake("model: fake/base\nllm: {validator: {model: fake/new}, validator_llm: {model: fake/legacy}}\n"),
            none,
            ["fake/base", "fake/new", "fake/base"],
        ),
        (
            "the older place",
            fake("model: fake/base\nllm: {validator_llm: {model: fake/legacy}}\n"),
            none,
            ["fake/base", "fake/legacy", "fake/base"],
        ),
        (
            // Departure: snodo refuses the section when the file is read, though its resolver would look there.
            "the older place of the classifier",
            fake("model: fake/base\nllm: {classifier_llm: {model: fake/k}}\n"),
            none,
            ["fake/base", "fake/base", "fake/k"],
        ),
        (
            "the flag is the coder's",
            fake("model: fake/base\nllm: {coder: {model: fake/c}}\n"),
            flag("fake/flag"),
            ["fake/flag", "fake/base", "fake/base"],
        ),
        (
            "no `model`: the judges have the default, not the coder's",
            fake(""),
            flag("wasm/ok"),
            ["wasm/ok", CLAUDE, CLAUDE],
        ),
        (
            "blank is none",
            fake("model: ''\ndefault_model: ' '\nllm: {coder: {model: ''}}\n"),
            flag(""),
            [CLAUDE; 3],
        ),
    ] {
        assert_eq!(models(&config, context), [coder, validator, classifier], "{what}");
    }
    // Only where the file says that there is no model do judges have the coder's.
    let context = RoleContext {
        coder: Some(Declared {
            model: "fake/own",
            source: "the coder",
        }),
        ..RoleContext::default()
    };
    assert_eq!(models(&fake("model: ''\n"), context), ["fake/own"; 3]);
    assert_eq!(models(&fake(""), context), [CLAUDE; 3]);
    assert_eq!(models(&fake("model: fake/m\n"), context), ["fake/m"; 3]);
}

#[test]
fn a_validators_own_model_goes_before_all_with_its_own_address_and_key() {
    let config = load(
        "model: fake/base\nproviders:\n  fake: {base_url: 'http://127.0.0.1:9/v1', api_key: sk-f}\n  alt: {base_url: 'http://127.0.0.1:8', api_key: sk-a}\n",
    );
    let context = RoleContext {
        own: Some(Declared {
            model: "alt/judge-9",
            source: "the protocol, line 12",
        }),
        ..RoleContext::default()
    };
    let found = role_model(&config, ModelRole::Validator, context);
    assert_eq!(
        (found.model.as_str(), found.source.to_string().as_str()),
        ("alt/judge-9", "the protocol, line 12")
    );
    // Departure: snodo keeps the address and the key of the judges' default model.
    let binding = bind(&config, &found.model).unwrap();
    assert_eq!(
        (
            binding.sent_as.as_str(),
            binding.base_url.as_str(),
            key(&binding).as_str()
        ),
        ("judge-9", "http://127.0.0.1:8", "key sk-a")
    );
    // It is nobody else's.
    assert_eq!(role_model(&config, ModelRole::Coder, context).model, "fake/base");
    assert_eq!(role_model(&config, ModelRole::Classifier, context).model, "fake/base");
}

#[test]
fn a_model_says_who_says_so() {
    let config = fake("model: fake/m\ndefault_model: fake/dm\nllm:\n  validator:\n    model: fake/v\n");
    let source = |config: &ModelConfig, role, context| role_model(config, role, context).source.to_string();
    let none = RoleContext::default();
    assert_eq!(source(&config, ModelRole::Coder, flag("x")), "`--model`");
    assert_eq!(source(&config, ModelRole::Coder, none), "config.yml:3 `default_model`");
    assert_eq!(
        source(&config, ModelRole::Validator, none),
        "config.yml:6 `llm.validator.model`"
    );
    assert_eq!(source(&config, ModelRole::Classifier, none), "config.yml:2 `model`");
    assert_eq!(source(&load(""), ModelRole::Coder, none), "built-in default");
}

#[test]
fn bounds_of_the_roles() {
    let limits = |config: &ModelConfig| {
        ModelRole::ALL.map(|role| {
            let limits = role_limits(config, role);
            (limits.max_tokens, limits.temperature_milli, limits.max_tool_turns)
        })
    };
    assert_eq!(
        limits(&load("")),
        [(16_000, 700, None), (1500, 0, None), (500, 0, Some(1))]
    );
    let config = load(
        "llm: {coder: {max_tokens: 1, max_tool_turns: 2}, validator: {max_tokens: 3, max_tool_turns: 4}, classifier: {max_tokens: 5, temperature: 0.3}}",
    );
    assert_eq!(limits(&config), [(1, 700, Some(2)), (3, 0, Some(4)), (5, 300, Some(1))]);
}

#[test]
fn what_snodo_sends_to_litellm_and_litellm_to_the_provider_is_sent_here() {
    use Wire::{Anthropic, Gemini, OpenAi};
    let full = load(
        r#"
providers:
  fake: {base_url: "http://127.0.0.1:9/v1", api_key: sk-f, litellm_provider: openai}
  bare: {base_url: "http://127.0.0.1:7/v1/", api_key: sk-b}
  mixed:
    base_url: https://gate.example/v1
    api_key: sk-x
    litellm_provider: openai
    model_routes: [{match: "claude-*", litellm_provider: anthropic}, {match: gem, litellm_provider: gemini}]
  mine: {api_key: sk-m, litellm_provider: openai}
cloud: {api_key: ck, models_url: "https://m/v1"}
"#,
    );
    let empty = load("");
    for (config, model, provider, wire, sent_as, base_url, key_of) in [
        // By the beginnings of names.
        (
            &empty,
            CLAUDE,
            "anthropic",
            Anthropic,
            CLAUDE,
            "https://api.anthropic.com",
            "env ANTHROPIC_API_KEY",
        ),
        (
            &empty,
            "gpt-4o",
            "openai",
            OpenAi,
            "gpt-4o",
            "https://api.openai.com/v1",
            "env OPENAI_API_KEY",
        ),
        (
            &empty,
            "o3-mini",
            "openai",
            OpenAi,
            "o3-mini",
            "https://api.openai.com/v1",
            "env OPENAI_API_KEY",
        ),
        (
            &empty,
            "o4-mini",
            "openai",
            OpenAi,
            "o4-mini",
            "https://api.openai.com/v1",
            "env OPENAI_API_KEY",
        ),
        (
            &empty,
            "gemini-2.5-pro",
            "google",
            Gemini,
            "gemini-2.5-pro",
            "https://generativelanguage.googleapis.com",
            "env GEMINI_API_KEY",
        ),
        (
            &empty,
            "gemini/gemini-2.5-pro",
            "google",
            Gemini,
            "gemini-2.5-pro",
            "https://generativelanguage.googleapis.com",
            "env GEMINI_API_KEY",
        ),
        (
            &empty,
            "deepseek/deepseek-chat",
            "deepseek",
            OpenAi,
            "deepseek-chat",
            "https://api.deepseek.com",
            "env DEEPSEEK_API_KEY",
        ),
        // By the part before the first `/`, which litellm takes off.
        (
            &empty,
            "google/gemini-2.5-pro",
            "google",
            Gemini,
            "gemini-2.5-pro",
            "https://generativelanguage.googleapis.com",
            "env GEMINI_API_KEY",
        ),
        (
            &empty,
            "anthropic/claude-x",
            "anthropic",
            Anthropic,
            "claude-x",
            "https://api.anthropic.com",
            "env ANTHROPIC_API_KEY",
        ),
        (
            &empty,
            "openai/gpt-4o",
            "openai",
            OpenAi,
            "gpt-4o",
            "https://api.openai.com/v1",
            "env OPENAI_API_KEY",
        ),
        (
            &empty,
            "openrouter/openai/gpt-4o",
            "openrouter",
            OpenAi,
            "openai/gpt-4o",
            "https://openrouter.ai/api/v1",
            "env OPENROUTER_API_KEY",
        ),
        (
            &empty,
            "ollama/qwen3:8b",
            "ollama",
            OpenAi,
            "qwen3:8b",
            "http://localhost:11434/v1",
            "–",
        ),
        (
            &empty,
            "ollama_chat/qwen3:8b",
            "ollama",
            OpenAi,
            "qwen3:8b",
            "http://localhost:11434/v1",
            "–",
        ),
        (
            &empty,
            "lm_studio/a/b",
            "lm_studio",
            OpenAi,
            "a/b",
            "http://localhost:1234/v1",
            "–",
        ),
        (
            &empty,
            "hosted_vllm/a/b",
            "hosted_vllm",
            OpenAi,
            "a/b",
            "http://localhost:8000/v1",
            "–",
        ),
        // Of the file.
        (
            &full,
            "fake/base",
            "fake",
            OpenAi,
            "base",
            "http://127.0.0.1:9/v1",
            "key sk-f",
        ),
        // snodo puts `openai/` before a name unless it is there, and litellm takes it off: once.
        (
            &full,
            "fake/openai/gpt",
            "fake",
            OpenAi,
            "gpt",
            "http://127.0.0.1:9/v1",
            "key sk-f",
        ),
        (
            &full,
            "fake/openai/openai/gpt",
            "fake",
            OpenAi,
            "openai/gpt",
            "http://127.0.0.1:9/v1",
            "key sk-f",
        ),
        // Departure: without `litellm_provider` snodo hands on `bare/base`, which litellm does not know.
        (
            &full,
            "bare/base",
            "bare",
            OpenAi,
            "base",
            "http://127.0.0.1:7/v1",
            "key sk-b",
        ),
        (
            &full,
            "mixed/claude-3",
            "mixed",
            Anthropic,
            "claude-3",
            "https://gate.example",
            "key sk-x",
        ),
        (
            &full,
            "mixed/gem-3",
            "mixed",
            Gemini,
            "gem-3",
            "https://gate.example/v1",
            "key sk-x",
        ),
        (
            &full,
            "mixed/other",
            "mixed",
            OpenAi,
            "other",
            "https://gate.example/v1",
            "key sk-x",
        ),
        (
            &full,
            "mine/gpt",
            "mine",
            OpenAi,
            "gpt",
            "https://api.openai.com/v1",
            "key sk-m",
        ),
        (
            &full,
            "snodo-cloud/x",
            "snodo-cloud",
            OpenAi,
            "x",
            "https://m/v1",
            "key ck",
        ),
    ] {
        let binding = bind(config, model).unwrap();
        assert_eq!(
            (
                binding.provider.as_str(),
                binding.wire,
                binding.sent_as.as_str(),
                binding.base_url.as_str(),
                key(&binding).as_str()
            ),
            (provider, wire, sent_as, base_url, key_of),
            "{model}"
        );
        assert_eq!((binding.model.as_str(), binding.retries), (model, 3));
        assert!(binding.account.is_none());
    }
    assert_eq!(bind(&empty, "gpt-4o").unwrap().base_url_source, "the catalogue");
    assert_eq!(bind(&full, "fake/x").unwrap().base_url_source, "config.yml:3");
}

#[test]
fn keys_in_their_order() {
    let key_of = |block: &str| {
        let config = load(&format!(
            "providers: {{fake: {{base_url: 'http://127.0.0.1:9/v1', {block}}}}}\nmodel: fake/base\n"
        ));
        key(&bind(&config, "fake/base").unwrap())
    };
    let all = "api_key_ref: 'env:REF', api_key_env: ENVK";
    assert_eq!(key_of(&format!("api_key: literal, {all}")), "key literal");
    assert_eq!(key_of(all), "env REF");
    assert_eq!(key_of(&format!("api_key: '', {all}")), "env REF");
    assert_eq!(
        key_of("api_key: '', api_key_ref: 'command:echo from-cmd'"),
        "run echo from-cmd"
    );
    assert_eq!(key_of("api_key: '', api_key_env: ENVK"), "env ENVK");
    assert_eq!(key_of("api_key: '@keys/fake.key'"), "stored");
    assert_eq!(key_of("probe_model: x"), "–");
}

/// snodo replaces the catalogue's entry as a whole and so loses the key everywhere; litellm may then find one in the environment and send it
/// to the other address.
#[test]
fn what_a_block_leaves_out_comes_from_the_catalogue_only_at_the_catalogues_address() {
    for (block, model, expected) in [
        ("openai: {base_url: 'https://proxy.example/v1'}", "gpt-4o", "–"),
        (
            "openai: {base_url: 'https://api.openai.com.evil.example/v1'}",
            "gpt-4o",
            "–",
        ),
        ("openai: {base_url: 'http://api.openai.com/v1'}", "gpt-4o", "–"),
        ("openai: {base_url: 'https://api.openai.com:8443/v1'}", "gpt-4o", "–"),
        (
            "openai: {base_url: 'https://API.openai.com:443/v1/'}",
            "gpt-4o",
            "env OPENAI_API_KEY",
        ),
        ("openai: {probe_model: x}", "gpt-4o", "env OPENAI_API_KEY"),
        ("openai: ", "gpt-4o", "env OPENAI_API_KEY"),
        (
            "openai: {base_url: 'https://proxy.example/v1', api_key_env: K}",
            "gpt-4o",
            "env K",
        ),
        (
            "anthropic: {litellm_provider: openai, base_url: 'https://api.anthropic.com/v1'}",
            "claude-x",
            "env ANTHROPIC_API_KEY",
        ),
        (
            "own: {litellm_provider: anthropic}",
            "own/claude-x",
            "env ANTHROPIC_API_KEY",
        ),
        (
            "own: {litellm_provider: anthropic, base_url: 'https://proxy.example'}",
            "own/claude-x",
            "–",
        ),
    ] {
        let config = load(&format!("providers: {{{block}}}\n"));
        let binding = bind(&config, model).unwrap();
        assert_eq!(key(&binding), expected, "{block}");
    }
    // Spoken to as another one, it needs an address: its key is not for the other one's.
    let config = load("providers: {anthropic: {api_key: k, litellm_provider: openai}}\n");
    assert!(matches!(bind(&config, "claude-x"), Err(BindFault::NoAddress { .. })));
    // snodo's own service has its key for its own address only.
    let config = load("cloud: {api_key: ck}\nproviders: {snodo-cloud: {base_url: 'https://proxy.example'}}\n");
    assert_eq!(key(&bind(&config, "snodo-cloud/x").unwrap()), "–");
}

#[test]
fn headers_of_the_block_or_of_the_catalogue() {
    let headers = |config: &ModelConfig, model: &str| -> Vec<String> {
        let binding = bind(config, model).unwrap();
        let headers = binding.headers.iter();
        headers
            .map(|h| format!("{}: {}", h.name, h.value.expose_secret()))
            .collect()
    };
    let config =
        load("providers: {fake: {base_url: 'http://127.0.0.1:9', extra_headers: {x-task: '{task_id}', x-a: b}}}\n");
    assert_eq!(headers(&config, "fake/x"), ["x-task: {task_id}", "x-a: b"]);
    assert_eq!(headers(&config, "gpt-4o"), [""; 0]);
    assert_eq!(headers(&config, "@cf/meta/llama"), ["x-session-affinity: {task_id}"]);
    let config = load("providers: {cloudflare: {base_url: 'https://proxy.example'}}\n");
    assert_eq!(headers(&config, "@cf/meta/llama"), [""; 0]);
    let config = load("providers: {cloudflare: {extra_headers: {}}}\n");
    assert_eq!(headers(&config, "@cf/meta/llama"), [""; 0]);
}

#[test]
fn the_account_in_an_address() {
    const AT: &str = "https://api.cloudflare.com/client/v4/accounts";
    for model in ["cloudflare/@cf/meta/llama", "openai/@cf/meta/llama", "@cf/meta/llama"] {
        let binding = bind(&load(""), model).unwrap();
        assert_eq!(
            (binding.provider.as_str(), binding.sent_as.as_str()),
            ("cloudflare", "@cf/meta/llama")
        );
        assert_eq!(key(&binding), "env CLOUDFLARE_API_KEY");
        let account = binding.account.clone().unwrap();
        assert_eq!(
            (account.variable.as_str(), account.place.as_str()),
            ("CLOUDFLARE_ACCOUNT_ID", "the catalogue")
        );
        for bad in ["", "a/b", "..", "a b", "a?b", &"a".repeat(129)] {
            assert!(binding.clone().with_account(bad).is_err(), "{bad}");
        }
        let whole = binding.with_account("ab-1").unwrap();
        assert_eq!((whole.base_url, whole.account), (format!("{AT}/ab-1/ai/v1"), None));
    }
    let config = load("providers: {cloudflare: {account_id: cd_2, account_id_env: X}}\n");
    let binding = bind(&config, "@cf/x").unwrap();
    assert_eq!((binding.base_url, binding.account), (format!("{AT}/cd_2/ai/v1"), None));
    let config = load("providers: {cloudflare: {account_id_env: X}}\n");
    assert_eq!(bind(&config, "@cf/x").unwrap().account.unwrap().variable, "X");
}

#[test]
fn roles_of_one_model_share_a_client_and_others_do_not() {
    let config = fake("llm: {validator: {model: fake/v}}\nmodel: fake/base\n");
    let client = |model: &str| bind(&config, model).unwrap().client_key();
    assert_eq!(client("fake/base"), client("fake/base"));
    assert_ne!(client("fake/base"), client("fake/v"));
    assert_eq!(client("openai/gpt-4o"), client("gpt-4o"));
    // One name at two providers.
    assert_ne!(client("openai/base"), client("fake/base"));
}

#[test]
fn what_cannot_be_called_says_the_way_out() {
    let said = |config: &ModelConfig, model: &str| {
        let fault = bind(config, model).unwrap_err();
        format!("{fault}\n  help: {}", fault.help())
    };
    insta::assert_snapshot!(said(&load(""), "wasm/ok"), @r#"
    no provider is known for the model `wasm/ok`
      help: write `PROVIDER/MODEL` with one of `anthropic`, `openai`, `openrouter`, `google`, `cloudflare`, `deepseek`, `snodo-cloud`, `mistral`, `groq`, `xai`, `ollama`, `lm_studio`, `hosted_vllm`, or declare `providers.NAME` with a `base_url` in config.yml
    "#);
    insta::assert_snapshot!(said(&fake(""), "llama3"), @r#"
    no provider is known for the model `llama3`
      help: write `PROVIDER/MODEL` with one of `fake` (config.yml) or `anthropic`, `openai`, `openrouter`, `google`, `cloudflare`, `deepseek`, `snodo-cloud`, `mistral`, `groq`, `xai`, `ollama`, `lm_studio`, `hosted_vllm`
    "#);
    insta::assert_snapshot!(said(&fake(""), "fak/base"), @r#"
    no provider is known for the model `fak/base`
      help: did you mean `fake/…`?
    "#);
    insta::assert_snapshot!(said(&load(""), "claude-cli/opus"), @r#"
    `claude-cli/opus` names the coder `claude-cli`, not a model that can be asked
      help: name a model here; a coder is chosen with `--coder`, in the protocol, or by the coder's own model
    "#);
    insta::assert_snapshot!(said(&load("providers: {mine: {api_key: k}}\n"), "mine/x"), @r#"
    the provider `mine` of the model `mine/x` has no address
      help: give `providers.mine.base_url` in config.yml, or `providers.mine.litellm_provider` if it is one of the known ones
    "#);
    insta::assert_snapshot!(said(&load(""), "snodo-cloud/x"), @r#"
    the provider `snodo-cloud` of the model `snodo-cloud/x` has no address
      help: give `cloud.models_url` and `cloud.api_key` in config.yml
    "#);
    insta::assert_snapshot!(said(&load("providers: {a: {litellm_provider: bedrock}}\n"), "a/x"), @r#"
    the provider `a` of the model `a/x` is spoken to as `bedrock`, which is not served
      help: put an OpenAI-compatible gateway before it, and declare that as a provider with a `base_url`
    "#);
    insta::assert_snapshot!(said(&load(""), "gpt-4o\u{1b}[2J"), @r#"
    `gpt-4o\u{1b}[2J` cannot be the name of a model: a model's name is of visible ASCII characters, without blanks
      help: name a model as its provider does, such as `gpt-4o` or `ollama/qwen3:8b`
    "#);
    for bad in [
        "",
        " ",
        "ollama/",
        "/x",
        "gpt-4o ?",
        "a/../b",
        "gpt-\u{e9}",
        &"x".repeat(257),
    ] {
        assert!(matches!(bind(&load(""), bad), Err(BindFault::BadName { .. })), "{bad}");
    }
}

#[test]
fn a_model_string_may_name_a_coder() {
    let plugins = ["wasm", "openai"];
    for (model, expected) in [
        ("claude-cli/opus", Some(("claude-cli", "opus"))),
        ("codex-cli/x", Some(("codex-cli", "x"))),
        ("opencode-cli/a/b", Some(("opencode-cli", "a/b"))),
        ("opencode/a/b", Some(("opencode", "a/b"))),
        ("agy/x", Some(("agy", "x"))),
        ("wasm/ok", Some(("wasm", "ok"))),
        // A plugin goes before a provider of its name, as in snodo.
        ("openai/gpt-4o", Some(("openai", "gpt-4o"))),
        ("anthropic/x", None),
        ("gpt-4o", None),
        (CLAUDE, None),
        ("wasm", None),
        ("Wasm/ok", None),
    ] {
        assert_eq!(coder_prefix(model, &plugins), expected, "{model}");
    }
}
