//! `docs/limits.md`: every value on the page is the one in the code or in the settings.

use std::collections::BTreeMap;
use std::path::Path;

use crate::home::Home;

const PAGE: &str = include_str!("../../../../docs/limits.md");

/// Rows of the fixed limits, each with a file below `crates/` and the declaration in it that has the value.
const FIXED: [(&str, &str, &str); 91] = [
    (
        "contacts that join or leave a static segment in its own transaction; more move before it, in several",
        "app/src/people/segments/members.rs",
        "FEW: usize = 100;",
    ),
    ("body of a request that is no file", "api/src/input/limits.rs", "MAX_BODY: usize = 1 << 20;"),
    ("body with recipients of a template", "api/src/input/limits.rs", "MAX_RECIPIENTS_BODY: usize = 8 << 20;"),
    ("`Idempotency-Key`", "app/src/base/idempotency/mod.rs", "LONGEST: usize = 255;"),
    ("time that an `Idempotency-Key` is kept", "app/src/base/idempotency/hold.rs", "KEPT_SECONDS: i64 = 24 * 60 * 60;"),
    ("`limit` of the event log", "api/src/v3/delivery/events/list.rs", "MAX_LIMIT: i32 = 1000;"),
    ("`limit` of calls", "api/src/shared/calls/page.rs", "MAX_LIMIT: i32 = 100;"),
    ("conversations that pages can reach", "app/src/base/page_request.rs", "MAX_LIST_DEPTH: i64 = 10_000;"),
    (
        "letters of a search in messages",
        "domain/src/messaging/messages/search.rs",
        "MAX_QUERY_CHARACTERS: usize = 200;",
    ),
    ("characters of a name", "domain/src/people/contacts/contact.rs", "MAX_NAME_CHARACTERS: usize = 256;"),
    ("attributes of a contact", "domain/src/people/contacts/contact.rs", "MAX_PARAMS: usize = 200;"),
    (
        "characters of an attribute's name",
        "domain/src/people/contacts/contact.rs",
        "MAX_PARAM_NAME_CHARACTERS: usize = 128;",
    ),
    (
        "characters of an attribute's value",
        "domain/src/people/contacts/contact.rs",
        "MAX_PARAM_VALUE_CHARACTERS: usize = 4096;",
    ),
    (
        "characters of all values of a contact",
        "domain/src/people/contacts/contact.rs",
        "MAX_PARAMS_CHARACTERS: usize = 16_384;",
    ),
    ("teams of a contact", "domain/src/people/contacts/contact.rs", "MAX_TEAMS: usize = 50;"),
    ("contacts in one `PUT /contacts`", "api/src/v3/people/contacts/update.rs", "MAX_CONTACTS: usize = 100;"),
    ("groups of a segment", "domain/src/people/segments.rs", "MAX_GROUPS: usize = 10;"),
    ("conditions of a group", "domain/src/people/segments.rs", "MAX_CONDITIONS: usize = 20;"),
    (
        "contacts that are put into a static segment by one request",
        "app/src/people/segments/mod.rs",
        "MAX_SEGMENT_CONTACTS: usize = 10_000;",
    ),
    ("uploaded file of an import", "app/src/people/imports/upload.rs", "MAX_UPLOAD: u64 = 100 << 20;"),
    ("row of an imported file", "app/src/people/imports/problem.rs", "MAX_ROW: usize = 1 << 20;"),
    (
        "recipients of a template in one call",
        "app/src/messaging/messages/send_template/job.rs",
        "MAX_RECIPIENTS: usize = 10_000;",
    ),
    ("the same on the routes of V1", "api/src/v1/messaging/messages/templates.rs", "MOST: usize = 1000;"),
    (
        "days ahead that a message can be scheduled",
        "app/src/messaging/messages/send_template/mod.rs",
        "MAX_DAYS_AHEAD: i64 = 365;",
    ),
    ("characters of a text message", "domain/src/messaging/messages/mod.rs", "MAX_TEXT: usize = 4096;"),
    ("characters of a caption", "domain/src/messaging/messages/files/mod.rs", "MAX_CAPTION: usize = 1024;"),
    ("file of a message", "domain/src/messaging/messages/files/mod.rs", "MAX_FILE: u64 = 100 * MEGABYTE;"),
    (
        "hours in which a person can be answered freely",
        "domain/src/messaging/conversations.rs",
        "WINDOW_SECONDS: i64 = 24 * 60 * 60;",
    ),
    ("characters of a note", "domain/src/inbox/notes.rs", "MAX_NOTE_CHARACTERS: usize = 4096;"),
    ("labels of a tenant", "domain/src/people/labels.rs", "MAX_LABELS: usize = 500;"),
    ("labels on one conversation or contact", "domain/src/people/labels.rs", "MAX_LABELS_ON_ONE: usize = 20;"),
    ("members of a team", "domain/src/people/teams.rs", "MAX_MEMBERS: usize = 200;"),
    (
        "open conversations that an operator is given, at most",
        "domain/src/people/teams.rs",
        "MAX_CAPACITY: i64 = 1_000;",
    ),
    ("languages of a member of a team, and labels", "domain/src/people/teams.rs", "MAX_SKILLS: usize = 50;"),
    ("canned replies of a tenant", "domain/src/inbox/canned_replies.rs", "MAX_CANNED_REPLIES: usize = 2000;"),
    ("rules of a tenant", "domain/src/automation/routing/rule.rs", "MAX_RULES: usize = 100;"),
    (
        "channels of a rule, and labels, segments and languages",
        "domain/src/automation/routing/rule.rs",
        "MAX_LISTED: usize = 50;",
    ),
    ("schedules of a tenant", "domain/src/automation/opening_hours/spec.rs", "MAX_OPENING_HOURS: usize = 50;"),
    ("periods of a day", "domain/src/automation/opening_hours/spec.rs", "MAX_PERIODS: usize = 8;"),
    ("holidays of a schedule", "domain/src/automation/opening_hours/spec.rs", "MAX_HOLIDAYS: usize = 400;"),
    ("events of an imported calendar", "domain/src/automation/opening_hours/calendar.rs", "MAX_EVENTS: usize = 2_000;"),
    ("years of one import", "domain/src/automation/opening_hours/calendar.rs", "MAX_YEARS: usize = 10;"),
    ("characters of a template's name", "domain/src/messaging/templates/check.rs", "MAX_NAME: usize = 512;"),
    ("characters of a template's body", "domain/src/messaging/templates/check.rs", "MAX_BODY: usize = 1024;"),
    ("characters of a template's header text", "domain/src/messaging/templates/check.rs", "MAX_HEADER: usize = 60;"),
    ("characters of a template's footer", "domain/src/messaging/templates/check.rs", "MAX_FOOTER: usize = 60;"),
    ("characters on a template's button", "domain/src/messaging/templates/buttons.rs", "MAX_TEXT: usize = 20;"),
    ("cards of a carousel", "domain/src/messaging/templates/cards.rs", "MAX_CARDS: usize = 10;"),
    ("characters of a `reference_id`", "domain/src/commerce/orders/reference.rs", "MAX: usize = 35;"),
    ("items of an order", "domain/src/commerce/orders/check.rs", "MAX_ITEMS: usize = 999;"),
    ("characters of an endpoint's URL", "domain/src/delivery/webhooks/endpoint.rs", "MAX_URL: usize = 2048;"),
    ("headers of an endpoint", "domain/src/delivery/webhooks/endpoint.rs", "MAX_HEADERS: usize = 20;"),
    ("deliveries in flight (`max_in_flight`)", "app/src/delivery/webhooks/request.rs", "MAX_IN_FLIGHT: i64 = 256;"),
    ("deliveries a second (`max_per_second`)", "app/src/delivery/webhooks/request.rs", "MAX_PER_SECOND: i64 = 1000;"),
    ("time for an answer", "app/src/delivery/webhooks/post.rs", "ANSWER_WITHIN: Duration = Duration::from_secs(15);"),
    (
        "time that both secrets sign after a change",
        "app/src/delivery/webhooks/rotate.rs",
        "BOTH_SIGN_SECONDS: i64 = 86_400;",
    ),
    ("connections of a node to other servers", "channels/src/outgoing/limits.rs", "MOST: usize = 4096;"),
    ("deliveries of a tenant in flight on a node", "channels/src/outgoing/limits.rs", "MOST_DELIVERIES: usize = 384;"),
    ("bytes of a body that count as one delivery", "channels/src/outgoing/budget.rs", "UNIT: usize = 64 << 10;"),
    (
        "time that a call waits for a connection",
        "channels/src/outgoing/budget.rs",
        "WAIT: Duration = Duration::from_secs(10);",
    ),
    ("characters of a password", "domain/src/identity/passwords.rs", "MIN_CHARACTERS: usize = 12;"),
    ("bytes of a password", "domain/src/identity/passwords.rs", "MAX_BYTES: usize = 1024;"),
    ("time that a session lasts", "app/src/identity/sessions.rs", "LIFETIME_SECONDS: i64 = 12 * 3600;"),
    ("time that a one-time link works", "domain/src/identity/one_time_links.rs", "LIFETIME_SECONDS: i64 = 24 * 3600;"),
    ("passkeys of an account", "domain/src/identity/second_factors.rs", "MAX_PASSKEYS: usize = 20;"),
    (
        "links that a tenant's administrators mail in a day",
        "domain/src/identity/mails.rs",
        "MAX_LINKS_PER_TENANT: i64 = 200;",
    ),
    (
        "links that a tenant's administrators mail to one address in a day",
        "domain/src/identity/mails.rs",
        "MAX_LINKS_PER_ADDRESS: i64 = 10;",
    ),
    (
        "links for lost passwords that a tenant mails in a day",
        "domain/src/identity/mails.rs",
        "MAX_RESETS_PER_TENANT: i64 = 1_000;",
    ),
    (
        "links for lost passwords that a tenant mails to one address in a day",
        "domain/src/identity/mails.rs",
        "MAX_RESETS_PER_ADDRESS: i64 = 10;",
    ),
    (
        "requests to confirm an address that a tenant mails in a day",
        "domain/src/identity/mails.rs",
        "MAX_CONFIRMATIONS_PER_TENANT: i64 = 40;",
    ),
    (
        "requests to confirm an address that one address gets from a tenant in a day",
        "domain/src/identity/mails.rs",
        "MAX_CONFIRMATIONS_PER_ADDRESS: i64 = 3;",
    ),
    ("test alerts that a tenant mails in a day", "domain/src/identity/mails.rs", "MAX_TESTS_PER_TENANT: i64 = 100;"),
    (
        "test alerts that a tenant mails to one address in a day",
        "domain/src/identity/mails.rs",
        "MAX_TESTS_PER_ADDRESS: i64 = 10;",
    ),
    ("alerts that a tenant mails in a day", "domain/src/identity/mails.rs", "MAX_ALERTS_PER_TENANT: i64 = 1_000;"),
    (
        "alerts that a tenant mails to one address in a day",
        "domain/src/identity/mails.rs",
        "MAX_ALERTS_PER_ADDRESS: i64 = 50;",
    ),
    (
        "limit of an address for all tenants, as a multiple of that for one tenant",
        "domain/src/identity/mails.rs",
        "TENANTS_PER_ADDRESS: i64 = 3;",
    ),
    ("e-mail addresses for alerts", "domain/src/platform/alerts.rs", "MAX_EMAILS: usize = 20;"),
    (
        "time that a link to confirm an address works",
        "domain/src/platform/alerts.rs",
        "CONFIRMATION_SECONDS: i64 = 7 * 24 * 3600;",
    ),
    ("characters of an account's or tenant's name in a mail", "domain/src/identity/mails.rs", "MAX_NAME: usize = 60;"),
    ("characters of an alert's title or detail in a mail", "domain/src/identity/mails.rs", "MAX_TEXT: usize = 500;"),
    ("accounts of a tenant", "domain/src/identity/memberships.rs", "MAX_MEMBERS: u64 = 5_000;"),
    ("tenants of an account", "domain/src/identity/memberships.rs", "MAX_TENANTS: u64 = 200;"),
    ("open invitations of a tenant", "domain/src/identity/memberships.rs", "MAX_OPEN_INVITATIONS: u64 = 200;"),
    ("sessions of an account in a tenant", "domain/src/identity/memberships.rs", "MAX_SESSIONS: usize = 50;"),
    ("legacy JWTs of an account in a tenant", "domain/src/identity/memberships.rs", "MAX_LEGACY_JWTS: u64 = 50;"),
    ("networks of a tenant's console", "domain/src/identity/memberships.rs", "MAX_CONSOLE_NETWORKS: usize = 100;"),
    (
        "attempts to log in to an account from one network before the first pause",
        "domain/src/identity/log_in_tries.rs",
        "FREE_OF_ACCOUNT_AND_NETWORK: i64 = 5;",
    ),
    (
        "attempts to log in from one network before the first pause",
        "domain/src/identity/log_in_tries.rs",
        "FREE_OF_NETWORK: i64 = 10;",
    ),
    (
        "attempts to log in to an account from all networks before the first pause",
        "domain/src/identity/log_in_tries.rs",
        "FREE_OF_ACCOUNT: i64 = 12;",
    ),
    ("longest pause", "domain/src/identity/log_in_tries.rs", "LEAK_SECONDS: i64 = 15 * 60;"),
    ("passwords that wait to be hashed on a node", "app/src/identity/log_in/hashing.rs", "MOST_WAITING: usize = 64;"),
];

