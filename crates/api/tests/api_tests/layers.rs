//! Dependencies between the crates point one way, and `api` does not depend on `store`.

use std::path::{Path, PathBuf};

/// The crates of the workspace that each one depends on, not counting those for its tests.
const LAYERS: [(&str, &[&str]); 9] = [
    ("domain", &[]),
    ("store", &["domain"]),
    ("channels", &["domain"]),
    ("app", &["channels", "domain", "store"]),
    ("sandbox", &["app", "channels", "domain", "store"]),
    ("api", &["app", "channels", "domain", "sandbox"]),
    ("workers", &["app", "domain", "store"]),
    ("web-console", &[]),
    ("server", &["api", "app", "channels", "domain", "sandbox", "store", "web-console", "workers"]),
];

pub(crate) fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The crates of the workspace under `[dependencies]` of a manifest.
fn dependencies(manifest: &str) -> Vec<&str> {
    let own = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let own = own.take_while(|line| !line.starts_with('['));
    let names = own.filter_map(|line| line.split(['.', ' ', '=']).next());
    let mut names: Vec<&str> = names.filter(|name| LAYERS.iter().any(|(known, _)| known == name)).collect();
    names.sort_unstable();
    names
}

#[test]
fn dependencies_point_one_way() {
    for (name, allowed) in LAYERS {
        let manifest = std::fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        assert_eq!(dependencies(&manifest), allowed, "{name}");
    }
}

/// The source files below a folder, with their texts.
pub(crate) fn sources(folder: PathBuf) -> Vec<(PathBuf, String)> {
    let (mut folders, mut found) = (vec![folder], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found
}

#[test]
fn app_hands_on_nothing_of_the_store() {
    for (path, text) in sources(crates().join("app/src")) {
        assert!(!text.contains("pub use store::"), "{}", path.display());
    }
}
