//! `config.yml`: what is read, what is refused, and in which words.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking
#![allow(clippy::format_push_string, clippy::format_collect)] // shorter, and nobody waits

use secrecy::ExposeSecret;
use snodo_config::model::KeySource;
use snodo_config::model_config::{MODEL_CONFIG_BYTES, ModelConfig, load_model_config};
use snodo_config::{FaultKind, FileError, Warning, WarningKind, plain_warnings};

fn load(text: &str) -> (ModelConfig, Vec<Warning>) {
    match load_model_config("config.yml", text.as_bytes()) {
        Ok(loaded) => loaded,
        Err(error) => panic!("{}\n{text}", error.plain()),
    }
}

fn refused(text: &str) -> FileError {
    load_model_config("config.yml", text.as_bytes()).unwrap_err()
}

fn graphical(error: FileError) -> String {
    let mut out = String::new();
    let report = miette::Report::from(error);
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor()).with_width(100);
    handler.render_report(&mut out, report.as_ref()).unwrap();
    out
}

#[test]
fn nothing_is_snodos_standard() {
    let standard = format!("{:?}", ModelConfig::standard());
    for text in [
        "",
        "# nothing\n",
        "---\n",
        "{}",
        "llm:\nproviders:\ncloud:\n",
        "llm: {coder: , recon: }\n",
        "\u{feff}",
    ] {
        let (config, warnings) = load(text);
        assert_eq!(format!("{config:?}"), standard, "{text:?}");
        assert_eq!(warnings, [], "{text:?}");
    }
    let llm = ModelConfig::standard().llm;
    assert_eq!(llm.num_retries, 3);
    assert_eq!((llm.coder.max_tokens, llm.coder.max_tool_turns), (16_000, None));
    assert_eq!(
        (llm.coder.timeout_seconds, llm.coder.silence_timeout_seconds),
        (1800, 600)
    );
    assert_eq!((llm.coder.concurrency, llm.coder.sandboxed), (1, false));
    assert_eq!((llm.validator.max_tokens, llm.validator.max_tool_turns), (1500, None));
    assert_eq!((llm.classifier.max_tokens, llm.classifier.temperature_milli), (500, 0));
    assert_eq!(
        (llm.recon.num_agents, llm.recon.max_tokens, llm.recon.max_tool_turns),
        (1, 16_000, 40)
    );
    assert_eq!(llm.recon.deadline_seconds, 300);
    assert_eq!((llm.wave.max_age_days, llm.wave.max_idle_days), (14, 5));
}

const FULL: &str = r#"
model: fake/m
default_model: fake/dm
providers:
  fake:
    api_key: sk-f
    base_url: http://127.0.0.1:9/v1/
    litellm_provider: openai
    model_routes:
      - {match: "claude-*", litellm_provider: anthropic}
    extra_headers: {x-task: "{task_id}", X-A: b}
    models_endpoint: /models
    account_id: ab-1
    account_id_env: ACCOUNT
    probe_model: p
    catalog_provider: openai
  by_variable: {api_key: "", api_key_env: ENVK}
  by_reference: {api_key_ref: "env:REF", api_key_env: ENVK}
  by_command: {api_key_ref: "command:pass show 'a b'"}
  stored: {api_key: "@keys/stored.key"}
  bare:
llm:
  num_retries: 10
  coder: {model: fake/c, max_tokens: 1, max_tool_turns: 200, timeout_seconds: 2, silence_timeout_seconds: 0, concurrency: 3, sandboxed: yes}
  validator: {model: fake/v, max_tokens: 4, max_tool_turns: 1}
  validator_llm: {model: fake/old-v}
  classifier: {model: fake/k, max_tokens: 5, temperature: 0.35}
  classifier_llm: {model: fake/old-k}
  recon: {num_agents: 2, models: [fake/a, fake/b], max_tokens: 6, max_tool_turns: 7, deadline_seconds: 8}
  wave: {max_age_days: 9, max_idle_days: 10}
engine: {max_subtask_depth: 3}
cloud: {api_key: ck, models_url: "https://m.example/v1", sync_enabled: false, lease_url: x}
notifications: {targets: [{type: slack, token: t}]}
mcp: {port: 1}
opencode: {session_token_warning: 2}
"#;

