//! Pages of hits, newest first.

use std::collections::HashMap;
use std::sync::Arc;

use domain::messaging::clicks::{ClickClass, ClickFilter, ClickSource, Request};
use domain::messaging::templates::{Template, TemplateFilter};
use domain::{BroadcastId, ClickId, ContactId, Field, Id, MessageId, TemplateId, TenantId, Timestamp};
use store::messaging::clicks::ListedHit;

use super::Clicks;
use crate::base::cursor;
use crate::messaging::Messaging;
use crate::{ActsFor, Error, Result, Thing};

const AREA: &[u8] = b"clicks";
/// Most hits that one page reads; the next page continues after them.
const MOST_READ: usize = 5000;
/// Hits that one statement reads if conditions have to be checked after reading.
const BATCH: i64 = 500;
const MOST_TEMPLATES: i64 = 100;

/// A search for hits; every member that is given must hold.
#[derive(Debug, Clone, Default)]
pub struct ClickSearch {
    /// Name or id of a template; a name selects it in all languages.
    pub template: Option<String>,
    pub message: Option<MessageId>,
    /// Only hits on links in messages of this broadcast.
    pub broadcast: Option<BroadcastId>,
    /// Phone number, BSUID or id of a contact.
    pub target: Option<String>,
    pub class: Option<ClickClass>,
    pub source: Option<ClickSource>,
    pub button: Option<u8>,
    pub card: Option<u8>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub cursor: Option<String>,
    pub limit: usize,
}

/// A hit as answers show it.
#[derive(Debug, Clone)]
pub struct ClickView {
    pub hit: ListedHit,
    /// The stored request; none for a network's report, and none after the contact was erased.
    pub request: Option<Request>,
    pub template_name: Option<String>,
    pub button_text: Option<String>,
}

#[derive(Debug, Clone)]
pub struct FoundClicks {
    pub clicks: Vec<ClickView>,
    /// The cursor of the next page, if there may be one.
    pub next_cursor: Option<String>,
}

/// A search with ids instead of names.
#[derive(Debug)]
struct ResolvedSearch<'a> {
    search: &'a ClickSearch,
    templates: Option<Vec<TemplateId>>,
    contact: Option<ContactId>,
    /// No hit is older.
    from: Option<Timestamp>,
}

impl ResolvedSearch<'_> {
    fn allows(&self, hit: &ListedHit) -> bool {
        let search = self.search;
        search.class.is_none_or(|class| class == hit.class)
            && search.source.is_none_or(|source| source == hit.source)
            && search.button.is_none_or(|button| hit.link.button == Some(button))
            && search.card.is_none_or(|card| hit.link.card == Some(card))
            && self.templates.as_ref().is_none_or(|all| all.contains(&hit.template_id))
            && self.contact.is_none_or(|contact| hit.contact_id == Some(contact))
            && search.broadcast.is_none_or(|broadcast| hit.broadcast_id == Some(broadcast))
    }

    /// True when an index answers the search alone: it reads no hit that `allows` refuses.
    fn is_exact(&self) -> bool {
        let search = self.search;
        let others =
            search.class.is_some() || search.source.is_some() || search.button.is_some() || search.card.is_some();
        let several = self.templates.as_ref().is_some_and(|all| all.len() != 1 || search.message.is_some());
        !others && !several && self.contact.is_none() && search.broadcast.is_none()
    }

    fn first_filter(&self, messaging: &Messaging, tenant: TenantId) -> Result<ClickFilter> {
        let last = Id::from_bytes([0xff; 12]);
        let end = (self.search.to.unwrap_or(Timestamp::from_micros(i64::MAX)), last);
        let before = match &self.search.cursor {
            Some(cursor) => read_cursor(messaging, tenant, cursor)
                .ok_or_else(|| Error::invalid(Field::Cursor, "expected a next_cursor from this list"))?
                .min(end),
            None => end,
        };
        let template = self.templates.as_ref().filter(|all| all.len() == 1).and_then(|all| all.first().copied());
        let from = self.from.unwrap_or(Timestamp::from_micros(i64::MIN));
        Ok(ClickFilter { from, before, template, message: self.search.message })
    }
}

