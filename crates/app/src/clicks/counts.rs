//! Hits counted by template, button, day and class.

use std::collections::BTreeMap;

use domain::clicks::{Class, Link, day, start_of_day};
use domain::{Id, TemplateId, Timestamp};

use super::Clicks;
use super::list::button_text;
use crate::{ActsFor, Error, Result};

/// Days that are counted when nobody says which, and at most.
const USUAL_DAYS: i64 = 30;
pub const MOST_DAYS: i64 = 366;
/// Rows of an answer.
const MOST_COUNTS: usize = 10_000;

/// What is told apart. A button belongs to a template, so it tells templates apart too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "any of the four may be asked for")]
pub struct By {
    pub template: bool,
    pub button: bool,
    pub day: bool,
    pub class: bool,
}

#[derive(Debug, Clone, Default)]
pub struct CountsFilter {
    /// Name or id.
    pub template: Option<String>,
    /// Whole days, UTC.
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub by: By,
}

/// So many hits; what was not asked to be told apart is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    pub template: Option<(TemplateId, Option<String>)>,
    pub card: Option<u8>,
    pub button: Option<u8>,
    pub button_text: Option<String>,
    pub day: Option<Timestamp>,
    pub class: Option<Class>,
    pub hits: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// The first instants of the first and the last day.
    pub from: Timestamp,
    pub to: Timestamp,
    pub counts: Vec<Count>,
    pub total: i64,
}

/// Day, template, spot, class: those that are told apart.
type Key = (Option<i64>, Option<TemplateId>, Option<i64>, Option<&'static str>);

impl Clicks<'_> {
    pub async fn counts(&self, caller: &impl ActsFor, filter: &CountsFilter) -> Result<Counts> {
        let tenant = caller.tenant();
        let (first, last) = days(filter, self.0.now())?;
        let only = match &filter.template {
            Some(named) => Some(self.named(tenant, named).await?),
            None => None,
        };
        let mut groups: BTreeMap<Key, i64> = BTreeMap::new();
        let mut total = 0;
        let add = |one: store::clicks::Count| {
            if only.as_ref().is_none_or(|all| all.contains(&one.template_id)) {
                total += one.hits;
                // Beyond what may be answered there is no need to know how many more.
                if groups.len() <= MOST_COUNTS {
                    *groups.entry(key(filter.by, &one)).or_default() += one.hits;
                }
            }
            Ok(())
        };
        store::clicks::counts(self.0.db(), tenant, (first, last), add).await?;
        if groups.len() > MOST_COUNTS {
            let message = format!("more than {MOST_COUNTS} counts: tell less apart, or ask for fewer days");
            return Err(Error::invalid("by", message));
        }
        let templates = self.templates(tenant, groups.keys().filter_map(|key| key.1)).await?;
        let count = |((day, template, spot, class), hits): (Key, i64)| {
            let link = spot.map(|spot| Link::at_spot(Id::from_bytes([0; 12]), spot));
            let (card, button) = link.map_or((None, None), |link| (link.card, link.button));
            let known = template.and_then(|id| templates.get(&id));
            Count {
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
        Ok(Counts { from: start_of_day(first), to: start_of_day(last), counts, total })
    }
}

fn days(filter: &CountsFilter, now: Timestamp) -> Result<(i64, i64)> {
    let last = day(filter.to.unwrap_or(now));
    let first = filter.from.map_or(last - USUAL_DAYS + 1, day);
    if first > last {
        return Err(Error::invalid("date_from", "is after date_to"));
    }
    if last - first >= MOST_DAYS {
        return Err(Error::invalid("date_from", format!("at most {MOST_DAYS} days can be counted at once")));
    }
    Ok((first, last))
}

fn key(by: By, one: &store::clicks::Count) -> Key {
    (
        by.day.then_some(one.day),
        (by.template || by.button).then_some(one.template_id),
        by.button.then_some(one.spot),
        by.class.then_some(one.class.name()),
    )
}
