//! Rows of the sandbox: simulated people, their messages, records, media and the webhooks to post. Documents are opaque
//! JSON.

pub mod due;
pub mod media;
pub mod messages;
pub mod people;
pub mod records;

use crate::Statement;

pub(crate) fn statements() -> Vec<&'static Statement> {
    [due::statements(), media::statements(), messages::statements(), people::statements(), records::statements()]
        .concat()
}
