//! Ids in the network's format, derived from the seed, the clock and a counter.
//!
//! An id is generated before the transaction that stores it, so that a retried transaction uses the same one.

use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use domain::Clock;
use domain::base::hex;
use store::platform::sandbox::due::Due;

use super::dice::Dice;

#[derive(Debug)]
pub struct Ids {
    dice: Dice,
    clock: Clock,
    made: AtomicU64,
}

impl Ids {
    pub fn new(dice: Dice, clock: Clock) -> Self {
        Self { dice, clock, made: AtomicU64::new(0) }
    }

    /// `wamid.…`
    pub fn message(&self) -> String {
        opaque("wamid", &self.next("wamid"))
    }

    /// `wacid.…`
    pub fn call(&self) -> String {
        opaque("wacid", &self.next("wacid"))
    }

    pub fn media(&self) -> String {
        self.numeric("media")
    }

    /// Id of a session of the Resumable Upload API, without the prefix `upload:`.
    pub fn upload(&self) -> String {
        URL_SAFE_NO_PAD.encode(format!("1:attachment:{}", hex::encode(&self.next("upload")[..16])))
    }

    pub fn template(&self) -> String {
        self.numeric("template")
    }

    /// `fbtrace_id` of an error.
    pub fn trace(&self) -> String {
        let bytes = self.next("trace");
        format!("A{}", STANDARD.encode(&bytes[..15]).replace(['+', '/'], "_"))
    }

    /// Id of a payment's transaction: `order_…`
    pub fn transaction(&self) -> String {
        transaction(&self.next("transaction"))
    }

    /// Ids for which the network prescribes no format: faults, clicks, injected webhooks, signatures of uploads.
    pub fn other(&self, kind: &str) -> String {
        hex::encode(&self.next(kind)[..8])
    }

    fn numeric(&self, kind: &str) -> String {
        let (now, made) = self.clock_and_counter();
        self.dice.digits(&["id", kind, &now, &made], 16)
    }

    fn next(&self, kind: &str) -> [u8; 32] {
        let (now, made) = self.clock_and_counter();
        self.dice.bytes(&["id", kind, &now, &made])
    }

    fn clock_and_counter(&self) -> (String, String) {
        let made = self.made.fetch_add(1, Ordering::Relaxed);
        (self.clock.now().micros().to_string(), made.to_string())
    }
}

fn opaque(kind: &str, bytes: &[u8; 32]) -> String {
    format!("{kind}.{}", STANDARD.encode(&bytes[..27]))
}

fn transaction(bytes: &[u8; 32]) -> String {
    format!("order_{}", hex::encode(&bytes[..8]))
}

/// Ids of what a scheduled act of a person creates. They derive from the act's row alone and not from the seed, which
/// another process may not share: an act that is repeated after a crash gets the same ids and has no second effect.
#[derive(Debug, Clone, Copy)]
pub struct ActIds<'a>(pub &'a Due);

impl ActIds<'_> {
    pub fn message(self) -> String {
        opaque("wamid", &self.bytes("wamid"))
    }

    pub fn call(self) -> String {
        opaque("wacid", &self.bytes("wacid"))
    }

    pub fn transactions(self) -> [String; 2] {
        ["first", "second"].map(|index| transaction(&self.bytes(index)))
    }

    fn bytes(self, kind: &str) -> [u8; 32] {
        let Due { tenant, channel, id, .. } = self.0;
        Dice::new(tenant.number().unsigned_abs()).bytes(&["act", kind, &channel.to_string(), id])
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    fn ids(seed: u64) -> Ids {
        Ids::new(Dice::new(seed), Clock::manual(Timestamp::from_seconds(1_776_000_000)))
    }

    #[test]
    fn ids_are_spelled_as_the_network_does_and_never_repeat() {
        let ids = ids(1);
        assert!(ids.message().starts_with("wamid.") && ids.call().starts_with("wacid."));
        assert!(ids.media().len() == 16 && ids.template().bytes().all(|digit| digit.is_ascii_digit()));
        let many: std::collections::BTreeSet<String> = (0..1000).map(|_| ids.message()).collect();
        assert_eq!(many.len(), 1000);
    }

    #[test]
    fn the_same_seed_clock_and_order_give_the_same_ids() {
        let made = |ids: &Ids| [ids.message(), ids.media(), ids.call(), ids.trace()];
        assert_eq!(made(&ids(5)), made(&ids(5)));
        assert_ne!(made(&ids(5)), made(&ids(6)));
    }
}
