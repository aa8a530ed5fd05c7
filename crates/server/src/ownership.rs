//! Files of another user: names the owner, where the operating system says only "permission denied".

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{Access, access};
use rustix::io::Errno;
use rustix::process::geteuid;

/// The owner of a file or folder that this process may not use in the needed way. None if the process may use it, owns
/// it, or finds nothing there.
pub fn denied_by(path: &Path, needed: Access) -> Option<String> {
    if access(path, needed) == Err(Errno::ACCESS) { other_owner(path) } else { None }
}

/// The name of this process's user.
pub fn own_name() -> String {
    name_of(geteuid().as_raw())
}

/// The same error, with the owner if the file, or the folder that it is in, belongs to another user.
pub fn explain(path: &Path, error: io::Error) -> io::Error {
    if error.kind() != io::ErrorKind::PermissionDenied {
        return error;
    }
    let folder = path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let found = [Some(path), folder].into_iter().flatten().find_map(|path| Some((path, other_owner(path)?)));
    let Some((path, owner)) = found else { return error };
    let text = format!("{} belongs to user {owner}, and this process runs as user {}", path.display(), own_name());
    io::Error::new(error.kind(), text)
}

fn other_owner(path: &Path) -> Option<String> {
    let owner = path.metadata().ok()?.uid();
    (owner != geteuid().as_raw()).then(|| name_of(owner))
}

/// The name of a user; the number if it has none here, as in a container.
fn name_of(user: u32) -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    name_in(&users, user).unwrap_or_else(|| user.to_string())
}

fn name_in(users: &str, user: u32) -> Option<String> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, id) = (fields.next()?, fields.nth(1)?);
        (id.parse::<u32>() == Ok(user)).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const OTHER: u32 = 65_534;

    /// A file of another user: a new one if this process may give it away, or one of root.
    fn foreign_file() -> PathBuf {
        let file = testkit::database::fresh_folder().join("file");
        std::fs::write(&file, "").unwrap();
        let is_given = std::os::unix::fs::chown(&file, Some(OTHER), None).is_ok();
        if is_given { file } else { PathBuf::from("/etc/passwd") }
    }

    #[test]
    fn an_error_names_the_owner_only_where_that_is_the_reason() {
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        let file = foreign_file();
        let said = explain(&file, denied()).to_string();
        assert!(said.starts_with(&format!("{} belongs to user ", file.display())), "{said}");
        assert!(said.ends_with(&format!("and this process runs as user {}", own_name())), "{said}");
        let other = explain(&file, io::ErrorKind::StorageFull.into());
        assert_eq!(other.kind(), io::ErrorKind::StorageFull);
        let own = testkit::database::fresh_folder().join("file");
        assert_eq!(explain(&own, denied()).to_string(), denied().to_string());
        assert_eq!(denied_by(&own, Access::WRITE_OK), None, "there is nothing");
    }

    #[test]
    fn users_are_found_by_their_number() {
        let users = "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nnonsense\n";
        assert_eq!((name_in(users, 0).as_deref(), name_in(users, 1000).as_deref()), (Some("root"), Some("ada")));
        assert_eq!(name_in(users, 7), None);
    }
}
