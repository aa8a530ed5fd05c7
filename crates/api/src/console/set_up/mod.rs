//! One-time links: what they are for, and the password that they set.

pub(super) mod inspect;
pub(super) mod redeem;
pub(super) mod request_reset;
