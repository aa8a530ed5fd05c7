//! Errors that are about one member of an input.

use std::borrow::Cow;

/// A rule that one member of an input breaks. Displays as the rule alone: each version of the API spells the member in
/// its own way.
pub trait MemberError: std::error::Error {
    /// The path of the member, as in `customParams[1].name`.
    fn member(&self) -> Cow<'static, str>;
}
