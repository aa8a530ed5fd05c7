//! V3: activity, credits and sandbox.

pub(super) mod activity;
pub(crate) mod credits;
pub(crate) mod sandbox;
