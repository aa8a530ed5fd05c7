//! The call log, with calls that the network reports and calls that clients record. Next to its columns, each row
//! stores the JSON text that the API returns.

mod counts;
mod list;
mod of_contact;
mod rows;

pub use counts::{CallCount, count_range};
pub use list::{ListedCall, count, explain, list, lists};
pub use of_contact::{CallOfContact, of_contact};

use const_format::concatcp;
use domain::calls::{Call, CallParty};
use domain::messaging::channels::Channel;
use domain::{CallId, TenantId};

use crate::base::columns::{insert, select, update};
use crate::messaging::channels::{self, StoredChannel};
use crate::{Db, Param, Params, Result, Statement, Tx, params, read};
use rows::bind;

statements! {
    with counts::statements(), of_contact::statements(), lists();

    /// Citus counts the skipped rows of an insert over arrays too, unless it returns the inserted ones.
    INSERT = concatcp!(
        insert!("calls": Call, "duration_seconds, facet, doc"),
        " ON CONFLICT (tenant_id, call_id) DO NOTHING{postgres  RETURNING id}"
    );
    INSERT_NEW = insert!("calls": Call, "duration_seconds, facet, doc");
    UPDATE = update!("calls": Call, "duration_seconds, facet, doc");
    SHOW = "SELECT doc FROM calls WHERE tenant_id = $1 AND id = $2";
    BY_CALL_ID = select!(Call, " FROM calls WHERE tenant_id = $1 AND call_id = $2");
    BY_CALL_IDS = select!(Call as "c",
        " FROM {sqlite json_each($2) listed CROSS JOIN calls c INDEXED BY calls_call_id}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value) JOIN calls c}
         ON c.tenant_id = $1 AND c.call_id = listed.value"
    );
    /// Contacts by phone number, in the columns of a `CallParty`.
    CALLERS = "SELECT i.value, c.id, c.bsuid, c.parent_bsuid, c.username, i.value
        FROM {sqlite json_each($2) listed CROSS JOIN contact_identities i INDEXED BY contact_identities_person}
        {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value) JOIN contact_identities i}
        ON i.tenant_id = $1 AND i.kind = 'phone' AND i.value = listed.value AND i.kind <> 'username'
        JOIN contacts c ON c.tenant_id = i.tenant_id AND c.id = i.contact_id";
    /// Locks the row, so that two updates of one call run one after the other; on SQLite all transactions do.
    FOR_UPDATE = select!(Call, " FROM calls WHERE tenant_id = $1 AND id = $2 {for_update}");
}

/// Returns false when a call with this `call_id` is stored.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Call) -> Result<bool> {
    let doc = new.to_json();
    Ok(tx.execute(&INSERT, &bind(tenant, new, &doc)).await? == 1)
}

/// Inserts calls, skips those whose `call_id` is stored, and returns how many were new.
pub async fn insert_many(tx: &mut Tx<'_>, tenant: TenantId, calls: &[Call]) -> Result<u64> {
    let docs: Vec<String> = calls.iter().map(Call::to_json).collect();
    tx.execute_many(&INSERT, rows(tenant, calls, &docs)).await
}

/// Inserts calls whose `call_id`s are not stored. If one has been stored meanwhile, the transaction runs again.
pub async fn insert_new(tx: &mut Tx<'_>, tenant: TenantId, calls: &[Call]) -> Result<()> {
    let docs: Vec<String> = calls.iter().map(Call::to_json).collect();
    tx.execute_later(&INSERT_NEW, rows(tenant, calls, &docs)).await
}

fn rows<'c>(tenant: TenantId, calls: &'c [Call], docs: &'c [String]) -> Vec<Params<'c>> {
    calls.iter().zip(docs).map(|(call, doc)| bind(tenant, call, doc)).collect()
}

pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, changed: &Call) -> Result<()> {
    let doc = changed.to_json();
    tx.execute(&UPDATE, &bind(tenant, changed, &doc)).await.map(drop)
}

/// The JSON text of one call.
pub async fn show(db: &Db, tenant: TenantId, id: CallId) -> Result<Option<String>> {
    db.row(&SHOW, params![tenant, id], read).await
}

pub async fn by_call_id(tx: &mut Tx<'_>, tenant: TenantId, call_id: &str) -> Result<Option<Call>> {
    tx.row(&BY_CALL_ID, params![tenant, call_id], read).await
}

/// What new calls are completed from.
#[derive(Debug, Default)]
pub struct CallContext {
    /// The stored calls that have one of the `call_id`s.
    pub known: Vec<Call>,
    pub channels: Vec<Channel>,
    /// The contacts that have one of the numbers, as people on a call, each with its number.
    pub callers: Vec<(String, CallParty)>,
}

pub async fn context(tx: &mut Tx<'_>, tenant: TenantId, call_ids: &[&str], phones: &[&str]) -> Result<CallContext> {
    let [call_ids, phones] = [call_ids, phones].map(domain::to_json);
    let mut found = CallContext::default();
    let reads: [(&Statement, &[Param<'_>]); 3] = [
        (&BY_CALL_IDS, params![tenant, &call_ids]),
        (&channels::LIST, params![tenant]),
        (&CALLERS, params![tenant, &phones]),
    ];
    tx.each_of(&reads, |index, row| {
        match index {
            0 => found.known.push(read(row)?),
            1 => found.channels.push(read::<StoredChannel>(row)?.channel),
            _ => found.callers.push(read(row)?),
        }
        Ok(())
    })
    .await?;
    Ok(found)
}

pub async fn for_update(tx: &mut Tx<'_>, tenant: TenantId, id: CallId) -> Result<Option<Call>> {
    tx.row(&FOR_UPDATE, params![tenant, id], read).await
}
