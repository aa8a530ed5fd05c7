//! Templates of an account: made, listed, changed and taken away, with a review that ends by itself.

mod buttons;
mod check;
mod list;

pub use list::list;

use app::channels::OpenedChannel;
use domain::{TenantId, Timestamp};
use http::Method;
use serde_json::{Value, json};
use store::Tx;
use store::sandbox::due::{self, Due};
use store::sandbox::records::{self, Kind};

use super::access::Key;
use super::answer;
use super::call::Call;
use super::error::{GraphError, Outcome, Refusal};
use super::parts::Part;
use crate::core::records::parsed;
use crate::core::template::{self as stored, Template, Verdict};
use crate::notices::account::{self as notices, template_status};
use crate::{Reply, Sandbox, schedule};
use check::Wanted;

/// Where a template's news are posted, and when its review ends.
#[derive(Debug)]
struct Desk {
    tenant: TenantId,
    channel: domain::ChannelId,
    now: Timestamp,
    verdict_at: Timestamp,
}

impl Desk {
    /// The verdict comes within two seconds.
    fn new(sandbox: &Sandbox, opened: &OpenedChannel, id: &str) -> Self {
        let now = sandbox.now();
        let millis = sandbox.dice().between(&["time", id, &now.micros().to_string(), "verdict"], 500, 1900);
        let verdict_at = Timestamp::from_micros(now.micros().saturating_add(millis * 1000));
        Self { tenant: opened.tenant, channel: opened.channel.id, now, verdict_at }
    }

    fn verdict(&self) -> Verdict {
        Verdict { at: self.verdict_at, status: stored::APPROVED.to_owned(), reason: "NONE".to_owned() }
    }

    async fn announce(&self, tx: &mut Tx<'_>, template: &Template) -> store::Result<()> {
        let Template { id, name, language, category, verdict, .. } = template;
        let change =
            template_status(notices::Template { id, name, language, category }, &verdict.status, &verdict.reason);
        schedule(tx, self.tenant, self.channel, verdict.at, &verdict_key(template), &change).await
    }

    /// A review that was not over yet does not end.
    async fn withdraw(&self, tx: &mut Tx<'_>, template: &Template) -> store::Result<()> {
        let (at, id) = (template.verdict.at, verdict_key(template));
        let due = Due { tenant: self.tenant, channel: self.channel, at, id, tries: 0, doc: String::new() };
        if self.now < at { due::delete(tx, &due).await.map(drop) } else { Ok(()) }
    }
}

fn verdict_key(template: &Template) -> String {
    format!("template:{}:verdict", template.id)
}

/// The account's first channel carries its news.
async fn account(sandbox: &Sandbox, key: &Key, id: &str) -> Outcome<OpenedChannel> {
    let channels = key.account(sandbox, id).await?;
    channels.into_iter().min_by_key(|opened| opened.channel.id).ok_or_else(|| key.no_object(id))
}

pub async fn create(sandbox: &Sandbox, key: &Key, call: Call, account_id: &str) -> Outcome<Reply> {
    let opened = account(sandbox, key, account_id).await?;
    let body = call.json().await?;
    let wanted = Wanted::of(&Part::root(&body)?)?;
    let id = sandbox.ids().template();
    let desk = Desk::new(sandbox, &opened, &id);
    let template = Template {
        id,
        account_id: account_id.to_owned(),
        name: wanted.name,
        language: wanted.language,
        category: wanted.category,
        parameter_format: wanted.parameter_format,
        components: wanted.components,
        verdict: desk.verdict(),
        quality: "UNKNOWN".to_owned(),
        created_at: desk.now,
        updated_at: desk.now,
    };
    let answer = json!({ "id": template.id, "status": stored::PENDING, "category": template.category });
    let write = sandbox.db().write((desk, template), |tx, (desk, template)| {
        Box::pin(async move {
            if !stored::insert(tx, desk.tenant, template, desk.now).await? {
                return Err(exists(&template.language).into());
            }
            Ok(desk.announce(tx, template).await?)
        })
    });
    let written: Outcome<()> = write.await;
    written?;
    sandbox.wake();
    Ok(answer::ok(&answer))
}

fn exists(language: &str) -> GraphError {
    let text =
        format!("There is already {language} content for this template. You can create a new template and try again.");
    GraphError::parameter("Invalid parameter").subcode(2_388_024).user("Content in this language already exists", text)
}

