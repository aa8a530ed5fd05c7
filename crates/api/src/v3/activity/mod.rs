//! What charts show.

pub(super) mod daily;
