//! Every V3 operation, called with a session of the console.

use testkit::Engine;

use super::*;
use crate::media::{message_with, taken};
use crate::orders::limits::use_up;
use crate::permissions::{Operation, operations, passed};
use crate::sending::world::{ADA, Stage as _, TEXT, stage, text as text_to};

const CONTACTS: &str = "/console/api/contacts";

fn v3_operations() -> Vec<Operation> {
    let v3: Vec<_> =
        operations().into_iter().filter_map(|operation| operation.at_prefix("/api/ext/v3", "/console/api")).collect();
    assert!(v3.len() > 60, "{}", v3.len());
    v3
}

/// An application with the sandbox; its tenant's plan has every feature.
async fn app() -> World {
    let app = World::with_sandbox(Engine::Sqlite).await;
    app.app.identity().tenants().set_plan(&Command(app.tenant()), "everything").await.unwrap();
    app
}

#[tokio::test]
async fn each_role_passes_exactly_where_the_table_says() {
    let app = app().await;
    for role in Role::OF_ACCOUNTS {
        let person = logged_in(&app, role.name(), role).await;
        for operation in v3_operations() {
            let path = operation.path_for(app.tenant());
            let answer = person.call(&app, &operation.method, &path, &json!({})).await;
            if operation.roles.iter().any(|name| name == role.name()) {
                assert!(passed(&answer), "{role} {}: {}", operation.name(), answer.text);
            } else {
                assert_refused(&answer, 403, "role_denied");
            }
            assert_eq!(answer.headers["cache-control"], "no-store", "{}", operation.name());
        }
    }
}

#[tokio::test]
async fn without_a_session_no_operation_answers_whatever_token_comes_along() {
    let app = app().await;
    let token = app.token(app.tenant(), &["api"]).await;
    let bearer = format!("Bearer {token}");
    for operation in v3_operations() {
        let path = operation.path_for(app.tenant());
        for headers in [vec![], vec![("authorization", bearer.as_str()), ("origin", origin(&app))]] {
            let answer = send(&app, &operation.method, &path, &headers, &json!({})).await;
            assert_refused(&answer, 401, "session_required");
        }
    }
}

#[tokio::test]
async fn a_change_needs_the_own_origin_and_the_csrf_token() {
    let app = app().await;
    let ada = logged_in(&app, "ada", Role::Administrator).await;
    for operation in v3_operations().into_iter().filter(|operation| operation.method != "GET") {
        let path = operation.path_for(app.tenant());
        let cookie = ("cookie", ada.cookie.as_str());
        for headers in [
            vec![cookie],
            vec![cookie, ("x-csrf-token", &ada.csrf)],
            vec![cookie, ("x-csrf-token", &ada.csrf), ("origin", "https://elsewhere.example")],
            vec![cookie, ("origin", origin(&app))],
            vec![cookie, ("origin", origin(&app)), ("x-csrf-token", "0000")],
        ] {
            let answer = send(&app, &operation.method, &path, &headers, &json!({})).await;
            assert_refused(&answer, 403, "csrf");
        }
    }
}

#[tokio::test]
async fn a_file_is_an_attachment_also_where_a_browser_could_show_it() {
    let app = app().await;
    let ben = logged_in(&app, "ben", Role::Operator).await;
    let picture = taken(&app, app.tenant(), "dot.png", "\u{1}").await;
    let message = message_with(&app, app.tenant(), &picture).await;
    let answer = ben.get(&app, &format!("/console/api/conversations/messages/file/{message}")).await;
    assert_eq!(answer.text, "\u{1}");
    for (name, value) in [
        ("content-disposition", "attachment; filename=\"dot.png\""),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
    ] {
        assert_eq!(answer.headers[name], value);
    }
}

#[tokio::test]
async fn a_plan_without_the_feature_is_refused() {
    let app = app().await;
    app.app.identity().tenants().set_plan(&Command(app.tenant()), "bare").await.unwrap();
    let ada = logged_in(&app, "ada", Role::Administrator).await;
    for operation in v3_operations().into_iter().filter(|operation| operation.feature.is_some()) {
        let answer = ada.call(&app, &operation.method, &operation.path_for(app.tenant()), &json!({})).await;
        assert_eq!(answer.status, 403, "{}: {}", operation.name(), answer.text);
    }
}

