-- The schema of a new database. Written by a test from a database that ran every step:
-- SWITCHBOARD_WRITE_SCHEMA=1 scripts/test --test storage whole_schema::
CREATE TABLE schema_migrations (
    tenant_id BIGINT NOT NULL, name TEXT NOT NULL, applied_at BIGINT NOT NULL, version TEXT, PRIMARY KEY (tenant_id, name));
CREATE TABLE installation (
            tenant_id BIGINT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (tenant_id, name)) WITHOUT ROWID;
CREATE TABLE epochs (
            tenant_id BIGINT NOT NULL, name TEXT NOT NULL, value BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, name)) WITHOUT ROWID;
CREATE TABLE tenants (
            tenant_id BIGINT NOT NULL, name TEXT NOT NULL, plan TEXT NOT NULL,
            created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, suspended_at BIGINT,
            PRIMARY KEY (tenant_id)) WITHOUT ROWID;
CREATE TABLE accounts (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, email TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,
            password_hash TEXT NOT NULL, password_version BIGINT NOT NULL, credential_version BIGINT NOT NULL, disabled BOOLEAN NOT NULL,
            removed_at BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, last_log_in_at BIGINT,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX accounts_email ON accounts (tenant_id, email);
CREATE INDEX accounts_log_in ON accounts (email);
CREATE TABLE tokens (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id BYTEA NOT NULL, name TEXT NOT NULL,
            hash BYTEA NOT NULL, scopes TEXT NOT NULL, networks TEXT NOT NULL, rate_limit BIGINT,
            created_at BIGINT NOT NULL, expires_at BIGINT, revoked_at BIGINT, password_version BIGINT NOT NULL,
            last_used_at BIGINT, last_used_address TEXT,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE TABLE sessions (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id BYTEA NOT NULL, hash BYTEA NOT NULL,
            credential_version BIGINT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, last_used_at BIGINT, address TEXT, user_agent TEXT, log_in_method TEXT,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE TABLE revoked_jwts (
            tenant_id BIGINT NOT NULL, jti BYTEA NOT NULL, account_id BYTEA NOT NULL, revoked_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, jti)) WITHOUT ROWID;
CREATE TABLE audit (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
            subject TEXT NOT NULL, details TEXT NOT NULL, address TEXT, request_id TEXT, seq BIGINT, hash BYTEA,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE INDEX audit_at ON audit (tenant_id, at, id);
CREATE TABLE leases (
            tenant_id BIGINT NOT NULL, name TEXT NOT NULL, holder TEXT NOT NULL, number BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, name)) WITHOUT ROWID;
CREATE TABLE limit_windows (
            tenant_id BIGINT NOT NULL, bucket TEXT NOT NULL, window_start BIGINT NOT NULL, used BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, bucket, window_start)) WITHOUT ROWID;
CREATE TABLE calls (
            tenant_id BIGINT NOT NULL, started_at BIGINT NOT NULL, id BYTEA NOT NULL, doc TEXT NOT NULL,
            call_id TEXT NOT NULL, direction TEXT NOT NULL, status TEXT NOT NULL, from_number TEXT NOT NULL,
            to_number TEXT NOT NULL, answered_at BIGINT, ended_at BIGINT, duration_seconds BIGINT NOT NULL, facet BIGINT NOT NULL,
            end_reason TEXT, operator_id BYTEA, operator_email TEXT, operator_name TEXT, team_name TEXT,
            contact_id BYTEA, bsuid TEXT, parent_bsuid TEXT, username TEXT, wa_id TEXT, conversation_id BYTEA,
            channel_id BYTEA, channel_phone_number TEXT, talk_seconds BIGINT,
            PRIMARY KEY (tenant_id, started_at, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX calls_call_id ON calls (tenant_id, call_id);
CREATE UNIQUE INDEX calls_id ON calls (tenant_id, id);
CREATE INDEX calls_direction ON calls (tenant_id, direction, started_at, id);
CREATE INDEX calls_operator ON calls (tenant_id, operator_id, started_at, id);
CREATE INDEX calls_facet ON calls (tenant_id, facet, started_at, id, duration_seconds);
CREATE INDEX calls_operator_facet
         ON calls (tenant_id, operator_id, facet, started_at, id, duration_seconds);
CREATE INDEX calls_time ON calls (tenant_id, started_at, id);
CREATE TABLE contacts (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, bsuid TEXT NOT NULL, parent_bsuid TEXT NOT NULL,
            username TEXT, phone TEXT, name TEXT NOT NULL, source TEXT NOT NULL, custom_params TEXT NOT NULL,
            teams TEXT NOT NULL, segments TEXT NOT NULL, opted_in BOOLEAN NOT NULL, allow_broadcast BOOLEAN NOT NULL,
            allow_sms BOOLEAN NOT NULL, blocked_at BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
            opt_source TEXT, opt_at BIGINT, labels TEXT NOT NULL DEFAULT '[]',
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE TABLE contact_identities (
            tenant_id BIGINT NOT NULL, contact_id BYTEA NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
            first_seen BIGINT NOT NULL, last_seen BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, contact_id, kind, value)) WITHOUT ROWID;
CREATE UNIQUE INDEX contact_identities_person ON contact_identities (tenant_id, kind, value)
         WHERE kind <> 'username';
CREATE INDEX contact_identities_username ON contact_identities (tenant_id, value)
         WHERE kind = 'username';
CREATE TABLE contact_terms (
            tenant_id BIGINT NOT NULL, term BIGINT NOT NULL, id BYTEA NOT NULL,
            PRIMARY KEY (tenant_id, term, id)) WITHOUT ROWID;
CREATE TABLE contact_counters (
            tenant_id BIGINT NOT NULL, shard BIGINT NOT NULL, contacts BIGINT NOT NULL, changes BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, shard)) WITHOUT ROWID;
CREATE TABLE contact_merges (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, kept_id BYTEA NOT NULL, merged_id BYTEA NOT NULL,
            before TEXT NOT NULL, reason TEXT NOT NULL, merged_at BIGINT NOT NULL, undone_at BIGINT,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE INDEX contact_merges_kept ON contact_merges (tenant_id, kept_id, merged_id);
CREATE INDEX contact_merges_merged ON contact_merges (tenant_id, merged_id);
CREATE TABLE contact_consents (
            tenant_id BIGINT NOT NULL, contact_id BYTEA NOT NULL, id BYTEA NOT NULL, at BIGINT NOT NULL,
            change TEXT NOT NULL, source TEXT NOT NULL,
            PRIMARY KEY (tenant_id, contact_id, id)) WITHOUT ROWID;
CREATE TABLE deleted_contacts (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, bsuid TEXT NOT NULL, parent_bsuid TEXT NOT NULL,
            created_at BIGINT NOT NULL, deleted_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE TABLE teams (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, created_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX teams_key ON teams (tenant_id, key);
CREATE TABLE segments (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, members TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX segments_key ON segments (tenant_id, key);
CREATE TABLE imports (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, status TEXT NOT NULL, format TEXT NOT NULL, dry_run BOOLEAN NOT NULL,
            fingerprint TEXT NOT NULL, bytes_total BIGINT NOT NULL, bytes_done BIGINT NOT NULL, rows_done BIGINT NOT NULL,
            created BIGINT NOT NULL, updated BIGINT NOT NULL, unchanged BIGINT NOT NULL, rejected BIGINT NOT NULL,
            header TEXT, error TEXT, actor TEXT NOT NULL, holder TEXT, leased_until BIGINT NOT NULL,
            started_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, finished_at BIGINT,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE INDEX imports_open ON imports (status, leased_until);
CREATE TABLE import_pieces (
            tenant_id BIGINT NOT NULL, import_id BYTEA NOT NULL, place BIGINT NOT NULL, bytes BYTEA NOT NULL,
            PRIMARY KEY (tenant_id, import_id, place));
CREATE TABLE import_verdicts (
            tenant_id BIGINT NOT NULL, import_id BYTEA NOT NULL, first_row BIGINT NOT NULL, verdicts TEXT NOT NULL,
            PRIMARY KEY (tenant_id, import_id, first_row)) WITHOUT ROWID;
CREATE TABLE import_rejects (
            tenant_id BIGINT NOT NULL, import_id BYTEA NOT NULL, number BIGINT NOT NULL, field TEXT NOT NULL,
            reason TEXT NOT NULL, line BYTEA NOT NULL,
            PRIMARY KEY (tenant_id, import_id, number)) WITHOUT ROWID;
CREATE TABLE channels (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, name TEXT NOT NULL, name_key TEXT NOT NULL,
            phone_number TEXT NOT NULL, phone_number_id TEXT NOT NULL, account_id TEXT NOT NULL, network TEXT NOT NULL,
            is_default BOOLEAN NOT NULL, enabled BOOLEAN NOT NULL, access_token BYTEA NOT NULL, app_secret BYTEA NOT NULL,
            verify_token BYTEA NOT NULL, quality TEXT, messaging_limit TEXT, quality_at BIGINT,
            created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, problem TEXT, problem_code BIGINT, problem_since BIGINT,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX channels_name ON channels (tenant_id, name_key);
CREATE UNIQUE INDEX channels_number ON channels (tenant_id, phone_number);
CREATE INDEX channels_id ON channels (id);
CREATE INDEX channels_phone_number_id ON channels (phone_number_id);
CREATE INDEX channels_account_id ON channels (account_id);
CREATE TABLE inbound_journal (
            tenant_id BIGINT NOT NULL, channel_id BYTEA NOT NULL, received_at BIGINT NOT NULL, id BYTEA NOT NULL,
            body BYTEA NOT NULL,
            PRIMARY KEY (tenant_id, channel_id, received_at, id)) WITHOUT ROWID;
CREATE TABLE inbound_parked (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, channel_id BYTEA NOT NULL, received_at BIGINT NOT NULL,
            parked_at BIGINT NOT NULL, reason TEXT NOT NULL, body BYTEA NOT NULL,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE TABLE network_reports (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, channel_id BYTEA NOT NULL, kind TEXT NOT NULL,
            subject TEXT NOT NULL, digest BYTEA NOT NULL, at BIGINT NOT NULL, received_at BIGINT NOT NULL, doc TEXT NOT NULL,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX network_reports_digest ON network_reports (tenant_id, channel_id, kind, digest);
CREATE INDEX network_reports_subject ON network_reports (tenant_id, kind, subject, at);
CREATE TABLE sandbox_people (
            tenant_id BIGINT NOT NULL, position BIGINT NOT NULL, name TEXT NOT NULL, phone TEXT, bsuid TEXT NOT NULL,
            parent_bsuid TEXT, username TEXT, created_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, position)) WITHOUT ROWID;
CREATE UNIQUE INDEX sandbox_people_phone ON sandbox_people (tenant_id, phone);
CREATE UNIQUE INDEX sandbox_people_bsuid ON sandbox_people (tenant_id, bsuid);
CREATE TABLE sandbox_messages (
            tenant_id BIGINT NOT NULL, channel_id BYTEA NOT NULL, person BIGINT NOT NULL, at BIGINT NOT NULL, id TEXT NOT NULL,
            from_person BOOLEAN NOT NULL, kind TEXT NOT NULL, doc TEXT NOT NULL, status TEXT NOT NULL, received_at BIGINT,
            read_at BIGINT,
            PRIMARY KEY (tenant_id, channel_id, person, at, id));
CREATE UNIQUE INDEX sandbox_messages_id ON sandbox_messages (tenant_id, channel_id, id);
CREATE TABLE sandbox_records (
            tenant_id BIGINT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, doc TEXT NOT NULL, updated_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, kind, key));
CREATE TABLE sandbox_media_pieces (
            tenant_id BIGINT NOT NULL, media_id TEXT NOT NULL, place BIGINT NOT NULL, bytes BYTEA NOT NULL,
            PRIMARY KEY (tenant_id, media_id, place));
CREATE TABLE sandbox_due (
            tenant_id BIGINT NOT NULL, channel_id BYTEA NOT NULL, due_at BIGINT NOT NULL, id TEXT NOT NULL,
            tries BIGINT NOT NULL, doc TEXT NOT NULL,
            PRIMARY KEY (tenant_id, channel_id, due_at, id));
CREATE INDEX sandbox_due_at ON sandbox_due (due_at, id);
CREATE INDEX sandbox_records_key ON sandbox_records (key);
CREATE TABLE messages (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, channel_id BYTEA NOT NULL, contact_id BYTEA,
            conversation_id BYTEA, ticket_id BYTEA, event TEXT NOT NULL, direction TEXT NOT NULL, state TEXT NOT NULL,
            kind TEXT NOT NULL, text TEXT, content TEXT, params TEXT, network_id TEXT, context_id TEXT, local_id TEXT,
            broadcast_id BYTEA, template_id BYTEA, media_id BYTEA, operator TEXT, at BIGINT NOT NULL,
            created_at BIGINT NOT NULL, sent_at BIGINT, delivered_at BIGINT, read_at BIGINT, failed_at BIGINT, error TEXT,
            PRIMARY KEY (tenant_id, id));
CREATE UNIQUE INDEX messages_network ON messages (tenant_id, channel_id, network_id)
         WHERE network_id IS NOT NULL;
CREATE INDEX messages_conversation ON messages (tenant_id, conversation_id, at, id);
CREATE INDEX messages_broadcast ON messages (tenant_id, broadcast_id, id, state)
         WHERE broadcast_id IS NOT NULL;
CREATE INDEX messages_local ON messages (tenant_id, local_id) WHERE local_id IS NOT NULL;
CREATE TABLE outbox (
            tenant_id BIGINT NOT NULL, channel_id BYTEA NOT NULL, priority BIGINT NOT NULL, due_at BIGINT NOT NULL,
            id BYTEA NOT NULL, contact_id BYTEA NOT NULL, recipient TEXT NOT NULL, template_id BYTEA,
            expires_at BIGINT NOT NULL, attempts BIGINT NOT NULL, taken_by TEXT,
            PRIMARY KEY (tenant_id, channel_id, priority, due_at, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX outbox_id ON outbox (tenant_id, id);
CREATE INDEX outbox_taken ON outbox (tenant_id, channel_id, taken_by) WHERE taken_by IS NOT NULL;
CREATE TABLE outbox_people (
            tenant_id BIGINT NOT NULL, account_id TEXT NOT NULL, contact_id BYTEA NOT NULL, until BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, account_id, contact_id)) WITHOUT ROWID;
CREATE INDEX outbox_people_until ON outbox_people (tenant_id, account_id, until);
CREATE TABLE conversations (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, channel_id BYTEA NOT NULL, contact_id BYTEA NOT NULL,
            status TEXT NOT NULL, ticket_id BYTEA NOT NULL, assignee TEXT, assignee_id BYTEA, assignee_email TEXT,
            assignee_name TEXT, version BIGINT NOT NULL, window_until BIGINT NOT NULL, last_at BIGINT NOT NULL,
            last_text TEXT, opened_at BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, labels TEXT NOT NULL DEFAULT '[]', snoozed_until BIGINT, inbound_count BIGINT NOT NULL DEFAULT 0, inbound_before_ticket BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (tenant_id, id));
CREATE UNIQUE INDEX conversations_contact ON conversations (tenant_id, contact_id, channel_id);
CREATE INDEX conversations_last ON conversations (tenant_id, status, last_at, id);
CREATE TABLE templates (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id TEXT NOT NULL, channel_id BYTEA NOT NULL,
            name TEXT NOT NULL, language TEXT NOT NULL, category TEXT NOT NULL, status TEXT NOT NULL, quality TEXT,
            reason TEXT, network_id TEXT, doc TEXT NOT NULL, origin TEXT NOT NULL, created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL, reported_at BIGINT NOT NULL, deleted_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, id));
CREATE UNIQUE INDEX templates_name ON templates (tenant_id, account_id, name, language, deleted_at);
CREATE INDEX templates_network ON templates (tenant_id, network_id);
CREATE TABLE broadcasts (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, channel_id BYTEA NOT NULL, name TEXT NOT NULL,
            template_id BYTEA NOT NULL, template_name TEXT NOT NULL, operator TEXT, source TEXT NOT NULL,
            refused BIGINT NOT NULL, scheduled_at BIGINT, stopped_at BIGINT, created_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, id));
CREATE INDEX broadcasts_created ON broadcasts (tenant_id, created_at, id);
CREATE TABLE broadcast_refusals (
            tenant_id BIGINT NOT NULL, broadcast_id BYTEA NOT NULL, place BIGINT NOT NULL, target TEXT NOT NULL,
            contact_id BYTEA, local_id TEXT, code BIGINT NOT NULL, reason TEXT NOT NULL, params TEXT,
            PRIMARY KEY (tenant_id, broadcast_id, place));
CREATE TABLE media (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, file_name TEXT NOT NULL, shown_name TEXT NOT NULL,
            mime TEXT NOT NULL, size BIGINT NOT NULL, complete BOOLEAN NOT NULL, created_at BIGINT NOT NULL, store TEXT, sha256 BYTEA, message_id BYTEA, removed_at BIGINT,
            PRIMARY KEY (tenant_id, id));
CREATE UNIQUE INDEX media_file_name ON media (tenant_id, file_name);
CREATE TABLE media_pieces (
            tenant_id BIGINT NOT NULL, media_id BYTEA NOT NULL, place BIGINT NOT NULL, bytes BYTEA NOT NULL,
            PRIMARY KEY (tenant_id, media_id, place));
CREATE TABLE media_uploads (
            tenant_id BIGINT NOT NULL, media_id BYTEA NOT NULL, channel_id BYTEA NOT NULL, network_id TEXT NOT NULL,
            until BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, media_id, channel_id));
CREATE TABLE idempotency (
            tenant_id BIGINT NOT NULL, credential TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL,
            holder TEXT NOT NULL, fingerprint BYTEA, outcome TEXT, status BIGINT, content_type TEXT, answer BYTEA,
            started_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, credential, operation, key));
CREATE INDEX idempotency_expires ON idempotency (expires_at);
CREATE INDEX messages_media ON messages (tenant_id, media_id) WHERE media_id IS NOT NULL;
CREATE INDEX conversations_assignee ON conversations (tenant_id, assignee_id, status, last_at, id)
         WHERE assignee_id IS NOT NULL;
CREATE INDEX broadcast_refusals_contact ON broadcast_refusals (tenant_id, contact_id)
         WHERE contact_id IS NOT NULL;
CREATE TABLE events_new (
            tenant_id BIGINT NOT NULL, at BIGINT NOT NULL, id BYTEA NOT NULL, kind TEXT NOT NULL, width BIGINT NOT NULL,
            channel_id BYTEA, conversation_id BYTEA, body TEXT NOT NULL,
            PRIMARY KEY (tenant_id, at, id)) WITHOUT ROWID;
CREATE TABLE events (
            tenant_id BIGINT NOT NULL, last BIGINT NOT NULL, width BIGINT NOT NULL, at BIGINT NOT NULL, id BYTEA NOT NULL,
            kind TEXT NOT NULL, channel_id BYTEA, conversation_id BYTEA, body TEXT NOT NULL,
            PRIMARY KEY (tenant_id, last)) WITHOUT ROWID;
CREATE TABLE event_logs (
            tenant_id BIGINT NOT NULL, last BIGINT NOT NULL, dropped BIGINT NOT NULL, holder TEXT NOT NULL,
            until BIGINT NOT NULL, moved_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id));
CREATE INDEX event_logs_moved ON event_logs (moved_at);
CREATE TABLE webhooks (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, url TEXT NOT NULL, types TEXT NOT NULL, status TEXT NOT NULL,
            channel_id BYTEA, ordered BOOLEAN NOT NULL, headers BYTEA, secret BYTEA NOT NULL, previous_secret BYTEA,
            previous_until BIGINT, max_in_flight BIGINT, max_per_second BIGINT, reason TEXT, created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL, deleted_at BIGINT,
            PRIMARY KEY (tenant_id, id));
CREATE UNIQUE INDEX webhooks_url ON webhooks (tenant_id, url) WHERE deleted_at IS NULL;
CREATE INDEX webhooks_enabled ON webhooks (status) WHERE deleted_at IS NULL;
CREATE TABLE webhook_lanes (
            tenant_id BIGINT NOT NULL, webhook_id BYTEA NOT NULL, position BIGINT NOT NULL, reached BIGINT NOT NULL,
            holder TEXT NOT NULL, until BIGINT NOT NULL, failed_in_a_row BIGINT NOT NULL, failing_since BIGINT,
            delivered_at BIGINT, rests_until BIGINT, recovery_at BIGINT, recovery_to BIGINT, recovery_until BIGINT, recovery_since BIGINT, recovery_through BIGINT, recovery_canceled_at BIGINT,
            PRIMARY KEY (tenant_id, webhook_id));
CREATE TABLE webhook_deliveries (
            tenant_id BIGINT NOT NULL, webhook_id BYTEA NOT NULL, id BYTEA NOT NULL, number BIGINT NOT NULL,
            kind TEXT NOT NULL, conversation_id BYTEA, state TEXT NOT NULL, attempts BIGINT NOT NULL,
            first_at BIGINT NOT NULL, last_at BIGINT NOT NULL, due_at BIGINT, status BIGINT, latency BIGINT, excerpt TEXT, trace TEXT, recovery BIGINT, asked TEXT,
            PRIMARY KEY (tenant_id, webhook_id, id)) WITHOUT ROWID;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (tenant_id, webhook_id, due_at)
         WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_due_at ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_open
         ON webhook_deliveries (tenant_id, webhook_id, conversation_id, number)
         WHERE state IN ('retrying', 'held', 'parked');
CREATE TABLE webhook_attempts (
            tenant_id BIGINT NOT NULL, webhook_id BYTEA NOT NULL, delivery_id BYTEA NOT NULL, attempt BIGINT NOT NULL,
            at BIGINT NOT NULL, status BIGINT, latency BIGINT NOT NULL, error TEXT NOT NULL, excerpt TEXT, trace TEXT,
            PRIMARY KEY (tenant_id, webhook_id, delivery_id, attempt)) WITHOUT ROWID;
CREATE TABLE clicks (
            tenant_id BIGINT NOT NULL, at BIGINT NOT NULL, id BYTEA NOT NULL, day BIGINT NOT NULL, message_id BYTEA NOT NULL,
            spot BIGINT NOT NULL, template_id BYTEA NOT NULL, class TEXT NOT NULL, rules BIGINT NOT NULL, source TEXT NOT NULL,
            method TEXT NOT NULL, address TEXT, headers TEXT,
            PRIMARY KEY (tenant_id, at, id)) WITHOUT ROWID;
CREATE INDEX clicks_message ON clicks (tenant_id, message_id, at, id);
CREATE INDEX clicks_template ON clicks (tenant_id, template_id, at, id);
CREATE INDEX clicks_counted ON clicks (tenant_id, day, template_id, spot, class);
CREATE TABLE click_firsts (
            tenant_id BIGINT NOT NULL, link BYTEA NOT NULL, broadcast_id BYTEA, human BOOLEAN NOT NULL, at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, link)) WITHOUT ROWID;
CREATE INDEX click_firsts_broadcast ON click_firsts (tenant_id, broadcast_id)
         WHERE broadcast_id IS NOT NULL;
CREATE TABLE orders (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, reference_id TEXT NOT NULL, channel_id BYTEA NOT NULL,
            contact_id BYTEA, message_id BYTEA NOT NULL, status TEXT NOT NULL, payment_status TEXT NOT NULL,
            currency TEXT NOT NULL, total BIGINT NOT NULL, payment_configuration TEXT, doc TEXT NOT NULL,
            ledger TEXT NOT NULL, operator TEXT NOT NULL, tries_fruitless BIGINT NOT NULL, tries_last BIGINT,
            tries_not_before BIGINT, lookup_at BIGINT, trouble TEXT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, id));
CREATE UNIQUE INDEX orders_reference ON orders (tenant_id, reference_id);
CREATE INDEX orders_created ON orders (tenant_id, created_at, id);
CREATE INDEX orders_contact ON orders (tenant_id, contact_id, created_at, id);
CREATE INDEX orders_status ON orders (tenant_id, status, created_at, id);
CREATE INDEX orders_payment ON orders (tenant_id, payment_status, created_at, id);
CREATE INDEX orders_lookup ON orders (lookup_at) WHERE lookup_at IS NOT NULL;
CREATE INDEX sessions_account ON sessions (tenant_id, account_id);
CREATE TABLE one_time_links (
            tenant_id BIGINT NOT NULL, account_id BYTEA NOT NULL, purpose TEXT NOT NULL, hash BYTEA NOT NULL,
            created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, account_id, purpose)) WITHOUT ROWID;
CREATE TABLE used_oidc_states (
            tenant_id BIGINT NOT NULL, hash BYTEA NOT NULL, expires_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, hash)) WITHOUT ROWID;
