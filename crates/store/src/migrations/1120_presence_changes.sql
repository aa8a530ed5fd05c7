-- When an operator's state in a conversation changed last, so that other nodes find changes instead of every report.
ALTER TABLE presences ADD COLUMN {postgres IF NOT EXISTS} changed_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX IF NOT EXISTS presences_changed ON presences (changed_at);
