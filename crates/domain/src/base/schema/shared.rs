//! The schemas of ids, times and the like.
//!
//! Such a type is described once, here, and shown wherever it is used: its schema has a name that begins with
//! [`INLINE`], and the document gets the schema in the place of each reference to that name.

use std::borrow::Cow;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, Object, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::base::id::IdKind;
use crate::{Id, TenantId, Timestamp};

/// The prefix in the names of schemas that replace the references to them.
pub const INLINE: &str = "inline.";

fn text(example: &str) -> Object {
    let mut text = Object::with_type(Type::String);
    text.example = Some(example.into());
    text
}

impl<K: IdKind> PartialSchema for Id<K> {
    fn schema() -> RefOr<Schema> {
        let mut id = text(K::EXAMPLE);
        id.description = Some(format!("The {}'s id.", K::NOUN));
        id.pattern = Some("^[0-9a-f]{24}$".to_owned());
        id.into()
    }
}

impl<K: IdKind> ToSchema for Id<K> {
    fn name() -> Cow<'static, str> {
        format!("{INLINE}{}", K::NAME).into()
    }
}

/// A time in an answer, where [`crate::base::time::as_rfc3339`] writes it.
impl PartialSchema for Timestamp {
    fn schema() -> RefOr<Schema> {
        let mut time = text("2026-04-24T10:00:00.000Z");
        time.format = Some(SchemaFormat::KnownFormat(KnownFormat::DateTime));
        time.into()
    }
}

impl ToSchema for Timestamp {
    fn name() -> Cow<'static, str> {
        format!("{INLINE}Timestamp").into()
    }
}

impl PartialSchema for TenantId {
    fn schema() -> RefOr<Schema> {
        let mut tenant = text("100001");
        tenant.pattern = Some("^[1-9][0-9]{0,17}$".to_owned());
        tenant.into()
    }
}

impl ToSchema for TenantId {
    fn name() -> Cow<'static, str> {
        format!("{INLINE}TenantId").into()
    }
}
