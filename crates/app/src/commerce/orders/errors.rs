//! Turns errors of the domain's checks into errors of the request.

use domain::commerce::orders::MemberProblem;

use crate::Error;

/// The error names the member of the first problem; its message lists all problems.
pub(super) fn invalid_order(problems: &[MemberProblem]) -> Error {
    let Some((first, others)) = problems.split_first() else { return Error::invalid("order", "is not valid") };
    let others: Vec<String> = others.iter().map(ToString::to_string).collect();
    match others.as_slice() {
        [] => Error::invalid(&first.path, &first.message),
        others => Error::invalid(&first.path, format!("{}; {}", first.message, others.join("; "))),
    }
}
