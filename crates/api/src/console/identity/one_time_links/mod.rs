//! One-time links: inspect one, redeem one with a password or accept it in a session, request one by mail.

pub(in crate::console) mod accept;
pub(in crate::console) mod inspect;
pub(in crate::console) mod redeem;
pub(in crate::console) mod request_reset;
