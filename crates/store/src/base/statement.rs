//! A named statement in the shared dialect, and its text for each engine. `statements!` declares the statements of a
//! module, and `composed_statement!` makes one whose text is composed at run time. Both derive a statement's name from
//! its module and its constant.
//!
//! `$n` becomes `?n` on SQLite. `{sqlite …}` and `{postgres …}`, and their short forms, hold text for one engine only.

use std::borrow::Cow;
use std::sync::OnceLock;

use tokio_postgres::types::Type;

use crate::Param;
use crate::base::postgres::arrays::over_arrays;

#[derive(Debug)]
pub struct Statement {
    name: &'static str,
    text: Cow<'static, str>,
    tenantless: Option<&'static str>,
    sqlite: OnceLock<String>,
    postgres: OnceLock<String>,
    /// The text over arrays (`postgres/arrays.rs`), if there is one.
    over_arrays: OnceLock<Option<String>>,
    /// The types of its placeholders on PostgreSQL, as far as a batch of rows has needed them.
    types: OnceLock<Vec<Type>>,
}

impl Statement {
    /// A statement of a test.
    pub const fn new(name: &'static str, text: &'static str) -> Self {
        Self::with(name, Cow::Borrowed(text), None)
    }

    /// A statement of `statements!`, with the reason if it has no tenant.
    pub(crate) const fn declared(name: &'static str, reason: &[&'static str], text: &'static str) -> Self {
        let tenantless = match reason {
            [reason] => Some(*reason),
            _ => None,
        };
        Self::with(name, Cow::Borrowed(text), tenantless)
    }

    /// A statement whose text is composed at run time. It has no reason for a missing tenant, so the text names its
    /// tenant, except in backup and restore.
    pub const fn composed(name: &'static str, text: String) -> Self {
        Self::with(name, Cow::Owned(text), None)
    }

    const fn with(name: &'static str, text: Cow<'static, str>, tenantless: Option<&'static str>) -> Self {
        Self {
            name,
            text,
            tenantless,
            sqlite: OnceLock::new(),
            postgres: OnceLock::new(),
            over_arrays: OnceLock::new(),
            types: OnceLock::new(),
        }
    }

    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// False for a statement that only changes rows.
    pub fn returns_rows(&self) -> bool {
        self.text.starts_with("SELECT") || self.text.contains("RETURNING")
    }

    /// The reason of a statement without a tenant.
    pub const fn tenantless_reason(&self) -> Option<&'static str> {
        self.tenantless
    }

    pub fn for_sqlite(&self) -> &str {
        self.sqlite.get_or_init(|| sqlite_text(&self.text))
    }

    pub fn for_postgres(&self) -> &str {
        self.postgres.get_or_init(|| postgres_text(&self.text))
    }

    pub(crate) fn known_types(&self) -> Option<&[Type]> {
        self.types.get().map(Vec::as_slice)
    }

    pub(crate) fn keep_types(&self, types: Vec<Type>) -> &[Type] {
        self.types.get_or_init(|| types)
    }

    /// The text for many rows at once, given the types of its placeholders; none if the statement's shape does not
    /// allow one.
    pub(crate) fn over_arrays(&self, types: &[Type]) -> Option<&str> {
        self.over_arrays.get_or_init(|| over_arrays(self.for_postgres(), types)).as_deref()
    }
}

/// A statement with the values of its parameters.
pub type BoundStatement = (&'static Statement, Vec<Param<'static>>);

/// The first part of the names of a module's statements: the path of the module, as `after_room` shortens it.
macro_rules! statement_area {
    () => {
        const_format::str_replace!($crate::base::statement::after_room(module_path!()), "::", ".")
    };
}

/// The name of a statement: the area of its module and its constant.
macro_rules! statement_name {
    ($area:expr, $name:ident) => {
        const_format::concatcp!($area, ".", const_format::map_ascii_case!(const_format::Case::Lower, stringify!($name)))
    };
}

/// A statement whose text is composed at run time, named like those of `statements!`. Statements that one constant
/// holds share its name.
macro_rules! composed_statement {
    ($name:ident, $text:expr) => {
        $crate::Statement::composed(statement_name!(statement_area!(), $name), $text)
    };
}

