//! Invitations, and links for lost passwords, with and without mail.

use app::identity::accounts::Invitation;
use app::identity::mails::MailOutcome;
use domain::identity::mails::{MailKind, day_of};
use store::identity::mail_counts;
use testkit::mail::{MailReceiver, ReceivedMail};

use super::*;

const PAGE: &str = "https://switchboard.example/console/set-up#";

async fn set_up(app: &World, code: &str, password: &str) -> Answer {
    send(app, "POST", SET_UP, &[("origin", origin(app))], &json!({"code": code, "password": password})).await
}

async fn reset(app: &World, email: &str) -> Answer {
    send(app, "POST", PASSWORD_RESET, &[("origin", origin(app))], &json!({"email": email})).await
}

/// The code in the URL of a link that an operation answered.
fn code_in(link: &Value) -> String {
    text(&link["url"]).strip_prefix(PAGE).unwrap().to_owned()
}

fn code_in_mail(mail: &ReceivedMail) -> String {
    let text = mail.text();
    let line = text.lines().find_map(|line| line.trim().strip_prefix(PAGE));
    line.unwrap_or_else(|| panic!("no link in {text}")).to_owned()
}

/// Counts as many mails for lost passwords as the tenant may send in a day.
async fn use_up_resets(app: &World, tenant: TenantId) {
    let bucket = format!("{}{}", mail_counts::PREFIX, MailKind::Reset);
    let input = (tenant, bucket, day_of(app.now()), MailKind::Reset.max_per_tenant());
    let counted = app.test.db.write(input, |tx, (tenant, bucket, day, max)| {
        Box::pin(async move {
            while mail_counts::take(tx, *tenant, bucket, *day, *max).await? {}
            Ok::<_, store::Error>(())
        })
    });
    counted.await.unwrap();
}

