//! Helpers to append to the event log and to run the dispatchers.

use app::App;
use app::delivery::webhooks::{WebhookRequest, WebhookView, WhenIdle};
use domain::calls::{Call, CallDirection, CallParty, CallStatus};
use domain::delivery::events::{Event, EventType, EventTypes, Fact};
use domain::delivery::webhooks::{Delivery, Secret};
use domain::{ConversationId, DeliveryId, Id, WebhookId};
use store::delivery::webhooks::deliveries::FailedAttempt;
use testkit::World;
use testkit::world::OnWorld;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub trait Webhooks: OnWorld {
    /// Creates an endpoint for events of calls.
    async fn endpoint(self, url: String) -> (WebhookView, Secret) {
        self.endpoint_of(url, &["call.status"], |_| {}).await
    }

    async fn endpoint_of(
        self,
        url: String,
        types: &[&str],
        more: impl FnOnce(&mut WebhookRequest),
    ) -> (WebhookView, Secret) {
        let types = types.iter().map(|name| (*name).to_owned()).collect();
        let mut request = WebhookRequest { url: Some(url), types: Some(types), ..WebhookRequest::default() };
        more(&mut request);
        self.app.delivery().webhooks().create(&self.me(), &request).await.unwrap()
    }

    /// Appends one call with this id, which is one event.
    async fn append_call(self, call_id: &str) {
        self.append(vec![self.fact(call_id, None)]).await;
    }

    fn fact(self, call_id: &str, conversation_id: Option<ConversationId>) -> Fact {
        let now = self.now();
        let call = Call {
            id: Id::new(now),
            call_id: call_id.to_owned(),
            direction: CallDirection::Inbound,
            status: CallStatus::Ringing,
            from_number: "14155552671".to_owned(),
            to_number: "14155550100".to_owned(),
            started_at: now,
            answered_at: None,
            ended_at: None,
            end_reason: None,
            operator: None,
            team_name: None,
            caller: CallParty::default(),
            conversation_id,
            channel_id: None,
            channel_phone_number: None,
            talk_seconds: None,
        };
        Fact::call(now, &call)
    }

    /// Appends facts in one transaction.
    async fn append(self, facts: Vec<Fact>) {
        let write = self.app.db().write((self.tenant(), facts), |tx, (tenant, facts)| {
            Box::pin(store::delivery::events::append(tx, *tenant, facts))
        });
        write.await.unwrap();
    }

    async fn calls(self, numbers: std::ops::Range<usize>) {
        for number in numbers {
            self.append_call(&format!("call-{number}")).await;
        }
    }

    async fn number(self) {
        while self.app.delivery().events().number_log(self.tenant()).await.unwrap() {}
    }

    /// Runs the dispatchers until no more can be delivered now.
    async fn deliver(self) {
        self.deliver_with(&self.app).await;
    }

    async fn deliver_with(self, app: &App) {
        self.number().await;
        app.delivery().webhooks().refresh().await.unwrap();
        app.delivery().webhooks().renew_node_lease().await.unwrap();
        let recorder = tokio::spawn({
            let app = app.clone();
            async move { app.delivery().webhooks().run_recorder().await }
        });
        let stop = CancellationToken::new();
        let dispatchers = app.delivery().webhooks().owned().into_iter().map(|key| {
            let (app, stop) = (app.clone(), stop.clone());
            tokio::spawn(
                async move { app.delivery().webhooks().run_dispatcher(key, WhenIdle::End, stop).await.unwrap() },
            )
        });
        for dispatcher in dispatchers.collect::<Vec<_>>() {
            dispatcher.await.unwrap();
        }
        recorder.abort();
        let _ = recorder.await;
    }

    /// Starts the dispatchers and the recorder. They run until the set is dropped.
    async fn start_delivering(self) -> JoinSet<()> {
        self.number().await;
        self.app.delivery().webhooks().refresh().await.unwrap();
        self.app.delivery().webhooks().renew_node_lease().await.unwrap();
        let (mut running, app) = (JoinSet::new(), self.app.clone());
        running.spawn(async move { app.delivery().webhooks().run_recorder().await });
        for key in self.app.delivery().webhooks().owned() {
            let (app, stop) = (self.app.clone(), CancellationToken::new());
            running.spawn(async move {
                app.delivery().webhooks().run_dispatcher(key, WhenIdle::Linger, stop).await.unwrap();
            });
        }
        running
    }

    async fn log_of(self, kind: EventType) -> Vec<Event> {
        self.events(EventTypes::from_iter([kind])).await
    }

    /// The deliveries of an endpoint, the newest first.
    async fn deliveries(self, webhook: WebhookId) -> Vec<Delivery> {
        let last = Id::from_bytes([0xff; 12]);
        store::delivery::webhooks::deliveries::list(self.app.db(), self.tenant(), webhook, last, 10_000).await.unwrap()
    }

    async fn attempts(self, webhook: WebhookId, delivery: DeliveryId) -> Vec<FailedAttempt> {
        store::delivery::webhooks::deliveries::attempts(self.app.db(), self.tenant(), webhook, delivery).await.unwrap()
    }

    async fn view(self, webhook: WebhookId) -> WebhookView {
        self.app.delivery().webhooks().find(&self.me(), webhook).await.unwrap()
    }
}

impl Webhooks for &World {}
