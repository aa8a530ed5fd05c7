//! The page of the OpenAPI document: what it loads is embedded, and nothing else is.

use std::ffi::OsString;
use std::fs;
use std::io::{Cursor, Write as _, sink};

use web_console::api_docs::{SECURITY_HEADERS, answer, files, find};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::docs::workspace;
use crate::steps::{BuildEnvironment, run_api_docs};

fn body(path: &str) -> String {
    let asset = find(path).unwrap_or_else(|| panic!("no {path}"));
    String::from_utf8(asset.content.plain().to_vec()).unwrap()
}

#[test]
fn only_what_the_page_loads_is_embedded() {
    let page = body("");
    let after = |mark: &'static str| page.split(mark).skip(1).filter_map(|rest| rest.split('"').next());
    let mut loaded: Vec<&str> = after("src=\"./").chain(after("href=\"./")).collect();
    loaded.push("index.html");
    loaded.sort_unstable();
    assert_eq!(files().collect::<Vec<_>>(), loaded);
}

#[test]
fn the_page_shows_the_document_and_keeps_no_token() {
    let settings = body("swagger-initializer.js");
    for setting in [
        "dom_id: '#swagger-ui',",
        "url: '/api/openapi.json',",
        "deepLinking: true,",
        "tryItOutEnabled: true,",
        "persistAuthorization: false,",
        "layout: 'StandaloneLayout',",
    ] {
        assert!(settings.contains(setting), "{setting} in {settings}");
    }
    assert!(body("").contains("<title>Switchboard API</title>"));
}

#[test]
fn every_answer_has_the_security_headers() {
    assert_eq!(
        SECURITY_HEADERS[0].1,
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    for path in ["", "swagger-ui.css", "nothing.js"] {
        let answer = answer(path, Some("gzip"), None);
        for (name, value) in SECURITY_HEADERS {
            assert!(answer.headers.contains(&(name, value.to_owned())), "{name} of {path}");
        }
    }
    let page = body("");
    assert!(page.split("<script").skip(1).all(|script| script.starts_with(" src=\"./")), "{page}");
}

#[test]
fn files_that_the_page_does_not_load_are_missing() {
    for path in ["swagger-ui.js", "swagger-ui-es-bundle.js", "dist/swagger-ui.css", "/", "../index.html"] {
        let answer = answer(path, None, Some("*"));
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.headers.contains(&("cache-control", "no-store".to_owned())), "{path}");
    }
    assert_eq!(answer("", None, Some("*")).status, 304);
}

/// A release of Swagger UI with these files, each of which contains its name.
fn release(names: &[&str]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for name in names {
        archive.start_file(format!("swagger-ui-0/dist/{name}"), SimpleFileOptions::default()).unwrap();
        archive.write_all(name.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn the_build_takes_what_the_page_loads_and_says_what_a_release_lacks() {
    let out = std::env::temp_dir().join(format!("switchboard-api-docs-{}", std::process::id()));
    let environment = BuildEnvironment { workspace: workspace(), out: out.clone(), ui: None, path: OsString::new() };
    let names = [
        "swagger-ui.css",
        "swagger-ui.js",
        "swagger-ui-bundle.js",
        "swagger-ui-standalone-preset.js",
        "favicon-32x32.png",
        "index.css",
    ];
    let mut cargo = Vec::new();
    run_api_docs(&environment, &release(&names), &mut cargo).unwrap();
    let watched = workspace().join("crates/web-console/api-docs");
    assert_eq!(String::from_utf8(cargo).unwrap(), format!("cargo::rerun-if-changed={}\n", watched.display()));
    let table = fs::read_to_string(out.join("embedded_api_docs.rs")).unwrap();
    assert!(table.contains("path: \"swagger-ui-bundle.js\""), "{table}");
    assert!(!table.contains("path: \"swagger-ui.js\""), "{table}");
    assert_eq!(fs::read_to_string(out.join("api_docs_files/0")).unwrap(), "favicon-32x32.png");

    let error = run_api_docs(&environment, &release(&names[1..]), &mut sink()).unwrap_err();
    assert!(error.to_string().contains("/dist/swagger-ui.css"), "{error}");
    fs::remove_dir_all(out).unwrap();
}
