//! Network accounts and their numbers.

pub(in crate::v2) mod phone_numbers;
pub(in crate::v2) mod profile;
