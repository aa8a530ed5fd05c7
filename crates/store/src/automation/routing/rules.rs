//! Rules of routing. A tenant has few.

use domain::automation::routing::{OrderedRule, RoutingRule};
use domain::{RoutingRuleId, TenantId};

use crate::base::columns::{insert, record, select, update};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = insert!("routing_rules": OrderedRule);
    UPDATE = update!("routing_rules": OrderedRule);
    LIST = select!(OrderedRule, " FROM routing_rules WHERE tenant_id = $1");
    REMOVE = "DELETE FROM routing_rules WHERE tenant_id = $1 AND id = $2";
    AUTOMATIC_TEAM = "SELECT id FROM teams WHERE tenant_id = $1 AND method <> 'by_hand' LIMIT 1";
}

record! { RoutingRule { id, name, conditions, to_former_operator, target, stop } }
record! { OrderedRule { rule: RoutingRule, position, enabled, created_at, updated_at } }

pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &OrderedRule) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await.map(drop)
}

pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, changed: &OrderedRule) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(changed)).await.map(drop)
}

/// All rules of a tenant, in their order.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<OrderedRule>> {
    Ok(ordered(db.rows(&LIST, params![tenant], read).await?))
}

pub async fn list_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<OrderedRule>> {
    Ok(ordered(tx.rows(&LIST, params![tenant], read).await?))
}

fn ordered(mut rules: Vec<OrderedRule>) -> Vec<OrderedRule> {
    rules.sort_by_key(|one| (one.position, one.rule.id));
    rules
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: RoutingRuleId) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, id]).await.map(drop)
}

/// Whether a rule is enabled, or a team's conversations are not taken by hand.
pub async fn is_routing_used(tx: &mut Tx<'_>, tenant: TenantId) -> Result<bool> {
    let is_automatic = tx.row(&AUTOMATIC_TEAM, params![tenant], |_| Ok(())).await?.is_some();
    Ok(is_automatic || list_in(tx, tenant).await?.iter().any(|one| one.enabled))
}
