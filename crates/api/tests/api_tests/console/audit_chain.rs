//! The audit log: what is written, and that a changed, removed or reordered entry is found.

use app::identity::audit::{ChainState, verify_file};
use domain::identity::audit::BrokenChain;
use futures_util::future::join_all;
use store::{Params, Statement};

use super::*;

/// Actor and action of the entries of the test's tenant, oldest first.
async fn actions(app: &World) -> Vec<(String, String)> {
    let mut log = app.app.identity().audit().latest(&Command(app.tenant()), 1000).await.unwrap();
    log.reverse();
    log.into_iter().map(|it| (it.actor, it.action)).collect()
}

async fn broken(app: &World) -> Option<BrokenChain> {
    match app.app.identity().audit().verify(&Command(app.tenant()), None).await.unwrap() {
        ChainState::Whole { .. } => None,
        ChainState::Broken(broken) => Some(broken),
        ChainState::NotBegun(entries) => panic!("no chain, {entries} entries"),
    }
}

/// Runs a statement as an attacker with access to the database would.
async fn tamper(app: &World, statement: &'static Statement) {
    let input = app.tenant();
    let write = app.test.db.write(input, move |tx, tenant: &TenantId| {
        Box::pin(async move { tx.execute(statement, &Params::for_tenant(*tenant)).await })
    });
    assert!(write.await.unwrap() > 0, "nothing was changed");
}

async fn some_entries(app: &World) {
    for name in ["ada", "grace", "alan", "edsger", "barbara"] {
        app.account(app.tenant(), &email(name, app.tenant()), Role::Operator).await;
    }
}

static CHANGE: Statement =
    Statement::new("test.change", "UPDATE audit SET actor = 'account:0' WHERE tenant_id = $1 AND seq = 3");
static REMOVE: Statement = Statement::new("test.remove", "DELETE FROM audit WHERE tenant_id = $1 AND seq = 3");
static CUT: Statement = Statement::new("test.cut", "DELETE FROM audit WHERE tenant_id = $1 AND seq >= 4");
static OUTSIDE: Statement =
    Statement::new("test.outside", "UPDATE audit SET seq = NULL WHERE tenant_id = $1 AND seq = 5");
static PARK: Statement = Statement::new("test.park", "UPDATE audit SET seq = 1003 WHERE tenant_id = $1 AND seq = 3");
static MOVE: Statement = Statement::new("test.move", "UPDATE audit SET seq = 3 WHERE tenant_id = $1 AND seq = 4");
static UNPARK: Statement =
    Statement::new("test.unpark", "UPDATE audit SET seq = 4 WHERE tenant_id = $1 AND seq = 1003");
static FORGET: Statement =
    Statement::new("test.forget", "UPDATE audit SET seq = NULL, hash = NULL WHERE tenant_id = $1");
static NO_HEAD: Statement = Statement::new("test.no_head", "DELETE FROM audit_heads WHERE tenant_id = $1");

