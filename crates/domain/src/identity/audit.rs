//! The audit log: who created, changed and revoked what. The entries of a tenant are a chain: each has the next number
//! and a hash over itself and the hash of the entry before it, so that a changed, removed or reordered entry is found.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::base::hex;
use crate::{AuditEntryId, TenantId, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AuditEntry {
    pub id: AuditEntryId,
    #[serde(serialize_with = "crate::base::time::as_rfc3339")]
    pub at: Timestamp,
    /// Who acted, such as `command`, `account:<id>`, `token:<id>`.
    pub actor: String,
    /// What was done, such as `token.create`, `account.set_password`.
    pub action: String,
    pub subject: String,
    /// JSON, without secrets.
    pub details: String,
    pub address: Option<String>,
    pub request_id: Option<String>,
}

/// SHA-256 over an entry and everything before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ChainHash(pub [u8; 32]);

impl ChainHash {
    /// The hash before the first entry.
    pub const START: Self = Self([0; 32]);
}

impl fmt::Display for ChainHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for ChainHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChainHash({self})")
    }
}

impl std::str::FromStr for ChainHash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let mut hash = [0; 32];
        const_hex::decode_to_slice(text, &mut hash).map_err(|_| NotAHash)?;
        Ok(Self(hash))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected 64 hexadecimal digits")]
pub struct NotAHash;

/// An entry's place in the chain of its tenant: its number, counted from 1, and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainPosition {
    pub number: i64,
    pub hash: ChainHash,
}

impl ChainPosition {
    pub const START: Self = Self { number: 0, hash: ChainHash::START };

    /// The position of `entry`, which follows this one.
    #[must_use]
    pub fn next(self, tenant: TenantId, entry: &AuditEntry) -> Self {
        let number = self.number + 1;
        Self { number, hash: hash_of(self.hash, tenant, number, entry) }
    }
}

/// Every text is preceded by its length, so that no two entries are hashed from the same bytes.
fn hash_of(previous: ChainHash, tenant: TenantId, number: i64, entry: &AuditEntry) -> ChainHash {
    let mut hash = Sha256::new();
    hash.update(b"switchboard/audit/1");
    hash.update(previous.0);
    hash.update(tenant.number().to_be_bytes());
    hash.update(number.to_be_bytes());
    hash.update(entry.id.bytes());
    hash.update(entry.at.micros().to_be_bytes());
    let AuditEntry { actor, action, subject, details, address, request_id, .. } = entry;
    for text in [Some(actor), Some(action), Some(subject), Some(details), address.as_ref(), request_id.as_ref()] {
        match text {
            Some(text) => {
                hash.update([1]);
                hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
                hash.update(text);
            }
            None => hash.update([0]),
        }
    }
    ChainHash(hash.finalize().into())
}

/// An entry with its stored position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainedEntry {
    pub position: ChainPosition,
    pub entry: AuditEntry,
}

/// Where a chain is broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokenChain {
    #[error("entry {expected} is missing: entry {found} follows entry {}", expected - 1)]
    Missing { expected: i64, found: i64 },
    #[error("entry {0} was changed or moved: its hash does not match")]
    Changed(i64),
    #[error("the last entries are missing: the chain ends with entry {found}, but entry {expected} was written")]
    CutOff { expected: i64, found: i64 },
    #[error("entry {0} does not have the known hash")]
    OtherEnd(i64),
    #[error("{0} entries are outside the chain")]
    Outside(i64),
}

/// Checks the entries of a tenant in their order.
#[derive(Debug)]
pub struct ChainCheck {
    tenant: TenantId,
    at: ChainPosition,
}

impl ChainCheck {
    /// Begins after an entry that is known: the start, or the last one that was deleted because of its age.
    pub const fn after(tenant: TenantId, base: ChainPosition) -> Self {
        Self { tenant, at: base }
    }

    pub fn check(&mut self, next: &ChainedEntry) -> Result<(), BrokenChain> {
        let expected = self.at.number + 1;
        if next.position.number != expected {
            return Err(BrokenChain::Missing { expected, found: next.position.number });
        }
        let at = self.at.next(self.tenant, &next.entry);
        if at.hash != next.position.hash {
            return Err(BrokenChain::Changed(expected));
        }
        self.at = at;
        Ok(())
    }

    /// The position of the last entry that was checked.
    pub const fn position(&self) -> ChainPosition {
        self.at
    }

