//! What the network thinks of a template, before and after.

use serde::Serialize;

use super::Over;
use crate::channels::Channel;
use crate::events::fact::Place;
use crate::events::{Fact, Kind};
use crate::templates::{Status, Template};
use crate::{TemplateId, Timestamp};

/// Of which template something is told, and over which channel's account.
#[derive(Debug, Clone, Copy)]
pub struct TemplateTold<'a> {
    pub template: &'a Template,
    /// A channel of the account, where it has one.
    pub channel: Option<&'a Channel>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a, T: Serialize> {
    waba_id: &'a str,
    template_name: &'a str,
    /// The network's.
    template_id: Option<&'a str>,
    /// Ours.
    wati_template_id: TemplateId,
    #[serde(flatten)]
    change: T,
    #[serde(flatten)]
    over: Option<Over>,
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
    pub fn template_reviewed(now: Timestamp, told: TemplateTold<'_>, old: Status, new: Status) -> Self {
        let change = Reviewed { old_template_status: old.code(), new_template_status: new.code() };
        of_template(Kind::TemplateReviewed, now, told, change)
    }

    pub fn template_quality(now: Timestamp, told: TemplateTold<'_>, old: Option<&str>, new: &str) -> Self {
        let change = Quality { old_template_quality: old, new_template_quality: new };
        of_template(Kind::TemplateQuality, now, told, change)
    }

    pub fn template_category(now: Timestamp, told: TemplateTold<'_>, old: &str, new: &str) -> Self {
        let change = Category { old_template_category: old, new_template_category: new };
        of_template(Kind::TemplateCategory, now, told, change)
    }
}

fn of_template(kind: Kind, now: Timestamp, told: TemplateTold<'_>, change: impl Serialize) -> Fact {
    let place = Place { channel_id: told.channel.map(|channel| channel.id), conversation_id: None };
    Fact::new(kind, now, place, true, |_| Body {
        waba_id: &told.template.account_id,
        template_name: &told.template.name,
        template_id: told.template.network_id.as_deref(),
        wati_template_id: told.template.id,
        change,
        over: told.channel.map(Over::of),
    })
}
