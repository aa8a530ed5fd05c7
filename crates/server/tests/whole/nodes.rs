//! Several nodes on one PostgreSQL, and commands next to a running server: a change takes effect on all nodes.

use std::time::{Duration, Instant, SystemTime};

use reqwest::StatusCode;
use serde_json::Value;
use tokio::task::JoinSet;

use crate::home::Home;
use crate::http;
use crate::server::Server;

/// Time in which a change must hold on every node. One second is guaranteed; a busy machine gets more.
const TIMEOUT: Duration = Duration::from_secs(5);
const RATE_WINDOW_SECONDS: u64 = 10;
const CONTACTS_IN_A_WINDOW: usize = 10;

/// Status and `reason` of the answer to a request with this token.
async fn ask(server: &Server, token: &str) -> (StatusCode, String) {
    let answer = http().get(server.url("/api/ext/v3/calls")).bearer_auth(token).send().await.unwrap();
    let status = answer.status();
    let body: Value = answer.json().await.unwrap();
    (status, body["reason"].as_str().unwrap_or_default().to_owned())
}

async fn assert_all_answer(servers: &[Server], token: &str) {
    for server in servers {
        assert_eq!(ask(server, token).await.0, StatusCode::OK);
    }
}

async fn assert_all_refuse_soon(servers: &[Server], token: &str, reason: &str) {
    let began = Instant::now();
    for server in servers {
        loop {
            let (status, said) = ask(server, token).await;
            if status == StatusCode::UNAUTHORIZED {
                assert_eq!(said, reason);
                break;
            }
            assert!(began.elapsed() < TIMEOUT, "{} still answers {status}", server.address);
        }
    }
}

/// Creates another token of the first tenant; returns value and id.
fn another_token(home: &Home) -> (String, String) {
    let made = home.run("token create --tenant 100001 --account admin@localhost --name other --scope api");
    let text = |member: &str| made[member].as_str().unwrap().to_owned();
    (text("token"), text("id"))
}

#[tokio::test]
async fn a_new_password_and_a_revocation_end_tokens_on_every_node() {
    let home = Home::postgres().await;
    let servers = [Server::start(&home), Server::start(&home)];
    assert_eq!(servers[1].printed(), "");
    let first = servers[0].token();
    let (revoked, id) = another_token(&home);
    assert_all_answer(&servers, &revoked).await;
    home.run(&format!("token revoke {id} --tenant 100001"));
    assert_all_refuse_soon(&servers, &revoked, "token_revoked").await;

    assert_all_answer(&servers, &first).await;
    let change = "account reset-password admin@localhost --tenant 100001 --password-stdin";
    // The first password is no change.
    home.run_with(change, "a first long password");
    assert_all_answer(&servers, &first).await;
    home.run_with(change, "another long password");
    assert_all_refuse_soon(&servers, &first, "password_changed").await;
    assert_all_answer(&servers, &another_token(&home).0).await;
    drop(servers);
    home.remove().await;
}

#[tokio::test]
async fn beside_a_server_on_sqlite_a_command_holds_for_the_very_next_request() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    let (revoked, id) = another_token(&home);
    assert_eq!(ask(&server, &revoked).await.0, StatusCode::OK);
    home.run(&format!("token revoke {id} --tenant 100001"));
    assert_eq!(ask(&server, &revoked).await, (StatusCode::UNAUTHORIZED, "token_revoked".to_owned()));

    let first = server.token();
    assert_eq!(ask(&server, &first).await.0, StatusCode::OK);
    let change = "account reset-password admin@localhost --tenant 100001 --password-stdin";
    // The first password is no change.
    home.run_with(change, "a first long password");
    assert_eq!(ask(&server, &first).await.0, StatusCode::OK);
    home.run_with(change, "another long password");
    assert_eq!(ask(&server, &first).await, (StatusCode::UNAUTHORIZED, "password_changed".to_owned()));
}

/// A token of a new tenant with the limits of a plan.
fn limited(home: &Home, tenant: u32) -> String {
    home.run(&format!("tenant create --id {tenant} --name Acme --plan growth"));
    home.run(&format!("account create --tenant {tenant} --email admin@example.com --role ADMINISTRATOR"));
    let token = format!("token create --tenant {tenant} --account admin@example.com --name ci --scope api");
    home.run(&token)["token"].as_str().unwrap().to_owned()
}

fn window() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() / RATE_WINDOW_SECONDS
}

/// Sends 20 requests to each server at once; returns how many were admitted, `None` if they span two windows.
async fn let_through(servers: &[Server], tenant: u32, token: &str) -> Option<usize> {
    let began = window();
    let client = http();
    let requests = servers.iter().cycle().take(20 * servers.len());
    let urls = requests.map(|server| server.url(&format!("/{tenant}/api/v1/getContacts")));
    let requests: JoinSet<_> = urls.map(|url| client.get(url).bearer_auth(token).send()).collect();
    let statuses: Vec<_> = requests.join_all().await.into_iter().map(|answer| answer.unwrap().status()).collect();
    let ok = statuses.iter().filter(|status| **status == StatusCode::OK).count();
    let limited = statuses.iter().filter(|status| **status == StatusCode::TOO_MANY_REQUESTS).count();
    assert_eq!(ok + limited, statuses.len(), "{statuses:?}");
    (window() == began).then_some(ok)
}

#[tokio::test]
async fn three_nodes_share_one_rate_limit() {
    let home = Home::postgres().await;
    let servers = [Server::start(&home), Server::start(&home), Server::start(&home)];
    let mut counted = None;
    // Each try uses a new tenant with an unused window.
    for tenant in 100_138..100_143 {
        let token = limited(&home, tenant);
        counted = let_through(&servers, tenant, &token).await;
        if counted.is_some() {
            break;
        }
    }
    assert_eq!(counted, Some(CONTACTS_IN_A_WINDOW));
    drop(servers);
    home.remove().await;
}

/// How the address of a server ends: its host is the machine's name.
fn port(server: &Server) -> String {
    format!(":{}", server.address.port())
}

#[tokio::test]
async fn the_list_of_nodes_names_those_that_serve_and_those_that_were_killed() {
    let home = Home::postgres().await;
    home.run("migrate --create");
    assert_eq!(home.run("node list"), serde_json::json!([]));
    let (killed, stopped) = (Server::start(&home), Server::start(&home));
    let listed = async |count: usize| {
        let began = Instant::now();
        loop {
            let nodes = home.run("node list");
            if nodes.as_array().unwrap().len() == count {
                return nodes;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "{nodes}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let nodes = listed(2).await;
    for node in nodes.as_array().unwrap() {
        assert_eq!((&node["alive"], node["version"].as_str()), (&Value::Bool(true), Some(env!("CARGO_PKG_VERSION"))));
        let address = node["address"].as_str().unwrap();
        assert!([&killed, &stopped].iter().any(|server| address.ends_with(&port(server))), "{node}");
    }
    let address = port(&killed);
    killed.kill_9();
    assert!(stopped.terminate().0.success());
    let left = listed(1).await;
    assert!(left[0]["address"].as_str().unwrap().ends_with(&address), "{left}");
    home.remove().await;
}
