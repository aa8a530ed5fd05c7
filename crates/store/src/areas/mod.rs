//! One module of statements for each area. Functions take the tenant first: a row of another tenant does not exist.

pub mod accounts;
pub mod audit;
pub mod calls;
pub mod contacts;
pub mod epochs;
pub mod installation;
pub mod leases;
pub mod limits;
pub mod sessions;
pub mod tenants;
pub mod tokens;

use crate::Statement;

/// Every statement of every area and of the backup: what the tests prepare on both engines and hold to the tenant rule.
pub fn statements() -> Vec<&'static Statement> {
    let mut all: Vec<&'static Statement> = Vec::new();
    for area in [
        accounts::STATEMENTS,
        audit::STATEMENTS,
        contacts::STATEMENTS,
        epochs::STATEMENTS,
        installation::STATEMENTS,
        leases::STATEMENTS,
        limits::STATEMENTS,
        sessions::STATEMENTS,
        tenants::STATEMENTS,
        tokens::STATEMENTS,
        calls::STATEMENTS,
        crate::backup::STATEMENTS,
    ] {
        all.extend(area);
    }
    all.extend(calls::lists());
    all
}
