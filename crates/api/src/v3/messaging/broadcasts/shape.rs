//! The wire shapes of broadcasts in V3.

use app::messaging::broadcasts::{BroadcastDetails, BroadcastView, RecipientCounts};
use domain::messaging::broadcasts::RecipientStatus;
use domain::{BroadcastId, ChannelId, TemplateId};

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Broadcast)]
pub(crate) struct BroadcastShape {
    id: BroadcastId,
    #[schema(example = "Spring sale")]
    name: String,
    template_id: TemplateId,
    #[schema(example = "spring_offer")]
    template_name: String,
    channel_id: ChannelId,
    /// Absent if the channel was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Support", nullable = false)]
    channel_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155550100", nullable = false)]
    channel_phone_number: Option<String>,
    /// The account that sent the broadcast, from the console or with its token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "grace@example.com", nullable = false)]
    created_by: Option<String>,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    /// The scheduled time, if any.
    #[serde(serialize_with = "as_optional_rfc3339", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    scheduled_at: Option<Timestamp>,
    /// When the broadcast was canceled.
    #[serde(serialize_with = "as_optional_rfc3339", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    stopped_at: Option<Timestamp>,
    /// `scheduled`, `sending`, `sent`, `canceled` or `failed`.
    #[schema(example = "sent")]
    status: &'static str,
    /// When the broadcast itself last changed: when it was created, became due or was canceled.
    #[serde(serialize_with = "as_rfc3339")]
    last_updated: Timestamp,
    /// Templates sent in place of the first one. Always empty: Switchboard does not support them.
    #[schema(value_type = Vec<String>)]
    fallback_templates: [&'static str; 0],
    /// Recipient counts. In lists, only present with `include_statistics`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    statistics: Option<BroadcastStatistics>,
}

/// A broadcast with its recipient counts.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BroadcastWithStatistics)]
pub(crate) struct BroadcastWithStatistics {
    #[serde(flatten)]
    broadcast: BroadcastShape,
    statistics: BroadcastStatistics,
}

/// The counts at one moment. From `total_sent` on, a message counts towards its own status and every earlier one, so
/// `total_sent` ≥ `total_delivered` ≥ `total_read` ≥ `total_replied`. A message that failed after it was sent counts as
/// both.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the wire has them")]
pub(crate) struct BroadcastStatistics {
    total_recipients: i64,
    /// Scheduled for later.
    total_pending: i64,
    /// Due and waiting to be sent.
    total_queued: i64,
    /// Accepted by the network but without a status yet.
    total_sending: i64,
    /// The network may have accepted the message, but its response was lost. A status from the network resolves it; the
    /// message is never sent again.
    total_unknown: i64,
    total_sent: i64,
    total_delivered: i64,
    total_read: i64,
    total_replied: i64,
    /// Opened a link in the message; see `GET /clicks?broadcast=`.
    total_clicked: i64,
    /// Refused by Switchboard or the network, or expired.
    total_failed: i64,
    /// Stopped by a cancellation.
    total_stopped: i64,
}

impl From<BroadcastView> for BroadcastShape {
    fn from(view: BroadcastView) -> Self {
        let BroadcastView { broadcast, status, last_updated, channel } = view;
        let (channel_name, channel_phone_number) = channel.map(|one| (one.name, one.phone_number)).unzip();
        Self {
            id: broadcast.id,
            name: broadcast.name,
            template_id: broadcast.template_id,
            template_name: broadcast.template_name,
            channel_id: broadcast.channel_id,
            channel_name,
            channel_phone_number,
            created_by: broadcast.operator.and_then(|operator| operator.email),
            created: broadcast.created_at,
            scheduled_at: broadcast.scheduled_at,
            stopped_at: broadcast.stopped_at,
            status: status.name(),
            last_updated,
            fallback_templates: [],
            statistics: None,
        }
    }
}

impl From<BroadcastDetails> for BroadcastWithStatistics {
    fn from(details: BroadcastDetails) -> Self {
        let BroadcastDetails { view, statistics, clicked } = details;
        Self { broadcast: view.into(), statistics: RecipientCounts { statistics, clicked }.into() }
    }
}

impl BroadcastShape {
    pub fn with_statistics(self, counts: Option<&RecipientCounts>) -> Self {
        Self { statistics: counts.map(|counts| (*counts).into()), ..self }
    }
}

impl From<RecipientCounts> for BroadcastStatistics {
    fn from(counts: RecipientCounts) -> Self {
        let RecipientCounts { statistics, clicked } = counts;
        let of = |status| statistics.get(status);
        Self {
            total_recipients: statistics.total(),
            total_pending: of(RecipientStatus::Pending),
            total_queued: of(RecipientStatus::Queued),
            total_sending: of(RecipientStatus::Sending),
            total_unknown: of(RecipientStatus::Unknown),
            total_sent: of(RecipientStatus::Sent),
            total_delivered: of(RecipientStatus::Delivered),
            total_read: of(RecipientStatus::Read),
            total_replied: of(RecipientStatus::Replied),
            total_clicked: clicked,
            total_failed: of(RecipientStatus::Failed),
            total_stopped: of(RecipientStatus::Stopped),
        }
    }
}
