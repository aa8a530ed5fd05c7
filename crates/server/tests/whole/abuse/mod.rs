//! Attacks by one tenant, or by a stranger without a credential, beside a well-behaved tenant, on both databases.
//!
//! Both forms assert what each attack gets (status codes), that health and the neighbour are answered all the time, and
//! for attacks that cost the server much that memory and open files stay within their bounds (`assert_bounded`), and
//! how fast the answers are (`assert_calm`). The long form lasts longer, has strict bounds, and prints the figures that
//! `docs/threat-model.md` has. An attack that fails does not end the run of the others (`failures.rs`).

mod attacks;
mod computing;
mod failures;
mod http2;
mod mails;
mod memberships;
mod neighbour;
mod outgoing;
mod probes;
mod session;
mod strangers;
mod world;

use crate::home::Home;
use failures::Failures;
use session::Session;
use world::Siege;

async fn story(home: Home) {
    let world = Siege::start(home).await;
    probes::quiet(&world).await;
    let mut failures = Failures::default();
    failures.of("idle connections", attacks::idle_connections(&world)).await;
    failures.of("unread exports", attacks::unread_exports(&world)).await;
    failures.of("many conditions", attacks::many_conditions(&world)).await;
    failures.of("slow hooks", attacks::slow_hooks(&world)).await;
    failures.of("names that do not resolve", attacks::names_that_do_not_resolve(&world)).await;
    failures.of("dry runs", attacks::dry_runs(&world)).await;
    failures.of("requests without a credential", strangers::requests_without_a_credential(&world)).await;
    if let Some(session) = failures.of("the attacker's session", Session::set_up(&world)).await {
        failures.of("mails to strangers", mails::mails_to_strangers(&world, &session)).await;
        let attacker = &session.email;
        failures.of("passwords by invitation", memberships::passwords_by_invitation(&world, attacker)).await;
        failures.of("codes by invitation", memberships::codes_by_invitation(&world, attacker)).await;
    }
    failures.of("guesses of a password", strangers::guesses(&world)).await;
    failures.of("static segments", computing::static_segments(&world)).await;
    failures.of("a large import", computing::large_import(&world)).await;
    world.stop().await;
    failures.assert_none();
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
