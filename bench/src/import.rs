//! Benchmark of the contact import: a file of seeded contacts, imported as the command does it, compared with writing
//! the same rows into a bare table.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use app::people::imports::LocalFile;
use app::{App, Command};
use domain::TenantId;
use domain::people::consent_values::ConsentColumn;
use domain::people::contacts::Contact;
use server::commands::seed;
use store::{Param, Statement, params};

/// Rows per transaction of the floor, the same as in a batch of an import.
const BATCH: usize = 20_000;

static TABLE: Statement = Statement::new(
    "bench.bare_table",
    "CREATE TABLE bare (tenant_id BIGINT NOT NULL, phone TEXT NOT NULL, name TEXT NOT NULL, city TEXT NOT NULL,
     tier TEXT NOT NULL, PRIMARY KEY (tenant_id, phone)) {without_rowid}",
);
static INSERT: Statement = Statement::new(
    "bench.bare_row",
    "INSERT INTO bare (tenant_id, phone, name, city, tier) VALUES ($1, $2, $3, $4, $5)",
);
static DROP: Statement = Statement::new("bench.no_table", "DROP TABLE bare");

/// Duration of an import, and of writing the same rows to a bare table.
#[derive(Debug, Clone, Copy)]
pub struct Imported {
    rows: u64,
    import: Duration,
    floor: Duration,
}

impl Imported {
    pub fn fact(&self) -> String {
        #[expect(clippy::cast_precision_loss, reason = "a run has far fewer than 2^52 rows")]
        let per_second = |took: Duration| self.rows as f64 / took.as_secs_f64();
        let (import, floor) = (per_second(self.import), per_second(self.floor));
        format!(
            "{} rows (phone, name, two attributes) in {:.1} s: {import:.0} rows/s, {:.2} of the floor, which writes the \
             same rows into a bare table at {floor:.0} rows/s",
            self.rows,
            self.import.as_secs_f64(),
            import / floor
        )
    }
}

pub async fn run(app: &App, folder: &Path, plan: seed::Plan) -> Result<Imported> {
    let path = folder.join("people.csv");
    write_file(&path, plan)?;
    let floor = bare_rows(app, plan).await?;
    let begun = Instant::now();
    let file = File::open(&path).context("opening the file of people")?;
    let (consent, pause) = (ConsentColumn::default(), Duration::ZERO);
    let local = LocalFile { file, format: None, dry_run: false, consent, restart: false, batch_rows: None, pause };
    let import = app.people().contacts().import_file(&Command(plan.tenant), local, &mut |_| (), &|| false).await?;
    let took = begun.elapsed();
    let created = import.import.counts.created;
    ensure!(u64::try_from(created) == Ok(plan.count), "{created} of {} people were imported", plan.count);
    Ok(Imported { rows: plan.count, import: took, floor })
}

fn write_file(path: &Path, plan: seed::Plan) -> Result<()> {
    let mut file = BufWriter::new(File::create(path).context("making the file of people")?);
    writeln!(file, "phone,name,city,tier")?;
    for person in seed::contacts::ContactGenerator::new(plan) {
        let [phone, name, city, tier] = cells(&person);
        writeln!(file, "{phone},{name},{city},{tier}")?;
    }
    file.flush().context("writing the file of people")
}

fn cells(person: &Contact) -> [&str; 4] {
    let param = |name| person.param(name).unwrap_or_default();
    [person.phone.as_deref().unwrap_or_default(), &person.name, param("city"), param("tier")]
}

async fn bare_rows(app: &App, plan: seed::Plan) -> Result<Duration> {
    app.db().write((), |tx, ()| Box::pin(tx.execute(&TABLE, &[]))).await?;
    let mut people = seed::contacts::ContactGenerator::new(plan);
    let mut took = Duration::ZERO;
    loop {
        let batch: Vec<Contact> = people.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let begun = Instant::now();
        let input = (plan.tenant, batch);
        app.db()
            .write(input, |tx, (tenant, batch)| {
                Box::pin(tx.execute_many(&INSERT, batch.iter().map(|person| bare_row(*tenant, person))))
            })
            .await?;
        took += begun.elapsed();
    }
    app.db().write((), |tx, ()| Box::pin(tx.execute(&DROP, params![]))).await?;
    Ok(took)
}

fn bare_row(tenant: TenantId, person: &Contact) -> [Param<'_>; 5] {
    let [phone, name, city, tier] = cells(person);
    [tenant.into(), phone.into(), name.into(), city.into(), tier.into()]
}
