//! Only their owner can read or write the database, the secret key and backups, even if others can open the data folder.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::home::Home;
use crate::server::Server;

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn database_journals_and_backups_are_private_in_an_open_folder() {
    let home = Home::sqlite();
    let data = home.file("data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (status, _) = Server::start(&home).terminate();
    assert!(status.success());
    // The mode that an earlier release left.
    std::fs::set_permissions(data.join("switchboard.db"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let server = Server::start(&home);
    let backup = home.file("backup.swb");
    home.run(&format!("backup {}", backup.display()));
    let mut seen = Vec::new();
    for entry in std::fs::read_dir(&data).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
        seen.push(entry.file_name().into_string().unwrap());
    }
    for name in ["switchboard.db", "switchboard.db-wal", "secret.key"] {
        assert!(seen.iter().any(|file| file == name), "{name} is not in {seen:?}");
    }
    assert_eq!(mode(&backup), 0o600);
    let (status, log) = server.terminate();
    assert!(status.success());
    assert!(log.contains("chmod 700 "), "{log}");
}
