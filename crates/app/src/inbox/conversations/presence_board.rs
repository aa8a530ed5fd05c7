//! What this process has in memory about presences: with SQLite the presences themselves, with PostgreSQL the changes
//! that it has signalled.

use std::collections::HashMap;

use domain::inbox::presence::{PresenceState, Present};
use domain::{AccountId, ConversationId, TenantId, Timestamp};
use parking_lot::Mutex;

/// When this many conversations are in memory, those without current presences are dropped.
const MAX_CONVERSATIONS: usize = 10_000;

/// Presences of this process, by tenant and conversation.
#[derive(Debug, Default)]
pub(crate) struct PresenceBoard(Mutex<HashMap<(TenantId, ConversationId), Vec<Present>>>);

impl PresenceBoard {
    /// Replaces the presence of one operator, or removes it if `is_gone`. Returns all current presences, and
    /// whether the operator's presence has changed.
    pub(super) fn update(
        &self,
        key: (TenantId, ConversationId),
        one: &Present,
        is_gone: bool,
        now: Timestamp,
    ) -> (Vec<Present>, bool) {
        let mut board = self.0.lock();
        if board.len() >= MAX_CONVERSATIONS {
            board.retain(|_, present| present.iter().any(|one| one.until > now));
        }
        let present = board.entry(key).or_default();
        present.retain(|other| other.until > now);
        let before = present.iter().find(|other| other.account_id == one.account_id).map(|other| other.state);
        present.retain(|other| other.account_id != one.account_id);
        if !is_gone {
            present.push(one.clone());
        }
        let all = present.clone();
        if all.is_empty() {
            board.remove(&key);
        }
        let state = if is_gone { None } else { Some(one.state) };
        (all, before != state)
    }
}

/// Signalled changes are forgotten after this time, when no look finds them any more.
const REMEMBERED_SECONDS: i64 = 60;
/// When this many changes are in memory, the old ones are forgotten.
const MAX_CHANGES: usize = 10_000;

/// An operator in a conversation.
type PresenceKey = (TenantId, ConversationId, AccountId);

/// The last signalled change of each presence: when it changed, and to what; None if the operator has left.
#[derive(Debug, Default)]
pub(crate) struct SignalledChanges(Mutex<HashMap<PresenceKey, (Timestamp, Option<PresenceState>)>>);

impl SignalledChanges {
    /// Notes a change that is about to be signalled. Returns false if this change or a later one was signalled before.
    pub(super) fn note(&self, key: PresenceKey, change: (Timestamp, Option<PresenceState>), now: Timestamp) -> bool {
        let mut last = self.0.lock();
        if last.len() >= MAX_CHANGES {
            let forgotten = now.plus_seconds(-REMEMBERED_SECONDS);
            last.retain(|_, (changed_at, _)| *changed_at > forgotten);
        }
        match last.get(&key) {
            Some(known) if *known == change || known.0 > change.0 => false,
            _ => {
                last.insert(key, change);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_signalled_once_and_none_after_a_later_one() {
        let (changes, at) = (SignalledChanges::default(), Timestamp::from_seconds(1_776_000_000));
        let key = (TenantId::from_number(100_001), ConversationId::new(at), AccountId::new(at));
        let (viewing, writing) = (Some(PresenceState::Viewing), Some(PresenceState::Writing));
        let later = at.plus_seconds(1);
        assert!(changes.note(key, (at, viewing), at));
        assert!(!changes.note(key, (at, viewing), at), "the same change");
        assert!(changes.note(key, (at, writing), at), "another change at the same time");
        assert!(changes.note(key, (later, None), later));
        assert!(!changes.note(key, (at, writing), later), "an earlier state that a slow look has read");
    }
}
