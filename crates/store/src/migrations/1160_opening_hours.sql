-- Schedules of opening hours, as JSON. `key` is the name with folded letter case.
CREATE TABLE IF NOT EXISTS opening_hours (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, key TEXT NOT NULL, schedule TEXT NOT NULL, created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS opening_hours_key ON opening_hours (tenant_id, key);
