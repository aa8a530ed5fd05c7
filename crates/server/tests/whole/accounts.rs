//! Log-in with the settings of a server: mail by `smtp`, a provider by `oidc.providers`.

use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use testkit::mail::MailReceiver;
use testkit::oidc::{Provider, log_in_client};

use crate::home::Home;
use crate::http;
use crate::server::Server;

const PUBLIC_URL: &str = "https://switchboard.example";
const CALLBACK: &str = "https://switchboard.example/console/oidc/acme/callback";

async fn post(server: &Server, path: &str, session: Option<&(String, String)>, body: &Value) -> Response {
    let mut request = http().post(server.url(path)).header("origin", PUBLIC_URL).json(body);
    if let Some((cookie, csrf)) = session {
        request = request.header("cookie", cookie).header("x-csrf-token", csrf);
    }
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{path}: {}", answer.text().await.unwrap());
    answer
}

fn cookie(answer: &Response, name: &str) -> String {
    let mut set = answer.headers().get_all("set-cookie").iter().map(|it| it.to_str().unwrap());
    let set = set.find(|it| it.starts_with(name)).unwrap_or_else(|| panic!("no {name}: {:?}", answer.headers()));
    set.split(';').next().unwrap().to_owned()
}

fn code_in(text: &str) -> &str {
    let (_, rest) = text.split_once("/console/set-up#").unwrap_or_else(|| panic!("no link in {text}"));
    rest.split_whitespace().next().unwrap()
}

/// A GET that does not follow redirects.
async fn get(server: &Server, path: &str, cookie: &str) -> Response {
    let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    http.get(server.url(path)).header("cookie", cookie).send().await.unwrap()
}

#[tokio::test]
async fn a_colleague_is_invited_by_mail_and_logs_in_at_the_provider() {
    let (home, mut mails) = (Home::sqlite(), MailReceiver::start().await);
    let provider = Provider::start(&json!([log_in_client("console", "ES256", CALLBACK, false)])).await;
    let providers = json!([{
        "id": "acme", "name": "Acme", "issuer": provider.issuer, "client_id": "console",
        "client_secret": "only-for-this-test", "tenant": "100001",
    }]);
    let server = Server::start_with(
        &home,
        &[
            ("SWITCHBOARD_PUBLIC_URL", PUBLIC_URL),
            ("SWITCHBOARD_SMTP_HOST", "127.0.0.1"),
            ("SWITCHBOARD_SMTP_PORT", &mails.port.to_string()),
            ("SWITCHBOARD_SMTP_SECURITY", "none"),
            ("SWITCHBOARD_SMTP_FROM", "switchboard@example.com"),
            ("SWITCHBOARD_OIDC_PROVIDERS", &providers.to_string()),
            ("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8"),
            ("SWITCHBOARD_LOG_LEVEL", "debug"),
        ],
    );
    let body = json!({"code": code_in(&server.given_after("set up ")), "password": "a first long password"});
    let admin = post(&server, "/console/api/set-up", None, &body).await;
    let admin_cookie = cookie(&admin, "__Host-switchboard_session=");
    let csrf = admin.json::<Value>().await.unwrap()["csrf_token"].as_str().unwrap().to_owned();
    let admin = (admin_cookie, csrf);
    let body = json!({"email": "grace@example.com", "role": "OPERATOR"});
    let invited: Value = post(&server, "/console/api/invitations", Some(&admin), &body).await.json().await.unwrap();
    assert_eq!(invited["link"]["mailed"], json!(true), "{invited}");
    let mail = mails.next().await;
    let code = code_in(&mail.text()).to_owned();

    // Grace logs in at the provider, without a password here.
    provider.seat(&json!({"sub": "g", "email": "grace@example.com", "email_verified": true})).await;
    let begun = get(&server, "/console/oidc/acme?next=/console/calls", "").await;
    let state = cookie(&begun, "__Host-switchboard_oidc=");
    let back = provider.browse(begun.headers()["location"].to_str().unwrap()).await;
    let done = get(&server, back.strip_prefix(PUBLIC_URL).unwrap(), &state).await;
    assert_eq!(done.status(), StatusCode::SEE_OTHER, "{}", done.text().await.unwrap());
    assert_eq!(done.headers()["location"], "/console/calls");
    let session = get(&server, "/console/api/session", &cookie(&done, "__Host-switchboard_session=")).await;
    assert_eq!(session.json::<Value>().await.unwrap()["account"]["email"], "grace@example.com");

    let body = json!({"code": code, "password": "her first long password"});
    post(&server, "/console/api/set-up", None, &body).await;
    post(&server, "/console/api/password-reset", None, &json!({"email": "grace@example.com"})).await;
    let reset = mails.next().await;
    let (_, log) = server.terminate();
    let query = back.split_once('?').unwrap().1;
    for secret in [code.as_str(), code_in(&reset.text()), "only-for-this-test", "long password", query, &state] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}
