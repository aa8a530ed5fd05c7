//! Orders and payments over the wire, on both databases: every operation of V1 and V3, payments, exports, limits and
//! bad input.

mod bad_input;
mod bad_moves;
mod export;
pub(crate) mod limits;
mod normalize;
mod paid;
mod v1;
mod v3;
pub(crate) mod world;
