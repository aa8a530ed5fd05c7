//! A new template: checked, stored as a draft, submitted. Whoever dies in between leaves a draft, which the same request
//! or a look at the network's list takes up again.

use channels::graph::{Class, Graph, GraphError, TemplateMade};
use domain::channels::{Channel, SANDBOX};
use domain::templates::{Checked, Flaw, NewTemplate, Status, Template};
use domain::{Id, TemplateId, TenantId, Timestamp};
use store::Tx;

use super::submit::submission;
use super::{NO_TEMPLATE, OURS, Templates, sync, told};
use crate::idempotency::{self, IdempotencyScope};
use crate::{ActsFor, Cause, Error, Result};

/// What somebody who makes a template says.
#[derive(Debug, Clone, Default)]
pub struct NewTemplateInput {
    /// By id, name or number; without it the default channel.
    pub channel: Option<String>,
    pub template: NewTemplate,
    /// Where people find this server: tracked links lead there.
    pub public_url: Option<String>,
}

/// The network's words for a name that is taken.
const EXISTS: i32 = 2_388_024;

/// How a request finds its draft.
#[derive(Debug)]
enum Begun {
    Fresh(Template),
    /// A draft of the same: perhaps the network has it already.
    Again(Template),
    /// Submitted before, under the same idempotency key.
    Done(Template),
}

impl Templates<'_> {
    /// Answers the template as it stands at the network: most often under review.
    pub async fn create(&self, caller: &impl ActsFor, input: NewTemplateInput) -> Result<Template> {
        let tenant = caller.tenant();
        let channel = self.channel(caller, input.channel.as_deref()).await?;
        let tracked_url = tracked_url(&channel, input.public_url.as_deref());
        let checked = input.template.checked(tracked_url.as_deref()).map_err(refused)?;
        let opened = self.0.channels().opened(tenant, channel.id).await?;
        let graph = self.0.channels().graph(&opened)?;
        let draft = draft(&channel, checked, self.0.now());
        let (draft, again) = match self.begin(tenant, draft, caller.idempotency_scope()).await? {
            Begun::Fresh(draft) => (draft, false),
            Begun::Again(draft) => (draft, true),
            Begun::Done(template) => return Ok(template),
        };
        let made = match graph.create_template(&submission(&draft)).await {
            Ok(made) => made,
            Err(error) if again && error.subcode == Some(EXISTS) => found(&graph, &draft).await?,
            Err(error) => return Err(self.given_up(tenant, &draft, again, &error).await?),
        };
        self.submitted(tenant, draft.id, made).await
    }

    async fn begin(&self, tenant: TenantId, draft: Template, scope: Option<&IdempotencyScope>) -> Result<Begun> {
        let input = (tenant, draft, scope.cloned());
        let write =
            self.0.db().write(input, |tx, (tenant, draft, scope)| Box::pin(begin(tx, *tenant, draft, scope.as_ref())));
        write.await
    }

    /// The network did not take it. A draft stays only where the network might have it all the same.
    async fn given_up(&self, tenant: TenantId, draft: &Template, again: bool, error: &GraphError) -> Result<Error> {
        if error.class == Class::Unknown {
            let message = format!("{error}; it is kept as a draft: ask again for the same, or bring the list in line");
            return Ok(Error::refused(Cause::NetworkUnavailable, "template", message));
        }
        if !again || error.class == Class::Refuse {
            let write = self.0.db().write((tenant, draft.id), |tx, (tenant, id)| {
                Box::pin(async move {
                    let known = store::templates::for_update(tx, *tenant, *id).await?;
                    // What the network has told about meanwhile is there.
                    if known.is_some_and(|known| known.network_id.is_none()) {
                        store::templates::remove(tx, *tenant, *id).await?;
                    }
                    Ok::<_, store::Error>(())
                })
            });
            write.await?;
        }
        Ok(said(error))
    }

    async fn submitted(&self, tenant: TenantId, id: TemplateId, made: TemplateMade) -> Result<Template> {
        let input = (tenant, id, made, self.0.now().to_millis());
        let write = self.0.db().write(input, |tx, (tenant, id, made, now)| {
            Box::pin(async move {
                let known = store::templates::for_update(tx, *tenant, *id).await?.ok_or(NO_TEMPLATE)?;
                let mut template = known.clone();
                template.network_id = Some(made.id.clone());
                // A verdict may have come before the answer.
                if template.status == Status::Draft {
                    let status = made.status.as_deref().and_then(Status::of_network);
                    template.status = status.unwrap_or(Status::Pending);
                }
                let category = made.category.as_deref().and_then(|category| category.parse().ok());
                template.category = category.unwrap_or(template.category);
                template.updated_at = *now;
                store::templates::update(tx, *tenant, &template).await?;
                told::changed(tx, *tenant, None, &[(known, template.clone())], *now).await?;
                Ok(template)
            })
        });
        write.await
    }
}

