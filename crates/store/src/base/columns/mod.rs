//! The columns of structs, and binding values to placeholders.
//!
//! `FromRow` reads a value from the columns at a position: a scalar takes one column, a tuple or a struct several.
//! `Bind` does the reverse. `columns!` (structs that are only read) and `record!` (also written) list the columns of a
//! struct once. Select lists and reading follow from that list, with `record!` also inserts and binding:
//!
//! ```ignore
//! record! { Team { id, name, members: "member_count" } }
//!
//! static INSERT: Statement = …insert!("teams": Team);
//! static FIND: Statement = …select!(Team, " FROM teams WHERE tenant_id = $1 AND id = $2");
//!
//! tx.execute(&INSERT, &Params::for_tenant(tenant).and(team)).await?;
//! let team: Option<Team> = db.row(&FIND, params![tenant, id], read).await?;
//! ```

mod scalars;

use domain::{Id, TenantId};
use smallvec::SmallVec;

use crate::Param;

/// A struct with a list of columns.
pub trait Columns {
    /// Names of the columns, in the order in which they are read and bound.
    const COLUMNS: &'static str;
}

/// A value bound to one placeholder or several adjacent ones.
pub trait Bind {
    fn bind<'a>(&'a self, to: &mut Params<'a>);

    /// Binds NULL to all columns of the value.
    fn bind_null(to: &mut Params<'_>) {
        to.push(Param::Null);
    }
}

impl<T: Bind> Bind for Option<T> {
    fn bind<'a>(&'a self, to: &mut Params<'a>) {
        match self {
            Some(value) => value.bind(to),
            None => T::bind_null(to),
        }
    }
}

/// The values of one row, in the order of their placeholders. Up to 28 values need no allocation for the list.
#[derive(Debug, Clone, Default)]
pub struct Params<'a>(SmallVec<[Param<'a>; 28]>);

impl<'a> Params<'a> {
    /// Begins with the tenant: `$1` of most statements.
    pub fn for_tenant(tenant: TenantId) -> Self {
        Self::default().with(tenant)
    }

    /// Appends one value.
    #[must_use]
    pub fn with(mut self, value: impl Into<Param<'a>>) -> Self {
        self.push(value);
        self
    }

    /// Appends all columns of a struct.
    #[must_use]
    pub fn and(mut self, record: &'a impl Bind) -> Self {
        record.bind(&mut self);
        self
    }

    pub(crate) fn push(&mut self, value: impl Into<Param<'a>>) {
        self.0.push(value.into());
    }

    pub(crate) fn push_nulls(&mut self, count: usize) {
        self.0.extend(std::iter::repeat_n(Param::Null, count));
    }
}

impl<'a> std::ops::Deref for Params<'a> {
    type Target = [Param<'a>];

    fn deref(&self) -> &[Param<'a>] {
        &self.0
    }
}

impl<'a> AsRef<[Param<'a>]> for Params<'a> {
    fn as_ref(&self) -> &[Param<'a>] {
        &self.0
    }
}

/// Ids as a JSON array of texts in hex digits, for a statement's `listed`.
pub(crate) fn listed<K>(ids: &[Id<K>]) -> String {
    domain::to_json(ids)
}

/// Number of columns in a list. Commas in parentheses separate no columns.
pub(crate) const fn width(columns: &str) -> usize {
    let (bytes, mut i, mut count, mut depth) = (columns.as_bytes(), 0, 1, 0);
    while i < bytes.len() {
        match bytes[i] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth == 0 => count += 1,
            _ => {}
        }
        i += 1;
    }
    count
}

/// The list without its first column, which is the key.
pub(crate) const fn after_first(columns: &str) -> &str {
    let mut i = 0;
    while columns.as_bytes()[i] != b',' {
        i += 1;
    }
    columns.split_at(i + 2).1
}

/// `$first, …`: `count` placeholders, up to `$32`.
pub(crate) const fn placeholders(first: usize, count: usize) -> &'static str {
    const ALL: &str = "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, \
                       $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32";
    const fn start(n: usize) -> usize {
        if n < 10 { (n - 1) * 4 } else { 36 + (n - 10) * 5 }
    }
    ALL.split_at(start(first + count) - 2).0.split_at(start(first)).1
}