    /// Compares the last checked position with `head`, the position that was written last.
    pub fn finish(self, head: ChainPosition) -> Result<ChainPosition, BrokenChain> {
        if self.at.number != head.number {
            return Err(BrokenChain::CutOff { expected: head.number, found: self.at.number });
        }
        if self.at.hash != head.hash {
            return Err(BrokenChain::OtherEnd(head.number));
        }
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    fn entry(second: i64) -> AuditEntry {
        AuditEntry {
            id: Id::new(Timestamp::from_seconds(1_776_000_000)),
            at: Timestamp::from_seconds(1_776_000_000 + second),
            actor: "command".to_owned(),
            action: "token.create".to_owned(),
            subject: "t".to_owned(),
            details: "{}".to_owned(),
            address: None,
            request_id: Some("r".to_owned()),
        }
    }

    fn chain(count: i64) -> Vec<ChainedEntry> {
        let mut at = ChainPosition::START;
        let next = |second| {
            let entry = entry(second);
            at = at.next(TenantId::FIRST, &entry);
            ChainedEntry { position: at, entry }
        };
        (0..count).map(next).collect()
    }

    fn verify(entries: &[ChainedEntry], head: ChainPosition) -> Result<ChainPosition, BrokenChain> {
        let mut check = ChainCheck::after(TenantId::FIRST, ChainPosition::START);
        entries.iter().try_for_each(|entry| check.check(entry))?;
        check.finish(head)
    }

    #[test]
    fn an_untouched_chain_fits() {
        let all = chain(5);
        assert_eq!(verify(&all, all[4].position), Ok(all[4].position));
        assert_eq!(verify(&[], ChainPosition::START), Ok(ChainPosition::START));
        let mut later = ChainCheck::after(TenantId::FIRST, all[1].position);
        assert_eq!(all[2..].iter().try_for_each(|entry| later.check(entry)), Ok(()));
    }

    #[test]
    fn each_changed_field_is_found() {
        let changes: [fn(&mut AuditEntry); 8] = [
            |it| it.id = Id::new(it.at),
            |it| it.at = it.at.plus_seconds(1),
            |it| it.actor.push('x'),
            |it| it.action.push('x'),
            |it| it.subject.clear(),
            |it| it.details = "{\"a\":1}".to_owned(),
            |it| it.address = Some(String::new()),
            |it| it.request_id = None,
        ];
        for change in changes {
            let mut all = chain(5);
            change(&mut all[2].entry);
            assert_eq!(verify(&all, all[4].position), Err(BrokenChain::Changed(3)));
        }
    }

    #[test]
    fn fields_cannot_lend_each_other_letters() {
        let (one, mut other) = (entry(0), entry(0));
        other.id = one.id;
        (other.actor, other.action) = ("commandt".to_owned(), "oken.create".to_owned());
        let position = |it: &AuditEntry| ChainPosition::START.next(TenantId::FIRST, it);
        assert_ne!(position(&one), position(&other));
        assert_ne!(position(&one), ChainPosition::START.next(TenantId::from_number(100_002), &one));
    }

    #[test]
    fn removed_and_reordered_entries_are_found() {
        let all = chain(5);
        let head = all[4].position;
        let without =
            |at: usize| all.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, it)| it.clone()).collect::<Vec<_>>();
        assert_eq!(verify(&without(0), head), Err(BrokenChain::Missing { expected: 1, found: 2 }));
        assert_eq!(verify(&without(2), head), Err(BrokenChain::Missing { expected: 3, found: 4 }));
        assert_eq!(verify(&without(4), head), Err(BrokenChain::CutOff { expected: 5, found: 4 }));
        let mut swapped = all.clone();
        swapped.swap(1, 2);
        assert!(verify(&swapped, head).is_err());
        let (one, two) = (all[1].entry.clone(), all[2].entry.clone());
        let mut exchanged = all.clone();
        (exchanged[1].entry, exchanged[2].entry) = (two, one);
        assert_eq!(verify(&exchanged, head), Err(BrokenChain::Changed(2)));
        let other = ChainPosition { hash: ChainHash([7; 32]), ..head };
        assert_eq!(verify(&all, other), Err(BrokenChain::OtherEnd(5)));
    }

    #[test]
    fn a_hash_is_written_and_parsed() {
        let hash = ChainHash([0xab; 32]);
        assert_eq!(hash.to_string().parse(), Ok(hash));
        for bad in ["", "ab", &"x".repeat(64), &"ab".repeat(33)] {
            assert_eq!(bad.parse::<ChainHash>(), Err(NotAHash));
        }
    }
}
