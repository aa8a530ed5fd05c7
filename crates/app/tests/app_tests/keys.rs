//! Changing the installation's secret key: used tokens stay valid, and only the right keys open the database.

use app::identity::gate::Unauthenticated;
use std::net::{IpAddr, Ipv4Addr};

use app::App;
use app::base::keys::{KeyError, claim};
use app::identity::gate::Denial;
use domain::base::keys::{Keyring, SecretKey};
use domain::identity::networks::Networks;
use domain::identity::roles::Role;
use domain::identity::scopes::{Scope, ScopeSet};
use testkit::database::TestDb;
use testkit::world::{config, new_app};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn app(test: &TestDb, keyring: &Keyring) -> App {
    new_app(test, keyring, config())
}

async fn reason(app: &App, token: &str) -> Option<Unauthenticated> {
    match app.identity().authenticate(token, HERE).await {
        Ok(_) => None,
        Err(Denial::Unauthenticated { reason, .. }) => Some(reason),
        Err(other) => panic!("{other}"),
    }
}

testkit::both_databases! {
    async fn a_certificate_is_kept_sealed_and_moves_to_the_new_key_when_it_is_loaded(test) {
        let name = format!("acme_certificate:{}", test.tenant);
        let (old, new) = (SecretKey::random(), SecretKey::random());
        let first = app(&test, &Keyring::new(old.clone(), None));
        assert_eq!(first.platform().certificates().load(&name).await.unwrap(), None);
        first.platform().certificates().save(&name, b"key and chain").await.unwrap();
        let stored = store::base::installation::sealed(&test.db, &name).await.unwrap().unwrap();
        assert!(!stored.contains("key and chain"));
        let alone = app(&test, &Keyring::new(new.clone(), None));
        assert_eq!(alone.platform().certificates().load(&name).await.unwrap(), None, "neither key opens it");

        let changing = app(&test, &Keyring::new(new.clone(), Some(old)));
        for app in [&changing, &alone] {
            assert_eq!(app.platform().certificates().load(&name).await.unwrap().unwrap().as_slice(), b"key and chain");
        }
        let other = format!("{name}/other");
        let stored = store::base::installation::sealed(&test.db, &name).await.unwrap().unwrap();
        test.db.write((other.clone(), stored), |tx, (name, sealed)| {
            Box::pin(store::base::installation::set_sealed(tx, name, sealed))
        }).await.unwrap();
        assert_eq!(alone.platform().certificates().load(&other).await.unwrap(), None, "it is bound to its name");
    }

    async fn a_token_moves_to_the_new_key_when_it_is_used(test) {
        let (old, new) = (SecretKey::random(), SecretKey::random());
        let first = app(&test, &Keyring::new(old.clone(), None));
        let account = app::identity::accounts::NewAccount {
            email: "owner@example.com".to_owned(), name: None, role: Role::Administrator, password: None,
        };
        first.identity().accounts().create(&app::Command(test.tenant), account).await.unwrap();
        let wanted = || app::identity::tokens::NewToken {
            name: "t".to_owned(), scopes: ScopeSet::from_scopes(&[Scope::Api]), networks: Networks::default(), expires_at: None, rate_limit: None,
        };
        let (_, used) = first.identity().tokens().create(&app::Command(test.tenant), "owner@example.com", wanted()).await.unwrap();
        let (_, unused) = first.identity().tokens().create(&app::Command(test.tenant), "owner@example.com", wanted()).await.unwrap();
        let jwt = first.identity().tokens().legacy(&app::Command(test.tenant), "owner@example.com").await.unwrap();

        let changing = app(&test, &Keyring::new(new.clone(), Some(old)));
        assert_eq!(reason(&changing, used.reveal()).await, None);
        assert_eq!(reason(&changing, &jwt).await, None);

        let changed = app(&test, &Keyring::new(new, None));
        assert_eq!(reason(&changed, used.reveal()).await, None);
        assert_eq!(reason(&changed, unused.reveal()).await, Some(Unauthenticated::TokenUnknown));
        assert_eq!(reason(&changed, &jwt).await, Some(Unauthenticated::TokenUnknown));
    }
}

/// Uses a database of its own, since the shared one is bound to no key.
#[tokio::test]
async fn a_database_belongs_to_its_key() {
    let test = TestDb::sqlite().await;
    let (first, second, third) = (SecretKey::random(), SecretKey::random(), SecretKey::random());
    claim(&test.db, &Keyring::new(first.clone(), None)).await.unwrap();
    claim(&test.db, &Keyring::new(first.clone(), None)).await.unwrap();
    let foreign = claim(&test.db, &Keyring::new(second.clone(), None)).await;
    assert!(matches!(foreign, Err(KeyError::Mismatch { .. })));
    let wrong_previous = claim(&test.db, &Keyring::new(second.clone(), Some(third))).await;
    assert!(matches!(wrong_previous, Err(KeyError::Mismatch { .. })));
    claim(&test.db, &Keyring::new(second.clone(), Some(first.clone()))).await.unwrap();
    claim(&test.db, &Keyring::new(second, None)).await.unwrap();
    assert!(claim(&test.db, &Keyring::new(first, None)).await.is_err());
}
