//! Passkeys as second factors, with an authenticator in software.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::second_factors::{SECOND_FACTOR, actions, finish, pending};
use super::*;

const HOST: &str = "switchboard.example";
const CHALLENGE: &str = "/console/api/session/second-factor/passkey";
/// User present and verified.
const SHOWN: u8 = 0b0000_0101;
const WITH_KEY: u8 = 0b0100_0000;

/// A key on a device that asks its owner each time.
struct Authenticator {
    key: EcdsaKeyPair,
    id: Vec<u8>,
    counter: u32,
}

impl Authenticator {
    fn new() -> Self {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        Self { key, id: b"a credential of the tests".to_vec(), counter: 0 }
    }

    fn data(&mut self, flags: u8) -> Vec<u8> {
        self.counter += 1;
        let host = Sha256::digest(HOST);
        [&host[..], &[flags], &self.counter.to_be_bytes()].concat()
    }

    /// The public key as a COSE map.
    fn cose(&self) -> Vec<u8> {
        let point = self.key.public_key().as_ref();
        let head = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
        [&head[..], &point[1..33], &[0x22, 0x58, 0x20], &point[33..65]].concat()
    }

    fn create(&mut self, options: &Value, origin: &str) -> Value {
        let mut data = self.data(SHOWN | WITH_KEY);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        data.extend(self.cose());
        let length = u8::try_from(data.len()).unwrap();
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        object.push(length);
        object.extend(data);
        let client = client_data("webauthn.create", &options["challenge"], origin);
        let encoded = URL_SAFE_NO_PAD.encode(&self.id);
        json!({
            "id": encoded, "rawId": encoded, "type": "public-key",
            "response": {"attestationObject": URL_SAFE_NO_PAD.encode(object), "clientDataJSON": URL_SAFE_NO_PAD.encode(client)},
        })
    }

    fn get(&mut self, options: &Value, origin: &str) -> Value {
        let data = self.data(SHOWN);
        let client = client_data("webauthn.get", &options["challenge"], origin);
        let signed = [&data[..], &Sha256::digest(&client)[..]].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        let encoded = URL_SAFE_NO_PAD.encode(&self.id);
        json!({
            "id": encoded, "rawId": encoded, "type": "public-key",
            "response": {
                "authenticatorData": URL_SAFE_NO_PAD.encode(data), "clientDataJSON": URL_SAFE_NO_PAD.encode(client),
                "signature": URL_SAFE_NO_PAD.encode(signature.as_ref()), "userHandle": null,
            },
        })
    }
}

fn client_data(kind: &str, challenge: &Value, origin: &str) -> Vec<u8> {
    json!({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false}).to_string().into_bytes()
}

async fn enrolled(app: &World, who: &Person) -> Authenticator {
    let mut device = Authenticator::new();
    let options = who.call(app, "POST", PASSKEYS, &json!({})).await.ok();
    assert_eq!(options["rp"], json!({"id": HOST, "name": "Switchboard"}));
    let credential = device.create(&options, ORIGIN);
    let done = who.call(app, "PUT", PASSKEYS, &json!({"name": "Laptop", "credential": credential})).await.ok();
    assert_eq!(done["recovery_codes"].as_array().unwrap().len(), 10);
    // The challenge is used up.
    let again = who.call(app, "PUT", PASSKEYS, &json!({"name": "Laptop", "credential": credential})).await;
    assert_refused(&again, 409, "conflict");
    device
}

async fn challenge(app: &World, pending: &str) -> Value {
    send(app, "POST", CHALLENGE, &[("origin", ORIGIN), ("cookie", pending)], &json!({})).await.ok()
}

