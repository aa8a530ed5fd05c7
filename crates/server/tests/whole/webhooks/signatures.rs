//! Signatures, verified by third-party libraries, while events are delivered and secrets are rotated: a receiver with a
//! valid secret rejects nothing.

use std::sync::Arc;

use super::SETTINGS;
use super::api::Api;
use super::calls::{Calls, record};
use super::receiver::{Received, Receiver};
use super::verifiers::Library;
use crate::home::Home;
use crate::sending::nodes::Nodes;

/// At most one delivery in flight, so that a later post was signed later.
const IN_ORDER: [(&str, &str); 3] = [SETTINGS[0], SETTINGS[1], ("SWITCHBOARD_WEBHOOKS_IN_FLIGHT", "1")];
const CALLS: usize = 240;
/// Calls are recorded this far ahead of their deliveries, so that deliveries go on until the end.
const AHEAD: usize = 20;

#[tokio::test]
async fn a_receiver_with_the_secret_of_the_creation_accepts_everything() {
    let home = Arc::new(Home::sqlite());
    let (nodes, token) = Nodes::first_with(home.clone(), &SETTINGS).await;
    let (api, receiver) = (Api::new(&nodes, &token), Receiver::accepting().await);
    let secret = api.create(&receiver.url("/hook")).await.secret;
    record(&nodes, &token, 0..50).await;
    receiver.has_accepted(50).await;
    let mut deliveries = receiver.all();
    for library in Library::ALL {
        assert!(library.accepts(&home, &secret, &deliveries).await.iter().all(|accepted| *accepted));
    }
    // The libraries reject posts that were changed.
    deliveries.truncate(2);
    deliveries[0].body.push(' ');
    deliveries[1].headers.insert("webhook-id".to_owned(), "another".to_owned());
    for library in Library::ALL {
        assert_eq!(library.accepts(&home, &secret, &deliveries).await, [false, false], "{library:?}");
    }
}

/// The secrets of one endpoint in their order, and how many posts it had when each was issued.
struct Secrets {
    first: String,
    second: (String, usize),
    third: (String, usize),
}

async fn rotated(api: &Api<'_>, receiver: &Receiver, id: &str, after: usize) -> (String, usize) {
    receiver.has_accepted(after).await;
    (api.rotate(id).await, receiver.all().len())
}

#[tokio::test]
async fn nothing_is_rejected_across_rotations() {
    let home = Arc::new(Home::sqlite());
    let (nodes, token) = Nodes::first_with(home.clone(), &IN_ORDER).await;
    let (api, receiver) = (Api::new(&nodes, &token), Receiver::accepting().await);
    let made = api.create(&receiver.url("/hook")).await;
    let calls = Calls::new(&nodes, &token, 0..CALLS);
    let rotations = async {
        let second = rotated(&api, &receiver, &made.id, CALLS / 3).await;
        (second, rotated(&api, &receiver, &made.id, CALLS * 2 / 3).await)
    };
    let ((), (second, third)) = tokio::join!(calls.make_all(receiver.accepted(), 1, AHEAD), rotations);
    receiver.has_accepted(CALLS).await;
    let secrets = Secrets { first: made.secret.clone(), second, third };
    let posts = receiver.all();
    assert_eq!(posts.len(), CALLS, "nothing was delivered twice");
    for library in Library::ALL {
        check(library, &home, &secrets, &posts).await;
    }
    let log = api.deliveries(&made.id).await;
    let is_plain = |one: &&serde_json::Value| one["state"] == "delivered" && one["attempts"] == 1;
    assert_eq!(log.iter().filter(is_plain).count(), CALLS, "{log:?}");
}

/// Checks that a receiver with one secret accepts every post from the first to the last that this secret signs.
#[expect(clippy::print_stdout, reason = "how long a rotation takes")]
async fn check(library: Library, home: &Home, secrets: &Secrets, posts: &[Received]) {
    let first = library.accepts(home, &secrets.first, posts).await;
    let second = library.accepts(home, &secrets.second.0, posts).await;
    let third = library.accepts(home, &secrets.third.0, posts).await;
    let begins = |accepted: &[bool]| accepted.iter().position(|accepted| *accepted).unwrap();
    let (second_signs, third_signs) = (begins(&second), begins(&third));
    assert!(second[second_signs..].iter().all(|accepted| *accepted), "{library:?}: the second secret");
    assert!(third[third_signs..].iter().all(|accepted| *accepted), "{library:?}: the third secret");
    // The previous secret signs beside the present one; the third replaces the first.
    let until_third = |(index, accepted): (usize, &bool)| *accepted == (index < third_signs);
    assert!(first.iter().enumerate().all(until_third), "{library:?}: the first secret");
    // A post signed with the new secret may arrive before the answer of the rotation does.
    let late = [second_signs.saturating_sub(secrets.second.1), third_signs.saturating_sub(secrets.third.1)];
    println!("{library:?}: {late:?} deliveries after the answers of the rotations were signed without the new secret");
}
