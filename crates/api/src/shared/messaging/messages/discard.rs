//! Deletes files that no message uses.

use domain::MediaId;

use crate::prelude::*;

/// Deletes a file that neither a message nor a canned reply uses. If that fails, the sweep deletes it later.
pub(crate) async fn discard(state: &ApiState, caller: &Caller, file: MediaId) {
    if let Err(error) = state.app.messaging().media().discard(caller, file).await {
        tracing::warn!(%error, "an unused file could not be deleted");
    }
}
