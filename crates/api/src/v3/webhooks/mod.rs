//! Endpoints that are told of events, and what was delivered to them.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod deliveries;
pub(super) mod delivery;
pub(super) mod event_types;
pub(super) mod list;
pub(super) mod recover;
pub(super) mod retry;
pub(super) mod rotate_secret;
pub(super) mod shape;
pub(super) mod show;
pub(super) mod test;
pub(super) mod update;

use domain::{DeliveryId, WebhookId};
use serde::Deserialize;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// What has not even the shape of an id is not there.
fn webhook_id(text: &str) -> ApiResult<WebhookId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such webhook"))
}

/// A delivery in the path.
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
