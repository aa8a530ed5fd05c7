//! Network accounts and their numbers, derived from the tenant's channels.

pub(in crate::v1) mod business_accounts;
pub(in crate::v1) mod phone_numbers;
pub(crate) mod shape;
