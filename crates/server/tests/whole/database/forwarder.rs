//! An address in front of database servers that can be pointed to another one, or fall silent: what a virtual address
//! or a proxy does in a fail-over, and a network that drops packets.

use std::net::Ipv4Addr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub struct Forwarder {
    pub port: u16,
    state: watch::Sender<State>,
}

#[derive(Debug, Clone, Copy)]
struct State {
    /// The port that connections go to; none: they are closed.
    target: Option<u16>,
    /// Whether bytes are held back.
    is_silent: bool,
}

impl Forwarder {
    pub async fn to(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let own = listener.local_addr().unwrap().port();
        let state = watch::Sender::new(State { target: Some(port), is_silent: false });
        tokio::spawn(accept(listener, state.subscribe()));
        Self { port: own, state }
    }

    /// Closes all connections, and new ones too.
    pub fn cut(&self) {
        self.state.send_modify(|state| state.target = None);
    }

    pub fn point_to(&self, port: u16) {
        self.state.send_modify(|state| state.target = Some(port));
    }

    /// Holds all bytes back, or lets them through again.
    pub fn silence(&self, is_silent: bool) {
        self.state.send_modify(|state| state.is_silent = is_silent);
    }
}

/// Ends with the forwarder.
async fn accept(listener: TcpListener, mut state: watch::Receiver<State>) {
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (client, _) = accepted.unwrap();
                let mine = state.borrow().target;
                if let Some(port) = mine {
                    tokio::spawn(forward(client, port, state.clone()));
                }
            }
            changed = async { while state.changed().await.is_ok() {} } => return changed,
        }
    }
}

async fn forward(client: TcpStream, port: u16, mut state: watch::Receiver<State>) {
    let is_over = state.clone();
    let work = async {
        if state.wait_for(|state| !state.is_silent).await.is_err() {
            return;
        }
        let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await else { return };
        let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
        tokio::select! {
            () = pump(from_client, to_server, state.clone()) => {}
            () = pump(from_server, to_client, state.clone()) => {}
        }
    };
    let mut is_over = is_over;
    tokio::select! {
        () = work => {}
        _ = is_over.wait_for(|state| state.target != Some(port)) => {}
    }
}

/// Copies until either side closes.
async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut state: watch::Receiver<State>) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else { return };
        if state.wait_for(|state| !state.is_silent).await.is_err() || to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
