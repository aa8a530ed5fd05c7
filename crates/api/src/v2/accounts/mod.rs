//! Network accounts and their numbers.

pub(super) mod profile;
