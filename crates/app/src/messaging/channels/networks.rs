//! The server's directory of networks: names and base URLs. Only the settings add to it, so no tenant can direct a
//! channel and its token to another server.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use channels::transport::Transport;
use domain::messaging::channels::SANDBOX;

/// Base URLs of networks, and the transports to reach them.
#[derive(Debug)]
pub struct NetworkDirectory {
    /// Base URLs with the version and without a trailing slash: `https://graph.facebook.com/v23.0`.
    named: BTreeMap<String, String>,
    /// Base URL of the sandbox, set when its listener is bound; none when the sandbox is switched off.
    sandbox: Option<ArcSwapOption<String>>,
    transport: Arc<dyn Transport>,
    /// For URLs that a network or a client names: refuses private addresses.
    guarded: Option<Arc<dyn Transport>>,
}

impl NetworkDirectory {
    pub fn new(named: BTreeMap<String, String>, with_sandbox: bool, transport: Arc<dyn Transport>) -> Self {
        Self { named, sandbox: with_sandbox.then(ArcSwapOption::default), transport, guarded: None }
    }

    /// Adds a transport for URLs that a network or a client names, such as those of media. Without it no URL of a
    /// client is fetched.
    #[must_use]
    pub fn with_guarded(self, guarded: Arc<dyn Transport>) -> Self {
        Self { guarded: Some(guarded), ..self }
    }

    pub fn has_sandbox(&self) -> bool {
        self.sandbox.is_some()
    }

    /// Sets the base URL of the sandbox of this process, or of the server on the same data folder.
    pub fn set_sandbox(&self, base_url: String) {
        if let Some(sandbox) = &self.sandbox {
            sandbox.store(Some(Arc::new(base_url)));
        }
    }

    pub fn base_url(&self, network: &str) -> Option<String> {
        if network == SANDBOX {
            return self.sandbox.as_ref()?.load_full().map(|url| (*url).clone());
        }
        self.named.get(network).cloned()
    }

    pub fn knows(&self, network: &str) -> bool {
        (network == SANDBOX && self.has_sandbox()) || self.named.contains_key(network)
    }

    pub fn names(&self) -> Vec<&str> {
        self.named.keys().map(String::as_str).chain(self.has_sandbox().then_some(SANDBOX)).collect()
    }

    pub(crate) fn transport(&self) -> Arc<dyn Transport> {
        self.transport.clone()
    }

    pub fn guarded(&self) -> Option<Arc<dyn Transport>> {
        self.guarded.clone()
    }
}
