//! Files of the repository that follow from the code. Each is reviewed like code: a test compares it with what the code
//! says now, and `scripts/test --write` writes all of them.
#![expect(clippy::unwrap_used, reason = "a file that cannot be written must fail")]

use std::collections::BTreeSet;
use std::path::Path;

/// Asserts that a file of the repository has this text. If `SWITCHBOARD_WRITE` is set, writes it first.
#[track_caller]
pub fn assert_generated(file: &str, present: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("SWITCHBOARD_WRITE").is_some() {
        std::fs::write(&path, present).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (kept.lines().collect(), present.lines().collect());
    let removed = old.difference(&new).map(|line| format!("\n- {line}"));
    let changes: String = removed.chain(new.difference(&old).map(|line| format!("\n+ {line}"))).collect();
    assert!(
        kept == present,
        "{file} has changed. If that is meant, run `scripts/test --write` and read the whole difference.{changes}"
    );
}
