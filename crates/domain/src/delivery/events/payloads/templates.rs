//! Templates: status, quality and category before and after a change.

use serde::Serialize;

use super::ViaChannel;
use crate::delivery::events::fact::FactScope;
use crate::delivery::events::{Fact, FactKind};
use crate::messaging::channels::Channel;
use crate::messaging::templates::{Template, TemplateStatus};
use crate::{TemplateId, Timestamp};

/// The template that changed, and a channel of its network account.
#[derive(Debug, Clone, Copy)]
pub struct TemplateSubject<'a> {
    pub template: &'a Template,
    /// A channel of the account, where it has one.
    pub channel: Option<&'a Channel>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a, T: Serialize> {
    waba_id: &'a str,
    template_name: &'a str,
    /// The id that the network gave.
    template_id: Option<&'a str>,
    /// The id that Switchboard gave.
    wati_template_id: TemplateId,
    #[serde(flatten)]
    change: T,
    #[serde(flatten)]
    via: Option<ViaChannel>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reviewed {
    old_template_status: i64,
    new_template_status: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Quality<'a> {
    old_template_quality: Option<&'a str>,
    new_template_quality: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Category<'a> {
    old_template_category: &'a str,
    new_template_category: &'a str,
}

impl Fact {
    pub fn template_reviewed(
        now: Timestamp,
        subject: TemplateSubject<'_>,
        old: TemplateStatus,
        new: TemplateStatus,
    ) -> Self {
        let change = Reviewed { old_template_status: old.code(), new_template_status: new.code() };
        template_fact(FactKind::TemplateReviewed, now, subject, change)
    }

    pub fn template_quality(now: Timestamp, subject: TemplateSubject<'_>, old: Option<&str>, new: &str) -> Self {
        let change = Quality { old_template_quality: old, new_template_quality: new };
        template_fact(FactKind::TemplateQuality, now, subject, change)
    }

    pub fn template_category(now: Timestamp, subject: TemplateSubject<'_>, old: &str, new: &str) -> Self {
        let change = Category { old_template_category: old, new_template_category: new };
        template_fact(FactKind::TemplateCategory, now, subject, change)
    }
}

fn template_fact(kind: FactKind, now: Timestamp, subject: TemplateSubject<'_>, change: impl Serialize) -> Fact {
    let scope = FactScope { channel_id: subject.channel.map(|channel| channel.id), conversation_id: None };
    Fact::new(kind, now, scope, |_| Body {
        waba_id: &subject.template.account_id,
        template_name: &subject.template.name,
        template_id: subject.template.network_id.as_deref(),
        wati_template_id: subject.template.id,
        change,
        via: subject.channel.map(ViaChannel::new),
    })
}
