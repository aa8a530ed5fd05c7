//! One module of statements for each area. Functions for rows of a tenant take its id, and their statements name it, so
//! rows of other tenants are out of reach. The few statements across tenants say why (`tenantless`).

use crate::base::postgres::shards::DISCOVERIES;
use crate::{Statement, automation, base, calls, commerce, delivery, identity, inbox, messaging, people, platform};

/// All statements that are known before they run, so without those that backup, restore, export and deletion compose
/// for a table, and with a sample of those of the call list. Tests prepare them on both engines and check that each
/// names its tenant or says why not.
pub fn statements() -> Vec<&'static Statement> {
    [
        base::statements(),
        identity::statements(),
        people::statements(),
        messaging::statements(),
        inbox::statements(),
        commerce::statements(),
        calls::statements(),
        delivery::statements(),
        automation::statements(),
        platform::statements(),
    ]
    .concat()
}

/// The reads across tenants that leave out the tenants of workers that are away.
pub fn limited_reads() -> Vec<&'static Statement> {
    statements().into_iter().filter(|statement| DISCOVERIES.contains(&statement.name())).collect()
}
