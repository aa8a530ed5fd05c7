-- The contact that a fact is about, who or what caused it, and after how many reactions (`domain::delivery::events`).
ALTER TABLE events_new ADD COLUMN {postgres IF NOT EXISTS} contact_id BYTEA;
ALTER TABLE events_new ADD COLUMN {postgres IF NOT EXISTS} cause TEXT NOT NULL DEFAULT 'system';
ALTER TABLE events_new ADD COLUMN {postgres IF NOT EXISTS} depth BIGINT NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN {postgres IF NOT EXISTS} contact_id BYTEA;
ALTER TABLE events ADD COLUMN {postgres IF NOT EXISTS} cause TEXT NOT NULL DEFAULT 'system';
ALTER TABLE events ADD COLUMN {postgres IF NOT EXISTS} depth BIGINT NOT NULL DEFAULT 0;
