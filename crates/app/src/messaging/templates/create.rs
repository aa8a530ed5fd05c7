//! Creates a template: checks it, stores a draft, uploads the samples of its files, and submits it to the network.
//!
//! If a sample cannot be fetched or uploaded, the request fails and the draft is removed, since nothing was submitted.
//! The draft is committed before the request to the network, because the network may accept a template and its answer
//! may be lost. After a crash the draft stays; the same request, or a synchronization with the network's list,
//! completes it.

use channels::graph::{Class, CreatedTemplate, Graph, GraphError};
use domain::base::quotas::{Quota, Quotas};
use domain::messaging::channels::{Channel, SANDBOX};
use domain::messaging::templates::{CheckedTemplate, NewTemplate, Template, TemplateStatus};
use domain::{Field, Id, TemplateId, TenantId, Timestamp};
use store::Tx;

use super::emit::record_and_emit_changes;
use super::errors::{NAME_EXISTS, invalid_template, network_error};
use super::network_list::fetch_all;
use super::samples::{UPLOADING_SAMPLE, needs_upload};
use super::submit::submission;
use super::{NO_TEMPLATE, ORIGIN_API, Templates};
use crate::base::idempotency::{self, IdempotencyScope};
use crate::base::quotas;
use crate::{ActsFor, Cause, Error, Result};

#[derive(Debug, Clone, Default)]
pub struct TemplateCreation {
    /// Id, name or number of a channel; the default channel if absent.
    pub channel: Option<String>,
    pub template: NewTemplate,
    /// Base URL of this server for tracked links.
    pub public_url: Option<String>,
}

/// The draft that a request submits.
#[derive(Debug)]
enum Draft {
    New(Template),
    /// An earlier draft with the same content or of the same idempotency key. The network may already have the
    /// template.
    Resumed(Template),
    /// An earlier request with the same idempotency key already submitted the template.
    Submitted(Template),
}

