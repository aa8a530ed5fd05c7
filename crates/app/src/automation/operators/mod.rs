//! Operators: the presence that each chooses, and what each has to do.

mod connections;

use std::collections::HashMap;

use domain::automation::routing::{OperatorPresence, Roster, effective_presence};
use domain::delivery::events::{Fact, FactCause, InboxChange, InboxSubject};
use domain::{AccountId, Field, TenantId, Timestamp};
use serde_json::json;
use store::Tx;
use store::automation::routing::operators::{OperatorRow, StoredPresence};

use crate::automation::Automation;
use crate::base::emit::emit;
use crate::{Actor, ActsFor, Error, Result, Thing};

/// The name of the caller in requests.
const ME: &str = "me";

#[derive(Debug)]
pub struct Operators<'a>(&'a Automation);

impl Automation {
    pub fn operators(&self) -> Operators<'_> {
        Operators(self)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorView {
    pub id: AccountId,
    pub email: String,
    pub name: String,
    /// The presence that counts.
    pub presence: OperatorPresence,
    /// None: the operator has never chosen one.
    pub chosen: Option<OperatorPresence>,
    /// The number of the operator's open conversations.
    pub open: i64,
    /// The greatest capacity that the operator's teams allow.
    pub capacity: i64,
}

#[derive(Debug)]
struct PresenceChoice {
    tenant: TenantId,
    presence: StoredPresence,
    /// For the audit log; None if the operator chooses for themselves.
    actor: Option<Actor>,
    by: Option<String>,
    cause: FactCause,
    now: Timestamp,
}

/// The presence that counts of an operator who has chosen one, or none.
pub(super) fn presence_of(
    chosen: Option<OperatorPresence>,
    seen_at: Option<Timestamp>,
    now: Timestamp,
) -> OperatorPresence {
    chosen.map_or(OperatorPresence::Away, |chosen| effective_presence(chosen, seen_at, now))
}

#[boxed::futures]
impl Operators<'_> {
    /// The active accounts of the tenant, sorted by name.
    pub async fn list(&self, caller: &dyn ActsFor) -> Result<Vec<OperatorView>> {
        let (db, tenant, now) = (self.0.db(), caller.tenant(), self.0.now());
        let (rows, teams) = tokio::try_join!(
            store::automation::routing::operators::list(db, tenant),
            store::people::teams::list_with_members(db, tenant)
        )?;
        let roster = Roster::new(teams, Vec::new(), Vec::new(), &[]);
        let view = |row: OperatorRow| OperatorView {
            presence: presence_of(row.chosen, row.seen_at, now),
            capacity: roster.own_capacity(row.id),
            id: row.id,
            email: row.email,
            name: row.name,
            chosen: row.chosen,
            open: row.open,
        };
        let mut all: Vec<OperatorView> = rows.into_iter().map(view).collect();
        all.sort_by_cached_key(|one| (one.name.to_lowercase(), one.id));
        Ok(all)
    }

    /// Sets the presence of an operator: `me`, or the e-mail address or id of an active account. Only with `of_others`
    /// may this be another one than the caller.
    pub async fn set_presence(
        &self,
        caller: &dyn ActsFor,
        who: &str,
        chosen: OperatorPresence,
        of_others: bool,
    ) -> Result<OperatorView> {
        let (own, now) = (caller.account().map(|account| account.id), self.0.now());
        let (id, email) = (who.trim().parse::<AccountId>().ok(), who.trim().to_lowercase());
        let id = if email == ME {
            let message = "this credential does not belong to an operator";
            own.ok_or_else(|| Error::conflict(Field::Operator, message))?
        } else {
            let all = self.list(caller).await?;
            let named = all.iter().find(|one| Some(one.id) == id || one.email == email);
            named.ok_or(Error::NotFound(Thing::Operator))?.id
        };
        let is_own = own == Some(id);
        if !is_own && !of_others {
            let message = "only an administrator can set the presence of another operator";
            return Err(Error::conflict(Field::Operator, message));
        }
        let choice = PresenceChoice {
            tenant: caller.tenant(),
            presence: StoredPresence { account_id: id, chosen, seen_at: is_own.then_some(now) },
            actor: (!is_own).then(|| caller.audit_actor()),
            by: caller.email(),
            cause: caller.cause(),
            now,
        };
        self.0.db().write(choice, |tx, choice| Box::pin(choice.save(tx))).await?;
        self.list(caller).await?.into_iter().find(|one| one.id == id).ok_or(Error::NotFound(Thing::Operator))
    }
}

impl PresenceChoice {
    async fn save(&self, tx: &mut Tx<'_>) -> Result<()> {
        let Self { tenant, presence, actor, by, cause, now } = self;
        let StoredPresence { account_id, chosen, seen_at } = presence;
        let known = store::automation::routing::operators::of(tx, *tenant, &[*account_id]).await?;
        let known = known.first();
        let last_seen = seen_at.or(known.and_then(|one| one.seen_at));
        let was = known.map(|one| (one.chosen, presence_of(Some(one.chosen), one.seen_at, *now)));
        let is = (*chosen, presence_of(Some(*chosen), last_seen, *now));
        store::automation::routing::operators::choose(tx, *tenant, presence).await?;
        if was == Some(is) {
            return Ok(());
        }
        if let Some(actor) = actor {
            let details = json!({"presence": chosen});
            actor.record(tx, *tenant, *now, "account.set_presence", &account_id.to_string(), details).await?;
        }
        let change = InboxChange {
            presence: Some((*account_id, is.1.name())),
            operator: by.as_deref(),
            cause: *cause,
            ..InboxChange::about(InboxSubject::Operators)
        };
        emit(tx, *tenant, &[Fact::inbox_changed(now.to_millis(), &change)]).await
    }
}

/// Emits the presence that counts of these operators.
async fn emit_presences(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    changed: &HashMap<AccountId, OperatorPresence>,
    now: Timestamp,
) -> Result<()> {
    let fact = |(id, presence): (&AccountId, &OperatorPresence)| {
        let presence = Some((*id, presence.name()));
        Fact::inbox_changed(now.to_millis(), &InboxChange { presence, ..InboxChange::about(InboxSubject::Operators) })
    };
    emit(tx, tenant, &changed.iter().map(fact).collect::<Vec<_>>()).await
}
