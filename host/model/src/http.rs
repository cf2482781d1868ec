//! One request, one bounded answer.
//!
//! No redirect is followed: a key that was meant for one host goes to no other, and an answer of the other would be taken for the one's. No cookie
//! is kept. Of a body, what it is after decompression counts, and no more of it is held than is allowed.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderName};
use reqwest::{Client, NoProxy, Proxy, Response, StatusCode, Url};
use secrecy::SecretString;
use tokio::time::{Instant, timeout_at};

/// Most bytes of a failure's body: a few sentences are read of it.
const MAX_FAILURE: usize = 256 << 10;
/// How long a connection is kept for the next request.
const KEEP: Duration = Duration::from_mins(1);

/// How long is waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// For a connection, name lookup and TLS included.
    pub connect: Duration,
    /// From the request to the first byte of the answer's head: a model that does not stream is silent for as long as it thinks.
    pub first_byte: Duration,
    /// From one byte of the answer to the next.
    pub idle: Duration,
    /// For everything together: each attempt, and the waiting between them.
    pub total: Duration,
}

/// The user's proxies, out of the environment that `main` was given. They are never used for loopback.
#[derive(Clone, Default)]
pub struct Proxies {
    http: Option<String>,
    https: Option<String>,
    except: Option<String>,
}

impl std::fmt::Debug for Proxies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // An address can hold a password.
        f.debug_struct("Proxies")
            .field("http", &self.http.is_some())
            .field("https", &self.https.is_some())
            .field("except", &self.except)
            .finish()
    }
}

impl Proxies {
    /// By the customary names, in lower case before upper case: `https_proxy`, `http_proxy` (in lower case alone, since a web server's
    /// environment lets strangers set the other), `all_proxy`, `no_proxy`.
    pub fn from_environment(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Self {
        let first = |names: &[&str]| {
            names
                .iter()
                .filter_map(|name| variable(name)?.into_string().ok())
                .find(|value| !value.trim().is_empty())
        };
        let all = first(&["all_proxy", "ALL_PROXY"]);
        Self {
            http: first(&["http_proxy"]).or_else(|| all.clone()),
            https: first(&["https_proxy", "HTTPS_PROXY"]).or(all),
            except: first(&["no_proxy", "NO_PROXY"]),
        }
    }

    /// None at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// What in their addresses is a secret: as it is written, as it is meant, and as it is sent.
    fn secrets(&self) -> impl Iterator<Item = SecretString> + '_ {
        [&self.http, &self.https]
            .into_iter()
            .flatten()
            .filter_map(|address| user_info(address))
            .flat_map(|written| {
                let meant = percent_decoded(written);
                let sent = STANDARD.encode(&meant);
                let meant = String::from_utf8_lossy(&meant).into_owned();
                let mut all = vec![sent.trim_end_matches('=').to_owned(), sent];
                for whole in [written.to_owned(), meant] {
                    if let Some((_, password)) = whole.split_once(':') {
                        all.push(password.to_owned());
                    }
                    all.push(whole);
                }
                all
            })
            .map(SecretString::from)
    }
}

/// `user:password` of `http://user:password@proxy:3128`, also of an address that is none.
fn user_info(address: &str) -> Option<&str> {
    let behind = address.split_once("://").map_or(address, |(_, behind)| behind);
    let authority = behind.split(['/', '?', '#']).next()?;
    let (user_info, _) = authority.rsplit_once('@')?;
    Some(user_info)
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|_| first == b'%');
        let byte = digits
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        decoded.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    decoded
}

/// What sends. Made once for a process, and built only by the first request: a run without a model reads no certificates.
#[derive(Debug)]
pub struct Http {
    proxies: Proxies,
    connect: Duration,
    /// Straight to loopback, where no certificate is read for what is not encrypted.
    plain_loopback: OnceLock<Result<Client, String>>,
    encrypted_loopback: OnceLock<Result<Client, String>>,
    /// Everywhere else, over the user's proxy where there is one.
    plain: OnceLock<Result<Client, String>>,
    encrypted: OnceLock<Result<Client, String>>,
}

/// What came back.
pub(crate) struct Received {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Why nothing did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HttpFault {
    /// No connection: nothing was sent.
    Connect(String),
    /// The connection broke while something was sent or received.
    Broken(String),
    /// The time for a connection.
    ConnectTimeout,
    /// Nothing came for so long.
    Silent(Duration),
    /// The time for everything.
    TotalTimeout,
    /// The body is larger.
    TooLarge(usize),
    /// The body cannot be decompressed.
    Encoding(String),
    /// No client could be built: a proxy's address, certificates.
    Setup(String),
}

impl Http {
    /// Nothing is built, read or connected yet.
    pub fn new(proxies: Proxies, connect: Duration) -> Self {
        Self {
            proxies,
            connect,
            plain_loopback: OnceLock::new(),
            encrypted_loopback: OnceLock::new(),
            plain: OnceLock::new(),
            encrypted: OnceLock::new(),
        }
    }

    /// The secrets of the user's proxies.
    pub(crate) fn proxy_secrets(&self) -> impl Iterator<Item = SecretString> + '_ {
        self.proxies.secrets()
    }

    fn client(&self, url: &Url) -> Result<&Client, HttpFault> {
        let encrypted = url.scheme() == "https";
        let loopback = is_loopback(url);
        let (slot, proxies) = match (loopback, encrypted) {
            (true, false) => (&self.plain_loopback, None),
            (true, true) => (&self.encrypted_loopback, None),
            (false, false) => (&self.plain, Some(&self.proxies)),
            (false, true) => (&self.encrypted, Some(&self.proxies)),
        };
        let certificates = encrypted || proxies.is_some_and(|proxies| proxies.http.is_some());
        slot.get_or_init(|| build(proxies, self.connect, certificates))
            .as_ref()
            .map_err(|reason| HttpFault::Setup(reason.clone()))
    }

