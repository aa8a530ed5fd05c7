//! Webhooks and their deliveries.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod deliveries;
pub(super) mod delivery;
pub(super) mod event_types;
pub(super) mod list;
pub(super) mod recover;
pub(super) mod recovery;
pub(super) mod retry;
pub(super) mod rotate_secret;
pub(super) mod samples;
pub(super) mod shape;
pub(super) mod show;
pub(super) mod summary;
pub(super) mod test;
pub(super) mod update;

use domain::{DeliveryId, WebhookId};
use serde::Deserialize;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// Parses a webhook id. A text that is no id names no webhook, so the error is 404, not 400.
fn webhook_id(text: &str) -> ApiResult<WebhookId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such webhook"))
}

/// The ids in the path of a delivery.
#[derive(Debug, Deserialize)]
pub(crate) struct DeliveryPath {
    id: String,
    delivery_id: String,
}

impl DeliveryPath {
    fn ids(&self) -> ApiResult<(WebhookId, DeliveryId)> {
        let delivery = || ApiError::new(NOT_FOUND, "There is no such delivery");
        Ok((webhook_id(&self.id)?, self.delivery_id.parse().map_err(|_| delivery())?))
    }
}
