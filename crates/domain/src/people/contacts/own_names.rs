//! The names by which conditions and V1's attributes mean the contact's own name and number.

use super::contact::CustomParam;

/// The name by which conditions mean the contact's own name.
pub const OWN_NAME: &str = "name";
/// The name by which conditions mean the contact's own number.
pub const OWN_PHONE: &str = "phone";

/// Takes `name` and `phone` out of a list of attributes, among which V1 has the contact's own name and number. Returns
/// the value of `name`, if it is there, and the other attributes; that of `phone` is dropped.
pub fn without_own(params: Vec<CustomParam>) -> (Option<String>, Vec<CustomParam>) {
    let mut name = None;
    let attributes = params.into_iter().filter_map(|param| match param.name.as_str() {
        OWN_NAME => {
            name = Some(param.value);
            None
        }
        OWN_PHONE => None,
        _ => Some(param),
    });
    let attributes = attributes.collect();
    (name, attributes)
}
