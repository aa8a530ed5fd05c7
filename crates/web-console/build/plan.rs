//! Decides what the build script does in each situation, and words the one line about a missing user interface.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::toolchain::{Toolchain, Tools};

/// The value of `SWITCHBOARD_UI`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UiSetting {
    /// Not set: a missing user interface is a warning.
    Auto,
    /// `require`: a missing user interface is an error.
    Require,
    /// `off`: nothing is embedded.
    Off,
    /// A folder with a build that was made elsewhere.
    Folder(PathBuf),
}

impl UiSetting {
    /// A relative folder is joined to the workspace, because cargo starts build scripts in the folder of their package.
    pub fn parse(value: Option<&OsStr>, workspace: &Path) -> Self {
        match value {
            None => Self::Auto,
            Some(value) if value.is_empty() => Self::Auto,
            Some(value) if value == "require" => Self::Require,
            Some(value) if value == "off" => Self::Off,
            Some(value) => Self::Folder(workspace.join(value)),
        }
    }

    pub fn needs_sources(&self) -> bool {
        matches!(self, Self::Auto | Self::Require)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Action {
    EmbedFolder(PathBuf),
    EmbedCached(PathBuf),
    Build(Tools),
    EmbedNothing(Absence),
}

/// Why there is no user interface.
#[derive(Debug, PartialEq, Eq)]
pub enum Absence {
    SwitchedOff,
    /// There is no `ui/package.json` or no OpenAPI document.
    SourcesMissing,
    /// Node or npm is missing or too old; never `Toolchain::Usable`.
    Toolchain(Toolchain),
    /// Which step failed and why.
    BuildFailed(String),
    /// The folder that `SWITCHBOARD_UI` names has no `index.html`.
    NotBuilt(PathBuf),
}

/// Chooses the action. `toolchain` is called only if the choice depends on it.
pub fn choose(
    setting: &UiSetting,
    has_sources: bool,
    cached: Option<PathBuf>,
    toolchain: impl FnOnce() -> Toolchain,
) -> Action {
    match setting {
        UiSetting::Off => return Action::EmbedNothing(Absence::SwitchedOff),
        UiSetting::Folder(folder) => return Action::EmbedFolder(folder.clone()),
        UiSetting::Auto | UiSetting::Require => {}
    }
    if !has_sources {
        return Action::EmbedNothing(Absence::SourcesMissing);
    }
    if let Some(folder) = cached {
        return Action::EmbedCached(folder);
    }
    match toolchain() {
        Toolchain::Usable(tools) => Action::Build(tools),
        missing => Action::EmbedNothing(Absence::Toolchain(missing)),
    }
}

/// The instruction that makes cargo show why there is no user interface; None if it is switched off. A folder without a
/// user interface is always an error.
pub fn cargo_line(setting: &UiSetting, absence: &Absence) -> Option<String> {
    let kind = match (setting, absence) {
        (_, Absence::SwitchedOff) => return None,
        (UiSetting::Require, _) | (_, Absence::NotBuilt(_)) => "error",
        _ => "warning",
    };
    Some(format!("cargo::{kind}=The console is not part of this build: {absence}"))
}

impl std::fmt::Display for Absence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::SwitchedOff => f.write_str("it is switched off with SWITCHBOARD_UI=off."),
            Self::SourcesMissing => f.write_str(
                "ui/package.json or a document of openapi/ is missing. Build from a whole clone, or name a built user \
                 interface with SWITCHBOARD_UI=FOLDER.",
            ),
            Self::Toolchain(missing) => write!(f, "{missing}. Install Node 20 with npm and build again."),
            Self::BuildFailed(cause) => write!(f, "{cause}. Mend that and build again."),
            Self::NotBuilt(folder) => {
                write!(f, "SWITCHBOARD_UI names {}, which has no index.html.", folder.display())
            }
        }
    }
}
