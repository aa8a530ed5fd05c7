//! Daily activity: every event is counted once, and only an operator's message in the console is a first response.

use app::platform::activity::{ActivityRow, ActivitySearch};
use domain::delivery::consumers::ConsumerGroup;
use domain::delivery::events::{Fact, FactCause, FactKind};
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::{Message, MessageDirection, MessageOperator, MessageSource, MessageState};
use domain::platform::activity::ActivityMetric;
use domain::{Id, MessageId, Timestamp};
use serde_json::json;
use testkit::World;
use testkit::world::OnWorld;

use crate::conversations::world::{ADA, Talks as _, message};

fn fact(kind: FactKind, of: &Conversation, at: Timestamp, body: &serde_json::Value) -> Fact {
    Fact {
        id: Id::first_of(at, 4),
        kind,
        event_count: u32::try_from(kind.event_types().len()).unwrap(),
        at,
        channel_id: Some(of.channel_id),
        conversation_id: Some(of.id),
        contact_id: Some(of.contact_id),
        cause: FactCause::System,
        depth: 0,
        body: body.to_string(),
    }
}

pub trait Acting: OnWorld {
    async fn happened(self, kind: FactKind, of: &Conversation, at: Timestamp, body: serde_json::Value) {
        let input = (self.tenant(), fact(kind, of, at, &body));
        let write = self.test.db.write(input, |tx, (tenant, fact)| {
            Box::pin(store::delivery::events::append(tx, *tenant, std::slice::from_ref(fact)))
        });
        write.await.unwrap();
    }

    /// Stores a message of the business that the network accepted, with its fact.
    async fn answered(self, of: &Conversation, at: Timestamp, source: MessageSource, is_bot: bool) {
        let message = Message {
            operator: Some(MessageOperator { email: Some("grace@example.com".to_owned()), source, is_bot }),
            ..message(of, MessageDirection::Outbound, MessageState::Submitted, at)
        };
        let id: MessageId = message.id;
        let write = self.test.db.write((self.tenant(), message), |tx, (tenant, message)| {
            Box::pin(store::messaging::messages::insert(tx, *tenant, message))
        });
        assert!(write.await.unwrap());
        self.happened(FactKind::SessionSent, of, at, json!({"id": id})).await;
    }

    /// The rows behind a number, read page by page.
    async fn rows(self, measure: ActivityMetric, from: Timestamp, limit: usize) -> Vec<ActivityRow> {
        let mut search = ActivitySearch { measure, from: Some(from), to: None, channel: None, cursor: None, limit };
        let mut rows = Vec::new();
        loop {
            let page = self.app.platform().activity().rows(&self.me(), &search).await.unwrap();
            assert!(page.rows.len() <= limit && page.kept_since.is_none());
            rows.extend(page.rows);
            search.cursor = page.next_cursor;
            if search.cursor.is_none() {
                return rows;
            }
        }
    }

    async fn count(self) -> Vec<(i64, ActivityMetric, i64)> {
        self.app.delivery().events().number().await.unwrap();
        for _ in 0..2 {
            self.app.delivery().consumers().process_behind(ConsumerGroup::Projections).await.unwrap();
        }
        let from = Some(self.now().plus_seconds(-10 * 86_400));
        let found = self.app.platform().activity().daily(&self.me(), from, None).await.unwrap();
        let first = found.counts.first().map_or(0, |one| one.day);
        found.counts.into_iter().map(|one| (one.day - first, one.metric, one.amount)).collect()
    }
}

impl Acting for &World {}