CREATE INDEX webhook_deliveries_undelivered ON webhook_deliveries (tenant_id, webhook_id, id)
         WHERE state <> 'delivered';
CREATE INDEX webhook_deliveries_recovery
         ON webhook_deliveries (tenant_id, webhook_id, recovery, asked, state) WHERE recovery IS NOT NULL;
CREATE INDEX calls_counted
         ON calls (tenant_id, started_at, direction, status, duration_seconds, operator_id);
CREATE TABLE broadcast_retries (
             tenant_id BIGINT NOT NULL, broadcast_id BYTEA NOT NULL, until_at BIGINT NOT NULL, due_at BIGINT NOT NULL,
             PRIMARY KEY (tenant_id, broadcast_id)) WITHOUT ROWID;
CREATE INDEX broadcast_retries_due ON broadcast_retries (due_at);
CREATE TABLE log_in_tries (
            tenant_id BIGINT NOT NULL, key BYTEA NOT NULL, tries BIGINT NOT NULL, last_at BIGINT NOT NULL,
            next_at BIGINT NOT NULL, known_until BIGINT,
            PRIMARY KEY (tenant_id, key)) WITHOUT ROWID;
CREATE UNIQUE INDEX audit_chain ON audit (tenant_id, seq) WHERE seq IS NOT NULL;
CREATE TABLE audit_heads (
            tenant_id BIGINT NOT NULL, seq BIGINT NOT NULL, hash BYTEA NOT NULL, base_seq BIGINT NOT NULL,
            base_hash BYTEA NOT NULL,
            PRIMARY KEY (tenant_id)) WITHOUT ROWID;
