//! The use cases of the call log: lists of calls, one call, and recording and completing calls.

use domain::calls::{Call, CallFilter};
use domain::people::contacts::identity::former_ids;
use domain::{CallId, Timestamp};
use store::Engine;
use store::calls::ListedCall;

use super::draft::{NewCall, draft};
use super::update::{self, CallUpdate};
use super::{Calls, cursor};
use crate::base::group_writer::{write_alone, write_grouped};
use crate::{Error, Principal, Result, Thing};

/// What an answer says after the calls of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PageEnd {
    pub has_more: bool,
    pub next_cursor: Option<String>,
    pub total: Option<i64>,
}

#[boxed::futures]
impl Calls {
    /// Passes the JSON text of each call of the page to `show`, the latest started first.
    pub async fn list(
        &self,
        principal: &Principal,
        mut filter: CallFilter,
        with_total: bool,
        show: &mut (dyn FnMut(&str) + Send),
    ) -> Result<PageEnd> {
        let (tenant, limit) = (principal.tenant(), filter.limit);
        // One more than the limit shows whether there is a next page.
        filter.limit += 1;
        let mut seen = 0;
        let mut last: Option<(Timestamp, CallId)> = None;
        let mut has_more = false;
        let mut visit = |call: ListedCall<'_>| {
            seen += 1;
            if seen > limit {
                has_more = true;
                return Ok(());
            }
            if seen == limit {
                last = Some(call.position()?);
            }
            show(call.doc);
            Ok(())
        };
        store::calls::list(self.db(), tenant, &filter, &mut visit).await?;
        let next_cursor = last.filter(|_| has_more).map(|position| cursor::write(self, tenant, position));
        let total = if with_total { Some(self.count(principal, filter).await?) } else { None };
        Ok(PageEnd { has_more, next_cursor, total })
    }

    /// Passes the JSON text of each call of the page to `show`: calls of one contact, and of contacts that were merged
    /// into it. Operator and outcome of the filter are ignored.
    pub async fn list_of_contact(
        &self,
        principal: &Principal,
        target: &str,
        mut filter: CallFilter,
        show: &mut (dyn FnMut(&str) + Send),
    ) -> Result<PageEnd> {
        let tenant = principal.tenant();
        let mut contact = None;
        self.people().contacts().find(principal, target, &mut |found| contact = Some(found.id)).await?;
        let Some(contact) = contact else { return Ok(PageEnd::default()) };
        let identities = store::people::contacts::current_identities(self.db(), tenant, contact).await?;
        let (limit, offset) = (usize::try_from(filter.limit).unwrap_or(0), usize::try_from(filter.offset).unwrap_or(0));
        // One more than the limit shows whether there is a next page.
        filter.limit += 1;
        let mut calls = Vec::new();
        for id in former_ids(&identities).chain([contact]) {
            calls.extend(store::calls::of_contact(self.db(), tenant, id, &filter).await?);
        }
        calls.sort_unstable_by_key(|(_, started_at, id)| std::cmp::Reverse((*started_at, *id)));
        let has_more = calls.len() > offset + limit;
        let page: Vec<_> = calls.into_iter().skip(offset).take(limit).collect();
        let last = page.last().filter(|_| has_more).map(|(_, started_at, id)| (*started_at, *id));
        for (doc, ..) in &page {
            show(doc);
        }
        Ok(PageEnd { has_more, next_cursor: last.map(|last| cursor::write(self, tenant, last)), total: None })
    }

    /// The number of calls that the filter allows on all pages.
    async fn count(&self, principal: &Principal, filter: CallFilter) -> Result<i64> {
        let whole = CallFilter { after: None, offset: 0, ..filter };
        Ok(store::calls::count(self.db(), principal.tenant(), &whole).await?)
    }

    /// The position of a cursor; none if the cursor was not issued to this tenant.
    pub fn position(&self, principal: &Principal, cursor: &str) -> Option<(Timestamp, CallId)> {
        cursor::read(self, principal.tenant(), cursor)
    }

    /// The JSON text of one call.
    pub async fn show(&self, principal: &Principal, id: CallId) -> Result<String> {
        store::calls::show(self.db(), principal.tenant(), id).await?.ok_or(Error::NotFound(Thing::Call))
    }

    /// Records a call. If one with the same `call_id` is stored, it is returned unchanged.
    pub async fn record(&self, principal: &Principal, new: NewCall) -> Result<String> {
        let draft = draft(principal.tenant(), new, self.now())?;
        let call = match self.db().engine() {
            Engine::Sqlite => write_alone(self, draft).await?,
            Engine::Postgres => write_grouped(self, draft).await?,
        };
        Ok(call.to_json())
    }

    pub async fn update(&self, principal: &Principal, id: CallId, update: CallUpdate) -> Result<String> {
        let input = (principal.tenant(), id, update, self.now());
        let call: Call = self
            .db()
            .write(input, |tx, (tenant, id, update, now)| {
                Box::pin(async move {
                    let call = store::calls::for_update(tx, *tenant, *id).await?.ok_or(Error::NotFound(Thing::Call))?;
                    update::apply(tx, *tenant, &call, update, *now).await
                })
            })
            .await?;
        Ok(call.to_json())
    }
}
