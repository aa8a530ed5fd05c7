//! The sandbox's side of the network: its people, their messages, small records, media and the webhooks that it will
//! post. Knows nothing of what a document says.

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
