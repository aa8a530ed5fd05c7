//! The people a business talks to: contacts, their identities and consent, imports, segments, teams and labels.

pub mod contacts;
pub mod imports;
pub mod labels;
pub mod segments;
pub mod teams;

use crate::Statement;

/// All statements of the room.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [contacts::statements(), imports::statements(), labels::statements(), segments::statements(), teams::statements()]
        .concat()
}
