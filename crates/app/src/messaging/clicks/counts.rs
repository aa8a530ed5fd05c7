//! Counts hits by template, button, day and class.

use std::collections::BTreeMap;

use domain::messaging::clicks::{ClickClass, Link, day, start_of_day};
use domain::{Field, Id, TemplateId, Timestamp};

use super::Clicks;
use super::list::button_text;
use crate::{ActsFor, Error, Result};

/// Days that are counted when the request names no first day.
const DEFAULT_DAYS: i64 = 30;
/// Most days of a request.
pub const MOST_DAYS: i64 = 366;
/// Most rows of an answer.
const MOST_COUNTS: usize = 10_000;

/// By which properties hits are grouped. A button belongs to a template, so `button` implies `template`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each property is chosen independently")]
pub struct CountGrouping {
    pub template: bool,
    pub button: bool,
    pub day: bool,
    pub class: bool,
}

#[derive(Debug, Clone, Default)]
pub struct CountSearch {
    /// Name or id of a template.
    pub template: Option<String>,
    /// `from` and `to` stand for their whole days in UTC, both included.
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub by: CountGrouping,
}

/// The hits of one group. Properties that the request does not group by are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupCount {
    pub template: Option<(TemplateId, Option<String>)>,
    pub card: Option<u8>,
    pub button: Option<u8>,
    pub button_text: Option<String>,
    pub day: Option<Timestamp>,
    pub class: Option<ClickClass>,
    pub hits: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClickCounts {
    /// `from` and `to` are the starts of the first and of the last day counted.
    pub from: Timestamp,
    pub to: Timestamp,
    pub counts: Vec<GroupCount>,
    pub total: i64,
}

/// Day, template, spot (card and button as one number) and class; each is none unless the request groups by it.
type GroupKey = (Option<i64>, Option<TemplateId>, Option<i64>, Option<&'static str>);

#[boxed::futures]
impl Clicks<'_> {
    pub async fn counts(&self, caller: &dyn ActsFor, search: &CountSearch) -> Result<ClickCounts> {
        let tenant = caller.tenant();
        let (first, last) = days(search, self.0.now())?;
        let only = match &search.template {
            Some(named) => Some(self.templates_named(tenant, named).await?),
            None => None,
        };
        let mut groups: BTreeMap<GroupKey, i64> = BTreeMap::new();
        let mut total = 0;
        let mut add = |one: store::messaging::clicks::HitCount| {
            if only.as_ref().is_none_or(|all| all.contains(&one.template_id)) {
                total += one.hits;
                // Above the bound the request is refused, so further groups are not needed.
                if groups.len() <= MOST_COUNTS {
                    *groups.entry(key(search.by, &one)).or_default() += one.hits;
                }
            }
            Ok(())
        };
        store::messaging::clicks::visit_counts(self.0.db(), tenant, (first, last), &mut add).await?;
        if groups.len() > MOST_COUNTS {
            let message = format!("more than {MOST_COUNTS} counts: group by less, or request fewer days");
            return Err(Error::invalid(Field::By, message));
        }
        let templates = self.templates(tenant, groups.keys().filter_map(|key| key.1)).await?;
        let count = |((day, template, spot, class), hits): (GroupKey, i64)| {
            let link = spot.map(|spot| Link::at_spot(Id::from_bytes([0; 12]), spot));
            let (card, button) = link.map_or((None, None), |link| (link.card, link.button));
            let known = template.and_then(|id| templates.get(&id));
            GroupCount {
                template: template.map(|id| (id, known.map(|one| one.name.clone()))),
                card,
                button,
                button_text: known.and_then(|one| button_text(one, card, button)),
                day: day.map(start_of_day),
                class: class.and_then(|class| class.parse().ok()),
                hits,
            }
        };
        let counts = groups.into_iter().map(count).collect();
        Ok(ClickCounts { from: start_of_day(first), to: start_of_day(last), counts, total })
    }
}

fn days(search: &CountSearch, now: Timestamp) -> Result<(i64, i64)> {
    let last = day(search.to.unwrap_or(now));
    let first = search.from.map_or(last - DEFAULT_DAYS + 1, day);
    if first > last {
        return Err(Error::invalid(Field::DateFrom, "is after date_to"));
    }
    if last - first >= MOST_DAYS {
        return Err(Error::invalid(Field::DateFrom, format!("at most {MOST_DAYS} days can be counted at once")));
    }
    Ok((first, last))
}

fn key(by: CountGrouping, one: &store::messaging::clicks::HitCount) -> GroupKey {
    (
        by.day.then_some(one.day),
        (by.template || by.button).then_some(one.template_id),
        by.button.then_some(one.spot),
        by.class.then_some(one.class.name()),
    )
}
