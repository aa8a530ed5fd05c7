//! The whole build script, with fake programs in place of Node and npm that record how they are called.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::steps::{BuildEnvironment, run};

const FAKES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/web_console_tests/fakes");

/// A workspace with a small user interface and a target folder. Removed on drop.
pub struct Workspace {
    pub root: PathBuf,
}

impl Workspace {
    pub fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let workspace = Self { root };
        workspace.write("openapi/switchboard.json", "{}");
        workspace.write("openapi/console.json", "{}");
        workspace.write("ui/package.json", r#"{"engines": {"node": ">=20.19"}}"#);
        workspace.write("ui/package-lock.json", "{}");
        workspace.write("ui/.npmrc", "engine-strict=true");
        workspace.write("ui/src/main.ts", &"console.log('first');\n".repeat(20));
        workspace.write("target/CACHEDIR.TAG", "");
        workspace
    }

    pub fn write(&self, path: &str, content: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn out(&self, profile: &str) -> PathBuf {
        self.root.join("target").join(profile).join("build/web-console-1/out")
    }

    fn run_with(&self, profile: &str, ui: Option<&str>, path: impl Into<OsString>) -> Vec<String> {
        let out = self.out(profile);
        fs::create_dir_all(&out).unwrap();
        let environment =
            BuildEnvironment { workspace: self.root.clone(), out, ui: ui.map(OsString::from), path: path.into() };
        let mut cargo = Vec::new();
        run(&environment, &mut cargo, &mut |_| {}).unwrap();
        String::from_utf8(cargo).unwrap().lines().map(str::to_owned).collect()
    }

    /// Runs the build script with Node 20, and returns its instructions for cargo.
    fn build(&self) -> Vec<String> {
        self.run_with("debug", None, with_node())
    }

    /// The subcommands with which npm was called, in order.
    fn npm_calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.root.join("target/console/work/calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    fn table(&self) -> String {
        fs::read_to_string(self.out("debug").join("embedded.rs")).unwrap()
    }

    /// The content of the only embedded script.
    fn script(&self) -> String {
        assert!(self.table().contains("path: \"assets/index-12345678.js\""));
        let file = self.out("debug").join("files/0");
        if file.exists() { fs::read_to_string(file).unwrap() } else { decompressed(&file.with_extension("gz")) }
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn decompressed(file: &Path) -> String {
    std::io::read_to_string(flate2::read::GzDecoder::new(fs::File::open(file).unwrap())).unwrap()
}

fn with_node() -> String {
    format!("{FAKES}/node-20:/usr/bin:/bin")
}

/// The instructions whose text cargo shows: warnings and errors.
fn shown(cargo: &[String]) -> Vec<&str> {
    let shown = |line: &&str| line.starts_with("cargo::warning=") || line.starts_with("cargo::error=");
    cargo.iter().map(String::as_str).filter(shown).collect()
}

#[test]
fn a_second_build_does_not_run_npm() {
    let workspace = Workspace::new("second");
    let first = workspace.build();
    assert_eq!(shown(&first), [""; 0]);
    assert_eq!(workspace.npm_calls(), ["ci", "run"]);
    assert!(workspace.script().contains("first") && workspace.table().contains("ABSENCE: Option<Absence> = None"));
    assert_eq!(workspace.build(), first);
    // Neither for another profile, nor without Node on `PATH`.
    assert_eq!(shown(&workspace.run_with("release", Some("require"), "")), [""; 0]);
    assert_eq!(workspace.npm_calls(), ["ci", "run"]);
}

#[test]
fn a_branch_that_was_built_before_is_not_built_again() {
    let workspace = Workspace::new("branches");
    workspace.build();
    workspace.write("ui/src/main.ts", "second");
    workspace.build();
    assert_eq!(workspace.script(), "second");
    assert_eq!(workspace.npm_calls(), ["ci", "run", "run"], "the lock file is the same: packages stay installed");
    workspace.write("ui/src/main.ts", &"console.log('first');\n".repeat(20));
    workspace.build();
    assert!(workspace.script().contains("first"));
    workspace.write("ui/package-lock.json", "{\"changed\": 1}");
    workspace.build();
    assert_eq!(workspace.npm_calls(), ["ci", "run", "run", "ci", "run"]);
}

#[test]
fn the_source_tree_is_not_written_to() {
    let workspace = Workspace::new("read-only");
    let source = workspace.root.join("ui/src/main.ts");
    fs::set_permissions(&source, fs::Permissions::from_mode(0o444)).unwrap();
    workspace.build();
    let mut left: Vec<_> =
        fs::read_dir(workspace.root.join("ui")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".npmrc", "package-lock.json", "package.json", "src"]);
    fs::remove_file(&source).unwrap();
    workspace.write("ui/src/main.ts", "second");
    workspace.build();
    assert_eq!(workspace.script(), "second", "the copy can be written to");
}

#[test]
fn without_node_the_build_succeeds_with_a_warning() {
    for (name, path, cause) in [
        ("none", FAKES.to_owned(), "there is no Node on PATH"),
        ("no-npm", format!("{FAKES}/node-without-npm"), "there is no npm on PATH"),
        ("old", format!("{FAKES}/node-18"), "Node 18.19.0 is older than 20.19"),
    ] {
        let workspace = Workspace::new(name);
        let cargo = workspace.run_with("debug", None, &path);
        let [line] = shown(&cargo)[..] else { panic!("{cargo:?}") };
        assert!(line.starts_with("cargo::warning=") && line.contains(cause) && line.contains("Node 20"), "{line}");
        assert!(workspace.table().contains("Some(Absence::NodeMissing)"));
        for retry in ["cargo::rerun-if-env-changed=PATH".to_owned(), format!("cargo::rerun-if-changed={path}")] {
            assert!(cargo.contains(&retry), "{cargo:?}");
        }
        let required = workspace.run_with("debug", Some("require"), &path);
        assert!(shown(&required)[0].starts_with("cargo::error="), "{required:?}");
        assert_eq!(workspace.npm_calls(), [""; 0]);
        assert!(shown(&workspace.build()).is_empty() && !workspace.table().contains("Absence::NodeMissing"));
    }
}

#[test]
fn a_failed_build_is_one_line_and_tried_again() {
    for (name, step, cause) in [
        ("registry-away", "`npm ci` failed", "the package registry cannot be reached (ECONNREFUSED)"),
        ("broken", "`npm run build` failed", "error during build: src/main.ts: unexpected token"),
        ("makes-nothing", "`npm run build`", "made no dist/index.html"),
    ] {
        let workspace = Workspace::new(name);
        workspace.write(&format!("ui/src/{name}"), "");
        let cargo = workspace.build();
        let [line] = shown(&cargo)[..] else { panic!("{cargo:?}") };
        assert!(line.starts_with("cargo::warning=") && line.contains(step) && line.contains(cause), "{line}");
        assert!(workspace.table().contains("Some(Absence::BuildFailed)"));
        let retry = format!("cargo::rerun-if-changed={}", workspace.out("debug").join("retry").display());
        assert!(cargo.contains(&retry) && !workspace.out("debug").join("retry").exists());
        let calls = workspace.npm_calls().len();
        let required = workspace.run_with("debug", Some("require"), with_node());
        assert!(shown(&required)[0].starts_with("cargo::error="), "{required:?}");
        assert!(workspace.npm_calls().len() > calls, "it is tried again");
        fs::remove_file(workspace.root.join("ui/src").join(name)).unwrap();
        assert_eq!(shown(&workspace.build()), [""; 0]);
    }
}

#[test]
fn a_build_made_elsewhere_is_embedded() {
    let workspace = Workspace::new("elsewhere");
    workspace.write("made/index.html", "elsewhere");
    workspace.write("made/assets/index-12345678.js", "let made;");
    let cargo = workspace.run_with("debug", Some("made"), "");
    assert_eq!(workspace.script(), "let made;");
    let watched = format!("cargo::rerun-if-changed={}", workspace.root.join("made").display());
    assert_eq!(cargo, ["cargo::rerun-if-env-changed=SWITCHBOARD_UI".to_owned(), watched]);

    let wrong = workspace.run_with("debug", Some("ui"), with_node());
    let [line] = shown(&wrong)[..] else { panic!("{wrong:?}") };
    assert!(line.starts_with("cargo::error=") && line.contains("no index.html"), "{line}");
}

#[test]
fn switched_off_nothing_is_looked_for() {
    let workspace = Workspace::new("off");
    let cargo = workspace.run_with("debug", Some("off"), with_node());
    assert_eq!(cargo, ["cargo::rerun-if-env-changed=SWITCHBOARD_UI"]);
    assert!(workspace.table().contains("Some(Absence::SwitchedOff)") && workspace.npm_calls().is_empty());
}

#[test]
fn only_what_is_smaller_is_embedded_compressed() {
    let workspace = Workspace::new("compressed");
    workspace.build();
    let files = workspace.out("debug").join("files");
    let source = fs::read_to_string(workspace.root.join("ui/src/main.ts")).unwrap();
    assert_eq!(decompressed(&files.join("0.gz")), source);
    assert!(fs::read(files.join("0.gz")).unwrap().len() < source.len());
    assert!(!files.join("0").exists() && workspace.table().contains("content: Stored::Gzip("));
    workspace.write("ui/src/main.ts", "short");
    workspace.build();
    assert_eq!(fs::read_to_string(files.join("0")).unwrap(), "short");
    assert!(!files.join("0.gz").exists() && workspace.table().contains("content: Stored::Plain("));
}

#[test]
fn old_results_are_removed() {
    let workspace = Workspace::new("oldest");
    for number in 0..25 {
        workspace.write("ui/src/main.ts", &number.to_string());
        workspace.build();
    }
    assert_eq!(fs::read_dir(workspace.root.join("target/console/built")).unwrap().count(), 20);
}
