-- The schema of both engines, in the dialect of the statements (`statement.rs`). Applied as the first migration.
--
-- Until the first release, change the schema here. From then on this file stays as it is, and a change is a migration
-- of its own (`mod.rs`).
--
-- Every primary key begins with the tenant, so that distributed databases can partition by tenant; rows without a
-- tenant have tenant 0. Times are microseconds since 1970, JSON is text. Of two indexes that fit equally, both engines
-- take the one that was created first.

CREATE TABLE IF NOT EXISTS installation (
    tenant_id BIGINT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (tenant_id, name)
) {without_rowid};

CREATE TABLE IF NOT EXISTS epochs (
    tenant_id BIGINT NOT NULL, name TEXT NOT NULL, value BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, name)
) {without_rowid};

CREATE TABLE IF NOT EXISTS tenants (
    tenant_id BIGINT NOT NULL, name TEXT NOT NULL, plan TEXT NOT NULL, created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, suspended_at BIGINT,
    PRIMARY KEY (tenant_id)
) {without_rowid};

CREATE TABLE IF NOT EXISTS accounts (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, email TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,
    password_hash TEXT NOT NULL, password_version BIGINT NOT NULL, credential_version BIGINT NOT NULL,
    disabled BOOLEAN NOT NULL, removed_at BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    last_log_in_at BIGINT,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS accounts_email ON accounts (tenant_id, email);
CREATE INDEX IF NOT EXISTS accounts_log_in ON accounts (email);

CREATE TABLE IF NOT EXISTS tokens (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id BYTEA NOT NULL, name TEXT NOT NULL, hash BYTEA NOT NULL,
    scopes TEXT NOT NULL, networks TEXT NOT NULL, rate_limit BIGINT, created_at BIGINT NOT NULL, expires_at BIGINT,
    revoked_at BIGINT, password_version BIGINT NOT NULL, last_used_at BIGINT, last_used_address TEXT,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};

CREATE TABLE IF NOT EXISTS sessions (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id BYTEA NOT NULL, hash BYTEA NOT NULL,
    credential_version BIGINT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, last_used_at BIGINT,
    address TEXT, user_agent TEXT, log_in_method TEXT,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS sessions_account ON sessions (tenant_id, account_id);

CREATE TABLE IF NOT EXISTS revoked_jwts (
    tenant_id BIGINT NOT NULL, jti BYTEA NOT NULL, account_id BYTEA NOT NULL, revoked_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, jti)
) {without_rowid};

-- `seq` and `hash` chain the entries of a tenant.
CREATE TABLE IF NOT EXISTS audit (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
    subject TEXT NOT NULL, details TEXT NOT NULL, address TEXT, request_id TEXT, seq BIGINT, hash BYTEA,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS audit_at ON audit (tenant_id, at, id);
CREATE UNIQUE INDEX IF NOT EXISTS audit_chain ON audit (tenant_id, seq) WHERE seq IS NOT NULL;

CREATE TABLE IF NOT EXISTS leases (
    tenant_id BIGINT NOT NULL, name TEXT NOT NULL, holder TEXT NOT NULL, number BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, name)
) {without_rowid};

CREATE TABLE IF NOT EXISTS limit_windows (
    tenant_id BIGINT NOT NULL, bucket TEXT NOT NULL, window_start BIGINT NOT NULL, used BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, bucket, window_start)
) {without_rowid};

