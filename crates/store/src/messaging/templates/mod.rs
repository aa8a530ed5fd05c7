//! Templates: one row for each network account, name and language. A deleted template keeps its row and leaves its name
//! free; only drafts that the network never had lose their row.

mod history;

pub use history::{add_changes, changes};

use const_format::concatcp;
use domain::messaging::templates::{Template, TemplateFilter};
use domain::{TemplateId, TenantId, Timestamp};

use crate::base::columns::{insert, listed, part, record, select, update};
use crate::{Db, Params, Result, Row, Tx, params, read};

/// SQL condition: the list `$n` is empty or has the column's value. The list is a text with a comma before and behind
/// each word.
macro_rules! among {
    ($list:literal, $column:literal) => {
        concat!(
            "(",
            $list,
            " = '' OR {sqlite instr(",
            $list,
            ", ',' || ",
            $column,
            " || ',')}{postgres strpos(CAST(",
            $list,
            " AS TEXT), ',' || ",
            $column,
            " || ',')} > 0)"
        )
    };
}

/// The SQL condition of a `TemplateFilter` (`$1` to `$7`). Deleted templates never match.
macro_rules! allowed {
    () => {
        concat!(
            "tenant_id = $1 AND deleted_at = 0 AND ($2 = '' OR account_id = $2)
             AND ($3 = '' OR {sqlite instr(name, $3)}{postgres position($3 IN name)} > 0) AND ",
            among!("$4", "status"),
            " AND ",
            among!("$5", "category"),
            " AND ",
            among!("$6", "language"),
            " AND ",
            among!("$7", "COALESCE(quality, 'UNKNOWN')")
        )
    };
}

statements! {
    with history::statements();

    INSERT = concatcp!(insert!("templates": Template), " ON CONFLICT DO NOTHING");
    UPDATE = update!("templates": Changing);
    REMOVE = "DELETE FROM templates WHERE tenant_id = $1 AND id = $2";
    FIND = select!(Template, " FROM templates WHERE tenant_id = $1 AND id = $2");
    /// Locks the row, so that two reports about one template are applied one after the other. SQLite runs all writing
    /// transactions one after the other anyway.
    FOR_UPDATE = select!(Template, " FROM templates WHERE tenant_id = $1 AND id = $2 {for_update}");
    BY_NAME =
        select!(Template, " FROM templates WHERE tenant_id = $1 AND account_id = $2 AND name = $3 AND deleted_at = 0");
    BY_NETWORK_ID =
        select!(Template, " FROM templates WHERE tenant_id = $1 AND network_id = $2 AND account_id = $3 {for_update}");
    OF_ACCOUNT = select!(Template, " FROM templates WHERE tenant_id = $1 AND account_id = $2 AND deleted_at = 0");
    BY_IDS = select!(
        Template,
        " FROM templates WHERE tenant_id = $1 AND id IN (
             SELECT {sqlite unhex(listed.value) FROM json_each($2) listed}
             {postgres decode(listed.value, 'hex')
                 FROM json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)})"
    );
    LIST = select!(Template, " FROM templates WHERE ", allowed!(), " ORDER BY id DESC LIMIT $8 OFFSET $9");
    COUNT = concat!("SELECT COUNT(*) FROM templates WHERE ", allowed!());
    COUNT_ALL = "SELECT COUNT(*) FROM templates WHERE tenant_id = $1 AND deleted_at = 0";
}

record! {
    Template {
        id,
        account_id,
        channel_id,
        name,
        language,
        category,
        status,
        quality,
        reason,
        network_id,
        content: "doc",
        origin,
        created_at,
        updated_at,
        reported_at,
        deleted_at,
    }
}

part! {
    /// The columns that may change: all but account, channel, name, language, origin and the time of creation.
    Changing of Template {
        id,
        category,
        status,
        quality,
        reason,
        network_id,
        content: "doc",
        updated_at,
        reported_at,
        deleted_at,
    }
}

fn from_stored(row: &Row<'_>) -> Result<Template> {
    let stored: Template = read(row)?;
    Ok(Template { deleted_at: stored.deleted_at.filter(|at| *at != NOT_DELETED), ..stored })
}

/// Stored instead of NULL: the unique index on names has this column, and would take two NULLs as different.
const NOT_DELETED: Timestamp = Timestamp::from_micros(0);

fn to_stored(template: &Template) -> Template {
    Template { deleted_at: template.deleted_at.or(Some(NOT_DELETED)), ..template.clone() }
}

/// Returns false when the account has a template with this name in this language that is not deleted.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Template) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(&to_stored(new))).await? == 1)
}

/// Writes the columns that may change.
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, changed: &Template) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(&Changing(&to_stored(changed)))).await.map(drop)
}

