//! The steps of the tour. Each checks what it has seen before it succeeds.

use anyhow::{Context as _, bail, ensure};
use domain::Clock;
use serde_json::Value;
use tokio::time::timeout;

use super::client::Credential;
use super::stage::{Stage, WAIT_AT_MOST, Webhook};
use super::text::shortened;
use super::verification::Verification;

/// Ada Winter, a simulated person.
pub const PERSON: &str = "14155550132";
const TEMPLATE: &str = "order_shipped";
const BUTTON: &str = "Track it";
const ORDER: &str = "17";
const EVENT_TYPE: &str = "ctaUrlClicked_bsuid";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Token,
    Template,
    Send,
    Click,
    Event,
}

impl Step {
    pub const ALL: [Self; 5] = [Self::Token, Self::Template, Self::Send, Self::Click, Self::Event];

    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Template => "template",
            Self::Send => "send",
            Self::Click => "click",
            Self::Event => "event",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Token => "Create an API token",
            Self::Template => "Create a template and a webhook",
            Self::Send => "Send the template",
            Self::Click => "The person clicks",
            Self::Event => "Receive the event and verify it",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Self::Token => "Programs authenticate with an API token. Its value is shown only once.",
            Self::Template => {
                "A template is a message that the network reviews; the sandbox approves this one. Its button is a \
                 tracked link, and the webhook subscribes to clicks on it."
            }
            Self::Send => "Ada Winter, a simulated person in the sandbox, receives the template with her own values.",
            Self::Click => "Ada opens the link. Switchboard stores the click and redirects her to the real address.",
            Self::Event => {
                "Switchboard posts the click to the webhook. The receiver computes the HMAC-SHA-256 of webhook-id, \
                 webhook-timestamp and body, joined with dots; it must equal the text after v1, in \
                 webhook-signature."
            }
        }
    }

    pub async fn run(self, stage: &mut Stage) -> anyhow::Result<()> {
        match self {
            Self::Token => create_token(stage).await,
            Self::Template => create_template_and_webhook(stage).await,
            Self::Send => send_template(stage).await,
            Self::Click => click(stage).await,
            Self::Event => {
                receive_event(stage).await?;
                verify_signature(stage)
            }
        }
    }
}

/// A member of an answer that must be a text.
fn text(answer: &Value, pointer: &str) -> anyhow::Result<String> {
    let found = answer.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    found.with_context(|| format!("no text {pointer} in {}", shortened(&answer.to_string())))
}