    /// Sends a request and reads what comes back, to its end or to a bound.
    pub(crate) async fn post(
        &self,
        url: &Url,
        headers: HeaderMap,
        body: Vec<u8>,
        timing: &Timing,
        max_answer_bytes: usize,
        deadline: Instant,
    ) -> Result<Received, HttpFault> {
        let request = self.client(url)?.post(url.clone()).headers(headers).body(body).send();
        let first = soonest(timing.first_byte, deadline);
        let response = timeout_at(first.at, request)
            .await
            .map_err(|_| first.fault())?
            .map_err(|error| fault(&error))?;
        let most = if response.status().is_success() {
            max_answer_bytes
        } else {
            MAX_FAILURE
        };
        read(response, most, timing, deadline).await
    }
}

async fn read(mut response: Response, most: usize, timing: &Timing, deadline: Instant) -> Result<Received, HttpFault> {
    let status = response.status();
    let headers = response.headers().clone();
    let mut body = Vec::new();
    loop {
        let next = soonest(timing.idle, deadline);
        let chunk = timeout_at(next.at, response.chunk()).await.map_err(|_| next.fault())?;
        let Some(chunk) = chunk.map_err(|error| fault(&error))? else {
            break;
        };
        if body.len() + chunk.len() > most {
            if status.is_success() {
                return Err(HttpFault::TooLarge(most));
            }
            // The beginning of a failure says what it is.
            body.extend_from_slice(&chunk[..most - body.len()]);
            break;
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Received { status, headers, body })
}

struct Wait {
    at: Instant,
    /// None where it is the end of everything.
    silent: Option<Duration>,
}

impl Wait {
    fn fault(&self) -> HttpFault {
        self.silent.map_or(HttpFault::TotalTimeout, HttpFault::Silent)
    }
}

fn soonest(wait: Duration, deadline: Instant) -> Wait {
    let at = Instant::now() + wait;
    if at < deadline {
        Wait { at, silent: Some(wait) }
    } else {
        Wait {
            at: deadline,
            silent: None,
        }
    }
}

fn build(proxies: Option<&Proxies>, connect: Duration, certificates: bool) -> Result<Client, String> {
    let mut builder = Client::builder()
        .user_agent(concat!("snodo-host/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .http1_only()
        .connect_timeout(connect)
        .pool_idle_timeout(KEEP)
        .pool_max_idle_per_host(4)
        .tls_backend_preconfigured(tls(certificates)?);
    if let Some(proxies) = proxies {
        let except = || proxies.except.as_deref().and_then(NoProxy::from_string);
        let bad = |name: &str| format!("the proxy in the environment's `{name}` is no address that can be used");
        if let Some(address) = &proxies.http {
            let proxy = Proxy::http(address).map_err(|_| bad("http_proxy"))?;
            builder = builder.proxy(proxy.no_proxy(except()));
        }
        if let Some(address) = &proxies.https {
            let proxy = Proxy::https(address).map_err(|_| bad("https_proxy"))?;
            builder = builder.proxy(proxy.no_proxy(except()));
        }
    }
    builder.build().map_err(|error| chain(&error))
}

/// The system's certificates, or none at all where nothing is encrypted.
fn tls(certificates: bool) -> Result<rustls::ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    if !certificates {
        let none = rustls::RootCertStore::empty();
        return Ok(builder.with_root_certificates(none).with_no_client_auth());
    }
    let verifier = rustls_platform_verifier::Verifier::new(provider)
        .map_err(|error| format!("the system's certificates cannot be read: {error}"))?;
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<std::net::IpAddr>();
    address.map_or_else(
        |_| host == "localhost" || host.ends_with(".localhost"),
        |address| address.is_loopback(),
    )
}

fn fault(error: &reqwest::Error) -> HttpFault {
    if error.is_timeout() && error.is_connect() {
        return HttpFault::ConnectTimeout;
    }
    let reason = chain(error);
    if error.is_builder() {
        HttpFault::Setup(reason)
    } else if error.is_connect() {
        HttpFault::Connect(reason)
    } else if error.is_decode() && !is_broken(error) {
        HttpFault::Encoding(reason)
    } else {
        HttpFault::Broken(reason)
    }
}

/// A connection that broke while a compressed body was read is told as a decoding error, with the connection's own further in.
fn is_broken(error: &reqwest::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if let Some(io) = inner.downcast_ref::<std::io::Error>()
            && matches!(
                io.kind(),
                std::io::ErrorKind::UnexpectedEof
                    | std::io::ErrorKind::ConnectionReset
                    | std::io::ErrorKind::ConnectionAborted
                    | std::io::ErrorKind::BrokenPipe
            )
        {
            return true;
        }
        source = inner.source();
    }
    // Without compression every error of a body is a broken connection.
    error.to_string().contains("error reading a body")
}

/// An error with what is behind it, without the address: that can hold a key.
fn chain(error: &reqwest::Error) -> String {
    let mut all = Vec::new();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        let text = inner.to_string();
        if all.last() != Some(&text) {
            all.push(text);
        }
        source = inner.source();
    }
    if all.is_empty() {
        "the request could not be made".to_owned()
    } else {
        all.join(": ")
    }
}

/// A header's text, where it is one.
pub(crate) fn header(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
