//! Attacks by one tenant, or by a stranger without a credential, beside a well-behaved tenant, on both databases.
//!
//! Both forms assert what each attack gets (status codes), that health and the neighbour are answered all the time, and
//! for attacks that cost the server much that memory and open files stay within their bounds (`assert_bounded`), and
//! how fast the answers are (`assert_calm`). The long
//! form lasts longer, has strict bounds, and prints the figures that `docs/threat-model.md` has.

mod attacks;
mod computing;
mod http2;
mod mails;
mod memberships;
mod outgoing;
mod probes;
mod session;
mod strangers;
mod world;

use crate::home::Home;
use session::Session;
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
    strangers::requests_without_a_credential(&world).await;
    let session = Session::set_up(&world).await;
    mails::mails_to_strangers(&world, &session).await;
    memberships::passwords_by_invitation(&world, &session.email).await;
    memberships::codes_by_invitation(&world, &session.email).await;
    strangers::guesses(&world).await;
    computing::static_segments(&world).await;
    computing::large_import(&world).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_that_hang_harm_no_neighbour_on_sqlite() {
    outgoing::story(Home::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_that_hang_harm_no_neighbour_on_postgres() {
    outgoing::story(Home::postgres().await).await;
}
