//! Hits on tracked links, and the links that a person has opened (`click_firsts`). No erasure deletes a hit. Hits of a
//! link beyond a number of rows are counted (`click_overflow`), and so are hits that are deleted because of their age.
//! A link gets its row in `click_firsts` once and keeps it, so that its event is emitted at most once.

mod context;
mod counts;
mod list;
mod rescore;

pub use context::{ClickContext, click_context, click_context_in, with_content};
pub use counts::{HitCount, visit_counts};
pub use list::{ListedHit, page};
pub use rescore::{
    HitPosition, HitScore, StoredHit, count_hits, erase_person, hits_after, human_links_before, progress, set_progress,
    update_scores,
};

use domain::base::hex;
use domain::messaging::clicks::{ClickClass, ClickSource, Link, day};
use domain::{BroadcastId, ClickId, TemplateId, TenantId, Timestamp};

use crate::base::columns::{Bind, Columns, Params, insert, listed, record};
use crate::{Db, FromRow, Result, Row, Tx, params, read};

statements! {
    with context::statements(), counts::statements(), list::statements(), rescore::statements();

    INSERT = insert!("clicks": Hit, "day");
    /// Counts the rows of a link, up to `$4`.
    COUNT_ROWS = "SELECT COUNT(*) FROM (SELECT 1 FROM clicks {indexed_by clicks_message}
            WHERE tenant_id = $1 AND message_id = $2 AND spot = $3 LIMIT $4) AS counted";
    ADD_OVERFLOW = "INSERT INTO click_overflow (tenant_id, day, template_id, message_id, spot, class, hits)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (tenant_id, day, template_id, spot, class, message_id)
            DO UPDATE SET hits = click_overflow.hits + excluded.hits";
    /// Binds each link, followed by its broadcast if it has one, as one text of hex digits.
    MARK_FIRST = "INSERT INTO click_firsts (tenant_id, link, broadcast_id, human, at)
        SELECT CAST($1 AS BIGINT), substr(p.bytes, 1, 14),
            NULLIF(substr(p.bytes, 15), {sqlite x''}{postgres CAST('' AS BYTEA)}), TRUE, CAST($3 AS BIGINT)
        FROM (SELECT {sqlite unhex(listed.value) AS bytes FROM json_each($2) listed}
            {postgres decode(listed.value, 'hex') AS bytes
                FROM json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)}) p
        WHERE TRUE
        ON CONFLICT (tenant_id, link) DO NOTHING RETURNING link";
    /// Marks a link as opened by a person again, after a rescoring had unmarked it. Its event was emitted the first
    /// time.
    MARK_AGAIN = "UPDATE click_firsts SET human = TRUE WHERE tenant_id = $1 AND NOT human AND link IN (
            SELECT {sqlite unhex(listed.value) FROM json_each($2) listed}
            {postgres decode(listed.value, 'hex')
                FROM json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)}) RETURNING link";
    UNMARK_HUMAN = "UPDATE click_firsts SET human = FALSE WHERE tenant_id = $1 AND human AND link = $2";
    /// Counts the links that people opened, of broadcasts that were created in a period.
    COUNT_FOLLOWED = "SELECT COUNT(*) FROM broadcasts b {indexed_by broadcasts_created}
            JOIN click_firsts f {indexed_by click_firsts_broadcast} ON f.tenant_id = $1 AND f.broadcast_id = b.id
                AND f.human
        WHERE b.tenant_id = $1 AND b.created_at BETWEEN $2 AND $3 AND (b.channel_id = $4 OR $4 IS NULL)
            AND (CAST($5 AS TEXT) IS NULL OR {sqlite instr(lower(b.name), lower($5))}
                {postgres strpos(lower(b.name), lower(CAST($5 AS TEXT)))} > 0)";
    /// For each listed broadcast, how many of its messages have a link that a person opened. A message counts at the
    /// first of its opened links.
    COUNT_CLICKED = "SELECT {sqlite unhex(listed.value)}{postgres decode(listed.value, 'hex')},
            (SELECT COUNT(*) FROM click_firsts f {indexed_by click_firsts_broadcast}
             WHERE f.tenant_id = $1 AND f.human
                 AND f.broadcast_id = {sqlite unhex(listed.value)}{postgres decode(listed.value, 'hex')}
                 AND NOT EXISTS (SELECT 1 FROM click_firsts e WHERE e.tenant_id = $1 AND e.human
                     AND e.link >= substr(f.link, 1, 12) AND e.link < f.link))
        FROM {sqlite json_each($2) listed}
        {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)}";
}

/// One request for a tracked link, by a person or a program, or one report of the network that a link was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub id: ClickId,
    pub at: Timestamp,
    pub link: Link,
    pub template_id: TemplateId,
    pub class: ClickClass,
    /// Version of the rules that gave the class.
    pub rules: i64,
    pub source: ClickSource,
    pub method: String,
    /// Client address; none of a network's report, or after the contact was erased.
    pub address: Option<String>,
    /// JSON of the stored headers; none of a network's report, or after the contact was erased.
    pub headers: Option<String>,
}

