//! Orders, payments and amounts of money.

pub mod orders;

use crate::Statement;

/// All statements of the room.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [orders::statements()].concat()
}
