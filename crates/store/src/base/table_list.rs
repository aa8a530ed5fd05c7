//! Every table, and what backup and restore do with its rows.

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
        contact_identities contact_counters contact_merges contact_consents deleted_contacts teams team_members segments
        imports import_pieces import_verdicts import_rejects channels inbound_journal inbound_parked
        network_reports messages outbox outbox_people conversations conversation_labels conversation_reads
        daily_activity activity_positions awaiting_responses first_responses message_terms alert_settings
        alert_recipients alerts labels canned_replies canned_reply_files templates template_changes broadcasts
        broadcast_refusals broadcast_retries media media_fetches media_usage media_pieces idempotency
        sandbox_people sandbox_messages sandbox_records sandbox_media_pieces sandbox_due events_new events
        event_logs webhooks webhook_dispatch_states webhook_deliveries webhook_attempts clicks click_overflow
        click_firsts orders erasures timers consumer_positions parked_facts opening_hours
        routing_rules waiting_conversations operator_presences;
    // A restored installation must not honour links that were used or replaced since the backup. The first start
    // after a restore rebuilds `contact_terms`, to which `import_indexed` refers.
    Emptied:
        sessions factor_enrolments pending_log_ins one_time_links used_oidc_states contact_terms import_indexed
        presences channel_tokens media_uploads;
    // Servers compare epochs with cached ones: an epoch that went back could hide a change. SQLite has no
    // `migration_guard`.
    Untouched: epochs log_in_tries nodes leases schema_migrations migration_guard;
};
