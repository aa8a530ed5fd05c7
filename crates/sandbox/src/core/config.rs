//! Configuration of the sandbox by the installation or a test.

use std::sync::Arc;

use channels::transport::Transport;

use crate::scenario::ScenarioName;

#[derive(Debug, Clone)]
pub struct Config {
    /// The same seed, requests and clock give the same bytes. Without a seed every start differs.
    pub seed: Option<u64>,
    /// Scenario of tenants that have not chosen one.
    pub scenario: ScenarioName,
    pub rates: Rates,
    /// Refuses what the network refuses and a lenient double would let pass: samples that are no handles, files that
    /// the network would have forgotten.
    pub strict: bool,
    /// Transport that posts webhooks.
    pub hook: Arc<dyn Transport>,
    /// Webhooks go to `{hook_url}/hooks/whatsapp/{channel_id}`.
    pub hook_url: String,
    /// `Host` header of webhooks, if it differs from `hook_url`'s.
    pub hook_host: Option<String>,
    /// All webhooks go to this URL instead: that of a program that is tested against the sandbox.
    pub other_hook_url: Option<String>,
    /// Transport for links that people open: behind the address guard, with the server's own public address permitted.
    pub browser: Arc<dyn Transport>,
}

/// The network's rate limits. Zero disables a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Messages per second and number.
    pub throughput: u32,
    /// Burst of messages to one person; after it, one per `pair_seconds`.
    pub pair_burst: u32,
    pub pair_seconds: u32,
}

impl Default for Rates {
    fn default() -> Self {
        Self { throughput: 80, pair_burst: 45, pair_seconds: 6 }
    }
}
