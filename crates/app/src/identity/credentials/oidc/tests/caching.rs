//! Tests when keys are fetched, and which requests wait for a fetch.

use crate::identity::gate::Unauthenticated;
use std::future::Future;

use futures_util::future::join_all;
use testkit::outgoing::use_up;

use super::fake_issuer::status;
use super::*;

/// Polls until the condition holds; panics after ten seconds.
async fn eventually<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    for _ in 0..2000 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("never: {what}");
}

async fn fetches_reach(setting: &Setting, count: usize) {
    eventually("the issuer is asked", || async { setting.issuer.fetches() == count }).await;
}

#[tokio::test]
async fn unknown_key_ids_cause_one_fetch_in_thirty_seconds() {
    let setting = Setting::new().await;
    assert_eq!(setting.reason(&setting.token()).await, None);
    let stranger = SigningKey::new("made-up", Algorithm::EdDSA).sign(&setting.claims());
    for _ in 0..3 {
        assert_eq!(setting.reason(&stranger).await, Some(Unauthenticated::OidcKeyUnknown));
        assert_eq!(setting.issuer.fetches(), 2, "the first keys, and one look for new ones");
    }
    setting.advance(29);
    assert_eq!(setting.reason(&stranger).await, Some(Unauthenticated::OidcKeyUnknown));
    assert_eq!(setting.issuer.fetches(), 2);
    setting.advance(2);
    assert_eq!(setting.reason(&stranger).await, Some(Unauthenticated::OidcKeyUnknown));
    assert_eq!(setting.issuer.fetches(), 3);
}

#[tokio::test]
async fn an_unknown_key_id_in_the_very_first_token_costs_one_fetch() {
    let setting = Setting::new().await;
    let stranger = SigningKey::new("made-up", Algorithm::EdDSA).sign(&setting.claims());
    assert_eq!(setting.reason(&stranger).await, Some(Unauthenticated::OidcKeyUnknown));
    assert_eq!(setting.issuer.fetches(), 1);
}

#[tokio::test]
async fn rotated_keys_are_found_and_the_old_ones_forgotten() {
    let setting = Setting::new().await;
    let old = setting.token();
    assert_eq!(setting.reason(&old).await, None);
    let next = SigningKey::new("second", Algorithm::ES256);
    setting.issuer.publish(&[next.jwk()]);
    assert_eq!(setting.reason(&next.sign(&setting.claims())).await, None);
    assert_eq!(setting.reason(&old).await, Some(Unauthenticated::OidcKeyUnknown));
    assert_eq!(setting.issuer.fetches(), 2);
}

#[tokio::test]
async fn concurrent_first_tokens_share_one_fetch() {
    let setting = Setting::new().await;
    let token = setting.token();
    let answers = join_all((0..50).map(|_| setting.reason(&token))).await;
    assert!(answers.iter().all(Option::is_none), "{answers:?}");
    assert_eq!(setting.issuer.fetches(), 1);
}

#[tokio::test]
async fn concurrent_unknown_keys_share_one_fetch() {
    let setting = Setting::new().await;
    assert_eq!(setting.reason(&setting.token()).await, None);
    let next = SigningKey::new("second", Algorithm::EdDSA);
    setting.issuer.publish(&[next.jwk()]);
    let token = next.sign(&setting.claims());
    let answers = join_all((0..50).map(|_| setting.reason(&token))).await;
    assert!(answers.iter().all(Option::is_none), "{answers:?}");
    assert_eq!(setting.issuer.fetches(), 2);
}

#[tokio::test]
async fn a_slow_fetch_does_not_delay_tokens_with_a_known_key() {
    let setting = Setting::new().await;
    assert_eq!(setting.reason(&setting.token()).await, None);
    setting.issuer.hold();
    let stranger = SigningKey::new("made-up", Algorithm::EdDSA).sign(&setting.claims());
    let verifier = Arc::clone(&setting.verifier);
    let waiting = tokio::spawn(async move { verifier.verify(&stranger).await });
    fetches_reach(&setting, 2).await;
    assert_eq!(setting.reason(&setting.token()).await, None);
    assert!(!waiting.is_finished());
    setting.issuer.release();
    assert_eq!(waiting.await.unwrap(), Err(OidcError::KeyUnknown));
}

