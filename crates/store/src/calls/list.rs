//! The call log's list: every combination of filters is answered by an index, newest first.
//!
//! A direction alone has its own index. Durations, and a direction together with an operator, are found through `facet`
//! (a small number, see `domain::calls`): one ordered scan of the index for each facet that the filter allows, merged.
//! So a page without an offset reads few calls that the filter excludes: only those in the facets at the ends of a
//! range of durations.
//!
//! No index has the status, so a page of calls with an outcome skips the others. Calls that were missed or failed have no
//! duration, so only the two facets without one are scanned for them.
//!
//! Where a statement is planned anew for each request (on Citus, and without prepared statements), planning many scans
//! takes longer than the read. There, a page is one scan in the order of time that skips what the filter excludes.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use domain::calls::{CallDirection, CallFilter, CallOutcome, OperatorRef, facets};
use domain::{CallId, Id, TenantId, Timestamp};
use parking_lot::RwLock;

use crate::{ColumnReader, Db, Param, Result, Row, Statement, read};

/// A page with a greater offset is read as a long query, which does not delay short queries.
const SHORT_OFFSET: i64 = 1000;

/// One call of a page.
#[derive(Debug, Clone, Copy)]
pub struct ListedCall<'a> {
    pub doc: &'a str,
    /// The columns after the text: the call's time and id.
    position: ColumnReader<'a, 'a>,
}

impl ListedCall<'_> {
    /// Position in the list. Parsed on demand: a page needs only that of its last call.
    pub fn position(&self) -> Result<(Timestamp, CallId)> {
        let mut position = self.position;
        position.take()
    }
}

/// Visits the calls of one page in order.
pub async fn list(
    db: &Db,
    tenant: TenantId,
    filter: &CallFilter,
    visit: &mut (dyn FnMut(ListedCall<'_>) -> Result<()> + Send),
) -> Result<()> {
    let shape = Shape::for_page(filter).on(db);
    if shape.finds_nothing() {
        return Ok(());
    }
    let planned = planned(shape);
    let params = planned.bind(tenant, filter);
    let show = |row: &Row<'_>| {
        let mut columns = row.columns();
        visit(ListedCall { doc: columns.take()?, position: columns })
    };
    if filter.offset > SHORT_OFFSET {
        return db.long_each(&planned.statement, &params, show).await;
    }
    db.each(&planned.statement, &params, show).await
}

/// How many calls the filter allows on all pages. Reads them all.
pub async fn count(db: &Db, tenant: TenantId, filter: &CallFilter) -> Result<i64> {
    let whole = CallFilter { after: None, ..filter.clone() };
    let shape = Shape::new(&whole, Purpose::Count);
    if shape.finds_nothing() {
        return Ok(0);
    }
    let planned = planned(shape);
    let params = planned.bind(tenant, &whole);
    Ok(db.long_row(&planned.statement, &params, read).await?.unwrap_or(0))
}

/// The engine's plan for this page.
pub async fn explain(db: &Db, tenant: TenantId, filter: &CallFilter) -> Result<Vec<String>> {
    let planned = planned(Shape::for_page(filter).on(db));
    db.explain(&planned.statement, &planned.bind(tenant, filter)).await
}

/// What the text of a statement depends on. Values are bound, so there are few shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    purpose: Purpose,
    operator: Option<OperatorKind>,
    index: IndexChoice,
    /// Whether the filter has a beginning.
    has_from: bool,
    has_outcome: bool,
    /// Whether a page by facets is one scan.
    is_single_scan: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Purpose {
    /// `deep`: the page has an offset. The statement skips rows in the index, before it reads any from the table.
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

/// The index that the calls are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum IndexChoice {
    Time,
    Direction,
    /// The facets to scan, one bit for each.
    Facets(u32),
}

impl Shape {
    fn for_page(filter: &CallFilter) -> Self {
        Self::new(filter, Purpose::Page { deep: filter.offset > 0 })
    }

    fn on(self, db: &Db) -> Self {
        Self { is_single_scan: db.plans_each_time() && matches!(self.index, IndexChoice::Facets(_)), ..self }
    }

    /// True when no facet is left, because the minimum duration is above the maximum.
    fn finds_nothing(self) -> bool {
        self.index == IndexChoice::Facets(0)
    }

    fn new(filter: &CallFilter, purpose: Purpose) -> Self {
        let operator = filter.operator.as_ref().map(|operator| match operator {
            OperatorRef::Id(_) => OperatorKind::Id,
            OperatorRef::Email(_) => OperatorKind::Email,
        });
        let max_duration = max_duration(filter);
        let by_duration = filter.min_duration.is_some_and(|min| min > 0) || max_duration.is_some();
        let index = match (by_duration, filter.direction, operator) {
            (false, None, _) => IndexChoice::Time,
            (false, Some(_), None) => IndexChoice::Direction,
            _ => IndexChoice::Facets(
                facets(filter.direction, filter.min_duration, max_duration)
                    .into_iter()
                    .fold(0, |bits, facet| bits | 1 << facet),
            ),
        };
        Self {
            purpose,
            operator,
            index,
            has_from: filter.from.is_some(),
            has_outcome: filter.outcome.is_some(),
            is_single_scan: false,
        }
    }
}

/// The longest call that the filter allows. Only a completed call has a duration.
fn max_duration(filter: &CallFilter) -> Option<i64> {
    match filter.outcome {
        Some(CallOutcome::Missed | CallOutcome::Failed) => Some(0),
        Some(CallOutcome::Answered) | None => filter.max_duration,
    }
}

/// Which value a placeholder stands for.
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
    Status,
    OtherStatus,
    Limit,
    Offset,
}

