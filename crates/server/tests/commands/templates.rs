//! `switchboard template`.

use serde_json::json;

use crate::run::Folder;

#[test]
fn templates_are_listed_and_a_missing_one_is_an_error() {
    let folder = Folder::with_tenant();
    assert_eq!(folder.json("template list --tenant 100138"), json!([]));
    assert_eq!(folder.json("template list --tenant 100138 --channel Sandbox --name x"), json!([]));
    assert_eq!(folder.fails(1, "template list --tenant 7").0, "not_found");
    assert_eq!(folder.fails(1, "template list --tenant 100138 --channel Nowhere").0, "not_found");
    assert_eq!(folder.fails(1, "template show 507f1f77bcf86cd799439011 --tenant 100138").0, "not_found");
    assert_eq!(folder.fails(1, "template delete 507f1f77bcf86cd799439011 --yes").0, "not_found");
    assert_eq!(folder.fails(2, "template show nonsense --tenant 100138").0, "usage");
}

#[test]
fn the_sandbox_is_asked_at_the_running_server() {
    let folder = Folder::with_tenant();
    let (kind, message) = folder.fails(1, "template sync --tenant 100138");
    assert_eq!(kind, "unavailable");
    assert!(message.contains("switchboard serve"), "{message}");
    assert_eq!(folder.fails(1, "template sync --tenant 7").0, "not_found");
}
