//! Attacks by one tenant, or by a stranger without a credential, beside a well-behaved tenant, on both databases.
//!
//! The short form asserts what each attack gets (status codes), that memory stays within its bound, and that health and
//! the neighbour are answered all the time. The long form lasts longer and prints the figures that
//! `docs/threat-model.md` has.

mod attacks;
mod http2;
mod probes;
mod world;

use crate::home::Home;
use world::Siege;

async fn story(home: Home) {
    let world = Siege::start(home).await;
    probes::quiet(&world).await;
    attacks::idle_connections(&world).await;
    attacks::unread_exports(&world).await;
    attacks::many_conditions(&world).await;
    attacks::slow_hooks(&world).await;
    attacks::names_that_do_not_resolve(&world).await;
    attacks::dry_runs(&world).await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn attacks_harm_no_neighbour_on_sqlite() {
    story(Home::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn attacks_harm_no_neighbour_on_postgres() {
    story(Home::postgres().await).await;
}
