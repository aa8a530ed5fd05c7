//! One module of statements for each area. Functions for rows of a tenant take its id, and their statements name it, so
//! rows of other tenants are out of reach. The few statements across tenants say why (`Statement::tenantless`).

pub mod accounts;
pub mod activity;
pub mod alerts;
pub mod audit;
pub mod broadcasts;
pub mod calls;
pub mod canned_replies;
pub mod channel_tokens;
pub mod channels;
pub mod clicks;
pub mod contacts;
pub mod conversations;
pub mod epochs;
pub mod events;
pub mod idempotency;
pub mod imports;
pub mod inbound;
pub mod installation;
pub mod labels;
pub mod leases;
pub mod legacy_jwts;
pub mod limits;
pub mod log_in_tries;
pub mod media;
pub mod message_terms;
pub mod messages;
pub mod nodes;
pub mod oidc_states;
pub mod one_time_links;
pub mod orders;
pub mod outbox;
pub mod presences;
pub mod queues;
pub mod quotas;
pub mod reports;
pub mod retention;
pub mod sandbox;
pub mod second_factors;
pub mod segments;
pub mod sessions;
pub mod teams;
pub mod templates;
pub mod tenants;
pub mod tokens;
pub mod webhooks;

use domain::Id;

use crate::Statement;

/// Ids as a JSON array of texts in hex digits, for a statement's `listed`.
pub(crate) fn listed<K>(ids: &[Id<K>]) -> String {
    domain::to_json(ids)
}

/// All statements that are known before they run, so without those that backup and restore compose for a table, and
/// with a sample of those of the call list. Tests prepare them on both engines and check that each names its tenant or
/// says why not.
pub fn statements() -> Vec<&'static Statement> {
    let mut all: Vec<&'static Statement> = Vec::new();
    for area in [
        accounts::STATEMENTS,
        activity::STATEMENTS,
        audit::STATEMENTS,
        canned_replies::STATEMENTS,
        epochs::STATEMENTS,
        installation::STATEMENTS,
        labels::STATEMENTS,
        leases::STATEMENTS,
        legacy_jwts::STATEMENTS,
        limits::STATEMENTS,
        log_in_tries::STATEMENTS,
        nodes::STATEMENTS,
        retention::STATEMENTS,
        second_factors::STATEMENTS,
        segments::STATEMENTS,
        sessions::STATEMENTS,
        teams::STATEMENTS,
        tenants::STATEMENTS,
        tokens::STATEMENTS,
        broadcasts::STATEMENTS,
        channels::STATEMENTS,
        events::STATEMENTS,
        idempotency::STATEMENTS,
        inbound::STATEMENTS,
        message_terms::STATEMENTS,
        messages::STATEMENTS,
        oidc_states::STATEMENTS,
        one_time_links::STATEMENTS,
        outbox::STATEMENTS,
        alerts::STATEMENTS,
        channel_tokens::STATEMENTS,
        presences::STATEMENTS,
        queues::STATEMENTS,
        quotas::STATEMENTS,
        reports::STATEMENTS,
        templates::STATEMENTS,
        crate::backup::STATEMENTS,
    ] {
        all.extend(area);
    }
    all.extend(calls::statements());
    all.extend(clicks::statements());
    all.extend(contacts::statements());
    all.extend(conversations::statements());
    all.extend(imports::statements());
    all.extend(media::statements());
    all.extend(message_terms::composed());
    all.extend(orders::statements());
    all.extend(sandbox::statements());
    all.extend(webhooks::statements());
    all.extend(calls::lists());
    all
}