#[derive(Debug)]
struct PlannedStatement {
    statement: Statement,
    slots: Vec<Slot>,
}

impl PlannedStatement {
    fn bind<'a>(&self, tenant: TenantId, filter: &'a CallFilter) -> Vec<Param<'a>> {
        let (before_time, before_id) = upper_bound(filter);
        let status = |index: usize| filter.outcome.map(|outcome| outcome.statuses()[index].name());
        let value = |slot: &Slot| match slot {
            Slot::Tenant => tenant.into(),
            Slot::From => filter.from.map_or(i64::MIN, Timestamp::micros).into(),
            Slot::BeforeTime => before_time.into(),
            Slot::BeforeId => before_id.map_or(Param::Bytes(&[]), Param::from),
            Slot::Direction => filter.direction.map(CallDirection::name).into(),
            Slot::Operator => match &filter.operator {
                Some(OperatorRef::Id(id)) => (*id).into(),
                Some(OperatorRef::Email(email)) => email.into(),
                None => Param::Null,
            },
            Slot::MinDuration => filter.min_duration.unwrap_or(0).into(),
            Slot::MaxDuration => max_duration(filter).unwrap_or(i64::MAX).into(),
            Slot::Status => status(0).into(),
            Slot::OtherStatus => status(1).into(),
            Slot::Limit => filter.limit.into(),
            Slot::Offset => filter.offset.into(),
        };
        self.slots.iter().map(value).collect()
    }
}

/// The filter's end and its cursor as one exclusive upper bound of time and id. A missing id is bound as empty bytes,
/// which sort before every id.
pub(super) fn upper_bound(filter: &CallFilter) -> (i64, Option<CallId>) {
    let to = filter.to.map_or(i64::MAX, |to| to.micros().saturating_add(1));
    match filter.after {
        Some((started_at, id)) if started_at.micros() < to => (started_at.micros(), Some(id)),
        _ => (to, None),
    }
}

fn planned(shape: Shape) -> &'static PlannedStatement {
    static PLANS: LazyLock<RwLock<HashMap<Shape, &'static PlannedStatement>>> = LazyLock::new(RwLock::default);
    if let Some(known) = PLANS.read().get(&shape) {
        return known;
    }
    let mut plans = PLANS.write();
    // Never freed: the number of shapes is bounded.
    plans.entry(shape).or_insert_with(|| Box::leak(Box::new(plan(shape))))
}

/// What a scan returns: the columns of the list, or the positions (time and id), which every index contains.
#[derive(Clone, Copy)]
enum ScanResult {
    Rows,
    Positions,
}

/// Builds the text of a statement. `slots[n - 1]` says which value `$n` stands for.
#[derive(Default)]
struct StatementWriter {
    sql: String,
    slots: Vec<Slot>,
}

impl StatementWriter {
    fn text(&mut self, sql: &str) -> &mut Self {
        self.sql.push_str(sql);
        self
    }

