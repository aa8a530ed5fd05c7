//! Endpoints at private addresses: refused when they are created, or, behind a host name, when the server connects.

use std::sync::Arc;

use reqwest::StatusCode;
use tokio::net::TcpListener;

use super::api::Api;
use super::calls::record;
use super::check;
use super::receiver::Receiver;
use crate::home::Home;
use crate::sending::nodes::Nodes;

#[tokio::test]
async fn a_name_of_a_private_address_is_refused_at_the_connection_and_recorded() {
    let home = Arc::new(Home::sqlite());
    let (nodes, token) = Nodes::first_with(home.clone(), &[]).await;
    let api = Api::new(&nodes, &token);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    for refused in [
        format!("https://127.0.0.1:{port}/"),
        format!("https://[::ffff:127.0.0.1]:{port}/"),
        format!("https://2130706433:{port}/"),
        format!("http://localhost:{port}/"),
        "https://169.254.169.254/latest/meta-data".to_owned(),
        format!("https://user:secret@localhost:{port}/"),
    ] {
        let (status, body) = api.try_create(&refused).await;
        assert_eq!((status, &body["parameter"]), (StatusCode::BAD_REQUEST, &"url".into()), "{refused}: {body}");
        assert!(!body.to_string().contains("secret"), "{body}");
    }
    let webhook = api.create(&format!("https://localhost:{port}/hook")).await;
    record(&nodes, &token, 0..3).await;
    let failed = api.failed(&webhook.id, 3).await;
    for delivery in &failed {
        assert_eq!(delivery.state, "retrying");
        assert!(delivery.error.contains("no public address"), "{delivery:?}");
    }
    // No connection was opened.
    let mut accepted = std::pin::pin!(listener.accept());
    assert!(futures_util::poll!(&mut accepted).is_pending());
}

#[tokio::test]
async fn an_allowed_range_is_open_and_no_other() {
    let home = Arc::new(Home::sqlite());
    let allowed = &[("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8,::1/128")];
    let (nodes, token) = Nodes::first_with(home.clone(), allowed).await;
    let (api, receiver) = (Api::new(&nodes, &token), Receiver::accepting().await);
    let (status, _) = api.try_create("http://10.0.0.1/hook").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let webhook = api.create(&format!("http://localhost:{}/hook", receiver.port())).await;
    record(&nodes, &token, 0..3).await;
    receiver.has_accepted(3).await;
    check::received(&receiver.all(), 3);
    check::settled(&api, &webhook.id, 3).await;
}
