//! The tenant's own account with the installation.

pub(super) mod credits;
pub(super) mod operators;