testkit::both_databases! {
    async fn every_event_is_counted_once_by_day(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        let one = world.said(&support, &ada, "hi").await;
        let start = world.now();
        let at = |seconds: i64| start.plus_seconds(seconds - 5 * 86_400);
        for (kind, seconds) in [
            (FactKind::Received, 0),
            (FactKind::Received, 5),
            (FactKind::TemplateSent, 6),
            (FactKind::Delivered, 7),
            (FactKind::Read, 8),
            (FactKind::TemplateFailed, 9),
            (FactKind::SessionFailed, 9),
            (FactKind::Clicked, 10),
            (FactKind::Received, 86_400),
        ] {
            world.happened(kind, &one, at(seconds), json!({})).await;
        }
        let mut first = world.count().await;
        first.sort_unstable_by_key(|(day, metric, _)| (*day, metric.name()));
        let expected = [
            (0, ActivityMetric::Clicked, 1),
            (0, ActivityMetric::Delivered, 1),
            (0, ActivityMetric::Failed, 2),
            (0, ActivityMetric::Read, 1),
            (0, ActivityMetric::Received, 2),
            (0, ActivityMetric::Sent, 1),
            (0, ActivityMetric::TemplatesSent, 1),
            (1, ActivityMetric::Received, 1),
        ];
        assert_eq!(first, expected);
        for (metric, amount) in [
            (ActivityMetric::Received, 3),
            (ActivityMetric::Sent, 1),
            (ActivityMetric::TemplatesSent, 1),
            (ActivityMetric::Failed, 2),
            (ActivityMetric::Clicked, 1),
            (ActivityMetric::FirstResponses, 0),
        ] {
            for limit in [1, 100] {
                let rows = world.rows(metric, at(0), limit).await;
                assert_eq!(rows.len(), amount, "{metric}");
                assert!(rows.is_sorted_by(|newer, older| newer.at >= older.at), "{metric}");
                let of_ada = |row: &ActivityRow| row.contact_id == Some(ada.id) && row.contact.name == "Ada";
                assert!(rows.iter().all(|row| of_ada(row) && row.conversation_id == Some(one.id)), "{rows:?}");
            }
        }
        assert_eq!(world.rows(ActivityMetric::Received, at(86_400), 100).await.len(), 1);
        let other = app::Command(world.test.new_tenant("unlimited").await);
        assert!(world.app.platform().activity().daily(&other, None, None).await.unwrap().counts.is_empty());
        let long = world.app.platform().activity().daily(&world.me(), Some(at(-400 * 86_400)), None).await.unwrap_err();
        assert!(matches!(&long, app::Error::Invalid { place, .. } if place.to_string() == "date_from"), "{long}");
    }

    async fn a_first_response_is_what_an_operator_writes_in_the_console(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        let one = world.said(&support, &ada, "hi").await;
        let start = world.now();
        let at = |seconds: i64| start.plus_seconds(seconds - 3600);
        world.happened(FactKind::Received, &one, at(0), json!({})).await;
        world.happened(FactKind::Received, &one, at(20), json!({})).await;
        world.answered(&one, at(30), MessageSource::Api, false).await;
        world.answered(&one, at(40), MessageSource::Web, true).await;
        world.answered(&one, at(60), MessageSource::Web, false).await;
        world.answered(&one, at(90), MessageSource::Web, false).await;
        // Solving the conversation ends the wait without a response.
        world.happened(FactKind::Received, &one, at(100), json!({})).await;
        world.happened(FactKind::InboxChanged, &one, at(110), json!({"what": "conversation", "status": "solved"})).await;
        world.happened(FactKind::Received, &one, at(200), json!({})).await;
        world.answered(&one, at(230), MessageSource::Web, false).await;
        let counted = world.count().await;
        let of = |wanted: ActivityMetric| -> i64 {
            counted.iter().filter(|(_, metric, _)| *metric == wanted).map(|(_, _, amount)| amount).sum()
        };
        assert_eq!(of(ActivityMetric::FirstResponses), 2, "{counted:?}");
        assert_eq!(of(ActivityMetric::FirstResponseSeconds), 60 + 30, "{counted:?}");
        assert_eq!(of(ActivityMetric::Sent), 5, "{counted:?}");
        for limit in [1, 100] {
            let rows = world.rows(ActivityMetric::FirstResponses, at(0), limit).await;
            let waited: Vec<_> = rows.iter().map(|row| (row.at, row.seconds, row.contact.name.as_str())).collect();
            assert_eq!(waited, [(at(230), Some(30), "Ada"), (at(60), Some(60), "Ada")]);
        }
    }
}
