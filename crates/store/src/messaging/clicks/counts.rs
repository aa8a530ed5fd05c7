//! Counts hits by day, template, button and class, with an index that has these columns in this order.

use domain::messaging::clicks::ClickClass;
use domain::{TemplateId, TenantId};

use crate::base::columns::{columns, select};
use crate::{Db, Result, params, read};

statements! {
    COUNTS = select!(
        HitCount,
        " FROM clicks {indexed_by clicks_counted}
         WHERE tenant_id = $1 AND day BETWEEN $2 AND $3
         GROUP BY day, template_id, spot, class"
    );
    /// Counts hits that have no rows.
    OVERFLOW_COUNTS = "SELECT day, template_id, spot, class, CAST(SUM(hits) AS BIGINT) FROM click_overflow
        WHERE tenant_id = $1 AND day BETWEEN $2 AND $3
        GROUP BY day, template_id, spot, class";
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HitCount {
    /// Days since 1970.
    pub day: i64,
    pub template_id: TemplateId,
    /// Card and button as one number.
    pub spot: i64,
    pub class: ClickClass,
    pub hits: i64,
}

columns! { HitCount { day, template_id, spot, class, hits: "COUNT(*)" } }

/// Visits the counts of hits on these days, both included: first of hits with rows, then of hits without. The same day,
/// template, button and class may therefore come twice. May take long: it reads every hit of the days.
pub async fn visit_counts(
    db: &Db,
    tenant: TenantId,
    (first, last): (i64, i64),
    visit: &mut (dyn FnMut(HitCount) -> Result<()> + Send),
) -> Result<()> {
    db.long_each(&COUNTS, params![tenant, first, last], |row| visit(read(row)?)).await?;
    db.long_each(&OVERFLOW_COUNTS, params![tenant, first, last], |row| visit(read(row)?)).await
}
