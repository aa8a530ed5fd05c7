//! `POST /{tenantId}/api/v1/createCustomSegment`: creates a named set of contacts, either listed or selected by
//! conditions.

use app::people::segments::{NewSegment, SegmentMade};
use domain::people::segments::SegmentMembers;
use domain::{Field, SegmentId};

use crate::error::Spelling;
use crate::input::{LegacyInput, Scalar};
use crate::prelude::*;
use crate::shared::people::contacts::{NewSegmentGroupV1, SegmentGroup, to_groups};
use crate::v1::failure::{Failure, or_failure};

const STATIC: i64 = 1;
const DYNAMIC: i64 = 2;
const CONTACTS: &str = "contactIds";

members! {
    #[derive(Debug, ToSchema)]
    #[schema(as = NewSegmentV1)]
    pub(crate) struct CreateSegmentRequest from LegacyInput {
        /// 1: static; contains the contacts added now. 2: dynamic; always contains the contacts that currently meet the
        /// conditions.
        #[schema(rename = "refreshType", example = 2, minimum = 1, maximum = 2)]
        refresh_type: i64 = required_number["refreshType"](STATIC, DYNAMIC),
        /// Accepted for compatibility. `contactIds` are used whenever they are present.
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
        /// A contact must meet all conditions of at least one group. For a static segment, the contacts that meet them
        /// now are added.
        groups: Option<Vec<NewSegmentGroupV1>> = json["groups"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SegmentCreatedV1 {
    #[schema(example = true)]
    result: bool,
    segment: SegmentShape,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SegmentV1)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SegmentShape {
    id: SegmentId,
    #[schema(example = "Newsletter")]
    name: String,
    #[schema(example = 2)]
    refresh_type: i64,
    /// The conditions of a dynamic segment; empty for a static one.
    groups: Vec<SegmentGroup>,
    /// For a static segment: the number of contacts in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 12, minimum = 0, nullable = false)]
    contact_count: Option<usize>,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
}

/// The result or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum SegmentAnswer {
    Created(SegmentCreatedV1),
    Failure(Failure),
}

impl From<Failure> for SegmentAnswer {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Create a segment
///
/// Failures return `result: false`.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/createCustomSegment",
    tag = "contacts",
    request_body(content = CreateSegmentRequest, content_type = "application/json"),
    responses((status = 200, description = "The segment, or why the request failed.", body = SegmentAnswer)),
)]
pub(crate) async fn create_custom_segment(
    Gated(state, caller): Gated,
    input: LegacyInput,
) -> ApiResult<Json<SegmentAnswer>> {
    let new = NewSegment::try_from(CreateSegmentRequest::parse(&input)?)?;
    let names_nobody = new.contacts.is_empty();
    let made = state.app.people().contacts().create_segment(&caller, new).await.map_err(|error| match error {
        app::Error::Invalid { place, .. } if names_nobody && place.last_field() == Some(Field::Contacts) => {
            app::Error::invalid(place, format!("a static segment needs {CONTACTS} or groups"))
        }
        other => other,
    });
    let made = made.map_err(|error| Spelling(&[(Field::Contacts, CONTACTS)]).error(error));
    or_failure(made.map(|made| SegmentAnswer::Created(SegmentCreatedV1 { result: true, segment: made.into() })))
}

impl TryFrom<CreateSegmentRequest> for NewSegment {
    type Error = ApiError;

    fn try_from(asked: CreateSegmentRequest) -> ApiResult<Self> {
        Ok(Self {
            name: asked.name,
            dynamic: asked.refresh_type == DYNAMIC,
            groups: to_groups(asked.groups.unwrap_or_default())?,
            contacts: asked.contact_ids.unwrap_or_default().into_iter().map(|Scalar(text)| text).collect(),
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
            groups: groups.into_iter().map(SegmentGroup::from).collect(),
            contact_count: contacts,
            created: segment.created_at,
        }
    }
}
