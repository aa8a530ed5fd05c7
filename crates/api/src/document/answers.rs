//! The schemas of the answers that many operations share: pages and "deleted".

use std::borrow::Cow;

use domain::Id;
use utoipa::openapi::schema::{Array, Object, ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::answer::deleted::{Deletable, Deleted};
use crate::answer::page::{Page, PageRow};

/// The members of rows, position and extra in one object, as on the wire.
impl<Row: PageRow, Position: ToSchema, Extra: ToSchema> PartialSchema for Page<Row, Position, Extra> {
    fn schema() -> RefOr<Schema> {
        let rows = Array::new(Ref::from_schema_name(Row::name()));
        let description = Some(Row::DESCRIPTION).filter(|text| !text.is_empty());
        let mut page =
            ObjectBuilder::new().property(Row::MEMBER, rows).required(Row::MEMBER).description(description).build();
        for part in [Position::schema(), Extra::schema()] {
            if let RefOr::T(Schema::Object(part)) = part {
                page.properties.extend(part.properties);
                page.required.extend(part.required);
            }
        }
        page.into()
    }
}

impl<Row: PageRow, Position: ToSchema, Extra: ToSchema> ToSchema for Page<Row, Position, Extra> {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed(Row::SCHEMA)
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Row::name().into_owned(), Row::schema()));
        Row::schemas(schemas);
    }
}

impl<K: Deletable> PartialSchema for Deleted<K> {
    fn schema() -> RefOr<Schema> {
        let id = Ref::from_schema_name(Id::<K>::name());
        let mut deleted = Object::with_type(Type::Boolean);
        deleted.example = Some(true.into());
        let body = ObjectBuilder::new().property(K::MEMBER, id).required(K::MEMBER);
        body.property("deleted", deleted).required("deleted").into()
    }
}

impl<K: Deletable> ToSchema for Deleted<K> {
    fn name() -> Cow<'static, str> {
        K::SCHEMA.into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Id::<K>::name().into_owned(), Id::<K>::schema()));
    }
}
