-- Rules that decide for which team or operator a conversation waits. Their conditions and targets are JSON.
CREATE TABLE IF NOT EXISTS routing_rules (
    tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, name TEXT NOT NULL, conditions TEXT NOT NULL,
    to_former_operator BOOLEAN NOT NULL, target TEXT NOT NULL, stop BOOLEAN NOT NULL, position BIGINT NOT NULL,
    enabled BOOLEAN NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
) {without_rowid};

-- Conversations that wait for an operator. `queue` is what they wait for, with the skills that they need, as JSON.
CREATE TABLE IF NOT EXISTS waiting_conversations (
    tenant_id BIGINT NOT NULL, conversation_id BYTEA NOT NULL, queue TEXT NOT NULL, by_rule BOOLEAN NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id)
) {without_rowid};
CREATE INDEX IF NOT EXISTS waiting_conversations_oldest
    ON waiting_conversations (tenant_id, queue, since, conversation_id);

-- The presence that an operator has chosen, when the operator was connected last, and when routing last gave the
-- operator a conversation.
CREATE TABLE IF NOT EXISTS operator_presences (
    tenant_id BIGINT NOT NULL, account_id BYTEA NOT NULL, chosen TEXT NOT NULL, seen_at BIGINT,
    last_assigned_at BIGINT,
    PRIMARY KEY (tenant_id, account_id)
) {without_rowid};
