//! Rows that PostgreSQL returns.

use tokio_postgres::Row as PgRow;

use crate::Row;
use crate::base::row::RowOf;

pub(crate) fn row(pg: &PgRow) -> Row<'_> {
    Row(RowOf::Postgres(pg))
}
