//! Rows that PostgreSQL returns.

use tokio_postgres::Row as PgRow;

use crate::base::row::RowOf;
use crate::{Result, Row};

pub(crate) fn row(pg: &PgRow) -> Row<'_> {
    Row(RowOf::Postgres(pg))
}

pub(crate) fn visit_all(rows: &[PgRow], visit: &mut dyn FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
    rows.iter().try_for_each(|pg| visit(&row(pg)))
}
