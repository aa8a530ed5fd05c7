//! Network accounts and their numbers.

pub(super) mod phone_numbers;
pub(super) mod profile;
