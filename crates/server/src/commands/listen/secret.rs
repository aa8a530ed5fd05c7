//! The secret that signs forwarded events: made once for a folder, in a file that only its owner reads.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use domain::delivery::webhooks::Secret;

const FILE: &str = "listen.secret";

/// The secret of the folder; made at its first use.
pub fn load_or_create(folder: &Path) -> anyhow::Result<Secret> {
    let file = folder.join(FILE);
    let named = || format!("the secret in {}", file.display());
    DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(named)?;
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file);
    match made {
        Ok(mut new) => {
            let secret = Secret::random();
            writeln!(new, "{}", secret.to_text().as_str()).with_context(named)?;
            Ok(secret)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let text = std::fs::read_to_string(&file).with_context(named)?;
            Secret::parse(text.trim()).with_context(|| format!("{}; remove the file to generate a new one", named()))
        }
        Err(error) => Err(error).with_context(named),
    }
}

/// The configuration folder of the user who runs the command: it keeps the secret if events come from a server
/// (`--server`).
pub fn personal_folder() -> anyhow::Result<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let folder = named("XDG_CONFIG_HOME").or_else(|| named("HOME").map(|home| home.join(".config")));
    Ok(folder.context("HOME is not set, so the secret cannot be kept")?.join("switchboard"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_folder_keeps_its_secret_for_its_owner_alone() {
        let folder = testkit::database::fresh_folder().join("made");
        let first = load_or_create(&folder).unwrap().to_text();
        assert_eq!(*first, *load_or_create(&folder).unwrap().to_text());
        assert_eq!(folder.join(FILE).metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_ne!(*first, *load_or_create(&testkit::database::fresh_folder()).unwrap().to_text());
        std::fs::write(folder.join(FILE), "nonsense").unwrap();
        let error = format!("{:#}", load_or_create(&folder).unwrap_err());
        assert!(error.contains("listen.secret") && error.contains("remove the file"), "{error}");
    }
}