async fn create_token(stage: &mut Stage) -> anyhow::Result<()> {
    let (email, password) = (stage.log_in.email, &stage.log_in.password);
    let log_in = format!(r#"{{"email": "{email}", "password": "{password}"}}"#);
    let exchange = stage.client.post(&Credential::Origin, "/console/api/session", log_in).await?;
    exchange.check()?;
    let cookie = exchange.cookie().map(str::to_owned).context("the response sets no cookie")?;
    stage.session = Credential::Session { cookie, csrf_token: text(&exchange.json(), "/csrf_token")? };
    let token = r#"{"name": "tour", "scopes": ["api"]}"#.to_owned();
    let command = format!("switchboard token create --account {email} --name tour --scope api");
    let answer = stage.post_as(command, "/console/api/tokens", token).await?;
    stage.token = Credential::Token(text(&answer, "/token")?);
    Ok(())
}

async fn create_template_and_webhook(stage: &mut Stage) -> anyhow::Result<()> {
    let (token, orders) = (stage.token.clone(), stage.receiver.orders_url());
    let template = format!(
        r#"{{"name": "{TEMPLATE}", "category": "UTILITY", "language": "en", "body": "Hi {{{{name}}}}, your order {{{{order_id}}}} is on its way.", "custom_params": [{{"name": "name", "value": "Ada"}}, {{"name": "order_id", "value": "{ORDER}"}}], "is_url_btn_click_tracking_enabled": true, "buttons": [{{"type": "url", "parameter": {{"text": "{BUTTON}", "url": "{orders}/{{{{order_id}}}}"}}}}]}}"#
    );
    let created = stage.post(&token, "/api/ext/v3/messageTemplates", template).await?;
    let path = format!("/api/ext/v3/messageTemplates/{}", text(&created, "/id")?);
    let is_approved = |template: &Value| template["status"] == "APPROVED";
    stage.get_until(&token, &path, "the status APPROVED", is_approved).await?;
    let hook = stage.receiver.hook_url();
    let webhook = format!(r#"{{"url": "{hook}", "eventTypes": ["{EVENT_TYPE}"]}}"#);
    let created = stage.post(&token, "/api/ext/v3/webhooks", webhook).await?;
    stage.webhook = Webhook { id: text(&created, "/id")?, secret: text(&created, "/secret")? };
    Ok(())
}

async fn send_template(stage: &mut Stage) -> anyhow::Result<()> {
    let broadcast = format!(
        r#"{{"template_name": "{TEMPLATE}", "broadcast_name": "Tour", "recipients": [{{"phone_number": "{PERSON}", "custom_params": [{{"name": "name", "value": "Ada"}}, {{"name": "order_id", "value": "{ORDER}"}}]}}]}}"#
    );
    let sent = stage.post(&stage.token.clone(), "/api/ext/v3/messageTemplates/send", broadcast).await?;
    ensure!(sent["success"] == true, "nothing was sent: {}", shortened(&sent.to_string()));
    let inbox = format!("/console/api/sandbox/people/{PERSON}/inbox");
    let has_button = |inbox: &Value| inbox["messages"][0]["buttons"][0]["url"].is_string();
    let exchange = stage.get_until(&stage.session, &inbox, "a message with a link", has_button).await?;
    stage.record(exchange.shown_as(format!("switchboard sandbox inbox --person {PERSON}")))?;
    Ok(())
}

async fn click(stage: &mut Stage) -> anyhow::Result<()> {
    let open = format!("/console/api/sandbox/people/{PERSON}/open");
    let command = format!("switchboard sandbox open '{BUTTON}' --person {PERSON}");
    let opened = stage.post_as(command, &open, format!(r#"{{"button": "{BUTTON}"}}"#)).await?;
    let statuses: Vec<Option<u64>> =
        opened["hops"].as_array().into_iter().flatten().map(|hop| hop["status"].as_u64()).collect();
    ensure!(
        statuses == [Some(302), Some(200)],
        "expected a redirect (302) to the order's page (200), but got {}",
        shortened(&opened["hops"].to_string())
    );
    let clicks = stage.get(&stage.token.clone(), "/api/ext/v3/clicks?class=human").await?;
    let is_tracked = clicks["clicks"][0]["template_name"] == TEMPLATE && clicks["clicks"][1].is_null();
    ensure!(is_tracked, "expected one click by a person, but got {}", shortened(&clicks.to_string()));
    Ok(())
}

async fn receive_event(stage: &mut Stage) -> anyhow::Result<()> {
    let (token, deliveries) = (stage.token.clone(), format!("/api/ext/v3/webhooks/{}/deliveries", stage.webhook.id));
    let Ok(Some(post)) = timeout(WAIT_AT_MOST, stage.receiver.next()).await else {
        let listed = stage.get(&token, &deliveries).await?;
        let (url, seconds, listed) =
            (stage.receiver.hook_url(), WAIT_AT_MOST.as_secs(), shortened(&listed.to_string()));
        bail!("nothing arrived at {url} within {seconds} seconds; the webhook's deliveries: {listed}");
    };
    let event: Value = serde_json::from_str(&post.body).unwrap_or_default();
    let id = post.header("webhook-id").to_owned();
    stage.report.received = Some(post.clone());
    let is_expected = event["eventType"] == EVENT_TYPE && event["displayText"] == BUTTON && event["waId"] == PERSON;
    ensure!(is_expected, "expected {EVENT_TYPE} for {BUTTON:?}, but received {}", shortened(&post.body));
    stage.event = Some(post);
    let is_delivered =
        |page: &Value| page["deliveries"][0]["id"] == id.as_str() && page["deliveries"][0]["state"] == "delivered";
    stage.get_until(&token, &deliveries, "the delivery to be delivered", is_delivered).await?;
    Ok(())
}

fn verify_signature(stage: &mut Stage) -> anyhow::Result<()> {
    let post = stage.event.as_ref().context("no event has arrived")?;
    let verification = Verification::new(&stage.webhook.secret, post, Clock::system().now())?;
    let verified = verification.verified;
    stage.report.verification = Some(verification);
    ensure!(verified, "the signature does not match the secret and the received bytes");
    Ok(())
}
