//! Accounts of the network and their numbers, as far as the tenant's channels know them.

pub(super) mod business_accounts;
pub(crate) mod phone_numbers;
pub(crate) mod shape;
