//! Counts calls by day of a time zone.

use domain::base::zone::{Zone, ZoneDay};
use domain::calls::{CallFilter, OperatorRef};
use domain::{AccountId, Field, TenantId, Timestamp};
use store::calls::CallCount;

use super::Calls;
use crate::{Error, Principal, Result};

/// Most days of an answer.
const MOST_DAYS: i64 = 366;

/// The calls of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallDay {
    pub day: ZoneDay,
    pub count: CallCount,
}

#[boxed::futures]
impl Calls {
    /// Counts the calls that the filter allows, for each day between the first and the last of them. Without a start,
    /// at most `MOST_DAYS` days up to the last call are counted.
    pub async fn counts(&self, principal: &Principal, zone: &Zone, filter: &CallFilter) -> Result<Vec<CallDay>> {
        let tenant = principal.tenant();
        let Some(last) = self.last_start(tenant, filter).await? else { return Ok(Vec::new()) };
        let operator = self.operator_id(tenant, filter).await?;
        if filter.operator.is_some() && operator.is_none() {
            return Ok(Vec::new());
        }
        let (mut day, last_day) = (first_day(zone, filter, last)?, zone.day_of(last));
        let mut days = Vec::new();
        while day <= last_day {
            let next = day.next();
            let to = next.map_or(Timestamp::from_micros(i64::MAX), |next| zone.start_of(next));
            let range = range_of(filter, zone.start_of(day), to);
            let count = store::calls::count_range(self.db(), tenant, range, filter, operator).await?;
            // Days before the first call are left out.
            if !days.is_empty() || count.calls > 0 {
                days.push(CallDay { day, count });
            }
            let Some(next) = next else { break };
            day = next;
        }
        Ok(days)
    }

    /// The account that the filter's operator stands for.
    async fn operator_id(&self, tenant: TenantId, filter: &CallFilter) -> Result<Option<AccountId>> {
        match &filter.operator {
            None => Ok(None),
            Some(OperatorRef::Id(id)) => Ok(Some(*id)),
            Some(OperatorRef::Email(email)) => {
                let account = store::identity::accounts::by_email(self.db(), tenant, email).await?;
                Ok(account.map(|account| account.id))
            }
        }
    }

    /// The start of the newest call that the filter allows.
    async fn last_start(&self, tenant: TenantId, filter: &CallFilter) -> Result<Option<Timestamp>> {
        let newest = CallFilter { after: None, offset: 0, limit: 1, ..filter.clone() };
        let mut last = None;
        let mut visit = |call: store::calls::ListedCall<'_>| {
            last = Some(call.position()?.0);
            Ok(())
        };
        store::calls::list(self.db(), tenant, &newest, &mut visit).await?;
        Ok(last)
    }
}

fn first_day(zone: &Zone, filter: &CallFilter, last: Timestamp) -> Result<ZoneDay> {
    let until = zone.day_of(last);
    let earliest = until.minus_days(MOST_DAYS - 1);
    let Some(from) = filter.from else { return Ok(earliest) };
    let asked = zone.day_of(from);
    if asked < earliest {
        let message = format!(
            "at most {MOST_DAYS} days can be counted at once: begin at {earliest} or later, or set end_date before {until}"
        );
        return Err(Error::invalid(Field::StartDate, message));
    }
    Ok(asked)
}

/// The part of a day that the filter allows. `to` is exclusive; `filter.to` is inclusive.
fn range_of(filter: &CallFilter, from: Timestamp, to: Timestamp) -> (Timestamp, Timestamp) {
    let from = filter.from.map_or(from, |earliest| from.max(earliest));
    let end = filter.to.map(|last| last.plus_micros(1));
    (from, end.map_or(to, |end| to.min(end)))
}
