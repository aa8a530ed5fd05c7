//! Driving people and posting: what they are told to do reaches the business as the network tells it, in order, until it
//! is taken, on both databases.

mod acting;
mod calling;
mod faults;
mod paying;
mod people;
mod posting;
mod pywa;
mod repeating;
mod reviewing;
mod uploading;
mod world;

/// Posting goes over all tenants, so each test has a database of its own.
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
