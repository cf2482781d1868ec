//! An encrypted connection is one to whom the system's certificates vouch for.

use std::io::Read as _;
use std::net::TcpListener;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use snodo_config::model::Wire;

use crate::{KEY, ask, binding, client_with, kind, settings, words};

/// Of `localhost`, made for these tests (`openssl req -x509`), good until 2126. It protects nothing: everybody has its key.
const CERTIFICATE: &[u8] = include_bytes!("data/server.cert.der");
const ITS_KEY: &[u8] = include_bytes!("data/server.key.der");

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// Serves `connections` and gives what it could read of all of them, decrypted.
#[expect(clippy::disallowed_methods, reason = "a server of the test's own")]
fn server(connections: usize) -> (u16, std::thread::JoinHandle<Vec<u8>>) {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(ITS_KEY.to_vec()));
    let config = rustls::ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = std::thread::spawn(move || {
        let mut all = Vec::new();
        for _ in 0..connections {
            let (stream, _) = listener.accept().unwrap();
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let _ = rustls::StreamOwned::new(connection, stream).read_to_end(&mut all);
        }
        all
    });
    (port, serving)
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused_before_a_key_is_sent() {
    let (port, serving) = server(1);
    let mut binding = binding(Wire::OpenAi, format!("https://localhost:{port}/v1"));
    binding.retries = 0;
    let asked = ask(&client_with(binding, settings())).await;
    assert_eq!(kind(&asked), "unavailable", "{asked:?}");
    assert!(words(&asked).contains("certificate"), "{}", words(&asked));
    // On a machine without any certificates the client did not even connect, and the server still waits.
    drop(tokio::net::TcpStream::connect(("127.0.0.1", port)).await);
    let read = serving.join().unwrap();
    assert!(!String::from_utf8_lossy(&read).contains(KEY));
}

/// The control: the server is in order, and whoever trusts it can talk to it.
#[test]
fn the_same_server_serves_whoever_trusts_it() {
    use std::io::Write as _;

    let (port, serving) = server(1);
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from(CERTIFICATE)).unwrap();
    let config = rustls::ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    #[expect(clippy::disallowed_methods, reason = "to the test's own server")]
    let stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut stream = rustls::StreamOwned::new(connection, stream);
    stream.write_all(KEY.as_bytes()).unwrap();
    stream.conn.send_close_notify();
    stream.flush().unwrap();
    drop(stream);
    assert_eq!(serving.join().unwrap(), KEY.as_bytes());
}
