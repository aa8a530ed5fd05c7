//! What the build script does for each combination of setting, earlier result and toolchain, and how it words the
//! reason.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::steps::npm::cause_of;
use crate::steps::plan::{Absence, Action, UiSetting, cargo_line, choose};
use crate::steps::toolchain::{Toolchain, Tools, node_required};

fn tools() -> Tools {
    Tools { npm: PathBuf::from("/usr/bin/npm") }
}

fn toolchains() -> [fn() -> Toolchain; 4] {
    [
        || Toolchain::Usable(tools()),
        || Toolchain::NodeMissing,
        || Toolchain::NpmMissing,
        || Toolchain::NodeTooOld { found: "18.19.0".to_owned(), required: "20.19".to_owned() },
    ]
}

#[test]
fn the_setting_is_a_word_or_a_folder() {
    let parse = |value: &str| UiSetting::parse(Some(OsStr::new(value)), Path::new("/clone"));
    assert_eq!(UiSetting::parse(None, Path::new("/clone")), UiSetting::Auto);
    assert_eq!(parse(""), UiSetting::Auto);
    assert_eq!(parse("require"), UiSetting::Require);
    assert_eq!(parse("off"), UiSetting::Off);
    assert_eq!(parse("ui/dist"), UiSetting::Folder("/clone/ui/dist".into()));
    assert_eq!(parse("/elsewhere/dist"), UiSetting::Folder("/elsewhere/dist".into()));
}

#[test]
fn an_earlier_result_needs_no_toolchain() {
    for setting in [UiSetting::Auto, UiSetting::Require] {
        let unasked = || panic!("the toolchain is not looked for");
        let action = choose(&setting, true, Some("/target/console/built/1".into()), unasked);
        assert_eq!(action, Action::EmbedCached("/target/console/built/1".into()));
    }
}

#[test]
fn without_an_earlier_result_the_toolchain_decides() {
    for setting in [UiSetting::Auto, UiSetting::Require] {
        for toolchain in toolchains() {
            let expected = match toolchain() {
                Toolchain::Usable(tools) => Action::Build(tools),
                missing => Action::EmbedNothing(Absence::Toolchain(missing)),
            };
            assert_eq!(choose(&setting, true, None, toolchain), expected);
            let nothing = choose(&setting, false, None, toolchain);
            assert_eq!(nothing, Action::EmbedNothing(Absence::SourcesMissing));
        }
    }
}

#[test]
fn a_given_folder_and_off_need_neither() {
    let folder = UiSetting::Folder("/elsewhere".into());
    for cached in [None, Some(PathBuf::from("/target/console/built/1"))] {
        for toolchain in toolchains() {
            let action = choose(&folder, true, cached.clone(), toolchain);
            assert_eq!(action, Action::EmbedFolder("/elsewhere".into()));
            let action = choose(&UiSetting::Off, true, cached.clone(), toolchain);
            assert_eq!(action, Action::EmbedNothing(Absence::SwitchedOff));
        }
    }
}

#[test]
fn an_absence_is_one_line_that_says_what_to_do() {
    let too_old = || Toolchain::NodeTooOld { found: "18.19.0".to_owned(), required: "20.19".to_owned() };
    for (absence, expected) in [
        (Absence::Toolchain(Toolchain::NodeMissing), "there is no Node on PATH. Install Node 20"),
        (Absence::Toolchain(Toolchain::NpmMissing), "there is no npm on PATH. Install Node 20"),
        (Absence::Toolchain(too_old()), "Node 18.19.0 is older than 20.19. Install Node 20"),
        (Absence::BuildFailed("`npm ci` failed: no space".to_owned()), "`npm ci` failed: no space. Mend that"),
        (Absence::SourcesMissing, "SWITCHBOARD_UI=FOLDER"),
    ] {
        for (setting, kind) in [(UiSetting::Auto, "warning"), (UiSetting::Require, "error")] {
            let line = cargo_line(&setting, &absence).unwrap();
            assert!(line.starts_with(&format!("cargo::{kind}=The console is not part of this build: ")), "{line}");
            assert!(line.contains(expected) && !line.contains('\n'), "{line}");
        }
    }
    assert_eq!(cargo_line(&UiSetting::Off, &Absence::SwitchedOff), None);
    let folder = cargo_line(&UiSetting::Folder("/elsewhere".into()), &Absence::NotBuilt("/elsewhere".into())).unwrap();
    assert!(folder.starts_with("cargo::error=") && folder.contains("/elsewhere"), "{folder}");
}

#[test]
fn the_required_node_is_that_of_the_package() {
    assert_eq!(node_required(r#"{"engines": {"npm": ">=9", "node": ">=20.19"}}"#).as_deref(), Some("20.19"));
    assert_eq!(node_required(r#"{"engines": {"node": ">= 22"}}"#).as_deref(), Some("22"));
    for other in [r#"{"engines": {"node": "^20 || 22"}}"#, r#"{"engines": {}, "node": ">=20"}"#, "{}", ""] {
        assert_eq!(node_required(other), None, "{other}");
    }
    let package = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/package.json"));
    assert!(node_required(&package.unwrap()).unwrap().starts_with("20"), "the texts say Node 20");
}

#[test]
fn the_cause_of_a_failure_is_the_line_that_says_most() {
    for (output, expected) in [
        (
            "npm error code ENOTFOUND\nnpm error errno ENOTFOUND\nnpm error network request to x failed\n",
            "the package registry cannot be reached (ENOTFOUND)",
        ),
        (
            "npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install packages when they are in sync.\n",
            "`npm ci` can only install packages when they are in sync",
        ),
        (
            "\n> build\n> vite build\n\n\u{1b}[31merror during build:\u{1b}[39m src/main.ts: bad\nnpm error Lifecycle script `build` failed\n",
            "error during build: src/main.ts: bad",
        ),
        (
            "error during build:\nBuild failed with 1 error:\n\n[vite] Unexpected token\n    ╭─[ src/main.ts:12:53 ]\n",
            "[vite] Unexpected token at src/main.ts:12:53",
        ),
        ("npm error code ELIFECYCLE\nKilled\n", "Killed"),
        ("", "it printed nothing"),
    ] {
        assert_eq!(cause_of(output), expected);
    }
    assert!(cause_of(&"error ".repeat(1000)).len() <= 200);
}
