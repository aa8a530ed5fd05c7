//! `switchboard trigger`: makes an event happen. Where the sandbox can cause it, simulated people act, and everything
//! that follows runs as in production; otherwise a sample is appended to the event log, where `listen`, streams and
//! webhooks find it. With `--webhook`, a webhook gets a test event, which is not written to the event log.

use std::time::Duration;

use anyhow::bail;
use app::App;
use app::delivery::events::RealChannels;
use app::messaging::conversations::SeveralOpen;
use app::messaging::messages::{SessionBody, SessionSend};
use axum::http::Method;
use domain::delivery::events::{EventType, FactKind};
use domain::messaging::messages::MessageSource;
use domain::{Place, TenantId, WebhookId};
use serde_json::{Value, json};

use super::Context;
use super::sandbox::{SandboxTenant, only_tenant, segment};
use crate::output::visible;

pub const HELP: &str = "\
Examples:
  switchboard trigger message
  switchboard trigger call.status --person ada.winter
  switchboard trigger paymentCaptured
  switchboard trigger paymentCaptured --webhook 69eb4e9a1f0c2d3e4a5b6c7d

With --json: {\"type\", \"how\", \"done\"}; how is sandbox, sample or test, and done lists the steps taken.";

/// How long a step waits for the effect of the one before it. The sandbox reports within a second.
const WAIT_AT_MOST: Duration = Duration::from_secs(15);
const POLL: Duration = Duration::from_millis(250);
/// The network's error code for a message that cannot be delivered.
const UNDELIVERABLE: i64 = 131_026;

#[derive(Debug, clap::Args)]
pub struct Trigger {
    /// The event type, such as message or call.status.
    #[arg(value_name = "EVENT_TYPE")]
    kind: String,
    /// The tenant's id; optional if there is only one tenant.
    #[arg(long, value_name = "ID")]
    tenant: Option<TenantId>,
    /// The sandbox person who acts; default: the first. A sample is about a made-up person.
    #[arg(long, conflicts_with = "webhook")]
    person: Option<String>,
    /// Deliver a test event to this webhook only, instead of causing the event.
    #[arg(long, value_name = "WEBHOOK_ID")]
    webhook: Option<WebhookId>,
    /// Append a sample event even if the tenant has a channel of a real network: its webhooks receive the sample like a
    /// real event.
    #[arg(long, conflicts_with = "webhook")]
    yes: bool,
}

/// What the command does in the sandbox to cause an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Write,
    WriteAsNewPerson,
    Call,
    /// A person writes, and the business answers.
    Answer,
    /// The same, and the person replies to the answer.
    AnswerAndReply,
    /// A person writes, and the network refuses the answer of the business.
    AnswerInVain,
}

impl Act {
    fn causing(kind: EventType) -> Option<Self> {
        let fact = FactKind::ALL.iter().copied().find(|fact| fact.event_types().contains(&kind))?;
        match fact {
            FactKind::Received => Some(Self::Write),
            FactKind::NewContact => Some(Self::WriteAsNewPerson),
            FactKind::Call => Some(Self::Call),
            // Delivered and read follow from template messages too, but a tenant may have no template.
            FactKind::SessionSent | FactKind::Delivered | FactKind::Read => Some(Self::Answer),
            FactKind::Replied => Some(Self::AnswerAndReply),
            FactKind::SessionFailed => Some(Self::AnswerInVain),
            _ => None,
        }
    }
}

/// The tenant whose sandbox the command drives, and what it has done so far.
struct Stage<'a> {
    context: &'a Context,
    app: App,
    tenant: TenantId,
    done: Vec<String>,
}