/// Cells of the rows of tables.
fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    let cells = |row: &'static str| row.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    PAGE.lines().filter(|line| line.starts_with('|')).map(cells).filter(|cells| !matches!(cells[0], "limit" | "---"))
}

/// Every whole number of a text, with spaces between groups of digits.
fn numbers(text: &str) -> Vec<i64> {
    let joined = text.replace('_', "").split(' ').fold(String::new(), |mut joined, word| {
        let is_group = word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit());
        let space = if is_group && joined.ends_with(|c: char| c.is_ascii_digit()) { "" } else { " " };
        joined.push_str(space);
        joined.push_str(word);
        joined
    });
    let words = joined.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
    words.map(|word| word.parse().unwrap()).collect()
}

/// The largest number of a value, in the unit of the code where that is larger.
fn value(shown: &str) -> i64 {
    let unit = if shown.contains("MiB") {
        1 << 20
    } else if shown.contains("hours") {
        3600
    } else {
        1
    };
    let shown = shown.split(", ").next().unwrap().split(" of ").next().unwrap();
    numbers(shown).into_iter().max().unwrap() * unit
}

/// The value of a declaration whose expression is a product or a shift of literals.
fn declared(declaration: &str) -> i64 {
    let expression = declaration.split(" = ").nth(1).unwrap();
    let numbers = numbers(expression);
    match (expression.contains("<<"), expression.contains("MEGABYTE")) {
        (true, _) => numbers[0] << numbers[1],
        (_, true) => numbers[0] << 20,
        _ => numbers.iter().product(),
    }
}