CREATE TABLE legacy_jwts (
            tenant_id BIGINT NOT NULL, jti BYTEA NOT NULL, account_id BYTEA NOT NULL, created_at BIGINT NOT NULL,
            expires_at BIGINT, version BIGINT,
            PRIMARY KEY (tenant_id, jti)) WITHOUT ROWID;
CREATE TABLE media_fetches (
            tenant_id BIGINT NOT NULL, message_id BYTEA NOT NULL, channel_id BYTEA NOT NULL, attempts BIGINT NOT NULL,
            due_at BIGINT, claim BYTEA, failure TEXT, detail TEXT,
            PRIMARY KEY (tenant_id, message_id));
CREATE INDEX media_fetches_due ON media_fetches (tenant_id, channel_id, due_at)
         WHERE due_at IS NOT NULL;
CREATE TABLE media_usage (
            tenant_id BIGINT NOT NULL, bytes BIGINT NOT NULL, files BIGINT NOT NULL, quota BIGINT, keep_days BIGINT,
            PRIMARY KEY (tenant_id));
CREATE TABLE labels (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, color TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX labels_key ON labels (tenant_id, key);
CREATE TABLE conversation_labels (
            tenant_id BIGINT NOT NULL, conversation_id BYTEA NOT NULL, label_id BYTEA NOT NULL, status TEXT NOT NULL,
            last_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, conversation_id, label_id)) WITHOUT ROWID;
