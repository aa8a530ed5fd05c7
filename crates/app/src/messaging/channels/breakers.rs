//! What this process keeps about the channels that it uses.

use std::sync::Arc;

use channels::graph::Breaker;
use domain::{ChannelId, TenantId, Timestamp};

use crate::base::cache::Cache;

/// One breaker for each channel in use: the network may fail for one channel only.
pub(crate) type Breakers = Cache<ChannelId, Arc<Breaker>>;

/// The network's id of the app that a channel's access token belongs to. New secrets change `updated_at` of the
/// channel, so the network is asked again for a new token.
pub(crate) type AppIds = Cache<(ChannelId, Timestamp), String>;

/// The tenants of channels that the network posts to. A channel never changes its tenant.
pub(crate) type ChannelTenants = Cache<ChannelId, TenantId>;
