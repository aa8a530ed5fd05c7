//! Routing: its rules, the conversations that wait, and the operators.

pub mod operators;
pub mod rules;
pub mod waiting;

use crate::Statement;

pub(crate) fn statements() -> Vec<&'static Statement> {
    [operators::statements(), rules::statements(), waiting::statements()].concat()
}