testkit::both_databases! {
    async fn an_invited_colleague_sets_a_password_and_is_in(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let address = email("grace", app.tenant());
        let body = json!({"email": address.to_uppercase(), "name": "Grace", "role": "DEVELOPER"});
        let invited = admin.call(&app, "POST", INVITATIONS, &body).await;
        assert_eq!(invited.status, 200, "{}", invited.text);
        let answer = invited.json();
        let account = &answer["account"];
        assert_eq!((&account["email"], &account["name"], &account["role"]), (&json!(address), &json!("Grace"), &json!("DEVELOPER")));
        let expires_at = app.now().to_millis().plus_seconds(24 * 3600).to_rfc3339();
        assert_eq!(answer["link"], json!({"url": answer["link"]["url"], "expires_at": expires_at, "mailed": false}));
        let code = code_in(&answer["link"]);
        let shown = send(&app, "POST", INSPECT, &[("origin", ORIGIN)], &json!({"code": code})).await.json();
        assert_eq!((&shown["purpose"], &shown["name"]), (&json!("invitation"), &json!("Grace")));
        // A second invitation is refused; a new link is made for the account.
        assert_refused(&admin.call(&app, "POST", INVITATIONS, &body).await, 409, "conflict");
        let path = format!("{ACCOUNTS}/{}/link", text(&account["id"]));
        let again = admin.call(&app, "POST", &path, &json!({})).await.json();
        let grace = person(&set_up(&app, &code_in(&again), PASSWORD).await);
        assert!(grace.is_in(&app).await);
        assert_refused(&set_up(&app, &code, PASSWORD).await, 410, "link_ended");
        assert_eq!(admin.call(&app, "POST", &path, &json!({})).await.json()["mailed"], json!(false));
        assert!(grace.is_in(&app).await, "a link that was not used changes nothing");
        let log = app.app.identity().audit().latest(&Command(app.tenant()), 100).await.unwrap();
        let by_admin: Vec<_> = log.iter().filter(|it| it.actor == format!("account:{}", admin.id) && it.subject == grace.id).collect();
        let mut actions: Vec<_> = by_admin.iter().map(|it| (it.action.as_str(), it.details.as_str())).collect();
        actions.sort_unstable();
        let created = format!(r#"{{"email":"{address}","role":"DEVELOPER"}}"#);
        assert_eq!(actions, [
            ("account.create", created.as_str()), ("link.create", r#"{"purpose":"invitation"}"#),
            ("link.create", r#"{"purpose":"reset"}"#), ("link.create", r#"{"purpose":"setup"}"#),
        ]);
    }

    async fn an_invitation_of_a_removed_account_restores_it(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let address = email("grace", app.tenant());
        let id = make(&app, app.tenant(), &address, Role::Operator, PASSWORD).await;
        app.app.identity().accounts().remove(&Command(app.tenant()), &address).await.unwrap();
        let invited = admin.call(&app, "POST", INVITATIONS, &json!({"email": address, "role": "TRIAL"})).await.json();
        assert_eq!(invited["account"]["id"], json!(id));
        assert_refused(&log_in(&app, &address, PASSWORD).await, 401, "log_in_failed");
        let back = person(&set_up(&app, &code_in(&invited["link"]), "another long password").await);
        assert_eq!(back.id, id.to_string());
    }

    async fn what_cannot_be_invited_or_linked_is_named(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        for (body, parameter) in [
            (json!({"email": "nobody", "role": "OPERATOR"}), "email"),
            (json!({"email": email("x", app.tenant())}), "role"),
            (json!({"email": email("x", app.tenant()), "role": "API_TOKEN"}), "role"),
            (json!({"email": email("x", app.tenant()), "role": "TRIAL", "name": " "}), "name"),
        ] {
            assert_invalid(&admin.call(&app, "POST", INVITATIONS, &body).await, parameter);
        }
        for id in ["nonsense", "69eb4e9a1f0c2d3e4a5b6c7d"] {
            let link = admin.call(&app, "POST", &format!("{ACCOUNTS}/{id}/link"), &json!({})).await;
            assert_refused(&link, 404, "not_found");
        }
        let own = admin.call(&app, "POST", &format!("{ACCOUNTS}/{}/link", admin.id), &json!({})).await;
        assert_refused(&own, 409, "conflict");
        let other = app.test.new_tenant("growth").await;
        let theirs = app.account(other, &email("eve", other), Role::Operator).await;
        let link = admin.call(&app, "POST", &format!("{ACCOUNTS}/{theirs}/link"), &json!({})).await;
        assert_refused(&link, 404, "not_found");
        let disabled = make(&app, app.tenant(), &email("off", app.tenant()), Role::Operator, PASSWORD).await;
        app.app.identity().accounts().set_disabled(&Command(app.tenant()), &disabled.to_string(), true).await.unwrap();
        let link = admin.call(&app, "POST", &format!("{ACCOUNTS}/{disabled}/link"), &json!({})).await;
        assert_refused(&link, 409, "conflict");
    }

    async fn links_are_mailed_where_a_mail_server_is_configured(test) {
        let mut mails = MailReceiver::start().await;
        let app = World::with_mailer(test, mails.mailer());
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let address = email("grace", app.tenant());
        let name = "Gräce\r\nBcc: eve@example.com, win at https://evil.example/prize";
        let body = json!({"email": address, "name": name, "role": "OPERATOR"});
        let invited = admin.call(&app, "POST", INVITATIONS, &body).await.json();
        assert_eq!(invited["link"]["mailed"], json!(true), "{invited}");
        let mail = mails.next().await;
        assert_eq!((mail.from.as_str(), mail.to.as_str()), ("switchboard@example.com", address.as_str()));
        assert_eq!(mail.header("From"), Some("Switchboard <switchboard@example.com>"));
        assert_eq!((mail.header("Subject"), mail.header("Bcc")), (Some("Your account at Test"), None));
        assert!(mail.header("Message-ID").is_some_and(|id| id.ends_with("@example.com>")), "{}", mail.data);
        assert_eq!(code_in_mail(&mail), code_in(&invited["link"]));
        assert!(mail.text().contains("The link works once, until "), "{}", mail.text());
        assert!(!mail.data.contains("evil.example") && mail.text().matches("://").count() == 1, "{}", mail.text());
        let grace = person(&set_up(&app, &code_in_mail(&mail), PASSWORD).await);
        let link = admin.call(&app, "POST", &format!("{ACCOUNTS}/{}/link", grace.id), &json!({})).await.json();
        let mail = mails.next().await;
        assert_eq!((link["mailed"].clone(), code_in_mail(&mail)), (json!(true), code_in(&link)));
        assert_eq!(mail.header("Subject"), Some("A new password for Test"));
    }

    async fn links_by_mail_are_limited_and_work_beyond_the_limit(test) {
        let mut mails = MailReceiver::start().await;
        let app = World::with_mailer(test, mails.mailer());
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let address = email("grace", app.tenant());
        let invited = admin.call(&app, "POST", INVITATIONS, &json!({"email": address, "role": "OPERATOR"})).await.ok();
        let path = format!("{ACCOUNTS}/{}/link", text(&invited["account"]["id"]));
        let link = async || admin.call(&app, "POST", &path, &json!({})).await.ok();
        for _ in 1..10 {
            assert_eq!(link().await["mailed"], json!(true));
        }
        let beyond = link().await;
        assert_eq!(beyond["mailed"], json!(false));
        assert!(text(&beyond["mail_error"]).ends_with("as it may (10)"), "{beyond}");
        assert_eq!(mails.waiting().len(), 10);
        // A tag leads to the same mailbox; another address has mails of its own.
        for (address, mailed) in [(address.replacen('@', "+tag@", 1), false), (email("ada", app.tenant()), true)] {
            let invited = admin.call(&app, "POST", INVITATIONS, &json!({"email": address, "role": "TRIAL"})).await.ok();
            assert_eq!(invited["link"]["mailed"], json!(mailed), "{address}");
        }
        person(&set_up(&app, &code_in(&beyond), PASSWORD).await);
        // Lost passwords are counted by themselves.
        mails.waiting();
        reset(&app, &address).await.ok();
        assert_eq!(mails.next().await.to, address);
        app.advance(86_400);
        let tomorrow = app.app.identity().one_time_links().issue(&Command(app.tenant()), &address).await.unwrap();
        let mailed = app.app.identity().one_time_links().mail(&Command(app.tenant()), &tomorrow, ORIGIN).await;
        assert_eq!(mailed.unwrap(), MailOutcome::Sent);
    }

    async fn all_tenants_together_mail_an_address_thirty_times_a_day(test) {
        let mails = MailReceiver::start().await;
        let app = World::with_mailer(test, mails.mailer());
        let (links, address) = (app.app.identity().one_time_links(), email("grace", app.tenant()));
        let mut sent = Vec::new();
        for _ in 0..4 {
            let other = app.test.new_tenant("growth").await;
            make(&app, other, &address, Role::Operator, PASSWORD).await;
            let mut count = 0;
            for _ in 0..11 {
                let issued = links.issue(&Command(other), &address).await.unwrap();
                let outcome = links.mail(&Command(other), &issued, ORIGIN).await.unwrap();
                count += usize::from(outcome == MailOutcome::Sent);
            }
            sent.push(count);
        }
        assert_eq!(sent, [10, 10, 10, 0]);
    }

    async fn a_lost_password_is_mailed_ten_times_a_day(test) {
        let mut mails = MailReceiver::start().await;
        let app = World::with_mailer(test, mails.mailer());
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let grace = logged_in(&app, "grace", Role::Operator).await;
        let mut last = None;
        for _ in 0..10 {
            reset(&app, &ada.email).await.ok();
            last = Some(mails.next().await);
            app.advance(61);
        }
        reset(&app, &ada.email).await.ok();
        reset(&app, &grace.email).await.ok();
        assert_eq!(mails.next().await.to, grace.email);
        assert_eq!(mails.waiting().len(), 0);
        // The request beyond the limit did not end the link that was mailed last.
        person(&set_up(&app, &code_in_mail(&last.unwrap()), "another long password").await);
    }

    async fn a_lost_password_is_mailed_by_a_tenant_that_may(test) {
        let mut mails = MailReceiver::start().await;
        let app = World::with_mailer(test, mails.mailer());
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let other = app.test.new_tenant("unlimited").await;
        let add = Invitation { email: ada.email.clone(), name: None, role: Role::Operator };
        app.app.identity().accounts().add(&Command(other), add).await.unwrap();
        use_up_resets(&app, other.min(app.tenant())).await;
        reset(&app, &ada.email).await.ok();
        let mail = mails.next().await;
        assert_eq!((mail.to.as_str(), mail.header("Subject")), (ada.email.as_str(), Some("A new password for Switchboard")));
    }

    async fn a_link_works_also_if_its_mail_cannot_be_sent(test) {
        let mails = MailReceiver::refusing().await;
        let app = World::with_mailer(test, mails.mailer());
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let body = json!({"email": email("grace", app.tenant()), "role": "OPERATOR"});
        let invited = admin.call(&app, "POST", INVITATIONS, &body).await.json();
        assert_eq!(invited["link"]["mailed"], json!(false));
        let why = text(&invited["link"]["mail_error"]);
        assert!(why.contains("no such person"), "{why}");
        assert_eq!(set_up(&app, &code_in(&invited["link"]), PASSWORD).await.status, 200);
    }

    async fn a_lost_password_is_reset_by_mail_and_the_answer_tells_nothing(test) {
        let mut mails = MailReceiver::start().await;
        let app = World::with_mailer(test, mails.mailer());
        let options = send(&app, "GET", LOG_IN_OPTIONS, &[], &json!({})).await;
        assert_eq!((options.json(), options.headers["cache-control"].to_str().unwrap()), (json!({"password_reset": true, "oidc": []}), "no-store"));
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let [invited, disabled] = ["invited", "disabled"].map(|name| email(name, app.tenant()));
        app.account(app.tenant(), &invited, Role::Operator).await;
        make(&app, app.tenant(), &disabled, Role::Operator, PASSWORD).await;
        app.app.identity().accounts().set_disabled(&Command(app.tenant()), &disabled, true).await.unwrap();
        let other = app.test.new_tenant("growth").await;
        make(&app, other, &ada.email, Role::Operator, PASSWORD).await;
        for address in [&email("nobody", app.tenant()), &invited, &disabled, "not an address", ""] {
            let answer = reset(&app, address).await;
            assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"result": true})), "{address}");
        }
        let answer = reset(&app, &format!(" {} ", ada.email.to_uppercase())).await;
        assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"result": true})));
        // One mail for the account, whatever its tenants, and none for the others.
        let mail = mails.next().await;
        assert_eq!(mail.to, ada.email);
        let back = person(&set_up(&app, &code_in_mail(&mail), "another long password").await);
        assert!(!ada.is_in(&app).await && back.is_in(&app).await);
        // The password that its owner has chosen opens both tenants: that of the other one is gone.
        assert_eq!(back.get(&app, SESSION).await.json()["other_tenants"], 1);
        assert_refused(&log_in(&app, &ada.email, PASSWORD).await, 401, "log_in_failed");
        assert_eq!(mails.waiting().len(), 0);
        for (headers, body, status, reason) in [
            (vec![], json!({"email": ada.email}), 403, "csrf"),
            (vec![("origin", "https://evil.example")], json!({"email": ada.email}), 403, "csrf"),
        ] {
            assert_refused(&send(&app, "POST", PASSWORD_RESET, &headers, &body).await, status, reason);
        }
        assert_invalid(&send(&app, "POST", PASSWORD_RESET, &[("origin", ORIGIN)], &json!({})).await, "email");
    }

    async fn an_account_gets_one_mail_a_minute(test) {
        let mut mails = MailReceiver::start().await;
        let app = World::with_mailer(test, mails.mailer());
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let grace = logged_in(&app, "grace", Role::Operator).await;
        assert_eq!(reset(&app, &ada.email).await.status, 200);
        let first = mails.next().await;
        // A second mail to Ada would replace the link of the first.
        assert_eq!(reset(&app, &ada.email).await.status, 200);
        assert_eq!(reset(&app, &grace.email).await.status, 200);
        assert_eq!(mails.next().await.to, grace.email);
        assert_eq!(set_up(&app, &code_in_mail(&first), "another long password").await.status, 200, "not replaced");
        app.test.clock.advance(Duration::from_mins(1));
        assert_eq!(reset(&app, &ada.email).await.status, 200);
        assert_eq!(mails.next().await.to, ada.email);
    }

    async fn without_a_mail_server_no_password_is_reset_by_mail(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let options = send(&app, "GET", LOG_IN_OPTIONS, &[], &json!({})).await;
        assert_eq!(options.json(), json!({"password_reset": false, "oidc": []}));
        for address in [&ada.email, "nobody@example.com"] {
            assert_refused(&reset(&app, address).await, 409, "conflict");
        }
    }
}
