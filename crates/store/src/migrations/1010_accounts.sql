-- Accounts of the installation with memberships in tenants.
--
-- An account is a row of `accounts` with tenant 0, its second factors are rows with tenant 0, and its row in a tenant
-- is its membership there. `store::migrate` then makes the accounts of an earlier version
-- (`identity/memberships/adopt.rs`).

-- The tenants of each account, as rows of tenant 0: a log-in asks one place for them.
CREATE TABLE IF NOT EXISTS memberships (
    tenant_id BIGINT NOT NULL, account_id BYTEA NOT NULL, member_of BIGINT NOT NULL, membership_id BYTEA NOT NULL,
    reach TEXT NOT NULL, password_by_administrator BOOLEAN NOT NULL, created_at BIGINT NOT NULL, last_used_at BIGINT,
    PRIMARY KEY (tenant_id, account_id, member_of)
) {without_rowid};
CREATE UNIQUE INDEX IF NOT EXISTS memberships_of_tenant ON memberships (tenant_id, member_of, membership_id);

-- What a tenant demands of sessions in its console.
CREATE TABLE IF NOT EXISTS console_access (
    tenant_id BIGINT NOT NULL, single_sign_on BOOLEAN NOT NULL, networks TEXT NOT NULL, updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id)
) {without_rowid};

-- A log-in finds its account by tenant 0 and the address.
DROP INDEX IF EXISTS accounts_log_in;
