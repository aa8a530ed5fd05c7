//! Turns errors of the domain's checks into errors of the request.

use domain::Field;
use domain::commerce::orders::MemberProblem;

use crate::Error;

/// The error is about the place of the first problem; its message lists all problems.
pub(super) fn invalid_order(problems: &[MemberProblem]) -> Error {
    let Some((first, others)) = problems.split_first() else { return Error::invalid(Field::Order, "is not valid") };
    let others: Vec<String> = others.iter().map(ToString::to_string).collect();
    match others.as_slice() {
        [] => Error::invalid(&first.place, &first.message),
        others => Error::invalid(&first.place, format!("{}; {}", first.message, others.join("; "))),
    }
}
