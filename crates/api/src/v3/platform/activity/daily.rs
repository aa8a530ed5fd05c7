//! `GET /api/ext/v3/activity/daily`: messages, deliveries, failures, clicks and first responses by day and channel.

use std::collections::BTreeMap;

use domain::ChannelId;
use domain::platform::activity::{ActivityCount, ActivityMetric};

use crate::input::span;
use crate::prelude::*;

members! {
    pub(crate) query DailyActivityQuery from Query {
        /// First day, in UTC. Defaults to 29 days before the last day.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        date_from: Option<Moment> = moment["date_from", "dateFrom", "start_date"](),
        /// Last day, in UTC, inclusive. Defaults to today.
        #[param(value_type = Option<String>, example = "2026-04-30")]
        date_to: Option<Moment> = moment["date_to", "dateTo", "end_date"](),
    }
}

/// Activity on one channel on one day. Days without activity are omitted.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct DayOfActivity {
    /// The day, in UTC.
    #[schema(format = "date", example = "2026-04-24")]
    date: String,
    /// Absent for activity not tied to a channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    channel_id: Option<ChannelId>,
    /// Messages received from people.
    #[schema(example = 120)]
    received: i64,
    /// Messages accepted by the network, including templates.
    #[schema(example = 95)]
    sent: i64,
    #[schema(example = 40)]
    templates_sent: i64,
    /// Messages reported as delivered on this day, regardless of when they were sent.
    #[schema(example = 90)]
    delivered: i64,
    #[schema(example = 71)]
    read: i64,
    #[schema(example = 2)]
    failed: i64,
    /// Links that people opened for the first time, counted once per message.
    #[schema(example = 12)]
    clicked: i64,
    /// First responses by operators to people who were waiting.
    #[schema(example = 30)]
    first_responses: i64,
    /// Total number of seconds these people waited. Divide by `first_responses` to get the average.
    #[schema(example = 5400)]
    first_response_seconds: i64,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DailyActivity)]
pub(crate) struct DailyActivityAnswer {
    #[schema(format = "date", example = "2026-04-01")]
    date_from: String,
    #[schema(format = "date", example = "2026-04-30")]
    date_to: String,
    /// Sorted by day, then by channel.
    days: Vec<DayOfActivity>,
}

impl DayOfActivity {
    fn set(&mut self, metric: ActivityMetric, amount: i64) {
        let member = match metric {
            ActivityMetric::Received => &mut self.received,
            ActivityMetric::Sent => &mut self.sent,
            ActivityMetric::TemplatesSent => &mut self.templates_sent,
            ActivityMetric::Delivered => &mut self.delivered,
            ActivityMetric::Read => &mut self.read,
            ActivityMetric::Failed => &mut self.failed,
            ActivityMetric::Clicked => &mut self.clicked,
            ActivityMetric::FirstResponses => &mut self.first_responses,
            ActivityMetric::FirstResponseSeconds => &mut self.first_response_seconds,
        };
        *member = amount;
    }
}

/// Get daily activity
///
/// Returns whole UTC days: at most 366, and the last 30 by default. Counts are updated within seconds of an event. A
/// first response is the first message that an operator writes in the console after the person's message; bots and
/// programs do not count.
#[described::path(
    get,
    path = "/api/ext/v3/activity/daily",
    params(DailyActivityQuery),
    responses((status = 200, description = "The activity.", body = DailyActivityAnswer)),
)]
pub(crate) async fn get_daily_activity(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<DailyActivityQuery>,
) -> ApiResult<Json<DailyActivityAnswer>> {
    let (from, to) = span(["date_from", "date_to"], asked.date_from, asked.date_to)?;
    let found = state.app.platform().activity().daily(&caller, from, to).await?;
    let mut days: BTreeMap<(i64, Option<ChannelId>), DayOfActivity> = BTreeMap::new();
    for ActivityCount { day, channel, metric, amount } in found.counts {
        let new = || DayOfActivity { date: date(day), channel_id: channel, ..DayOfActivity::default() };
        days.entry((day, channel)).or_insert_with(new).set(metric, amount);
    }
    let (first, last) = found.days;
    Ok(Json(DailyActivityAnswer { date_from: date(first), date_to: date(last), days: days.into_values().collect() }))
}

fn date(day: i64) -> String {
    let start = Timestamp::from_seconds(day * 86_400);
    start.to_zoneless().split('T').next().unwrap_or_default().to_owned()
}
