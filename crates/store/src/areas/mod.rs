//! One module of statements for each area. Functions for rows of a tenant take its id, and their statements name it, so
//! rows of other tenants are out of reach. The few statements across tenants say why (`tenantless`).

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
pub mod facts;
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

use crate::{Statement, backup, tables, tenant_data};

macro_rules! statements_of {
    ($($area:ident $(:: $module:ident)?)+) => { [$($area $(:: $module)?::statements()),+].concat() };
}

/// All statements that are known before they run, so without those that backup, restore, export and deletion compose
/// for a table, and with a sample of those of the call list. Tests prepare them on both engines and check that each
/// names its tenant or says why not.
pub fn statements() -> Vec<&'static Statement> {
    statements_of! {
        accounts activity alerts audit backup broadcasts calls canned_replies channel_tokens channels clicks contacts
        conversations conversations::inbox conversations::list conversations::snoozes epochs events facts idempotency
        imports inbound installation labels leases legacy_jwts limits log_in_tries media message_terms messages nodes
        oidc_states one_time_links orders outbox presences queues reports retention sandbox second_factors segments
        sessions tables teams templates tenant_data tenants tokens webhooks
    }
}