CREATE INDEX conversation_labels_last
         ON conversation_labels (tenant_id, label_id, status, last_at, conversation_id);
CREATE TABLE conversation_reads (
            tenant_id BIGINT NOT NULL, conversation_id BYTEA NOT NULL, account_id BYTEA NOT NULL, seen BIGINT NOT NULL,
            updated_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, conversation_id, account_id)) WITHOUT ROWID;
CREATE INDEX conversations_snoozed ON conversations (tenant_id, last_at, id)
         WHERE snoozed_until IS NOT NULL;
CREATE INDEX conversations_wake ON conversations (snoozed_until) WHERE snoozed_until IS NOT NULL;
CREATE INDEX conversations_unassigned ON conversations (tenant_id, status, last_at, id)
         WHERE assignee IS NULL;
CREATE INDEX conversations_channel ON conversations (tenant_id, channel_id, status, last_at, id);
CREATE TABLE canned_replies (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, key TEXT NOT NULL, shortcut TEXT NOT NULL, text TEXT NOT NULL,
            files TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX canned_replies_key ON canned_replies (tenant_id, key);
CREATE TABLE canned_reply_files (
            tenant_id BIGINT NOT NULL, media_id BYTEA NOT NULL, reply_id BYTEA NOT NULL,
            PRIMARY KEY (tenant_id, media_id, reply_id)) WITHOUT ROWID;
CREATE TABLE presences (
            tenant_id BIGINT NOT NULL, conversation_id BYTEA NOT NULL, account_id BYTEA NOT NULL, email TEXT NOT NULL,
            state TEXT NOT NULL, until BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, conversation_id, account_id)) WITHOUT ROWID;
