//! The arguments that name a channel.

use clap::Args;

use crate::commands::tenant_arg::TenantArg;

#[derive(Debug, Args)]
pub struct ChannelArg {
    #[command(flatten)]
    pub tenant: TenantArg,
    #[command(flatten)]
    channel: ChannelName,
}

/// A channel, as an argument or with a flag.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct ChannelName {
    /// The channel's name, phone number or id.
    #[arg(value_name = "CHANNEL")]
    at: Option<String>,
    /// Same as the CHANNEL argument.
    #[arg(long)]
    channel: Option<String>,
}

impl ChannelArg {
    pub fn name(&self) -> &str {
        self.channel.channel.as_deref().or(self.channel.at.as_deref()).unwrap_or_default()
    }
}
