//! Presences in the memory of this process.

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
    /// Replaces the presence of one operator, or removes it if `is_gone`, and returns all presences that are not over.
    pub(super) fn update(
        &self,
        key: (TenantId, ConversationId),
        one: &Present,
        is_gone: bool,
        now: Timestamp,
    ) -> Vec<Present> {
        let mut board = self.0.lock();
        if board.len() >= MAX_CONVERSATIONS {
            board.retain(|_, present| present.iter().any(|one| one.until > now));
        }
        let present = board.entry(key).or_default();
        present.retain(|other| other.until > now && other.account_id != one.account_id);
        if !is_gone {
            present.push(one.clone());
        }
        let all = present.clone();
        if all.is_empty() {
            board.remove(&key);
        }
        all
    }
}
