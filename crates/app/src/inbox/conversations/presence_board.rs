//! Presences in the memory of this process. With PostgreSQL they only show whether a report is news.

use std::collections::HashMap;

use domain::inbox::presence::Present;
use domain::{ConversationId, TenantId, Timestamp};
use parking_lot::Mutex;

/// When this many conversations are in memory, those whose presences are over are dropped.
const MAX_CONVERSATIONS: usize = 10_000;

/// Presences of this process, by tenant and conversation.
#[derive(Debug, Default)]
pub(crate) struct PresenceBoard(Mutex<HashMap<(TenantId, ConversationId), Vec<Present>>>);

impl PresenceBoard {
    /// Replaces the presence of one operator, or removes it if `is_gone`. Returns all presences that are not over, and
    /// whether that of the operator is different from before.
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
