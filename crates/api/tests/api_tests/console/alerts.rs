//! Plan, queues and alerts.

use app::platform::alerts::AlertOutcome;
use domain::Id;
use domain::delivery::webhooks::WebhookStatus;
use domain::messaging::channels::{ChannelProblem, TokenCheck};
use testkit::mail::{MailReceiver, ReceivedMail};
use testkit::receiver::Receiver;

use super::*;

const PLAN: &str = "/console/api/plan";
const QUEUES: &str = "/console/api/queues";
const ALERTS: &str = "/console/api/alerts";
const CONFIRMATIONS: &str = "/console/api/alerts/confirmations";
const CONFIRM: &str = "/console/api/alerts/confirm";
const CONFIRM_PAGE: &str = "https://switchboard.example/console/confirm-alerts#";

/// Settings with which alerts of all kinds go to this URL.
fn to_url(url: &str) -> Value {
    let kinds =
        json!({"token_expires": true, "channel_problem": true, "endpoint_defective": true, "queue_stuck": true});
    json!({"emails": [], "webhook_url": url, "kinds": kinds})
}

/// Settings with which alerts about channels go to these addresses.
fn to_addresses(emails: &[&str]) -> Value {
    json!({"emails": emails, "webhook_url": null, "kinds": {"channel_problem": true}})
}

/// The code in a mail that asks for a confirmation.
fn code_in(mail: &ReceivedMail) -> String {
    assert_eq!(mail.header("Subject"), Some("Confirm alerts from Test"));
    let text = mail.text();
    let line = text.lines().find_map(|line| line.trim().strip_prefix(CONFIRM_PAGE));
    line.unwrap_or_else(|| panic!("no link in {text}")).to_owned()
}

/// Confirms without a session, as the owner of an address does.
async fn confirm(app: &World, code: &str) -> Answer {
    send(app, "POST", CONFIRM, &[("origin", ORIGIN)], &json!({"code": code})).await
}

async fn set_problem(app: &World, id: domain::ChannelId, problem: Option<&str>) {
    let problem = problem.map(|text| ChannelProblem { message: text.to_owned(), code: Some(190), since: app.now() });
    let write = app.test.db.write((app.tenant(), id, problem), |tx, (tenant, id, problem)| {
        Box::pin(async move {
            match problem {
                Some(problem) => store::messaging::channels::set_problem(tx, *tenant, *id, problem).await,
                None => store::messaging::channels::clear_problem(tx, *tenant, *id).await,
            }
        })
    });
    write.await.unwrap();
}

