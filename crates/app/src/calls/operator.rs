//! The operator of a call.

use domain::calls::CallOperator;
use domain::{AccountId, Field, TenantId};
use store::Tx;

use crate::{Error, Result};

/// Finds the account that a request names by id or e-mail address.
pub(super) async fn find_operator(tx: &mut Tx<'_>, tenant: TenantId, who: &str) -> Result<CallOperator> {
    let found = match who.parse::<AccountId>() {
        Ok(id) => store::identity::accounts::by_id_in(tx, tenant, id).await?,
        Err(_) => store::identity::accounts::by_email_in(tx, tenant, &who.trim().to_lowercase()).await?,
    };
    let account = found.filter(|account| account.removed_at.is_none());
    let account = account.ok_or_else(|| Error::invalid(Field::Operator, "no account has this id or e-mail address"))?;
    Ok(CallOperator { id: account.id, email: account.email, name: account.name })
}
