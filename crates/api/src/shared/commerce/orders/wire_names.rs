//! Renames members in errors to the names that the request has for them.

use app::Error;

use crate::shared::messaging::messages::rename_member;

/// Renames the member that an error is about. `params` is the version's name for the values of a template.
pub(crate) fn with_wire_names(error: Error, params: &str) -> Error {
    let named = |parameter: String| {
        let parameter = rename_member(&parameter, "custom_params", params);
        rename_member(&parameter, "header.link", "header.media.url")
    };
    match error {
        Error::Invalid { parameter, message } => Error::Invalid { parameter: named(parameter), message },
        Error::Refused { cause, parameter, message } => Error::Refused { cause, parameter: named(parameter), message },
        other => other,
    }
}
