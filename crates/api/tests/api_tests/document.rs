//! The OpenAPI document and the table of errors are files in the repository: changes are seen in review, and the
//! console's client is generated from the document.

use testkit::generated::assert_generated;

#[test]
fn the_reviewed_documents_are_the_present_ones() {
    for (file, text) in [("openapi/switchboard.json", api::openapi()), ("openapi/console.json", api::console_openapi())]
    {
        assert!(!text.contains(domain::base::schema::INLINE), "{file} refers to a schema that is not in it");
        assert_generated(file, &text);
    }
}

/// The text above the table in `docs/errors.md`.
const ERRORS_HEAD: &str = r#"# Errors

Every error response says what went wrong, for programs and for people: match on `reason` or `code`, and show `message` to users.

```
$ curl -H "Authorization: Bearer $T" "$B/api/ext/v3/calls?limit=101"
{"code":40001,"message":"limit: expected a whole number from 1 to 100","timestamp":"2026-11-16T02:22:34.294Z","reason":"invalid_parameter","parameter":"limit"}
```

Every error body contains `code`, `message`, `timestamp` and `reason`. Some errors add details, such as `parameter`, `required_any_of` and `granted`. The code is the HTTP status followed by two digits. V1 and V2 report business failures with HTTP 200, `result: false` and `info`.

| code | reason | meaning |
|---|---|---|
"#;

#[test]
fn the_table_of_errors_in_the_docs_is_the_catalogue() {
    let rows = api::catalogue().iter().fold(ERRORS_HEAD.to_owned(), |text, kind| {
        text + &format!("| {} | `{}` | {} |\n", kind.code, kind.reason, kind.meaning)
    });
    assert_generated("docs/errors.md", &rows);
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

/// Operations never use OAuth scopes: permissions are in an extension of their own.
#[test]
fn security_names_the_bearer_scheme_without_scopes() {
    let document = serde_json::from_str::<serde_json::Value>(&api::openapi()).unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let public = operation["x-service-permissions"]["public"] == true;
            let expected = if public { serde_json::json!([{}]) } else { serde_json::json!([{"bearer": []}]) };
            assert_eq!(operation["security"], expected, "{method} {path}");
            assert!(operation["description"].as_str().unwrap().contains("**Permissions**"), "{method} {path}");
        }
    }
}
