-- Addresses that get alerts only once their owners have confirmed them. `code_hash` is that of the mailed link, until it
-- is used.
CREATE TABLE IF NOT EXISTS alert_recipients (
    tenant_id BIGINT NOT NULL, email TEXT NOT NULL, code_hash BYTEA, mailed_at BIGINT NOT NULL, confirmed_at BIGINT,
    PRIMARY KEY (tenant_id, email)
) {without_rowid};
