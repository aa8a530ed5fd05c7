//! Checks of posts, and the secrets of channels.

use app::messaging::inbound::Refused;
use channels::signature;
use domain::Id;
use domain::base::keys::{Keyring, SecretKey};
use testkit::World;
use testkit::database::TestDb;
use testkit::world::{config, new_app};

use crate::inbound::world::{Inbound as _, add, messages, support, text_message};

testkit::both_databases! {
    async fn only_a_post_signed_with_the_secret_of_the_channel_is_accepted(world = support) {
        let inbound = world.app.messaging().inbound();
        let body = messages(&[text_message("wamid.1", "hi", 1_776_000_000)]).to_string().into_bytes();
        let accept = |signed: Option<String>, body: Vec<u8>| {
            let inbound = &inbound;
            let channel = world.channel().id;
            async move { inbound.signed_post(channel, signed.as_deref()).await?.accept(body).await }
        };
        assert!(matches!(accept(None, body.clone()).await, Err(Refused::Unsigned)));
        let foreign = signature::sign(b"another-secret", &body);
        assert!(matches!(accept(Some(foreign), body.clone()).await, Err(Refused::Forged)));
        let good = signature::sign(world.secrets().app_secret.as_bytes(), &body);
        assert!(matches!(accept(Some(good.clone()), body[..body.len() - 1].to_vec()).await, Err(Refused::Forged)));
        let unknown = Id::new(world.now());
        assert!(matches!(inbound.signed_post(unknown, Some(&good)).await, Err(Refused::NoChannel)));
        assert!(matches!(inbound.signed_post(world.channel().id, Some("sha256=xyz")).await, Err(Refused::Forged)));
        assert!(accept(Some(good), body).await.is_ok());
        world.process_inbound().await;
        assert_eq!(world.messages().await.len(), 1);
    }

    async fn a_removed_channel_receives_nothing(world = support) {
        let inbound = world.app.messaging().inbound();
        let other = add(&world.app, world.tenant(), "Sales", "4915123456789", "1").await;
        let signed = signature::sign(b"any", b"{}");
        for _ in 0..2 {
            assert!(inbound.signed_post(other.id, Some(&signed)).await.is_ok());
        }
        world.app.messaging().channels().remove(&app::Command(world.tenant()), "Sales").await.unwrap();
        assert!(matches!(inbound.signed_post(other.id, Some(&signed)).await, Err(Refused::NoChannel)));
    }

    async fn the_handshake_checks_the_verify_token(world = support) {
        let inbound = world.app.messaging().inbound();
        assert!(inbound.verify_token_matches(world.channel().id, "verify-token-of-Support").await.unwrap());
        for wrong in ["", "verify-token-of-SupporT", "verify-token-of-Support "] {
            assert!(!inbound.verify_token_matches(world.channel().id, wrong).await.unwrap(), "{wrong}");
        }
    }

    async fn secrets_are_sealed_and_follow_a_change_of_the_key(test) {
        let old = SecretKey::random();
        let test = TestDb::alone(test.db.engine()).await;
        let world = World::with_keyring(test, Keyring::new(old.clone(), None), config());
        let world = world.with_channel("Support", "14155552671").await;
        let stored = store::messaging::channels::find(&world.test.db, world.tenant(), world.channel().id).await.unwrap().unwrap();
        for sealed in [&stored.sealed.access_token, &stored.sealed.app_secret, &stored.sealed.verify_token] {
            assert!(!sealed.windows(8).any(|part| b"app-secret-of-Support access-token verify-token".windows(8).any(|s| s == part)));
        }
        let new = SecretKey::random();
        let other = new_app(&world.test, &Keyring::new(new.clone(), None), config());
        let error = other.messaging().channels().open(world.tenant(), world.channel().id).await.unwrap_err();
        assert!(error.to_string().starts_with("secret_key: "), "{error}");
        // A channel that was sealed with a third key does not prevent the others from being sealed again.
        let third = new_app(&world.test, &Keyring::new(SecretKey::random(), None), config());
        let lost = add(&third, world.tenant(), "A lost one", "14155550123", "5").await;
        let between = new_app(&world.test, &Keyring::new(new.clone(), Some(old)), config());
        let unopened = between.messaging().channels().reseal(world.tenant()).await.unwrap();
        assert_eq!(unopened.iter().map(|one| one.id).collect::<Vec<_>>(), [lost.id]);
        let opened = other.messaging().channels().open(world.tenant(), world.channel().id).await.unwrap();
        assert_eq!(opened.secrets.app_secret, world.secrets().app_secret);
        assert!(!format!("{opened:?}").contains("of-the-test"), "{opened:?}");
    }

    async fn channels_have_one_default_and_names_of_their_own(world = support) {
        assert!(world.channel().is_default);
        let second = add(&world.app, world.tenant(), "Sales", "4915123456789", "1").await;
        assert!(!second.is_default);
        world.app.messaging().channels().set_default(&app::Command(world.tenant()), "sales").await.unwrap();
        let defaults: Vec<bool> =
            world.app.messaging().channels().list(&world.me()).await.unwrap().iter().map(|one| one.is_default).collect();
        assert_eq!(defaults, [false, true]);
        let error = world.app.messaging().channels().remove(&app::Command(world.tenant()), "Sales").await.unwrap_err();
        assert!(error.to_string().contains("default"), "{error}");
        let again = domain::messaging::channels::NewChannel {
            name: "SALES".to_owned(), phone_number: "14155550123".to_owned(), phone_number_id: "2".to_owned(),
            account_id: "3".to_owned(), network: "whatsapp".to_owned(),
        };
        let channels = world.app.messaging().channels();
        let error = channels.add(&app::Command(world.tenant()), again.clone(), world.secrets()).await.unwrap_err();
        assert!(error.to_string().contains("already"), "{error}");
        let nowhere = domain::messaging::channels::NewChannel { network: "elsewhere".to_owned(), ..again };
        let error = channels.add(&app::Command(world.tenant()), nowhere, world.secrets()).await.unwrap_err();
        assert!(error.to_string().contains("expected one of whatsapp, sandbox"), "{error}");
    }
}