CREATE INDEX presences_until ON presences (until);
CREATE TABLE daily_activity (
            tenant_id BIGINT NOT NULL, day BIGINT NOT NULL, channel_id BYTEA NOT NULL, metric TEXT NOT NULL,
            amount BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, day, channel_id, metric)) WITHOUT ROWID;
CREATE TABLE activity_positions (
            tenant_id BIGINT NOT NULL, position BIGINT NOT NULL,
            PRIMARY KEY (tenant_id)) WITHOUT ROWID;
CREATE TABLE awaiting_responses (
            tenant_id BIGINT NOT NULL, conversation_id BYTEA NOT NULL, since BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, conversation_id)) WITHOUT ROWID;
CREATE TABLE message_terms (
            tenant_id BIGINT NOT NULL, term BIGINT NOT NULL, at BIGINT NOT NULL, message_id BYTEA NOT NULL,
            PRIMARY KEY (tenant_id, term, at, message_id)) WITHOUT ROWID;
CREATE TABLE channel_tokens (
            tenant_id BIGINT NOT NULL, channel_id BYTEA NOT NULL, is_valid BOOLEAN NOT NULL, expires_at BIGINT,
            checked_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, channel_id)) WITHOUT ROWID;
CREATE TABLE alert_settings (
            tenant_id BIGINT NOT NULL, doc TEXT NOT NULL, updated_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id)) WITHOUT ROWID;
