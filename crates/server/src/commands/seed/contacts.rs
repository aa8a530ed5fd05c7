//! `switchboard seed contacts`: contacts with names, numbers and a few attributes.

use std::collections::HashSet;

use app::App;
use clap::Args;
use domain::people::contacts::identity::{self, Identity, IdentityKind};
use domain::people::contacts::{Contact, CustomParam, NewContact};
use domain::{Id, TenantId, Timestamp};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

use super::numbers::Distinct;
use super::people;
use super::plan::{Plan, start_of_hour};
use crate::commands::tenant_arg::TenantArg;
use crate::commands::{Context, progress, values};

/// Contacts per transaction: few enough that a server on the same database gets its turn in between, many enough that
/// each page of the index receives several rows at once.
const BATCH: usize = 10_000;
/// Creation times are spread evenly over this span.
const SPAN_SECONDS: i64 = 180 * 86_400;

#[derive(Debug, Args)]
pub struct Contacts {
    #[command(flatten)]
    tenant: TenantArg,
    /// How many contacts to add.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    count: u64,
    /// The random seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    rng: u64,
    /// When the last contact was created: a date (its last instant, UTC) or an RFC 3339 time. Default: the start of
    /// this hour.
    #[arg(long, value_name = "DATE", value_parser = values::expiry)]
    until: Option<Timestamp>,
}

impl Contacts {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let tenant = self.tenant.find(&app).await?;
        let until = self.until.unwrap_or_else(|| start_of_hour(app.now()));
        let plan = Plan { tenant, count: self.count, seed: self.rng, until };
        let bar = progress::bar(Some(plan.count), "contacts");
        let begun = std::time::Instant::now();
        let added = fill(&app, plan, |done| bar.set_position(done)).await;
        bar.finish_and_clear();
        let (added, seconds) = (added?, begun.elapsed().as_secs_f64());
        let result = serde_json::json!({
            "tenant": plan.tenant,
            "rng": plan.seed,
            "count": plan.count,
            "added": added,
            "until": plan.until.to_rfc3339(),
            "seconds": (seconds * 1000.0).round() / 1000.0,
        });
        context.output.print(&result, || format!("{added} of {} contacts added in {seconds:.1} s", plan.count))?;
        Ok(())
    }
}

/// Adds the contacts of the plan whose numbers do not exist yet. Calls `progress` with the number of processed
/// contacts.
pub async fn fill(app: &App, plan: Plan, progress: impl Fn(u64)) -> anyhow::Result<u64> {
    app.identity().tenants().find(plan.tenant).await?;
    let mut people = ContactGenerator::new(plan);
    let (mut done, mut added) = (0, 0);
    loop {
        let batch: Vec<Contact> = people.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(added);
        }
        done += batch.len() as u64;
        let input = (plan.tenant, batch);
        added += app.db().write(input, |tx, (tenant, batch)| Box::pin(write(tx, *tenant, batch))).await?;
        progress(done);
    }
}

async fn write(tx: &mut store::Tx<'_>, tenant: TenantId, batch: &[Contact]) -> store::Result<u64> {
    let phones: Vec<&str> = batch.iter().filter_map(|contact| contact.phone.as_deref()).collect();
    let known = store::people::contacts::known_by_any(tx, tenant, IdentityKind::Phone, &phones).await?;
    let taken: HashSet<&str> = known.iter().map(|(phone, _)| phone.as_str()).collect();
    let is_new = |contact: &&Contact| contact.phone.as_deref().is_none_or(|phone| !taken.contains(phone));
    let new: Vec<(&Contact, Vec<Identity>)> =
        batch.iter().filter(is_new).map(|new| (new, identity::initial_identities(new))).collect();
    let new: Vec<(&Contact, &[Identity])> = new.iter().map(|(contact, own)| (*contact, own.as_slice())).collect();
    store::people::contacts::insert_many(tx, tenant, &new).await?;
    Ok(new.len() as u64)
}

const CITIES: [&str; 24] = [
    "Berlin",
    "London",
    "Sao Paulo",
    "Mumbai",
    "Mexico City",
    "New York",
    "Hamburg",
    "Manchester",
    "Recife",
    "Pune",
    "Guadalajara",
    "Seattle",
    "Munich",
    "Leeds",
    "Curitiba",
    "Delhi",
    "Monterrey",
    "Boston",
    "Cologne",
    "Bristol",
    "Salvador",
    "Chennai",
    "Puebla",
    "Chicago",
];
const TIERS: [&str; 4] = ["bronze", "silver", "gold", "platinum"];

/// Generates the contacts of a plan, oldest first.
#[derive(Debug)]
pub struct ContactGenerator {
    plan: Plan,
    rng: Xoshiro256PlusPlus,
    numbers: Distinct,
    made: u64,
}

impl ContactGenerator {
    pub fn new(plan: Plan) -> Self {
        Self { plan, rng: Xoshiro256PlusPlus::seed_from_u64(plan.seed), numbers: Distinct::default(), made: 0 }
    }
}

impl Iterator for ContactGenerator {
    type Item = Contact;

    fn next(&mut self) -> Option<Contact> {
        if self.made == self.plan.count {
            return None;
        }
        let Self { plan, rng, numbers, made } = self;
        let share = i128::from(SPAN_SECONDS) * 1000 * i128::from(*made) / i128::from(plan.count);
        let since_start = i64::try_from(share).unwrap_or(0);
        let at = Timestamp::from_micros(plan.until.plus_seconds(-SPAN_SECONDS).micros() + since_start * 1000);
        *made += 1;
        let (country, phone) = numbers.draw(rng);
        let name = people::full_name(rng);
        let param = |name: &str, value: &str| CustomParam { name: name.to_owned(), value: value.to_owned() };
        let city = CITIES[rng.random_range(0..CITIES.len())];
        let tier = TIERS[rng.random_range(0..TIERS.len()).min(rng.random_range(0..TIERS.len()))];
        let new = NewContact {
            phone: Some(phone),
            bsuid: Some(format!("{country}.{}", people::twenty_digits(rng))),
            parent_bsuid: Some(format!("{country}.ENT.{}", people::twenty_digits(rng))),
            username: rng.random_ratio(3, 10).then(|| people::username(rng)),
            name,
            source: "IMPORT".to_owned(),
            custom_params: vec![param("city", city), param("tier", tier)],
        };
        // Ids rise also within a second, so that lists keep the order of creation.
        let id = Id::seeded(at, *made << 20 | u64::from(rng.random::<u32>() >> 12));
        Some(Contact { id, ..Contact::new(new, at) })
    }
}