/// Declares the statements of a module, and the function `statements` that lists them. A statement is named after its
/// module and its constant: `FIND` in `identity/tokens.rs` is `tokens.find`.
///
/// ```ignore
/// statements! {
///     // Listed with these: statements of modules below, and those that are composed at run time.
///     with history::statements(), composed();
///
///     FIND = select!(Token, " FROM tokens WHERE tenant_id = $1 AND id = $2");
///     /// One of the few statements without a tenant, with the reason. A test lists all of them.
///     EXPIRED tenantless "the sweep deletes expired tokens of every tenant" = "DELETE FROM tokens …";
/// }
/// ```
macro_rules! statements {
    (with $($more:expr),+; $($own:tt)+) => {
        statements! { @declare [$($more),+] $($own)+ }
    };
    (@declare [$($more:expr),*]
        $($(#[$doc:meta])* $vis:vis $name:ident $(tenantless $reason:literal)? = $text:expr;)+
    ) => {
        const AREA: &str = statement_area!();

        $($(#[$doc])* $vis static $name: $crate::Statement = $crate::Statement::declared(
            statement_name!(AREA, $name),
            &[$($reason)?],
            $text,
        );)+

        pub(crate) fn statements() -> Vec<&'static $crate::Statement> {
            let own: &[&'static $crate::Statement] = &[$(&$name),+];
            own.iter().copied()$(.chain($more))*.collect()
        }
    };
    ($($own:tt)+) => {
        statements! { @declare [] $($own)+ }
    };
}

/// The path of a module without its crate and its room, so that statements keep their names when an area moves to
/// another room. `calls` and `inbox` stay in the names: their modules, such as `list`, say little without the room.
pub(crate) const fn after_room(module: &str) -> &str {
    let (_, path) = split_segment(module);
    let (first, rest) = split_segment(path);
    let is_room = matches!(
        first.as_bytes(),
        b"base" | b"identity" | b"people" | b"messaging" | b"commerce" | b"delivery" | b"automation" | b"platform"
    );
    if is_room && !rest.is_empty() { rest } else { path }
}

/// The first segment of a path, and what follows it; nothing follows the last segment.
const fn split_segment(path: &str) -> (&str, &str) {
    let (bytes, mut i) = (path.as_bytes(), 0);
    while i < bytes.len() {
        if bytes[i] == b':' {
            let (first, rest) = path.split_at(i);
            return (first, rest.split_at("::".len()).1);
        }
        i += 1;
    }
    (path, "")
}

/// Short forms of `{sqlite TEXT}` and `{postgres TEXT}`.
const SHORT: [(&str, &str); 3] = [
    ("{skip_locked}", "{postgres FOR UPDATE SKIP LOCKED}"),
    ("{for_update}", "{postgres FOR UPDATE}"),
    ("{without_rowid}", "{sqlite WITHOUT ROWID}"),
];
/// `{indexed_by NAME}` names the index for SQLite, whose planner has no statistics here (`ANALYZE` is never run).
/// PostgreSQL collects statistics by itself and chooses the index.
const INDEXED_BY: (&str, &str) = ("{indexed_by ", "{sqlite INDEXED BY ");

pub(crate) fn sqlite_text(text: &str) -> String {
    keep_only("{sqlite ", "{postgres ", text).replace('$', "?")
}

pub(crate) fn postgres_text(text: &str) -> String {
    keep_only("{postgres ", "{sqlite ", text)
}

fn keep_only(ours: &str, theirs: &str, text: &str) -> String {
    let spelled =
        SHORT.iter().chain([&INDEXED_BY]).fold(text.to_owned(), |text, (short, long)| text.replace(short, long));
    let mut parts = spelled.split(theirs);
    let first = parts.next().unwrap_or_default().to_owned();
    let without = parts.fold(first, |all, part| all + part.split_once('}').map_or(part, |(_, rest)| rest));
    without.replace(ours, "").replace('}', "")
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
        let both = "{postgres (}SELECT a{postgres  LIMIT $1)}";
        assert_eq!((sqlite_text(both).as_str(), postgres_text(both).as_str()), ("SELECT a", "(SELECT a LIMIT $1)"));
    }

    #[test]
    fn a_name_has_no_crate_and_seldom_a_room() {
        for (module, named) in [
            ("store::tables", "tables"),
            ("store::people::contacts", "contacts"),
            ("store::people::contacts::list", "contacts::list"),
            ("store::platform::backup::restore", "backup::restore"),
            ("store::inbox", "inbox"),
            ("store::inbox::list", "inbox::list"),
            ("store::calls", "calls"),
            ("store::calls::counts", "calls::counts"),
        ] {
            assert_eq!(after_room(module), named, "{module}");
        }
    }
}
