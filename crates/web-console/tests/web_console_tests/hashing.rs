//! Which files count as sources, and when the hash of the sources changes.

use std::fs;
use std::path::Path;

use crate::building::Workspace;
use crate::steps::sources::{Sources, is_source};

fn hash(workspace: &Workspace) -> String {
    Sources::read(&workspace.root).unwrap().hash()
}

#[test]
fn sources_are_what_the_build_reads() {
    for path in [
        "package.json",
        "package-lock.json",
        ".npmrc",
        "vite.config.ts",
        "index.html",
        "public/icon.svg",
        "scripts/generate.mjs",
        "src/main.ts",
        "src/generated-by-hand.ts",
        "src/lib/tests.ts",
    ] {
        assert!(is_source(path), "{path}");
    }
    for path in [
        "node_modules",
        "node_modules/svelte/package.json",
        "dist/index.html",
        "src/generated/api.ts",
        "tests/router.test.ts",
        "README.md",
        ".gitignore",
        "src/.main.ts.swp",
        "src/main.ts~",
    ] {
        assert!(!is_source(path), "{path}");
    }
}

#[test]
fn the_hash_follows_from_paths_and_contents_alone() {
    let (one, two) = (Workspace::new("hash-one"), Workspace::new("hash-two"));
    let first = hash(&one);
    assert_eq!(first, hash(&two), "the place of a clone makes no difference");
    assert_eq!(first.len(), 32);

    one.write("ui/node_modules/left-pad/index.js", "module.exports = 1");
    one.write("ui/dist/index.html", "built by hand");
    one.write("ui/src/generated/api.ts", "export {}");
    one.write("ui/tests/some.test.ts", "test()");
    one.write("ui/src/main.ts", &fs::read_to_string(two.root.join("ui/src/main.ts")).unwrap());
    assert_eq!(first, hash(&one), "what is no source makes no difference");

    for (path, content) in [
        ("ui/src/main.ts", "changed"),
        ("ui/src/new.ts", ""),
        ("ui/package-lock.json", "{\"changed\": 1}"),
        ("ui/.npmrc", "engine-strict=false"),
        ("openapi/switchboard.json", "{\"openapi\": \"3.1.1\"}"),
        ("openapi/console.json", "{\"openapi\": \"3.1.1\"}"),
    ] {
        let before = hash(&one);
        one.write(path, content);
        assert_ne!(before, hash(&one), "{path}");
    }
}

#[test]
fn a_name_and_its_content_are_kept_apart() {
    let (one, two) = (Workspace::new("apart-one"), Workspace::new("apart-two"));
    one.write("ui/src/ab", "c");
    two.write("ui/src/a", "bc");
    assert_ne!(hash(&one), hash(&two));
}

/// Cargo watches a folder with everything in it. If a watched folder had generated files, each build would cause
/// another.
#[test]
fn nothing_that_npm_writes_is_watched() {
    let workspace = Workspace::new("watched");
    workspace.write("ui/src/lib/api/client.ts", "");
    workspace.write("ui/src/generated/api.ts", "");
    workspace.write("ui/node_modules/svelte/index.js", "");
    workspace.write("ui/public/icon.svg", "");
    let sources = Sources::read(&workspace.root).unwrap();
    let watched = sources.watched().iter().map(|path| path.strip_prefix(&workspace.root).unwrap());
    let expected = [
        "openapi/console.json",
        "openapi/switchboard.json",
        "ui/.npmrc",
        "ui/package-lock.json",
        "ui/package.json",
        "ui/public",
        "ui/src/lib",
        "ui/src/main.ts",
    ];
    assert_eq!(watched.collect::<Vec<_>>(), expected.map(Path::new));
}

#[test]
fn a_workspace_without_a_user_interface_has_no_sources() {
    let workspace = Workspace::new("no-sources");
    fs::remove_file(workspace.root.join("ui/package.json")).unwrap();
    assert!(Sources::read(&workspace.root).unwrap().is_empty());
    for document in ["openapi/switchboard.json", "openapi/console.json"] {
        let workspace = Workspace::new("no-document");
        fs::remove_file(workspace.root.join(document)).unwrap();
        assert!(Sources::read(&workspace.root).unwrap().is_empty());
    }
}