testkit::both_databases! {
    async fn a_passkey_logs_in_and_its_answer_works_once(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let mut device = enrolled(&app, &ada).await;
        let waiting = pending(&app, &ada.email).await;
        // An answer without a challenge, one for another page, and one to an earlier challenge.
        let made_up = json!({"challenge": URL_SAFE_NO_PAD.encode([7; 32])});
        assert_refused(&finish(&app, &waiting, &json!({"passkey": device.get(&made_up, ORIGIN)})).await, 401, "second_factor_failed");
        let options = challenge(&app, &waiting).await;
        assert_eq!(options["rpId"], HOST);
        assert_eq!(options["userVerification"], "required");
        let elsewhere = device.get(&options, "https://switchboard.example.evil.example");
        assert_refused(&finish(&app, &waiting, &json!({"passkey": elsewhere})).await, 401, "second_factor_failed");
        let late = device.get(&options, ORIGIN);
        assert_refused(&finish(&app, &waiting, &json!({"passkey": late})).await, 401, "second_factor_failed");
        let options = challenge(&app, &waiting).await;
        let shown = json!({"passkey": device.get(&options, ORIGIN)});
        let inside = person(&finish(&app, &waiting, &shown).await);
        assert!(inside.is_in(&app).await);
        let other = pending(&app, &ada.email).await;
        challenge(&app, &other).await;
        assert_refused(&finish(&app, &other, &shown).await, 401, "second_factor_failed");
        let listed = inside.get(&app, SECOND_FACTORS).await.json();
        assert_eq!((&listed["passkeys"][0]["name"], &listed["passkeys"][0]["host"]), (&json!("Laptop"), &json!(HOST)));
        assert_ne!(listed["passkeys"][0]["last_used_at"], Value::Null);
        let log = actions(&app).await;
        assert!(log.contains(&("second_factor.enrol".into(), r#"{"factor":"passkey","name":"Laptop"}"#.into())));
        assert!(log.contains(&("session.create".into(), r#"{"second_factor":"passkey"}"#.into())));
    }

    async fn another_device_and_a_counter_that_goes_back_are_refused(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let mut device = enrolled(&app, &ada).await;
        let waiting = pending(&app, &ada.email).await;
        let options = challenge(&app, &waiting).await;
        let mut copy = Authenticator::new();
        assert_refused(&finish(&app, &waiting, &json!({"passkey": copy.get(&options, ORIGIN)})).await, 401, "second_factor_failed");
        let options = challenge(&app, &waiting).await;
        device.counter = 0;
        assert_refused(&finish(&app, &waiting, &json!({"passkey": device.get(&options, ORIGIN)})).await, 401, "second_factor_failed");
        let options = challenge(&app, &waiting).await;
        device.counter = 10;
        assert_eq!(finish(&app, &waiting, &json!({"passkey": device.get(&options, ORIGIN)})).await.status, 200);
    }

    async fn a_passkey_is_removed_with_the_password_and_belongs_to_its_host(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        enrolled(&app, &ada).await;
        // At another host of the console there is no passkey, and at an address there are none at all.
        let body = json!({"email": ada.email, "password": PASSWORD});
        for (origin, host) in [("http://localhost:8080", "localhost:8080"), ("http://127.0.0.1:8080", "127.0.0.1:8080")] {
            let headers = [("origin", origin), ("host", host)];
            let answer = send(&app, "POST", SESSION, &headers, &body).await;
            assert_eq!(answer.json()["second_factor"]["methods"], json!(["recovery_code"]), "{origin}");
        }
        let listed = ada.get(&app, SECOND_FACTORS).await.json();
        let path = format!("{PASSKEYS}/{}", text(&listed["passkeys"][0]["id"]));
        assert_invalid(&ada.call(&app, "DELETE", &path, &json!({"password": "wrong"})).await, "password");
        assert_eq!(ada.call(&app, "DELETE", &path, &json!({"password": PASSWORD})).await.status, 200);
        assert_refused(&ada.call(&app, "DELETE", &path, &json!({"password": PASSWORD})).await, 404, "not_found");
        assert_eq!(log_in(&app, &ada.email, PASSWORD).await.status, 200);
        assert_refused(&send(&app, "POST", SECOND_FACTOR, &[("origin", ORIGIN)], &json!({"code": "1"})).await, 401, "log_in_ended");
    }
}
