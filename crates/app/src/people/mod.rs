//! The people a business talks to: contacts, their identities and consent, imports, segments, teams and labels.

pub mod contacts;
pub mod imports;
pub mod labels;
mod room;
pub mod segments;
pub mod teams;

pub use room::People;
