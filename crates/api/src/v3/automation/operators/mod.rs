//! Operators: their presence, and what they have to do.

pub(in crate::v3) mod list;
pub(in crate::v3) mod presence;
mod shape;