CREATE TABLE alerts (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, title TEXT NOT NULL,
            detail TEXT NOT NULL, began_at BIGINT NOT NULL, ended_at BIGINT, pending TEXT, attempts BIGINT NOT NULL,
            emails_sent BIGINT NOT NULL, webhook_status BIGINT, error TEXT,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX alerts_open ON alerts (tenant_id, kind, subject) WHERE ended_at IS NULL;
CREATE TABLE click_overflow (
            tenant_id BIGINT NOT NULL, day BIGINT NOT NULL, template_id BYTEA NOT NULL, message_id BYTEA NOT NULL,
            spot BIGINT NOT NULL, class TEXT NOT NULL, hits BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, day, template_id, spot, class, message_id)) WITHOUT ROWID;
CREATE TABLE totp_factors (
            tenant_id BIGINT NOT NULL, account_id BYTEA NOT NULL, secret BYTEA NOT NULL, last_step BIGINT NOT NULL,
            created_at BIGINT NOT NULL, last_used_at BIGINT,
            PRIMARY KEY (tenant_id, account_id)) WITHOUT ROWID;
CREATE TABLE passkeys (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id BYTEA NOT NULL, host TEXT NOT NULL, name TEXT NOT NULL,
            credential TEXT NOT NULL, created_at BIGINT NOT NULL, last_used_at BIGINT,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE INDEX passkeys_account ON passkeys (tenant_id, account_id);
CREATE TABLE recovery_codes (
            tenant_id BIGINT NOT NULL, account_id BYTEA NOT NULL, hash BYTEA NOT NULL, created_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, account_id, hash)) WITHOUT ROWID;
