//! The server.

use std::io::BufReader;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::reply::Reply;
use crate::seen::{Seen, Wire};
use crate::{http, send};

type Script = dyn Fn(&Seen) -> Reply + Send + Sync;

/// A provider that runs until it is dropped.
pub struct Provider {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl Provider {
    /// Starts one on a free port of loopback. The script is called from several threads at once, one for each connection.
    pub fn start(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Shared::default());
        let accepting = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared, &(Arc::new(script) as Arc<Script>))
        });
        Self {
            address,
            shared,
            accepting: Some(accepting),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What goes into a configuration's `base_url` for that wire format.
    pub fn base_url(&self, wire: Wire) -> String {
        match wire {
            Wire::OpenAi => format!("http://{}/v1", self.address),
            Wire::Anthropic | Wire::Gemini => format!("http://{}", self.address),
        }
    }

    /// What was asked so far, in order.
    pub fn requests(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// How many bytes were sent so far.
    pub fn bytes_sent(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }

    /// How many connections were made so far.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Waits until so many requests were seen; whether they were within that time.
    pub fn wait_for(&self, requests: usize, within: Duration) -> bool {
        let until = Instant::now() + within;
        loop {
            if self.shared.seen.lock().unwrap().len() >= requests {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.shared.stop();
        // Wakes the listener.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

/// What the threads have in common.
#[derive(Default)]
pub(crate) struct Shared {
    stopped: Mutex<bool>,
    stopping: Condvar,
    /// By the number of the connection.
    open: Mutex<Vec<(usize, TcpStream)>>,
    seen: Mutex<Vec<Seen>>,
    bytes: AtomicU64,
    connections: AtomicUsize,
}

impl Shared {
    /// Waits that long. Whether the server was stopped meanwhile.
    pub(crate) fn wait(&self, long: Duration) -> bool {
        let stopped = self.stopped.lock().unwrap();
        *self
            .stopping
            .wait_timeout_while(stopped, long, |stopped| !*stopped)
            .unwrap()
            .0
    }

    /// Waits until the server is stopped.
    pub(crate) fn wait_for_ever(&self) {
        let stopped = self.stopped.lock().unwrap();
        drop(self.stopping.wait_while(stopped, |stopped| !*stopped).unwrap());
    }

    pub(crate) fn sent(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        *self.stopped.lock().unwrap()
    }

    fn stop(&self) {
        *self.stopped.lock().unwrap() = true;
        self.stopping.notify_all();
        for (_, stream) in self.open.lock().unwrap().iter() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>, script: &Arc<Script>) {
    let mut serving: Vec<JoinHandle<()>> = Vec::new();
    while let Ok((stream, _)) = listener.accept() {
        let number = shared.connections.fetch_add(1, Ordering::Relaxed);
        {
            // In one step with being stopped: a connection is either refused here or shut down there.
            let mut open = shared.open.lock().unwrap();
            if shared.is_stopped() {
                break;
            }
            open.push((number, stream.try_clone().expect("a second handle")));
        }
        serving.push(std::thread::spawn({
            let (shared, script) = (Arc::clone(shared), Arc::clone(script));
            move || serve(stream, number, &shared, &script)
        }));
    }
    for thread in serving {
        let _ = thread.join();
    }
}

fn serve(stream: TcpStream, number: usize, shared: &Shared, script: &Arc<Script>) {
    stream.set_nodelay(true).ok();
    let Ok(mut writer) = stream.try_clone() else { return };
    let mut reader = BufReader::new(stream);
    while let Some((method, target, headers, body)) = http::next(&mut reader) {
        let seen = {
            let mut all = shared.seen.lock().unwrap();
            let seen = Seen::new(all.len(), method, &target, headers, body);
            all.push(seen.clone());
            seen
        };
        // As a real one does: it knows its own path and shows a page for people on any other.
        let reply = if seen.wire.is_some() {
            script(&seen)
        } else {
            Reply::html(404)
        };
        if !matches!(send::send(&mut writer, &reply, &seen, shared), Ok(true)) {
            break;
        }
    }
    // The handle that is kept for stopping would hold the connection open.
    shared.open.lock().unwrap().retain(|(known, _)| *known != number);
}
