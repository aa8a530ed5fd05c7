-- The positions of consumers in the event logs, and the facts that one of their handlers could not process. See
-- `delivery/consumers.rs`. `activity_positions` is read once for each tenant, and no longer written after that.
CREATE TABLE IF NOT EXISTS consumer_positions (
    tenant_id BIGINT NOT NULL, consumer TEXT NOT NULL, position BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, consumer)
) {without_rowid};

CREATE TABLE IF NOT EXISTS parked_facts (
    tenant_id BIGINT NOT NULL, consumer TEXT NOT NULL, number BIGINT NOT NULL, handler TEXT NOT NULL,
    reason TEXT NOT NULL, parked_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, consumer, number, handler)
) {without_rowid};
