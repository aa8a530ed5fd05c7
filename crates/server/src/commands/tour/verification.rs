//! Checks the signature of a webhook as its receiver does: with the secret, the headers and the bytes that arrived.

use anyhow::Context as _;
use domain::delivery::webhooks::{Secret, signature};
use domain::{DeliveryId, Timestamp};
use serde::Serialize;
use subtle::ConstantTimeEq as _;

use super::receiver::ReceivedPost;

/// How far the time in the headers may be from the receiver's, so that an old post cannot be repeated.
const TOLERANCE_SECONDS: i64 = 5 * 60;

/// The computation of a signature and its result.
#[derive(Debug, Serialize)]
pub struct Verification {
    pub secret: String,
    /// What is signed: `webhook-id`, `webhook-timestamp` and the body, joined with dots.
    pub signed_content: String,
    pub computed: String,
    pub received: String,
    pub verified: bool,
}

impl Verification {
    pub fn new(secret: &str, post: &ReceivedPost, now: Timestamp) -> anyhow::Result<Self> {
        let key = Secret::parse(secret)?;
        let (id, seconds) = (post.header("webhook-id"), post.header("webhook-timestamp"));
        let event_id: DeliveryId = id.parse().ok().context("the header webhook-id is not an event id")?;
        let sent_at: i64 = seconds.parse().ok().context("the header webhook-timestamp is not a time")?;
        let computed = signature([&key], event_id, Timestamp::from_seconds(sent_at), &post.body);
        let received = post.header("webhook-signature").to_owned();
        // Several secrets are valid for a day after a rotation, each with a signature of its own.
        let fits = received.split(' ').any(|one| bool::from(one.as_bytes().ct_eq(computed.as_bytes())));
        let is_recent = (now.seconds() - sent_at).abs() <= TOLERANCE_SECONDS;
        Ok(Self {
            secret: secret.to_owned(),
            signed_content: format!("{id}.{seconds}.{}", post.body),
            computed,
            received,
            verified: fits && is_recent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Standard Webhooks, signed by another implementation, Python's hmac.
    fn post(body: &str, received: &str) -> ReceivedPost {
        let headers = [
            ("webhook-id", "111111111111111111111111"),
            ("webhook-timestamp", "1614265330"),
            ("webhook-signature", received),
        ];
        ReceivedPost {
            url: String::new(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            body: body.to_owned(),
        }
    }

    #[test]
    fn only_the_signed_bytes_pass_and_only_for_five_minutes() {
        const SIGNED: &str = "v1,ya6httCCkOlsbwjpxsNsQ+ff6c4ZOxAgMDO/PUM+za4=";
        const BODY: &str = r#"{"test": 2432232314}"#;
        let verified = |body: &str, received: &str, seconds: i64| {
            let now = Timestamp::from_seconds(1_614_265_330 + seconds);
            let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
            Verification::new(secret, &post(body, received), now).unwrap().verified
        };
        assert!(verified(BODY, SIGNED, 0) && verified(BODY, &format!("v1,AAAA {SIGNED}"), -300));
        assert!(!verified(&BODY.replace('4', "5"), SIGNED, 0));
        assert!(!verified(BODY, "", 0) && !verified(BODY, &SIGNED[3..], 0) && !verified(BODY, SIGNED, 301));
        let unsigned = ReceivedPost { headers: std::collections::BTreeMap::new(), ..post(BODY, "") };
        let now = Timestamp::from_seconds(0);
        assert!(Verification::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", &unsigned, now).is_err());
    }
}
