//! Configuration of the sandbox by the installation or a test.

use std::sync::Arc;

use channels::transport::Transport;

use super::scenario_name::ScenarioName;

#[derive(Debug, Clone)]
pub struct Config {
    /// The same seed, requests and clock give the same answers and webhooks. Without a seed every start differs.
    pub seed: Option<u64>,
    /// Scenario of tenants that have not chosen one.
    pub scenario: ScenarioName,
    pub rates: Rates,
    /// Whether well-formed requests are refused as the real network refuses them, for example with a sample that is no
    /// upload handle, or a file that is older than the network keeps it.
    pub strict: bool,
    /// Transport that posts webhooks.
    pub hook: Arc<dyn Transport>,
    /// Webhooks go to `{hook_url}/hooks/whatsapp/{channel_id}`.
    pub hook_url: String,
    /// `Host` header of webhooks, if it differs from `hook_url`'s.
    pub hook_host: Option<String>,
    /// If set, all webhooks go to this URL instead of `hook_url`: that of a program that is tested against the sandbox.
    pub other_hook_url: Option<String>,
    /// Transport for links that simulated people open: behind the address guard, which also permits the server's own
    /// public address. The sandbox takes a connection of the person's tenant for each request.
    pub browser: Arc<dyn Transport>,
}

/// The network's rate limits. Zero disables a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Messages per second of one business number.
    pub throughput: u32,
    /// Burst of messages from one business number to one person; after it, one per `pair_seconds`.
    pub pair_burst: u32,
    pub pair_seconds: u32,
}

impl Default for Rates {
    fn default() -> Self {
        Self { throughput: 80, pair_burst: 45, pair_seconds: 6 }
    }
}
