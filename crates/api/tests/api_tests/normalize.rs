//! Snapshots of answers: values that differ from run to run are replaced by their names.

use serde_json::Value;

/// Visits every member of an answer, and every element of a list under an empty name. `replace` returns whether it
/// replaced the value; otherwise the parts of the value are visited.
pub fn normalized(mut value: Value, replace: impl Fn(&str, &mut Value) -> bool + Copy) -> Value {
    visit(&mut value, replace);
    value
}

fn visit(value: &mut Value, replace: impl Fn(&str, &mut Value) -> bool + Copy) {
    let visit_part = |name: &str, part: &mut Value| {
        if !replace(name, part) {
            visit(part, replace);
        }
    };
    match value {
        Value::Array(list) => list.iter_mut().for_each(|part| visit_part("", part)),
        Value::Object(members) => members.iter_mut().for_each(|(name, part)| visit_part(name, part)),
        _ => {}
    }
}
