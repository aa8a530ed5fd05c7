//! What tenants demand of sessions in their consoles.

use const_format::concatcp;
use domain::identity::memberships::ConsoleAccess;
use domain::{TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    FIND = select!(ConsoleAccess, " FROM console_access WHERE tenant_id = $1");
    SAVE = concatcp!(
        insert!("console_access": ConsoleAccess, "updated_at"),
        " ON CONFLICT (tenant_id) DO UPDATE SET single_sign_on = excluded.single_sign_on,
         networks = excluded.networks, updated_at = excluded.updated_at"
    );
}

record! { ConsoleAccess { single_sign_on, networks } }

/// A tenant without a row demands nothing.
pub async fn find(db: &Db, tenant: TenantId) -> Result<ConsoleAccess> {
    Ok(db.row(&FIND, params![tenant], read).await?.unwrap_or_default())
}

pub async fn save(tx: &mut Tx<'_>, tenant: TenantId, access: &ConsoleAccess, now: Timestamp) -> Result<()> {
    tx.execute(&SAVE, &Params::for_tenant(tenant).and(access).with(now)).await.map(drop)
}