// A check of alerts covers all tenants: on a database of its own, a test finds its own settings only.
testkit::both_databases! {
    async fn a_developer_sees_the_plan_and_an_operator_does_not(app = World::new) {
        let ben = logged_in(&app, "ben", Role::Operator).await;
        assert_refused(&ben.get(&app, PLAN).await, 403, "role_denied");
        let dora = logged_in(&app, "dora", Role::Developer).await;
        let plan = dora.get(&app, PLAN).await.ok();
        assert_eq!((&plan["name"], &plan["monthly_calls"], &plan["used_this_month"]), (&json!("unlimited"), &Value::Null, &Value::Null));
        let included = |name: &str| plan["features"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap()["included"].clone();
        assert_eq!((included("calls"), included("chatbots")), (json!(true), json!(false)));
        assert_eq!((plan["rates"].as_array().unwrap().len(), &plan["rate_window_seconds"]), (4, &json!(10)));
        assert_eq!(plan["media"]["used_bytes"], 0);
    }

    async fn used_calls_are_shown_beside_their_limit(app = World::new) {
        let tenant = app.test.new_tenant("growth").await;
        let token = app.token(tenant, &["api"]).await;
        assert_eq!(app.by(&token).get(CALLS).await.status, 200);
        let address = email("ada", tenant);
        make(&app, tenant, &address, Role::Developer, PASSWORD).await;
        let ada = person(&log_in(&app, &address, PASSWORD).await);
        let plan = ada.get(&app, PLAN).await.json();
        assert_eq!((&plan["name"], &plan["monthly_calls"]), (&json!("growth"), &json!(10_000)));
        assert!(plan["used_this_month"].as_i64().unwrap() >= 1, "{plan}");
    }

    async fn an_administrator_sees_what_waits(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let (support, _) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        let received_at = app.now();
        app.test.db.write((app.tenant(), support.id, received_at), |tx, (tenant, channel, at)| Box::pin(async move {
            let entry = store::messaging::inbound::JournalEntry { received_at: *at, id: Id::new(*at), body: b"{}".to_vec() };
            store::messaging::inbound::append(tx, *tenant, *channel, &entry).await
        })).await.unwrap();
        let made = ada.call(&app, "POST", "/console/api/webhooks", &json!({"url": "https://example.com/x?key=1", "eventTypes": ["message"]})).await.ok();
        app.advance(601);
        let ada = person(&log_in(&app, &ada.email, PASSWORD).await);
        let shown = ada.get(&app, QUEUES).await.json();
        let queue = |name: &str| shown["queues"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
        assert_eq!(queue("inbound"), json!({"name": "inbound", "waiting": 1, "oldest_at": received_at.to_rfc3339(), "state": "bad"}));
        assert_eq!(queue("outbox"), json!({"name": "outbox", "waiting": 0, "oldest_at": null, "state": "ok"}));
        for name in ["parked", "events", "fetches", "imports", "activity"] {
            assert_eq!(queue(name)["waiting"], 0, "{shown}");
        }
        let endpoint = &shown["endpoints"][0];
        assert_eq!((&endpoint["id"], &endpoint["status"], &endpoint["behind"]), (&made["id"], &json!("Enabled"), &json!(0)));
        let ben = logged_in(&app, "ben", Role::Operator).await;
        assert_refused(&ben.get(&app, QUEUES).await, 403, "role_denied");
    }

    async fn a_problem_is_notified_when_it_begins_and_when_it_ends(app = World::alone) {
        let receiver = Receiver::start().await;
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let (support, _) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        ada.call(&app, "PUT", ALERTS, &to_url(&receiver.url("/alerts?key=1"))).await.ok();
        app.app.platform().check_alerts().await.unwrap();
        assert!(receiver.posts().is_empty(), "nothing is wrong");
        set_problem(&app, support.id, Some("the access token has expired")).await;
        for _ in 0..3 {
            app.app.platform().check_alerts().await.unwrap();
        }
        let posts = receiver.posts();
        assert_eq!(posts.len(), 1, "once until it is over");
        let said = posts[0].json();
        assert_eq!((&said["type"], &said["state"], &said["kind"]), (&json!("alert"), &json!("begun"), &json!("channel_problem")));
        assert_eq!((&said["subject"], &said["title"]), (&json!(support.id), &json!("The channel Support cannot send")));
        assert!(text(&said["detail"]).contains("the access token has expired"), "{said}");
        app.test.clock.advance(Duration::from_mins(1));
        set_problem(&app, support.id, None).await;
        app.app.platform().check_alerts().await.unwrap();
        app.app.platform().check_alerts().await.unwrap();
        let states: Vec<Value> = receiver.posts().iter().map(|post| post.json()["state"].clone()).collect();
        assert_eq!(states, ["begun", "ended"]);
        set_problem(&app, support.id, Some("again")).await;
        app.app.platform().check_alerts().await.unwrap();
        assert_eq!(receiver.posts().len(), 3, "a new problem is a new alert");
        let ada = person(&log_in(&app, &ada.email, PASSWORD).await);
        let shown = ada.get(&app, ALERTS).await.json();
        let recent = shown["recent"].as_array().unwrap();
        assert_eq!((recent.len(), &recent[0]["ended_at"], &recent[0]["webhook_status"]), (2, &Value::Null, &json!(200)));
        assert_eq!((&recent[1]["pending"], &recent[1]["error"]), (&json!(false), &Value::Null));
        let log = app.app.identity().audit().latest(&Command(app.tenant()), 20).await.unwrap();
        let actions: Vec<&str> = log.iter().map(|entry| entry.action.as_str()).filter(|action| action.starts_with("alert")).collect();
        assert_eq!(actions, ["alert.begin", "alert.end", "alert.begin", "alerts.update"]);
    }

    async fn tokens_endpoints_and_queues_are_watched(app = World::alone) {
        let receiver = Receiver::start().await;
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let (support, _) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        let made = ada.call(&app, "POST", "/console/api/webhooks", &json!({"url": "https://example.com/x?key=1", "eventTypes": ["message"]})).await;
        let webhook = text(&made.json()["id"]).parse().unwrap();
        ada.call(&app, "PUT", ALERTS, &to_url(&receiver.url("/"))).await;
        let now = app.now().to_millis();
        let check = TokenCheck { is_valid: true, expires_at: Some(now.plus_seconds(6 * 86_400)), checked_at: now };
        app.test.db.write((app.tenant(), support.id, webhook, check, now), |tx, (tenant, channel, webhook, check, now)| Box::pin(async move {
            store::messaging::channel_tokens::save(tx, *tenant, *channel, check).await?;
            let mut stored = store::delivery::webhooks::for_update(tx, *tenant, *webhook).await?.unwrap();
            stored.status = WebhookStatus::Defective;
            stored.reason = Some("it answered 500 for a day".to_owned());
            store::delivery::webhooks::update(tx, &stored).await?;
            let at = now.plus_seconds(-700);
            let entry = store::messaging::inbound::JournalEntry { received_at: at, id: Id::new(at), body: b"{}".to_vec() };
            store::messaging::inbound::append(tx, *tenant, *channel, &entry).await
        })).await.unwrap();
        app.app.platform().check_alerts().await.unwrap();
        let parts = |post: &testkit::receiver::Post| {
            let post = post.json();
            (text(&post["kind"]), text(&post["subject"]), text(&post["title"]))
        };
        let mut said: Vec<(String, String, String)> = receiver.posts().iter().map(parts).collect();
        said.sort();
        let expected = [
            ("endpoint_defective", made.json()["id"].as_str().unwrap().to_owned(), "The endpoint https://example.com/x is out of service"),
            ("queue_stuck", "inbound".to_owned(), "The queue inbound is stuck"),
            ("token_expires", support.id.to_string(), "The access token of the channel Support expires"),
        ];
        assert_eq!(said, expected.map(|(kind, subject, title)| (kind.to_owned(), subject, title.to_owned())));
        // An alert of a kind that is switched off ends without a notification.
        let mut fewer = to_url(&receiver.url("/"));
        fewer["kinds"] = json!({"queue_stuck": true, "token_expires": false});
        ada.call(&app, "PUT", ALERTS, &fewer).await;
        app.app.platform().check_alerts().await.unwrap();
        assert_eq!(receiver.posts().len(), 3);
        let open = ada.get(&app, ALERTS).await.json()["recent"].as_array().unwrap().iter().filter(|one| one["ended_at"].is_null()).count();
        assert_eq!(open, 1);
    }

    async fn a_url_that_fails_is_tried_again_and_then_given_up(app = World::alone) {
        let receiver = Receiver::answering(|_| testkit::receiver::Reply::Status(500)).await;
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let (support, _) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        ada.call(&app, "PUT", ALERTS, &to_url(&receiver.url("/"))).await;
        let tested = ada.call(&app, "POST", "/console/api/alerts/test", &json!({})).await.json();
        assert_eq!(tested, json!({"emails": 0, "webhook_status": 500, "error": "the URL returned 500"}));
        set_problem(&app, support.id, Some("gone")).await;
        for _ in 0..8 {
            app.app.platform().check_alerts().await.unwrap();
        }
        assert_eq!(receiver.posts().len(), 1 + 5);
        let recent = ada.get(&app, ALERTS).await.json()["recent"][0].clone();
        assert_eq!((&recent["pending"], &recent["error"]), (&json!(false), &json!("the URL returned 500")));
    }

    async fn what_cannot_be_a_setting_is_refused(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let empty = ada.get(&app, ALERTS).await.json();
        let none = json!({"token_expires": false, "channel_problem": false, "endpoint_defective": false, "queue_stuck": false});
        assert_eq!(empty, json!({"emails": [], "unconfirmed": [], "webhook_url": null, "kinds": none, "mail_available": false, "recent": []}));
        for (body, parameter) in [
            (json!({"emails": ["x"], "kinds": {}}), "emails[0]"),
            (json!({"emails": vec!["a@example.com"; 21], "kinds": {}}), "emails"),
            (json!({"emails": [], "webhook_url": "ftp://example.com", "kinds": {}}), "webhook_url"),
            (json!({"emails": [], "webhook_url": "http://10.0.0.1/", "kinds": {}}), "webhook_url"),
            (json!({"emails": [], "kinds": {"weather": true}}), "kinds.weather"),
        ] {
            let answer = ada.call(&app, "PUT", ALERTS, &body).await;
            assert_eq!((answer.status.as_u16(), &answer.json()["parameter"]), (400, &json!(parameter)), "{}", answer.text);
        }
        let ben = logged_in(&app, "ben", Role::Operator).await;
        assert_refused(&ben.get(&app, ALERTS).await, 403, "role_denied");
    }

    async fn alerts_are_mailed_to_accounts_and_confirmed_addresses(test = TestDb::alone) {
        let mut mails = MailReceiver::start().await;
        let app = World::with_mailer(test, mails.mailer());
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let (support, _) = app.add_channel(app.tenant(), "Support www.evil.example/x", "14155550100").await;
        // An account that has never logged in has agreed to nothing.
        let invited = email("invited", app.tenant());
        app.account(app.tenant(), &invited, Role::Operator).await;
        let settings = to_addresses(&["Ops@example.com", &invited, &ada.email]);
        let set = ada.call(&app, "PUT", ALERTS, &settings).await.ok();
        assert_eq!(set["mail_available"], json!(true));
        assert_eq!(set["emails"], json!(["ops@example.com", invited, ada.email]));
        assert_eq!(set["unconfirmed"], json!(["ops@example.com", invited]));
        let asked = [mails.next().await, mails.next().await];
        assert_eq!((asked[0].to.as_str(), asked[1].to.as_str()), ("ops@example.com", invited.as_str()));
        let tested = app.app.platform().alerts().test(&Command(app.tenant())).await.unwrap();
        let error = Some("2 of 3 addresses are not confirmed".to_owned());
        assert_eq!(tested, AlertOutcome { emails: 1, webhook_status: None, error });
        let mail = mails.next().await;
        assert_eq!(mail.to, ada.email);
        assert!(mail.header("Subject").unwrap().ends_with("Test: This is a test alert"), "{}", mail.data);

        let confirmed = confirm(&app, &code_in(&asked[0])).await.ok();
        assert_eq!(confirmed, json!({"email": "ops@example.com", "tenant_name": "Test"}));
        assert_refused(&confirm(&app, &code_in(&asked[0])).await, 410, "link_ended");
        assert_eq!(ada.get(&app, ALERTS).await.ok()["unconfirmed"], json!([invited]));
        set_problem(&app, support.id, Some("the token has expired")).await;
        app.app.platform().check_alerts().await.unwrap();
        for to in ["ops@example.com", ada.email.as_str()] {
            let mail = mails.next().await;
            assert_eq!(mail.to, to);
            let subject = mail.header("Subject").unwrap();
            assert!(subject.ends_with("The channel Support www evil example x cannot send"), "{}", mail.data);
            assert!(mail.text().contains("the token has expired"), "{}", mail.data);
        }
        assert_eq!(mails.waiting().len(), 0, "nobody is asked twice");
        let log = app.app.identity().audit().latest(&Command(app.tenant()), 20).await.unwrap();
        assert!(log.iter().any(|entry| entry.action == "alerts.confirm" && entry.details.contains("ops@example.com")));

        // An address that leaves the settings has to be confirmed again.
        ada.call(&app, "PUT", ALERTS, &to_addresses(&[&ada.email])).await.ok();
        assert_refused(&confirm(&app, &code_in(&asked[1])).await, 410, "link_ended");
        let back = ada.call(&app, "PUT", ALERTS, &to_addresses(&["ops@example.com"])).await.ok();
        assert_eq!(back["unconfirmed"], json!(["ops@example.com"]));
        assert_eq!(confirm(&app, &code_in(&mails.next().await)).await.status, 200);
    }

    async fn a_confirmation_is_mailed_three_times_a_day(test = TestDb::alone) {
        let mut mails = MailReceiver::start().await;
        let app = World::with_mailer(test, mails.mailer());
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        ada.call(&app, "PUT", ALERTS, &to_addresses(&["ops@example.com"])).await.ok();
        let again = async || ada.call(&app, "POST", CONFIRMATIONS, &json!({"email": " OPS@example.com"})).await.ok();
        let first = mails.next().await;
        for _ in 0..2 {
            assert_eq!(again().await, json!({"mailed": true}));
        }
        let refused = again().await;
        assert_eq!(refused["mailed"], json!(false));
        assert!(text(&refused["mail_error"]).ends_with("as it may (3)"), "{refused}");
        let mut later = mails.waiting();
        assert_eq!(later.len(), 2);
        let (last, earlier) = (later.pop().unwrap(), later.pop().unwrap());
        for replaced in [first, earlier] {
            assert_refused(&confirm(&app, &code_in(&replaced)).await, 410, "link_ended");
        }
        for other in ["ada@example.com", ada.email.as_str(), ""] {
            assert_invalid(&ada.call(&app, "POST", CONFIRMATIONS, &json!({"email": other})).await, "email");
        }
        let ben = logged_in(&app, "ben", Role::Operator).await;
        let by_ben = ben.call(&app, "POST", CONFIRMATIONS, &json!({"email": "ops@example.com"})).await;
        assert_refused(&by_ben, 403, "role_denied");

        // Neither a new start of the address nor the worker gets it further mails that day.
        ada.call(&app, "PUT", ALERTS, &to_addresses(&[])).await.ok();
        ada.call(&app, "PUT", ALERTS, &to_addresses(&["ops@example.com"])).await.ok();
        app.app.platform().check_alerts().await.unwrap();
        assert_eq!(mails.waiting().len(), 0);
        assert_refused(&confirm(&app, &code_in(&last)).await, 410, "link_ended");
        app.advance(86_400);
        app.app.platform().check_alerts().await.unwrap();
        let next_day = mails.next().await;
        app.advance(7 * 86_400);
        assert_refused(&confirm(&app, &code_in(&next_day)).await, 410, "link_ended");
        for code in ["", "x", &code_in(&next_day)[1..]] {
            assert_refused(&confirm(&app, code).await, 410, "link_ended");
        }
    }

    async fn tests_of_alerts_are_limited(test = TestDb::alone) {
        let mut mails = MailReceiver::start().await;
        let app = World::with_mailer(test, mails.mailer());
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        ada.call(&app, "PUT", ALERTS, &to_addresses(&[&ada.email])).await.ok();
        let test = async || ada.call(&app, "POST", "/console/api/alerts/test", &json!({})).await.ok();
        for _ in 0..10 {
            assert_eq!(test().await, json!({"emails": 1, "webhook_status": null, "error": null}));
        }
        let refused = test().await;
        assert_eq!(refused["emails"], json!(0));
        assert!(text(&refused["error"]).ends_with("as it may (10)"), "{refused}");
        assert_eq!(mails.waiting().len(), 10);
    }
}
