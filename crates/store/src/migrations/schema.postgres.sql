-- The schema of a new database. Written by a test from a database that ran every step:
-- SWITCHBOARD_WRITE_SCHEMA=1 scripts/test --test storage whole_schema::
CREATE TABLE schema_migrations (
    tenant_id bigint NOT NULL,
    name text NOT NULL,
    applied_at bigint NOT NULL,
    version text,
    CONSTRAINT schema_migrations_pkey PRIMARY KEY (tenant_id, name)
);
CREATE TABLE installation (
    tenant_id bigint NOT NULL,
    name text NOT NULL,
    value text NOT NULL,
    CONSTRAINT installation_pkey PRIMARY KEY (tenant_id, name)
);
CREATE TABLE epochs (
    tenant_id bigint NOT NULL,
    name text NOT NULL,
    value bigint NOT NULL,
    CONSTRAINT epochs_pkey PRIMARY KEY (tenant_id, name)
);
CREATE TABLE tenants (
    tenant_id bigint NOT NULL,
    name text NOT NULL,
    plan text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    suspended_at bigint,
    CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id)
);
CREATE TABLE accounts (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    password_hash text NOT NULL,
    password_version bigint NOT NULL,
    credential_version bigint NOT NULL,
    disabled boolean NOT NULL,
    removed_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    last_log_in_at bigint,
    CONSTRAINT accounts_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE tokens (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    account_id bytea NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    scopes text NOT NULL,
    networks text NOT NULL,
    rate_limit bigint,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    password_version bigint NOT NULL,
    last_used_at bigint,
    last_used_address text,
    CONSTRAINT tokens_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE sessions (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    account_id bytea NOT NULL,
    hash bytea NOT NULL,
    credential_version bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    last_used_at bigint,
    address text,
    user_agent text,
    log_in_method text,
    CONSTRAINT sessions_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE revoked_jwts (
    tenant_id bigint NOT NULL,
    jti bytea NOT NULL,
    account_id bytea NOT NULL,
    revoked_at bigint NOT NULL,
    CONSTRAINT revoked_jwts_pkey PRIMARY KEY (tenant_id, jti)
);
CREATE TABLE audit (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    details text NOT NULL,
    address text,
    request_id text,
    seq bigint,
    hash bytea,
    CONSTRAINT audit_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE leases (
    tenant_id bigint NOT NULL,
    name text NOT NULL,
    holder text NOT NULL,
    number bigint NOT NULL,
    expires_at bigint NOT NULL,
    CONSTRAINT leases_pkey PRIMARY KEY (tenant_id, name)
);
CREATE TABLE limit_windows (
    tenant_id bigint NOT NULL,
    bucket text NOT NULL,
    window_start bigint NOT NULL,
    used bigint NOT NULL,
    CONSTRAINT limit_windows_pkey PRIMARY KEY (tenant_id, bucket, window_start)
);
CREATE TABLE calls (
    tenant_id bigint NOT NULL,
    started_at bigint NOT NULL,
    id bytea NOT NULL,
    doc text NOT NULL,
    call_id text NOT NULL,
    direction text NOT NULL,
    status text NOT NULL,
    from_number text NOT NULL,
    to_number text NOT NULL,
    answered_at bigint,
    ended_at bigint,
    duration_seconds bigint NOT NULL,
    facet bigint NOT NULL,
    end_reason text,
    operator_id bytea,
    operator_email text,
    operator_name text,
    team_name text,
    contact_id bytea,
    bsuid text,
    parent_bsuid text,
    username text,
    wa_id text,
    conversation_id bytea,
    channel_id bytea,
    channel_phone_number text,
    talk_seconds bigint,
    CONSTRAINT calls_pkey PRIMARY KEY (tenant_id, started_at, id)
);
CREATE TABLE contacts (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    bsuid text NOT NULL,
    parent_bsuid text NOT NULL,
    username text,
    phone text,
    name text NOT NULL,
    source text NOT NULL,
    custom_params text NOT NULL,
    teams text NOT NULL,
    segments text NOT NULL,
    opted_in boolean NOT NULL,
    allow_broadcast boolean NOT NULL,
    allow_sms boolean NOT NULL,
    blocked_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    opt_source text,
    opt_at bigint,
    labels text NOT NULL DEFAULT '[]'::text,
    CONSTRAINT contacts_pkey1 PRIMARY KEY (tenant_id, id)
);
CREATE TABLE contact_identities (
    tenant_id bigint NOT NULL,
    contact_id bytea NOT NULL,
    kind text NOT NULL,
    value text NOT NULL,
    first_seen bigint NOT NULL,
    last_seen bigint NOT NULL,
    CONSTRAINT contact_identities_pkey PRIMARY KEY (tenant_id, contact_id, kind, value)
);
CREATE TABLE contact_terms (
    tenant_id bigint NOT NULL,
    term bigint NOT NULL,
    id bytea NOT NULL,
    CONSTRAINT contact_terms_pkey PRIMARY KEY (tenant_id, term, id)
);
CREATE TABLE contact_counters (
    tenant_id bigint NOT NULL,
    shard bigint NOT NULL,
    contacts bigint NOT NULL,
    changes bigint NOT NULL,
    CONSTRAINT contact_counters_pkey PRIMARY KEY (tenant_id, shard)
);
CREATE TABLE contact_merges (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    kept_id bytea NOT NULL,
    merged_id bytea NOT NULL,
    before text NOT NULL,
    reason text NOT NULL,
    merged_at bigint NOT NULL,
    undone_at bigint,
    CONSTRAINT contact_merges_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE contact_consents (
    tenant_id bigint NOT NULL,
    contact_id bytea NOT NULL,
    id bytea NOT NULL,
    at bigint NOT NULL,
    change text NOT NULL,
    source text NOT NULL,
    CONSTRAINT contact_consents_pkey PRIMARY KEY (tenant_id, contact_id, id)
);
CREATE TABLE deleted_contacts (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    bsuid text NOT NULL,
    parent_bsuid text NOT NULL,
    created_at bigint NOT NULL,
    deleted_at bigint NOT NULL,
    CONSTRAINT deleted_contacts_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE teams (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT teams_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE segments (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    members text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT segments_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE imports (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    status text NOT NULL,
    format text NOT NULL,
    dry_run boolean NOT NULL,
    fingerprint text NOT NULL,
    bytes_total bigint NOT NULL,
    bytes_done bigint NOT NULL,
    rows_done bigint NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    unchanged bigint NOT NULL,
    rejected bigint NOT NULL,
    header text,
    error text,
    actor text NOT NULL,
    holder text,
    leased_until bigint NOT NULL,
    started_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    finished_at bigint,
    CONSTRAINT imports_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE import_pieces (
    tenant_id bigint NOT NULL,
    import_id bytea NOT NULL,
    place bigint NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT import_pieces_pkey PRIMARY KEY (tenant_id, import_id, place)
);
CREATE TABLE import_verdicts (
    tenant_id bigint NOT NULL,
    import_id bytea NOT NULL,
    first_row bigint NOT NULL,
    verdicts text NOT NULL,
    CONSTRAINT import_verdicts_pkey PRIMARY KEY (tenant_id, import_id, first_row)
);
CREATE TABLE import_rejects (
    tenant_id bigint NOT NULL,
    import_id bytea NOT NULL,
    number bigint NOT NULL,
    field text NOT NULL,
    reason text NOT NULL,
    line bytea NOT NULL,
    CONSTRAINT import_rejects_pkey PRIMARY KEY (tenant_id, import_id, number)
);
CREATE TABLE channels (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    phone_number text NOT NULL,
    phone_number_id text NOT NULL,
    account_id text NOT NULL,
    network text NOT NULL,
    is_default boolean NOT NULL,
    enabled boolean NOT NULL,
    access_token bytea NOT NULL,
    app_secret bytea NOT NULL,
    verify_token bytea NOT NULL,
    quality text,
    messaging_limit text,
    quality_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    problem text,
    problem_code bigint,
    problem_since bigint,
    CONSTRAINT channels_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE inbound_journal (
    tenant_id bigint NOT NULL,
    channel_id bytea NOT NULL,
    received_at bigint NOT NULL,
    id bytea NOT NULL,
    body bytea NOT NULL,
    CONSTRAINT inbound_journal_pkey PRIMARY KEY (tenant_id, channel_id, received_at, id)
);
CREATE TABLE inbound_parked (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    channel_id bytea NOT NULL,
    received_at bigint NOT NULL,
    parked_at bigint NOT NULL,
    reason text NOT NULL,
    body bytea NOT NULL,
    CONSTRAINT inbound_parked_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE network_reports (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    channel_id bytea NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    digest bytea NOT NULL,
    at bigint NOT NULL,
    received_at bigint NOT NULL,
    doc text NOT NULL,
    CONSTRAINT network_reports_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE sandbox_people (
    tenant_id bigint NOT NULL,
    "position" bigint NOT NULL,
    name text NOT NULL,
    phone text,
    bsuid text NOT NULL,
    parent_bsuid text,
    username text,
    created_at bigint NOT NULL,
    CONSTRAINT sandbox_people_pkey PRIMARY KEY (tenant_id, "position")
);
CREATE TABLE sandbox_messages (
    tenant_id bigint NOT NULL,
    channel_id bytea NOT NULL,
    person bigint NOT NULL,
    at bigint NOT NULL,
    id text NOT NULL,
    from_person boolean NOT NULL,
    kind text NOT NULL,
    doc text NOT NULL,
    status text NOT NULL,
    received_at bigint,
    read_at bigint,
    CONSTRAINT sandbox_messages_pkey PRIMARY KEY (tenant_id, channel_id, person, at, id)
);
CREATE TABLE sandbox_records (
    tenant_id bigint NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    doc text NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT sandbox_records_pkey PRIMARY KEY (tenant_id, kind, key)
);
CREATE TABLE sandbox_media_pieces (
    tenant_id bigint NOT NULL,
    media_id text NOT NULL,
    place bigint NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT sandbox_media_pieces_pkey PRIMARY KEY (tenant_id, media_id, place)
);
CREATE TABLE sandbox_due (
    tenant_id bigint NOT NULL,
    channel_id bytea NOT NULL,
    due_at bigint NOT NULL,
    id text NOT NULL,
    tries bigint NOT NULL,
    doc text NOT NULL,
    CONSTRAINT sandbox_due_pkey PRIMARY KEY (tenant_id, channel_id, due_at, id)
);
CREATE TABLE messages (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    channel_id bytea NOT NULL,
    contact_id bytea,
    conversation_id bytea,
    ticket_id bytea,
    event text NOT NULL,
    direction text NOT NULL,
    state text NOT NULL,
    kind text NOT NULL,
    text text,
    content text,
    params text,
    network_id text,
    context_id text,
    local_id text,
    broadcast_id bytea,
    template_id bytea,
    media_id bytea,
    operator text,
    at bigint NOT NULL,
    created_at bigint NOT NULL,
    sent_at bigint,
    delivered_at bigint,
    read_at bigint,
    failed_at bigint,
    error text,
    CONSTRAINT messages_pkey1 PRIMARY KEY (tenant_id, id)
);
CREATE TABLE outbox (
    tenant_id bigint NOT NULL,
    channel_id bytea NOT NULL,
    priority bigint NOT NULL,
    due_at bigint NOT NULL,
    id bytea NOT NULL,
    contact_id bytea NOT NULL,
    recipient text NOT NULL,
    template_id bytea,
    expires_at bigint NOT NULL,
    attempts bigint NOT NULL,
    taken_by text,
    CONSTRAINT outbox_pkey PRIMARY KEY (tenant_id, channel_id, priority, due_at, id)
);
CREATE TABLE outbox_people (
    tenant_id bigint NOT NULL,
    account_id text NOT NULL,
    contact_id bytea NOT NULL,
    until bigint NOT NULL,
    CONSTRAINT outbox_people_pkey PRIMARY KEY (tenant_id, account_id, contact_id)
);
CREATE TABLE conversations (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    channel_id bytea NOT NULL,
    contact_id bytea NOT NULL,
    status text NOT NULL,
    ticket_id bytea NOT NULL,
    assignee text,
    assignee_id bytea,
    assignee_email text,
    assignee_name text,
    version bigint NOT NULL,
    window_until bigint NOT NULL,
    last_at bigint NOT NULL,
    last_text text,
    opened_at bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    labels text NOT NULL DEFAULT '[]'::text,
    snoozed_until bigint,
    inbound_count bigint NOT NULL DEFAULT 0,
    inbound_before_ticket bigint NOT NULL DEFAULT 0,
    CONSTRAINT conversations_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE templates (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    account_id text NOT NULL,
    channel_id bytea NOT NULL,
    name text NOT NULL,
    language text NOT NULL,
    category text NOT NULL,
    status text NOT NULL,
    quality text,
    reason text,
    network_id text,
    doc text NOT NULL,
    origin text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    reported_at bigint NOT NULL,
    deleted_at bigint NOT NULL,
    CONSTRAINT templates_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE broadcasts (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    channel_id bytea NOT NULL,
    name text NOT NULL,
    template_id bytea NOT NULL,
    template_name text NOT NULL,
    operator text,
    source text NOT NULL,
    refused bigint NOT NULL,
    scheduled_at bigint,
    stopped_at bigint,
    created_at bigint NOT NULL,
    CONSTRAINT broadcasts_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE broadcast_refusals (
    tenant_id bigint NOT NULL,
    broadcast_id bytea NOT NULL,
    place bigint NOT NULL,
    target text NOT NULL,
    contact_id bytea,
    local_id text,
    code bigint NOT NULL,
    reason text NOT NULL,
    params text,
    CONSTRAINT broadcast_refusals_pkey PRIMARY KEY (tenant_id, broadcast_id, place)
);
CREATE TABLE media (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    file_name text NOT NULL,
    shown_name text NOT NULL,
    mime text NOT NULL,
    size bigint NOT NULL,
    complete boolean NOT NULL,
    created_at bigint NOT NULL,
    store text,
    sha256 bytea,
    message_id bytea,
    removed_at bigint,
    CONSTRAINT media_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE media_pieces (
    tenant_id bigint NOT NULL,
    media_id bytea NOT NULL,
    place bigint NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT media_pieces_pkey PRIMARY KEY (tenant_id, media_id, place)
);
CREATE TABLE media_uploads (
    tenant_id bigint NOT NULL,
    media_id bytea NOT NULL,
    channel_id bytea NOT NULL,
    network_id text NOT NULL,
    until bigint NOT NULL,
    CONSTRAINT media_uploads_pkey PRIMARY KEY (tenant_id, media_id, channel_id)
);
CREATE TABLE idempotency (
    tenant_id bigint NOT NULL,
    credential text NOT NULL,
    operation text NOT NULL,
    key text NOT NULL,
    holder text NOT NULL,
    fingerprint bytea,
    outcome text,
    status bigint,
    content_type text,
    answer bytea,
    started_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    CONSTRAINT idempotency_pkey PRIMARY KEY (tenant_id, credential, operation, key)
);
CREATE TABLE events_new (
    tenant_id bigint NOT NULL,
    at bigint NOT NULL,
    id bytea NOT NULL,
    kind text NOT NULL,
    width bigint NOT NULL,
    channel_id bytea,
    conversation_id bytea,
    body text NOT NULL,
    CONSTRAINT events_new_pkey PRIMARY KEY (tenant_id, at, id)
);
CREATE TABLE events (
    tenant_id bigint NOT NULL,
    last bigint NOT NULL,
    width bigint NOT NULL,
    at bigint NOT NULL,
    id bytea NOT NULL,
    kind text NOT NULL,
    channel_id bytea,
    conversation_id bytea,
    body text NOT NULL,
    CONSTRAINT events_pkey PRIMARY KEY (tenant_id, last)
);
CREATE TABLE event_logs (
    tenant_id bigint NOT NULL,
    last bigint NOT NULL,
    dropped bigint NOT NULL,
    holder text NOT NULL,
    until bigint NOT NULL,
    moved_at bigint NOT NULL,
    CONSTRAINT event_logs_pkey PRIMARY KEY (tenant_id)
);
CREATE TABLE webhooks (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    url text NOT NULL,
    types text NOT NULL,
    status text NOT NULL,
    channel_id bytea,
    ordered boolean NOT NULL,
    headers bytea,
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_until bigint,
    max_in_flight bigint,
    max_per_second bigint,
    reason text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    deleted_at bigint,
    CONSTRAINT webhooks_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE webhook_lanes (
    tenant_id bigint NOT NULL,
    webhook_id bytea NOT NULL,
    "position" bigint NOT NULL,
    reached bigint NOT NULL,
    holder text NOT NULL,
    until bigint NOT NULL,
    failed_in_a_row bigint NOT NULL,
    failing_since bigint,
    delivered_at bigint,
    rests_until bigint,
    recovery_at bigint,
    recovery_to bigint,
    recovery_until bigint,
    recovery_since bigint,
    recovery_through bigint,
    recovery_canceled_at bigint,
    CONSTRAINT webhook_lanes_pkey PRIMARY KEY (tenant_id, webhook_id)
);
CREATE TABLE webhook_deliveries (
    tenant_id bigint NOT NULL,
    webhook_id bytea NOT NULL,
    id bytea NOT NULL,
    number bigint NOT NULL,
    kind text NOT NULL,
    conversation_id bytea,
    state text NOT NULL,
    attempts bigint NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    due_at bigint,
    status bigint,
    latency bigint,
    excerpt text,
    trace text,
    recovery bigint,
    asked text,
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (tenant_id, webhook_id, id)
);
CREATE TABLE webhook_attempts (
    tenant_id bigint NOT NULL,
    webhook_id bytea NOT NULL,
    delivery_id bytea NOT NULL,
    attempt bigint NOT NULL,
    at bigint NOT NULL,
    status bigint,
    latency bigint NOT NULL,
    error text NOT NULL,
    excerpt text,
    trace text,
    CONSTRAINT webhook_attempts_pkey PRIMARY KEY (tenant_id, webhook_id, delivery_id, attempt)
);
CREATE TABLE clicks (
    tenant_id bigint NOT NULL,
    at bigint NOT NULL,
    id bytea NOT NULL,
    day bigint NOT NULL,
    message_id bytea NOT NULL,
    spot bigint NOT NULL,
    template_id bytea NOT NULL,
    class text NOT NULL,
    rules bigint NOT NULL,
    source text NOT NULL,
    method text NOT NULL,
    address text,
    headers text,
    CONSTRAINT clicks_pkey PRIMARY KEY (tenant_id, at, id)
);
CREATE TABLE click_firsts (
    tenant_id bigint NOT NULL,
    link bytea NOT NULL,
    broadcast_id bytea,
    human boolean NOT NULL,
    at bigint NOT NULL,
    CONSTRAINT click_firsts_pkey PRIMARY KEY (tenant_id, link)
);
CREATE TABLE orders (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    reference_id text NOT NULL,
    channel_id bytea NOT NULL,
    contact_id bytea,
    message_id bytea NOT NULL,
    status text NOT NULL,
    payment_status text NOT NULL,
    currency text NOT NULL,
    total bigint NOT NULL,
    payment_configuration text,
    doc text NOT NULL,
    ledger text NOT NULL,
    operator text NOT NULL,
    tries_fruitless bigint NOT NULL,
    tries_last bigint,
    tries_not_before bigint,
    lookup_at bigint,
    trouble text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT orders_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE one_time_links (
    tenant_id bigint NOT NULL,
    account_id bytea NOT NULL,
    purpose text NOT NULL,
    hash bytea NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    CONSTRAINT one_time_links_pkey PRIMARY KEY (tenant_id, account_id, purpose)
);
CREATE TABLE used_oidc_states (
    tenant_id bigint NOT NULL,
    hash bytea NOT NULL,
    expires_at bigint NOT NULL,
    CONSTRAINT used_oidc_states_pkey PRIMARY KEY (tenant_id, hash)
);
CREATE TABLE broadcast_retries (
    tenant_id bigint NOT NULL,
    broadcast_id bytea NOT NULL,
    until_at bigint NOT NULL,
    due_at bigint NOT NULL,
    CONSTRAINT broadcast_retries_pkey PRIMARY KEY (tenant_id, broadcast_id)
);
CREATE TABLE log_in_tries (
    tenant_id bigint NOT NULL,
    key bytea NOT NULL,
    tries bigint NOT NULL,
    last_at bigint NOT NULL,
    next_at bigint NOT NULL,
    known_until bigint,
    CONSTRAINT log_in_tries_pkey PRIMARY KEY (tenant_id, key)
);
CREATE TABLE audit_heads (
    tenant_id bigint NOT NULL,
    seq bigint NOT NULL,
    hash bytea NOT NULL,
    base_seq bigint NOT NULL,
    base_hash bytea NOT NULL,
    CONSTRAINT audit_heads_pkey PRIMARY KEY (tenant_id)
);
CREATE TABLE legacy_jwts (
    tenant_id bigint NOT NULL,
    jti bytea NOT NULL,
    account_id bytea NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    version bigint,
    CONSTRAINT legacy_jwts_pkey PRIMARY KEY (tenant_id, jti)
);
CREATE TABLE media_fetches (
    tenant_id bigint NOT NULL,
    message_id bytea NOT NULL,
    channel_id bytea NOT NULL,
    attempts bigint NOT NULL,
    due_at bigint,
    claim bytea,
    failure text,
    detail text,
    CONSTRAINT media_fetches_pkey PRIMARY KEY (tenant_id, message_id)
);
CREATE TABLE media_usage (
    tenant_id bigint NOT NULL,
    bytes bigint NOT NULL,
    files bigint NOT NULL,
    quota bigint,
    keep_days bigint,
    CONSTRAINT media_usage_pkey PRIMARY KEY (tenant_id)
);
CREATE TABLE labels (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    color text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT labels_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE conversation_labels (
    tenant_id bigint NOT NULL,
    conversation_id bytea NOT NULL,
    label_id bytea NOT NULL,
    status text NOT NULL,
    last_at bigint NOT NULL,
    CONSTRAINT conversation_labels_pkey PRIMARY KEY (tenant_id, conversation_id, label_id)
);
CREATE TABLE conversation_reads (
    tenant_id bigint NOT NULL,
    conversation_id bytea NOT NULL,
    account_id bytea NOT NULL,
    seen bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT conversation_reads_pkey PRIMARY KEY (tenant_id, conversation_id, account_id)
);
CREATE TABLE canned_replies (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    key text NOT NULL,
    shortcut text NOT NULL,
    text text NOT NULL,
    files text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT canned_replies_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE canned_reply_files (
    tenant_id bigint NOT NULL,
    media_id bytea NOT NULL,
    reply_id bytea NOT NULL,
    CONSTRAINT canned_reply_files_pkey PRIMARY KEY (tenant_id, media_id, reply_id)
);
CREATE TABLE presences (
    tenant_id bigint NOT NULL,
    conversation_id bytea NOT NULL,
    account_id bytea NOT NULL,
    email text NOT NULL,
    state text NOT NULL,
    until bigint NOT NULL,
    CONSTRAINT presences_pkey PRIMARY KEY (tenant_id, conversation_id, account_id)
);
CREATE TABLE daily_activity (
    tenant_id bigint NOT NULL,
    day bigint NOT NULL,
    channel_id bytea NOT NULL,
    metric text NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT daily_activity_pkey PRIMARY KEY (tenant_id, day, channel_id, metric)
);
CREATE TABLE activity_positions (
    tenant_id bigint NOT NULL,
    "position" bigint NOT NULL,
    CONSTRAINT activity_positions_pkey PRIMARY KEY (tenant_id)
);
CREATE TABLE awaiting_responses (
    tenant_id bigint NOT NULL,
    conversation_id bytea NOT NULL,
    since bigint NOT NULL,
    CONSTRAINT awaiting_responses_pkey PRIMARY KEY (tenant_id, conversation_id)
);
CREATE TABLE message_terms (
    tenant_id bigint NOT NULL,
    term bigint NOT NULL,
    at bigint NOT NULL,
    message_id bytea NOT NULL,
    CONSTRAINT message_terms_pkey PRIMARY KEY (tenant_id, term, at, message_id)
);
CREATE TABLE channel_tokens (
    tenant_id bigint NOT NULL,
    channel_id bytea NOT NULL,
    is_valid boolean NOT NULL,
    expires_at bigint,
    checked_at bigint NOT NULL,
    CONSTRAINT channel_tokens_pkey PRIMARY KEY (tenant_id, channel_id)
);
CREATE TABLE alert_settings (
    tenant_id bigint NOT NULL,
    doc text NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT alert_settings_pkey PRIMARY KEY (tenant_id)
);
CREATE TABLE alerts (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    title text NOT NULL,
    detail text NOT NULL,
    began_at bigint NOT NULL,
    ended_at bigint,
    pending text,
    attempts bigint NOT NULL,
    emails_sent bigint NOT NULL,
    webhook_status bigint,
    error text,
    CONSTRAINT alerts_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE click_overflow (
    tenant_id bigint NOT NULL,
    day bigint NOT NULL,
    template_id bytea NOT NULL,
    message_id bytea NOT NULL,
    spot bigint NOT NULL,
    class text NOT NULL,
    hits bigint NOT NULL,
    CONSTRAINT click_overflow_pkey PRIMARY KEY (tenant_id, day, template_id, spot, class, message_id)
);
CREATE TABLE totp_factors (
    tenant_id bigint NOT NULL,
    account_id bytea NOT NULL,
    secret bytea NOT NULL,
    last_step bigint NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint,
    CONSTRAINT totp_factors_pkey PRIMARY KEY (tenant_id, account_id)
);
CREATE TABLE passkeys (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    account_id bytea NOT NULL,
    host text NOT NULL,
    name text NOT NULL,
    credential text NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint,
    CONSTRAINT passkeys_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE recovery_codes (
    tenant_id bigint NOT NULL,
    account_id bytea NOT NULL,
    hash bytea NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT recovery_codes_pkey PRIMARY KEY (tenant_id, account_id, hash)
);
CREATE TABLE factor_enrolments (
    tenant_id bigint NOT NULL,
    account_id bytea NOT NULL,
    kind text NOT NULL,
    state bytea NOT NULL,
    expires_at bigint NOT NULL,
    CONSTRAINT factor_enrolments_pkey PRIMARY KEY (tenant_id, account_id, kind)
);
CREATE TABLE pending_log_ins (
    tenant_id bigint NOT NULL,
    id bytea NOT NULL,
    account_id bytea NOT NULL,
    hash bytea NOT NULL,
    credential_version bigint NOT NULL,
    expires_at bigint NOT NULL,
    challenge bytea,
    CONSTRAINT pending_log_ins_pkey PRIMARY KEY (tenant_id, id)
);
CREATE TABLE security_settings (
    tenant_id bigint NOT NULL,
    second_factor_required boolean NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT security_settings_pkey PRIMARY KEY (tenant_id)
);
CREATE TABLE retention_settings (
    tenant_id bigint NOT NULL,
    kind text NOT NULL,
    days bigint NOT NULL,
    CONSTRAINT retention_settings_pkey PRIMARY KEY (tenant_id, kind)
);
CREATE TABLE nodes (
    tenant_id bigint NOT NULL,
    name text NOT NULL,
    address text NOT NULL,
    version text NOT NULL,
    started_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    CONSTRAINT nodes_pkey PRIMARY KEY (tenant_id, name)
);
CREATE TABLE template_changes (
    tenant_id bigint NOT NULL,
    template_id bytea NOT NULL,
    id bytea NOT NULL,
    at bigint NOT NULL,
    change text NOT NULL,
    old_value text,
    new_value text NOT NULL,
    reason text,
    CONSTRAINT template_changes_pkey PRIMARY KEY (tenant_id, template_id, id)
);
CREATE TABLE first_responses (
    tenant_id bigint NOT NULL,
    at bigint NOT NULL,
    message_id bytea NOT NULL,
    conversation_id bytea NOT NULL,
    channel_id bytea,
    seconds bigint NOT NULL,
    CONSTRAINT first_responses_pkey PRIMARY KEY (tenant_id, at, message_id)
);
CREATE UNIQUE INDEX accounts_email ON accounts USING btree (tenant_id, email);
CREATE INDEX accounts_log_in ON accounts USING btree (email);
CREATE INDEX audit_at ON audit USING btree (tenant_id, at, id);
CREATE UNIQUE INDEX calls_call_id ON calls USING btree (tenant_id, call_id);
CREATE UNIQUE INDEX calls_id ON calls USING btree (tenant_id, id);
CREATE INDEX calls_direction ON calls USING btree (tenant_id, direction, started_at, id);
CREATE INDEX calls_operator ON calls USING btree (tenant_id, operator_id, started_at, id);
CREATE INDEX calls_facet ON calls USING btree (tenant_id, facet, started_at, id, duration_seconds);
CREATE INDEX calls_operator_facet ON calls USING btree (tenant_id, operator_id, facet, started_at, id, duration_seconds);
CREATE UNIQUE INDEX contact_identities_person ON contact_identities USING btree (tenant_id, kind, value) WHERE kind <> 'username'::text;
CREATE INDEX contact_identities_username ON contact_identities USING btree (tenant_id, value) WHERE kind = 'username'::text;
CREATE INDEX contact_merges_kept ON contact_merges USING btree (tenant_id, kept_id, merged_id);
CREATE INDEX contact_merges_merged ON contact_merges USING btree (tenant_id, merged_id);
CREATE UNIQUE INDEX teams_key ON teams USING btree (tenant_id, key);
CREATE UNIQUE INDEX segments_key ON segments USING btree (tenant_id, key);
CREATE INDEX imports_open ON imports USING btree (status, leased_until);
CREATE UNIQUE INDEX channels_name ON channels USING btree (tenant_id, name_key);
CREATE UNIQUE INDEX channels_number ON channels USING btree (tenant_id, phone_number);
CREATE INDEX channels_id ON channels USING btree (id);
CREATE INDEX channels_phone_number_id ON channels USING btree (phone_number_id);
CREATE INDEX channels_account_id ON channels USING btree (account_id);
CREATE UNIQUE INDEX network_reports_digest ON network_reports USING btree (tenant_id, channel_id, kind, digest);
CREATE INDEX network_reports_subject ON network_reports USING btree (tenant_id, kind, subject, at);
CREATE UNIQUE INDEX sandbox_people_phone ON sandbox_people USING btree (tenant_id, phone);
CREATE UNIQUE INDEX sandbox_people_bsuid ON sandbox_people USING btree (tenant_id, bsuid);
CREATE UNIQUE INDEX sandbox_messages_id ON sandbox_messages USING btree (tenant_id, channel_id, id);
CREATE INDEX sandbox_due_at ON sandbox_due USING btree (due_at, id);
CREATE INDEX sandbox_records_key ON sandbox_records USING btree (key);
CREATE UNIQUE INDEX messages_network ON messages USING btree (tenant_id, channel_id, network_id) WHERE network_id IS NOT NULL;
CREATE INDEX messages_conversation ON messages USING btree (tenant_id, conversation_id, at, id);
CREATE INDEX messages_broadcast ON messages USING btree (tenant_id, broadcast_id, id, state) WHERE broadcast_id IS NOT NULL;
CREATE INDEX messages_local ON messages USING btree (tenant_id, local_id) WHERE local_id IS NOT NULL;
CREATE UNIQUE INDEX outbox_id ON outbox USING btree (tenant_id, id);
CREATE INDEX outbox_taken ON outbox USING btree (tenant_id, channel_id, taken_by) WHERE taken_by IS NOT NULL;
CREATE INDEX outbox_people_until ON outbox_people USING btree (tenant_id, account_id, until);
CREATE UNIQUE INDEX conversations_contact ON conversations USING btree (tenant_id, contact_id, channel_id);
CREATE INDEX conversations_last ON conversations USING btree (tenant_id, status, last_at, id);
CREATE UNIQUE INDEX templates_name ON templates USING btree (tenant_id, account_id, name, language, deleted_at);
CREATE INDEX templates_network ON templates USING btree (tenant_id, network_id);
CREATE INDEX broadcasts_created ON broadcasts USING btree (tenant_id, created_at, id);
CREATE UNIQUE INDEX media_file_name ON media USING btree (tenant_id, file_name);
CREATE INDEX idempotency_expires ON idempotency USING btree (expires_at);
CREATE INDEX messages_media ON messages USING btree (tenant_id, media_id) WHERE media_id IS NOT NULL;
CREATE INDEX conversations_assignee ON conversations USING btree (tenant_id, assignee_id, status, last_at, id) WHERE assignee_id IS NOT NULL;
CREATE INDEX broadcast_refusals_contact ON broadcast_refusals USING btree (tenant_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX event_logs_moved ON event_logs USING btree (moved_at);
CREATE UNIQUE INDEX webhooks_url ON webhooks USING btree (tenant_id, url) WHERE deleted_at IS NULL;
CREATE INDEX webhooks_enabled ON webhooks USING btree (status) WHERE deleted_at IS NULL;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries USING btree (tenant_id, webhook_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_due_at ON webhook_deliveries USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_open ON webhook_deliveries USING btree (tenant_id, webhook_id, conversation_id, number) WHERE state = ANY (ARRAY['retrying'::text, 'held'::text, 'parked'::text]);
CREATE INDEX clicks_message ON clicks USING btree (tenant_id, message_id, at, id);
CREATE INDEX clicks_template ON clicks USING btree (tenant_id, template_id, at, id);
CREATE INDEX clicks_counted ON clicks USING btree (tenant_id, day, template_id, spot, class);
CREATE INDEX click_firsts_broadcast ON click_firsts USING btree (tenant_id, broadcast_id) WHERE broadcast_id IS NOT NULL;
CREATE UNIQUE INDEX orders_reference ON orders USING btree (tenant_id, reference_id);
CREATE INDEX orders_created ON orders USING btree (tenant_id, created_at, id);
CREATE INDEX orders_contact ON orders USING btree (tenant_id, contact_id, created_at, id);
CREATE INDEX orders_status ON orders USING btree (tenant_id, status, created_at, id);
CREATE INDEX orders_payment ON orders USING btree (tenant_id, payment_status, created_at, id);
CREATE INDEX orders_lookup ON orders USING btree (lookup_at) WHERE lookup_at IS NOT NULL;
CREATE INDEX sessions_account ON sessions USING btree (tenant_id, account_id);
CREATE INDEX webhook_deliveries_undelivered ON webhook_deliveries USING btree (tenant_id, webhook_id, id) WHERE state <> 'delivered'::text;
CREATE INDEX webhook_deliveries_recovery ON webhook_deliveries USING btree (tenant_id, webhook_id, recovery, asked, state) WHERE recovery IS NOT NULL;
CREATE INDEX calls_counted ON calls USING btree (tenant_id, started_at, direction, status, duration_seconds, operator_id);
CREATE INDEX broadcast_retries_due ON broadcast_retries USING btree (due_at);
CREATE UNIQUE INDEX audit_chain ON audit USING btree (tenant_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX media_fetches_due ON media_fetches USING btree (tenant_id, channel_id, due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX labels_key ON labels USING btree (tenant_id, key);
CREATE INDEX conversation_labels_last ON conversation_labels USING btree (tenant_id, label_id, status, last_at, conversation_id);
CREATE INDEX conversations_snoozed ON conversations USING btree (tenant_id, last_at, id) WHERE snoozed_until IS NOT NULL;
CREATE INDEX conversations_wake ON conversations USING btree (snoozed_until) WHERE snoozed_until IS NOT NULL;
CREATE INDEX conversations_unassigned ON conversations USING btree (tenant_id, status, last_at, id) WHERE assignee IS NULL;
CREATE INDEX conversations_channel ON conversations USING btree (tenant_id, channel_id, status, last_at, id);
CREATE UNIQUE INDEX canned_replies_key ON canned_replies USING btree (tenant_id, key);
CREATE INDEX presences_until ON presences USING btree (until);
CREATE UNIQUE INDEX alerts_open ON alerts USING btree (tenant_id, kind, subject) WHERE ended_at IS NULL;
CREATE INDEX passkeys_account ON passkeys USING btree (tenant_id, account_id);
CREATE INDEX pending_log_ins_account ON pending_log_ins USING btree (tenant_id, account_id);
CREATE INDEX calls_contact ON calls USING btree (tenant_id, contact_id, started_at, id) WHERE contact_id IS NOT NULL;
