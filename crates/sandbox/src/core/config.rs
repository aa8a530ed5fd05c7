//! What an installation or a test decides for the sandbox.

use std::sync::Arc;

use channels::transport::Transport;

use crate::scenario::ScenarioName;

#[derive(Debug, Clone)]
pub struct Config {
    /// The same seed and the same requests on the same clock give the same bytes. Without one every start is different.
    pub seed: Option<u64>,
    /// What people do in a tenant for which nobody chose.
    pub scenario: ScenarioName,
    pub rates: Rates,
    /// Carries webhooks to us.
    pub hook: Arc<dyn Transport>,
    /// Webhooks go to `{hook_url}/hooks/whatsapp/{channel_id}`.
    pub hook_url: String,
    /// The `Host` that webhooks name, where it is not that of `hook_url`.
    pub hook_host: Option<String>,
    /// Follows links as a person's browser does: guarded, but our own public address is allowed.
    pub browser: Arc<dyn Transport>,
}

/// The network's limits of speed. Zero switches one off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Messages of one number in a second.
    pub throughput: u32,
    /// Messages to one person that may come at once, and after them one in so many seconds.
    pub pair_burst: u32,
    pub pair_seconds: u32,
}

impl Default for Rates {
    fn default() -> Self {
        Self { throughput: 80, pair_burst: 45, pair_seconds: 6 }
    }
}
