//! Credits and operators of the tenant.

pub(super) mod credits;
pub(super) mod operators;