record! { Hit { at, id, link: Link, template_id, class, rules, source, method, address, headers } }

/// A link is its message and one number for card and button.
impl Columns for Link {
    const COLUMNS: &'static str = "message_id, spot";
}

impl<'r> FromRow<'r> for Link {
    const WIDTH: usize = 2;

    fn from_row(row: &'r Row<'_>, at: usize) -> Result<Self> {
        let (message, spot) = FromRow::from_row(row, at)?;
        Ok(Self::at_spot(message, spot))
    }
}

impl Bind for Link {
    fn bind<'a>(&'a self, to: &mut Params<'a>) {
        to.push(self.message);
        to.push(self.spot());
    }

    fn bind_null(to: &mut Params<'_>) {
        to.push_nulls(2);
    }
}

pub async fn insert_many(tx: &mut Tx<'_>, tenant: TenantId, hits: &[Hit]) -> Result<()> {
    let rows = hits.iter().map(|hit| Params::for_tenant(tenant).and(hit).with(day(hit.at)));
    tx.execute_later(&INSERT, rows).await
}

/// How many rows the link has; `most` if it has as many or more.
pub async fn count_rows(tx: &mut Tx<'_>, tenant: TenantId, link: &Link, most: i64) -> Result<i64> {
    Ok(tx.row(&COUNT_ROWS, params![tenant, link.message, link.spot(), most], read).await?.unwrap_or(0))
}

/// Adds to the counters of hits that get no row: one counter for each link, class and day.
pub async fn add_overflow(tx: &mut Tx<'_>, tenant: TenantId, counted: &[OverflowCount]) -> Result<()> {
    let rows = counted.iter().map(|one| {
        Params::for_tenant(tenant)
            .with(one.day)
            .with(one.template_id)
            .and(&one.link)
            .with(one.class.name())
            .with(one.hits)
    });
    tx.execute_many(&ADD_OVERFLOW, rows).await.map(drop)
}

/// Hits of a link that are counted and have no rows. After their time, the link has no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverflowCount {
    pub day: i64,
    pub template_id: TemplateId,
    pub link: Link,
    pub class: ClickClass,
    pub hits: i64,
}

/// Marks links as opened by a person, each given with its broadcast, and returns those that were never marked before.
pub async fn mark_first(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    links: &[(Link, Option<BroadcastId>)],
    now: Timestamp,
) -> Result<Vec<Link>> {
    let mut texts: Vec<String> = links.iter().map(|(link, broadcast)| to_hex(link, *broadcast)).collect();
    // Every call inserts links in the same order, so that two concurrent ones do not deadlock.
    texts.sort_unstable();
    texts.dedup();
    tx.rows(&MARK_FIRST, params![tenant, &domain::to_json(&texts), now], read_link).await
}

/// Marks links as opened by a person again and returns those that a rescoring had unmarked.
pub async fn mark_again(tx: &mut Tx<'_>, tenant: TenantId, links: &[Link]) -> Result<Vec<Link>> {
    let texts: Vec<String> = links.iter().map(|link| to_hex(link, None)).collect();
    tx.rows(&MARK_AGAIN, params![tenant, &domain::to_json(&texts)], read_link).await
}

/// Unmarks a link that has no hit by a person after a rescoring: it does not count any more. The row stays, so that no
/// second event is emitted.
pub async fn unmark_human(tx: &mut Tx<'_>, tenant: TenantId, link: &Link) -> Result<()> {
    let key = link.key();
    tx.execute(&UNMARK_HUMAN, params![tenant, key.as_slice()]).await.map(drop)
}

/// Counts the links that people opened, of the broadcasts of the range whose name contains `name`; of all in the range
/// without `name`. May take long.
pub async fn count_followed(
    db: &Db,
    tenant: TenantId,
    of: &super::broadcasts::BroadcastRange,
    name: Option<&str>,
) -> Result<i64> {
    let row = db.long_row(&COUNT_FOLLOWED, params![tenant, of.from, of.to, of.channel, name], read).await?;
    Ok(row.unwrap_or(0))
}

/// For each of these broadcasts, how many of its messages have a link that a person opened. May take long.
pub async fn count_clicked(
    db: &Db,
    tenant: TenantId,
    ids: &[BroadcastId],
) -> Result<std::collections::HashMap<BroadcastId, i64>> {
    let mut found = std::collections::HashMap::with_capacity(ids.len());
    let visit = |row: &Row<'_>| {
        let (id, clicked): (BroadcastId, i64) = read(row)?;
        found.insert(id, clicked);
        Ok(())
    };
    db.long_each(&COUNT_CLICKED, params![tenant, &listed(ids)], visit).await?;
    Ok(found)
}

fn to_hex(link: &Link, broadcast: Option<BroadcastId>) -> String {
    let broadcast = broadcast.map_or_else(String::new, |broadcast| broadcast.to_string());
    hex::encode(link.key()) + &broadcast
}

/// `click_firsts` has the key of a link in one column.
fn read_link(row: &Row<'_>) -> Result<Link> {
    row.columns().parse(Link::from_key)
}
