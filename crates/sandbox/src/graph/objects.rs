//! Reads objects by id (number, account, file, template) and read-only edges of accounts and numbers.

use app::messaging::channels::OpenedChannel;
use domain::messaging::channels::{Channel, SANDBOX};
use http::Method;
use serde_json::{Value, json};

use super::access::Key;
use super::answer::{self, unsupported};
use super::error::GraphResult;
use super::request::GraphRequest;
use super::{media, templates};
use crate::core::network_state::NumberState;
use crate::{Reply, Sandbox};

pub async fn get(sandbox: &Sandbox, key: &Key, request: GraphRequest, id: &str) -> GraphResult<Reply> {
    key.token()?;
    let fields = request.query.get("fields");
    let channels = sandbox.app().messaging().channels().of_network(SANDBOX, id).await?;
    if channels.iter().any(|opened| opened.channel.phone_number_id == id) {
        let opened = key.number(sandbox, id).await?;
        let state = sandbox.number_state(opened.tenant, opened.channel.id).await?;
        return Ok(answer::ok(&answer::only(number(&opened.channel, &state), fields)));
    }
    if !channels.is_empty() {
        let opened = key.account(sandbox, id).await?;
        return Ok(answer::ok(&answer::only(account(id, &opened), fields)));
    }
    if let Some(file) = media::describe(sandbox, key, &request, id).await? {
        return Ok(answer::ok(&file));
    }
    match templates::describe(sandbox, key, id).await? {
        Some(template) => Ok(answer::ok(&answer::only(template, fields))),
        None => Err(key.no_object(id)),
    }
}

fn number(channel: &Channel, state: &NumberState) -> Value {
    let registered = state.unregistered_since.is_none();
    json!({
        "id": channel.phone_number_id,
        "verified_name": channel.name,
        "display_phone_number": channel.phone_number,
        "code_verification_status": "VERIFIED",
        "quality_rating": "GREEN",
        "platform_type": if registered { "CLOUD_API" } else { "NOT_APPLICABLE" },
        "throughput": { "level": "STANDARD" },
        "status": if registered { "CONNECTED" } else { "DISCONNECTED" },
        "name_status": "APPROVED",
        "messaging_limit_tier": "TIER_UNLIMITED",
        "account_mode": "SANDBOX",
        "is_official_business_account": false,
    })
}

fn account(id: &str, channels: &[OpenedChannel]) -> Value {
    let name = channels.first().map_or("", |opened| opened.channel.name.as_str());
    json!({
        "id": id,
        "name": name,
        "timezone_id": "1",
        "currency": "USD",
        "message_template_namespace": format!("sandbox_{id}"),
        "account_review_status": "APPROVED",
        "business_verification_status": "verified",
        "status": "ACTIVE",
    })
}

pub async fn phone_numbers(sandbox: &Sandbox, key: &Key, request: &GraphRequest, id: &str) -> GraphResult<Reply> {
    let channels = key.account(sandbox, id).await?;
    let fields = request.query.get("fields");
    let mut numbers = Vec::new();
    for OpenedChannel { tenant, channel, .. } in &channels {
        let state = sandbox.number_state(*tenant, channel.id).await?;
        numbers.push(answer::only(number(channel, &state), fields));
    }
    let cursors =
        |opened: Option<&OpenedChannel>| opened.map_or(String::new(), |opened| opened.channel.phone_number_id.clone());
    let (before, after) = (cursors(channels.first()), cursors(channels.last()));
    Ok(answer::ok(&json!({ "data": numbers, "paging": { "cursors": { "before": before, "after": after } } })))
}

/// Subscribing and unsubscribing have no effect: the sandbox always posts its webhooks.
pub async fn subscribed_apps(sandbox: &Sandbox, key: &Key, method: &Method, id: &str) -> GraphResult<Reply> {
    if ![Method::GET, Method::POST, Method::DELETE].contains(method) {
        return Err(unsupported(method, id));
    }
    key.account(sandbox, id).await?;
    if *method != Method::GET {
        return Ok(answer::success());
    }
    let app = json!({ "whatsapp_business_api_data": { "id": id, "name": "switchboard", "link": "" } });
    Ok(answer::ok(&json!({ "data": [app] })))
}
