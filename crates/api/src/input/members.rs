//! `members!`: one list of members, for the struct in the OpenAPI document and for the parser of a request.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::Query;
use crate::error::{ApiError, ApiResult};

/// A struct that is parsed member by member, declared with [`members!`].
pub(crate) trait Members<Source>: Sized {
    /// All accepted spellings of each member.
    const SPELLINGS: &'static [&'static [&'static str]];

    fn parse(source: &Source) -> ApiResult<Self>;
}

/// The query parameters as a struct.
#[derive(Debug)]
pub(crate) struct FromQuery<T>(pub T);

impl<S: Sync, T: Members<Query>> FromRequestParts<S> for FromQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        T::parse(&Query::from_request_parts(parts, state).await?).map(Self)
    }
}

/// Declares a struct with the parser of its members: `member: Type = reader["spelling", "other"](arguments)` calls the
/// method `reader` of the source. Members are parsed in the order of the list, up to the first error. With `query` in
/// place of `struct` the members are described as query parameters.
macro_rules! members {
    ($(#[$attribute:meta])* $visibility:vis query $name:ident from $source:ty { $($members:tt)+ }) => {
        $crate::input::members! {
            #[derive(Debug, domain::base::schema::IntoParams)]
            #[into_params(parameter_in = Query)]
            $(#[$attribute])*
            $visibility struct $name from $source { $($members)+ }
        }
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident from $source:ty {
            $(
                $(#[$of_member:meta])*
                $shown:vis $member:ident: $type:ty = $reader:ident[$($spelling:expr),+]($($argument:expr),*)
            ),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        $visibility struct $name {
            $($(#[$of_member])* $shown $member: $type),+
        }

        impl $crate::input::Members<$source> for $name {
            const SPELLINGS: &'static [&'static [&'static str]] = &[$(&[$($spelling),+]),+];

            fn parse(source: &$source) -> $crate::error::ApiResult<Self> {
                Ok(Self { $($member: source.$reader(&[$($spelling),+] $(, $argument)*)?),+ })
            }
        }
    };
}

pub(crate) use members;
