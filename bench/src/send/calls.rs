//! Requests that send a template: recipients, number of recipients per call, now or later.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::Timestamp;

use crate::load::{Case, post_request};

/// Maximum recipients of one call.
pub const MOST: u64 = 10_000;
pub const TEMPLATE: &str = "spring_voucher";
/// A quarter of a year: nothing becomes due during a run.
const FAR_SECONDS: i64 = 90 * 86_400;
/// Eight million numbers with New York's area code, which hardly any seeded contact has.
const FIRST_NUMBER: u64 = 12_122_000_000;

#[derive(Debug, Clone)]
pub enum Whom {
    /// Existing contacts in turn, repeatedly.
    Known(Arc<[String]>),
    /// Unknown people, each once.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Now,
    FarAhead,
}

/// Calls that take their recipients in turn: each call continues after the recipients of the call before.
#[derive(Debug)]
pub struct Calls {
    whom: Whom,
    scheduled_at: Option<String>,
    asked: AtomicU64,
}

impl Calls {
    pub fn new(whom: Whom, when: When) -> Self {
        Self::after(whom, when, 0)
    }

    /// The same, starting after the first `asked` recipients.
    pub fn after(whom: Whom, when: When, asked: u64) -> Self {
        let far = || Timestamp::system_now().plus_seconds(FAR_SECONDS).to_rfc3339();
        Self { whom, scheduled_at: (when == When::FarAhead).then(far), asked: AtomicU64::new(asked) }
    }

    pub fn path(&self) -> &'static str {
        match self.scheduled_at {
            None => "/api/ext/v3/messageTemplates/send",
            Some(_) => "/api/ext/v3/messageTemplates/schedule",
        }
    }

    /// Number of recipients of the largest call in which all recipients are distinct.
    pub fn most(&self) -> u64 {
        match &self.whom {
            Whom::Known(known) => MOST.min(known.len() as u64),
            Whom::Unknown => MOST,
        }
    }

    /// Body of the next call, with this number of recipients.
    pub fn body(&self, recipients: u64) -> String {
        let first = self.asked.fetch_add(recipients, Ordering::Relaxed);
        let mut body = format!("{{\"template_name\":\"{TEMPLATE}\",\"broadcast_name\":\"Bench {first}\"");
        if let Some(at) = &self.scheduled_at {
            // Writing to a String cannot fail.
            let _ = write!(body, ",\"scheduled_at\":\"{at}\"");
        }
        body.push_str(",\"recipients\":[");
        for index in first..first + recipients {
            if index > first {
                body.push(',');
            }
            self.recipient(&mut body, index);
        }
        body.push_str("]}");
        body
    }

    fn recipient(&self, body: &mut String, index: u64) {
        body.push_str("{\"phone_number\":\"");
        let _ = match &self.whom {
            Whom::Known(known) => body.write_str(&known[usize::try_from(index).unwrap_or(0) % known.len()]),
            Whom::Unknown => write!(body, "{}", FIRST_NUMBER + index),
        };
        let _ = write!(
            body,
            "\",\"custom_params\":[{{\"name\":\"1\",\"value\":\"Reader {index}\"}},\
             {{\"name\":\"2\",\"value\":\"SPRING-{index}\"}}]}}"
        );
    }

    pub fn case(self, name: String, token: &str, recipients: u64) -> Case {
        let bearer = format!("authorization: Bearer {token}\r\n");
        let write = move |_: usize, _: u64, out: &mut Vec<u8>| {
            post_request(out, self.path(), &bearer, &self.body(recipients));
        };
        Case { name, expected_status: 200, write_request: Arc::new(write) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn numbers(body: &str) -> Vec<String> {
        let body: Value = serde_json::from_str(body).unwrap();
        let recipients = body["recipients"].as_array().unwrap();
        recipients.iter().map(|one| one["phone_number"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn known_people_come_round_again_and_unknown_ones_do_not() {
        let known: Arc<[String]> = ["1", "2", "3"].map(str::to_owned).into();
        let calls = Calls::new(Whom::Known(known), When::Now);
        assert_eq!(
            (numbers(&calls.body(2)), numbers(&calls.body(2))),
            (vec!["1".into(), "2".into()], vec!["3".into(), "1".into()])
        );
        let calls = Calls::after(Whom::Unknown, When::Now, 7);
        assert_eq!(
            (numbers(&calls.body(1)), numbers(&calls.body(1))),
            (vec!["12122000007".into()], vec!["12122000008".into()])
        );
    }

    #[test]
    fn only_scheduled_calls_have_a_time() {
        let said = |when| {
            serde_json::from_str::<Value>(&Calls::new(Whom::Unknown, when).body(1)).unwrap()["scheduled_at"].clone()
        };
        assert_eq!(said(When::Now), Value::Null);
        assert!(said(When::FarAhead).is_string());
    }
}
