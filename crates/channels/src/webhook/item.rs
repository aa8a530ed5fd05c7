//! An element of a list in a webhook's value, as the parsers of its type receive it.

use serde_json::Value;

use super::model::Person;
use super::object::Object;

/// An element of a list, with its context.
pub(super) struct Item<'a> {
    pub object: Object<'a>,
    /// The element's JSON text.
    pub raw: &'a str,
    /// The contact that the element is about.
    pub contact: Option<&'a Person>,
    /// The `errors` of the value, where they belong to this item.
    pub errors: Option<&'a Value>,
}
