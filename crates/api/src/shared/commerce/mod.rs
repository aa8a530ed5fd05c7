//! Orders and payments, as several versions spell them.

pub(crate) mod orders;