#[boxed::futures]
impl Clicks<'_> {
    /// Newest first. The number of hits read is bounded, so a search that no index answers alone may have fewer hits
    /// than its limit on a page, or none, and still a next page.
    pub async fn list(&self, caller: &dyn ActsFor, search: &ClickSearch) -> Result<FoundClicks> {
        let tenant = caller.tenant();
        let resolved = self.resolve(caller, search).await?;
        let (found, more) = self.walk(tenant, &resolved).await?;
        let next_cursor = more.map(|position| write_cursor(self.0, tenant, position));
        Ok(FoundClicks { clicks: self.views(tenant, found).await?, next_cursor })
    }

    /// The hits of a page, and the position behind which the next page begins.
    async fn walk(
        &self,
        tenant: TenantId,
        resolved: &ResolvedSearch<'_>,
    ) -> Result<(Vec<ListedHit>, Option<(Timestamp, ClickId)>)> {
        let mut filter = resolved.first_filter(self.0, tenant)?;
        let wanted = resolved.search.limit;
        // One more than the limit shows whether there is a next page.
        let limit = if resolved.is_exact() { i64::try_from(wanted).unwrap_or(0) + 1 } else { BATCH };
        let (mut found, mut read) = (Vec::new(), 0);
        loop {
            let hits = store::messaging::clicks::page(self.0.db(), tenant, &filter, limit).await?;
            let is_last = i64::try_from(hits.len()).unwrap_or(0) < limit;
            read += hits.len();
            for hit in hits {
                let position = (hit.at, hit.id);
                if resolved.allows(&hit) {
                    if found.len() == wanted {
                        return Ok((found, Some(filter.before)));
                    }
                    found.push(hit);
                }
                filter.before = position;
            }
            if is_last {
                return Ok((found, None));
            }
            if read >= MOST_READ {
                return Ok((found, Some(filter.before)));
            }
        }
    }

    async fn resolve<'a>(&self, caller: &dyn ActsFor, search: &'a ClickSearch) -> Result<ResolvedSearch<'a>> {
        let mut templates = match &search.template {
            Some(named) => Some(self.templates_named(caller.tenant(), named).await?),
            None => None,
        };
        let mut from = search.from;
        // Hits of a broadcast are those of its template since it was created, which an index finds.
        if let Some(id) = search.broadcast {
            let found = store::messaging::broadcasts::by_id(self.0.db(), caller.tenant(), id).await?;
            let broadcast = found.ok_or(Error::NotFound(Thing::Broadcast))?;
            templates = Some(templates.unwrap_or_else(|| vec![broadcast.template_id]));
            from = from.max(Some(broadcast.created_at));
        }
        let mut contact = None;
        if let Some(target) = &search.target {
            self.0.people().contacts().find(caller, target, &mut |found| contact = Some(found.id)).await?;
        }
        Ok(ResolvedSearch { search, templates, contact, from })
    }

    /// The ids of the templates with this name, in all languages, or of the template with this id. `NotFound` if there
    /// is none.
    pub(super) async fn templates_named(&self, tenant: TenantId, named: &str) -> Result<Vec<TemplateId>> {
        if let Ok(id) = named.parse::<TemplateId>() {
            let found = store::messaging::templates::find(self.0.db(), tenant, id).await?;
            return found.map(|one| vec![one.id]).ok_or(Error::NotFound(Thing::Template));
        }
        let filter = TemplateFilter { name: Some(named.to_owned()), limit: MOST_TEMPLATES, ..Default::default() };
        let found = store::messaging::templates::list(self.0.db(), tenant, &filter).await?;
        let ids: Vec<TemplateId> = found.into_iter().filter(|one| one.name == named).map(|one| one.id).collect();
        if ids.is_empty() { Err(Error::NotFound(Thing::Template)) } else { Ok(ids) }
    }

    async fn views(&self, tenant: TenantId, found: Vec<ListedHit>) -> Result<Vec<ClickView>> {
        let templates = self.templates(tenant, found.iter().map(|hit| hit.template_id)).await?;
        let view = |hit: ListedHit| {
            let template = templates.get(&hit.template_id);
            ClickView {
                request: hit.headers.as_deref().and_then(|headers| Request::parse(&hit.method, headers)),
                template_name: template.map(|one| one.name.clone()),
                button_text: template.and_then(|one| button_text(one, hit.link.card, hit.link.button)),
                hit,
            }
        };
        Ok(found.into_iter().map(view).collect())
    }

    pub(super) async fn templates(
        &self,
        tenant: TenantId,
        ids: impl Iterator<Item = TemplateId>,
    ) -> Result<HashMap<TemplateId, Arc<Template>>> {
        let mut all = HashMap::new();
        for id in ids {
            if !all.contains_key(&id)
                && let Some(found) = self.0.click_writer().templates.find(self.0.db(), tenant, id).await?
            {
                all.insert(id, found);
            }
        }
        Ok(all)
    }
}

/// The label of a button.
pub(super) fn button_text(template: &Template, card: Option<u8>, button: Option<u8>) -> Option<String> {
    let buttons = match card {
        Some(card) => &template.content.cards.get(usize::from(card))?.buttons,
        None => &template.content.buttons,
    };
    buttons.get(usize::from(button?)).map(|button| button.text.clone())
}

fn write_cursor(messaging: &Messaging, tenant: TenantId, (at, id): (Timestamp, ClickId)) -> String {
    cursor::write(messaging, tenant, AREA, &[&at.micros().to_be_bytes()[..], id.bytes()].concat())
}

fn read_cursor(messaging: &Messaging, tenant: TenantId, text: &str) -> Option<(Timestamp, ClickId)> {
    let position: [u8; 20] = cursor::read(messaging, tenant, AREA, text)?;
    let (at, id) = position.split_at(8);
    Some((Timestamp::from_micros(i64::from_be_bytes(at.try_into().ok()?)), Id::from_bytes(id.try_into().ok()?)))
}
