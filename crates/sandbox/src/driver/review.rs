//! Template reviews on request: a verdict, a quality, another category.

use app::{Error, Result, Thing};
use domain::messaging::channels::Channel;
use domain::{ChannelId, Field, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::platform::sandbox::due::{self, Due};

use crate::core::template::{self, Template, Verdict};
use crate::notices::account::{self, template_category, template_quality, template_status};
use crate::{Change, Sandbox, schedule};

/// Accepted verdicts: the event in the webhook, and the template's new status; `None` when the status stays.
const VERDICTS: [(&str, Option<&str>); 10] = [
    ("APPROVED", Some("APPROVED")),
    ("REJECTED", Some("REJECTED")),
    ("PENDING", Some("PENDING")),
    ("PAUSED", Some("PAUSED")),
    ("DISABLED", Some("DISABLED")),
    ("REINSTATED", Some("APPROVED")),
    ("FLAGGED", None),
    ("UNFLAGGED", None),
    ("IN_APPEAL", None),
    ("PENDING_DELETION", None),
];
const QUALITIES: [&str; 4] = ["GREEN", "YELLOW", "RED", "UNKNOWN"];
const CATEGORIES: [&str; 3] = ["MARKETING", "UTILITY", "AUTHENTICATION"];

/// Request to review a template: at least one of `verdict`, `quality` and `category`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    pub name: String,
    /// Absent: the templates of this name in all languages.
    #[serde(default)]
    pub language: Option<String>,
    #[serde(default)]
    pub verdict: Option<String>,
    /// Reason of the verdict. Default: `TAG_CONTENT_MISMATCH` for `REJECTED`, else `NONE`.
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default)]
    pub quality: Option<String>,
    #[serde(default)]
    pub category: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxReviewed)]
pub struct Reviewed {
    pub templates: Vec<ReviewedTemplate>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxTemplate)]
pub struct ReviewedTemplate {
    #[schema(example = "594425479261596")]
    pub id: String,
    #[schema(example = "order_update")]
    pub name: String,
    #[schema(example = "en_US")]
    pub language: String,
    #[schema(example = "APPROVED")]
    pub status: String,
    #[schema(example = "UTILITY")]
    pub category: String,
    #[schema(example = "GREEN")]
    pub quality: String,
}

/// A review with validated values.
#[derive(Debug, Clone)]
struct Judgement {
    name: String,
    language: Option<String>,
    verdict: Option<(&'static str, Option<&'static str>)>,
    reason: String,
    quality: Option<&'static str>,
    category: Option<&'static str>,
}

impl Judgement {
    fn from_review(review: Review) -> Result<Self> {
        let upper = |text: &str| text.trim().to_uppercase().replace([' ', '-'], "_");
        let known = |field: Field, text: Option<String>, words: &[&'static str]| {
            let find = |text: String| {
                let word = words.iter().copied().find(|word| *word == upper(&text));
                word.ok_or_else(|| Error::invalid(field, format!("expected one of {}", words.join(", "))))
            };
            text.map(find).transpose()
        };
        let events = VERDICTS.map(|(event, _)| event);
        let event = known(Field::Verdict, review.verdict, &events)?;
        let verdict = event.and_then(|event| VERDICTS.into_iter().find(|(one, _)| *one == event));
        let quality = known(Field::Quality, review.quality, &QUALITIES)?;
        let category = known(Field::Category, review.category, &CATEGORIES)?;
        if verdict.is_none() && quality.is_none() && category.is_none() {
            return Err(Error::invalid(Field::Verdict, "expected a verdict, a quality or a category"));
        }
        let default_reason = if event == Some("REJECTED") { "TAG_CONTENT_MISMATCH" } else { "NONE" };
        let reason = review.reason.as_deref().map(upper).filter(|reason| !reason.is_empty());
        let reason = reason.unwrap_or_else(|| default_reason.to_owned());
        Ok(Self { name: review.name, language: review.language, verdict, reason, quality, category })
    }

    fn is_about(&self, template: &Template) -> bool {
        template.name == self.name && self.language.as_deref().is_none_or(|language| template.language == language)
    }

