-- Deleted contacts of whom files and events are still to be erased. `person` says what the events of the person have in
-- common, `files` lists files to delete, `position` is the number of the last event that was examined.
CREATE TABLE IF NOT EXISTS erasures (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, erased_at BIGINT NOT NULL, person TEXT NOT NULL, files TEXT NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};

-- The names of these leases now begin with the tenant, so that they can be deleted with it.
DELETE FROM leases WHERE tenant_id = 0 AND substr(name, 1, 8) = 'inbound/';