/// Lists the columns of a struct that is only read. A field is the column of its name, `field: "column"` another one,
/// and `field: Other` or `field: (Other as "alias")` stands for the columns of a struct that are listed elsewhere. A
/// struct that borrows from the row begins with its lifetime: `columns! { <'r> View<'r> { … } }`.
macro_rules! columns {
    (<$life:lifetime> $type:ty { $($field:ident $(: $column:tt)?),+ $(,)? }) => {
        impl<$life> $crate::base::columns::Columns for $type {
            const COLUMNS: &'static str = $crate::base::columns::column_list!($($field $(: $column)?),+);
        }

        impl<$life> $crate::FromRow<$life> for $type {
            const WIDTH: usize = $crate::base::columns::width(<Self as $crate::base::columns::Columns>::COLUMNS);

            fn from_row(row: &$life $crate::Row<'_>, at: usize) -> $crate::Result<Self> {
                let mut columns = row.columns_from(at);
                Ok(Self { $($field: columns.take()?),+ })
            }
        }
    };
    ($type:ty { $($list:tt)+ }) => {
        $crate::base::columns::columns! { <'r> $type { $($list)+ } }
    };
}

/// Lists the columns of a struct that is read and written.
macro_rules! record {
    ($type:ty { $($field:ident $(: $column:tt)?),+ $(,)? }) => {
        $crate::base::columns::columns! { $type { $($field $(: $column)?),+ } }

        impl $crate::base::columns::Bind for $type {
            fn bind<'a>(&'a self, to: &mut $crate::base::columns::Params<'a>) {
                $($crate::base::columns::Bind::bind(&self.$field, to);)+
            }

            fn bind_null(to: &mut $crate::base::columns::Params<'_>) {
                to.push_nulls($crate::base::columns::width(<Self as $crate::base::columns::Columns>::COLUMNS));
            }
        }
    };
}

/// Lists the id and those columns of a struct that a statement changes: `part! { Renamed of Team { id, name } }`.
macro_rules! part {
    ($(#[$doc:meta])* $part:ident of $type:ty { $($field:ident $(: $column:tt)?),+ $(,)? }) => {
        $(#[$doc])*
        struct $part<'p>(&'p $type);

        impl $crate::base::columns::Columns for $part<'_> {
            const COLUMNS: &'static str = $crate::base::columns::column_list!($($field $(: $column)?),+);
        }

        impl $crate::base::columns::Bind for $part<'_> {
            fn bind<'a>(&'a self, to: &mut $crate::base::columns::Params<'a>) {
                $($crate::base::columns::Bind::bind(&self.0.$field, to);)+
            }
        }
    };
}

macro_rules! column_list {
    ($first:ident $(: $first_column:tt)? $(, $field:ident $(: $column:tt)?)*) => {
        const_format::concatcp!(
            $crate::base::columns::column_text!($first $($first_column)?)
            $(, ", ", $crate::base::columns::column_text!($field $($column)?))*
        )
    };
}

macro_rules! column_text {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $column:literal) => {
        $column
    };
    ($field:ident $other:ident) => {
        <$other as $crate::base::columns::Columns>::COLUMNS
    };
    ($field:ident ($other:ident as $alias:literal)) => {
        $crate::base::columns::aliased!($other as $alias)
    };
}

/// `SELECT` with the columns of a struct and the rest of the statement: `select!(Team, " FROM teams …")`, or with an
/// alias of the table, `select!(Team as "t", " FROM teams t …")`.
macro_rules! select {
    ($type:ty, $($rest:expr),+ $(,)?) => {
        const_format::concatcp!("SELECT ", <$type as $crate::base::columns::Columns>::COLUMNS, $($rest),+)
    };
    ($type:ident as $alias:literal, $($rest:expr),+ $(,)?) => {
        const_format::concatcp!("SELECT ", $crate::base::columns::aliased!($type as $alias), $($rest),+)
    };
}