testkit::both_databases! {
    async fn concurrent_changes_make_one_chain(app = World::new) {
        let made = (0..40).map(|n| {
            let app = &app;
            async move { app.account(app.tenant(), &email(&format!("p{n}"), app.tenant()), Role::Operator).await }
        });
        join_all(made).await;
        assert_eq!(broken(&app).await, None);
        let ChainState::Whole { head, .. } = app.app.identity().audit().verify(&Command(app.tenant()), None).await.unwrap() else { panic!() };
        assert_eq!(head.number, i64::try_from(actions(&app).await.len()).unwrap());
        // A head that was noted before is still there after further entries.
        some_entries(&app).await;
        let later = app.app.identity().audit().verify(&Command(app.tenant()), Some(head)).await.unwrap();
        assert!(matches!(later, ChainState::Whole { .. }), "{later:?}");
    }

    async fn a_failed_change_leaves_no_entry(app = World::new) {
        some_entries(&app).await;
        let before = actions(&app).await.len();
        let new = NewAccount { email: email("ada", app.tenant()), name: None, role: Role::Operator, password: None };
        assert!(app.app.identity().accounts().create(&Command(app.tenant()), new).await.is_err());
        assert_eq!(actions(&app).await.len(), before);
        assert_eq!(broken(&app).await, None);
    }

    async fn a_changed_entry_is_found(app = World::new) {
        some_entries(&app).await;
        tamper(&app, &CHANGE).await;
        assert_eq!(broken(&app).await, Some(BrokenChain::Changed(3)));
    }

    async fn a_removed_entry_is_found(app = World::new) {
        some_entries(&app).await;
        tamper(&app, &REMOVE).await;
        assert_eq!(broken(&app).await, Some(BrokenChain::Missing { expected: 3, found: 4 }));
    }

    async fn removed_last_entries_are_found(app = World::new) {
        some_entries(&app).await;
        tamper(&app, &CUT).await;
        assert!(matches!(broken(&app).await, Some(BrokenChain::CutOff { found: 3, .. })));
    }

    async fn reordered_entries_are_found(app = World::new) {
        some_entries(&app).await;
        for step in [&PARK, &MOVE, &UNPARK] {
            tamper(&app, step).await;
        }
        assert_eq!(broken(&app).await, Some(BrokenChain::Changed(3)));
    }

    async fn an_entry_outside_of_the_chain_is_found(app = World::new) {
        some_entries(&app).await;
        tamper(&app, &OUTSIDE).await;
        assert_eq!(broken(&app).await, Some(BrokenChain::Outside(1)));
    }

    async fn entries_of_an_earlier_version_join_the_chain(app = World::new) {
        some_entries(&app).await;
        tamper(&app, &FORGET).await;
        tamper(&app, &NO_HEAD).await;
        let state = app.app.identity().audit().verify(&Command(app.tenant()), None).await.unwrap();
        assert!(matches!(state, ChainState::NotBegun(_)), "{state:?}");
        app.account(app.tenant(), &email("niklaus", app.tenant()), Role::Operator).await;
        assert_eq!(broken(&app).await, None);
        tamper(&app, &CHANGE).await;
        assert_eq!(broken(&app).await, Some(BrokenChain::Changed(3)));
    }

    async fn an_export_is_verified_without_the_database(app = World::new) {
        some_entries(&app).await;
        let (send, mut receive) = tokio::sync::mpsc::channel(1000);
        let written = app.app.identity().audit().export(&Command(app.tenant()), &send).await.unwrap();
        drop(send);
        let mut bytes = Vec::new();
        while let Some(chunk) = receive.recv().await {
            bytes.extend(chunk);
        }
        let verified = verify_file(&bytes[..], None).unwrap();
        assert_eq!((verified.tenant, u64::try_from(verified.entries).unwrap()), (app.tenant(), written));
        assert_eq!(actions(&app).await.last().unwrap().1, "audit.export");
        let text = String::from_utf8(bytes).unwrap().replacen("command", "nothing", 1);
        assert!(verify_file(text.as_bytes(), None).is_err());
    }

    async fn exports_deletions_and_merges_are_in_the_log(app = World::with_sandbox) {
        let token = app.token(app.tenant(), &["contactsv3:write", "contactsv3:read"]).await;
        let post = async |path: &str, body: Value| {
            let answer = app.by(&token).post(path, &body).await;
            assert!(answer.status.is_success(), "{path}: {}", answer.text);
            answer.json()
        };
        for number in ["14155550001", "14155550002"] {
            post("/api/ext/v3/contacts", json!({"whatsapp_number": number, "name": "Ada"})).await;
        }
        let merged = post("/api/ext/v3/contacts/merges", json!({"target": "14155550001", "duplicate": "14155550002"})).await;
        post(&format!("/api/ext/v3/contacts/merges/{}/undo", merged["id"].as_str().unwrap()), json!({})).await;
        assert_eq!(app.by(&token).get("/api/ext/v3/contacts/export").await.status, 200);
        let delete = request("DELETE", "/api/ext/v3/contacts/14155550001", Some(&token)).body(Body::empty()).unwrap();
        assert_eq!(app.send(delete).await.status, 200);
        let log = app.app.identity().audit().latest(&Command(app.tenant()), 4).await.unwrap();
        let kinds: Vec<_> = log.iter().rev().map(|it| it.action.as_str()).collect();
        assert_eq!(kinds, ["contact.merge", "contact.unmerge", "contacts.export", "contact.delete"]);
        for entry in &log {
            assert!(entry.actor.starts_with("token:") && entry.address.as_deref() == Some("127.0.0.1"), "{entry:?}");
            assert!(entry.request_id.is_some(), "{entry:?}");
        }
        assert_eq!(broken(&app).await, None);
    }
}