    /// The template after the review, and the changes to post.
    fn applied(&self, template: &Template, now: Timestamp) -> (Template, Vec<Change>) {
        let mut after = Template { updated_at: now, ..template.clone() };
        let mut changes = Vec::new();
        if let Some(category) = self.category.filter(|category| *category != template.category) {
            category.clone_into(&mut after.category);
            changes.push(template_category(named(&after), &template.category));
        }
        if let Some(quality) = self.quality.filter(|quality| *quality != template.quality) {
            quality.clone_into(&mut after.quality);
            changes.push(template_quality(named(&after), &template.quality, quality));
        }
        if let Some((event, status)) = self.verdict {
            if let Some(status) = status {
                after.verdict = Verdict { at: now, status: status.to_owned(), reason: self.reason.clone() };
            }
            changes.push(template_status(named(&after), event, &self.reason));
        }
        (after, changes)
    }
}

fn named(template: &Template) -> account::Template<'_> {
    let Template { id, name, language, category, .. } = template;
    account::Template { id, name, language, category }
}

/// An account, and its oldest channel, whose hook gets the webhooks about templates.
#[derive(Debug, Clone)]
struct Account {
    id: String,
    channel: ChannelId,
}

fn accounts(channels: &[Channel]) -> Vec<Account> {
    let mut sorted: Vec<&Channel> = channels.iter().collect();
    sorted.sort_by(|one, other| (&one.account_id, one.id).cmp(&(&other.account_id, other.id)));
    sorted.dedup_by(|one, other| one.account_id == other.account_id);
    sorted.into_iter().map(|channel| Account { id: channel.account_id.clone(), channel: channel.id }).collect()
}

struct ReviewRun {
    tenant: TenantId,
    accounts: Vec<Account>,
    judgement: Judgement,
    now: Timestamp,
    /// Prefix of the keys in `sandbox_due`, which keeps the changes in order.
    key: String,
}

#[boxed::futures]
impl Sandbox {
    pub async fn review(&self, tenant: TenantId, review: Review) -> Result<Reviewed> {
        let judgement = Judgement::from_review(review)?;
        let accounts = accounts(&self.sandbox_channels(tenant).await?);
        let run = ReviewRun { tenant, accounts, judgement, now: self.now(), key: self.due_key("review") };
        let now = run.now;
        let after = self.db().write(run, |tx, run| Box::pin(judge(tx, run))).await?;
        if after.is_empty() {
            return Err(Error::missing(Field::Name, Thing::Template));
        }
        self.wake();
        let shown = |template: Template| ReviewedTemplate {
            status: template.status(now).to_owned(),
            id: template.id,
            name: template.name,
            language: template.language,
            category: template.category,
            quality: template.quality,
        };
        Ok(Reviewed { templates: after.into_iter().map(shown).collect() })
    }
}

async fn judge(tx: &mut Tx<'_>, run: &ReviewRun) -> store::Result<Vec<Template>> {
    let mut judged = Vec::new();
    for account in &run.accounts {
        for before in template::list(tx, run.tenant, &account.id).await? {
            if run.judgement.is_about(&before) {
                judged.push(judge_one(tx, run, account, &before).await?);
            }
        }
    }
    Ok(judged)
}

async fn judge_one(tx: &mut Tx<'_>, run: &ReviewRun, account: &Account, before: &Template) -> store::Result<Template> {
    let ReviewRun { tenant, now, key, judgement, .. } = run;
    let (after, changes) = judgement.applied(before, *now);
    if after.verdict != before.verdict && *now < before.verdict.at {
        // The automatic verdict of the pending review is cancelled.
        let id = format!("template:{}:verdict", before.id);
        let due =
            Due { tenant: *tenant, channel: account.channel, at: before.verdict.at, id, tries: 0, doc: String::new() };
        due::delete(tx, &due).await?;
    }
    template::save(tx, *tenant, &after, *now).await?;
    for (index, change) in changes.iter().enumerate() {
        schedule(tx, *tenant, account.channel, *now, &format!("{key}:{index}:{}", after.id), change).await?;
    }
    Ok(after)
}
