//! What operations of several versions share, by room.

pub(crate) mod calls;
pub(crate) mod commerce;
pub(crate) mod delivery;
pub(crate) mod messaging;
pub(crate) mod people;
