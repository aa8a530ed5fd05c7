//! Stored templates: a record of kind `template` by id, and a pointer to it from account, name and language.

use domain::{TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::Tx;
use store::platform::sandbox;
use store::platform::sandbox::records::Kind;

use super::records;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Template {
    pub id: String,
    pub account_id: String,
    pub name: String,
    pub language: String,
    /// `MARKETING`, `UTILITY`, `AUTHENTICATION`.
    pub category: String,
    /// `POSITIONAL` or `NAMED`.
    pub parameter_format: String,
    pub components: Vec<Value>,
    pub verdict: Verdict,
    /// `GREEN`, `YELLOW`, `RED`, `UNKNOWN`.
    pub quality: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Result of the review, in force from `at` on; before that the template is under review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub at: Timestamp,
    /// `APPROVED`, `REJECTED`, `PAUSED`, `DISABLED`.
    pub status: String,
    /// `NONE`, or the reason of a rejection.
    pub reason: String,
}

pub const PENDING: &str = "PENDING";
pub const APPROVED: &str = "APPROVED";

impl Template {
    /// The status follows from the clock, so no background task has to apply the verdict.
    pub fn status(&self, now: Timestamp) -> &str {
        if now < self.verdict.at { PENDING } else { &self.verdict.status }
    }

    fn pointer(account_id: &str, name: &str, language: &str) -> String {
        format!("template:{account_id}:{name}:{language}")
    }
}

#[boxed::futures]
pub async fn by_id(tx: &mut Tx<'_>, tenant: TenantId, id: &str) -> store::Result<Option<Template>> {
    records::read_for_update(tx, tenant, Kind::Template, id).await
}

#[boxed::futures]
pub async fn by_name(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    account_id: &str,
    name: &str,
    language: &str,
) -> store::Result<Option<Template>> {
    let pointer = Template::pointer(account_id, name, language);
    match records::read::<String>(tx, tenant, Kind::Setting, &pointer).await? {
        Some(id) => records::read(tx, tenant, Kind::Template, &id).await,
        None => Ok(None),
    }
}

/// False, and nothing is stored, when the account already has a template of this name and language.
#[boxed::futures]
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Template, now: Timestamp) -> store::Result<bool> {
    let pointer = Template::pointer(&new.account_id, &new.name, &new.language);
    if !sandbox::records::insert(tx, tenant, Kind::Setting, &records::to_record(&pointer, &new.id, now)).await? {
        return Ok(false);
    }
    save(tx, tenant, new, now).await?;
    Ok(true)
}

/// Stores the template, in place of an earlier one with its id.
#[boxed::futures]
pub async fn save(tx: &mut Tx<'_>, tenant: TenantId, template: &Template, now: Timestamp) -> store::Result<()> {
    records::write(tx, tenant, Kind::Template, &template.id, template, now).await
}

#[boxed::futures]
pub async fn delete(tx: &mut Tx<'_>, tenant: TenantId, template: &Template) -> store::Result<()> {
    let pointer = Template::pointer(&template.account_id, &template.name, &template.language);
    sandbox::records::delete(tx, tenant, Kind::Setting, &pointer).await?;
    sandbox::records::delete(tx, tenant, Kind::Template, &template.id).await.map(drop)
}

/// All templates of an account, oldest first.
#[boxed::futures]
pub async fn list(tx: &mut Tx<'_>, tenant: TenantId, account_id: &str) -> store::Result<Vec<Template>> {
    let rows = sandbox::records::list_in(tx, tenant, Kind::Template).await?;
    let mut templates: Vec<Template> = rows.iter().filter_map(records::parsed).collect();
    templates.retain(|template| template.account_id == account_id);
    templates.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
    Ok(templates)
}
