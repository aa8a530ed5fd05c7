//! The Graph client against the sandbox: each test runs over real HTTP to the real binary, and inside this process on
//! both databases. In `pywa.rs`, pywa, a Python client library of WhatsApp's Cloud API, sends its own requests.

mod accounts;
mod calls;
mod faults;
mod interactive;
mod media;
mod orders;
mod pywa;
mod refusals;
mod sending;
mod template_parts;
mod templates;
mod world;

/// Makes three tests of each body: over real HTTP, and without a socket on SQLite and on PostgreSQL.
macro_rules! on_both_sides {
    ($(async fn $name:ident($network:ident) $body:block)+) => {
        $(mod $name {
            #[allow(unused_imports, reason = "a body may need nothing from around it")]
            use super::*;

            async fn body($network: &$crate::network::world::Network) $body

            #[tokio::test]
            async fn over_http() {
                body(&$crate::network::world::Network::over_http().await).await;
            }

            #[tokio::test]
            async fn in_process_on_sqlite() {
                body(&$crate::network::world::Network::in_process(store::Engine::Sqlite).await).await;
            }

            #[tokio::test]
            async fn in_process_on_postgres() {
                body(&$crate::network::world::Network::in_process(store::Engine::Postgres).await).await;
            }
        })+
    };
}
pub(crate) use on_both_sides;
