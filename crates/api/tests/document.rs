//! The OpenAPI document as a reviewed file: the console's client is made from it, and changes are seen in review.

use std::path::Path;

#[test]
fn the_reviewed_document_is_the_present_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi/switchboard.json");
    let present = api::openapi().to_pretty_json().unwrap() + "\n";
    if std::env::var_os("SWITCHBOARD_WRITE_OPENAPI").is_some() {
        std::fs::write(&path, &present).unwrap();
    }
    let reviewed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        reviewed == present,
        "openapi/switchboard.json is old: run `SWITCHBOARD_WRITE_OPENAPI=1 cargo nextest run -p api document` and look at the difference"
    );
}

#[test]
fn every_error_code_is_unique_and_begins_with_its_status() {
    let kinds = api::catalogue();
    for (i, kind) in kinds.iter().enumerate() {
        assert_eq!(u32::from(kind.status().as_u16()), kind.code / 100, "{}", kind.reason);
        assert!(
            kinds[..i].iter().all(|other| other.code != kind.code && other.reason != kind.reason),
            "{}",
            kind.reason
        );
    }
}

/// Operations never use OAuth scopes: permissions stand in their own extension.
#[test]
fn security_names_the_bearer_scheme_without_scopes() {
    let document = serde_json::to_value(api::openapi()).unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let public = operation["x-service-permissions"]["public"] == true;
            let expected = if public { serde_json::json!([{}]) } else { serde_json::json!([{"bearer": []}]) };
            assert_eq!(operation["security"], expected, "{method} {path}");
            assert!(operation["description"].as_str().unwrap().contains("**Permissions**"), "{method} {path}");
        }
    }
}
