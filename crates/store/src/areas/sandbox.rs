//! Rows of the sandbox: simulated people, their messages, records, media and the webhooks to post. Documents are opaque
//! JSON.

pub mod due;
pub mod media;
pub mod messages;
pub mod people;
pub mod records;

use crate::Statement;

pub(crate) fn statements() -> impl Iterator<Item = &'static Statement> {
    [people::STATEMENTS, messages::STATEMENTS, records::STATEMENTS, media::STATEMENTS, due::STATEMENTS]
        .into_iter()
        .flatten()
        .copied()
}