impl Trigger {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let kind =
            EventType::named(&self.kind).map_err(|error| app::Error::invalid(Place::named("EVENT_TYPE"), error))?;
        let app = context.app().await?;
        let tenant = match self.tenant {
            Some(tenant) => app.identity().tenants().find(tenant).await?.id,
            None => only_tenant(&app).await?,
        };
        let mut stage = Stage { context, app, tenant, done: Vec::new() };
        let how = match (self.webhook, Act::causing(kind)) {
            (None, Some(act)) => {
                stage.perform(act, self.person.as_deref()).await?;
                "sandbox"
            }
            (None, None) => {
                let real = if self.yes { RealChannels::Accept } else { RealChannels::Refuse };
                stage.append_sample(kind, real).await?;
                "sample"
            }
            (Some(webhook), _) => {
                stage.post_test(kind, webhook).await?;
                "test"
            }
        };
        let result = json!({"type": kind.name(), "how": how, "done": stage.done});
        Ok(context.output.print(&result, || stage.done.join("\n"))?)
    }
}

impl Stage<'_> {
    async fn perform(&mut self, act: Act, person: Option<&str>) -> anyhow::Result<()> {
        if act == Act::WriteAsNewPerson {
            let name = format!("Visitor {}", self.app.now().seconds());
            self.ask(Method::POST, "people", Some(&json!({"name": name}))).await?;
            return self.write(&name, None).await;
        }
        let person = self.person(person).await?;
        match act {
            Act::Call => {
                self.drive(&person, "call", &json!({"seconds": 1})).await?;
                self.done.push(format!("{} calls the business for a second", visible(&person)));
                Ok(())
            }
            Act::Answer | Act::AnswerAndReply => {
                let known = self.newest_message(&person).await?;
                self.write(&person, None).await?;
                self.answer(&person).await?;
                if act == Act::AnswerAndReply {
                    let answer = self.wait_for_message(&person, known.as_deref()).await?;
                    self.write(&person, Some(&answer)).await?;
                }
                Ok(())
            }
            Act::AnswerInVain => {
                self.write(&person, None).await?;
                let fault = json!({"kind": "refuse", "code": UNDELIVERABLE, "person": person});
                self.ask(Method::POST, "faults", Some(&fault)).await?;
                self.answer(&person).await?;
                self.done.push(format!("the network refuses the answer to {}", visible(&person)));
                Ok(())
            }
            Act::Write | Act::WriteAsNewPerson => self.write(&person, None).await,
        }
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> anyhow::Result<Value> {
        SandboxTenant::new(self.tenant).ask(self.context, method, path, body).await
    }

    async fn drive(&self, person: &str, what: &str, body: &Value) -> anyhow::Result<Value> {
        self.ask(Method::POST, &format!("people/{}/{what}", segment(person)), Some(body)).await
    }

    /// The person who acts: `asked` as it is, else the BSUID of the tenant's first person.
    async fn person(&self, asked: Option<&str>) -> anyhow::Result<String> {
        if let Some(asked) = asked {
            return Ok(asked.to_owned());
        }
        let people = self.ask(Method::GET, "people", None).await?;
        match people["people"][0]["bsuid"].as_str() {
            Some(bsuid) => Ok(bsuid.to_owned()),
            None => bail!("the sandbox has no people"),
        }
    }

    async fn write(&mut self, person: &str, reply_to: Option<&str>) -> anyhow::Result<()> {
        let mut body = json!({"text": "Hello! (sent by switchboard trigger)"});
        if let Some(message) = reply_to {
            body["reply_to"] = message.into();
        }
        self.drive(person, "say", &body).await?;
        let what = if reply_to.is_some() { "replies to the answer" } else { "writes to the business" };
        self.done.push(format!("{} {what}", visible(person)));
        Ok(())
    }

    /// Sends an answer of the business. Tries again for up to 15 seconds, because the person's message, which opens the
    /// window, may not have arrived yet.
    async fn answer(&mut self, person: &str) -> anyhow::Result<()> {
        let target = self.target(person).await?;
        let began = tokio::time::Instant::now();
        loop {
            let send = SessionSend {
                target: target.clone(),
                several: SeveralOpen::TakeLatest,
                channel: None,
                body: SessionBody::text("How can we help? (sent by switchboard trigger)"),
                reply_to: None,
                local_id: None,
                is_bot: false,
                source: MessageSource::Api,
                dry_run: false,
            };
            match self.app.messaging().messages().send(&app::Command(self.tenant), send).await {
                Ok(_) => break,
                Err(error) if began.elapsed() > WAIT_AT_MOST => return Err(error.into()),
                Err(_) => tokio::time::sleep(POLL).await,
            }
        }
        self.done.push(format!("the business answers {}", visible(person)));
        Ok(())
    }

    /// The BSUID of a person who is named by BSUID, name, username or phone number.
    async fn target(&self, person: &str) -> anyhow::Result<String> {
        let people = self.ask(Method::GET, "people", None).await?;
        let digits: String = person.chars().filter(char::is_ascii_digit).collect();
        let is_named = |one: &&Value| {
            let member = |name: &str| one[name].as_str().unwrap_or_default();
            member("bsuid") == person
                || member("name").eq_ignore_ascii_case(person)
                || member("username").eq_ignore_ascii_case(person.trim_start_matches('@'))
                || (!digits.is_empty() && member("phone") == digits)
        };
        let found = people["people"].as_array().into_iter().flatten().find(is_named);
        let bsuid = found.and_then(|one| one["bsuid"].as_str()).map(str::to_owned);
        bsuid.ok_or_else(|| app::Error::NotFound(app::Thing::Person).into())
    }

    async fn newest_message(&self, person: &str) -> anyhow::Result<Option<String>> {
        let inbox = self.ask(Method::GET, &format!("people/{}/inbox", segment(person)), None).await?;
        let newest = inbox["messages"].as_array().and_then(|all| all.last());
        Ok(newest.and_then(|message| message["id"].as_str()).map(str::to_owned))
    }

    async fn wait_for_message(&self, person: &str, known: Option<&str>) -> anyhow::Result<String> {
        let began = tokio::time::Instant::now();
        loop {
            let newest = self.newest_message(person).await?;
            match newest.filter(|id| Some(id.as_str()) != known) {
                Some(id) => return Ok(id),
                None if began.elapsed() > WAIT_AT_MOST => {
                    bail!("the reply did not arrive in time: is the server running?")
                }
                None => tokio::time::sleep(POLL).await,
            }
        }
    }

    async fn append_sample(&mut self, kind: EventType, real: RealChannels) -> anyhow::Result<()> {
        self.app.delivery().events().append_sample(&app::Command(self.tenant), kind, real).await?;
        self.done.push(format!("a sample event {kind} was appended to the event log"));
        Ok(())
    }

    async fn post_test(&mut self, kind: EventType, id: WebhookId) -> anyhow::Result<()> {
        let (me, webhooks) = (app::Command(self.tenant), self.app.delivery().webhooks());
        let tested = webhooks.test(&me, id, Some(kind.name())).await?;
        let outcome = match (&tested.error, tested.status) {
            (Some(error), _) => format!("failed: {}", visible(error)),
            (None, Some(status)) => format!("answered {status}"),
            (None, None) => "delivered".to_owned(),
        };
        self.done
            .push(format!("a test event {kind} (delivery {}) went to webhook {id}: {outcome}", tested.delivery_id));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_causes_what_people_and_answers_cause() {
        for (kind, act) in [
            (EventType::Message, Some(Act::Write)),
            (EventType::MessageBsuid, Some(Act::Write)),
            (EventType::NewContactMessageReceived, Some(Act::WriteAsNewPerson)),
            (EventType::CallStatus, Some(Act::Call)),
            (EventType::SessionMessageSentV2, Some(Act::Answer)),
            (EventType::SentMessageDelivered, Some(Act::Answer)),
            (EventType::SentMessageReplied, Some(Act::AnswerAndReply)),
            (EventType::SessionMessageFailed, Some(Act::AnswerInVain)),
            (EventType::PaymentCaptured, None),
            (EventType::WebhookDefective, None),
        ] {
            assert_eq!(Act::causing(kind), act, "{kind}");
        }
    }
}
