//! Finds PostgreSQL's programs. Debian keeps them out of `PATH`, one folder for each major version.

use std::env;
use std::path::{Path, PathBuf};

use crate::StartError;

const DEBIAN: &str = "/usr/lib/postgresql";

/// The folder with `initdb` and `postgres`: `PG_BIN`, else Debian's newest, else the first in `PATH`.
pub(crate) fn folder() -> Result<PathBuf, StartError> {
    if let Some(given) = env::var_os("PG_BIN") {
        let given = PathBuf::from(given);
        return if has_programs(&given) {
            Ok(given)
        } else {
            Err(StartError::new(format!("PG_BIN={} holds no initdb and postgres", given.display())))
        };
    }
    newest_of_debian(Path::new(DEBIAN)).or_else(in_path).ok_or_else(|| {
        StartError::new(
            "initdb and postgres are not installed; scripts/test installs them, or set PG_BIN to their folder",
        )
    })
}

fn has_programs(folder: &Path) -> bool {
    folder.join("initdb").is_file() && folder.join("postgres").is_file()
}

fn newest_of_debian(root: &Path) -> Option<PathBuf> {
    let versions = root.read_dir().ok()?.filter_map(|entry| {
        let path = entry.ok()?.path();
        let version: u32 = path.file_name()?.to_str()?.parse().ok()?;
        let bin = path.join("bin");
        // A removed server version can leave a folder with client programs only.
        has_programs(&bin).then_some((version, bin))
    });
    versions.max().map(|(_, bin)| bin)
}

fn in_path() -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).find(|folder| has_programs(folder))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::newest_of_debian;

    #[test]
    fn the_newest_version_with_a_server_wins() {
        let root = std::env::temp_dir().join(format!("pg-binaries-{}", std::process::id()));
        for (version, programs) in
            [("9", vec!["initdb", "postgres"]), ("15", vec!["initdb", "postgres"]), ("17", vec![])]
        {
            let bin = root.join(version).join("bin");
            fs::create_dir_all(&bin).unwrap();
            for program in programs {
                fs::write(bin.join(program), "").unwrap();
            }
        }
        let found = newest_of_debian(&root);
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(found, Some(root.join("15/bin")));
    }
}