-- The key is the order of the list, and `doc`, which the list shows, is the first column: SQLite stores a table in the
-- order of its key, so a page reads adjacent rows. `talk_seconds` is the duration that the network reports, beside the
-- times of its reports.
CREATE TABLE IF NOT EXISTS calls (
    tenant_id BIGINT NOT NULL, started_at BIGINT NOT NULL, id BYTEA NOT NULL, doc TEXT NOT NULL, call_id TEXT NOT NULL,
    direction TEXT NOT NULL, status TEXT NOT NULL, from_number TEXT NOT NULL, to_number TEXT NOT NULL,
    answered_at BIGINT, ended_at BIGINT, duration_seconds BIGINT NOT NULL, facet BIGINT NOT NULL, end_reason TEXT,
    operator_id BYTEA, operator_email TEXT, operator_name TEXT, team_name TEXT, contact_id BYTEA, bsuid TEXT,
    parent_bsuid TEXT, username TEXT, wa_id TEXT, conversation_id BYTEA, channel_id BYTEA, channel_phone_number TEXT,
    talk_seconds BIGINT,
    PRIMARY KEY (tenant_id, started_at, id)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS calls_call_id ON calls (tenant_id, call_id);
CREATE UNIQUE INDEX IF NOT EXISTS calls_id ON calls (tenant_id, id);
CREATE INDEX IF NOT EXISTS calls_direction ON calls (tenant_id, direction, started_at, id);
CREATE INDEX IF NOT EXISTS calls_operator ON calls (tenant_id, operator_id, started_at, id);
CREATE INDEX IF NOT EXISTS calls_facet ON calls (tenant_id, facet, started_at, id, duration_seconds);
CREATE INDEX IF NOT EXISTS calls_operator_facet
    ON calls (tenant_id, operator_id, facet, started_at, id, duration_seconds);
-- Has the order of the key without the other columns, for counts and large offsets. PostgreSQL has the index of the
-- primary key.
{sqlite CREATE INDEX IF NOT EXISTS calls_time ON calls (tenant_id, started_at, id);}
-- Covers counting calls by day, with every filter of the list.
CREATE INDEX IF NOT EXISTS calls_counted
    ON calls (tenant_id, started_at, direction, status, duration_seconds, operator_id);
-- The calls of a contact.
CREATE INDEX IF NOT EXISTS calls_contact ON calls (tenant_id, contact_id, started_at, id) WHERE contact_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS contacts (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, bsuid TEXT NOT NULL, parent_bsuid TEXT NOT NULL, username TEXT,
    phone TEXT, name TEXT NOT NULL, source TEXT NOT NULL, custom_params TEXT NOT NULL, teams TEXT NOT NULL,
    segments TEXT NOT NULL, opted_in BOOLEAN NOT NULL, allow_broadcast BOOLEAN NOT NULL, allow_sms BOOLEAN NOT NULL,
    blocked_at BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, opt_source TEXT, opt_at BIGINT,
    labels TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (tenant_id, id)
) {without_rowid};

-- Stored by contact; look-ups by value use the index. Several contacts may have the same handle.
CREATE TABLE IF NOT EXISTS contact_identities (
    tenant_id BIGINT NOT NULL, contact_id BYTEA NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
    first_seen BIGINT NOT NULL, last_seen BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, contact_id, kind, value)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS contact_identities_person
    ON contact_identities (tenant_id, kind, value) WHERE kind <> 'username';
CREATE INDEX IF NOT EXISTS contact_identities_username
    ON contact_identities (tenant_id, value) WHERE kind = 'username';

-- Derived from the contacts: the inverted index, see `domain/src/people/contacts/terms.rs`.
CREATE TABLE IF NOT EXISTS contact_terms (
    tenant_id BIGINT NOT NULL, term BIGINT NOT NULL, id BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, term, id)
) {without_rowid};

-- Several rows for each tenant, so that concurrent writers on PostgreSQL seldom wait for the same one.
CREATE TABLE IF NOT EXISTS contact_counters (
    tenant_id BIGINT NOT NULL, shard BIGINT NOT NULL, contacts BIGINT NOT NULL, changes BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, shard)
) {without_rowid};

