#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tokio::time::Instant;

use super::*;

fn command(argv: &[&str]) -> KeySource {
    KeySource::Command {
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        place: "config.yml:7".to_owned(),
    }
}

async fn fetched(source: &KeySource) -> Result<Option<String>, KeyFault> {
    let environment = |name: &str| match name {
        "SET" => Some("  sk-from-the-environment\n".into()),
        "EMPTY" => Some(" ".into()),
        "LINES" => Some("a\r\nX-Other: b".into()),
        _ => None,
    };
    Ok(fetch(source, environment)
        .await?
        .map(|key| key.expose_secret().to_owned()))
}

#[tokio::test]
async fn from_the_environment() {
    let source = |name: &str| KeySource::Environment {
        name: name.to_owned(),
        place: "the catalogue".to_owned(),
    };
    assert_eq!(
        fetched(&source("SET")).await.unwrap().unwrap(),
        "sk-from-the-environment"
    );
    for name in ["EMPTY", "UNSET"] {
        let said = fetched(&source(name)).await.unwrap_err().to_string();
        assert!(said.contains(name) && said.contains("the catalogue"), "{said}");
    }
    // A key that would become another header.
    assert!(matches!(fetched(&source("LINES")).await, Err(KeyFault::NotAKey { .. })));
}

#[tokio::test]
async fn from_a_program() {
    assert_eq!(
        fetched(&command(&["printf", "  sk-printed\\n\\n"]))
            .await
            .unwrap()
            .unwrap(),
        "sk-printed"
    );
    // Without a shell: the words stay words.
    assert_eq!(
        fetched(&command(&["echo", "$(id)", ";x"])).await.unwrap().unwrap(),
        "$(id) ;x"
    );
    let said = fetched(&command(&["sh", "-c", "echo sk-secret; echo sk-secret >&2; exit 3"]))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("exit status: 3") && said.contains("config.yml:7") && !said.contains("sk-secret"),
        "{said}"
    );
    assert!(matches!(
        fetched(&command(&["true"])).await,
        Err(KeyFault::BadOutput { what: "nothing", .. })
    ));
    assert!(matches!(
        fetched(&command(&["no-such-program-anywhere"])).await,
        Err(KeyFault::NotStarted { .. })
    ));
    assert!(matches!(fetched(&command(&[])).await, Err(KeyFault::NotStarted { .. })));
    assert!(matches!(
        fetched(&command(&["printf", "a\\nb"])).await,
        Err(KeyFault::NotAKey { .. })
    ));
}

#[tokio::test]
async fn a_program_that_prints_without_end_is_not_read_to_its_end() {
    let started = Instant::now();
    let fault = fetched(&command(&["sh", "-c", "yes key"])).await.unwrap_err();
    assert!(
        matches!(
            fault,
            KeyFault::BadOutput {
                what: "more than a key",
                ..
            }
        ),
        "{fault:?}"
    );
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn snodos_own_store_is_named_with_a_way_out() {
    let source = KeySource::Encrypted {
        reference: "@keys/openai.key".to_owned(),
        place: "config.yml:3".to_owned(),
    };
    let said = fetched(&source).await.unwrap_err().to_string();
    assert!(
        said.contains("@keys/openai.key") && said.contains("api_key_env"),
        "{said}"
    );
    assert_eq!(fetched(&KeySource::None).await.unwrap(), None);
}
