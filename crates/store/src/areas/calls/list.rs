//! The call log's list: every combination of filters is answered by an index, newest first.
//!
//! Durations and directions are found through `facet` (a small number, see the domain): one ordered look into the
//! index for each facet that the filter allows, merged. So the cost of a page does not depend on how many calls the
//! filter passes over.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use domain::calls::{Direction, facets};
use domain::{CallId, Id, TenantId, Timestamp};
use parking_lot::RwLock;

use crate::{ColumnReader, Db, Param, Result, Row, Statement, read};

pub use domain::calls::{CallFilter, OperatorRef};

/// Skipping more than this takes so long that others should not wait for it.
const SHALLOW: i64 = 1000;

/// One call of a page, as it is passed to the visitor.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    pub doc: &'a str,
    /// Behind the text: the call's time and id.
    place: ColumnReader<'a, 'a>,
}

impl Listed<'_> {
    /// Where the call stands in the list; a page needs only that of its last.
    pub fn place(&self) -> Result<(Timestamp, CallId)> {
        let mut place = self.place;
        place.take()
    }
}

/// Visits the calls of one page in order.
pub async fn list(
    db: &Db,
    tenant: TenantId,
    filter: &CallFilter,
    mut visit: impl FnMut(Listed<'_>) -> Result<()> + Send,
) -> Result<()> {
    let shape = Shape::of_page(filter);
    if shape.finds_nothing() {
        return Ok(());
    }
    let planned = planned(shape);
    let params = planned.bind(tenant, filter);
    let show = |row: &Row<'_>| {
        let mut place = row.columns();
        visit(Listed { doc: place.take()?, place })
    };
    if filter.offset > SHALLOW {
        return db.long_each(&planned.statement, &params, show).await;
    }
    db.each(&planned.statement, &params, show).await
}

/// How many calls the filter allows, whatever its page. This reads them all.
pub async fn count(db: &Db, tenant: TenantId, filter: &CallFilter) -> Result<i64> {
    let whole = CallFilter { after: None, ..filter.clone() };
    let shape = Shape::of(&whole, Purpose::Count);
    if shape.finds_nothing() {
        return Ok(0);
    }
    let planned = planned(shape);
    let params = planned.bind(tenant, &whole);
    Ok(db.long_row(&planned.statement, &params, read).await?.unwrap_or(0))
}

/// How the engine would read this page.
pub async fn explain(db: &Db, tenant: TenantId, filter: &CallFilter) -> Result<Vec<String>> {
    let planned = planned(Shape::of_page(filter));
    db.explain(&planned.statement, &planned.bind(tenant, filter)).await
}

/// What decides the text of the statement. Values are bound, so there are few of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    purpose: Purpose,
    operator: Option<OperatorKind>,
    look: Look,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Purpose {
    /// `deep`: something is skipped, which must not touch the rows themselves.
    Page {
        deep: bool,
    },
    Count,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum OperatorKind {
    Id,
    Email,
}

/// Which index answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Look {
    Time,
    Direction,
    /// The facets, one bit each.
    Facets(u32),
}

impl Shape {
    fn of_page(filter: &CallFilter) -> Self {
        Self::of(filter, Purpose::Page { deep: filter.offset > 0 })
    }

    /// A least duration over the greatest leaves no facet to look into, and no statement to write.
    fn finds_nothing(self) -> bool {
        self.look == Look::Facets(0)
    }

    fn of(filter: &CallFilter, purpose: Purpose) -> Self {
        let operator = filter.operator.as_ref().map(|operator| match operator {
            OperatorRef::Id(_) => OperatorKind::Id,
            OperatorRef::Email(_) => OperatorKind::Email,
        });
        let by_duration = filter.min_duration.is_some_and(|min| min > 0) || filter.max_duration.is_some();
        let look = match (by_duration, filter.direction, operator) {
            (false, None, _) => Look::Time,
            (false, Some(_), None) => Look::Direction,
            _ => Look::Facets(
                facets(filter.direction, filter.min_duration, filter.max_duration)
                    .into_iter()
                    .fold(0, |bits, facet| bits | 1 << facet),
            ),
        };
        Self { purpose, operator, look }
    }
}

/// A value of the filter, in the order in which the statement binds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Tenant,
    From,
    BeforeTime,
    BeforeId,
    Direction,
    Operator,
    MinDuration,
    MaxDuration,
    Limit,
    Offset,
}

#[derive(Debug)]
struct Planned {
    statement: Statement,
    slots: Vec<Slot>,
}