#[boxed::futures]
impl Templates<'_> {
    /// Creates a template and submits it. Returns it with the network's first verdict, mostly `PENDING`.
    pub async fn create(&self, caller: &dyn ActsFor, input: TemplateCreation) -> Result<Template> {
        let tenant = caller.tenant();
        let channel = self.channel(caller, input.channel.as_deref()).await?;
        let tracked_url = tracked_url(&channel, input.public_url.as_deref());
        let checked = input.template.checked(tracked_url.as_deref()).map_err(invalid_template)?;
        let opened = self.0.channels().open(tenant, channel.id).await?;
        let graph = self.0.channels().graph(&opened)?;
        let draft = draft(&channel, checked, self.0.now());
        let (draft, resumed) = match self.begin(tenant, draft, caller.idempotency_scope()).await? {
            Draft::New(draft) => (draft, false),
            Draft::Resumed(draft) => (draft, true),
            Draft::Submitted(template) => return Ok(template),
        };
        // A draft that was still uploading its samples was not submitted.
        let may_be_there = resumed && draft.reason.as_deref() != Some(UPLOADING_SAMPLE);
        let ready = match self.upload_samples(caller, &opened, &graph, &draft).await {
            Ok(ready) => ready,
            Err(error) => return Err(self.upload_failed(tenant, &draft, may_be_there, error).await?),
        };
        if draft.reason.is_some() {
            self.mark_uploaded(tenant, draft.id).await?;
        }
        let made = match graph.create_template(&submission(&ready)).await {
            Ok(made) => made,
            Err(error) if resumed && error.subcode == Some(NAME_EXISTS) => find_at_network(&graph, &draft).await?,
            Err(error) => return Err(self.submission_failed(tenant, &draft, may_be_there, &error).await?),
        };
        self.save_submission(tenant, draft.id, made).await
    }

    async fn begin(&self, tenant: TenantId, draft: Template, scope: Option<&IdempotencyScope>) -> Result<Draft> {
        let (input, quotas) = ((tenant, draft, scope.cloned()), self.0.quotas());
        let write = self.0.db().write(input, move |tx, (tenant, draft, scope)| {
            Box::pin(begin_in(tx, quotas, *tenant, draft, scope.as_ref()))
        });
        write.await
    }

    /// Removes the draft unless the network may have accepted it, and returns the error for the client. Any refusal
    /// also removes a resumed draft that has no verdict yet, even a refusal of the access token, which says nothing
    /// about the template; if the network has the template after all, the next synchronization adds it.
    async fn submission_failed(
        &self,
        tenant: TenantId,
        draft: &Template,
        may_be_there: bool,
        error: &GraphError,
    ) -> Result<Error> {
        if error.class == Class::Unknown {
            let message = format!("{error}; it is kept as a draft: repeat the request, or synchronize the templates");
            return Ok(Error::refused(Cause::NetworkUnavailable, Field::Template, message));
        }
        if !may_be_there || error.class == Class::Refuse {
            self.remove_draft(tenant, draft.id).await?;
        }
        Ok(network_error(error))
    }

    /// Removes the draft unless an earlier request may have submitted it, and returns the error for the client.
    async fn upload_failed(
        &self,
        tenant: TenantId,
        draft: &Template,
        may_be_there: bool,
        error: Error,
    ) -> Result<Error> {
        if !may_be_there {
            self.remove_draft(tenant, draft.id).await?;
        }
        Ok(error)
    }

    async fn remove_draft(&self, tenant: TenantId, id: TemplateId) -> Result<()> {
        let write = self.0.db().write((tenant, id), |tx, (tenant, id)| {
            Box::pin(async move {
                let known = store::messaging::templates::for_update(tx, *tenant, *id).await?;
                // A verdict that arrived meanwhile proves that the network has the template.
                if known.is_some_and(|known| known.network_id.is_none()) {
                    store::messaging::templates::remove(tx, *tenant, *id).await?;
                }
                Ok::<_, store::Error>(())
            })
        });
        Ok(write.await?)
    }

    /// Removes the mark `UPLOADING_SAMPLE` from a draft: from here on the network may have the template.
    async fn mark_uploaded(&self, tenant: TenantId, id: TemplateId) -> Result<()> {
        let write = self.0.db().write((tenant, id), |tx, (tenant, id)| {
            Box::pin(async move {
                let known = store::messaging::templates::for_update(tx, *tenant, *id).await?.ok_or(NO_TEMPLATE)?;
                store::messaging::templates::update(tx, *tenant, &Template { reason: None, ..known }).await?;
                Ok::<_, Error>(())
            })
        });
        write.await
    }

    async fn save_submission(&self, tenant: TenantId, id: TemplateId, made: CreatedTemplate) -> Result<Template> {
        let input = (tenant, id, made, self.0.now().to_millis());
        let write = self.0.db().write(input, |tx, (tenant, id, made, now)| {
            Box::pin(async move {
                let known = store::messaging::templates::for_update(tx, *tenant, *id).await?.ok_or(NO_TEMPLATE)?;
                let mut template = known.clone();
                template.network_id = Some(made.id.clone());
                // A verdict may have arrived before the answer.
                if template.status == TemplateStatus::Draft {
                    let status = made.status.as_deref().and_then(TemplateStatus::from_network);
                    template.status = status.unwrap_or(TemplateStatus::Pending);
                }
                let category = made.category.as_deref().and_then(|category| category.parse().ok());
                template.category = category.unwrap_or(template.category);
                template.updated_at = *now;
                store::messaging::templates::update(tx, *tenant, &template).await?;
                record_and_emit_changes(tx, *tenant, None, &[(known, template.clone())], *now).await?;
                Ok(template)
            })
        });
        write.await
    }
}