/// The names of the states in a list of `domain`, as texts in SQL: `state_names!(MessageState::WAITING; 0 1)` is
/// `'accepted', 'queued'`. Every index of the list is named, because a constant text has no loop.
macro_rules! state_names {
    ($states:expr; $first:literal $($next:literal)*) => {{
        const NAMES: &[&str] = &[$states[$first].name() $(, $states[$next].name())*];
        const _: () = assert!(NAMES.len() == $states.len(), "an index for each state");
        const_format::concatcp!("'", NAMES[$first], "'" $(, ", '", NAMES[$next], "'")*)
    }};
}

/// The columns of a struct, each prefixed with the alias of its table.
macro_rules! aliased {
    ($type:ident as $alias:literal) => {
        const_format::concatcp!(
            $alias,
            ".",
            const_format::str_replace!(
                <$type as $crate::base::columns::Columns>::COLUMNS,
                ", ",
                const_format::concatcp!(", ", $alias, ".")
            )
        )
    };
}

/// `INSERT` of a tenant, the columns of a struct, and further columns if there are any.
macro_rules! insert {
    ($table:literal: $type:ty $(, $more:expr)?) => {
        $crate::base::columns::insert_list!(
            $table,
            const_format::concatcp!("tenant_id, ", <$type as $crate::base::columns::Columns>::COLUMNS $(, ", ", $more)?)
        )
    };
}

/// `INSERT` of a struct whose first column is its tenant.
macro_rules! insert_whole {
    ($table:literal: $type:ty $(, $more:expr)?) => {
        $crate::base::columns::insert_list!(
            $table,
            const_format::concatcp!(<$type as $crate::base::columns::Columns>::COLUMNS $(, ", ", $more)?)
        )
    };
}

macro_rules! insert_list {
    ($table:literal, $columns:expr) => {
        const_format::concatcp!(
            "INSERT INTO ",
            $table,
            " (",
            $columns,
            ") VALUES (",
            $crate::base::columns::placeholders(1, $crate::base::columns::width($columns)),
            ")"
        )
    };
}

/// `UPDATE` of all columns of a struct except the first, the id, and of further columns. Takes the same parameters as
/// `insert!`.
macro_rules! update {
    ($table:literal: $type:ty $(, $more:expr)?) => {
        const_format::concatcp!(
            "UPDATE ",
            $table,
            " SET (",
            $crate::base::columns::after_first(<$type as $crate::base::columns::Columns>::COLUMNS),
            $(", ", $more,)?
            ") = (",
            $crate::base::columns::placeholders(
                3,
                $crate::base::columns::width(<$type as $crate::base::columns::Columns>::COLUMNS) - 1
                    $(+ $crate::base::columns::width($more))?
            ),
            ") WHERE tenant_id = $1 AND id = $2"
        )
    };
}

pub(crate) use {
    aliased, column_list, column_text, columns, insert, insert_list, insert_whole, part, record, select, state_names,
    update,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_counted_and_numbered() {
        assert_eq!((width("a"), width("a, b"), width("COALESCE(a, b), c")), (1, 2, 2));
        assert_eq!(after_first("id, name, at"), "name, at");
        assert_eq!(placeholders(1, 1), "$1");
        assert_eq!(placeholders(8, 4), "$8, $9, $10, $11");
        assert_eq!(placeholders(30, 2), "$30, $31");
    }

    #[test]
    fn a_list_is_written_as_each_statement_needs_it() {
        struct Pair {
            id: i64,
            name: String,
        }
        record! { Pair { id, name: "shown_name" } }
        let pair = Pair { id: 7, name: "ada".to_owned() };
        let bound = Params::for_tenant(TenantId::from_number(1)).and(&pair);
        assert!(matches!(&bound[..], [Param::Int(1), Param::Int(7), Param::Text("ada")]));
        assert_eq!(select!(Pair, " FROM pairs"), "SELECT id, shown_name FROM pairs");
        assert_eq!(select!(Pair as "p", " FROM pairs p"), "SELECT p.id, p.shown_name FROM pairs p");
        let inserted = "INSERT INTO pairs (tenant_id, id, shown_name, at) VALUES ($1, $2, $3, $4)";
        assert_eq!(insert!("pairs": Pair, "at"), inserted);
        let updated = "UPDATE pairs SET (shown_name, at) = ($3, $4) WHERE tenant_id = $1 AND id = $2";
        assert_eq!(update!("pairs": Pair, "at"), updated);
    }
}