CREATE TABLE IF NOT EXISTS contact_merges (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, kept_id BYTEA NOT NULL, merged_id BYTEA NOT NULL,
    before TEXT NOT NULL, reason TEXT NOT NULL, merged_at BIGINT NOT NULL, undone_at BIGINT,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS contact_merges_kept ON contact_merges (tenant_id, kept_id, merged_id);
CREATE INDEX IF NOT EXISTS contact_merges_merged ON contact_merges (tenant_id, merged_id);

CREATE TABLE IF NOT EXISTS contact_consents (
    tenant_id BIGINT NOT NULL, contact_id BYTEA NOT NULL, id BYTEA NOT NULL, at BIGINT NOT NULL, change TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (tenant_id, contact_id, id)
) {without_rowid};

CREATE TABLE IF NOT EXISTS deleted_contacts (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, bsuid TEXT NOT NULL, parent_bsuid TEXT NOT NULL,
    created_at BIGINT NOT NULL, deleted_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};

CREATE TABLE IF NOT EXISTS teams (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS teams_key ON teams (tenant_id, key);

CREATE TABLE IF NOT EXISTS segments (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, members TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS segments_key ON segments (tenant_id, key);

-- The state of an import. Beside it: pieces of the uploaded file (none for a local file) and the results of each row.
CREATE TABLE IF NOT EXISTS imports (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, status TEXT NOT NULL, format TEXT NOT NULL, dry_run BOOLEAN NOT NULL,
    fingerprint TEXT NOT NULL, bytes_total BIGINT NOT NULL, bytes_done BIGINT NOT NULL, rows_done BIGINT NOT NULL,
    created BIGINT NOT NULL, updated BIGINT NOT NULL, unchanged BIGINT NOT NULL, rejected BIGINT NOT NULL, header TEXT,
    error TEXT, actor TEXT NOT NULL, holder TEXT, leased_until BIGINT NOT NULL, started_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, finished_at BIGINT,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS imports_open ON imports (status, leased_until);

CREATE TABLE IF NOT EXISTS import_pieces (
    tenant_id BIGINT NOT NULL, import_id BYTEA NOT NULL, place BIGINT NOT NULL, bytes BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, import_id, place)
);

CREATE TABLE IF NOT EXISTS import_verdicts (
    tenant_id BIGINT NOT NULL, import_id BYTEA NOT NULL, first_row BIGINT NOT NULL, verdicts TEXT NOT NULL,
    PRIMARY KEY (tenant_id, import_id, first_row)
) {without_rowid};

-- Refused lines of an imported file, as bytes: a line may be no valid text.
CREATE TABLE IF NOT EXISTS import_rejects (
    tenant_id BIGINT NOT NULL, import_id BYTEA NOT NULL, number BIGINT NOT NULL, field TEXT NOT NULL,
    reason TEXT NOT NULL, line BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, import_id, number)
) {without_rowid};

-- Secrets are sealed by the use case that writes them. `problem` is why the network does not serve the channel at
-- present.
CREATE TABLE IF NOT EXISTS channels (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, name TEXT NOT NULL, name_key TEXT NOT NULL,
    phone_number TEXT NOT NULL, phone_number_id TEXT NOT NULL, account_id TEXT NOT NULL, network TEXT NOT NULL,
    is_default BOOLEAN NOT NULL, enabled BOOLEAN NOT NULL, access_token BYTEA NOT NULL, app_secret BYTEA NOT NULL,
    verify_token BYTEA NOT NULL, quality TEXT, messaging_limit TEXT, quality_at BIGINT, created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, problem TEXT, problem_code BIGINT, problem_since BIGINT,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS channels_name ON channels (tenant_id, name_key);
CREATE UNIQUE INDEX IF NOT EXISTS channels_number ON channels (tenant_id, phone_number);
-- A webhook of the network names its channel by the id alone. A request to the sandbox names the network's id of a
-- number or of an account.
CREATE INDEX IF NOT EXISTS channels_id ON channels (id);
CREATE INDEX IF NOT EXISTS channels_phone_number_id ON channels (phone_number_id);
CREATE INDEX IF NOT EXISTS channels_account_id ON channels (account_id);

-- Bodies that the network posted, until they are processed, in the order of arrival.
CREATE TABLE IF NOT EXISTS inbound_journal (
    tenant_id BIGINT NOT NULL, channel_id BYTEA NOT NULL, received_at BIGINT NOT NULL, id BYTEA NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, channel_id, received_at, id)
) {without_rowid};

CREATE TABLE IF NOT EXISTS inbound_parked (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, channel_id BYTEA NOT NULL, received_at BIGINT NOT NULL,
    parked_at BIGINT NOT NULL, reason TEXT NOT NULL, body BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};

-- Reports of the network without a table of their own, each stored once.
CREATE TABLE IF NOT EXISTS network_reports (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, channel_id BYTEA NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL,
    digest BYTEA NOT NULL, at BIGINT NOT NULL, received_at BIGINT NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS network_reports_digest ON network_reports (tenant_id, channel_id, kind, digest);
CREATE INDEX IF NOT EXISTS network_reports_subject ON network_reports (tenant_id, kind, subject, at);

CREATE TABLE IF NOT EXISTS sandbox_people (
    tenant_id BIGINT NOT NULL, position BIGINT NOT NULL, name TEXT NOT NULL, phone TEXT, bsuid TEXT NOT NULL,
    parent_bsuid TEXT, username TEXT, created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, position)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS sandbox_people_phone ON sandbox_people (tenant_id, phone);
CREATE UNIQUE INDEX IF NOT EXISTS sandbox_people_bsuid ON sandbox_people (tenant_id, bsuid);

CREATE TABLE IF NOT EXISTS sandbox_messages (
    tenant_id BIGINT NOT NULL, channel_id BYTEA NOT NULL, person BIGINT NOT NULL, at BIGINT NOT NULL, id TEXT NOT NULL,
    from_person BOOLEAN NOT NULL, kind TEXT NOT NULL, doc TEXT NOT NULL, status TEXT NOT NULL, received_at BIGINT,
    read_at BIGINT,
    PRIMARY KEY (tenant_id, channel_id, person, at, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS sandbox_messages_id ON sandbox_messages (tenant_id, channel_id, id);

-- Small records of several kinds.
CREATE TABLE IF NOT EXISTS sandbox_records (
    tenant_id BIGINT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, doc TEXT NOT NULL, updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, kind, key)
);
-- For look-ups of the sandbox's media and templates by id, without a tenant.
CREATE INDEX IF NOT EXISTS sandbox_records_key ON sandbox_records (key);

CREATE TABLE IF NOT EXISTS sandbox_media_pieces (
    tenant_id BIGINT NOT NULL, media_id TEXT NOT NULL, place BIGINT NOT NULL, bytes BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, media_id, place)
);

-- Webhooks that the sandbox will post, with their due times.
CREATE TABLE IF NOT EXISTS sandbox_due (
    tenant_id BIGINT NOT NULL, channel_id BYTEA NOT NULL, due_at BIGINT NOT NULL, id TEXT NOT NULL,
    tries BIGINT NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (tenant_id, channel_id, due_at, id)
);
CREATE INDEX IF NOT EXISTS sandbox_due_at ON sandbox_due (due_at, id);

CREATE TABLE IF NOT EXISTS messages (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, channel_id BYTEA NOT NULL, contact_id BYTEA, conversation_id BYTEA,
    ticket_id BYTEA, event TEXT NOT NULL, direction TEXT NOT NULL, state TEXT NOT NULL, kind TEXT NOT NULL, text TEXT,
    content TEXT, params TEXT, network_id TEXT, context_id TEXT, local_id TEXT, broadcast_id BYTEA, template_id BYTEA,
    media_id BYTEA, operator TEXT, at BIGINT NOT NULL, created_at BIGINT NOT NULL, sent_at BIGINT, delivered_at BIGINT,
    read_at BIGINT, failed_at BIGINT, error TEXT,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS messages_network
    ON messages (tenant_id, channel_id, network_id) WHERE network_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS messages_conversation ON messages (tenant_id, conversation_id, at, id);
-- The state is in the index: counting a broadcast does not read its messages.
CREATE INDEX IF NOT EXISTS messages_broadcast
    ON messages (tenant_id, broadcast_id, id, state) WHERE broadcast_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS messages_local ON messages (tenant_id, local_id) WHERE local_id IS NOT NULL;
-- For the sweep of files without a message.
CREATE INDEX IF NOT EXISTS messages_media ON messages (tenant_id, media_id) WHERE media_id IS NOT NULL;

-- Messages waiting to be sent. The key is the order of sending.
CREATE TABLE IF NOT EXISTS outbox (
    tenant_id BIGINT NOT NULL, channel_id BYTEA NOT NULL, priority BIGINT NOT NULL, due_at BIGINT NOT NULL,
    id BYTEA NOT NULL, contact_id BYTEA NOT NULL, recipient TEXT NOT NULL, template_id BYTEA,
    expires_at BIGINT NOT NULL, attempts BIGINT NOT NULL, taken_by TEXT,
    PRIMARY KEY (tenant_id, channel_id, priority, due_at, id)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS outbox_id ON outbox (tenant_id, id);
CREATE INDEX IF NOT EXISTS outbox_taken ON outbox (tenant_id, channel_id, taken_by) WHERE taken_by IS NOT NULL;

-- People whom an account has written to first, and until when each counts towards the network's limit of new people.
CREATE TABLE IF NOT EXISTS outbox_people (
    tenant_id BIGINT NOT NULL, account_id TEXT NOT NULL, contact_id BYTEA NOT NULL, until BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, account_id, contact_id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS outbox_people_until ON outbox_people (tenant_id, account_id, until);

-- `inbound_count` and `inbound_before_ticket` count the messages of the person: all, and those before the present
-- ticket.
CREATE TABLE IF NOT EXISTS conversations (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, channel_id BYTEA NOT NULL, contact_id BYTEA NOT NULL,
    status TEXT NOT NULL, ticket_id BYTEA NOT NULL, assignee TEXT, assignee_id BYTEA, assignee_email TEXT,
    assignee_name TEXT, version BIGINT NOT NULL, window_until BIGINT NOT NULL, last_at BIGINT NOT NULL, last_text TEXT,
    opened_at BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    labels TEXT NOT NULL DEFAULT '[]', snoozed_until BIGINT, inbound_count BIGINT NOT NULL DEFAULT 0,
    inbound_before_ticket BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS conversations_contact ON conversations (tenant_id, contact_id, channel_id);
CREATE INDEX IF NOT EXISTS conversations_last ON conversations (tenant_id, status, last_at, id);
-- Only assigned conversations: most of a large tenant have no assignee.
CREATE INDEX IF NOT EXISTS conversations_assignee
    ON conversations (tenant_id, assignee_id, status, last_at, id) WHERE assignee_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS conversations_snoozed
    ON conversations (tenant_id, last_at, id) WHERE snoozed_until IS NOT NULL;
-- Reads across tenants: finds conversations whose snooze is over.
CREATE INDEX IF NOT EXISTS conversations_wake ON conversations (snoozed_until) WHERE snoozed_until IS NOT NULL;
CREATE INDEX IF NOT EXISTS conversations_unassigned
    ON conversations (tenant_id, status, last_at, id) WHERE assignee IS NULL;
CREATE INDEX IF NOT EXISTS conversations_channel ON conversations (tenant_id, channel_id, status, last_at, id);

CREATE TABLE IF NOT EXISTS templates (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id TEXT NOT NULL, channel_id BYTEA NOT NULL,
    name TEXT NOT NULL, language TEXT NOT NULL, category TEXT NOT NULL, status TEXT NOT NULL, quality TEXT,
    reason TEXT, network_id TEXT, doc TEXT NOT NULL, origin TEXT NOT NULL, created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, reported_at BIGINT NOT NULL, deleted_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
-- `deleted_at` is 0 unless the template is deleted, so the name of a deleted template may be used again.
CREATE UNIQUE INDEX IF NOT EXISTS templates_name ON templates (tenant_id, account_id, name, language, deleted_at);
CREATE INDEX IF NOT EXISTS templates_network ON templates (tenant_id, network_id);

CREATE TABLE IF NOT EXISTS broadcasts (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, channel_id BYTEA NOT NULL, name TEXT NOT NULL,
    template_id BYTEA NOT NULL, template_name TEXT NOT NULL, operator TEXT, source TEXT NOT NULL,
    refused BIGINT NOT NULL, scheduled_at BIGINT, stopped_at BIGINT, created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX IF NOT EXISTS broadcasts_created ON broadcasts (tenant_id, created_at, id);

-- Recipients of a broadcast to whom nothing can be sent.
CREATE TABLE IF NOT EXISTS broadcast_refusals (
    tenant_id BIGINT NOT NULL, broadcast_id BYTEA NOT NULL, place BIGINT NOT NULL, target TEXT NOT NULL,
    contact_id BYTEA, local_id TEXT, code BIGINT NOT NULL, reason TEXT NOT NULL, params TEXT,
    PRIMARY KEY (tenant_id, broadcast_id, place)
);
-- For erasing the refusals of a deleted contact.
CREATE INDEX IF NOT EXISTS broadcast_refusals_contact
    ON broadcast_refusals (tenant_id, contact_id) WHERE contact_id IS NOT NULL;

-- `store` is where the bytes are; NULL: in media_pieces. `message_id` is the received message whose file it is; NULL: a
-- client's file.
CREATE TABLE IF NOT EXISTS media (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, file_name TEXT NOT NULL, shown_name TEXT NOT NULL,
    mime TEXT NOT NULL, size BIGINT NOT NULL, complete BOOLEAN NOT NULL, created_at BIGINT NOT NULL, store TEXT,
    sha256 BYTEA, message_id BYTEA, removed_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS media_file_name ON media (tenant_id, file_name);

CREATE TABLE IF NOT EXISTS media_pieces (
    tenant_id BIGINT NOT NULL, media_id BYTEA NOT NULL, place BIGINT NOT NULL, bytes BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, media_id, place)
);

-- The network's id of a file, while the network keeps it.
CREATE TABLE IF NOT EXISTS media_uploads (
    tenant_id BIGINT NOT NULL, media_id BYTEA NOT NULL, channel_id BYTEA NOT NULL, network_id TEXT NOT NULL,
    until BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, media_id, channel_id)
);

CREATE TABLE IF NOT EXISTS idempotency (
    tenant_id BIGINT NOT NULL, credential TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL,
    holder TEXT NOT NULL, fingerprint BYTEA, outcome TEXT, status BIGINT, content_type TEXT, answer BYTEA,
    started_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, credential, operation, key)
);
CREATE INDEX IF NOT EXISTS idempotency_expires ON idempotency (expires_at);

-- Facts before they are numbered: the node that numbers a tenant's log moves them to `events`.
CREATE TABLE IF NOT EXISTS events_new (
    tenant_id BIGINT NOT NULL, at BIGINT NOT NULL, id BYTEA NOT NULL, kind TEXT NOT NULL, width BIGINT NOT NULL,
    channel_id BYTEA, conversation_id BYTEA, body TEXT NOT NULL,
    PRIMARY KEY (tenant_id, at, id)
) {without_rowid};

-- One row for each fact; its events have the last `width` numbers up to `last`.
CREATE TABLE IF NOT EXISTS events (
    tenant_id BIGINT NOT NULL, last BIGINT NOT NULL, width BIGINT NOT NULL, at BIGINT NOT NULL, id BYTEA NOT NULL,
    kind TEXT NOT NULL, channel_id BYTEA, conversation_id BYTEA, body TEXT NOT NULL,
    PRIMARY KEY (tenant_id, last)
) {without_rowid};

-- The last number of each tenant's log, the lease of its numbering, and the last dropped number.
CREATE TABLE IF NOT EXISTS event_logs (
    tenant_id BIGINT NOT NULL, last BIGINT NOT NULL, dropped BIGINT NOT NULL, holder TEXT NOT NULL,
    until BIGINT NOT NULL, moved_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id)
);
-- Reads across tenants: nodes find logs that have changed recently.
CREATE INDEX IF NOT EXISTS event_logs_moved ON event_logs (moved_at);

-- Secrets and custom headers are sealed by the use case that writes them.
CREATE TABLE IF NOT EXISTS webhooks (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, url TEXT NOT NULL, types TEXT NOT NULL, status TEXT NOT NULL,
    channel_id BYTEA, ordered BOOLEAN NOT NULL, headers BYTEA, secret BYTEA NOT NULL, previous_secret BYTEA,
    previous_until BIGINT, max_in_flight BIGINT, max_per_second BIGINT, reason TEXT, created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, deleted_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS webhooks_url ON webhooks (tenant_id, url) WHERE deleted_at IS NULL;
-- Nodes read the enabled endpoints of all tenants.
CREATE INDEX IF NOT EXISTS webhooks_enabled ON webhooks (status) WHERE deleted_at IS NULL;

-- The dispatch state of an endpoint: every event up to `position` has a delivery or needs none. `reached` is the
-- greatest number that has a delivery, at least `position`; between the two, some events have one. The last recovery
-- has its start, the events that it reads again, its window and its end.
CREATE TABLE IF NOT EXISTS webhook_dispatch_states (
    tenant_id BIGINT NOT NULL, webhook_id BYTEA NOT NULL, position BIGINT NOT NULL, reached BIGINT NOT NULL,
    holder TEXT NOT NULL, until BIGINT NOT NULL, failed_in_a_row BIGINT NOT NULL, failing_since BIGINT,
    delivered_at BIGINT, paused_until BIGINT, recovery_at BIGINT, recovery_to BIGINT, recovery_until BIGINT,
    recovery_since BIGINT, recovery_through BIGINT, recovery_canceled_at BIGINT,
    PRIMARY KEY (tenant_id, webhook_id)
);

-- A delivery has the id of its event. This row has the last attempt; failed ones also have rows of their own. `trace`
-- has the headers of the last attempt, `recovery` the recovery that the delivery belongs to, and `asked` why its next
-- attempt is out of schedule.
CREATE TABLE IF NOT EXISTS webhook_deliveries (
    tenant_id BIGINT NOT NULL, webhook_id BYTEA NOT NULL, id BYTEA NOT NULL, number BIGINT NOT NULL,
    kind TEXT NOT NULL, conversation_id BYTEA, state TEXT NOT NULL, attempts BIGINT NOT NULL, first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL, due_at BIGINT, status BIGINT, latency BIGINT, excerpt TEXT, trace TEXT, recovery BIGINT,
    asked TEXT,
    PRIMARY KEY (tenant_id, webhook_id, id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS webhook_deliveries_due
    ON webhook_deliveries (tenant_id, webhook_id, due_at) WHERE due_at IS NOT NULL;
-- Reads across tenants: finds endpoints with due retries, so that their dispatchers can be started.
CREATE INDEX IF NOT EXISTS webhook_deliveries_due_at ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL;
-- Unfinished deliveries by conversation: with ordered delivery later ones wait for them.
CREATE INDEX IF NOT EXISTS webhook_deliveries_open
    ON webhook_deliveries (tenant_id, webhook_id, conversation_id, number)
    WHERE state IN ('retrying', 'held', 'parked');
-- Contains the deliveries that a recovery looks for. A delivery that succeeds at the first attempt is never in it.
CREATE INDEX IF NOT EXISTS webhook_deliveries_undelivered
    ON webhook_deliveries (tenant_id, webhook_id, id) WHERE state <> 'delivered';
-- For counting the progress of a recovery.
CREATE INDEX IF NOT EXISTS webhook_deliveries_recovery
    ON webhook_deliveries (tenant_id, webhook_id, recovery, asked, state) WHERE recovery IS NOT NULL;

CREATE TABLE IF NOT EXISTS webhook_attempts (
    tenant_id BIGINT NOT NULL, webhook_id BYTEA NOT NULL, delivery_id BYTEA NOT NULL, attempt BIGINT NOT NULL,
    at BIGINT NOT NULL, status BIGINT, latency BIGINT NOT NULL, error TEXT NOT NULL, excerpt TEXT, trace TEXT,
    PRIMARY KEY (tenant_id, webhook_id, delivery_id, attempt)
) {without_rowid};

-- Requests for tracked links, and clicks that the network reported. No sweep deletes rows; the erasure of a contact
-- clears `address` and `headers`. `spot` is the number of the card and of the button in one.
CREATE TABLE IF NOT EXISTS clicks (
    tenant_id BIGINT NOT NULL, at BIGINT NOT NULL, id BYTEA NOT NULL, day BIGINT NOT NULL, message_id BYTEA NOT NULL,
    spot BIGINT NOT NULL, template_id BYTEA NOT NULL, class TEXT NOT NULL, rules BIGINT NOT NULL, source TEXT NOT NULL,
    method TEXT NOT NULL, address TEXT, headers TEXT,
    PRIMARY KEY (tenant_id, at, id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS clicks_message ON clicks (tenant_id, message_id, at, id);
CREATE INDEX IF NOT EXISTS clicks_template ON clicks (tenant_id, template_id, at, id);
-- Contains every column that counting hits needs.
CREATE INDEX IF NOT EXISTS clicks_counted ON clicks (tenant_id, day, template_id, spot, class);

-- Links (message, card, button) that a person has opened, each once; the click event is emitted with the row. `human`
-- is false when a later rescoring took none of the link's hits for a person's.
CREATE TABLE IF NOT EXISTS click_firsts (
    tenant_id BIGINT NOT NULL, link BYTEA NOT NULL, broadcast_id BYTEA, human BOOLEAN NOT NULL, at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, link)
) {without_rowid};
CREATE INDEX IF NOT EXISTS click_firsts_broadcast
    ON click_firsts (tenant_id, broadcast_id) WHERE broadcast_id IS NOT NULL;

-- One row for each reference of a business. `ledger` joins all facts about the payment, `operator` is who made the
-- order, `lookup_at` is when the next look-up of the payment is due.
CREATE TABLE IF NOT EXISTS orders (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, reference_id TEXT NOT NULL, channel_id BYTEA NOT NULL,
    contact_id BYTEA, message_id BYTEA NOT NULL, status TEXT NOT NULL, payment_status TEXT NOT NULL,
    currency TEXT NOT NULL, total BIGINT NOT NULL, payment_configuration TEXT, doc TEXT NOT NULL, ledger TEXT NOT NULL,
    operator TEXT NOT NULL, tries_fruitless BIGINT NOT NULL, tries_last BIGINT, tries_not_before BIGINT,
    lookup_at BIGINT, trouble TEXT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS orders_reference ON orders (tenant_id, reference_id);
CREATE INDEX IF NOT EXISTS orders_created ON orders (tenant_id, created_at, id);
CREATE INDEX IF NOT EXISTS orders_contact ON orders (tenant_id, contact_id, created_at, id);
CREATE INDEX IF NOT EXISTS orders_status ON orders (tenant_id, status, created_at, id);
CREATE INDEX IF NOT EXISTS orders_payment ON orders (tenant_id, payment_status, created_at, id);
-- Reads across tenants: finds due look-ups.
CREATE INDEX IF NOT EXISTS orders_lookup ON orders (lookup_at) WHERE lookup_at IS NOT NULL;

-- Links that set a password. Only a hash of the code is stored.
CREATE TABLE IF NOT EXISTS one_time_links (
    tenant_id BIGINT NOT NULL, account_id BYTEA NOT NULL, purpose TEXT NOT NULL, hash BYTEA NOT NULL,
    created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, account_id, purpose)
) {without_rowid};

-- States of log-ins at OpenID Connect providers that were used, until they end.
CREATE TABLE IF NOT EXISTS used_oidc_states (
    tenant_id BIGINT NOT NULL, hash BYTEA NOT NULL, expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, hash)
) {without_rowid};

-- Broadcasts whose held-back messages are sent again until a time.
CREATE TABLE IF NOT EXISTS broadcast_retries (
    tenant_id BIGINT NOT NULL, broadcast_id BYTEA NOT NULL, until_at BIGINT NOT NULL, due_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, broadcast_id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS broadcast_retries_due ON broadcast_retries (due_at);

-- Counts of log-in tries, under keyed hashes of addresses and networks.
CREATE TABLE IF NOT EXISTS log_in_tries (
    tenant_id BIGINT NOT NULL, key BYTEA NOT NULL, tries BIGINT NOT NULL, last_at BIGINT NOT NULL,
    next_at BIGINT NOT NULL, known_until BIGINT,
    PRIMARY KEY (tenant_id, key)
) {without_rowid};

-- The last entry of each chain, and the last one that was deleted because of its age.
CREATE TABLE IF NOT EXISTS audit_heads (
    tenant_id BIGINT NOT NULL, seq BIGINT NOT NULL, hash BYTEA NOT NULL, base_seq BIGINT NOT NULL,
    base_hash BYTEA NOT NULL,
    PRIMARY KEY (tenant_id)
) {without_rowid};

-- Legacy JWTs that were given out, to list them and revoke single ones.
CREATE TABLE IF NOT EXISTS legacy_jwts (
    tenant_id BIGINT NOT NULL, jti BYTEA NOT NULL, account_id BYTEA NOT NULL, created_at BIGINT NOT NULL,
    expires_at BIGINT, version BIGINT,
    PRIMARY KEY (tenant_id, jti)
) {without_rowid};

-- Received messages whose file is not stored. `due_at` is NULL when the file is fetched only on request.
CREATE TABLE IF NOT EXISTS media_fetches (
    tenant_id BIGINT NOT NULL, message_id BYTEA NOT NULL, channel_id BYTEA NOT NULL, attempts BIGINT NOT NULL,
    due_at BIGINT, claim BYTEA, failure TEXT, detail TEXT,
    PRIMARY KEY (tenant_id, message_id)
);
CREATE INDEX IF NOT EXISTS media_fetches_due ON media_fetches (tenant_id, channel_id, due_at) WHERE due_at IS NOT NULL;

-- The bytes and files that a tenant has received and stored, and the tenant's own limits.
CREATE TABLE IF NOT EXISTS media_usage (
    tenant_id BIGINT NOT NULL, bytes BIGINT NOT NULL, files BIGINT NOT NULL, quota BIGINT, keep_days BIGINT,
    PRIMARY KEY (tenant_id)
);

-- Words that a team puts on conversations and contacts. `key` is the name with folded letter case.
CREATE TABLE IF NOT EXISTS labels (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, color TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS labels_key ON labels (tenant_id, key);

-- Repeats the labels of conversations, with the columns by which lists are ordered.
CREATE TABLE IF NOT EXISTS conversation_labels (
    tenant_id BIGINT NOT NULL, conversation_id BYTEA NOT NULL, label_id BYTEA NOT NULL, status TEXT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, label_id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS conversation_labels_last
    ON conversation_labels (tenant_id, label_id, status, last_at, conversation_id);

-- How many messages of the person an operator has seen.
CREATE TABLE IF NOT EXISTS conversation_reads (
    tenant_id BIGINT NOT NULL, conversation_id BYTEA NOT NULL, account_id BYTEA NOT NULL, seen BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, account_id)
) {without_rowid};

-- Texts that a team sends often. `key` is the shortcut with folded letter case.
CREATE TABLE IF NOT EXISTS canned_replies (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, key TEXT NOT NULL, shortcut TEXT NOT NULL, text TEXT NOT NULL,
    files TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS canned_replies_key ON canned_replies (tenant_id, key);

-- Keeps the files of canned replies from the sweep of unused files.
CREATE TABLE IF NOT EXISTS canned_reply_files (
    tenant_id BIGINT NOT NULL, media_id BYTEA NOT NULL, reply_id BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, media_id, reply_id)
) {without_rowid};

-- Which operators are in a conversation; each row is valid for some seconds.
CREATE TABLE IF NOT EXISTS presences (
    tenant_id BIGINT NOT NULL, conversation_id BYTEA NOT NULL, account_id BYTEA NOT NULL, email TEXT NOT NULL,
    state TEXT NOT NULL, until BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, account_id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS presences_until ON presences (until);

-- Counts for charts, made from the event log, and the position up to which each log is counted.
CREATE TABLE IF NOT EXISTS daily_activity (
    tenant_id BIGINT NOT NULL, day BIGINT NOT NULL, channel_id BYTEA NOT NULL, metric TEXT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, day, channel_id, metric)
) {without_rowid};

CREATE TABLE IF NOT EXISTS activity_positions (
    tenant_id BIGINT NOT NULL, position BIGINT NOT NULL,
    PRIMARY KEY (tenant_id)
) {without_rowid};

-- Conversations whose person waits for an answer, and since when.
CREATE TABLE IF NOT EXISTS awaiting_responses (
    tenant_id BIGINT NOT NULL, conversation_id BYTEA NOT NULL, since BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id)
) {without_rowid};

-- Words of messages, for searching: hashes of the beginnings of words.
CREATE TABLE IF NOT EXISTS message_terms (
    tenant_id BIGINT NOT NULL, term BIGINT NOT NULL, at BIGINT NOT NULL, message_id BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, term, at, message_id)
) {without_rowid};

-- The validity and the expiry of the access tokens of channels, as the network reported them.
CREATE TABLE IF NOT EXISTS channel_tokens (
    tenant_id BIGINT NOT NULL, channel_id BYTEA NOT NULL, is_valid BOOLEAN NOT NULL, expires_at BIGINT,
    checked_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, channel_id)
) {without_rowid};

-- Where the alerts of a tenant go.
CREATE TABLE IF NOT EXISTS alert_settings (
    tenant_id BIGINT NOT NULL, doc TEXT NOT NULL, updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id)
) {without_rowid};

-- Alerts, from the beginning of a problem to its end. `pending` is the notification that is still to be sent.
CREATE TABLE IF NOT EXISTS alerts (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, title TEXT NOT NULL,
    detail TEXT NOT NULL, began_at BIGINT NOT NULL, ended_at BIGINT, pending TEXT, attempts BIGINT NOT NULL,
    emails_sent BIGINT NOT NULL, webhook_status BIGINT, error TEXT,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS alerts_open ON alerts (tenant_id, kind, subject) WHERE ended_at IS NULL;

-- Hits of a link beyond those that have rows, counted by class and day.
CREATE TABLE IF NOT EXISTS click_overflow (
    tenant_id BIGINT NOT NULL, day BIGINT NOT NULL, template_id BYTEA NOT NULL, message_id BYTEA NOT NULL,
    spot BIGINT NOT NULL, class TEXT NOT NULL, hits BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, day, template_id, spot, class, message_id)
) {without_rowid};

-- Second factors of log-ins. The secret of an authenticator app is sealed; of a passkey only the public key is stored.
CREATE TABLE IF NOT EXISTS totp_factors (
    tenant_id BIGINT NOT NULL, account_id BYTEA NOT NULL, secret BYTEA NOT NULL, last_step BIGINT NOT NULL,
    created_at BIGINT NOT NULL, last_used_at BIGINT,
    PRIMARY KEY (tenant_id, account_id)
) {without_rowid};

CREATE TABLE IF NOT EXISTS passkeys (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id BYTEA NOT NULL, host TEXT NOT NULL, name TEXT NOT NULL,
    credential TEXT NOT NULL, created_at BIGINT NOT NULL, last_used_at BIGINT,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS passkeys_account ON passkeys (tenant_id, account_id);

CREATE TABLE IF NOT EXISTS recovery_codes (
    tenant_id BIGINT NOT NULL, account_id BYTEA NOT NULL, hash BYTEA NOT NULL, created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, account_id, hash)
) {without_rowid};

-- Factors that are being added: sealed secrets and challenges, for some minutes.
CREATE TABLE IF NOT EXISTS factor_enrolments (
    tenant_id BIGINT NOT NULL, account_id BYTEA NOT NULL, kind TEXT NOT NULL, state BYTEA NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, account_id, kind)
) {without_rowid};

-- Log-ins between the password and the second factor.
CREATE TABLE IF NOT EXISTS pending_log_ins (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id BYTEA NOT NULL, hash BYTEA NOT NULL,
    credential_version BIGINT NOT NULL, expires_at BIGINT NOT NULL, challenge BYTEA,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS pending_log_ins_account ON pending_log_ins (tenant_id, account_id);

CREATE TABLE IF NOT EXISTS security_settings (
    tenant_id BIGINT NOT NULL, second_factor_required BOOLEAN NOT NULL, updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id)
) {without_rowid};

-- Days for which a tenant keeps a kind of record, instead of the installation's setting.
CREATE TABLE IF NOT EXISTS retention_settings (
    tenant_id BIGINT NOT NULL, kind TEXT NOT NULL, days BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, kind)
) {without_rowid};

CREATE TABLE IF NOT EXISTS nodes (
    tenant_id BIGINT NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL, version TEXT NOT NULL,
    started_at BIGINT NOT NULL, seen_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, name)
) {without_rowid};

-- Changes of status, quality and category of templates.
CREATE TABLE IF NOT EXISTS template_changes (
    tenant_id BIGINT NOT NULL, template_id BYTEA NOT NULL, id BYTEA NOT NULL, at BIGINT NOT NULL, change TEXT NOT NULL,
    old_value TEXT, new_value TEXT NOT NULL, reason TEXT,
    PRIMARY KEY (tenant_id, template_id, id)
) {without_rowid};

-- First responses of operators, with the seconds that the person waited.
CREATE TABLE IF NOT EXISTS first_responses (
    tenant_id BIGINT NOT NULL, at BIGINT NOT NULL, message_id BYTEA NOT NULL, conversation_id BYTEA NOT NULL,
    channel_id BYTEA, seconds BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, at, message_id)
) {without_rowid};
