//! The one declaration of every table: its columns, its key, and what a backup and a restore do with it.
//!
//! Migrations make the tables; this only describes what they made. A test compares it with the real schema of both
//! engines, so that a new table or column cannot be forgotten by a backup.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Int,
    Text,
    Bytes,
    Bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    pub nullable: bool,
}

/// What becomes of a table's rows when the installation is moved by backup and restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Part of every backup; a restore puts the backup's rows in place of what was there.
    Kept,
    /// Not in a backup, and emptied by a restore: the rows speak of what the restore replaced.
    Dropped,
    /// Belongs to the database and its running servers, not to the data: neither saved nor touched.
    Left,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    pub name: &'static str,
    pub fate: Fate,
    pub columns: &'static [Column],
    /// The primary key, in its order.
    pub key: &'static [&'static str],
}

impl Table {
    pub fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

pub fn find(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.name == name)
}

/// What a backup consists of.
pub fn kept() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().filter(|table| table.fate == Fate::Kept)
}

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, nullable: false }
}

const fn int(name: &'static str) -> Column {
    column(name, Kind::Int)
}

const fn text(name: &'static str) -> Column {
    column(name, Kind::Text)
}

const fn bytes(name: &'static str) -> Column {
    column(name, Kind::Bytes)
}

const fn bool(name: &'static str) -> Column {
    column(name, Kind::Bool)
}

const fn or_null(column: Column) -> Column {
    Column { nullable: true, ..column }
}

