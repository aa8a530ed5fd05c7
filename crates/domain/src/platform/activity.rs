//! Daily activity: what charts show of a tenant, counted from the event log by day and channel.

use crate::base::named::named;
use crate::delivery::events::FactKind;
use crate::{ChannelId, Timestamp};

named! {
    /// What is counted. The names are stored.
    ActivityMetric {
        Received => "received",
        Sent => "sent",
        TemplatesSent => "templates_sent",
        Delivered => "delivered",
        Read => "read",
        Failed => "failed",
        Clicked => "clicked",
        FirstResponses => "first_responses",
        FirstResponseSeconds => "first_response_seconds",
    }
}

impl ActivityMetric {
    /// The metrics to which a fact of this kind adds 1. First responses are not among them: each follows from two
    /// facts.
    pub const fn counted_by(kind: FactKind) -> &'static [Self] {
        match kind {
            FactKind::Received => &[Self::Received],
            FactKind::SessionSent => &[Self::Sent],
            FactKind::TemplateSent => &[Self::Sent, Self::TemplatesSent],
            FactKind::Delivered => &[Self::Delivered],
            FactKind::Read => &[Self::Read],
            FactKind::SessionFailed | FactKind::TemplateFailed => &[Self::Failed],
            FactKind::Clicked => &[Self::Clicked],
            _ => &[],
        }
    }
}

/// The day of a time, in UTC: days since 1970.
pub fn day(at: Timestamp) -> i64 {
    at.seconds().div_euclid(86_400)
}

/// An amount of a metric on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityCount {
    pub day: i64,
    /// None: the counted facts name no channel.
    pub channel: Option<ChannelId>,
    pub metric: ActivityMetric,
    pub amount: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_sent_and_counted_as_a_template() {
        assert_eq!(
            ActivityMetric::counted_by(FactKind::TemplateSent),
            [ActivityMetric::Sent, ActivityMetric::TemplatesSent]
        );
        assert_eq!(ActivityMetric::counted_by(FactKind::TemplateFailed), [ActivityMetric::Failed]);
        assert!(ActivityMetric::counted_by(FactKind::InboxChanged).is_empty());
    }

    #[test]
    fn days_begin_at_midnight_in_utc() {
        for (seconds, expected) in [(0, 0), (86_399, 0), (86_400, 1), (-1, -1)] {
            assert_eq!(day(Timestamp::from_seconds(seconds)), expected);
        }
    }
}
