//! `switchboard check`.

use anyhow::bail;
use serde_json::json;
use store::Engine;

use super::Context;
use crate::bootstrap;

pub const HELP: &str = "\
Reads every page of the embedded database, and compares every index with its table. Servers can keep running; on a \
large database, the check takes minutes. A starting server makes a shorter check and refuses to start on a damaged \
database.
PostgreSQL checks its own files: see pg_amcheck.
With --json: {\"database\", \"faults\"}. The exit code is 1 if there is a fault.";

pub fn run(context: &Context) -> anyhow::Result<()> {
    let settings = context.settings()?;
    let db = bootstrap::database(&settings)?;
    let faults = db.full_check()?.faults;
    let name = match db.engine() {
        Engine::Sqlite => "sqlite",
        Engine::Postgres => "postgres",
    };
    context.output.print(&json!({"database": name, "faults": faults}), || match db.engine() {
        Engine::Sqlite if faults.is_empty() => "the database is intact".to_owned(),
        Engine::Sqlite => faults.join("\n"),
        Engine::Postgres => "nothing to check here: PostgreSQL checks its own files (pg_amcheck)".to_owned(),
    })?;
    if !faults.is_empty() {
        bail!("the database is damaged: restore a backup into an empty folder");
    }
    Ok(())
}
