//! `GET|POST /{phone_number_id}/whatsapp_business_profile`: the business profile that people see.

use domain::messaging::channels::Channel;
use domain::{ChannelId, TenantId, Timestamp};
use serde_json::{Map, Value, json};
use store::Tx;
use store::platform::sandbox::records::Kind;

use super::access::Key;
use super::answer;
use super::error::{GraphError, GraphResult};
use super::parts::{Checked, Part, is_link};
use super::request::GraphRequest;
use crate::core::records;
use crate::{Reply, Sandbox};

const VERTICALS: [&str; 21] = [
    "OTHER",
    "AUTO",
    "BEAUTY",
    "APPAREL",
    "EDU",
    "ENTERTAIN",
    "EVENT_PLAN",
    "FINANCE",
    "GROCERY",
    "GOVT",
    "HOTEL",
    "HEALTH",
    "NONPROFIT",
    "PROF_SERVICES",
    "RETAIL",
    "TRAVEL",
    "RESTAURANT",
    "ALCOHOL",
    "ONLINE_GAMBLING",
    "PHYSICAL_GAMBLING",
    "OTC_DRUGS",
];
const MAX_WEBSITES: usize = 2;
const MAX_WEBSITE: usize = 256;
/// Texts that an empty string clears, with their limits in characters.
const TEXTS: [(&str, usize); 3] = [("address", 256), ("description", 256), ("email", 128)];

/// Key of the record of kind `setting` that holds the changed members of a profile; one that was cleared is null.
fn record_key(channel: ChannelId) -> String {
    format!("profile:{channel}")
}

pub async fn get(sandbox: &Sandbox, key: &Key, request: &GraphRequest, id: &str) -> GraphResult<Reply> {
    let opened = key.number(sandbox, id).await?;
    let name = record_key(opened.channel.id);
    let changed = store::platform::sandbox::records::get(sandbox.db(), opened.tenant, Kind::Setting, &name).await?;
    let changed: Map<String, Value> = changed.as_ref().and_then(records::parsed).unwrap_or_default();
    let mut profile = profile(&opened.channel, changed);
    if let Some(fields) = request.query.get("fields") {
        profile = answer::only(profile, Some(&format!("{fields},messaging_product")));
    }
    Ok(answer::ok(&json!({ "data": [profile] })))
}

/// The profile of a new number with the members of `changed` in place; those that are null are left out.
fn profile(channel: &Channel, changed: Map<String, Value>) -> Value {
    let initial = json!({
        "about": channel.name,
        "description": "A number of the sandbox",
        "vertical": "OTHER",
        "messaging_product": "whatsapp",
    });
    let mut members = if let Value::Object(members) = initial { members } else { Map::new() };
    members.extend(changed);
    members.retain(|_, value| !value.is_null());
    Value::Object(members)
}

pub async fn update(sandbox: &Sandbox, key: &Key, request: GraphRequest, id: &str) -> GraphResult<Reply> {
    let opened = key.number(sandbox, id).await?;
    let body = request.json().await?;
    let changes = changes(&Part::root(&body)?)?;
    let input = (opened.tenant, opened.channel.id, changes, sandbox.now());
    let write = sandbox.db().write(input, |tx, (tenant, channel, changes, now)| {
        Box::pin(merge(tx, *tenant, record_key(*channel), changes, *now))
    });
    write.await?;
    Ok(answer::success())
}

async fn merge(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    key: String,
    changes: &Map<String, Value>,
    now: Timestamp,
) -> store::Result<()> {
    let known = records::read_for_update::<Map<String, Value>>(tx, tenant, Kind::Setting, &key).await?;
    let mut members = known.unwrap_or_default();
    members.extend(changes.clone());
    records::write(tx, tenant, Kind::Setting, &key, &members, now).await
}

fn changes(root: &Part<'_>) -> Checked<Map<String, Value>> {
    if root.opt_text("messaging_product")? != Some("whatsapp") {
        return Err(GraphError::parameter("The parameter messaging_product is required."));
    }
    let mut changes = Map::new();
    if let Some(about) = root.opt_text_up_to("about", 139)? {
        changes.insert("about".to_owned(), json!(about));
    }
    for (member, max) in TEXTS {
        match root.opt_text(member)? {
            Some("") => drop(changes.insert(member.to_owned(), Value::Null)),
            Some(_) => drop(changes.insert(member.to_owned(), json!(root.text_up_to(member, max)?))),
            None => {}
        }
    }
    if changes.get("email").and_then(Value::as_str).is_some_and(|email| !is_address(email)) {
        return Err(root.invalid("email", "is not a valid email address"));
    }
    if root.get("vertical").is_some() {
        changes.insert("vertical".to_owned(), json!(root.word("vertical", &VERTICALS)?));
    }
    if let Some(websites) = root.opt_list("websites")? {
        changes.insert("websites".to_owned(), checked_websites(root, websites)?);
    }
    // Checked and dropped: the sandbox has no pictures.
    root.opt_text_up_to("profile_picture_handle", 2048)?;
    Ok(changes)
}

/// Checks the websites; null for an empty list, which clears them.
fn checked_websites(root: &Part<'_>, websites: &[Value]) -> Checked<Value> {
    if websites.len() > MAX_WEBSITES {
        return Err(root.invalid("websites", format!("has {} elements, at most {MAX_WEBSITES}", websites.len())));
    }
    for (index, website) in websites.iter().enumerate() {
        let fits = |link: &str| link.chars().count() <= MAX_WEBSITE && is_link(link);
        if !website.as_str().is_some_and(fits) {
            let why = format!("is not an http or https URL of at most {MAX_WEBSITE} characters");
            return Err(root.invalid(&format!("websites[{index}]"), why));
        }
    }
    Ok(if websites.is_empty() { Value::Null } else { json!(websites) })
}

fn is_address(text: &str) -> bool {
    let parts = text.split_once('@');
    parts.is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.contains('@') && !text.contains(char::is_whitespace)
    })
}
