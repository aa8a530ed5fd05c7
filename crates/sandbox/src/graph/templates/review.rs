//! The review of a template, and a template as the network shows it.

use app::messaging::channels::OpenedChannel;
use domain::{TenantId, Timestamp};
use serde_json::{Value, json};
use store::Tx;
use store::platform::sandbox::due::{self, Due};

use crate::core::template::{self, Template, Verdict};
use crate::graph::access::Key;
use crate::graph::error::GraphResult;
use crate::notices::account::template_status;
use crate::{Sandbox, schedule};

/// Input of the transactions on templates: the channel whose hook gets the webhooks, and when the review ends.
#[derive(Debug)]
pub(super) struct TemplateReview {
    pub tenant: TenantId,
    channel: domain::ChannelId,
    pub now: Timestamp,
    verdict_at: Timestamp,
    pub strict: bool,
}

impl TemplateReview {
    /// The verdict comes 0.5 to 1.9 seconds later.
    pub fn new(sandbox: &Sandbox, opened: &OpenedChannel, id: &str) -> Self {
        let now = sandbox.now();
        let millis = sandbox.dice().between(&["time", id, &now.micros().to_string(), "verdict"], 500, 1900);
        let verdict_at = now.plus_micros(millis * 1000);
        let strict = sandbox.config().strict;
        Self { tenant: opened.tenant, channel: opened.channel.id, now, verdict_at, strict }
    }

    pub fn verdict(&self) -> Verdict {
        Verdict { at: self.verdict_at, status: template::APPROVED.to_owned(), reason: "NONE".to_owned() }
    }

    pub async fn announce(&self, tx: &mut Tx<'_>, template: &Template) -> store::Result<()> {
        let Template { id, name, language, category, verdict, .. } = template;
        let change = template_status(
            crate::notices::account::Template { id, name, language, category },
            &verdict.status,
            &verdict.reason,
        );
        schedule(tx, self.tenant, self.channel, verdict.at, &verdict_key(template), &change).await
    }

    /// Cancels the webhook of a verdict that is still pending.
    pub async fn withdraw(&self, tx: &mut Tx<'_>, template: &Template) -> store::Result<()> {
        let (at, id) = (template.verdict.at, verdict_key(template));
        let due = Due { tenant: self.tenant, channel: self.channel, at, id, tries: 0, doc: String::new() };
        if self.now < at { due::delete(tx, &due).await.map(drop) } else { Ok(()) }
    }
}

fn verdict_key(template: &Template) -> String {
    format!("template:{}:verdict", template.id)
}

/// The account's oldest channel, whose hook gets the webhooks about templates.
pub(super) async fn account(sandbox: &Sandbox, key: &Key, id: &str) -> GraphResult<OpenedChannel> {
    let channels = key.account(sandbox, id).await?;
    channels.into_iter().min_by_key(|opened| opened.channel.id).ok_or_else(|| key.no_object(id))
}

pub(super) fn template_to_json(template: &Template, now: Timestamp) -> Value {
    let status = template.status(now);
    let mut value = json!({
        "id": template.id,
        "name": template.name,
        "language": template.language,
        "category": template.category,
        "parameter_format": template.parameter_format,
        "status": status,
        "components": template.components,
        "quality_score": { "score": template.quality, "date": template.updated_at.seconds() },
    });
    if status == "REJECTED" {
        value["rejected_reason"] = json!(template.verdict.reason);
    }
    value
}
