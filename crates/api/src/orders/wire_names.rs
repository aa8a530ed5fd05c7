//! Errors under the names that the wire has for their members.

use app::Error;

use crate::messages::renamed;

/// `params` is what the version calls the values of a template.
pub(crate) fn with_wire_names(error: Error, params: &str) -> Error {
    let named = |parameter: String| {
        let parameter = renamed(&parameter, "custom_params", params);
        renamed(&parameter, "header.link", "header.media.url")
    };
    match error {
        Error::Invalid { parameter, message } => Error::Invalid { parameter: named(parameter), message },
        Error::Refused { cause, parameter, message } => Error::Refused { cause, parameter: named(parameter), message },
        other => other,
    }
}
