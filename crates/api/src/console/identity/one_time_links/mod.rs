//! One-time links: inspect one, redeem one by setting a password, request one by mail.

pub(in crate::console) mod inspect;
pub(in crate::console) mod redeem;
pub(in crate::console) mod request_reset;
