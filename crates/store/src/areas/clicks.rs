//! Hits on tracked links, each kept for good, and the links that were told as clicked, each once.

mod counts;
mod history;
mod list;
mod told;

pub use counts::{Count, counts};
pub use history::{Kept, Place, Scored, erase, people_before, progress, score, set_progress, stretch, stretches};
pub use list::{Filter, Listed, page};
pub use told::{Told, told, told_in};

use domain::clicks::{Class, Link, Source, day};
use domain::{BroadcastId, ClickId, TemplateId, TenantId, Timestamp, hex};

use crate::columns::{Bind, Columns, FromRow, Params, insert, record};
use crate::{Db, Result, Row, Statement, Tx, params, read};

static INSERT: Statement = Statement::new("clicks.insert", insert!("clicks": Hit, "day"));
/// A link with its broadcast, if it has one, is one text of hex digits.
static FIRST: Statement = Statement::new(
    "click_firsts.insert",
    "INSERT INTO click_firsts (tenant_id, link, broadcast_id, human, at)
     SELECT CAST($1 AS BIGINT), substr(p.bytes, 1, 14),
         NULLIF(substr(p.bytes, 15), {sqlite x''}{postgres CAST('' AS BYTEA)}), TRUE, CAST($3 AS BIGINT)
     FROM (SELECT {sqlite unhex(listed.value) AS bytes FROM json_each($2) listed}
         {postgres decode(listed.value, 'hex') AS bytes
             FROM json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)}) p
     WHERE TRUE
     ON CONFLICT (tenant_id, link) DO NOTHING RETURNING link",
);
/// A link that was told of, and whose hit was found not to be a person's since.
static AGAIN: Statement = Statement::new(
    "click_firsts.again",
    "UPDATE click_firsts SET human = TRUE WHERE tenant_id = $1 AND NOT human AND link IN (
         SELECT {sqlite unhex(listed.value) FROM json_each($2) listed}
         {postgres decode(listed.value, 'hex')
             FROM json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)}) RETURNING link",
);
static NOBODY: Statement = Statement::new(
    "click_firsts.nobody",
    "UPDATE click_firsts SET human = FALSE WHERE tenant_id = $1 AND human AND link = $2",
);
/// Of broadcasts that were made in a span of time.
static FOLLOWED: Statement = Statement::new(
    "click_firsts.followed",
    "SELECT COUNT(*) FROM broadcasts b {indexed_by broadcasts_created}
         JOIN click_firsts f {indexed_by click_firsts_broadcast} ON f.tenant_id = $1 AND f.broadcast_id = b.id AND f.human
     WHERE b.tenant_id = $1 AND b.created_at BETWEEN $2 AND $3 AND (b.channel_id = $4 OR $4 IS NULL)",
);

pub(crate) fn statements() -> impl Iterator<Item = &'static Statement> {
    let own: [&'static Statement; 5] = [&INSERT, &FIRST, &AGAIN, &NOBODY, &FOLLOWED];
    own.into_iter().chain(counts::STATEMENTS).chain(history::STATEMENTS).chain(list::STATEMENTS).chain(told::STATEMENTS)
}

/// Somebody or something opened a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub id: ClickId,
    pub at: Timestamp,
    pub link: Link,
    pub template_id: TemplateId,
    pub class: Class,
    /// The version of the rules that said so.
    pub rules: i64,
    pub source: Source,
    pub method: String,
    /// Where it came from; none of what the network tells, or after its person was erased.
    pub address: Option<String>,
    /// JSON of what is kept of its headers; likewise.
    pub headers: Option<String>,
}

record! { Hit { at, id, link: Link, template_id, class, rules, source, method, address, headers } }

/// A link is its message and a number for card and button.
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
    let rows = hits.iter().map(|hit| Params::of(tenant).and(hit).with(day(hit.at)));
    tx.execute_many(&INSERT, rows).await.map(drop)
}

/// Which of these links were never told as clicked, and are from now on. Each is given with its broadcast.
pub async fn first(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    links: &[(Link, Option<BroadcastId>)],
    now: Timestamp,
) -> Result<Vec<Link>> {
    let mut texts: Vec<String> = links.iter().map(|(link, broadcast)| written(link, *broadcast)).collect();
    // Locks are taken in one order everywhere.
    texts.sort_unstable();
    texts.dedup();
    tx.rows(&FIRST, params![tenant, &listed(&texts), now], link).await
}

/// Which of these links a person opens again for the first time that is still taken for one.
pub async fn again(tx: &mut Tx<'_>, tenant: TenantId, links: &[Link]) -> Result<Vec<Link>> {
    let texts: Vec<String> = links.iter().map(|link| written(link, None)).collect();
    tx.rows(&AGAIN, params![tenant, &listed(&texts)], link).await
}

/// No hit on it is taken for a person's any more. That it was told as clicked stays.
pub async fn nobody(tx: &mut Tx<'_>, tenant: TenantId, link: &Link) -> Result<()> {
    let key = link.key();
    tx.execute(&NOBODY, params![tenant, key.as_slice()]).await.map(drop)
}

/// How many links of broadcasts people followed. May take long.
pub async fn followed(db: &Db, tenant: TenantId, of: &super::broadcasts::BroadcastRange) -> Result<i64> {
    let row = db.long_row(&FOLLOWED, params![tenant, of.from, of.to, of.channel], read).await?;
    Ok(row.unwrap_or(0))
}

fn written(link: &Link, broadcast: Option<BroadcastId>) -> String {
    let broadcast = broadcast.map_or_else(String::new, |broadcast| broadcast.to_string());
    hex::encode(link.key()) + &broadcast
}

fn listed(texts: &[String]) -> String {
    serde_json::to_string(texts).unwrap_or_default()
}

/// The key of a link is one column here.
fn link(row: &Row<'_>) -> Result<Link> {
    row.columns().parse(Link::from_key)
}
