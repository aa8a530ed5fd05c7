//! Contacts, as several versions spell them.

pub(crate) mod contacts;
