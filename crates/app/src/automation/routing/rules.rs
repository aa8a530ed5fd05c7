//! The rules of a tenant.

use std::collections::BTreeSet;

use domain::automation::routing::{MAX_RULES, OrderedRule, RoutingConditions, RoutingRule, RoutingTarget, check_rule};
use domain::base::timers::TimerKind;
use domain::delivery::events::{Fact, InboxChange, InboxSubject};
use domain::identity::accounts::Account;
use domain::{ConversationId, Field, Id, Place, RoutingRuleId, TenantId, Timestamp};
use serde_json::json;
use store::Tx;

use super::Routing;
use super::switch::switch;
use crate::base::emit::emit;
use crate::{Actor, ActsFor, Error, Result, Thing};

const NO_RULE: Error = Error::NotFound(Thing::RoutingRule);

/// A new rule, or a change of one: None leaves a member as it is.
#[derive(Debug, Clone, Default)]
pub struct RuleRequest {
    pub name: Option<String>,
    pub enabled: Option<bool>,
    /// 1 for the first rule. A new rule without a position is the last one.
    pub position: Option<i64>,
    pub conditions: Option<RoutingConditions>,
    pub to_former_operator: Option<bool>,
    pub target: Option<RoutingTarget>,
    pub stop: Option<bool>,
}

#[derive(Debug)]
struct RuleWrite {
    tenant: TenantId,
    actor: Actor,
    /// None for a new rule.
    id: Option<RoutingRuleId>,
    request: RuleRequest,
    now: Timestamp,
}

#[boxed::futures]
impl Routing<'_> {
    /// All rules, in their order.
    pub async fn list(&self, caller: &dyn ActsFor) -> Result<Vec<OrderedRule>> {
        Ok(store::automation::routing::rules::list(self.0.db(), caller.tenant()).await?)
    }

    pub async fn find(&self, caller: &dyn ActsFor, id: RoutingRuleId) -> Result<OrderedRule> {
        self.list(caller).await?.into_iter().find(|one| one.rule.id == id).ok_or(NO_RULE)
    }

    pub async fn create(&self, caller: &dyn ActsFor, request: RuleRequest) -> Result<OrderedRule> {
        self.write(caller, None, request).await
    }

    pub async fn update(&self, caller: &dyn ActsFor, id: RoutingRuleId, request: RuleRequest) -> Result<OrderedRule> {
        self.write(caller, Some(id), request).await
    }

    pub async fn remove(&self, caller: &dyn ActsFor, id: RoutingRuleId) -> Result<()> {
        let input = (caller.tenant(), id, caller.audit_actor(), self.0.now().to_millis());
        let removed = self.0.db().write(input, |tx, (tenant, id, actor, now)| {
            Box::pin(async move {
                let all = store::automation::routing::rules::list_in(tx, *tenant).await?;
                let (gone, left): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.rule.id == *id);
                let gone = gone.into_iter().next().ok_or(NO_RULE)?;
                store::automation::routing::rules::remove(tx, *tenant, *id).await?;
                renumber(tx, *tenant, left).await?;
                let details = json!({"name": gone.rule.name});
                actor.record(tx, *tenant, *now, "routing_rule.delete", &id.to_string(), details).await?;
                follow_change(tx, *tenant, *now).await
            })
        });
        removed.await
    }

    async fn write(
        &self,
        caller: &dyn ActsFor,
        id: Option<RoutingRuleId>,
        request: RuleRequest,
    ) -> Result<OrderedRule> {
        let tenant = caller.tenant();
        self.check_names(tenant, &request).await?;
        let now = self.0.now().to_millis();
        let write = RuleWrite { tenant, actor: caller.audit_actor(), id, request, now };
        self.0.db().write(write, |tx, write| Box::pin(write.run(tx))).await
    }

    /// Checks that what the request names exists.
    async fn check_names(&self, tenant: TenantId, request: &RuleRequest) -> Result<()> {
        let db = self.0.db();
        if let Some(RoutingConditions { channels, labels, segments, hours, .. }) = &request.conditions {
            if !channels.is_empty() {
                let all = store::messaging::channels::list(db, tenant).await?;
                check_ids("channels", channels, &all.iter().map(|stored| stored.channel.id).collect())?;
            }
            if !labels.is_empty() {
                let all = store::people::labels::list(db, tenant).await?;
                check_ids("labels", labels, &all.iter().map(|label| label.id).collect())?;
            }
            if !segments.is_empty() {
                let all = store::people::segments::list(db, tenant).await?;
                check_ids("segments", segments, &all.iter().map(|segment| segment.id).collect())?;
            }
            if let Some(hours) = hours {
                let all = store::automation::opening_hours::list(db, tenant).await?;
                check_ids("hours", &[hours.opening_hours_id].into(), &all.iter().map(|hours| hours.id).collect())?;
            }
        }
        let (is_known, message) = match request.target {
            Some(RoutingTarget::Team(id)) => {
                let all = store::people::teams::names(db, tenant).await?;
                (all.iter().any(|team| team.id == id), "no team has this id")
            }
            Some(RoutingTarget::Operator(id)) => {
                let found = store::identity::accounts::by_id(db, tenant, id).await?;
                (found.as_ref().is_some_and(Account::is_active), "no active operator has this id")
            }
            Some(RoutingTarget::Unassigned) | None => (true, ""),
        };
        if is_known { Ok(()) } else { Err(Error::invalid(Field::Target.member(Field::Id), message)) }
    }
}

