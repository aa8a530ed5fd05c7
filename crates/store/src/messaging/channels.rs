//! Channels of tenants, with their secrets as sealed bytes.

use const_format::concatcp;
use domain::messaging::channels::{Channel, ChannelProblem, Quality};
use domain::{ChannelId, TenantId, Timestamp};

use crate::base::columns::{Columns, columns, insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = concatcp!(
        insert!("channels": Channel, concatcp!(SealedSecrets::COLUMNS, ", name_key")),
        " ON CONFLICT DO NOTHING"
    );
    pub(crate) LIST = select!(StoredChannel, " FROM channels WHERE tenant_id = $1 ORDER BY id");
    FIND = select!(StoredChannel, " FROM channels WHERE tenant_id = $1 AND id = $2");
    BY_ID tenantless "a hook names its channel and no tenant" = select!(StoredChannel, " FROM channels WHERE id = $1");
    BY_NUMBER_ID tenantless "a request to the sandbox names a number and no tenant" =
        select!(StoredChannel, " FROM channels WHERE phone_number_id = $1 AND network = $2 ORDER BY tenant_id, id");
    BY_ACCOUNT_ID tenantless "a request to the sandbox names an account and no tenant" =
        select!(StoredChannel, " FROM channels WHERE account_id = $1 AND network = $2 ORDER BY tenant_id, id");
    PAGE_OF_NETWORK tenantless "a request to the sandbox names an access token and no tenant" = select!(
        StoredChannel,
        " FROM channels WHERE (tenant_id, id) > ($2, $3) AND network = $1 ORDER BY tenant_id, id LIMIT $4"
    );
    SET_DEFAULT =
        "UPDATE channels SET is_default = (id = $2), updated_at = $3 WHERE tenant_id = $1 AND (is_default OR id = $2)";
    SET_SECRETS = "UPDATE channels SET access_token = $3, app_secret = $4, verify_token = $5, updated_at = $6
        WHERE tenant_id = $1 AND id = $2";
    SET_QUALITY = "UPDATE channels SET quality = $3, messaging_limit = $4, quality_at = $5
        WHERE tenant_id = $1 AND id = $2 AND (
            quality_at IS NULL OR quality_at < $5 OR (quality_at = $5 AND quality < $3))";
    /// If the channel has a problem with this code already, text and time of the stored problem stay: the network's
    /// text may contain the present time, and would differ with every report.
    SET_PROBLEM = "UPDATE channels SET problem = $3, problem_code = $4, problem_since = $5
        WHERE tenant_id = $1 AND id = $2
            AND (problem IS NULL OR COALESCE(problem_code, 0) <> COALESCE(CAST($4 AS BIGINT), 0))";
    CLEAR_PROBLEM = "UPDATE channels SET problem = NULL, problem_code = NULL, problem_since = NULL
        WHERE tenant_id = $1 AND id = $2 AND problem IS NOT NULL";
    REMOVE = "DELETE FROM channels WHERE tenant_id = $1 AND id = $2";
}

/// Encrypted: only the installation's key opens them.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecrets {
    pub access_token: Vec<u8>,
    pub app_secret: Vec<u8>,
    pub verify_token: Vec<u8>,
}

impl std::fmt::Debug for SealedSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealedSecrets(…)")
    }
}

record! { SealedSecrets { access_token, app_secret, verify_token } }

record! { Quality { event: "quality", limit: "messaging_limit", at: "quality_at" } }

record! { ChannelProblem { message: "problem", code: "problem_code", since: "problem_since" } }

record! {
    Channel {
        id,
        name,
        phone_number,
        phone_number_id,
        account_id,
        network,
        is_default,
        enabled,
        quality: Quality,
        problem: ChannelProblem,
        created_at,
        updated_at,
    }
}

/// A channel with its tenant and its sealed secrets.
#[derive(Debug, Clone)]
pub struct StoredChannel {
    pub tenant: TenantId,
    pub channel: Channel,
    pub sealed: SealedSecrets,
}

columns! { StoredChannel { tenant: "tenant_id", channel: Channel, sealed: SealedSecrets } }

/// Returns false when the tenant has a channel with this name or number.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Channel, sealed: &SealedSecrets) -> Result<bool> {
    let key = Channel::name_key(&new.name);
    let row = Params::for_tenant(tenant).and(new).and(sealed).with(&key);
    Ok(tx.execute(&INSERT, &row).await? == 1)
}

/// All channels of a tenant, oldest first. A tenant has few.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<StoredChannel>> {
    db.rows(&LIST, params![tenant], read).await
}

pub async fn list_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<StoredChannel>> {
    tx.rows(&LIST, params![tenant], read).await
}

pub async fn find(db: &Db, tenant: TenantId, id: ChannelId) -> Result<Option<StoredChannel>> {
    db.row(&FIND, params![tenant, id], read).await
}

/// Reads across tenants: the network's posts name only the channel.
pub async fn by_id(db: &Db, id: ChannelId) -> Result<Option<StoredChannel>> {
    db.row(&BY_ID, params![id], read).await
}

/// Reads across tenants for the sandbox: the channels with this network id of a number or, if there are none, of an
/// account.
pub async fn by_network_id(db: &Db, network: &str, network_id: &str) -> Result<Vec<StoredChannel>> {
    let by_number = db.rows(&BY_NUMBER_ID, params![network_id, network], read).await?;
    if !by_number.is_empty() {
        return Ok(by_number);
    }
    db.rows(&BY_ACCOUNT_ID, params![network_id, network], read).await
}

/// Reads across tenants for the sandbox: up to `limit` channels of a network after `after`, in the order of tenant and
/// id.
pub async fn page_of_network(
    db: &Db,
    network: &str,
    after: (TenantId, ChannelId),
    limit: i64,
) -> Result<Vec<StoredChannel>> {
    db.rows(&PAGE_OF_NETWORK, params![network, after.0, after.1, limit], read).await
}

/// Makes the channel the only default of its tenant.
pub async fn set_default(tx: &mut Tx<'_>, tenant: TenantId, id: ChannelId, now: Timestamp) -> Result<()> {
    tx.execute(&SET_DEFAULT, params![tenant, id, now]).await.map(drop)
}

pub async fn set_secrets(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: ChannelId,
    new: &SealedSecrets,
    now: Timestamp,
) -> Result<()> {
    let row = params![tenant, id, &new.access_token, &new.app_secret, &new.verify_token, now];
    tx.execute(&SET_SECRETS, row).await.map(drop)
}

/// Saves the network's rating of a number. An older report does not replace a newer one. Of two reports of the same
/// time, the one with the greater event name is kept, so that their order of arrival does not matter.
pub async fn set_quality(tx: &mut Tx<'_>, tenant: TenantId, id: ChannelId, quality: &Quality) -> Result<()> {
    let row = params![tenant, id, &quality.event, &quality.limit, quality.at];
    tx.execute(&SET_QUALITY, row).await.map(drop)
}

pub async fn set_problem(tx: &mut Tx<'_>, tenant: TenantId, id: ChannelId, problem: &ChannelProblem) -> Result<()> {
    let row = params![tenant, id, &problem.message, problem.code, problem.since];
    tx.execute(&SET_PROBLEM, row).await.map(drop)
}

pub async fn clear_problem(tx: &mut Tx<'_>, tenant: TenantId, id: ChannelId) -> Result<()> {
    tx.execute(&CLEAR_PROBLEM, params![tenant, id]).await.map(drop)
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: ChannelId) -> Result<bool> {
    Ok(tx.execute(&REMOVE, params![tenant, id]).await? == 1)
}
