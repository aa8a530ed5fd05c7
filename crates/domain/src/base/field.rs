//! Errors about one member of a request.

use std::borrow::Cow;

/// An error about one member of a request. Its text does not name the member, which each version of the API spells
/// differently.
pub trait MemberError: std::error::Error {
    /// The path of the member, as in `customParams[1].name`.
    fn member(&self) -> Cow<'static, str>;
}
