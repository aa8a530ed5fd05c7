//! Sessions of the console.

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::world::Siege;
use crate::http;

pub const LOG_IN: &str = "/console/api/session";
pub const SET_UP: &str = "/console/api/set-up";
pub const ATTACKER_PASSWORD: &str = "the attacker's own password";

pub struct Session<'w> {
    world: &'w Siege,
    pub email: String,
    cookie: String,
    csrf: String,
}

impl<'w> Session<'w> {
    /// Of the first administrator, whose tenant attacks. Sets the first password.
    pub async fn set_up(world: &'w Siege) -> Self {
        let link = world.server.given_after("set up ");
        let body = json!({"code": code_in(&link), "password": ATTACKER_PASSWORD});
        let set_up = http().post(world.server.url(SET_UP)).header("origin", world.server.url(""));
        Self::begun(world, set_up.json(&body).send().await.unwrap()).await
    }

    /// From a network that is known for the account from now on.
    pub async fn log_in(world: &'w Siege, network: usize, email: &str, password: &str) -> Self {
        let body = json!({"email": email, "password": password});
        Self::begun(world, world.post_from(network, LOG_IN).json(&body).send().await.unwrap()).await
    }

    async fn begun(world: &'w Siege, answer: Response) -> Self {
        let (status, cookie) = (answer.status(), cookie_of(&answer));
        let body: Value = answer.json().await.unwrap();
        assert_eq!(status, StatusCode::OK, "{body}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self { world, email: text(&body["account"]["email"]), cookie, csrf: text(&body["csrf_token"]) }
    }

    pub async fn call(&self, method: Method, path: &str, body: &Value) -> Value {
        let server = &self.world.server;
        let request = http().request(method, server.url(path)).header("origin", server.url(""));
        let request = request.header("cookie", &self.cookie).header("x-csrf-token", &self.csrf);
        let answer = request.json(body).send().await.unwrap();
        let status = answer.status();
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        answer
    }

    /// Invites an address into the session's tenant, and returns the code of the link.
    pub async fn invite(&self, email: &str) -> String {
        let invitation = json!({"email": email, "role": "OPERATOR"});
        let invited = self.call(Method::POST, "/console/api/invitations", &invitation).await;
        code_in(invited["link"]["url"].as_str().unwrap())
    }
}

fn code_in(link: &str) -> String {
    link.split_once('#').unwrap().1.to_owned()
}

/// The first cookie that an answer sets; empty if it sets none.
pub fn cookie_of(answer: &Response) -> String {
    let set = answer.headers().get("set-cookie").map_or("", |value| value.to_str().unwrap());
    set.split(';').next().unwrap_or_default().to_owned()
}
