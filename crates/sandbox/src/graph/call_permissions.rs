//! `GET /{phone_number_id}/call_permissions?user_wa_id=`: whether the business may call a person.
//!
//! Everyone in the sandbox grants the permission for good, and the sandbox counts no calls, so an answer has neither an
//! expiry time nor limits.

use serde_json::json;

use super::access::Key;
use super::error::{GraphError, GraphResult};
use super::request::GraphRequest;
use super::{answer, number_settings};
use crate::{Reply, Sandbox};

pub async fn get(sandbox: &Sandbox, key: &Key, request: &GraphRequest, id: &str) -> GraphResult<Reply> {
    let opened = key.number(sandbox, id).await?;
    let named = request.query.get("user_wa_id").map(String::as_str).unwrap_or_default();
    let phone: String = named.chars().filter(char::is_ascii_digit).collect();
    if phone.is_empty() {
        return Err(GraphError::parameter("The parameter user_wa_id is required.").into());
    }
    sandbox.ensure_people(opened.tenant).await?;
    let people = store::platform::sandbox::people::list(sandbox.db(), opened.tenant).await?;
    if !people.iter().any(|person| person.phone.as_deref() == Some(phone.as_str())) {
        return Err(GraphError::with_code(131_026).into());
    }
    let can_call = number_settings::can_call(sandbox.db(), opened.tenant, opened.channel.id).await?;
    Ok(answer::ok(&json!({
        "messaging_product": "whatsapp",
        "permission": { "status": "granted" },
        "actions": [
            { "action_name": "start_call", "can_perform_action": can_call },
            { "action_name": "send_call_permission_request", "can_perform_action": false },
        ],
    })))
}
