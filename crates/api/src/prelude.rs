//! What nearly every operation needs: its state and caller, the forms of requests and answers, their descriptions.

pub(crate) use axum::extract::State;
pub(crate) use axum::response::{IntoResponse, Response};
pub(crate) use domain::Timestamp;
pub(crate) use domain::base::schema::ToSchema;
pub(crate) use domain::base::time::{Moment, as_optional_rfc3339, as_rfc3339};
pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::answer::page::{List, Page, PageCursor, PageNumber, list, rows};
pub(crate) use crate::error::{ApiError, ApiResult, ErrorBody, NOT_FOUND};
pub(crate) use crate::gate::{Caller, Gated};
pub(crate) use crate::input::{FromPath, FromQuery, Json, Members, Path, Query, members};
pub(crate) use crate::state::ApiState;
