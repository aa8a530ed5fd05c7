//! Errors of a template request: problems of the template, and refusals of the network.

use channels::graph::{Class, GraphError};
use domain::Field;
use domain::messaging::templates::MemberProblem;

use crate::{Cause, Error};

/// The network's subcode for a name that is already used in this language.
pub(super) const NAME_EXISTS: i32 = 2_388_024;

pub(super) fn invalid_template(problem: MemberProblem) -> Error {
    Error::invalid(problem.place, problem.message)
}

/// The error for a failed call. It quotes the network's own message, except for a name that is in use.
pub(super) fn network_error(error: &GraphError) -> Error {
    match error.class {
        Class::Refuse if error.subcode == Some(NAME_EXISTS) => {
            Error::conflict(Field::Name, "the network already has a template with this name and language")
        }
        Class::Refuse => {
            Error::refused(Cause::NetworkRefused, Field::Template, format!("the network refused it: {error}"))
        }
        _ => Error::refused(Cause::NetworkUnavailable, Field::Template, error),
    }
}
