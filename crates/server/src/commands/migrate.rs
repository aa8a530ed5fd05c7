//! `switchboard migrate`.

use domain::Clock;

use super::Context;
use crate::bootstrap::{self, Creation};

#[derive(Debug, clap::Args)]
pub struct Migrate {
    /// Create an installation if there is none: the data folder, the database's schema and the secret key.
    #[arg(long)]
    create: bool,
}

impl Migrate {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let creation = if self.create { Creation::Allowed } else { Creation::NotRequested };
        // Opening migrates the database.
        let applied = bootstrap::open_or_create(&context.settings()?, Clock::system(), creation).await?.applied;
        let schema = store::migrations::MIGRATIONS.last().map_or("its beginning", |migration| migration.name);
        let result = serde_json::json!({"applied": applied, "schema": schema});
        context.output.print(&result, || match applied.len() {
            0 => format!("nothing to do: the schema is at {schema}"),
            count => format!("the schema is at {schema} (migrations applied: {count})"),
        })?;
        Ok(())
    }
}