/// The URL of tracked links of a template, with the click code as its variable. None for a URL that only this machine
/// can reach, except in the sandbox: people could not open the links.
pub(super) fn tracked_url(channel: &Channel, public_url: Option<&str>) -> Option<String> {
    let url = public_url?.trim_end_matches('/');
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let local = ["localhost", "127.", "[::1]", "0.0.0.0"].iter().any(|name| host.starts_with(name));
    (channel.network == SANDBOX || !local).then(|| format!("{url}/c/{{{{1}}}}"))
}

fn draft(channel: &Channel, checked: CheckedTemplate, now: Timestamp) -> Template {
    let now = now.to_millis();
    let mut draft = Template {
        id: Id::new(now),
        account_id: channel.account_id.clone(),
        channel_id: channel.id,
        name: checked.name,
        language: checked.language,
        category: checked.category,
        status: TemplateStatus::Draft,
        quality: None,
        reason: None,
        network_id: None,
        content: checked.content,
        origin: ORIGIN_API.to_owned(),
        created_at: now,
        updated_at: now,
        reported_at: Timestamp::from_micros(0),
        deleted_at: None,
    };
    draft.reason = needs_upload(&draft).then(|| UPLOADING_SAMPLE.to_owned());
    draft
}

async fn begin_in(
    tx: &mut Tx<'_>,
    quotas: Quotas,
    tenant: TenantId,
    draft: &Template,
    scope: Option<&IdempotencyScope>,
) -> Result<Draft> {
    if let Some(known) = find_previous(tx, tenant, scope).await? {
        return Ok(if known.network_id.is_some() { Draft::Submitted(known) } else { Draft::Resumed(known) });
    }
    let all = store::messaging::templates::by_name(tx, tenant, &draft.account_id, &draft.name).await?;
    let begun = match all.into_iter().find(|one| one.language == draft.language) {
        None => {
            quotas::check(&quotas, Quota::Templates, store::messaging::templates::count_all(tx, tenant).await?, 1)?;
            if !store::messaging::templates::insert(tx, tenant, draft).await? {
                return Err(store::Error::TryAgain("another request was faster".to_owned()).into());
            }
            Draft::New(draft.clone())
        }
        Some(known) if is_same_draft(&known, draft) => Draft::Resumed(known),
        Some(known) if known.network_id.is_none() => {
            return Err(Error::conflict(Field::Name, "a draft with this name and language exists; delete it first"));
        }
        Some(_) => return Err(Error::conflict(Field::Name, "a template with this name and language already exists")),
    };
    if let (Some(scope), Draft::New(template) | Draft::Resumed(template)) = (scope, &begun) {
        idempotency::save_outcome(tx, scope, &template.id.to_string()).await?;
    }
    Ok(begun)
}

/// Finds the template of an earlier request with the same idempotency key.
async fn find_previous(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    scope: Option<&IdempotencyScope>,
) -> Result<Option<Template>> {
    let Some(scope) = scope else { return Ok(None) };
    let Some(outcome) = idempotency::saved_outcome(tx, scope).await? else { return Ok(None) };
    let Ok(id) = outcome.parse::<TemplateId>() else { return Ok(None) };
    Ok(store::messaging::templates::by_id(tx, tenant, id).await?)
}

fn is_same_draft(known: &Template, draft: &Template) -> bool {
    known.network_id.is_none() && known.content == draft.content && known.category == draft.category
}

/// Finds a template that the network accepted in an earlier request, and returns its id and verdict.
async fn find_at_network(graph: &Graph, draft: &Template) -> Result<CreatedTemplate> {
    let rows = fetch_all(graph).await?;
    let row = rows.into_iter().find(|row| row.name == draft.name && row.language == draft.language);
    let row = row.ok_or_else(|| {
        Error::refused(
            Cause::NetworkRefused,
            Field::Template,
            "the network says the template exists, but does not list it",
        )
    })?;
    Ok(CreatedTemplate { id: row.id, status: Some(row.status), category: row.category })
}