fn check_ids<K>(list: &'static str, named: &BTreeSet<Id<K>>, known: &BTreeSet<Id<K>>) -> Result<()> {
    match named.iter().find(|id| !known.contains(id)) {
        Some(id) => {
            Err(Error::invalid(Place::from(Field::Conditions).key(list), format!("there is none with the id {id}")))
        }
        None => Ok(()),
    }
}

impl RuleWrite {
    async fn run(&self, tx: &mut Tx<'_>) -> Result<OrderedRule> {
        let mut all = store::automation::routing::rules::list_in(tx, self.tenant).await?;
        let known = self.id.map(|id| all.iter().position(|one| one.rule.id == id).ok_or(NO_RULE)).transpose()?;
        if known.is_none() && all.len() >= MAX_RULES {
            let (used, max) = (all.len() as u64, MAX_RULES as u64);
            return Err(Error::LimitReached { limit: "routing_rules", used, max });
        }
        let before = known.map(|place| all.remove(place));
        let mut changed = self.changed(before.as_ref())?;
        let last = i64::try_from(all.len()).unwrap_or(i64::MAX) + 1;
        let position = self.request.position.or(before.as_ref().map(|one| one.position)).unwrap_or(last);
        if !(1..=last).contains(&position) {
            return Err(Error::invalid(Place::named("position"), format!("expected 1 to {last}")));
        }
        changed.position = position;
        if before.is_some() {
            store::automation::routing::rules::update(tx, self.tenant, &changed).await?;
        } else {
            store::automation::routing::rules::insert(tx, self.tenant, &changed).await?;
        }
        all.insert(usize::try_from(position - 1).unwrap_or(0), changed.clone());
        renumber(tx, self.tenant, all).await?;
        let action = if before.is_some() { "routing_rule.update" } else { "routing_rule.create" };
        let details = json!({"name": changed.rule.name, "enabled": changed.enabled, "position": position});
        self.actor.record(tx, self.tenant, self.now, action, &changed.rule.id.to_string(), details).await?;
        follow_change(tx, self.tenant, self.now).await?;
        Ok(changed)
    }

    fn changed(&self, before: Option<&OrderedRule>) -> Result<OrderedRule> {
        let new = || OrderedRule {
            rule: RoutingRule {
                id: Id::new(self.now),
                name: String::new(),
                conditions: RoutingConditions::default(),
                to_former_operator: false,
                target: RoutingTarget::Unassigned,
                stop: false,
            },
            position: 0,
            enabled: true,
            created_at: self.now,
            updated_at: self.now,
        };
        let RuleRequest { name, enabled, conditions, to_former_operator, target, stop, .. } = &self.request;
        let mut one = OrderedRule { updated_at: self.now, ..before.cloned().unwrap_or_else(new) };
        if let Some(conditions) = conditions {
            one.rule.conditions.clone_from(conditions);
        }
        let name = name.as_ref().unwrap_or(&one.rule.name);
        one.rule.name = check_rule(name, &one.rule.conditions).map_err(|error| Error::of_field(&error))?.to_owned();
        one.enabled = enabled.unwrap_or(one.enabled);
        one.rule.to_former_operator = to_former_operator.unwrap_or(one.rule.to_former_operator);
        one.rule.target = target.unwrap_or(one.rule.target);
        one.rule.stop = stop.unwrap_or(one.rule.stop);
        Ok(one)
    }
}

/// Numbers the rules in this order.
async fn renumber(tx: &mut Tx<'_>, tenant: TenantId, rules: Vec<OrderedRule>) -> Result<()> {
    for (position, one) in (1..).zip(rules) {
        if one.position != position {
            let moved = OrderedRule { position, ..one };
            store::automation::routing::rules::update(tx, tenant, &moved).await?;
        }
    }
    Ok(())
}

/// The rules are applied again to conversations that wait.
async fn follow_change(tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp) -> Result<()> {
    switch(tx, tenant, now).await?;
    store::base::timers::set(tx, tenant, TimerKind::RoutingPass, ConversationId::LEAST, now).await?;
    let change = InboxChange::about(InboxSubject::RoutingRules);
    emit(tx, tenant, &[Fact::inbox_changed(now, &change)]).await
}
