//! `switchboard channel list` and `show`, and the JSON of a channel.

use domain::messaging::channels::{Channel, ChannelProblem, Quality};
use domain::{ChannelId, Timestamp};
use serde::Serialize;

use super::args::ChannelArg;
use super::open::opened;
use crate::commands::Context;
use crate::commands::tenant_arg::TenantArg;
use crate::output::Table;

pub const JSON: &str = "\
With --json: an array of {\"id\", \"name\", \"phone_number\", \"phone_number_id\", \"account_id\", \"network\", \"is_default\",
\"enabled\", \"quality\", \"problem\", \"hook_url\", \"created_at\", \"updated_at\"}; quality is null or {\"event\", \"limit\",
\"at\"}, as the network last reported it; problem is null or {\"message\", \"code\", \"since\"}, the reason the \
network does not serve the number.";

/// A channel without its secrets.
#[derive(Serialize)]
pub struct ChannelView<'a> {
    pub id: ChannelId,
    pub name: &'a str,
    pub phone_number: &'a str,
    phone_number_id: &'a str,
    account_id: &'a str,
    network: &'a str,
    is_default: bool,
    enabled: bool,
    quality: Option<QualityView<'a>>,
    problem: Option<ProblemView<'a>>,
    /// URL that the network posts to.
    pub hook_url: String,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    updated_at: Timestamp,
}

#[derive(Serialize)]
struct QualityView<'a> {
    event: &'a str,
    limit: Option<&'a str>,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    at: Timestamp,
}

#[derive(Serialize)]
struct ProblemView<'a> {
    message: &'a str,
    code: Option<i64>,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    since: Timestamp,
}

impl<'a> ChannelView<'a> {
    pub fn new(channel: &'a Channel, public_url: &str) -> Self {
        Self {
            id: channel.id,
            name: &channel.name,
            phone_number: &channel.phone_number,
            phone_number_id: &channel.phone_number_id,
            account_id: &channel.account_id,
            network: &channel.network,
            is_default: channel.is_default,
            enabled: channel.enabled,
            quality: channel.quality.as_ref().map(QualityView::new),
            problem: channel.problem.as_ref().map(ProblemView::new),
            hook_url: format!("{public_url}/hooks/whatsapp/{}", channel.id),
            created_at: channel.created_at,
            updated_at: channel.updated_at,
        }
    }
}

impl<'a> QualityView<'a> {
    fn new(quality: &'a Quality) -> Self {
        Self { event: &quality.event, limit: quality.limit.as_deref(), at: quality.at }
    }
}

impl<'a> ProblemView<'a> {
    fn new(problem: &'a ChannelProblem) -> Self {
        Self { message: &problem.message, code: problem.code, since: problem.since }
    }
}

pub async fn run(context: &Context, tenant: &TenantArg) -> anyhow::Result<()> {
    let (app, public_url) = opened(context).await?;
    let channels = app.messaging().channels().list(&tenant.caller(&app).await?).await?;
    let views: Vec<ChannelView<'_>> = channels.iter().map(|channel| ChannelView::new(channel, &public_url)).collect();
    Ok(context.output.print(&views, || table(&views))?)
}

pub async fn show(context: &Context, which: &ChannelArg) -> anyhow::Result<()> {
    let (app, public_url) = opened(context).await?;
    let channel = app.messaging().channels().find(&which.tenant.caller(&app).await?, which.name()).await?;
    let view = ChannelView::new(&channel, &public_url);
    Ok(context.output.print(&view, || table(std::slice::from_ref(&view)))?)
}

fn state(channel: &ChannelView<'_>) -> String {
    match &channel.problem {
        Some(problem) => problem.message.to_owned(),
        None if channel.enabled => "enabled".to_owned(),
        None => "disabled".to_owned(),
    }
}

fn table(channels: &[ChannelView<'_>]) -> String {
    let mut table = Table::new(&["id", "name", "number", "network", "default", "state", "quality", "callback URL"]);
    for channel in channels {
        table.row([
            channel.id.to_string(),
            channel.name.to_owned(),
            channel.phone_number.to_owned(),
            channel.network.to_owned(),
            if channel.is_default { "yes".to_owned() } else { String::new() },
            state(channel),
            channel.quality.as_ref().map(|quality| quality.event.to_owned()).unwrap_or_default(),
            channel.hook_url.clone(),
        ]);
    }
    table.to_text()
}