impl Planned {
    fn bind<'a>(&self, tenant: TenantId, filter: &'a CallFilter) -> Vec<Param<'a>> {
        let (before_time, before_id) = upper_bound(filter);
        let value = |slot: &Slot| match slot {
            Slot::Tenant => tenant.into(),
            Slot::From => filter.from.map_or(i64::MIN, Timestamp::micros).into(),
            Slot::BeforeTime => before_time.into(),
            Slot::BeforeId => before_id.map_or(Param::Bytes(&[]), Param::from),
            Slot::Direction => filter.direction.map(Direction::name).into(),
            Slot::Operator => match &filter.operator {
                Some(OperatorRef::Id(id)) => (*id).into(),
                Some(OperatorRef::Email(email)) => email.into(),
                None => Param::Null,
            },
            Slot::MinDuration => filter.min_duration.unwrap_or(0).into(),
            Slot::MaxDuration => filter.max_duration.unwrap_or(i64::MAX).into(),
            Slot::Limit => filter.limit.into(),
            Slot::Offset => filter.offset.into(),
        };
        self.slots.iter().map(value).collect()
    }
}

/// End date and cursor are one bound: everything strictly before it. An empty id is before every id.
fn upper_bound(filter: &CallFilter) -> (i64, Option<CallId>) {
    let to = filter.to.map_or(i64::MAX, |to| to.micros().saturating_add(1));
    match filter.after {
        Some((started_at, id)) if started_at.micros() < to => (started_at.micros(), Some(id)),
        _ => (to, None),
    }
}

fn planned(shape: Shape) -> &'static Planned {
    static PLANS: LazyLock<RwLock<HashMap<Shape, &'static Planned>>> = LazyLock::new(RwLock::default);
    if let Some(known) = PLANS.read().get(&shape) {
        return known;
    }
    let mut plans = PLANS.write();
    // Kept for good: the number of shapes is bounded, whatever callers ask.
    plans.entry(shape).or_insert_with(|| Box::leak(Box::new(plan(shape))))
}

/// What a look into the calls takes from them: an index alone knows their places.
#[derive(Clone, Copy)]
enum Shows {
    Rows,
    Places,
}

/// Writes a statement and notes what it binds.
#[derive(Default)]
struct Writer {
    sql: String,
    slots: Vec<Slot>,
}

impl Writer {
    fn text(&mut self, sql: &str) -> &mut Self {
        self.sql.push_str(sql);
        self
    }

    fn bind(&mut self, slot: Slot) -> &mut Self {
        let place = self.slots.iter().position(|known| *known == slot).unwrap_or_else(|| {
            self.slots.push(slot);
            self.slots.len() - 1
        });
        let _ = write!(self.sql, "${}", place + 1);
        self
    }

    fn conditions(&mut self, operator: Option<OperatorKind>, look: Look, shows: Shows) -> &mut Self {
        let _ = write!(self.sql, " FROM calls {} WHERE tenant_id = ", index(operator, look, shows));
        self.bind(Slot::Tenant);
        match operator {
            Some(OperatorKind::Id) => {
                self.text(" AND operator_id = ").bind(Slot::Operator);
            }
            Some(OperatorKind::Email) => {
                self.text(" AND operator_id = (SELECT a.id FROM accounts a WHERE a.tenant_id = ").bind(Slot::Tenant);
                self.text(" AND a.email = ").bind(Slot::Operator).text(")");
            }
            None => {}
        }
        self.text(" AND started_at >= ").bind(Slot::From);
        self.text(" AND (started_at, id) < (").bind(Slot::BeforeTime).text(", ").bind(Slot::BeforeId).text(")")
    }

    fn page(&mut self) -> &mut Self {
        self.text(NEWEST).text(" LIMIT ").bind(Slot::Limit).text(" OFFSET ").bind(Slot::Offset)
    }

    fn durations(&mut self) -> &mut Self {
        self.text(" AND duration_seconds >= ").bind(Slot::MinDuration);
        self.text(" AND duration_seconds <= ").bind(Slot::MaxDuration)
    }
}

/// The table itself lies in the order of the list. For the others SQLite must be told: it takes the narrowest index
/// that has the order, and walks over all calls of others.
const fn index(operator: Option<OperatorKind>, look: Look, shows: Shows) -> &'static str {
    match (look, operator) {
        (Look::Time, None) => match shows {
            Shows::Rows => "",
            Shows::Places => "{indexed_by calls_time}",
        },
        (Look::Time, Some(_)) => "{indexed_by calls_operator}",
        (Look::Direction, _) => "{indexed_by calls_direction}",
        (Look::Facets(_), None) => "{indexed_by calls_facet}",
        (Look::Facets(_), Some(_)) => "{indexed_by calls_operator_facet}",
    }
}