#[test]
fn fixed_limits_are_those_of_the_code() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut shown: BTreeMap<&str, &str> =
        rows().filter(|cells| cells.len() == 2).map(|cells| (cells[0], cells[1])).collect();
    for (row, file, declaration) in FIXED {
        let source = std::fs::read_to_string(crates.join(file)).unwrap();
        assert!(source.contains(&format!("const {declaration}")), "{row}: {file} has no {declaration}");
        let text = shown.remove(row).unwrap_or_else(|| panic!("docs/limits.md has no row {row}"));
        let unit = if row.starts_with("hours") { 3600 } else { 1 };
        assert_eq!(value(text) * unit, declared(declaration), "{row}: {text}");
    }
    assert_eq!(shown, BTreeMap::new(), "rows that no declaration holds");
}

#[test]
fn settings_of_the_page_have_these_defaults() {
    let home = Home::sqlite();
    let output = home.binary().args(["config", "show", "--json"]).output().unwrap();
    let settings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut count = 0;
    for cells in rows().filter(|cells| cells.len() == 3) {
        let key = cells[1].trim_matches('`');
        let default = &settings["settings"][key]["value"];
        assert_eq!(default.as_i64(), Some(value(cells[2])), "{key}: {default}");
        count += 1;
    }
    assert_eq!(count, 16);
}
