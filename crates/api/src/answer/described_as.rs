//! Request types that have the schema of another type.

/// Gives a request type the schema of another type, from which it differs only in how it is parsed.
macro_rules! described_as {
    ($type:ty, $other:ty) => {
        #[cfg(feature = "document")]
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                <$other as utoipa::PartialSchema>::schema()
            }
        }

        #[cfg(feature = "document")]
        impl utoipa::ToSchema for $type {
            fn name() -> std::borrow::Cow<'static, str> {
                <$other as utoipa::ToSchema>::name()
            }

            fn schemas(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>)>) {
                <$other as utoipa::ToSchema>::schemas(schemas);
            }
        }
    };
}

pub(crate) use described_as;
