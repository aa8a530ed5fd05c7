//! The lease under which one process works on an import.

use domain::{ImportId, TenantId};

/// Lease duration: another node may take over this long after the holder's last batch.
pub(super) const LEASE_SECONDS: i64 = 30;

/// An import claimed by this process. `holder` is random for each claim, so a second claim of the same process fences
/// the first.
#[derive(Debug, Clone)]
pub(super) struct ImportLease {
    pub tenant: TenantId,
    pub import: ImportId,
    pub holder: String,
}

pub(super) fn new_holder() -> String {
    format!("{:016x}", rand::random::<u64>())
}
