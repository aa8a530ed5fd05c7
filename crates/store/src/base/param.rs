//! Parameters of statements, the same for both drivers.

use domain::{Id, TenantId, Timestamp};
use rusqlite::types::{ToSqlOutput, ValueRef};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, Type};

use crate::{Error, Result};

/// A value bound to `$n`.
#[derive(Debug, Clone)]
pub enum Param<'a> {
    Null,
    Int(i64),
    Bool(bool),
    Text(&'a str),
    /// Text built for the statement, such as JSON.
    Owned(String),
    Bytes(&'a [u8]),
    OwnedBytes(Vec<u8>),
    Id([u8; 12]),
}

impl Param<'_> {
    pub(crate) fn to_static(&self) -> Param<'static> {
        match self {
            Self::Null => Param::Null,
            Self::Int(value) => Param::Int(*value),
            Self::Bool(value) => Param::Bool(*value),
            Self::Text(value) => Param::Owned((*value).to_owned()),
            Self::Owned(value) => Param::Owned(value.clone()),
            Self::Bytes(value) => Param::OwnedBytes((*value).to_owned()),
            Self::OwnedBytes(value) => Param::OwnedBytes(value.clone()),
            Self::Id(value) => Param::Id(*value),
        }
    }

    /// Bytes of the value.
    pub(crate) const fn size(&self) -> usize {
        match self {
            Self::Null => 0,
            Self::Int(_) => 8,
            Self::Bool(_) => 1,
            Self::Text(value) => value.len(),
            Self::Owned(value) => value.len(),
            Self::Bytes(value) => value.len(),
            Self::OwnedBytes(value) => value.len(),
            Self::Id(value) => value.len(),
        }
    }
}

macro_rules! into_param {
    ($($from:ty => |$value:ident| $param:expr),+ $(,)?) => {
        $(impl<'a> From<$from> for Param<'a> {
            fn from($value: $from) -> Self { $param }
        })+
    };
}

into_param! {
    i64 => |value| Self::Int(value),
    bool => |value| Self::Bool(value),
    &'a str => |value| Self::Text(value),
    &'a String => |value| Self::Text(value),
    &'a [u8] => |value| Self::Bytes(value),
    &'a Vec<u8> => |value| Self::Bytes(value),
    &'a [u8; 32] => |value| Self::Bytes(value),
    TenantId => |value| Self::Int(value.number()),
    Timestamp => |value| Self::Int(value.micros()),
}

impl<K> From<Id<K>> for Param<'_> {
    fn from(value: Id<K>) -> Self {
        Self::Id(*value.bytes())
    }
}

impl<'a, T: Into<Param<'a>>> From<Option<T>> for Param<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<'a> From<&'a Option<String>> for Param<'a> {
    fn from(value: &'a Option<String>) -> Self {
        value.as_deref().into()
    }
}

/// A list of parameters: `params![tenant, id, name]`.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Param::from($value)),*] };
}

/// Refuses NUL in text on both engines: PostgreSQL refuses it, SQLite alone would not.
pub(crate) fn check(params: &[Param<'_>]) -> Result<()> {
    let text = |param| match param {
        &Param::Text(text) => text,
        Param::Owned(text) => text.as_str(),
        _ => "",
    };
    let nul = params.iter().any(|param| text(param).as_bytes().contains(&0));
    if nul { Err(Error::NulInText) } else { Ok(()) }
}

impl rusqlite::ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(value) => ValueRef::Integer(*value),
            Self::Bool(value) => ValueRef::Integer(i64::from(*value)),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Owned(value) => ValueRef::Text(value.as_bytes()),
            Self::Bytes(value) => ValueRef::Blob(value),
            Self::OwnedBytes(value) => ValueRef::Blob(value),
            Self::Id(value) => ValueRef::Blob(value),
        }))
    }
}

impl tokio_postgres::types::ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(value) => value.to_sql(ty, out),
            Self::Bool(value) => value.to_sql(ty, out),
            Self::Text(value) => value.to_sql(ty, out),
            Self::Owned(value) => value.to_sql(ty, out),
            Self::Bytes(value) => value.to_sql(ty, out),
            Self::OwnedBytes(value) => value.as_slice().to_sql(ty, out),
            Self::Id(value) => value.as_slice().to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        // 0: the server infers the type, which is one of these.
        ty.oid() == 0 || [Type::INT8, Type::TEXT, Type::BYTEA, Type::BOOL].contains(ty)
    }

    tokio_postgres::types::to_sql_checked!();
}
