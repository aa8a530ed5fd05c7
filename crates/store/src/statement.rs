//! A named statement in the shared dialect, and its spelling for each engine.
//!
//! `$n` becomes `?n` on SQLite. `{skip_locked}`, `{for_update}`, `{without_rowid}` and `{indexed_by NAME}` stand for what
//! only one engine has.

use std::borrow::Cow;
use std::sync::OnceLock;

#[derive(Debug)]
pub struct Statement {
    name: &'static str,
    text: Cow<'static, str>,
    tenantless: Option<&'static str>,
    sqlite: OnceLock<String>,
    postgres: OnceLock<String>,
}

impl Statement {
    /// A statement that names its tenant.
    pub const fn new(name: &'static str, text: &'static str) -> Self {
        Self::with(name, Cow::Borrowed(text), None)
    }

    /// One of the few that may not name a tenant, with the reason. Each is listed in the test of the catalogue.
    pub const fn tenantless(name: &'static str, reason: &'static str, text: &'static str) -> Self {
        Self::with(name, Cow::Borrowed(text), Some(reason))
    }

    /// A statement put together from parts at the first use.
    pub const fn composed(name: &'static str, text: String) -> Self {
        Self::with(name, Cow::Owned(text), None)
    }

    const fn with(name: &'static str, text: Cow<'static, str>, tenantless: Option<&'static str>) -> Self {
        Self { name, text, tenantless, sqlite: OnceLock::new(), postgres: OnceLock::new() }
    }

    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why it may not name a tenant, if so.
    pub const fn tenantless_reason(&self) -> Option<&'static str> {
        self.tenantless
    }

    pub fn for_sqlite(&self) -> &str {
        self.sqlite.get_or_init(|| sqlite_text(&self.text))
    }

    pub fn for_postgres(&self) -> &str {
        self.postgres.get_or_init(|| postgres_text(&self.text))
    }
}

/// SQLite keeps no statistics of ours and guesses; PostgreSQL knows its tables.
const INDEXED_BY: &str = "{indexed_by ";

pub(crate) fn sqlite_text(text: &str) -> String {
    text.replace("{skip_locked}", "")
        .replace("{for_update}", "")
        .replace("{without_rowid}", "WITHOUT ROWID")
        .replace('$', "?")
        .replace(INDEXED_BY, "INDEXED BY ")
        .replace('}', "")
}

pub(crate) fn postgres_text(text: &str) -> String {
    let mut parts = text.split(INDEXED_BY);
    let first = parts.next().unwrap_or_default().to_owned();
    let unhinted = parts.fold(first, |all, part| all + part.split_once('}').map_or(part, |(_, rest)| rest));
    unhinted
        .replace("{skip_locked}", "FOR UPDATE SKIP LOCKED")
        .replace("{for_update}", "FOR UPDATE")
        .replace("{without_rowid}", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_gets_its_own_spelling() {
        let text =
            "SELECT a FROM t {indexed_by t_a} WHERE b = $1 AND c IN (SELECT c FROM u {indexed_by u_c}) {for_update}";
        let sqlite = "SELECT a FROM t INDEXED BY t_a WHERE b = ?1 AND c IN (SELECT c FROM u INDEXED BY u_c) ";
        let postgres = "SELECT a FROM t  WHERE b = $1 AND c IN (SELECT c FROM u ) FOR UPDATE";
        assert_eq!(sqlite_text(text), sqlite);
        assert_eq!(postgres_text(text), postgres);
    }
}
