//! An application with an event log, with helpers to append to it and to run the dispatchers.

use app::webhooks::{WebhookRequest, WebhookView, WhenIdle};
use app::{App, Command, Config};
use domain::calls::{Call, CallDirection, CallParty, CallStatus};
use domain::events::{Event, EventType, EventTypes, Fact};
use domain::keys::{Keyring, SecretKey};
use domain::scopes::Hierarchy;
use domain::webhooks::{Delivery, Secret};
use domain::{ConversationId, DeliveryId, Id, TenantId, Timestamp, WebhookId};
use store::webhooks::deliveries::FailedAttempt;
use testkit::application::TestApp;
use testkit::database::TestDb;
use tokio_util::sync::CancellationToken;

pub struct World {
    pub app: App,
    pub test: TestApp,
    pub tenant: TenantId,
    key: Keyring,
}

impl World {
    /// On a database of its own, so that endpoints of other tests play no part.
    pub async fn new(test: TestDb) -> Self {
        let key = Keyring::new(SecretKey::random(), None);
        let settings = testkit::application::edge_settings("http://localhost");
        let test = TestApp::with(TestDb::alone(test.db.engine()).await, &key, Vec::new(), settings);
        let tenant = test.tenant();
        Self { app: test.app.clone(), tenant, test, key }
    }

    /// Another node on the same database.
    pub fn another_node(&self) -> App {
        let config = Config {
            plans: testkit::application::plans(),
            hierarchy: Hierarchy::default(),
            issuers: Vec::new(),
            failed_attempts_per_minute: 1000,
            log_in: app::LogInConfig::default(),
            networks: testkit::application::networks(),
            pacing: domain::pacing::Limits::default(),
            webhooks: testkit::application::webhooks(),
            media: app::media::MediaPolicy::default(),
            quotas: domain::quotas::Quotas::default(),
            retention: domain::retention::Retention::default(),
        };
        App::new(self.test.test.another_handle(), self.test.test.clock.clone(), &self.key, config).unwrap()
    }

    pub fn me(&self) -> Command {
        Command(self.tenant)
    }

    pub fn now(&self) -> Timestamp {
        self.app.now()
    }

    pub fn advance(&self, seconds: u64) {
        self.test.test.clock.advance(std::time::Duration::from_secs(seconds));
    }

    /// Creates an endpoint for events of calls.
    pub async fn endpoint(&self, url: String) -> (WebhookView, Secret) {
        self.endpoint_of(url, &["call.status"], |_| {}).await
    }

    pub async fn endpoint_of(
        &self,
        url: String,
        types: &[&str],
        more: impl FnOnce(&mut WebhookRequest),
    ) -> (WebhookView, Secret) {
        let types = types.iter().map(|name| (*name).to_owned()).collect();
        let mut request = WebhookRequest { url: Some(url), types: Some(types), ..WebhookRequest::default() };
        more(&mut request);
        self.app.webhooks().create(&self.me(), &request).await.unwrap()
    }

    /// Appends one call with this id, which is one event.
    pub async fn call(&self, call_id: &str) {
        self.append(vec![self.fact(call_id, None)]).await;
    }

    pub fn fact(&self, call_id: &str, conversation_id: Option<ConversationId>) -> Fact {
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
    pub async fn append(&self, facts: Vec<Fact>) {
        let write = self
            .app
            .db()
            .write((self.tenant, facts), |tx, (tenant, facts)| Box::pin(store::events::append(tx, *tenant, facts)));
        write.await.unwrap();
    }

    pub async fn calls(&self, numbers: std::ops::Range<usize>) {
        for number in numbers {
            self.call(&format!("call-{number}")).await;
        }
    }

    pub async fn number(&self) {
        while self.app.events().number_log(self.tenant).await.unwrap() {}
    }

    /// Runs the dispatchers until no more can be delivered now.
    pub async fn deliver(&self) {
        self.deliver_with(&self.app).await;
    }

    pub async fn deliver_with(&self, app: &App) {
        self.number().await;
        app.webhooks().refresh().await.unwrap();
        app.webhooks().renew_node_lease().await.unwrap();
        let recorder = tokio::spawn({
            let app = app.clone();
            async move { app.webhooks().run_recorder().await }
        });
        let stop = CancellationToken::new();
        let dispatchers = app.webhooks().owned().into_iter().map(|key| {
            let (app, stop) = (app.clone(), stop.clone());
            tokio::spawn(async move { app.webhooks().run_dispatcher(key, WhenIdle::End, stop).await.unwrap() })
        });
        for dispatcher in dispatchers.collect::<Vec<_>>() {
            dispatcher.await.unwrap();
        }
        recorder.abort();
        let _ = recorder.await;
    }

    pub async fn log(&self) -> Vec<Event> {
        self.number().await;
        self.app.events().pull(&self.me(), 0, EventTypes::all(), 1_000_000).await.unwrap().events
    }

    pub async fn log_of(&self, kind: EventType) -> Vec<Event> {
        self.log().await.into_iter().filter(|event| event.kind == kind).collect()
    }

    /// The deliveries of an endpoint, the newest first.
    pub async fn deliveries(&self, webhook: WebhookId) -> Vec<Delivery> {
        let last = Id::from_bytes([0xff; 12]);
        store::webhooks::deliveries::list(self.app.db(), self.tenant, webhook, last, 10_000).await.unwrap()
    }

    pub async fn attempts(&self, webhook: WebhookId, delivery: DeliveryId) -> Vec<FailedAttempt> {
        store::webhooks::deliveries::attempts(self.app.db(), self.tenant, webhook, delivery).await.unwrap()
    }

    pub async fn view(&self, webhook: WebhookId) -> WebhookView {
        self.app.webhooks().find(&self.me(), webhook).await.unwrap()
    }
}
