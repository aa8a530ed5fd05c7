//! What backup, restore, export and deletion do with each table. The columns and the key of a table come from the
//! database's own catalogue; a test compares the names, so that a backup cannot miss a new table.

use const_format::concatcp;

use crate::base::columns::columns;
use crate::{Db, Error, Result, Tx, params, read};

/// What backup and restore do with a table's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupRule {
    /// In every backup; a restore replaces all rows by those of the backup.
    Saved,
    /// Not in a backup, and emptied by a restore: the rows refer to replaced data.
    Emptied,
    /// State of the database and its servers, not data: not in a backup, and not emptied by a restore.
    Untouched,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    pub name: &'static str,
    pub backup_rule: BackupRule,
}

macro_rules! tables {
    ($($backup_rule:ident: $($name:ident)+;)+) => {
        &[$($(Table { name: stringify!($name), backup_rule: BackupRule::$backup_rule }),+),+]
    };
}

/// Every table, in the order of a backup.
pub const TABLES: &[Table] = tables! {
    // `limit_windows` has the monthly usage; the short windows of rate limits are few, and harmless when restored.
    Saved:
        installation tenants accounts memberships tokens totp_factors passkeys recovery_codes security_settings
        console_access retention_settings legacy_jwts revoked_jwts audit audit_heads limit_windows calls contacts
        contact_identities contact_counters contact_merges contact_consents deleted_contacts teams segments
        imports import_pieces import_verdicts import_rejects channels inbound_journal inbound_parked
        network_reports messages outbox outbox_people conversations conversation_labels conversation_reads
        daily_activity activity_positions awaiting_responses first_responses message_terms alert_settings
        alert_recipients alerts labels canned_replies canned_reply_files templates template_changes broadcasts
        broadcast_refusals broadcast_retries media media_fetches media_usage media_pieces idempotency
        sandbox_people sandbox_messages sandbox_records sandbox_media_pieces sandbox_due events_new events
        event_logs webhooks webhook_dispatch_states webhook_deliveries webhook_attempts clicks click_overflow
        click_firsts orders erasures;
    // A restored installation must not honour links that were used or replaced since the backup. The first start
    // after a restore rebuilds `contact_terms`, to which `import_indexed` refers.
    Emptied:
        sessions factor_enrolments pending_log_ins one_time_links used_oidc_states contact_terms import_indexed
        presences channel_tokens media_uploads;
    // Servers compare epochs with cached ones: an epoch that went back could hide a change. SQLite has no
    // `migration_guard`.
    Untouched: epochs log_in_tries nodes leases schema_migrations migration_guard;
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Int,
    Text,
    Bytes,
    Bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: ColumnKind,
    pub nullable: bool,
    /// A backup of an earlier version may lack the column: the database fills in the default.
    pub has_default: bool,
}

/// A table as the database describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableShape {
    pub name: &'static str,
    pub backup_rule: BackupRule,
    pub columns: Vec<Column>,
    /// The columns of the primary key.
    pub key: Vec<String>,
}

impl TableShape {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// The names of columns, separated by commas.
pub fn column_names<'c>(columns: impl IntoIterator<Item = &'c Column>) -> String {
    columns.into_iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

const SELECT: &str = "SELECT {sqlite t.name, c.cid, c.name, lower(c.type), c.\"notnull\" = 0,
        c.dflt_value IS NOT NULL, NULLIF(c.pk, 0)
    FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'}
    {postgres t.relname::text, c.attnum::bigint, c.attname::text, format_type(c.atttypid, NULL), NOT c.attnotnull,
        c.atthasdef, array_position(k.indkey::int2[], c.attnum)::bigint
    FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
    LEFT JOIN pg_index k ON k.indrelid = t.oid AND k.indisprimary
    WHERE t.relkind IN ('r', 'p') AND t.relnamespace = current_schema()::regnamespace}";

statements! {
    pub(crate) COLUMNS tenantless "the catalogue is that of the whole database" = SELECT;
    COLUMNS_OF tenantless "the catalogue is that of the whole database" =
        concatcp!(SELECT, " AND {sqlite t.name}{postgres t.relname::text} = $1");
}

/// A column as the catalogue lists it.
#[derive(Debug)]
pub(crate) struct CatalogueRow {
    table: String,
    position: i64,
    name: String,
    type_name: String,
    nullable: bool,
    has_default: bool,
    key_position: Option<i64>,
}

columns! { CatalogueRow { table, position, name, type_name, nullable, has_default, key_position } }

/// The tables of this list that the database has.
pub async fn shapes(db: &Db) -> Result<Vec<TableShape>> {
    shapes_of(db.rows(&COLUMNS, &[], read).await?)
}

pub(crate) async fn shapes_in(tx: &mut Tx<'_>) -> Result<Vec<TableShape>> {
    shapes_of(tx.rows(&COLUMNS, &[], read).await?)
}

pub(crate) async fn shape(db: &Db, table: &str) -> Result<Option<TableShape>> {
    Ok(shapes_of(db.rows(&COLUMNS_OF, params![table], read).await?)?.pop())
}

/// Ignores tables of others in the same database.
pub(crate) fn shapes_of(mut catalogue: Vec<CatalogueRow>) -> Result<Vec<TableShape>> {
    catalogue.sort_by_key(|row| row.position);
    let mut shapes = Vec::new();
    for Table { name, backup_rule } in TABLES {
        let rows = || catalogue.iter().filter(|row| row.table == *name);
        let mut key: Vec<_> = rows().filter_map(|row| Some((row.key_position?, row.name.clone()))).collect();
        key.sort();
        let key = key.into_iter().map(|(_, name)| name).collect();
        let columns = rows().map(column).collect::<Result<Vec<_>>>()?;
        if !columns.is_empty() {
            shapes.push(TableShape { name, backup_rule: *backup_rule, columns, key });
        }
    }
    Ok(shapes)
}

fn column(row: &CatalogueRow) -> Result<Column> {
    let kind = match row.type_name.as_str() {
        "bigint" => ColumnKind::Int,
        "text" => ColumnKind::Text,
        "bytea" => ColumnKind::Bytes,
        "boolean" => ColumnKind::Bool,
        other => return Err(Error::Migration(format!("{}.{} has the type {other}", row.table, row.name))),
    };
    Ok(Column { name: row.name.clone(), kind, nullable: row.nullable, has_default: row.has_default })
}
