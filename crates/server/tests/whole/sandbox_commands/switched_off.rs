//! A server with a disabled sandbox: nothing of it answers, even if the database has sandbox data.

use std::net::{TcpListener, TcpStream};

use reqwest::StatusCode;
use serde_json::Value;

use super::shop::{ADA, SOCKET, Shop, fails};
use crate::home::Home;
use crate::http;
use crate::server::{Server, refused};

const OFF: (&str, &str) = ("SWITCHBOARD_SANDBOX_ENABLED", "false");

#[tokio::test]
async fn no_part_of_the_sandbox_answers() {
    let home = Home::sqlite();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let listen = free.to_string();
    let server = Server::start_with(&home, &[OFF, ("SWITCHBOARD_SANDBOX_LISTEN", &listen)]);
    assert!(TcpStream::connect(free).is_err() && !home.file(SOCKET).exists());
    let jwt =
        home.run("token legacy create --tenant 100001 --account admin@localhost")["token"].as_str().unwrap().to_owned();
    for path in ["people", "graph", "faults", &format!("people/{ADA}/inbox")] {
        let url = server.url(&format!("/api/ext/v3/sandbox/{path}"));
        let answer = http().get(url).bearer_auth(&jwt).send().await.unwrap();
        let status = answer.status();
        let body: Value = answer.json().await.unwrap();
        assert_eq!((status, body["reason"].as_str()), (StatusCode::NOT_FOUND, Some("sandbox_off")), "{path}: {body}");
    }
    let mut add = home.binary();
    add.env(OFF.0, OFF.1).args(
        "channel create --tenant 100001 --name Lab --phone-number +14155552671 --phone-number-id 1065 --account-id 1022 \
         --network sandbox --json"
            .split_whitespace(),
    );
    let (status, said) = refused(add);
    assert_eq!(status.code(), Some(1), "{said}");
    let error: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!((&error["error"]["kind"], &error["error"]["parameter"]), (&"invalid".into(), &"network".into()));
    assert!(error["error"]["message"].as_str().unwrap().ends_with("expected one of whatsapp"), "{error}");
}

/// The sandbox is disabled after it was used: its data stays and is not processed.
#[tokio::test]
async fn earlier_data_is_not_reachable() {
    let shop = Shop::open().greeted();
    let Shop { server, home, .. } = shop;
    assert!(server.terminate().0.success());
    let server = Server::start_with(&home, &[OFF]);
    assert!(!home.file(SOCKET).exists());
    assert_eq!(fails(&home, 1, &format!("sandbox inbox --person {ADA}")).kind, "unavailable");
    assert_eq!(fails(&home, 1, "channel check Shop --tenant 100001").kind, "unavailable");
    let token = home.run("token create --tenant 100001 --account admin@localhost --name t --scope api");
    let channels = http().get(server.url("/api/ext/v3/channels")).bearer_auth(token["token"].as_str().unwrap());
    assert_eq!(channels.send().await.unwrap().status(), StatusCode::OK);
    let (status, log) = server.terminate();
    assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
}
