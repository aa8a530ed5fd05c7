-- While an import has inserted contacts whose index terms are not written yet: the smallest id of these contacts. See
-- `people/contacts/unindexed.rs`.
ALTER TABLE imports ADD COLUMN {postgres IF NOT EXISTS} unindexed_from BYTEA;
CREATE INDEX IF NOT EXISTS imports_unindexed ON imports (leased_until) WHERE unindexed_from IS NOT NULL;
CREATE INDEX IF NOT EXISTS imports_unindexed_from ON imports (tenant_id, unindexed_from)
    WHERE unindexed_from IS NOT NULL;

-- Contacts from that id on whose terms another writer has written meanwhile.
CREATE TABLE IF NOT EXISTS import_indexed (
    tenant_id BIGINT NOT NULL, import_id BYTEA NOT NULL, id BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, import_id, id)
) {without_rowid};
