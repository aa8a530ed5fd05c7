use std::os::unix::fs::PermissionsExt as _;

use domain::base::keys::SecretKey;
use store::{Db, Location, Statement};

use crate::run::{Folder, members};

#[test]
fn a_backup_is_a_private_file_and_can_be_restored() {
    let folder = Folder::with_tenant();
    let saved = folder.json("backup one.backup");
    assert_eq!(members(&saved), ["created_at", "file", "key_fingerprint", "rows", "schema"]);
    // The account, and its row in the tenant.
    assert_eq!(saved["rows"]["accounts"], 2);
    let file = folder.0.join("one.backup");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!folder.0.join("one.backup.part").exists());
    assert!(folder.fails(1, "backup one.backup").1.ends_with("name another file, or add --replace"));
    folder.run("backup one.backup --replace").ok();
    let piped = folder.run("backup -");
    assert!(!piped.ok().is_empty() && piped.stderr.contains("rows saved to -"), "{}", piped.stderr);

    let (kind, message) = folder.fails(1, "restore one.backup --data elsewhere");
    assert!(kind == "not_found" && message.contains("add --create"), "{message}");
    assert!(!folder.0.join("elsewhere").exists());
    let restored = folder.run("restore one.backup --data elsewhere --create");
    assert!(restored.ok().contains("rows restored, as of 20"), "{}", restored.stdout);
    assert!(restored.stderr.starts_with("warning: servers need the secret key with the fingerprint"));
    std::fs::copy(folder.0.join("data/secret.key"), folder.0.join("elsewhere/secret.key")).unwrap();
    assert_eq!(folder.json("tenant list --data elsewhere"), folder.json("tenant list"));

    assert!(folder.fails(1, "restore one.backup").1.ends_with("or add --replace"));
    let replaced = folder.run("restore one.backup --replace --json");
    assert!(replaced.ok().contains("\"rows\"") && replaced.stderr.is_empty(), "{}", replaced.stderr);
}

#[test]
fn a_backup_is_sealed_with_a_key() {
    let folder = Folder::with_tenant();
    let write_key = |name: &str| {
        let key = SecretKey::random();
        std::fs::write(folder.0.join(name), key.to_file_text().as_bytes()).unwrap();
        key.fingerprint()
    };
    let (own, other) = (write_key("own.key"), write_key("other.key"));
    let saved = folder.json("backup one.backup --seal-key own.key");
    assert_eq!(saved["seal_key_fingerprint"], own);
    let bytes = std::fs::read(folder.0.join("one.backup")).unwrap();
    assert!(bytes.starts_with(b"switchboard sealed backup 1\n"));

    let (_, message) = folder.fails(1, "restore one.backup --data elsewhere");
    assert!(message.contains(&own) && message.ends_with("with --seal-key"), "{message}");
    let (_, message) = folder.fails(1, "restore one.backup --data elsewhere --seal-key other.key");
    assert!(message.contains(&own) && message.contains(&other), "{message}");
    assert!(folder.fails(1, "restore one.backup --seal-key absent.key").1.starts_with("--seal-key"));
    assert!(!folder.0.join("elsewhere/switchboard.db").exists());
    folder.run("restore one.backup --data elsewhere --create --seal-key own.key").ok();
    std::fs::copy(folder.0.join("data/secret.key"), folder.0.join("elsewhere/secret.key")).unwrap();
    assert_eq!(folder.json("tenant list --data elsewhere"), folder.json("tenant list"));

    folder.run("backup plain.backup").ok();
    let (_, message) = folder.fails(1, "restore plain.backup --replace --seal-key own.key");
    assert!(message.starts_with("the backup is not sealed"), "{message}");
}

async fn terms_in(folder: &Folder, data: &str) -> i64 {
    static TERMS: Statement = Statement::new("test.terms", "SELECT COUNT(*) FROM contact_terms");
    let db = Db::open(&Location::Sqlite { file: folder.0.join(data).join("switchboard.db") }).unwrap();
    db.row(&TERMS, &[], store::read::<i64>).await.unwrap().unwrap()
}

/// `restore` builds the contact index, so that a running server finds contacts without a restart.
#[tokio::test]
async fn restored_contacts_can_be_found_at_once() {
    let folder = Folder::with_tenant();
    folder.run("seed contacts --tenant 100138 --count 100").ok();
    folder.run("backup one.backup").ok();
    folder.run("restore one.backup --data elsewhere --create").ok();
    let terms = terms_in(&folder, "data").await;
    assert!(terms > 1000, "{terms}");
    assert_eq!(terms_in(&folder, "elsewhere").await, terms);
    folder.run("restore one.backup --replace").ok();
    assert_eq!(terms_in(&folder, "data").await, terms);
}

#[test]
fn an_invalid_backup_leaves_nothing_behind() {
    let folder = Folder::new();
    std::fs::write(folder.0.join("wrong"), "not a backup").unwrap();
    assert!(folder.fails(1, "restore wrong").1.contains("not a backup"));
    assert!(folder.fails(1, "restore absent").1.starts_with("cannot read absent: "));
    assert!(folder.fails(1, "backup one.backup").1.contains("there is no installation here"));
    // A server can still start here: the failed restore left no database without a key.
    assert!(folder.run("migrate --create").ok().contains("migrations applied"));
    assert_eq!(members(&folder.json("migrate")), ["applied", "schema"]);
}