/// Deletes the row, for a draft that the network never had.
pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: TemplateId) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, id]).await.map(drop)
}

/// Finds deleted templates too.
pub async fn find(db: &Db, tenant: TenantId, id: TemplateId) -> Result<Option<Template>> {
    db.row(&FIND, params![tenant, id], from_stored).await
}

/// Finds deleted templates too.
pub async fn by_id(tx: &mut Tx<'_>, tenant: TenantId, id: TemplateId) -> Result<Option<Template>> {
    tx.row(&FIND, params![tenant, id], from_stored).await
}

/// Finds deleted templates too, in any order.
pub async fn by_ids(tx: &mut Tx<'_>, tenant: TenantId, ids: &[TemplateId]) -> Result<Vec<Template>> {
    tx.rows(&BY_IDS, params![tenant, &listed(ids)], from_stored).await
}

/// The same outside a transaction.
pub async fn find_many(db: &Db, tenant: TenantId, ids: &[TemplateId]) -> Result<Vec<Template>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    db.rows(&BY_IDS, params![tenant, &listed(ids)], from_stored).await
}

/// The template with this id, deleted or not, locked until the transaction ends.
pub async fn for_update(tx: &mut Tx<'_>, tenant: TenantId, id: TemplateId) -> Result<Option<Template>> {
    tx.row(&FOR_UPDATE, params![tenant, id], from_stored).await
}

/// The templates of this name in all languages that are not deleted, newest first.
pub async fn by_name(tx: &mut Tx<'_>, tenant: TenantId, account_id: &str, name: &str) -> Result<Vec<Template>> {
    let mut all = tx.rows(&BY_NAME, params![tenant, account_id, name], from_stored).await?;
    all.sort_unstable_by_key(|one| std::cmp::Reverse((one.created_at, one.id)));
    Ok(all)
}

/// The template with this network id, locked until the transaction ends. Should several rows have the id, one that is
/// not deleted comes first, then the newest.
pub async fn by_network_id(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    account_id: &str,
    network_id: &str,
) -> Result<Option<Template>> {
    let all = tx.rows(&BY_NETWORK_ID, params![tenant, network_id, account_id], from_stored).await?;
    Ok(all.into_iter().min_by_key(|one| (one.deleted_at, std::cmp::Reverse(one.created_at))))
}

/// The templates of this name that are not deleted, one for each language.
pub async fn named(db: &Db, tenant: TenantId, account_id: &str, name: &str) -> Result<Vec<Template>> {
    db.rows(&BY_NAME, params![tenant, account_id, name], from_stored).await
}

/// All templates of an account that are not deleted. The network bounds their number.
pub async fn of_account(tx: &mut Tx<'_>, tenant: TenantId, account_id: &str) -> Result<Vec<Template>> {
    let mut all = tx.rows(&OF_ACCOUNT, params![tenant, account_id], from_stored).await?;
    all.sort_unstable_by_key(|one| one.id);
    Ok(all)
}

/// One page of the templates that the filter allows, newest first.
pub async fn list(db: &Db, tenant: TenantId, filter: &TemplateFilter) -> Result<Vec<Template>> {
    let [account_id, name, statuses, categories, languages, qualities] = &bound_values(filter);
    let (limit, offset) = (filter.limit, filter.offset);
    let values = params![tenant, account_id, name, statuses, categories, languages, qualities, limit, offset];
    db.rows(&LIST, values, from_stored).await
}

/// How many templates the filter allows on all pages.
pub async fn count(db: &Db, tenant: TenantId, filter: &TemplateFilter) -> Result<i64> {
    let [account_id, name, statuses, categories, languages, qualities] = &bound_values(filter);
    let values = params![tenant, account_id, name, statuses, categories, languages, qualities];
    Ok(db.row(&COUNT, values, read).await?.unwrap_or(0))
}

/// How many templates the tenant has, without deleted ones.
pub async fn count_all(tx: &mut Tx<'_>, tenant: TenantId) -> Result<i64> {
    Ok(tx.row(&COUNT_ALL, params![tenant], read).await?.unwrap_or(0))
}

/// The values that a statement binds for the filter: account, name, and the lists of statuses, categories, languages
/// and ratings.
fn bound_values(filter: &TemplateFilter) -> [String; 6] {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let list = |words: Vec<&str>| if words.is_empty() { String::new() } else { format!(",{},", words.join(",")) };
    [
        text(&filter.account_id),
        text(&filter.name),
        list(filter.statuses.iter().map(|status| status.name()).collect()),
        list(filter.categories.iter().map(|category| category.name()).collect()),
        list(filter.languages.iter().map(String::as_str).collect()),
        list(filter.qualities.iter().map(String::as_str).collect()),
    ]
}
