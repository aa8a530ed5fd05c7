//! What the network tells about templates: it is written down in the transaction that works the report off, and a report
//! that comes late changes nothing that was told after it.

use domain::channels::Channel;
use domain::templates::{Category, Status, Template};
use domain::{TenantId, Timestamp};
use store::Tx;

use super::told;
use crate::Result;

/// Whom a report is about, and when it was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About<'a> {
    pub tenant: TenantId,
    pub channel: &'a Channel,
    pub id: &'a str,
    pub name: &'a str,
    pub language: &'a str,
    pub at: Timestamp,
    pub now: Timestamp,
}

impl About<'_> {
    /// A verdict may come before the answer to the submission: then it is found by its name. One that was made elsewhere
    /// comes with the network's list.
    async fn found(&self, tx: &mut Tx<'_>) -> Result<Option<Template>> {
        let known = store::templates::by_network_id(tx, self.tenant, &self.channel.account_id, self.id).await?;
        if known.is_some() {
            return Ok(known.filter(|known| known.deleted_at.is_none()));
        }
        let all = store::templates::by_name(tx, self.tenant, &self.channel.account_id, self.name).await?;
        let draft = all.into_iter().find(|one| one.language == self.language && one.network_id.is_none());
        let Some(draft) = draft else { return Ok(None) };
        let held = store::templates::for_update(tx, self.tenant, draft.id).await?;
        Ok(held.map(|held| Template { network_id: Some(self.id.to_owned()), ..held }))
    }

    async fn write(&self, tx: &mut Tx<'_>, before: &Template, mut after: Template) -> Result<()> {
        after.updated_at = self.now.to_millis();
        store::templates::update(tx, self.tenant, &after).await?;
        told::changed(tx, self.tenant, Some(self.channel), &[(before.clone(), after)], self.now).await
    }

    /// Has something of this kind been told that is later?
    async fn is_overtaken(&self, tx: &mut Tx<'_>, kind: &str) -> Result<bool> {
        let latest = store::reports::latest_in(tx, self.tenant, kind, self.id).await?;
        Ok(latest.is_some_and(|latest| latest > self.at))
    }
}

pub(crate) async fn status_told(tx: &mut Tx<'_>, about: About<'_>, event: &str, reason: Option<&str>) -> Result<()> {
    let Some(status) = Status::of_network(event) else { return Ok(()) };
    let Some(mut template) = about.found(tx).await? else { return Ok(()) };
    let before = template.clone();
    if !template.told(status, reason, about.at) {
        return Ok(());
    }
    if status == Status::Deleted {
        template.deleted_at = Some(about.now.to_millis());
    }
    about.write(tx, &before, template).await
}

pub(crate) async fn quality_told(tx: &mut Tx<'_>, about: About<'_>, quality: &str) -> Result<()> {
    if about.is_overtaken(tx, "template_quality").await? {
        return Ok(());
    }
    let Some(template) = about.found(tx).await? else { return Ok(()) };
    about.write(tx, &template, Template { quality: Some(quality.to_owned()), ..template.clone() }).await
}

pub(crate) async fn category_told(tx: &mut Tx<'_>, about: About<'_>, category: &str) -> Result<()> {
    let Ok(category) = category.parse::<Category>() else { return Ok(()) };
    if about.is_overtaken(tx, "template_category").await? {
        return Ok(());
    }
    let Some(template) = about.found(tx).await? else { return Ok(()) };
    about.write(tx, &template, Template { category, ..template.clone() }).await
}
