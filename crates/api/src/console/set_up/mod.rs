//! One-time links: inspect one, redeem one by setting a password, request one by mail.

pub(super) mod inspect;
pub(super) mod redeem;
pub(super) mod request_reset;
