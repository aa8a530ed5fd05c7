//! The server's own list of networks: names and where each answers. No tenant can add to it, so nobody can aim a
//! channel and its token elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use channels::transport::Transport;
use domain::channels::SANDBOX;

/// Where networks answer, and how they are reached.
#[derive(Debug)]
pub struct Networks {
    /// Base URLs with the version and without a trailing slash: `https://graph.facebook.com/v23.0`.
    named: BTreeMap<String, String>,
    /// Known when its listener is bound; absent when it is switched off.
    sandbox: Option<ArcSwapOption<String>>,
    transport: Arc<dyn Transport>,
    /// For addresses that a network names.
    guarded: Option<Arc<dyn Transport>>,
}

impl Networks {
    pub fn new(named: BTreeMap<String, String>, with_sandbox: bool, transport: Arc<dyn Transport>) -> Self {
        Self { named, sandbox: with_sandbox.then(ArcSwapOption::default), transport, guarded: None }
    }

    /// With a way to addresses that a network names, such as those of its media.
    #[must_use]
    pub fn with_guarded(self, guarded: Arc<dyn Transport>) -> Self {
        Self { guarded: Some(guarded), ..self }
    }

    pub fn has_sandbox(&self) -> bool {
        self.sandbox.is_some()
    }

    /// Where the sandbox of this process, or of the server beside it, answers.
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

    pub(crate) fn guarded(&self) -> Option<Arc<dyn Transport>> {
        self.guarded.clone()
    }
}
