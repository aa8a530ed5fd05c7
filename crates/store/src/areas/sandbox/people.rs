//! Simulated people. Each has a position in its tenant, which never changes.

use domain::{TenantId, Timestamp};

use crate::{Db, Result, Row, Statement, Tx, params};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT position, name, phone, bsuid, parent_bsuid, username, created_at FROM sandbox_people
             WHERE tenant_id = $1 ",
            $rest
        )
    };
}

static INSERT: Statement = Statement::new(
    "sandbox_people.insert",
    "INSERT INTO sandbox_people (tenant_id, position, name, phone, bsuid, parent_bsuid, username, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
);
static LIST: Statement = Statement::new("sandbox_people.list", select!("ORDER BY position"));
static BY_POSITION: Statement = Statement::new("sandbox_people.by_position", select!("AND position = $2"));
static BY_PHONE: Statement = Statement::new("sandbox_people.by_phone", select!("AND phone = $2"));
static BY_BSUID: Statement = Statement::new("sandbox_people.by_bsuid", select!("AND bsuid = $2"));

pub(super) static STATEMENTS: &[&Statement] = &[&INSERT, &LIST, &BY_POSITION, &BY_PHONE, &BY_BSUID];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub position: i64,
    pub name: String,
    /// Digits. Some people show none.
    pub phone: Option<String>,
    pub bsuid: String,
    pub parent_bsuid: Option<String>,
    pub username: Option<String>,
    pub created_at: Timestamp,
}

fn person(row: &Row<'_>) -> Result<Person> {
    Ok(Person {
        position: row.int(0)?,
        name: row.string(1)?,
        phone: row.opt_string(2)?,
        bsuid: row.string(3)?,
        parent_bsuid: row.opt_string(4)?,
        username: row.opt_string(5)?,
        created_at: row.time(6)?,
    })
}

/// False when the position, the number or the BSUID is somebody's already.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Person) -> Result<bool> {
    let Person { position, name, phone, bsuid, parent_bsuid, username, created_at } = new;
    let row = params![tenant, *position, name, phone, bsuid, parent_bsuid, username, *created_at];
    Ok(tx.execute(&INSERT, row).await? == 1)
}

/// All of a tenant, in the order of their positions: there are few.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<Person>> {
    db.rows(&LIST, params![tenant], person).await
}

pub async fn list_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<Person>> {
    tx.rows(&LIST, params![tenant], person).await
}

pub async fn by_position(tx: &mut Tx<'_>, tenant: TenantId, position: i64) -> Result<Option<Person>> {
    tx.row(&BY_POSITION, params![tenant, position], person).await
}

pub async fn by_phone(tx: &mut Tx<'_>, tenant: TenantId, digits: &str) -> Result<Option<Person>> {
    tx.row(&BY_PHONE, params![tenant, digits], person).await
}

pub async fn by_bsuid(tx: &mut Tx<'_>, tenant: TenantId, bsuid: &str) -> Result<Option<Person>> {
    tx.row(&BY_BSUID, params![tenant, bsuid], person).await
}
