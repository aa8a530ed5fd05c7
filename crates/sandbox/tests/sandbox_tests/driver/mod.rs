//! Acts of people and posting, on both databases: webhooks reach the business in the network's format, in order, and
//! are retried until they are accepted.

mod acting;
mod calling;
mod faults;
mod paying;
mod people;
mod phones;
mod posting;
mod pywa;
mod repeating;
mod reviewing;
mod uploading;
mod world;

/// Makes a test of each body on SQLite and on PostgreSQL. Posting covers all tenants, so each test has its own
/// database.
macro_rules! on_both {
    ($(async fn $name:ident($world:ident) $body:block)+) => {
        $(mod $name {
            #[allow(unused_imports, reason = "a body may need nothing from around it")]
            use super::*;

            async fn body($world: $crate::driver::world::World) $body

            #[tokio::test]
            async fn sqlite() {
                body($crate::driver::world::alone(store::Engine::Sqlite, 7).await).await;
            }

            #[tokio::test]
            async fn postgres() {
                body($crate::driver::world::alone(store::Engine::Postgres, 7).await).await;
            }
        })+
    };
}
pub(crate) use on_both;
