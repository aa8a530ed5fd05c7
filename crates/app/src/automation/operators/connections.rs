//! Saves when operators were connected: an operator is seen as long as a console is open, and away some time after it was
//! closed.
//!
//! Every node saves it for its own streams (`base/connections.rs`), only in tenants that use routing: at once when an
//! operator has come or gone, and again and again while the operator stays. So an operator of a node that has crashed
//! becomes away too. An operator who is connected to two nodes is seen by both.

use std::collections::{BTreeMap, HashMap};

use domain::automation::routing::{OperatorPresence, away_from};
use domain::base::timers::TimerKind;
use domain::{AccountId, TenantId, Timestamp};
use store::Tx;
use store::automation::routing::operators;
use store::base::timers::DueTimer;

use super::{Operators, emit_presences, presence_of};
use crate::Result;

/// Time between two saves while an operator is connected. Well below `domain::automation::routing::GRACE_SECONDS`.
const SEEN_EVERY_SECONDS: i64 = 30;

/// The operators of a tenant who were seen on this node.
#[derive(Debug, Default)]
struct SeenOperators {
    connected: Vec<AccountId>,
    gone: Vec<AccountId>,
}

#[boxed::futures]
impl Operators<'_> {
    /// Saves which operators are connected to this node, as far as it is due.
    pub async fn save_connections(&self) -> Result<()> {
        let now = self.0.now();
        for (tenant, seen) in self.due(now) {
            self.0
                .db()
                .write((tenant, seen, now), |tx, (tenant, seen, now)| Box::pin(save(tx, *tenant, seen, *now)))
                .await?;
        }
        Ok(())
    }

    /// The operators whose connections are to be saved now. If saving fails, those who stay connected are saved again
    /// later, and those who are gone become away because nobody sees them.
    fn due(&self, now: Timestamp) -> BTreeMap<TenantId, SeenOperators> {
        let reacting = self.0.delivery().reacting().load();
        let mut connected = self.0.signals().connections().operators();
        connected.retain(|(tenant, _)| reacting.contains(tenant));
        let mut due: BTreeMap<TenantId, SeenOperators> = BTreeMap::new();
        let mut saved = self.0.seen_operators().lock();
        saved.retain(|operator, _| {
            let stays = connected.contains(operator);
            if !stays && reacting.contains(&operator.0) {
                due.entry(operator.0).or_default().gone.push(operator.1);
            }
            stays
        });
        for (tenant, account) in connected {
            let last = saved.get(&(tenant, account));
            if last.is_none_or(|last| last.plus_seconds(SEEN_EVERY_SECONDS) <= now) {
                due.entry(tenant).or_default().connected.push(account);
                saved.insert((tenant, account), now);
            }
        }
        due
    }

    /// Emits that an operator is away, unless the operator was seen again.
    pub(crate) async fn end_grace(&self, timer: DueTimer) -> Result<()> {
        self.0.db().write((timer, self.0.now()), |tx, (timer, now)| Box::pin(end_grace(tx, timer, *now))).await
    }
}

async fn save(tx: &mut Tx<'_>, tenant: TenantId, seen: &SeenOperators, now: Timestamp) -> Result<()> {
    let all = [seen.connected.as_slice(), &seen.gone].concat();
    let presences = operators::of(tx, tenant, &all).await?;
    let ids: Vec<AccountId> = presences.iter().map(|one| one.account_id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    operators::seen(tx, tenant, &ids, now).await?;
    let returns = |one: &&operators::StoredPresence| {
        let is_away = presence_of(Some(one.chosen), one.seen_at, now) == OperatorPresence::Away;
        is_away && one.chosen != OperatorPresence::Away
    };
    let returned: HashMap<_, _> = presences.iter().filter(returns).map(|one| (one.account_id, one.chosen)).collect();
    emit_presences(tx, tenant, &returned, now).await?;
    for id in seen.gone.iter().filter(|id| ids.contains(id)) {
        store::base::timers::set(tx, tenant, TimerKind::OperatorAway, *id, away_from(now)).await?;
    }
    Ok(())
}

async fn end_grace(tx: &mut Tx<'_>, timer: &DueTimer, now: Timestamp) -> Result<()> {
    let id = timer.id().filter(|_| timer.due_at <= now);
    let (Some(id), true) = (id, store::base::timers::take(tx, timer).await?) else { return Ok(()) };
    let presences = operators::of(tx, timer.tenant, &[id]).await?;
    let is_lost = |one: &&operators::StoredPresence| {
        one.chosen != OperatorPresence::Away
            && presence_of(Some(one.chosen), one.seen_at, now) == OperatorPresence::Away
    };
    let lost: HashMap<_, _> =
        presences.iter().filter(is_lost).map(|one| (one.account_id, OperatorPresence::Away)).collect();
    emit_presences(tx, timer.tenant, &lost, now).await
}