CREATE TABLE factor_enrolments (
            tenant_id BIGINT NOT NULL, account_id BYTEA NOT NULL, kind TEXT NOT NULL, state BYTEA NOT NULL,
            expires_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, account_id, kind)) WITHOUT ROWID;
CREATE TABLE pending_log_ins (
            tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, account_id BYTEA NOT NULL, hash BYTEA NOT NULL,
            credential_version BIGINT NOT NULL, expires_at BIGINT NOT NULL, challenge BYTEA,
            PRIMARY KEY (tenant_id, id)) WITHOUT ROWID;
CREATE INDEX pending_log_ins_account ON pending_log_ins (tenant_id, account_id);
CREATE TABLE security_settings (
            tenant_id BIGINT NOT NULL, second_factor_required BOOLEAN NOT NULL, updated_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id)) WITHOUT ROWID;
CREATE TABLE retention_settings (
            tenant_id BIGINT NOT NULL, kind TEXT NOT NULL, days BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, kind)) WITHOUT ROWID;
CREATE TABLE nodes (
            tenant_id BIGINT NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL, version TEXT NOT NULL,
            started_at BIGINT NOT NULL, seen_at BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, name)) WITHOUT ROWID;
CREATE TABLE template_changes (
            tenant_id BIGINT NOT NULL, template_id BYTEA NOT NULL, id BYTEA NOT NULL, at BIGINT NOT NULL,
            change TEXT NOT NULL, old_value TEXT, new_value TEXT NOT NULL, reason TEXT,
            PRIMARY KEY (tenant_id, template_id, id)) WITHOUT ROWID;
CREATE INDEX calls_contact ON calls (tenant_id, contact_id, started_at, id)
         WHERE contact_id IS NOT NULL;
CREATE TABLE first_responses (
            tenant_id BIGINT NOT NULL, at BIGINT NOT NULL, message_id BYTEA NOT NULL, conversation_id BYTEA NOT NULL,
            channel_id BYTEA, seconds BIGINT NOT NULL,
            PRIMARY KEY (tenant_id, at, message_id)) WITHOUT ROWID;