#[test]
fn every_field_arrives() {
    let (config, warnings) = load(FULL);
    assert_eq!(warnings, []);
    let model = |placed: &Option<snodo_config::Placed<String>>| placed.as_ref().unwrap().value.clone();
    assert_eq!(model(&config.model), "fake/m");
    assert_eq!(config.model.as_ref().unwrap().place.line, 2);
    assert_eq!(model(&config.default_model), "fake/dm");
    let fake = config.provider("fake").unwrap();
    assert_eq!(fake.base_url.as_ref().unwrap().value.as_str(), "http://127.0.0.1:9/v1");
    assert_eq!(fake.litellm_provider.as_deref(), Some("openai"));
    assert_eq!(fake.model_routes[0].matching, "claude-*");
    assert_eq!(fake.model_routes[0].litellm_provider, "anthropic");
    let headers: Vec<(&str, &str)> = fake
        .extra_headers
        .iter()
        .flatten()
        .map(|header| (header.name.as_str(), header.value.expose_secret()))
        .collect();
    assert_eq!(headers, [("x-task", "{task_id}"), ("X-A", "b")]);
    assert_eq!(fake.account_id.as_deref(), Some("ab-1"));
    assert_eq!(fake.account_id_env.as_ref().unwrap().value, "ACCOUNT");
    let key = |name: &str| config.provider(name).unwrap().key.clone();
    assert!(matches!(key("fake"), Some(KeySource::Literal { key, place })
        if key.expose_secret() == "sk-f" && place == "config.yml:6"));
    assert!(
        matches!(key("by_variable"), Some(KeySource::Environment { name, place })
        if name == "ENVK" && place == "config.yml:17")
    );
    assert!(matches!(key("by_reference"), Some(KeySource::Environment { name, .. }) if name == "REF"));
    assert!(matches!(key("by_command"), Some(KeySource::Command { argv, .. }) if argv == ["pass", "show", "a b"]));
    assert!(matches!(key("stored"), Some(KeySource::Encrypted { reference, .. }) if reference == "@keys/stored.key"));
    assert!(key("bare").is_none());
    let llm = &config.llm;
    assert_eq!(llm.num_retries, 10);
    assert_eq!(model(&llm.coder.model), "fake/c");
    assert_eq!((llm.coder.max_tokens, llm.coder.max_tool_turns), (1, Some(200)));
    assert_eq!((llm.coder.timeout_seconds, llm.coder.silence_timeout_seconds), (2, 0));
    assert_eq!((llm.coder.concurrency, llm.coder.sandboxed), (3, true));
    assert_eq!(model(&llm.validator.model), "fake/v");
    assert_eq!((llm.validator.max_tokens, llm.validator.max_tool_turns), (4, Some(1)));
    assert_eq!(model(&llm.validator_llm), "fake/old-v");
    assert_eq!(model(&llm.classifier.model), "fake/k");
    assert_eq!((llm.classifier.max_tokens, llm.classifier.temperature_milli), (5, 350));
    assert_eq!(model(&llm.classifier_llm), "fake/old-k");
    assert_eq!(llm.recon.models, ["fake/a", "fake/b"]);
    assert_eq!(
        (llm.recon.num_agents, llm.recon.max_tokens, llm.recon.max_tool_turns),
        (2, 6, 7)
    );
    assert_eq!((llm.recon.deadline_seconds, llm.wave.max_age_days), (8, 9));
    assert_eq!(llm.wave.max_idle_days, 10);
    assert_eq!(config.cloud.api_key.as_ref().unwrap().value.expose_secret(), "ck");
    assert_eq!(
        config.cloud.models_url.as_ref().unwrap().value.as_str(),
        "https://m.example/v1"
    );
}

