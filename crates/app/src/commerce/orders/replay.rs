//! What an order request saves as its outcome under its idempotency key: the keys of the order and of its message. If
//! the first request was interrupted before its answer was saved, a repeated request has no second effect, and its
//! answer shows order and message as they are now. Otherwise it gets the first answer (`base/idempotency/mod.rs`).

use domain::messaging::messages::Message;
use domain::{MessageId, TenantId};
use serde::{Deserialize, Serialize};
use store::Tx;

use super::NO_ORDER;
use super::view::{OrderView, load_view};
use crate::base::idempotency::{IdempotencyScope, save_outcome, saved_outcome};
use crate::{Error, Result, Thing};

/// Only the keys: order and message are read again for the answer.
#[derive(Debug, Serialize, Deserialize)]
struct StoredResult {
    reference_id: String,
    message_id: Option<MessageId>,
}

/// Finds the order and, if the request sent one, the message of an earlier request with the same idempotency key.
pub(super) async fn find_previous(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    scope: Option<&IdempotencyScope>,
) -> Result<Option<(OrderView, Option<Message>)>> {
    let Some(scope) = scope else { return Ok(None) };
    let Some(outcome) = saved_outcome(tx, scope).await? else { return Ok(None) };
    let stored: StoredResult = serde_json::from_str(&outcome).map_err(|_| NO_ORDER)?;
    let message = match stored.message_id {
        Some(id) => Some(
            store::messaging::messages::by_id_for_update(tx, tenant, id)
                .await?
                .ok_or(Error::NotFound(Thing::Message))?,
        ),
        None => None,
    };
    Ok(Some((load_view(tx, tenant, &stored.reference_id).await?, message)))
}

/// Saves the result under the idempotency key, if the request has one.
pub(super) async fn store_result(
    tx: &mut Tx<'_>,
    scope: Option<&IdempotencyScope>,
    reference: &str,
    message: Option<MessageId>,
) -> Result<()> {
    let Some(scope) = scope else { return Ok(()) };
    let result = StoredResult { reference_id: reference.to_owned(), message_id: message };
    save_outcome(tx, scope, &domain::to_json(&result)).await
}
