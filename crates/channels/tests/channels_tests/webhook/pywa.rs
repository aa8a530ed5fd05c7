//! Our webhook parser and the Python library pywa must read the samples alike, except for those listed here.

use super::pywa_reading::{compare, read_with_pywa};
use super::{record, samples, samples_folder};

/// Includes this one file of `testkit`, because the crate itself depends on most of the workspace.
#[expect(dead_code, reason = "this test runs a program of the Python environment only")]
#[path = "../../../../testkit/src/tools.rs"]
mod tools;

/// Samples that pywa does not parse, or only with members that the network does not guarantee.
const NOT_READ: [&str; 11] = [
    "account_alert",
    "errors",
    "group_create",
    "history",
    "link_click",
    "number_name",
    "number_quality",
    "smb_message_echo",
    "status_failed",
    "system_changed_user_id",
    "user_id_update",
];

/// Samples that pywa parses differently: several statuses, the first of several changes, a payment as a message.
const READ_OTHERWISE: [&str; 5] = ["batch", "payment_captured", "payment_failed", "payment_refunded", "status_group"];

#[test]
fn pywa_parses_the_same() {
    let files = samples().into_iter().map(|(name, _)| samples_folder().join(format!("{name}.json")));
    let readings = read_with_pywa(tools::python_program("python"), files);
    let unread: Vec<&str> =
        readings.iter().filter(|(_, reading)| reading.is_none()).map(|(name, _)| name.as_str()).collect();
    assert_eq!(unread, NOT_READ);
    let mut compared = 0;
    for (name, reading) in &readings {
        let Some(reading) = reading.as_ref().filter(|_| !READ_OTHERWISE.contains(&name.as_str())) else { continue };
        compare(name, &record(name), reading);
        compared += 1;
    }
    assert!(compared >= 50, "{compared} samples compared");
}
