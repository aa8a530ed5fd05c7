//! Hits counted by day, template, button and class: in an index alone, and in its order.

use domain::clicks::Class;
use domain::{TemplateId, TenantId};

use crate::columns::{columns, select};
use crate::{Db, Result, Statement, params, read};

static COUNTED: Statement = Statement::new(
    "clicks.counted",
    select!(
        Count,
        " FROM clicks {indexed_by clicks_counted}
         WHERE tenant_id = $1 AND day BETWEEN $2 AND $3
         GROUP BY day, template_id, spot, class"
    ),
);

pub(super) static STATEMENTS: [&Statement; 1] = [&COUNTED];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Since 1970.
    pub day: i64,
    pub template_id: TemplateId,
    /// Card and button.
    pub spot: i64,
    pub class: Class,
    pub hits: i64,
}

columns! { Count { day, template_id, spot, class, hits: "COUNT(*)" } }

/// Visits the counts of these days, both included. May take long: every hit of the days is counted.
pub async fn counts(
    db: &Db,
    tenant: TenantId,
    (first, last): (i64, i64),
    mut visit: impl FnMut(Count) -> Result<()> + Send,
) -> Result<()> {
    db.long_each(&COUNTED, params![tenant, first, last], |row| visit(read(row)?)).await
}