/// The network may answer without a word about who may see what; a name of this machine leads nobody back.
fn tracked_url(channel: &Channel, public_url: Option<&str>) -> Option<String> {
    let url = public_url?.trim_end_matches('/');
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let local = ["localhost", "127.", "[::1]", "0.0.0.0"].iter().any(|name| host.starts_with(name));
    (channel.network == SANDBOX || !local).then(|| format!("{url}/c/{{{{1}}}}"))
}

pub(super) fn refused(flaw: Flaw) -> Error {
    Error::invalid(flaw.path, flaw.message)
}

/// In the network's own words.
pub(super) fn said(error: &GraphError) -> Error {
    match error.class {
        Class::Refuse if error.subcode == Some(EXISTS) => {
            Error::conflict("name", "the network has a template with this name in this language already")
        }
        Class::Refuse => Error::refused(Cause::NetworkRefused, "template", format!("the network refused it: {error}")),
        _ => Error::refused(Cause::NetworkUnavailable, "template", error),
    }
}

fn draft(channel: &Channel, checked: Checked, now: Timestamp) -> Template {
    let now = now.to_millis();
    Template {
        id: Id::new(now),
        account_id: channel.account_id.clone(),
        channel_id: channel.id,
        name: checked.name,
        language: checked.language,
        category: checked.category,
        status: Status::Draft,
        quality: None,
        reason: None,
        network_id: None,
        content: checked.content,
        origin: OURS.to_owned(),
        created_at: now,
        updated_at: now,
        reported_at: Timestamp::from_micros(0),
        deleted_at: None,
    }
}

async fn begin(tx: &mut Tx<'_>, tenant: TenantId, draft: &Template, scope: Option<&IdempotencyScope>) -> Result<Begun> {
    if let Some(known) = bound(tx, tenant, scope).await? {
        return Ok(if known.network_id.is_some() { Begun::Done(known) } else { Begun::Again(known) });
    }
    let all = store::templates::by_name(tx, tenant, &draft.account_id, &draft.name).await?;
    let begun = match all.into_iter().find(|one| one.language == draft.language) {
        None => {
            if !store::templates::insert(tx, tenant, draft).await? {
                return Err(store::Error::TryAgain("another request was faster".to_owned()).into());
            }
            Begun::Fresh(draft.clone())
        }
        Some(known) if is_same_draft(&known, draft) => Begun::Again(known),
        Some(known) if known.network_id.is_none() => {
            return Err(Error::conflict("name", "there is a draft with this name in this language; delete it first"));
        }
        Some(_) => return Err(Error::conflict("name", "there is a template with this name in this language already")),
    };
    if let (Some(scope), Begun::Fresh(template) | Begun::Again(template)) = (scope, &begun) {
        idempotency::save_outcome(tx, scope, &template.id.to_string()).await?;
    }
    Ok(begun)
}

/// What the same request did before it was cut short.
async fn bound(tx: &mut Tx<'_>, tenant: TenantId, scope: Option<&IdempotencyScope>) -> Result<Option<Template>> {
    let Some(scope) = scope else { return Ok(None) };
    let Some(outcome) = idempotency::saved_outcome(tx, scope).await? else { return Ok(None) };
    let Ok(id) = outcome.parse::<TemplateId>() else { return Ok(None) };
    Ok(store::templates::by_id(tx, tenant, id).await?)
}

fn is_same_draft(known: &Template, draft: &Template) -> bool {
    known.network_id.is_none() && known.content == draft.content && known.category == draft.category
}

/// The network took it before: under which id?
async fn found(graph: &Graph, draft: &Template) -> Result<TemplateMade> {
    let rows = sync::listed(graph).await?;
    let row = rows.into_iter().find(|row| row.name == draft.name && row.language == draft.language);
    let row = row.ok_or_else(|| {
        Error::refused(Cause::NetworkRefused, "template", "the network says it is there, and does not list it")
    })?;
    Ok(TemplateMade { id: row.id, status: Some(row.status), category: row.category })
}
