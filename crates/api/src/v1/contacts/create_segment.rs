//! `POST /{tenantId}/api/v1/createCustomSegment`: puts contacts under a name, listed one by one or chosen by
//! conditions.

use app::contacts::{NewSegment, SegmentMade};
use axum::Json;
use axum::extract::State;
use domain::contacts::segments::SegmentMembers;
use domain::time::as_rfc3339;
use domain::{SegmentId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::contacts::{GroupShape, NewSegmentGroup, to_groups};
use crate::error::{ApiError, ApiResult};
use crate::gate::Caller;
use crate::input::{LegacyInput, Members as _, Scalar, members};
use crate::v1::failure::{Failure, or_failure};

const STATIC: i64 = 1;
const DYNAMIC: i64 = 2;

members! {
    #[derive(Debug, ToSchema)]
    #[schema(as = NewSegmentV1)]
    pub(crate) struct CreateSegmentRequest from LegacyInput {
        /// 1: static, the contacts that are added now. 2: dynamic, at any time the contacts that meet the conditions
        /// then.
        #[schema(rename = "refreshType", example = 2, minimum = 1, maximum = 2)]
        refresh_type: i64 = required_number["refreshType"](STATIC, DYNAMIC),
        /// Accepted for compatible clients. `contactIds` are used whenever they are present.
        #[schema(rename = "useUploadedContact")]
        _use_uploaded_contact: Option<bool> = json["useUploadedContact"](),
        /// For a static segment: contact ids, phone numbers or BSUIDs.
        #[schema(
            rename = "contactIds",
            value_type = Option<Vec<String>>,
            max_items = 10_000,
            example = json!(["507f1f77bcf86cd799439011"])
        )]
        contact_ids: Option<Vec<Scalar>> = json["contactIds"](),
        #[schema(example = "Newsletter", min_length = 1, max_length = 100)]
        name: String = required_text["name"](),
        /// A contact must meet all conditions of one group. For a static segment: the contacts that meet them now are
        /// added.
        groups: Option<Vec<NewSegmentGroup>> = json["groups"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SegmentCreatedV1)]
pub(crate) struct SegmentCreated {
    #[schema(example = true)]
    result: bool,
    segment: SegmentShape,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SegmentV1)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SegmentShape {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: SegmentId,
    #[schema(example = "Newsletter")]
    name: String,
    #[schema(example = 2)]
    refresh_type: i64,
    /// The conditions of a dynamic segment; empty for a static one.
    groups: Vec<GroupShape>,
    /// For a static segment: the number of contacts in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 12, minimum = 0, nullable = false)]
    contact_count: Option<usize>,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    created: Timestamp,
}

/// The outcome or the failure, both with status 200.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SegmentAnswer)]
#[serde(untagged)]
pub(crate) enum CreateSegmentAnswer {
    Created(SegmentCreated),
    Failure(Failure),
}

impl From<Failure> for CreateSegmentAnswer {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Create a segment
///
/// Failures are answered with `result: false`.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/createCustomSegment",
    tag = "contacts",
    request_body(content = CreateSegmentRequest, content_type = "application/json"),
    responses((status = 200, description = "The segment, or the reason for the failure.", body = CreateSegmentAnswer)),
)]
pub(crate) async fn create_custom_segment(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Json<CreateSegmentAnswer>> {
    let new = NewSegment::try_from(CreateSegmentRequest::parse(&input)?)?;
    let made = state.app.contacts().create_segment(&caller, new).await;
    or_failure(made.map(|made| CreateSegmentAnswer::Created(SegmentCreated { result: true, segment: made.into() })))
}

impl TryFrom<CreateSegmentRequest> for NewSegment {
    type Error = ApiError;

    fn try_from(asked: CreateSegmentRequest) -> ApiResult<Self> {
        Ok(Self {
            name: asked.name,
            dynamic: asked.refresh_type == DYNAMIC,
            groups: to_groups(asked.groups.unwrap_or_default())?,
            contacts: asked.contact_ids.unwrap_or_default().into_iter().map(|Scalar(text)| text).collect(),
            contacts_member: "contactIds",
        })
    }
}

impl From<SegmentMade> for SegmentShape {
    fn from(made: SegmentMade) -> Self {
        let SegmentMade { segment, contacts } = made;
        let (refresh_type, groups) = match segment.members {
            SegmentMembers::Static => (STATIC, Vec::new()),
            SegmentMembers::Dynamic(groups) => (DYNAMIC, groups),
        };
        Self {
            id: segment.id,
            name: segment.name,
            refresh_type,
            groups: groups.into_iter().map(GroupShape::from).collect(),
            contact_count: contacts,
            created: segment.created_at,
        }
    }
}
