-- Work that becomes due at a time: ends of snoozes, retries of broadcasts. See `base/timers.rs`.
CREATE TABLE IF NOT EXISTS timers (
    tenant_id BIGINT NOT NULL, kind TEXT NOT NULL, key BYTEA NOT NULL, due_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, kind, key)
) {without_rowid};
CREATE INDEX IF NOT EXISTS timers_due ON timers (due_at);
