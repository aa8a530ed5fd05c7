//! The nodes of an installation: killed and restarted while clients use the others.

use std::sync::{Arc, Mutex};

use crate::home::Home;
use crate::server::Server;

/// No pacing, which would slow the story, and a short time limit of requests: the idempotency key of a killed node is
/// free half a minute after that limit.
const SETTINGS: [(&str, &str); 4] = [
    ("SWITCHBOARD_SANDBOX_LIMITS", "false"),
    ("SWITCHBOARD_SENDING_MESSAGES_PER_SECOND", "0"),
    ("SWITCHBOARD_SENDING_PAIR_BURST", "0"),
    ("SWITCHBOARD_SERVER_REQUEST_TIMEOUT_SECONDS", "3"),
];

pub struct Nodes {
    home: Arc<Home>,
    settings: &'static [(&'static str, &'static str)],
    servers: Mutex<Vec<Server>>,
    /// URL of each node since its last start.
    urls: Mutex<Vec<String>>,
}

impl Nodes {
    /// Starts one node; returns the token of the first start.
    pub async fn first(home: Arc<Home>) -> (Self, String) {
        Self::first_with(home, &SETTINGS).await
    }

    /// The same with these settings.
    pub async fn first_with(home: Arc<Home>, settings: &'static [(&'static str, &'static str)]) -> (Self, String) {
        let nodes = Self { home, settings, servers: Mutex::default(), urls: Mutex::default() };
        nodes.add().await;
        let token = nodes.servers.lock().unwrap()[0].token();
        (nodes, token)
    }

    pub async fn add(&self) {
        let server = self.started().await;
        self.urls.lock().unwrap().push(server.url(""));
        self.servers.lock().unwrap().push(server);
    }

    /// Starts a server on a thread of its own, so that clients can use the other nodes meanwhile.
    async fn started(&self) -> Server {
        let (home, settings) = (self.home.clone(), self.settings);
        tokio::task::spawn_blocking(move || Server::start_with(&home, settings)).await.unwrap()
    }

    /// URL of the node number `turn`, counted round and round, alive or not.
    pub fn url(&self, turn: usize, path: &str) -> String {
        let urls = self.urls.lock().unwrap();
        format!("{}{path}", urls[turn % urls.len()])
    }

    /// Kills a node with SIGKILL.
    pub fn kill(&self, place: usize) {
        let killed = self.servers.lock().unwrap().remove(place);
        killed.kill_9();
    }

    /// Removes a killed node from the URLs that clients use.
    pub fn forget(&self, place: usize) {
        self.urls.lock().unwrap().remove(place);
    }

    /// Starts a new node in place of a killed one.
    pub async fn replace(&self, place: usize) {
        let server = self.started().await;
        self.urls.lock().unwrap()[place] = server.url("");
        self.servers.lock().unwrap().insert(place, server);
    }

    /// Stops all nodes; returns their logs.
    pub fn terminate(self) -> Vec<String> {
        let servers = self.servers.into_inner().unwrap();
        servers.iter().for_each(Server::send_sigterm);
        servers
            .into_iter()
            .map(|server| {
                let (status, log) = server.wait();
                assert!(status.success(), "{log}");
                log
            })
            .collect()
    }
}