    fn bind(&mut self, slot: Slot) -> &mut Self {
        let position = self.slots.iter().position(|known| *known == slot).unwrap_or_else(|| {
            self.slots.push(slot);
            self.slots.len() - 1
        });
        let _ = write!(self.sql, "${}", position + 1);
        self
    }

    /// PostgreSQL estimates a range of times (a lower and an upper bound) as much narrower than a comparison of times and
    /// ids. `calls_counted` has no ids, so only its scan would look like one of a range, and PostgreSQL would read and sort
    /// all calls of one time. So there is a lower bound only if the filter has one, and an upper bound of the time
    /// alone next to it, which makes all indexes look alike.
    fn conditions(&mut self, shape: Shape, shows: ScanResult) -> &mut Self {
        let _ = write!(self.sql, " FROM calls {} WHERE tenant_id = ", index(shape.operator, shape.index, shows));
        self.bind(Slot::Tenant);
        match shape.operator {
            Some(OperatorKind::Id) => {
                self.text(" AND operator_id = ").bind(Slot::Operator);
            }
            Some(OperatorKind::Email) => {
                self.text(" AND operator_id = (SELECT a.id FROM accounts a WHERE a.tenant_id = ").bind(Slot::Tenant);
                self.text(" AND a.email = ").bind(Slot::Operator).text(")");
            }
            None => {}
        }
        if shape.has_from {
            self.text(" AND started_at >= ").bind(Slot::From);
            self.text("{postgres  AND started_at <= ").bind(Slot::BeforeTime).text("}");
        }
        self.text(" AND (started_at, id) < (").bind(Slot::BeforeTime).text(", ").bind(Slot::BeforeId).text(")");
        if shape.has_outcome {
            self.text(" AND status IN (").bind(Slot::Status).text(", ").bind(Slot::OtherStatus).text(")");
        }
        self
    }

    fn page(&mut self) -> &mut Self {
        self.text(NEWEST).text(" LIMIT ").bind(Slot::Limit).text(" OFFSET ").bind(Slot::Offset)
    }

    fn durations(&mut self) -> &mut Self {
        self.text(" AND duration_seconds >= ").bind(Slot::MinDuration);
        self.text(" AND duration_seconds <= ").bind(Slot::MaxDuration)
    }
}

/// The index for SQLite to use. Without its name SQLite would choose the narrowest index with the right order and scan
/// the calls that the filter excludes. Rows by time alone need no index: SQLite stores the table in the order of the
/// list.
const fn index(operator: Option<OperatorKind>, choice: IndexChoice, shows: ScanResult) -> &'static str {
    match (choice, operator) {
        (IndexChoice::Time, None) => match shows {
            ScanResult::Rows => "",
            ScanResult::Positions => "{indexed_by calls_time}",
        },
        (IndexChoice::Time, Some(_)) => "{indexed_by calls_operator}",
        (IndexChoice::Direction, _) => "{indexed_by calls_direction}",
        (IndexChoice::Facets(_), None) => "{indexed_by calls_facet}",
        (IndexChoice::Facets(_), Some(_)) => "{indexed_by calls_operator_facet}",
    }
}

const NEWEST: &str = " ORDER BY started_at DESC, id DESC";

fn plan(shape: Shape) -> PlannedStatement {
    let mut writer = StatementWriter::default();
    match (shape.purpose, shape.index) {
        (Purpose::Count, _) => write_count(&mut writer, shape),
        (Purpose::Page { deep: false }, IndexChoice::Time | IndexChoice::Direction) => {
            writer.text("SELECT doc, started_at, id");
            write_ordered(&mut writer, shape, ScanResult::Rows);
        }
        (Purpose::Page { .. }, choice) => {
            writer.text("SELECT c.doc, c.started_at, c.id FROM (SELECT started_at, id");
            match choice {
                IndexChoice::Facets(_) if shape.is_single_scan => write_single_scan(&mut writer, shape),
                IndexChoice::Facets(bits) => write_merged(&mut writer, shape, bits),
                _ => write_ordered(&mut writer, shape, ScanResult::Positions),
            }
            writer.text(") p JOIN calls c ON c.tenant_id = ").bind(Slot::Tenant);
            // With an equality on the id SQLite would use the index on ids instead of the primary key.
            writer.text(" AND c.started_at = p.started_at AND ");
            writer.text("{sqlite c.id >= p.id AND c.id <= p.id}{postgres c.id = p.id}");
            writer.text(" ORDER BY p.started_at DESC, p.id DESC");
        }
    }
    let statement = match shape.purpose {
        Purpose::Count => composed_statement!(COUNT, writer.sql),
        Purpose::Page { .. } => composed_statement!(PAGE, writer.sql),
    };
    PlannedStatement { statement, slots: writer.slots }
}