testkit::both_databases! {
    async fn a_session_sees_its_own_tenant_only(app = World::with_sandbox) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        ada.call(&app, "POST", "/console/api/contacts", &json!({"whatsapp_number": "14155550132", "name": "Grace"})).await.ok();
        let found = ada.get(&app, "/Console/API/Contacts/14155550132").await;
        assert_eq!((found.status.as_u16(), &found.json()["name"]), (200, &json!("Grace")), "{}", found.text);

        let other = app.test.new_tenant("unlimited").await;
        let address = email("eve", other);
        make(&app, other, &address, Role::Administrator, PASSWORD).await;
        let eve = person(&log_in(&app, &address, PASSWORD).await);
        let hidden = eve.get(&app, "/console/api/contacts/14155550132").await;
        assert_eq!(hidden.status, 404, "{}", hidden.text);
    }

    async fn what_the_console_sends_is_from_the_web_and_names_its_operator(stage = stage) {
        stage.people().await;
        let ada = logged_in(&stage, "ada", Role::Operator).await;
        let path = TEXT.replace("/api/ext/v3", "/console/api");
        let sent = ada.call(&stage, "POST", &path, &text_to(ADA, "Hello")).await.ok();
        let id = sent["message"]["id"].as_str().unwrap().parse().unwrap();
        let (db, tenant) = (stage.app.db(), stage.tenant());
        let message = store::messaging::messages::find(db, tenant, id).await.unwrap().unwrap();
        let operator = message.operator.unwrap();
        assert_eq!((operator.email.as_deref(), operator.source.name()), (Some(ada.email.as_str()), "WEB"));
        let by_token = stage.good(TEXT, &text_to(ADA, "Hello")).await;
        let id = by_token["message"]["id"].as_str().unwrap().parse().unwrap();
        let message = store::messaging::messages::find(db, tenant, id).await.unwrap().unwrap();
        assert_eq!(message.operator.unwrap().source.name(), "API");
    }

    async fn requests_of_a_session_count_for_the_plan(app = World::new) {
        app.app.identity().tenants().set_plan(&Command(app.tenant()), "growth").await.unwrap();
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let header = |answer: &Answer, name: &str| answer.headers[name].to_str().unwrap().to_owned();
        let first = ada.get(&app, CONTACTS).await;
        let policy = header(&first, "ratelimit-policy");
        assert!(policy.starts_with(r#""contacts";q=100;w=10, "usage";q=10000;"#), "{policy}");
        let left = header(&first, "ratelimit");
        assert!(left.starts_with(r#""contacts";r=99;"#) && left.contains(r#""usage";r=9999;"#), "{left}");
        // An open page asks for the counts by itself.
        let counts = ada.get(&app, "/console/api/conversations/counts").await;
        assert!(!header(&counts, "ratelimit").contains("usage"), "{}", header(&counts, "ratelimit"));
        let mut granted = 1;
        let refused = loop {
            let answer = ada.get(&app, CONTACTS).await;
            if answer.status != 200 || granted > 110 {
                break answer;
            }
            granted += 1;
        };
        assert_refused(&refused, 429, "rate_limited");
        assert!(granted >= 100 && refused.headers.contains_key("retry-after"), "{granted}");
        let token = app.token(app.tenant(), &["api"]).await;
        assert_eq!(app.by(&token).get("/api/ext/v3/contacts").await.status, 200, "the rate of tokens is untouched");
    }

    async fn when_the_calls_of_the_month_are_used_up_people_can_still_read(app = World::new) {
        app.app.identity().tenants().set_plan(&Command(app.tenant()), "growth").await.unwrap();
        use_up(&app).await;
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        assert_eq!(ada.get(&app, CONTACTS).await.status, 200);
        let change = ada.call(&app, "POST", CONTACTS, &json!({"whatsapp_number": "14155550132", "name": "Grace"})).await;
        assert_refused(&change, 429, "usage_exhausted");
        let nowhere = "/console/api/conversations/507f1f77bcf86cd799439011/presence";
        let automatic = ada.call(&app, "PUT", nowhere, &json!({"state": "viewing"})).await;
        assert_eq!(automatic.status, 404, "{}", automatic.text);
    }

    async fn an_operator_sends_templates_to_one_person_at_a_time(app = World::with_sandbox) {
        let ben = logged_in(&app, "ben", Role::Operator).await;
        let dora = logged_in(&app, "dora", Role::Developer).await;
        let body = |people: &[&str]| {
            let recipients: Vec<_> = people.iter().map(|phone| json!({"phone_number": phone})).collect();
            json!({"template_name": "none", "broadcast_name": "May", "recipients": recipients})
        };
        let (one, two) = (body(&["14155552671"]), body(&["14155552671", "14155552672"]));
        let send = "/console/api/messageTemplates/send";
        assert_refused(&ben.call(&app, "POST", send, &two).await, 403, "role_denied");
        for (who, body) in [(&ben, &one), (&dora, &one), (&dora, &two)] {
            assert_refused(&who.call(&app, "POST", send, body).await, 400, "invalid_parameter");
        }
    }

    async fn an_operator_knows_no_more_of_channels_than_their_names(app = World::new) {
        let (support, _) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        let ben = logged_in(&app, "ben", Role::Operator).await;
        let names = ben.get(&app, "/console/api/channel-names").await.ok();
        let name = json!({"id": support.id, "name": "Support", "network": support.network, "enabled": true});
        assert_eq!(names, json!({"channels": [name]}));
        assert_refused(&ben.get(&app, "/console/api/channels").await, 403, "role_denied");
    }

    async fn a_session_that_ended_shows_nothing(app = World::with_sandbox) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        assert_eq!(ada.get(&app, "/console/api/calls").await.status, 200);
        ada.call(&app, "DELETE", SESSION, &json!({})).await;
        assert_refused(&ada.get(&app, "/console/api/calls").await, 401, "session_required");
    }

    async fn an_idempotency_key_counts_by_session_too(app = World::with_sandbox) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let headers = [
            ("cookie", ada.cookie.as_str()), ("origin", origin(&app)), ("x-csrf-token", &ada.csrf), ("idempotency-key", "once"),
        ];
        let body = json!({"whatsapp_number": "14155550133", "name": "Alan"});
        let first = send(&app, "POST", "/console/api/contacts", &headers, &body).await;
        let again = send(&app, "POST", "/console/api/contacts", &headers, &body).await;
        assert_eq!((first.status.as_u16(), &first.text), (200, &again.text));
    }
}

#[tokio::test]
async fn an_unknown_path_is_not_found_and_a_wrong_method_not_allowed() {
    let app = app().await;
    let ada = logged_in(&app, "ada", Role::Administrator).await;
    assert_eq!(ada.get(&app, "/console/api/nonsense").await.status, 404);
    assert_eq!(ada.call(&app, "DELETE", "/console/api/calls", &json!({})).await.status, 405);
}
