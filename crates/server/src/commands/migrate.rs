//! `switchboard migrate`.

use domain::Clock;

use super::Context;
use crate::bootstrap;

pub async fn run(context: &Context) -> anyhow::Result<()> {
    // Opening migrates the database, and assigns a key to a new one.
    let applied = bootstrap::open(&context.settings()?, Clock::system()).await?.applied;
    let schema = store::migrations::MIGRATIONS.last().map_or("its beginning", |migration| migration.name);
    let result = serde_json::json!({"applied": applied, "schema": schema});
    context.output.print(&result, || match applied.len() {
        0 => format!("nothing to do: the schema is at {schema}"),
        count => format!("the schema is at {schema} (migrations applied: {count})"),
    })?;
    Ok(())
}
