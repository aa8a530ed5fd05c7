-- How the conversations of a team are assigned, and during which opening hours; NULL: always.
ALTER TABLE teams ADD COLUMN {postgres IF NOT EXISTS} method TEXT NOT NULL DEFAULT 'by_hand';
ALTER TABLE teams ADD COLUMN {postgres IF NOT EXISTS} capacity BIGINT NOT NULL DEFAULT 10;
ALTER TABLE teams ADD COLUMN {postgres IF NOT EXISTS} opening_hours_id BYTEA;

-- A NULL capacity is that of the team.
CREATE TABLE IF NOT EXISTS team_members (
    tenant_id BIGINT NOT NULL, team_id BYTEA NOT NULL, account_id BYTEA NOT NULL, capacity BIGINT,
    languages TEXT NOT NULL, labels TEXT NOT NULL,
    PRIMARY KEY (tenant_id, team_id, account_id)
) {without_rowid};