#[test]
fn an_unknown_key_of_llm_is_refused_with_the_keys_of_its_section() {
    let text = "model: fake/base\nllm:\n  coder: {model: fake/c}\n  validator:\n    max_tool_turn: 9\n  clasifier: {}\n  \
                recon:\n    speed: 3\n";
    insta::assert_snapshot!(refused(text).plain(), @r#"
    config.yml:5:5: error[SCHEMA]: `llm.validator` has no setting `max_tool_turn`
      help: did you mean `max_tool_turns`? it has `model`, `max_tokens`, `max_tool_turns`
    config.yml:6:3: error[SCHEMA]: `llm` has no setting `clasifier`
      help: did you mean `classifier`? it has `num_retries`, `coder`, `validator`, `validator_llm`, `classifier`, `classifier_llm`, `recon`, `wave`
    config.yml:8:5: error[SCHEMA]: `llm.recon` has no setting `speed`
      help: it has `num_agents`, `models`, `max_tokens`, `max_tool_turns`, `deadline_seconds`
    "#);
}

#[test]
fn a_fault_with_its_excerpt_of_which_only_the_words_of_the_format_are_seen() {
    let text = "providers:\n  fake:\n    api_key: sk-secret # another\nllm:\n  num_retries: 3\n  coder:\n    max_tool_turns: 201\n    \
                model: fake/base\n";
    insta::assert_snapshot!(graphical(refused(text)), @r#"
      × the model configuration `config.yml` cannot be used: 1 fault

    Error: SCHEMA

      × `llm.coder.max_tool_turns` must be a whole number from 1 to 200, not 201
       ╭─[config.yml:7:21]
     6 │   coder:
     7 │     max_tool_turns: 201
       ·                     ───
     8 │     model: *********
       ╰────
      help: choose a value within these bounds
    "#);
}

#[test]
fn what_is_unknown_elsewhere_is_ignored_with_a_warning() {
    let (_, warnings) = load(
        "modle: x\ncolour: y\nproviders:\n  openai:\n    api_keys: k\n    base-url: u\n    sk-QWERTY12: v\ncloud:\n  models_ur: x\n",
    );
    insta::assert_snapshot!(plain_warnings("config.yml", &warnings), @r#"
    config.yml:1:1: warning[SCHEMA]: the model configuration has no field `modle`; it is ignored
      help: did you mean `model`?
    config.yml:2:1: warning[SCHEMA]: the model configuration has no field `colour`; it is ignored
      help: did you mean `cloud`?
    config.yml:5:5: warning[SCHEMA]: the provider (`providers.openai`) has no field `api_keys`; it is ignored
      help: did you mean `api_key`?
    config.yml:6:5: warning[SCHEMA]: the provider (`providers.openai`) has no field `base-url`; it is ignored
      help: did you mean `base_url`?
    config.yml:7:5: warning[SCHEMA]: the provider (`providers.openai`) has no field `…`; it is ignored
      help: it has `api_key`, `api_key_ref`, `api_key_env`, `base_url`, `litellm_provider`, `model_routes`, `extra_headers`, `account_id`, `account_id_env`, `models_endpoint`, `probe_model`, `catalog_provider`
    config.yml:9:3: warning[SCHEMA]: the section (`cloud`) has no field `models_ur`; it is ignored
      help: did you mean `models_url`?
    "#);
}

#[test]
fn the_older_form_of_keys() {
    insta::assert_snapshot!(refused("model: gpt-4o\napi_keys: {openai: sk}\n").plain(), @r#"
    config.yml:2:1: error[SCHEMA]: `api_keys` is the older form of this file and is not read
      help: move each key to `providers.<name>.api_key`, or better, name the variable that holds it in `providers.<name>.api_key_env`
    "#);
    let (_, warnings) = load("api_keys: {openai: sk}\nproviders: {}\n");
    insta::assert_snapshot!(plain_warnings("config.yml", &warnings), @r#"
    config.yml:1:1: warning[SCHEMA]: `api_keys` is the older form of this file and is not read; `providers` is
      help: remove `api_keys`
    "#);
}

#[test]
fn what_moved_from_wave_to_classifier_is_read_unless_it_is_there_too() {
    let (config, warnings) =
        load("llm:\n  wave: {max_tokens: 900, temperature: 0.3, max_age_days: 3}\n  classifier: {temperature: 1}\n");
    assert_eq!(
        (
            config.llm.classifier.max_tokens,
            config.llm.classifier.temperature_milli,
            config.llm.wave.max_age_days
        ),
        (900, 1000, 3)
    );
    insta::assert_snapshot!(plain_warnings("config.yml", &warnings), @r#"
    config.yml:2:22: warning[SCHEMA]: `llm.wave.max_tokens` has moved to `llm.classifier.max_tokens`; it is read from here
      help: write `llm.classifier.max_tokens` and remove `llm.wave.max_tokens`
    config.yml:2:40: warning[SCHEMA]: `llm.wave.temperature` has moved to `llm.classifier.temperature`; what stands there counts
      help: write `llm.classifier.temperature` and remove `llm.wave.temperature`
    "#);
}

#[test]
fn what_is_no_map_is_said_plainly() {
    for text in [
        "- a\n",
        "x",
        "3\n",
        "llm: x\n",
        "llm: [a]\n",
        "providers: x\n",
        "llm: {coder: 3}\n",
    ] {
        let error = refused(text);
        assert!(
            matches!(
                error.faults()[0].kind,
                FaultKind::RootNotAMap { .. } | FaultKind::WrongType { .. }
            ),
            "{text}: {}",
            error.plain()
        );
    }
    insta::assert_snapshot!(refused("- a\n").plain(), @r#"
    config.yml:1:1: error[ROOT]: the file must be a map of fields, not a list
      help: begin with `field: value` lines at the left margin
    "#);
    insta::assert_snapshot!(refused("llm: x\n").plain(), @r#"
    config.yml:1:6: error[SCHEMA]: `llm` must be a map of fields, not a text
      help: write `key: value` lines below it
    "#);
}

#[test]
fn numbers_are_bounded() {
    for (section, key, least, most) in [
        ("", "num_retries", 0, 10),
        ("coder", "max_tokens", 1, 100_000_000),
        ("coder", "max_tool_turns", 1, 200),
        ("coder", "timeout_seconds", 1, i64::from(i32::MAX)),
        ("coder", "silence_timeout_seconds", 0, i64::from(i32::MAX)),
        ("coder", "concurrency", 1, i64::from(i32::MAX)),
        ("validator", "max_tokens", 1, 100_000_000),
        ("validator", "max_tool_turns", 1, 200),
        ("classifier", "max_tokens", 1, 100_000_000),
        ("recon", "num_agents", 1, i64::from(i32::MAX)),
        ("recon", "max_tokens", 1, 100_000_000),
        ("recon", "deadline_seconds", 1, i64::from(i32::MAX)),
        ("wave", "max_age_days", 0, i64::from(i32::MAX)),
        ("wave", "max_idle_days", 0, i64::from(i32::MAX)),
    ] {
        let with = |n: &str| {
            let text = if section.is_empty() {
                format!("llm: {{{key}: {n}}}\n")
            } else {
                format!("llm: {{{section}: {{{key}: {n}}}}}\n")
            };
            load_model_config("config.yml", text.as_bytes())
        };
        assert!(
            with(&least.to_string()).is_ok() && with(&most.to_string()).is_ok(),
            "{section}.{key}"
        );
        for beyond in [least - 1, most + 1, i64::MAX, i64::MIN] {
            assert!(
                matches!(
                    with(&beyond.to_string()).unwrap_err().faults()[0].kind,
                    FaultKind::OutOfRange { .. }
                ),
                "{section}.{key}: {beyond}"
            );
        }
        for wrong in ["lots", "1.5", "[1]", "~", "2026-01-01"] {
            assert!(
                matches!(with(wrong).unwrap_err().faults()[0].kind, FaultKind::WrongType { .. }),
                "{section}.{key}: {wrong}"
            );
        }
    }
    for (temperature, milli) in [("0", 0), ("2", 2000), ("0.0005", 1), ("'1.25'", 1250)] {
        let (config, _) = load(&format!("llm: {{classifier: {{temperature: {temperature}}}}}"));
        assert_eq!(config.llm.classifier.temperature_milli, milli);
    }
    for beyond in ["-0.1", "2.1", ".nan", ".inf", "hot", "true"] {
        refused(&format!("llm: {{classifier: {{temperature: {beyond}}}}}"));
    }
}

#[test]
fn providers_are_checked() {
    for (block, why) in [
        ("base_url: ftp://h/v1", "https://"),
        ("base_url: h/v1", "https://"),
        ("base_url: 'https://'", "host"),
        ("base_url: https://u:p@h/v1", "no name and no password"),
        ("base_url: https://h/v1?key=x", "no `?`"),
        ("base_url: 'https://h/v1#x'", "no `?`"),
        ("base_url: https://h:0/", "port"),
        ("base_url: https://h:65536/", "port"),
        ("base_url: 'https://h /v1'", "blanks"),
        ("base_url: https://[::1/v1", "host"),
        ("api_key: 'two words'", "visible ASCII"),
        ("api_key: \"a\\nb\"", "visible ASCII"),
        ("api_key_ref: sk-key", "env:NAME"),
        ("api_key_ref: 'env:A B'", "letters, digits"),
        ("api_key_ref: 'command:'", "a program"),
        ("api_key_ref: \"command:x 'y\"", "a quote is not closed"),
        ("api_key_env: sk-key", "letters, digits"),
        ("litellm_provider: open ai", "name of a provider"),
        ("model_routes: [{match: '', litellm_provider: openai}]", "1 to 256"),
        ("model_routes: [{match: x}]", "`litellm_provider` is missing"),
        ("extra_headers: {'a b': c}", "header's name"),
        ("extra_headers: {Host: c}", "belongs to the request"),
        ("extra_headers: {x: \"a\\r\\nb: c\"}", "header's value"),
        ("extra_headers: {x: a, X: b}", "other letter case"),
        ("extra_headers: {x: 3}", "must be a text"),
        ("account_id: a/b", "account id"),
    ] {
        let error = refused(&format!("providers:\n  p:\n    {block}\n"));
        assert!(error.plain().contains(why), "{block}: {}", error.plain());
        assert_eq!(error.faults()[0].place.line, 3, "{block}");
    }
    for name in ["'a b'", "a/b", "'a:b'", "3", "''"] {
        let error = refused(&format!("providers:\n  {name}: {{}}\n"));
        assert!(error.plain().contains("a provider's name"), "{name}: {}", error.plain());
    }
    let many: String = (0..257).map(|n| format!("  p{n}: {{}}\n")).collect();
    assert!(
        refused(&format!("providers:\n{many}"))
            .plain()
            .contains("256 providers")
    );
    for name in ["two words", "a//b", "../x", "a`b", "é"] {
        assert!(
            refused(&format!("model: '{name}'\n"))
                .plain()
                .contains("a model's name"),
            "{name}"
        );
    }
}

#[test]
fn where_a_key_would_go_elsewhere_or_in_the_clear_is_said() {
    let (_, warnings) = load(
        "providers:\n  openai: {base_url: https://proxy.example/v1}\n  anthropic: {base_url: https://API.anthropic.com:443/v1}\n  \
         deepseek: {base_url: https://proxy.example, api_key_env: K}\n  lan: {base_url: http://10.0.0.7/v1, api_key: k}\n  \
         own: {base_url: http://127.0.0.1:9/v1, api_key: k}\n  six: {base_url: 'http://[::1]:9/v1', api_key: k}\n",
    );
    insta::assert_snapshot!(plain_warnings("config.yml", &warnings), @r#"
    config.yml:2:22: warning[SCHEMA]: `providers.openai` has another address and no key of its own: no key is sent there, `OPENAI_API_KEY` belongs to the provider's own address
      help: name the key in `api_key_env`, `api_key_ref` or `api_key` if the server there wants one
    config.yml:5:19: warning[SCHEMA]: the key of `providers.lan` is sent over `http` to another machine, readable on its way
      help: use `https`
    "#);
}

#[test]
fn all_faults_are_listed_at_once() {
    let error = refused(
        "model: [x]\nproviders: {p: {base_url: x, api_key: 3}}\nllm: {coder: {max_tokens: 0}, x: 1}\ncloud: 3\n",
    );
    assert_eq!(error.faults().len(), 6, "{}", error.plain());
}

#[test]
fn a_hostile_file_is_refused_in_bounds() {
    let large = vec![b'#'; 10 << 20];
    let error = load_model_config("config.yml", &large).unwrap_err();
    assert!(matches!(error.faults()[0].kind, FaultKind::TooLarge { bytes, allowed }
        if bytes == 10 << 20 && allowed == MODEL_CONFIG_BYTES));
    let mut bomb = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..20 {
        let alias = format!("*a{}, ", n - 1).repeat(10);
        bomb.push_str(&format!("b{n}: &a{n} [{alias}]\n"));
    }
    assert!(matches!(refused(&bomb).faults()[0].kind, FaultKind::AliasBudget { .. }));
    let deep = format!("llm: {}{}\n", "[".repeat(500), "]".repeat(500));
    assert!(matches!(refused(&deep).faults()[0].kind, FaultKind::TooDeep { .. }));
    let keys: String = (0..5000).map(|n| format!("Key{n}: 1\n")).collect();
    let (_, warnings) = load(&keys);
    assert!(matches!(
        warnings.last().unwrap().kind,
        WarningKind::More { count: 4950 }
    ));
}
