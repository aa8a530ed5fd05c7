//! Reading, checking and exporting the audit log. Entries are written by `Actor::record`, in the transaction of the
//! change that they record.

pub mod actor;
mod file;

use domain::TenantId;
use domain::identity::audit::{AuditEntry, BrokenChain, ChainCheck, ChainPosition};

pub use file::{FileFailure, VerifiedFile, verify_file};

use store::identity::audit::ChainEnds;

use crate::base::chunks::{ChunkWriter, Chunks};
use crate::identity::Identity;
use crate::{ActsFor, Result};

/// Entries read at once.
const PAGE: i64 = 500;

#[derive(Debug)]
pub struct Audit<'a>(&'a Identity);

impl Identity {
    pub fn audit(&self) -> Audit<'_> {
        Audit(self)
    }
}

/// The result of checking the hash chain of a tenant's audit log in the database.
#[derive(Debug)]
pub enum ChainState {
    /// Every entry is as it was written. `base` is the position of the last entry that was deleted because of its age.
    Whole {
        base: ChainPosition,
        head: ChainPosition,
    },
    Broken(BrokenChain),
    /// No entry has a hash: all were written by a version without the chain. Holds the number of entries. The next
    /// entry begins the chain.
    NotBegun(i64),
}

#[boxed::futures]
impl Audit<'_> {
    /// The newest entries, at most `limit`.
    pub async fn latest(&self, caller: &dyn ActsFor, limit: i64) -> Result<Vec<AuditEntry>> {
        Ok(store::identity::audit::latest(self.0.db(), caller.tenant(), limit).await?)
    }

    /// Appends an entry about the caller's tenant for something that changes nothing in the database, such as an export.
    pub(crate) async fn record(
        &self,
        caller: &dyn ActsFor,
        action: &'static str,
        details: serde_json::Value,
    ) -> Result<()> {
        let input = (caller.audit_actor(), caller.tenant(), self.0.now(), details);
        let write = self.0.db().write(input, move |tx, (actor, tenant, now, details)| {
            Box::pin(async move { actor.record(tx, *tenant, *now, action, &tenant.to_string(), details.clone()).await })
        });
        Ok(write.await?)
    }

    /// Checks all entries of a tenant up to the present head. With `known`, a position that was noted before, the entry
    /// with that number must still have that hash.
    pub async fn verify(&self, caller: &dyn ActsFor, known: Option<ChainPosition>) -> Result<ChainState> {
        let tenant = caller.tenant();
        loop {
            let ends = store::identity::audit::ends(self.0.db(), tenant).await?;
            let state = self.verify_between(tenant, ends, known).await?;
            // Entries that were deleted because of their age meanwhile are missing, which is no break.
            let base = |ends: Option<ChainEnds>| ends.map(|ends| ends.base);
            if !matches!(state, ChainState::Broken(_))
                || base(store::identity::audit::ends(self.0.db(), tenant).await?) == base(ends)
            {
                return Ok(state);
            }
        }
    }

    async fn verify_between(
        &self,
        tenant: TenantId,
        ends: Option<ChainEnds>,
        known: Option<ChainPosition>,
    ) -> Result<ChainState> {
        let outside = store::identity::audit::count_unchained(self.0.db(), tenant).await?;
        let Some(ends) = ends else { return Ok(ChainState::NotBegun(outside)) };
        if outside > 0 {
            return Ok(ChainState::Broken(BrokenChain::Outside(outside)));
        }
        if let Some(known) = known
            && known.number > ends.head.number
        {
            let (expected, found) = (known.number, ends.head.number);
            return Ok(ChainState::Broken(BrokenChain::CutOff { expected, found }));
        }
        let is_other = |at: ChainPosition| known.is_some_and(|known| known.number == at.number && known != at);
        let mut check = ChainCheck::after(tenant, ends.base);
        loop {
            let (after, through) = (check.position().number, ends.head.number);
            let page = store::identity::audit::chained(self.0.db(), tenant, after, through, PAGE).await?;
            if page.is_empty() {
                break;
            }
            if let Err(broken) = page.iter().try_for_each(|entry| check.check(entry)) {
                return Ok(ChainState::Broken(broken));
            }
            if let Some(other) = page.iter().find(|entry| is_other(entry.position)) {
                return Ok(ChainState::Broken(BrokenChain::OtherEnd(other.position.number)));
            }
        }
        Ok(match check.finish(ends.head) {
            Ok(head) => ChainState::Whole { base: ends.base, head },
            Err(broken) => ChainState::Broken(broken),
        })
    }

    /// Exports the entries as lines of JSON that `verify_file` checks, and returns their number. Appends an entry about
    /// the export first, which is thus the last one in it. Ends early, without an error, when the reader of `chunks` is
    /// gone.
    pub async fn export(&self, caller: &dyn ActsFor, chunks: &Chunks) -> Result<u64> {
        let tenant = caller.tenant();
        self.record(caller, "audit.export", serde_json::json!({})).await?;
        let Some(ends) = store::identity::audit::ends(self.0.db(), tenant).await? else { return Ok(0) };
        let mut out = ChunkWriter::new(chunks);
        file::write_header(&mut out.buffer, tenant, ends.base);
        let (mut after, mut count) = (ends.base.number, 0);
        loop {
            let page = store::identity::audit::chained(self.0.db(), tenant, after, ends.head.number, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.position.number;
            count += page.len() as u64;
            for entry in &page {
                file::write_entry(&mut out.buffer, entry);
            }
            if out.flush_if_full().await.is_err() {
                return Ok(count);
            }
        }
        file::write_end(&mut out.buffer, ends.head);
        let _ = out.flush().await;
        Ok(count)
    }
}
