//! An administrator of another tenant who wants more guesses at the passwords and codes of the neighbour's people:
//! invites them, and logs in from many networks, so that these would be known if they were known for an address.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Instant;

use domain::Timestamp;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use testkit::authenticator::AuthenticatorApp;

use super::probes::{assert_calm, beside, duration};
use super::session::{ATTACKER_PASSWORD, LOG_IN, SET_UP, Session, cookie_of};
use super::world::{ADA, GRACE, PASSWORD, Siege};

const SECOND_FACTOR: &str = "/console/api/session/second-factor";
const TOTP: &str = "/console/api/second-factors/totp";
/// The network from which the neighbour's people log in.
const AT_HOME: usize = 0xffff;
/// That of the attacker's own session.
const OF_ATTACKER: usize = 0xfffe;
/// The least number of networks that an attack comes from. Each is used for one or two guesses of a password, or for
/// four of a code.
const NETWORKS: usize = 30;
/// Guesses that are compared: 12 until the first pause, and few between pauses that double. Known networks would add
/// all of their guesses.
const COMPARED: RangeInclusive<usize> = 5..=20;

/// How many answers had each reason.
type Reasons = BTreeMap<String, usize>;

/// Guesses of a password, by the link of an invitation and by log-ins.
pub async fn passwords_by_invitation(world: &Siege, attacker: &str) {
    Session::log_in(world, AT_HOME, GRACE, PASSWORD).await;
    let session = Session::log_in(world, OF_ATTACKER, attacker, ATTACKER_PASSWORD).await;
    let code = session.invite(GRACE).await;
    let attack = from_networks(async |network, reasons| {
        own_log_in(world, network, attacker).await;
        let guess = format!("tulip {network} anchor meadow");
        let by_link = world.post_from(network, SET_UP).json(&json!({"code": code, "password": guess}));
        let by_log_in = world.post_from(network, LOG_IN).json(&json!({"email": GRACE, "password": guess}));
        for guess in [by_link, by_log_in] {
            answer(guess, reasons).await;
        }
    });
    let (reasons, seen) = beside(world, "guesses of a password by invitation", attack).await;
    assert_limited(&reasons, "log_in_failed");
    assert_calm(world, "guesses of a password by invitation", &seen);
    // They lock nobody out: the owner's network is known.
    Session::log_in(world, AT_HOME, GRACE, PASSWORD).await;
}

/// Guesses of codes by an attacker who has the password.
pub async fn codes_by_invitation(world: &Siege, attacker: &str) {
    let owner = Session::log_in(world, AT_HOME, ADA, PASSWORD).await;
    let begun = owner.call(Method::POST, TOTP, &json!({})).await;
    let app = AuthenticatorApp::new(begun["secret"].as_str().unwrap());
    owner.call(Method::PUT, TOTP, &json!({"code": app.code(Timestamp::system_now())})).await;
    let session = Session::log_in(world, OF_ATTACKER, attacker, ATTACKER_PASSWORD).await;
    let code = session.invite(ADA).await;
    let attack = from_networks(async |network, reasons| {
        own_log_in(world, network, attacker).await;
        let log_in = if network == 1 {
            world.post_from(network, SET_UP).json(&json!({"code": code, "password": PASSWORD}))
        } else {
            world.post_from(network, LOG_IN).json(&json!({"email": ADA, "password": PASSWORD}))
        };
        let (status, cookie) = answer(log_in, reasons).await;
        if status != StatusCode::ACCEPTED {
            return;
        }
        for _ in 0..4 {
            let guess = world.post_from(network, SECOND_FACTOR).header("cookie", &cookie);
            answer(guess.json(&json!({"code": "not-it"})), reasons).await;
        }
    });
    let (reasons, seen) = beside(world, "guesses of codes by invitation", attack).await;
    assert_limited(&reasons, "second_factor_failed");
    assert_calm(world, "guesses of codes by invitation", &seen);
}

/// Attacks from one network after the other, for as long as an attack lasts. Networks have numbers from 1.
async fn from_networks(attack: impl AsyncFn(usize, &mut Reasons)) -> Reasons {
    let (until, mut reasons, mut network) = (Instant::now() + duration(), Reasons::new(), 1);
    while network <= NETWORKS || Instant::now() < until {
        attack(network, &mut reasons).await;
        network += 1;
    }
    reasons
}

/// Makes the network known for the attacker's account.
async fn own_log_in(world: &Siege, network: usize, attacker: &str) {
    let body = json!({"email": attacker, "password": ATTACKER_PASSWORD});
    let answer = world.post_from(network, LOG_IN).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{}", answer.text().await.unwrap());
}

/// Counts an answer by its reason. Returns its status and its cookie.
async fn answer(request: RequestBuilder, reasons: &mut Reasons) -> (StatusCode, String) {
    let answer = request.send().await.unwrap();
    let (status, cookie) = (answer.status(), cookie_of(&answer));
    let body: Value = answer.json().await.unwrap();
    *reasons.entry(body["reason"].as_str().unwrap_or("none").to_owned()).or_default() += 1;
    assert_ne!(status, StatusCode::OK, "{body}");
    (status, cookie)
}

/// Few guesses were compared, and at least as many more requests as there are networks met a pause.
#[track_caller]
fn assert_limited(reasons: &Reasons, failed: &str) {
    let count = |reason: &str| reasons.get(reason).copied().unwrap_or_default();
    assert!(COMPARED.contains(&count(failed)), "{reasons:?}");
    assert!(count("log_in_paused") >= NETWORKS / 2, "{reasons:?}");
    let known = [failed, "log_in_paused", "none"];
    assert!(reasons.keys().all(|reason| known.contains(&reason.as_str())), "{reasons:?}");
}
