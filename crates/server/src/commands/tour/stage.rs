//! What the steps of the tour share: the client, the receiver, and what earlier steps have made.

use std::time::Duration;

use anyhow::bail;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::client::{Client, Credential, Exchange};
use super::receiver::{ReceivedPost, WebhookReceiver};
use super::text::shortened;
use super::verification::Verification;

/// How long a step waits for an effect of background work. The sandbox approves a template within two seconds, and
/// everything else takes less.
pub const WAIT_AT_MOST: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub struct LogIn {
    pub email: &'static str,
    pub password: String,
}

/// The endpoint that the tour has registered.
#[derive(Debug, Default)]
pub struct Webhook {
    pub id: String,
    pub secret: String,
}

/// What a step did, as it is shown.
#[derive(Debug, Default)]
pub struct Report {
    pub requests: Vec<Exchange>,
    pub received: Option<ReceivedPost>,
    pub verification: Option<Verification>,
}

#[derive(Debug)]
pub struct Stage {
    pub client: Client,
    pub receiver: WebhookReceiver,
    pub log_in: LogIn,
    /// The session of the account, for what an API token may not do: make tokens, and drive the sandbox.
    pub session: Credential,
    pub token: Credential,
    pub webhook: Webhook,
    /// The event that arrived.
    pub event: Option<ReceivedPost>,
    pub report: Report,
}

impl Stage {
    pub fn new(client: Client, receiver: WebhookReceiver, log_in: LogIn) -> Self {
        let (session, token, webhook) = (Credential::default(), Credential::default(), Webhook::default());
        Self { client, receiver, log_in, session, token, webhook, event: None, report: Report::default() }
    }

    /// What the step has done so far; the next step begins with an empty report.
    pub fn take_report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }

    /// Adds the exchange to the report, and returns its answer if it is a success.
    pub fn record(&mut self, exchange: Exchange) -> anyhow::Result<Value> {
        let (checked, answer) = (exchange.check(), exchange.json());
        self.report.requests.push(exchange);
        checked.map(|()| answer)
    }

    pub async fn get(&mut self, credential: &Credential, path: &str) -> anyhow::Result<Value> {
        let exchange = self.client.get(credential, path).await?;
        self.record(exchange)
    }

    pub async fn post(&mut self, credential: &Credential, path: &str, body: String) -> anyhow::Result<Value> {
        let exchange = self.client.post(credential, path, body).await?;
        self.record(exchange)
    }

    /// A request of the session, shown as this command.
    pub async fn post_as(&mut self, command: String, path: &str, body: String) -> anyhow::Result<Value> {
        let exchange = self.client.post(&self.session, path, body).await?;
        self.record(exchange.shown_as(command))
    }

    /// Repeats a GET until its answer holds what background work brings about. The exchange is not part of the
    /// report.
    pub async fn get_until(
        &self,
        credential: &Credential,
        path: &str,
        expected: &str,
        is_there: impl Fn(&Value) -> bool,
    ) -> anyhow::Result<Exchange> {
        let began = Instant::now();
        loop {
            let exchange = self.client.get(credential, path).await?;
            exchange.check()?;
            if is_there(&exchange.json()) {
                return Ok(exchange);
            }
            if began.elapsed() > WAIT_AT_MOST {
                let answer = shortened(exchange.answer());
                bail!(
                    "expected {expected} within {} seconds, but the last response was {answer}",
                    WAIT_AT_MOST.as_secs()
                );
            }
            sleep(POLL).await;
        }
    }
}
