//! Receipts of deliveries: their text format, and recognition of repeated deliveries.

use std::collections::HashMap;
use std::fmt;

use anyhow::{Context as _, Result, ensure};
use domain::DeliveryId;

/// Prefix of call ids; a number follows.
pub const CALL: &str = "bench-";
const MEMBER: &str = "\"call_id\":\"";

/// A received delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub endpoint: u64,
    /// The call's number.
    pub call: u64,
    /// Time of the receipt, as `now` gives it.
    pub at: u64,
    /// The header `webhook-id`, which is the same in a repeated delivery.
    pub id: DeliveryId,
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.endpoint, self.call, self.at, self.id)
    }
}

impl Receipt {
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut number = || words.next()?.parse().ok();
        let (endpoint, call, at) = (number()?, number()?, number()?);
        Some(Self { endpoint, call, at, id: words.next()?.parse().ok()? })
    }
}

/// Extracts the call's number from a body, without parsing the rest.
pub fn call_in(body: &[u8]) -> Option<u64> {
    let body = str::from_utf8(body).ok()?;
    let (_, rest) = body.split_once(MEMBER)?;
    rest.split('"').next()?.strip_prefix(CALL)?.parse().ok()
}

/// The number of all receipts, and the first one of each delivery.
#[derive(Debug)]
pub struct Receipts {
    count: u64,
    /// By endpoint and call.
    first: HashMap<(u64, u64), Receipt>,
}

impl Receipts {
    /// Parses receipts, one per line. Two events for one call at one endpoint are an error; a repeated delivery has the
    /// same id.
    pub fn read(text: &[u8]) -> Result<Self> {
        let mut receipts = Self { count: 0, first: HashMap::new() };
        for line in str::from_utf8(text)?.lines() {
            let receipt = Receipt::read(line).with_context(|| format!("not a receipt: {line}"))?;
            receipts.count += 1;
            let first = receipts.first.entry((receipt.endpoint, receipt.call)).or_insert(receipt);
            ensure!(
                first.id == receipt.id,
                "call {} was delivered as {} and as {}",
                receipt.call,
                first.id,
                receipt.id
            );
            first.at = first.at.min(receipt.at);
        }
        Ok(receipts)
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn different(&self) -> u64 {
        self.first.len() as u64
    }

    pub fn repeats(&self) -> u64 {
        self.count - self.different()
    }

    /// The first receipt of each delivery, in no order.
    pub fn each(&self) -> impl Iterator<Item = &Receipt> {
        self.first.values()
    }

    /// Times of the earliest and the latest of the first receipts.
    pub fn span(&self) -> Result<(u64, u64)> {
        let times = || self.each().map(|receipt| receipt.at);
        times().min().zip(times().max()).context("nothing was delivered")
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;
    use domain::Id;

    fn receipt(endpoint: u64, call: u64, at: u64) -> Receipt {
        Receipt { endpoint, call, at, id: Id::seeded(Timestamp::from_seconds(7), call) }
    }

    fn text(receipts: &[Receipt]) -> String {
        receipts.iter().map(Receipt::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_body_names_its_call() {
        assert_eq!(call_in(br#"{"eventType":"call.status","call_id":"bench-17","metadata":{}}"#), Some(17));
        assert_eq!(call_in(br#"{"call_id":"wacid.17"}"#), None);
        assert_eq!(call_in(b"{}"), None);
    }

    #[test]
    fn repeats_are_counted_and_the_earliest_time_stays() {
        let all = [receipt(1, 5, 90), receipt(1, 6, 40), receipt(2, 5, 70), receipt(1, 5, 30)];
        let receipts = Receipts::read(text(&all).as_bytes()).unwrap();
        assert_eq!((receipts.count(), receipts.different(), receipts.repeats()), (4, 3, 1));
        assert_eq!(receipts.span().unwrap(), (30, 70));
        assert!(Receipts::read(b"").unwrap().span().is_err());
    }

    #[test]
    fn a_call_delivered_as_two_events_is_an_error() {
        let other = Receipt { id: Id::seeded(Timestamp::from_seconds(7), 99), ..receipt(1, 5, 30) };
        let error = Receipts::read(text(&[receipt(1, 5, 20), other]).as_bytes()).unwrap_err();
        assert!(error.to_string().contains("call 5 was delivered as"), "{error}");
        assert!(Receipts::read(b"1 2 three\n").is_err());
    }
}
