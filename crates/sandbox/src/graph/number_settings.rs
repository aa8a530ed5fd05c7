//! `GET|POST /{phone_number_id}/settings`: calling, payload encryption, storage and identity checks of a number.
//!
//! A request changes one of these four. Words such as `enabled` are accepted in any letter case and answered as they
//! were posted. Only `calling.status` has an effect in the sandbox: calls over a number where it is disabled are
//! refused, in both directions.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::{ChannelId, TenantId, Timestamp};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use store::platform::sandbox::records::Kind;
use store::{Db, Tx};

use super::access::Key;
use super::answer;
use super::error::{GraphError, GraphResult};
use super::parts::{Checked, Part};
use super::request::GraphRequest;
use crate::core::records;
use crate::{Reply, Sandbox};

const FEATURES: [&str; 4] = ["calling", "user_identity_change", "payload_encryption", "storage_configuration"];
const SWITCH: [&str; 2] = ["enabled", "disabled"];
const ICONS: [&str; 4] = ["visible", "hidden", "default", "disable_all"];
const KEY_EXCHANGES: [&str; 4] = ["DTLS-SRTP", "SDES-SRTP", "DTLS", "SDES"];

/// Key of the record of kind `setting` that holds the changed settings of a number as `GET` answers them.
fn record_key(channel: ChannelId) -> String {
    format!("number_settings:{channel}")
}

pub async fn get(sandbox: &Sandbox, key: &Key, id: &str) -> GraphResult<Reply> {
    let opened = key.number(sandbox, id).await?;
    let name = record_key(opened.channel.id);
    let known = store::platform::sandbox::records::get(sandbox.db(), opened.tenant, Kind::Setting, &name).await?;
    let known: Map<String, Value> = known.as_ref().and_then(records::parsed).unwrap_or_default();
    Ok(answer::ok(&settings_to_json(&known)))
}

/// The settings of a new number, replaced by the changed ones. `ip_addresses` is empty: the sandbox has no media
/// servers.
fn settings_to_json(known: &Map<String, Value>) -> Value {
    let mut calling = json!({
        "status": "enabled",
        "call_icon_visibility": "visible",
        "ip_addresses": { "default": [] },
        "callback_permission_status": "enabled",
    });
    for (member, value) in known.get("calling").and_then(Value::as_object).into_iter().flatten() {
        calling[member] = value.clone();
    }
    let mut settings = json!({
        "payload_encryption": { "status": "disabled" },
        "storage_configuration": { "status": "default" },
    });
    for (feature, value) in known {
        settings[feature] = value.clone();
    }
    settings["calling"] = calling;
    settings
}

/// Whether people and the business may call each other on this number.
pub async fn can_call(db: &Db, tenant: TenantId, channel: ChannelId) -> store::Result<bool> {
    let known = store::platform::sandbox::records::get(db, tenant, Kind::Setting, &record_key(channel)).await?;
    let known: Value = known.as_ref().and_then(records::parsed).unwrap_or_default();
    let status = known["calling"]["status"].as_str();
    Ok(!status.is_some_and(|status| status.eq_ignore_ascii_case("disabled")))
}

pub async fn update(sandbox: &Sandbox, key: &Key, request: GraphRequest, id: &str) -> GraphResult<Reply> {
    let opened = key.number(sandbox, id).await?;
    let body = request.json().await?;
    let (feature, change) = change(&Part::root(&body)?)?;
    let input = (opened.tenant, opened.channel.id, feature, change, sandbox.now());
    let write = sandbox.db().write(input, |tx, (tenant, channel, feature, change, now)| {
        Box::pin(merge(tx, *tenant, record_key(*channel), feature, change, *now))
    });
    write.await?;
    Ok(answer::success())
}