const NEWEST: &str = " ORDER BY started_at DESC, id DESC";

fn plan(shape: Shape) -> Planned {
    let mut writer = Writer::default();
    match (shape.purpose, shape.look) {
        (Purpose::Count, look) => write_count(&mut writer, shape.operator, look),
        (Purpose::Page { deep: false }, Look::Time | Look::Direction) => {
            writer.text("SELECT doc, started_at, id");
            write_ordered(&mut writer, shape.operator, shape.look, Shows::Rows);
        }
        (Purpose::Page { .. }, look) => {
            writer.text("SELECT c.doc, c.started_at, c.id FROM (SELECT started_at, id");
            match look {
                Look::Facets(bits) => write_merged(&mut writer, shape.operator, bits),
                _ => write_ordered(&mut writer, shape.operator, look, Shows::Places),
            }
            writer.text(") p JOIN calls c ON c.tenant_id = ").bind(Slot::Tenant);
            // An equality on the id would lead SQLite through the index on ids to the row that the key leads to at once.
            writer.text(" AND c.started_at = p.started_at AND ");
            writer.text("{sqlite c.id >= p.id AND c.id <= p.id}{postgres c.id = p.id}");
            writer.text(" ORDER BY p.started_at DESC, p.id DESC");
        }
    }
    let name = if shape.purpose == Purpose::Count { "calls.count" } else { "calls.list" };
    Planned { statement: Statement::composed(name, writer.sql), slots: writer.slots }
}

fn write_ordered(writer: &mut Writer, operator: Option<OperatorKind>, look: Look, shows: Shows) {
    writer.conditions(operator, look, shows);
    if look == Look::Direction {
        writer.text(" AND direction = ").bind(Slot::Direction);
    }
    writer.page();
}

/// Each branch comes in order from its index. SQLite merges them and stops at the limit; PostgreSQL would sort them
/// whole, so there each branch has a limit of its own: what one facet can give to the page.
fn write_merged(writer: &mut Writer, operator: Option<OperatorKind>, bits: u32) {
    let facets = (0..32).filter(|facet| bits & (1 << facet) != 0);
    for (i, facet) in facets.enumerate() {
        let joint = if i == 0 { " FROM (" } else { " UNION ALL " };
        writer.text(joint).text("{postgres (}SELECT started_at, id").conditions(
            operator,
            Look::Facets(bits),
            Shows::Places,
        );
        let _ = write!(writer.sql, " AND facet = {facet}");
        writer.durations().text("{postgres ").text(NEWEST).text(" LIMIT CAST(").bind(Slot::Limit);
        writer.text(" AS BIGINT) + CAST(").bind(Slot::Offset).text(" AS BIGINT))}");
    }
    writer.text(") merged").page();
}

fn write_count(writer: &mut Writer, operator: Option<OperatorKind>, look: Look) {
    writer.text("SELECT COUNT(*)").conditions(operator, look, Shows::Places);
    match look {
        Look::Time => {}
        Look::Direction => {
            writer.text(" AND direction = ").bind(Slot::Direction);
        }
        Look::Facets(bits) => {
            let allowed = (0..32).filter(|facet| bits & (1 << facet) != 0).map(|facet| facet.to_string());
            let allowed = allowed.collect::<Vec<_>>().join(", ");
            writer.text(" AND facet IN (").text(&allowed).text(")").durations();
        }
    }
}

/// The statements of all shapes, with a sample of the many facet ranges.
pub fn lists() -> Vec<&'static Statement> {
    let ranges = [None, Some((0, i64::MAX)), Some((60, 600)), Some((0, 0)), Some((100_000, i64::MAX))];
    let operators = [None, Some(OperatorRef::Id(Id::from_bytes([0; 12]))), Some(OperatorRef::Email(String::new()))];
    let purposes = [Purpose::Page { deep: false }, Purpose::Page { deep: true }, Purpose::Count];
    let mut all = Vec::new();
    for range in ranges {
        for operator in &operators {
            for direction in [None, Some(Direction::Inbound), Some(Direction::Outbound)] {
                for purpose in purposes {
                    let (min_duration, max_duration) = (range.map(|r| r.0), range.map(|r| r.1));
                    let operator = operator.clone();
                    let filter =
                        CallFilter { direction, operator, min_duration, max_duration, ..CallFilter::default() };
                    all.push(&planned(Shape::of(&filter, purpose)).statement);
                }
            }
        }
    }
    all
}
