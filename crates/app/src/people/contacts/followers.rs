//! What areas above contacts do when contacts are merged, separated or erased.
//!
//! `App::new` gives the list of followers. They run in the transaction of the change, one after the other in the order
//! of the list, and await nothing but statements.

use std::fmt::Debug;

use domain::{ContactId, ConversationId, MediaId, TenantId, Timestamp};
use futures_util::future::BoxFuture;
use store::Tx;

use crate::Result;

/// An area that keeps rows about contacts. It follows when two contacts become one, are separated again, or are erased.
pub trait ContactFollower: Debug + Sync {
    /// Moves what belongs to `from`. Returns the conversations that moved as a whole, which `separated` moves back.
    fn merged<'t>(&self, tx: &'t mut Tx<'_>, moved: ContactMove) -> BoxFuture<'t, Result<Vec<ConversationId>>>;

    /// Moves the conversations back that `merged` returned.
    fn separated<'t>(
        &self,
        tx: &'t mut Tx<'_>,
        given: &'t [ConversationId],
        moved: ContactMove,
    ) -> BoxFuture<'t, Result<()>>;

    /// Erases what is personal, and returns what is to be erased later. `contacts` are the contact's id and those of
    /// contacts that were merged into it.
    fn erased<'t>(
        &self,
        tx: &'t mut Tx<'_>,
        tenant: TenantId,
        contacts: &'t [ContactId],
    ) -> BoxFuture<'t, Result<ErasedTraces>>;
}

/// What is erased after the transaction that deletes a contact (`platform/erasures.rs`).
#[derive(Debug, Default)]
pub struct ErasedTraces {
    /// The conversations that the contact had: events name them.
    pub conversations: Vec<ConversationId>,
    /// Whether an operator had one of them, and can be given another one now.
    pub frees_operator: bool,
    /// The files of its messages.
    pub files: Vec<MediaId>,
}

impl ErasedTraces {
    pub(super) fn add(&mut self, more: Self) {
        self.conversations.extend(more.conversations);
        self.frees_operator |= more.frees_operator;
        self.files.extend(more.files);
    }
}

/// Rows that belong to `from` belong to `to` after the move.
#[derive(Debug, Clone, Copy)]
pub struct ContactMove {
    pub tenant: TenantId,
    pub from: ContactId,
    pub to: ContactId,
    pub now: Timestamp,
}

pub type ContactFollowers = &'static [&'static dyn ContactFollower];
