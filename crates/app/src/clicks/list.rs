//! Pages of hits, the newest first.

use std::collections::HashMap;
use std::sync::Arc;

use domain::clicks::{Class, Request, Source};
use domain::templates::{Template, TemplateFilter};
use domain::{ClickId, ContactId, Id, MessageId, TemplateId, TenantId, Timestamp};
use store::clicks::Listed as Stored;

use super::Clicks;
use crate::{ActsFor, App, Error, Result, Thing, cursor};

const AREA: &[u8] = b"clicks";
/// Hits that are looked at for one page at most; the next one goes on behind them.
const LOOKED_AT: usize = 5000;
/// Hits that are read at once where a filter may pass over some.
const STRETCH: i64 = 500;
const MOST_TEMPLATES: i64 = 100;

/// Which hits; what is absent leaves none out.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Name or id of a template; a name means it in all languages.
    pub template: Option<String>,
    pub message: Option<MessageId>,
    /// Phone number, BSUID or id of a contact.
    pub target: Option<String>,
    pub class: Option<Class>,
    pub source: Option<Source>,
    pub button: Option<u8>,
    pub card: Option<u8>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub cursor: Option<String>,
    pub limit: usize,
}

/// A hit as it is shown.
#[derive(Debug, Clone)]
pub struct Listed {
    pub hit: Stored,
    /// What is kept of the request; none of what the network told, and none after its person was erased.
    pub request: Option<Request>,
    pub template_name: Option<String>,
    pub button_text: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Page {
    pub clicks: Vec<Listed>,
    /// Where there may be more.
    pub next_cursor: Option<String>,
}

/// What a filter means: ids in place of names.
#[derive(Debug)]
struct Meant<'a> {
    filter: &'a Filter,
    templates: Option<Vec<TemplateId>>,
    contact: Option<ContactId>,
}

impl Meant<'_> {
    fn allows(&self, hit: &Stored) -> bool {
        let filter = self.filter;
        filter.class.is_none_or(|class| class == hit.class)
            && filter.source.is_none_or(|source| source == hit.source)
            && filter.button.is_none_or(|button| hit.link.button == Some(button))
            && filter.card.is_none_or(|card| hit.link.card == Some(card))
            && self.templates.as_ref().is_none_or(|all| all.contains(&hit.template_id))
            && self.contact.is_none_or(|contact| hit.contact_id == Some(contact))
    }

    /// Does the database find nothing else?
    fn is_exact(&self) -> bool {
        let filter = self.filter;
        let others =
            filter.class.is_some() || filter.source.is_some() || filter.button.is_some() || filter.card.is_some();
        let several = self.templates.as_ref().is_some_and(|all| all.len() != 1 || filter.message.is_some());
        !others && !several && self.contact.is_none()
    }

    fn start(&self, app: &App, tenant: TenantId) -> Result<store::clicks::Filter> {
        let last = Id::from_bytes([0xff; 12]);
        let end = (self.filter.to.unwrap_or(Timestamp::from_micros(i64::MAX)), last);
        let before = match &self.filter.cursor {
            Some(cursor) => read_cursor(app, tenant, cursor)
                .ok_or_else(|| Error::invalid("cursor", "is not a next_cursor of this list"))?
                .min(end),
            None => end,
        };
        let template = self.templates.as_ref().filter(|all| all.len() == 1).and_then(|all| all.first().copied());
        let from = self.filter.from.unwrap_or(Timestamp::from_micros(i64::MIN));
        Ok(store::clicks::Filter { from, before, template, message: self.filter.message })
    }
}

