//! Network accounts and their numbers, derived from the tenant's channels.

pub(super) mod business_accounts;
pub(super) mod phone_numbers;
pub(crate) mod shape;
