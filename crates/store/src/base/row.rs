//! Rows of a result, and values read from their columns, the same for both drivers.

use domain::{Id, Timestamp};
use rusqlite::types::ValueRef;
use tokio_postgres::types::{FromSql, Type};

use crate::{Error, Result};

/// One row of a result.
#[derive(Debug)]
pub struct Row<'a>(pub(crate) RowOf<'a>);

pub(crate) enum RowOf<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

impl std::fmt::Debug for RowOf<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Row")
    }
}

macro_rules! getters {
    ($($name:ident: $ty:ty = |$sqlite:ident| $read:expr;)+) => {
        $(pub(crate) fn $name(&self, i: usize) -> Result<Option<$ty>> {
            match &self.0 {
                RowOf::Sqlite(row) => match row.get_ref(i).map_err(|_| Error::Column(i))? {
                    ValueRef::Null => Ok(None),
                    $sqlite => $read.map(Some).ok_or(Error::Column(i)),
                },
                RowOf::Postgres(row) => row.try_get(i).map_err(|_| Error::Column(i)),
            }
        })+
    };
}

/// A column of any type, to test for NULL.
struct Present;

impl<'a> FromSql<'a> for Present {
    fn from_sql(_: &Type, _: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl<'a> Row<'a> {
    /// Reads the row's values one after the other.
    pub const fn columns(&self) -> ColumnReader<'_, 'a> {
        self.columns_from(0)
    }

    pub(crate) const fn columns_from(&self, at: usize) -> ColumnReader<'_, 'a> {
        ColumnReader::new(self, at)
    }

    pub(crate) fn is_null(&self, at: usize) -> Result<bool> {
        let wrong = || Error::Column(at);
        match &self.0 {
            RowOf::Sqlite(row) => row.get_ref(at).map(|value| value == ValueRef::Null).map_err(|_| wrong()),
            RowOf::Postgres(row) => row.try_get(at).map(|value: Option<Present>| value.is_none()).map_err(|_| wrong()),
        }
    }
}

impl Row<'_> {
    getters! {
        opt_int: i64 = |value| value.as_i64().ok();
        opt_bool: bool = |value| value.as_i64().ok().map(|number| number != 0);
        opt_text: &str = |value| value.as_str().ok();
        opt_bytes: &[u8] = |value| value.as_blob().ok();
    }

    pub(crate) fn opt_string(&self, i: usize) -> Result<Option<String>> {
        Ok(self.opt_text(i)?.map(str::to_owned))
    }

    pub(crate) fn id<K>(&self, i: usize) -> Result<Id<K>> {
        self.opt_id(i)?.ok_or(Error::Column(i))
    }

    pub(crate) fn opt_id<K>(&self, i: usize) -> Result<Option<Id<K>>> {
        let bytes = self.opt_bytes(i)?;
        bytes.map(|bytes| bytes.try_into().map(Id::from_bytes).map_err(|_| Error::Column(i))).transpose()
    }

    pub(crate) fn opt_time(&self, i: usize) -> Result<Option<Timestamp>> {
        Ok(self.opt_int(i)?.map(Timestamp::from_micros))
    }
}

/// A value read from one column or several adjacent ones.
pub trait FromRow<'r>: Sized {
    /// Number of columns.
    const WIDTH: usize;

    fn from_row(row: &'r Row<'_>, at: usize) -> Result<Self>;

    /// None if the first of its columns is NULL.
    fn optional(row: &'r Row<'_>, at: usize) -> Result<Option<Self>> {
        if row.is_null(at)? { Ok(None) } else { Self::from_row(row, at).map(Some) }
    }
}

impl<'r, T: FromRow<'r>> FromRow<'r> for Option<T> {
    const WIDTH: usize = T::WIDTH;

    fn from_row(row: &'r Row<'_>, at: usize) -> Result<Self> {
        T::optional(row, at)
    }
}

impl<'r, T: FromRow<'r> + Default + Copy, const N: usize> FromRow<'r> for [T; N] {
    const WIDTH: usize = N * T::WIDTH;

    fn from_row(row: &'r Row<'_>, at: usize) -> Result<Self> {
        let mut columns = row.columns_from(at);
        let mut all = [T::default(); N];
        for one in &mut all {
            *one = columns.take()?;
        }
        Ok(all)
    }
}

macro_rules! tuples {
    ($(($($part:ident),+);)+) => {
        $(impl<'r, $($part: FromRow<'r>),+> FromRow<'r> for ($($part,)+) {
            const WIDTH: usize = 0 $(+ $part::WIDTH)+;

            fn from_row(row: &'r Row<'_>, at: usize) -> Result<Self> {
                let mut columns = row.columns_from(at);
                Ok(($(columns.take::<$part>()?,)+))
            }
        })+
    };
}

tuples! {
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
    (A, B, C, D, E, F);
}

/// The whole row as one value, of the type that the caller expects.
pub fn read<T: for<'r> FromRow<'r>>(row: &Row<'_>) -> Result<T> {
    T::from_row(row, 0)
}

/// Reads the values of a row one after the other.
#[derive(Debug, Clone, Copy)]
pub struct ColumnReader<'r, 'a> {
    row: &'r Row<'a>,
    at: usize,
}

impl<'r, 'a> ColumnReader<'r, 'a> {
    const fn new(row: &'r Row<'a>, at: usize) -> Self {
        Self { row, at }
    }

    /// Reads the next value and advances past its columns.
    pub fn take<T: FromRow<'r>>(&mut self) -> Result<T> {
        let value = T::from_row(self.row, self.at)?;
        self.at += T::WIDTH;
        Ok(value)
    }

    /// Reads the next value and converts it with `parse`; None is an error of the column.
    pub fn parse<T: FromRow<'r>, P>(&mut self, parse: impl FnOnce(T) -> Option<P>) -> Result<P> {
        let at = self.at;
        parse(self.take()?).ok_or(Error::Column(at))
    }
}