fn write_ordered(writer: &mut StatementWriter, shape: Shape, shows: ScanResult) {
    writer.conditions(shape, shows);
    if shape.index == IndexChoice::Direction {
        writer.text(" AND direction = ").bind(Slot::Direction);
    }
    writer.page();
}

/// Each branch is ordered by its index. SQLite merges the branches and stops at the limit. PostgreSQL would sort them
/// whole, so each branch has a limit there.
fn write_merged(writer: &mut StatementWriter, shape: Shape, bits: u32) {
    let facets = (0..32).filter(|facet| bits & (1 << facet) != 0);
    for (i, facet) in facets.enumerate() {
        let joint = if i == 0 { " FROM (" } else { " UNION ALL " };
        writer.text(joint).text("{postgres (}SELECT started_at, id").conditions(shape, ScanResult::Positions);
        let _ = write!(writer.sql, " AND facet = {facet}");
        writer.durations().text("{postgres ").text(NEWEST).text(" LIMIT CAST(").bind(Slot::Limit);
        writer.text(" AS BIGINT) + CAST(").bind(Slot::Offset).text(" AS BIGINT))}");
    }
    writer.text(") merged").page();
}

/// The calls that the filter allows, from any index that has the order of the list.
fn write_single_scan(writer: &mut StatementWriter, shape: Shape) {
    writer.conditions(shape, ScanResult::Positions);
    write_facets(writer, shape.index);
    writer.page();
}

fn write_count(writer: &mut StatementWriter, shape: Shape) {
    writer.text("SELECT COUNT(*)").conditions(shape, ScanResult::Positions);
    match shape.index {
        IndexChoice::Time => {}
        IndexChoice::Direction => {
            writer.text(" AND direction = ").bind(Slot::Direction);
        }
        IndexChoice::Facets(_) => write_facets(writer, shape.index),
    }
}

fn write_facets(writer: &mut StatementWriter, choice: IndexChoice) {
    let IndexChoice::Facets(bits) = choice else { return };
    let allowed = (0..32).filter(|facet| bits & (1 << facet) != 0).map(|facet| facet.to_string());
    let allowed = allowed.collect::<Vec<_>>().join(", ");
    writer.text(" AND facet IN (").text(&allowed).text(")").durations();
}

/// The statements of all combinations of filters, with a sample of the ranges of durations.
pub fn lists() -> Vec<&'static Statement> {
    let ranges = [None, Some((0, i64::MAX)), Some((60, 600)), Some((0, 0)), Some((100_000, i64::MAX))];
    let operators = [None, Some(OperatorRef::Id(Id::from_bytes([0; 12]))), Some(OperatorRef::Email(String::new()))];
    let mut all = Vec::new();
    for range in ranges {
        for operator in &operators {
            for direction in [None, Some(CallDirection::Inbound), Some(CallDirection::Outbound)] {
                let (min_duration, max_duration) = (range.map(|r| r.0), range.map(|r| r.1));
                let filter = CallFilter {
                    direction,
                    operator: operator.clone(),
                    min_duration,
                    max_duration,
                    ..CallFilter::default()
                };
                for from in [None, Some(Timestamp::from_micros(0))] {
                    all.extend(statements_of(&CallFilter { from, ..filter.clone() }));
                }
                if range.is_none() {
                    for outcome in CallOutcome::ALL {
                        all.extend(statements_of(&CallFilter { outcome: Some(*outcome), ..filter.clone() }));
                    }
                }
            }
        }
    }
    all
}

fn statements_of(filter: &CallFilter) -> [&'static Statement; 3] {
    let purposes = [Purpose::Page { deep: false }, Purpose::Page { deep: true }, Purpose::Count];
    purposes.map(|purpose| &planned(Shape::new(filter, purpose)).statement)
}
