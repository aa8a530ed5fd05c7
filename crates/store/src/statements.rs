//! One module of statements for each area. Functions for rows of a tenant take its id, and their statements name it, so
//! rows of other tenants are out of reach. The few statements across tenants say why (`tenantless`).

use crate::{Statement, base, calls, commerce, delivery, identity, inbox, messaging, people, platform};

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
        platform::statements(),
    ]
    .concat()
}