/// Stores the change of a feature. Members of `calling` that the request does not name stay; the other features are
/// replaced as a whole.
async fn merge(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    key: String,
    feature: &str,
    change: &Map<String, Value>,
    now: Timestamp,
) -> store::Result<()> {
    let known = records::read_for_update::<Map<String, Value>>(tx, tenant, Kind::Setting, &key).await?;
    let mut known = known.unwrap_or_default();
    let mut members = change.clone();
    if let Some(Value::Object(before)) = known.remove(feature).filter(|_| feature == "calling") {
        members = before.into_iter().chain(members).collect();
    }
    known.insert(feature.to_owned(), Value::Object(members));
    records::write(tx, tenant, Kind::Setting, &key, &known, now).await
}

/// The feature that a request names, and its members as `GET` answers them.
fn change(root: &Part<'_>) -> Checked<(&'static str, Map<String, Value>)> {
    let named: Vec<&'static str> = FEATURES.into_iter().filter(|feature| root.get(feature).is_some()).collect();
    let [feature] = named.as_slice() else {
        let list = FEATURES.join(", ");
        return Err(GraphError::parameter(format!("Exactly one of {{{list}}} must be specified in a request.")));
    };
    let part = root.object(feature)?;
    let members = match *feature {
        "calling" => calling(&part)?,
        "payload_encryption" => payload_encryption(&part)?,
        "storage_configuration" => storage_configuration(&part)?,
        _ => Map::from_iter([("enabled".to_owned(), json!(needed_bool(&part, "enabled")?))]),
    };
    Ok((feature, members))
}

fn calling(part: &Part<'_>) -> Checked<Map<String, Value>> {
    let mut members = Map::new();
    let words: [(&str, &[&str]); 4] = [
        ("status", &SWITCH),
        ("call_icon_visibility", &ICONS),
        ("callback_permission_status", &SWITCH),
        ("srtp_key_exchange_protocol", &KEY_EXCHANGES),
    ];
    any_case(part, "status", &SWITCH)?;
    for (member, allowed) in words {
        if part.get(member).is_some() {
            members.insert(member.to_owned(), json!(any_case(part, member, allowed)?));
        }
    }
    for member in ["call_hours", "sip", "video", "audio"] {
        let Some(inner) = part.opt_object(member)? else { continue };
        any_case(&inner, "status", &SWITCH)?;
        members.insert(member.to_owned(), part.need(member)?.clone());
    }
    if part.opt_object("call_icons")?.is_some() {
        members.insert("call_icons".to_owned(), part.need("call_icons")?.clone());
    }
    Ok(members)
}

/// Checks the setting. In place of the key, its fingerprint is stored and answered.
fn payload_encryption(part: &Part<'_>) -> Checked<Map<String, Value>> {
    let status = any_case(part, "status", &SWITCH)?;
    let mut members = Map::from_iter([("status".to_owned(), json!(status))]);
    if status.eq_ignore_ascii_case("enabled") {
        let key = STANDARD.decode(part.text("client_encryption_key")?);
        let key = key.map_err(|_| part.invalid("client_encryption_key", "is not Base64"))?;
        let fingerprint = format!("SHA256:{}", STANDARD.encode(Sha256::digest(&key)));
        members.insert("client_encryption_key_fingerprint".to_owned(), json!(fingerprint));
    }
    Ok(members)
}

fn storage_configuration(part: &Part<'_>) -> Checked<Map<String, Value>> {
    let mut members = Map::new();
    if needed_bool(part, "enabled")? {
        members.insert("status".to_owned(), json!("in_country_storage_enabled"));
        members.insert("data_localization_region".to_owned(), json!(part.text_up_to("region", 64)?));
    } else {
        members.insert("status".to_owned(), json!("default"));
    }
    Ok(members)
}

fn needed_bool(part: &Part<'_>, member: &str) -> Checked<bool> {
    part.opt_bool(member)?.ok_or_else(|| GraphError::missing(&part.path(member)))
}

/// One of `allowed`, in any letter case.
fn any_case<'a>(part: &Part<'a>, member: &str, allowed: &[&str]) -> Checked<&'a str> {
    let word = part.text(member)?;
    if allowed.iter().any(|known| known.eq_ignore_ascii_case(word)) {
        return Ok(word);
    }
    Err(part.invalid(member, format!("must be one of {{{}}} - got \"{word}\"", allowed.join(", "))))
}
