//! The steps themselves. Every primary key begins with the tenant, so that tables spread by tenant on databases that
//! spread; what belongs to no tenant stands under tenant 0. Times are microseconds, JSON is text.

use super::Migration;

const fn step(name: &'static str, sql: &'static str) -> Migration {
    Migration { name, sql }
}

pub const MIGRATIONS: &[Migration] = &[
    step(
        "0001_installation",
        "CREATE TABLE IF NOT EXISTS installation (
            tenant_id BIGINT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (tenant_id, name)) {without_rowid}",
    ),
    step(
        "0002_epochs",
        "CREATE TABLE IF NOT EXISTS epochs (
            tenant_id BIGINT NOT NULL, name TEXT NOT NULL, value BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, name)) {without_rowid}",
    ),
    step(
        "0003_tenants",
        "CREATE TABLE IF NOT EXISTS tenants (
            tenant_id BIGINT NOT NULL, name TEXT NOT NULL, plan TEXT NOT NULL,
            created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id)) {without_rowid}",
    ),
    step(
        "0004_accounts",
        "CREATE TABLE IF NOT EXISTS accounts (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, email TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,
            password_hash TEXT NOT NULL, password_version BIGINT NOT NULL, credential_version BIGINT NOT NULL, disabled BOOLEAN NOT NULL,
            removed_at BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, id)) {without_rowid}",
    ),
    step("0005_accounts_email", "CREATE UNIQUE INDEX IF NOT EXISTS accounts_email ON accounts (tenant_id, email)"),
    step("0006_accounts_log_in", "CREATE INDEX IF NOT EXISTS accounts_log_in ON accounts (email)"),
    step(
        "0007_tokens",
        "CREATE TABLE IF NOT EXISTS tokens (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id BYTEA NOT NULL, name TEXT NOT NULL,
            hash BYTEA NOT NULL, scopes TEXT NOT NULL, networks TEXT NOT NULL, rate_limit BIGINT,
            created_at BIGINT NOT NULL, expires_at BIGINT, revoked_at BIGINT, password_version BIGINT NOT NULL,
            last_used_at BIGINT, last_used_address TEXT,
            PRIMARY KEY (tenant_id, id)) {without_rowid}",
    ),
    step(
        "0008_sessions",
        "CREATE TABLE IF NOT EXISTS sessions (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id BYTEA NOT NULL, hash BYTEA NOT NULL,
            credential_version BIGINT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, id)) {without_rowid}",
    ),
    step(
        "0009_revoked_jwts",
        "CREATE TABLE IF NOT EXISTS revoked_jwts (
            tenant_id BIGINT NOT NULL, jti BYTEA NOT NULL, account_id BYTEA NOT NULL, revoked_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, jti)) {without_rowid}",
    ),
    step(
        "0010_audit",
        "CREATE TABLE IF NOT EXISTS audit (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
            subject TEXT NOT NULL, details TEXT NOT NULL, address TEXT, request_id TEXT,
            PRIMARY KEY (tenant_id, id)) {without_rowid}",
    ),
    step("0011_audit_at", "CREATE INDEX IF NOT EXISTS audit_at ON audit (tenant_id, at, id)"),
    step(
        "0012_leases",
        "CREATE TABLE IF NOT EXISTS leases (
            tenant_id BIGINT NOT NULL, name TEXT NOT NULL, holder TEXT NOT NULL, number BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, name)) {without_rowid}",
    ),
    step(
        "0013_limit_windows",
        "CREATE TABLE IF NOT EXISTS limit_windows (
            tenant_id BIGINT NOT NULL, bucket TEXT NOT NULL, window_start BIGINT NOT NULL, used BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, bucket, window_start)) {without_rowid}",
    ),
    // The key is the order of the list, and the text that the list shows stands first: on SQLite, where a table lies in
    // the order of its key, a page is one walk over neighbours.
    step(
        "0014_calls",
        "CREATE TABLE IF NOT EXISTS calls (
            tenant_id BIGINT NOT NULL, started_at BIGINT NOT NULL, id BYTEA NOT NULL, doc TEXT NOT NULL,
            call_id TEXT NOT NULL, direction TEXT NOT NULL, status TEXT NOT NULL, from_number TEXT NOT NULL,
            to_number TEXT NOT NULL, answered_at BIGINT, ended_at BIGINT, duration_seconds BIGINT NOT NULL, facet BIGINT NOT NULL,
            end_reason TEXT, operator_id BYTEA, operator_email TEXT, operator_name TEXT, team_name TEXT,
            contact_id BYTEA, bsuid TEXT, parent_bsuid TEXT, username TEXT, wa_id TEXT, conversation_id BYTEA,
            channel_id BYTEA, channel_phone_number TEXT,
            PRIMARY KEY (tenant_id, started_at, id)) {without_rowid}",
    ),
    step("0015_calls_call_id", "CREATE UNIQUE INDEX IF NOT EXISTS calls_call_id ON calls (tenant_id, call_id)"),
    step("0016_calls_id", "CREATE UNIQUE INDEX IF NOT EXISTS calls_id ON calls (tenant_id, id)"),
    step(
        "0017_calls_direction",
        "CREATE INDEX IF NOT EXISTS calls_direction ON calls (tenant_id, direction, started_at, id)",
    ),
    step(
        "0018_calls_operator",
        "CREATE INDEX IF NOT EXISTS calls_operator ON calls (tenant_id, operator_id, started_at, id)",
    ),
    step(
        "0019_calls_facet",
        "CREATE INDEX IF NOT EXISTS calls_facet ON calls (tenant_id, facet, started_at, id, duration_seconds)",
    ),
    step(
        "0020_calls_operator_facet",
        "CREATE INDEX IF NOT EXISTS calls_operator_facet
         ON calls (tenant_id, operator_id, facet, started_at, id, duration_seconds)",
    ),
    // The same order as the key, without the rows: for skipping over many and for counting.
    step("0021_calls_time", "CREATE INDEX IF NOT EXISTS calls_time ON calls (tenant_id, started_at, id)"),
    step(
        "0022_contacts",
        "CREATE TABLE IF NOT EXISTS contacts (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, bsuid TEXT NOT NULL, parent_bsuid TEXT NOT NULL,
            username TEXT, phone TEXT, name TEXT NOT NULL, source TEXT NOT NULL, custom_params TEXT NOT NULL,
            opted_in BOOLEAN NOT NULL, allow_broadcast BOOLEAN NOT NULL, allow_sms BOOLEAN NOT NULL,
            created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, deleted_at BIGINT,
            PRIMARY KEY (tenant_id, id))",
    ),
    step("0023_contacts_phone", "CREATE UNIQUE INDEX IF NOT EXISTS contacts_phone ON contacts (tenant_id, phone)"),
    step("0024_contacts_bsuid", "CREATE UNIQUE INDEX IF NOT EXISTS contacts_bsuid ON contacts (tenant_id, bsuid)"),
    step(
        "0025_contacts_created",
        "CREATE INDEX IF NOT EXISTS contacts_created ON contacts (tenant_id, created_at, id)",
    ),
];