impl Clicks<'_> {
    /// Filters that no index answers look at a bounded number of hits: such a page may have fewer than asked for, or
    /// none, and still a next one.
    pub async fn list(&self, caller: &impl ActsFor, filter: &Filter) -> Result<Page> {
        let tenant = caller.tenant();
        let meant = self.meant(caller, filter).await?;
        let (found, more) = self.walk(tenant, &meant).await?;
        let next_cursor = more.map(|place| write_cursor(self.0, tenant, place));
        Ok(Page { clicks: self.shown(tenant, found).await?, next_cursor })
    }

    /// The hits of a page, and behind which place the next one begins.
    async fn walk(&self, tenant: TenantId, meant: &Meant<'_>) -> Result<(Vec<Stored>, Option<(Timestamp, ClickId)>)> {
        let mut stretch = meant.start(self.0, tenant)?;
        let wanted = meant.filter.limit;
        // One more than asked for tells whether there is a next page.
        let limit = if meant.is_exact() { i64::try_from(wanted).unwrap_or(0) + 1 } else { STRETCH };
        let (mut found, mut looked_at) = (Vec::new(), 0);
        loop {
            let hits = store::clicks::page(self.0.db(), tenant, &stretch, limit).await?;
            let is_last = i64::try_from(hits.len()).unwrap_or(0) < limit;
            looked_at += hits.len();
            for hit in hits {
                let place = (hit.at, hit.id);
                if meant.allows(&hit) {
                    if found.len() == wanted {
                        return Ok((found, Some(stretch.before)));
                    }
                    found.push(hit);
                }
                stretch.before = place;
            }
            if is_last {
                return Ok((found, None));
            }
            if looked_at >= LOOKED_AT {
                return Ok((found, Some(stretch.before)));
            }
        }
    }

    async fn meant<'a>(&self, caller: &impl ActsFor, filter: &'a Filter) -> Result<Meant<'a>> {
        let templates = match &filter.template {
            Some(named) => Some(self.named(caller.tenant(), named).await?),
            None => None,
        };
        let mut contact = None;
        if let Some(target) = &filter.target {
            self.0.contacts().find(caller, target, |found| contact = Some(found.id)).await?;
        }
        Ok(Meant { filter, templates, contact })
    }

    /// The templates of a name or an id.
    pub(super) async fn named(&self, tenant: TenantId, named: &str) -> Result<Vec<TemplateId>> {
        if let Ok(id) = named.parse::<TemplateId>() {
            let found = store::templates::find(self.0.db(), tenant, id).await?;
            return found.map(|one| vec![one.id]).ok_or(Error::NotFound(Thing::Template));
        }
        let filter = TemplateFilter { name: Some(named.to_owned()), limit: MOST_TEMPLATES, ..Default::default() };
        let found = store::templates::list(self.0.db(), tenant, &filter).await?;
        let ids: Vec<TemplateId> = found.into_iter().filter(|one| one.name == named).map(|one| one.id).collect();
        if ids.is_empty() { Err(Error::NotFound(Thing::Template)) } else { Ok(ids) }
    }

    async fn shown(&self, tenant: TenantId, found: Vec<Stored>) -> Result<Vec<Listed>> {
        let templates = self.templates(tenant, found.iter().map(|hit| hit.template_id)).await?;
        let shown = |hit: Stored| {
            let template = templates.get(&hit.template_id);
            Listed {
                request: hit.headers.as_deref().and_then(|headers| Request::read(&hit.method, headers)),
                template_name: template.map(|one| one.name.clone()),
                button_text: template.and_then(|one| button_text(one, hit.link.card, hit.link.button)),
                hit,
            }
        };
        Ok(found.into_iter().map(shown).collect())
    }

    pub(super) async fn templates(
        &self,
        tenant: TenantId,
        ids: impl Iterator<Item = TemplateId>,
    ) -> Result<HashMap<TemplateId, Arc<Template>>> {
        let mut all = HashMap::new();
        for id in ids {
            if !all.contains_key(&id)
                && let Some(found) = self.0.clicks_desk().templates.find(self.0, tenant, id).await?
            {
                all.insert(id, found);
            }
        }
        Ok(all)
    }
}

/// What stands on a button.
pub(super) fn button_text(template: &Template, card: Option<u8>, button: Option<u8>) -> Option<String> {
    let buttons = match card {
        Some(card) => &template.content.cards.get(usize::from(card))?.buttons,
        None => &template.content.buttons,
    };
    buttons.get(usize::from(button?)).map(|button| button.text.clone())
}

fn write_cursor(app: &App, tenant: TenantId, (at, id): (Timestamp, ClickId)) -> String {
    cursor::write(app, tenant, AREA, &[&at.micros().to_be_bytes()[..], id.bytes()].concat())
}

fn read_cursor(app: &App, tenant: TenantId, text: &str) -> Option<(Timestamp, ClickId)> {
    let place: [u8; 20] = cursor::read(app, tenant, AREA, text)?;
    let (at, id) = place.split_at(8);
    Some((Timestamp::from_micros(i64::from_be_bytes(at.try_into().ok()?)), Id::from_bytes(id.try_into().ok()?)))
}
