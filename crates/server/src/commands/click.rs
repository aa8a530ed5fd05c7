//! `switchboard click`: lists hits on tracked links and classifies them again after a change of the rules.

use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::{Context as _, bail};
use app::messaging::clicks::{ClickSearch, ClickView, RescoreRequest, RescoreSummary};
use clap::{Args, Subcommand};
use domain::messaging::clicks::{ClickClass, VERSION};
use domain::{ClickId, ContactId, MessageId, TemplateId, TenantId, Timestamp};
use serde::Serialize;
use serde_json::json;

use super::tenant_arg::TenantArg;
use super::{Context, progress};
use crate::output::Table;

const LIST_JSON: &str = "\
With --json: an array of {\"id\", \"at\", \"class\", \"source\", \"message_id\", \"template_id\", \"template_name\", \"button_index\",
\"card_index\", \"button_text\", \"contact_id\", \"address\", \"user_agent\"}, newest first.";
const RESCORE_HELP: &str = "\
Classifies every stored hit by this version's rules: person, preview, prefetch or scanner. A hit that newly counts as a
person's emits its events (ctaUrlClicked, ctaUrlClicked_bsuid) once; events emitted earlier stay.
To continue an interrupted run where it stopped, run the same command again.
With --json: {\"rules\", \"dry_run\", \"hits\", \"changed\", \"no_longer_people\", \"now_people\", \"told\", \"resumed\", \"seconds\"}.

Examples:
  switchboard click rescore --dry-run
  switchboard click rescore --tenant 100138";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List hits on tracked links, newest first.
    #[command(after_help = LIST_JSON)]
    List(List),
    /// Reclassify all stored hits as people or machines.
    #[command(after_help = RESCORE_HELP)]
    Rescore(RescoreArgs),
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    tenant: TenantArg,
    /// Only hits on this template's links: the template's name or id.
    #[arg(long)]
    template: Option<String>,
    /// Only hits of this class: human, repeat, preview, prefetch or scanner.
    #[arg(long, value_parser = class)]
    class: Option<ClickClass>,
    /// Maximum number of hits.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    limit: u64,
}

#[derive(Debug, Args)]
pub struct RescoreArgs {
    /// Only this tenant's hits.
    #[arg(long, value_name = "ID")]
    tenant: Option<TenantId>,
    /// Print how many hits would change, without changing anything.
    #[arg(long)]
    dry_run: bool,
    /// Start from the beginning instead of continuing an interrupted run.
    #[arg(long)]
    restart: bool,
}

#[derive(Serialize)]
struct HitView {
    id: ClickId,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    at: Timestamp,
    class: &'static str,
    source: &'static str,
    message_id: MessageId,
    template_id: TemplateId,
    template_name: Option<String>,
    button_index: Option<u8>,
    card_index: Option<u8>,
    button_text: Option<String>,
    contact_id: Option<ContactId>,
    address: Option<String>,
    user_agent: Option<String>,
}

impl From<ClickView> for HitView {
    fn from(listed: ClickView) -> Self {
        let hit = listed.hit;
        Self {
            id: hit.id,
            at: hit.at,
            class: hit.class.name(),
            source: hit.source.name(),
            message_id: hit.link.message,
            template_id: hit.template_id,
            template_name: listed.template_name,
            button_index: hit.link.button,
            card_index: hit.link.card,
            button_text: listed.button_text,
            contact_id: hit.contact_id,
            address: hit.address,
            user_agent: listed.request.map(|request| request.agent().to_owned()),
        }
    }
}

fn class(text: &str) -> Result<ClickClass, &'static str> {
    text.parse().map_err(|()| "expected human, repeat, preview, prefetch or scanner")
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::List(command) => list(context, command).await,
            Self::Rescore(command) => rescore(context, &command).await,
        }
    }
}

async fn list(context: &Context, List { tenant, template, class, limit }: List) -> anyhow::Result<()> {
    let (app, me) = tenant.open(context).await?;
    let limit = usize::try_from(limit)?;
    let mut filter = ClickSearch { template, class, limit, ..ClickSearch::default() };
    let mut shown: Vec<HitView> = Vec::new();
    loop {
        let page = app.messaging().clicks().list(&me, &filter).await?;
        shown.extend(page.clicks.into_iter().map(HitView::from));
        filter.limit = limit - shown.len();
        filter.cursor = page.next_cursor;
        if filter.cursor.is_none() || filter.limit == 0 {
            break;
        }
    }
    Ok(context.output.print(&shown, || table(&shown))?)
}

fn table(shown: &[HitView]) -> String {
    let mut table = Table::new(&["at", "class", "source", "template", "button", "message", "address", "user agent"]);
    for one in shown {
        let button = one.button_text.clone().or_else(|| one.button_index.map(|index| index.to_string()));
        table.row([
            one.at.to_rfc3339(),
            one.class.to_owned(),
            one.source.to_owned(),
            one.template_name.clone().unwrap_or_else(|| one.template_id.to_string()),
            button.unwrap_or_default(),
            one.message_id.to_string(),
            one.address.clone().unwrap_or_default(),
            one.user_agent.clone().unwrap_or_default(),
        ]);
    }
    table.to_text()
}

async fn rescore(context: &Context, args: &RescoreArgs) -> anyhow::Result<()> {
    let app = context.app().await?;
    let asked = RescoreRequest { tenant: args.tenant, dry_run: args.dry_run, restart: args.restart };
    let bar = progress::bar(Some(app.messaging().clicks().count_to_rescore(&asked).await?), "scoring hits");
    let stopped = progress::on_interrupt();
    let begun = Instant::now();
    let mut show = |done: &RescoreSummary| bar.set_position(done.hits);
    let done = app.messaging().clicks().rescore(&asked, &mut show, &|| stopped.load(Ordering::Relaxed)).await;
    bar.finish_and_clear();
    let done = done.context("the run was interrupted; run the same command again to continue where it stopped")?;
    if done.stopped {
        bail!("stopped after {} hits; run the same command again to continue where it stopped", done.hits);
    }
    let seconds = begun.elapsed().as_secs_f64();
    Ok(context.output.print(&as_json(&done, args.dry_run, seconds), || text(&done, args.dry_run, seconds))?)
}

fn as_json(done: &RescoreSummary, dry_run: bool, seconds: f64) -> serde_json::Value {
    json!({
        "rules": VERSION,
        "dry_run": dry_run,
        "hits": done.hits,
        "changed": done.changed,
        "no_longer_people": done.no_longer_people,
        "now_people": done.now_people,
        "told": done.emitted,
        "resumed": done.resumed,
        "seconds": (seconds * 1000.0).round() / 1000.0,
    })
}

fn text(done: &RescoreSummary, dry_run: bool, seconds: f64) -> String {
    let (would_be, would) = if dry_run { ("would be ", "would ") } else { ("", "") };
    let resumed = if done.resumed { " (resumed)" } else { "" };
    format!(
        "{} hits in {seconds:.1} s{resumed}: {} {would_be}classified differently, {} {would}no longer count as human, \
         {} {would}newly count as human; {} clicks {would_be}emitted",
        done.hits, done.changed, done.no_longer_people, done.now_people, done.emitted
    )
}