/// A template by its id, with the channel that may speak for it.
async fn known(sandbox: &Sandbox, key: &Key, id: &str) -> Outcome<Option<(OpenedChannel, Template)>> {
    let mut refusal = None;
    for (tenant, record) in records::owners(sandbox.db(), Kind::Template, id).await? {
        let Some(template) = parsed::<Template>(&record) else { continue };
        match account(sandbox, key, &template.account_id).await {
            Ok(opened) if opened.tenant == tenant => return Ok(Some((opened, template))),
            Ok(_) => {}
            Err(Refusal::Graph(error)) => refusal = Some(Refusal::Graph(error)),
            Err(error) => return Err(error),
        }
    }
    refusal.map_or(Ok(None), Err)
}

/// None when there is no such template.
pub async fn describe(sandbox: &Sandbox, key: &Key, id: &str) -> Outcome<Option<Value>> {
    Ok(known(sandbox, key, id).await?.map(|(_, template)| shown(&template, sandbox.now())))
}

fn shown(template: &Template, now: Timestamp) -> Value {
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

/// New components and, unless it is approved, a new category. The review begins anew.
pub async fn edit(sandbox: &Sandbox, key: &Key, call: Call, id: &str) -> Outcome<Reply> {
    key.token()?;
    let Some((opened, template)) = known(sandbox, key, id).await? else { return Err(key.no_object(id)) };
    let body = call.json().await?;
    let wanted = Wanted::changed(&Part::root(&body)?, &template)?;
    let desk = Desk::new(sandbox, &opened, id);
    let input = (desk, template.id, wanted);
    let write = sandbox.db().write(input, |tx, (desk, id, wanted)| {
        Box::pin(async move {
            let Some(template) = stored::by_id(tx, desk.tenant, id).await? else {
                return Err(GraphError::no_object(&Method::POST, id).into());
            };
            editable(&template, wanted, desk.now)?;
            let template = Template {
                category: wanted.category.clone(),
                components: wanted.components.clone(),
                verdict: desk.verdict(),
                updated_at: desk.now,
                ..template
            };
            stored::put(tx, desk.tenant, &template, desk.now).await?;
            Ok(desk.announce(tx, &template).await?)
        })
    });
    let written: Outcome<()> = write.await;
    written?;
    sandbox.wake();
    Ok(answer::success())
}

fn editable(template: &Template, wanted: &Wanted, now: Timestamp) -> Result<(), GraphError> {
    let status = template.status(now);
    if !["APPROVED", "REJECTED", "PAUSED"].contains(&status) {
        let text = format!("A template that is {status} cannot be edited.");
        return Err(GraphError::parameter("Invalid parameter")
            .subcode(2_388_003)
            .user("Template cannot be edited", text));
    }
    if status == "APPROVED" && template.category != wanted.category {
        return Err(GraphError::parameter("The category of an approved template cannot be changed"));
    }
    Ok(())
}

/// By name in all languages, or one by its id.
pub async fn delete(sandbox: &Sandbox, key: &Key, call: &Call, account_id: &str) -> Outcome<Reply> {
    let opened = account(sandbox, key, account_id).await?;
    let (name, id) = (call.query.get("name").cloned(), call.query.get("hsm_id").cloned());
    if name.is_none() && id.is_none() {
        return Err(GraphError::parameter("The parameter name is required.").into());
    }
    let desk = Desk::new(sandbox, &opened, account_id);
    let input = (desk, account_id.to_owned(), name, id);
    let write = sandbox.db().write(input, |tx, (desk, account_id, name, id)| {
        Box::pin(async move {
            let mut doomed = stored::list(tx, desk.tenant, account_id).await?;
            let fits = |wanted: &Option<String>, has: &str| wanted.as_deref().is_none_or(|wanted| wanted == has);
            doomed.retain(|template| fits(name, &template.name) && fits(id, &template.id));
            if doomed.is_empty() {
                return Err(not_found().into());
            }
            for template in &doomed {
                desk.withdraw(tx, template).await?;
                stored::delete(tx, desk.tenant, template).await?;
            }
            Ok(())
        })
    });
    let written: Outcome<()> = write.await;
    written.map(|()| answer::success())
}

fn not_found() -> GraphError {
    let text = "The message template could not be found.";
    GraphError::parameter("Invalid parameter").subcode(2_593_002).user("Message template not found", text)
}
