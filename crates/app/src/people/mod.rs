//! Contacts, identities, consent, imports, segments, teams and labels.

pub mod contacts;
pub mod imports;
pub mod labels;
pub mod segments;
pub(crate) mod teams;