pub const TABLES: &[Table] = &[
    Table {
        name: "installation",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), text("name"), text("value")],
        key: &["tenant_id", "name"],
    },
    Table {
        // Servers compare these numbers with what they remember: one that went back would look like no change.
        name: "epochs",
        fate: Fate::Left,
        columns: &[int("tenant_id"), text("name"), int("value")],
        key: &["tenant_id", "name"],
    },
    Table {
        name: "tenants",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), text("name"), text("plan"), int("created_at"), int("updated_at")],
        key: &["tenant_id"],
    },
    Table {
        name: "accounts",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            text("email"),
            text("name"),
            text("role"),
            text("password_hash"),
            int("password_version"),
            int("credential_version"),
            bool("disabled"),
            or_null(int("removed_at")),
            int("created_at"),
            int("updated_at"),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "tokens",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            bytes("account_id"),
            text("name"),
            bytes("hash"),
            text("scopes"),
            text("networks"),
            or_null(int("rate_limit")),
            int("created_at"),
            or_null(int("expires_at")),
            or_null(int("revoked_at")),
            int("password_version"),
            or_null(int("last_used_at")),
            or_null(text("last_used_address")),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "sessions",
        fate: Fate::Dropped,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            bytes("account_id"),
            bytes("hash"),
            int("credential_version"),
            int("created_at"),
            int("expires_at"),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "revoked_jwts",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), bytes("jti"), bytes("account_id"), int("revoked_at")],
        key: &["tenant_id", "jti"],
    },
    Table {
        name: "audit",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            int("at"),
            text("actor"),
            text("action"),
            text("subject"),
            text("details"),
            or_null(text("address")),
            or_null(text("request_id")),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "leases",
        fate: Fate::Left,
        columns: &[int("tenant_id"), text("name"), text("holder"), int("number"), int("expires_at")],
        key: &["tenant_id", "name"],
    },
    Table {
        // For the monthly usage; the short windows beside it are few and harmless.
        name: "limit_windows",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), text("bucket"), int("window_start"), int("used")],
        key: &["tenant_id", "bucket", "window_start"],
    },
    Table {
        name: "calls",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            int("started_at"),
            bytes("id"),
            text("doc"),
            text("call_id"),
            text("direction"),
            text("status"),
            text("from_number"),
            text("to_number"),
            or_null(int("answered_at")),
            or_null(int("ended_at")),
            int("duration_seconds"),
            int("facet"),
            or_null(text("end_reason")),
            or_null(bytes("operator_id")),
            or_null(text("operator_email")),
            or_null(text("operator_name")),
            or_null(text("team_name")),
            or_null(bytes("contact_id")),
            or_null(text("bsuid")),
            or_null(text("parent_bsuid")),
            or_null(text("username")),
            or_null(text("wa_id")),
            or_null(bytes("conversation_id")),
            or_null(bytes("channel_id")),
            or_null(text("channel_phone_number")),
        ],
        key: &["tenant_id", "started_at", "id"],
    },
    Table {
        name: "contacts",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            text("bsuid"),
            text("parent_bsuid"),
            or_null(text("username")),
            or_null(text("phone")),
            text("name"),
            text("source"),
            text("custom_params"),
            text("teams"),
            text("segments"),
            bool("opted_in"),
            bool("allow_broadcast"),
            bool("allow_sms"),
            or_null(int("blocked_at")),
            int("created_at"),
            int("updated_at"),
            or_null(text("opt_source")),
            or_null(int("opt_at")),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "contact_identities",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("contact_id"),
            text("kind"),
            text("value"),
            int("first_seen"),
            int("last_seen"),
        ],
        key: &["tenant_id", "contact_id", "kind", "value"],
    },
    Table {
        // Made again from the contacts after a restore.
        name: "contact_terms",
        fate: Fate::Dropped,
        columns: &[int("tenant_id"), int("term"), bytes("id")],
        key: &["tenant_id", "term", "id"],
    },
    Table {
        name: "contact_counters",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), int("shard"), int("contacts"), int("changes")],
        key: &["tenant_id", "shard"],
    },
    Table {
        name: "contact_merges",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            bytes("kept_id"),
            bytes("merged_id"),
            text("before"),
            text("reason"),
            int("merged_at"),
            or_null(int("undone_at")),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "contact_consents",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), bytes("contact_id"), bytes("id"), int("at"), text("change"), text("source")],
        key: &["tenant_id", "contact_id", "id"],
    },
    Table {
        name: "deleted_contacts",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            text("bsuid"),
            text("parent_bsuid"),
            int("created_at"),
            int("deleted_at"),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "teams",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), bytes("id"), text("key"), text("name"), int("created_at")],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "segments",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), bytes("id"), text("key"), text("name"), text("members"), int("created_at")],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "imports",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            text("status"),
            text("format"),
            bool("dry_run"),
            text("fingerprint"),
            int("bytes_total"),
            int("bytes_done"),
            int("rows_done"),
            int("created"),
            int("updated"),
            int("unchanged"),
            int("rejected"),
            or_null(text("header")),
            or_null(text("error")),
            text("actor"),
            or_null(text("holder")),
            int("leased_until"),
            int("started_at"),
            int("updated_at"),
            or_null(int("finished_at")),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "import_pieces",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), bytes("import_id"), int("place"), bytes("bytes")],
        key: &["tenant_id", "import_id", "place"],
    },
    Table {
        name: "import_verdicts",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), bytes("import_id"), int("first_row"), text("verdicts")],
        key: &["tenant_id", "import_id", "first_row"],
    },
    Table {
        name: "import_rejects",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), bytes("import_id"), int("number"), text("field"), text("reason"), bytes("line")],
        key: &["tenant_id", "import_id", "number"],
    },
    Table {
        name: "channels",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            text("name"),
            text("name_key"),
            text("phone_number"),
            text("phone_number_id"),
            text("account_id"),
            text("network"),
            bool("is_default"),
            bool("enabled"),
            bytes("access_token"),
            bytes("app_secret"),
            bytes("verify_token"),
            or_null(text("quality")),
            or_null(text("messaging_limit")),
            or_null(int("quality_at")),
            int("created_at"),
            int("updated_at"),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "inbound_journal",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), bytes("channel_id"), int("received_at"), bytes("id"), bytes("body")],
        key: &["tenant_id", "channel_id", "received_at", "id"],
    },
    Table {
        name: "inbound_parked",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            bytes("channel_id"),
            int("received_at"),
            int("parked_at"),
            text("reason"),
            bytes("body"),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "network_reports",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            bytes("channel_id"),
            text("kind"),
            text("subject"),
            bytes("digest"),
            int("at"),
            int("received_at"),
            text("doc"),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "messages",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            bytes("channel_id"),
            or_null(bytes("contact_id")),
            or_null(bytes("conversation_id")),
            or_null(bytes("ticket_id")),
            text("event"),
            text("direction"),
            text("state"),
            text("kind"),
            or_null(text("text")),
            or_null(text("content")),
            or_null(text("params")),
            or_null(text("network_id")),
            or_null(text("context_id")),
            or_null(text("local_id")),
            or_null(bytes("broadcast_id")),
            or_null(bytes("template_id")),
            or_null(bytes("media_id")),
            or_null(text("operator")),
            int("at"),
            int("created_at"),
            or_null(int("sent_at")),
            or_null(int("delivered_at")),
            or_null(int("read_at")),
            or_null(int("failed_at")),
            or_null(text("error")),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "outbox",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("channel_id"),
            int("priority"),
            int("due_at"),
            bytes("id"),
            bytes("contact_id"),
            text("recipient"),
            or_null(bytes("template_id")),
            int("expires_at"),
            int("attempts"),
            or_null(text("taken_by")),
        ],
        key: &["tenant_id", "channel_id", "priority", "due_at", "id"],
    },
    Table {
        name: "outbox_people",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), text("account_id"), bytes("contact_id"), int("until")],
        key: &["tenant_id", "account_id", "contact_id"],
    },
    Table {
        name: "conversations",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            bytes("channel_id"),
            bytes("contact_id"),
            text("status"),
            bytes("ticket_id"),
            or_null(text("assignee")),
            or_null(bytes("assignee_id")),
            or_null(text("assignee_email")),
            or_null(text("assignee_name")),
            int("version"),
            int("window_until"),
            int("last_at"),
            or_null(text("last_text")),
            int("opened_at"),
            int("created_at"),
            int("updated_at"),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "templates",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            text("account_id"),
            bytes("channel_id"),
            text("name"),
            text("language"),
            text("category"),
            text("status"),
            or_null(text("quality")),
            or_null(text("reason")),
            or_null(text("network_id")),
            text("doc"),
            text("origin"),
            int("created_at"),
            int("updated_at"),
            int("reported_at"),
            int("deleted_at"),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "broadcasts",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            bytes("channel_id"),
            text("name"),
            bytes("template_id"),
            text("template_name"),
            or_null(text("operator")),
            text("source"),
            int("refused"),
            or_null(int("scheduled_at")),
            or_null(int("stopped_at")),
            int("created_at"),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "broadcast_refusals",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("broadcast_id"),
            int("place"),
            text("target"),
            or_null(bytes("contact_id")),
            or_null(text("local_id")),
            int("code"),
            text("reason"),
            or_null(text("params")),
        ],
        key: &["tenant_id", "broadcast_id", "place"],
    },
    Table {
        name: "media",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("id"),
            text("file_name"),
            text("shown_name"),
            text("mime"),
            int("size"),
            bool("complete"),
            int("created_at"),
        ],
        key: &["tenant_id", "id"],
    },
    Table {
        name: "media_pieces",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), bytes("media_id"), int("place"), bytes("bytes")],
        key: &["tenant_id", "media_id", "place"],
    },
    Table {
        name: "media_uploads",
        fate: Fate::Dropped,
        columns: &[int("tenant_id"), bytes("media_id"), bytes("channel_id"), text("network_id"), int("until")],
        key: &["tenant_id", "media_id", "channel_id"],
    },
    Table {
        name: "idempotency",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            text("credential"),
            text("operation"),
            text("key"),
            text("holder"),
            or_null(bytes("fingerprint")),
            or_null(text("outcome")),
            or_null(int("status")),
            or_null(text("content_type")),
            or_null(bytes("answer")),
            int("started_at"),
            int("expires_at"),
        ],
        key: &["tenant_id", "credential", "operation", "key"],
    },
    Table {
        name: "sandbox_people",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            int("position"),
            text("name"),
            or_null(text("phone")),
            text("bsuid"),
            or_null(text("parent_bsuid")),
            or_null(text("username")),
            int("created_at"),
        ],
        key: &["tenant_id", "position"],
    },
    Table {
        name: "sandbox_messages",
        fate: Fate::Kept,
        columns: &[
            int("tenant_id"),
            bytes("channel_id"),
            int("person"),
            int("at"),
            text("id"),
            bool("from_person"),
            text("kind"),
            text("doc"),
            text("status"),
            or_null(int("received_at")),
            or_null(int("read_at")),
        ],
        key: &["tenant_id", "channel_id", "person", "at", "id"],
    },
    Table {
        name: "sandbox_records",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), text("kind"), text("key"), text("doc"), int("updated_at")],
        key: &["tenant_id", "kind", "key"],
    },
    Table {
        name: "sandbox_media_pieces",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), text("media_id"), int("place"), bytes("bytes")],
        key: &["tenant_id", "media_id", "place"],
    },
    Table {
        name: "sandbox_due",
        fate: Fate::Kept,
        columns: &[int("tenant_id"), bytes("channel_id"), int("due_at"), text("id"), int("tries"), text("doc")],
        key: &["tenant_id", "channel_id", "due_at", "id"],
    },
    Table {
        name: "schema_migrations",
        fate: Fate::Left,
        columns: &[int("tenant_id"), text("name"), int("applied_at")],
        key: &["tenant_id", "name"],
    },
    Table {
        // On PostgreSQL only.
        name: "migration_guard",
        fate: Fate::Left,
        columns: &[int("tenant_id"), text("holder"), int("expires_at")],
        key: &["tenant_id"],
    },
];