#[tokio::test]
async fn a_caller_who_hangs_up_leaves_the_fetch_to_the_others() {
    let setting = Setting::new().await;
    setting.issuer.hold();
    let (verifier, token) = (Arc::clone(&setting.verifier), setting.token());
    let impatient = tokio::spawn(async move { verifier.verify(&token).await });
    fetches_reach(&setting, 1).await;
    impatient.abort();
    assert!(impatient.await.unwrap_err().is_cancelled());
    setting.issuer.release();
    assert_eq!(setting.reason(&setting.token()).await, None);
    assert_eq!(setting.issuer.fetches(), 1);
}

#[tokio::test]
async fn a_dead_issuer_is_not_hammered_and_recovers() {
    let setting = Setting::new().await;
    setting.issuer.answer_keys(status("503 Service Unavailable"));
    let token = setting.token();
    let answers = join_all((0..20).map(|_| setting.reason(&token))).await;
    assert!(answers.iter().all(|answer| *answer == Some(Unauthenticated::OidcUnavailable)), "{answers:?}");
    assert_eq!(setting.issuer.fetches(), 1);
    setting.issuer.publish(&[setting.key.jwk()]);
    assert_eq!(setting.reason(&token).await, Some(Unauthenticated::OidcUnavailable));
    setting.advance(6);
    assert_eq!(setting.reason(&token).await, None);
}

#[tokio::test]
async fn known_keys_serve_while_the_issuer_is_down() {
    let setting = Setting::new().await;
    assert_eq!(setting.reason(&setting.token()).await, None);
    setting.issuer.answer_discovery(status("503 Service Unavailable"));
    let stranger = SigningKey::new("made-up", Algorithm::EdDSA).sign(&setting.claims());
    for _ in 0..2 {
        assert_eq!(setting.reason(&stranger).await, Some(Unauthenticated::OidcUnavailable));
        assert_eq!(setting.reason(&setting.token()).await, None);
    }
    assert_eq!(setting.issuer.fetches(), 2);
}

#[tokio::test]
async fn a_withdrawn_key_goes_out_of_use_without_anyone_bringing_a_new_one() {
    let setting = Setting::new().await;
    let token = setting.token();
    assert_eq!(setting.reason(&token).await, None);
    setting.issuer.publish(&[]);
    setting.advance(599);
    assert_eq!(setting.reason(&token).await, None);
    assert_eq!(setting.issuer.fetches(), 1);
    setting.advance(2);
    assert_eq!(setting.reason(&token).await, None, "the renewal runs behind the request");
    eventually("the key is gone", || async { setting.reason(&token).await == Some(Unauthenticated::OidcKeyUnknown) })
        .await;
}

#[tokio::test]
async fn keys_of_an_issuer_that_was_silent_for_an_hour_are_not_trusted() {
    let setting = Setting::new().await;
    let token = setting.key.sign(&setting.claims_with("exp", json!(NOW + 80_000)));
    assert_eq!(setting.reason(&token).await, None);
    setting.issuer.answer_discovery(status("503 Service Unavailable"));
    setting.advance(3601);
    assert_eq!(setting.reason(&token).await, Some(Unauthenticated::OidcUnavailable));
}

/// The keys of an issuer of one tenant are fetched with that tenant's connections, those of any other with a share that
/// mails do not use.
#[tokio::test]
async fn keys_are_fetched_with_the_connections_of_the_tenant() {
    for own in [None, Some(tenant(100_138))] {
        let outgoing = OutgoingBudget::default();
        let setting = Setting::within(outgoing.clone(), |config| {
            config.tenant = own;
            config.tenants.retain(|_| own.is_none());
        });
        let setting = setting.await;
        let used_up = use_up(&outgoing, own.map_or(Share::Issuers, Share::Tenant));
        assert_eq!(setting.reason(&setting.token()).await, Some(Unauthenticated::OidcUnavailable));
        assert_eq!(setting.issuer.fetches(), 0);
        assert!(outgoing.call(Share::Mail).await.is_some());
        drop(used_up);
        setting.advance(6);
        let _others = [use_up(&outgoing, Share::Mail), use_up(&outgoing, TenantId::INSTALLATION)];
        assert_eq!(setting.reason(&setting.token()).await, None);
    }
}
