//! `GET /api/ext/v3/broadcasts/{id}/recipients`: a broadcast's recipients and their outcomes.

use app::messaging::broadcasts::{BroadcastRecipient, FailedCode, RecipientFilter};
use domain::people::contacts::CustomParam;
use domain::{BroadcastId, ContactId, RecipientId};

use crate::input::{ShallowPageQuery, comma_separated};
use crate::prelude::*;

members! {
    pub(crate) query ListRecipientsQuery from Query {
        /// Only recipients with one of these comma-separated statuses.
        #[param(example = "FAILED,STOPPED")]
        status: Option<String> = text["status"](),
        /// Only failed recipients with this code. Use `none` for failures without a code.
        #[param(example = "131026")]
        failed_code: Option<String> = text["failed_code"](),
    }
}

impl ListRecipientsQuery {
    fn filter(&self) -> ApiResult<RecipientFilter> {
        let status = |word: &str| word.to_ascii_uppercase().parse().ok();
        let statuses = comma_separated("status", self.status.as_deref(), status)?;
        let code = match self.failed_code.as_deref() {
            None => None,
            Some("none") => Some(FailedCode::Absent),
            Some(text) => {
                let number =
                    text.parse().map_err(|_| ApiError::invalid("failed_code", "expected a number, or none"))?;
                Some(FailedCode::Is(number))
            }
        };
        Ok(RecipientFilter { statuses, failed_code: code })
    }
}

pub(crate) type RecipientPage = Page<RecipientShape, PageNumber, RecipientTotal>;

rows!(RecipientShape: "recipients" in BroadcastRecipientPage, "One page of recipients.");

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RecipientTotal {
    /// The number of recipients across all pages.
    #[schema(example = 1)]
    total_count: i64,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BroadcastRecipient)]
pub(crate) struct RecipientShape {
    id: RecipientId,
    /// Absent if the target matched no contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    contact_id: Option<ContactId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Ada Lovelace", nullable = false)]
    contact_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada.lovelace", nullable = false)]
    contact_username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    contact_phone: Option<String>,
    /// `PENDING`, `QUEUED`, `SENDING`, `UNKNOWN`, `SENT`, `DELIVERED`, `READ`, `REPLIED`, `FAILED` or `STOPPED`.
    #[schema(example = "DELIVERED")]
    status: &'static str,
    /// For failed recipients: the network's error code, or its equivalent if Switchboard refused the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "131026", nullable = false)]
    failed_code: Option<String>,
    /// The error as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    failed_detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "16bf77ae-79e8-8b0d-8b0d-691eb4b00001", nullable = false)]
    local_message_id: Option<String>,
    /// The network's message id. Absent until the network accepts the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "wamid.HBgLMTQxNTU1NTI2NzEVAgASGCA", nullable = false)]
    message_id: Option<String>,
    /// The target in the request, for recipients that were refused immediately.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    target: Option<String>,
    custom_params: Vec<CustomParam>,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "US.13491208655302741918", nullable = false)]
    bsuid: Option<String>,
}

/// Get a broadcast's recipients
///
/// Returns recipients with a message first, in the order of the request, then those that were refused immediately. With
/// filters, `total_count` counts only the matching recipients.
#[described::path(
    get,
    path = "/api/ext/v3/broadcasts/{id}/recipients",
    params(
        ListRecipientsQuery,
        ShallowPageQuery,
    ),
    responses((status = 200, description = "One page of recipients.", body = RecipientPage)),
)]
pub(crate) async fn list_broadcast_recipients(
    Gated(state, caller): Gated,
    Path((id,)): Path<(BroadcastId,)>,
    FromQuery(asked): FromQuery<ListRecipientsQuery>,
    FromQuery(page): FromQuery<ShallowPageQuery>,
) -> ApiResult<Json<RecipientPage>> {
    let page = page.page()?;
    let found = state.app.messaging().broadcasts().recipients(&caller, id, &asked.filter()?, page).await?;
    let recipients = found.recipients.into_iter().map(RecipientShape::from);
    Ok(Json(Page::new(recipients, page.into()).with(RecipientTotal { total_count: found.total })))
}

impl From<BroadcastRecipient> for RecipientShape {
    fn from(one: BroadcastRecipient) -> Self {
        let (contact_name, contact_username, contact_phone, bsuid) = match one.contact {
            Some(person) => (Some(person.name), person.username, person.phone, Some(person.bsuid)),
            None => (None, None, None, None),
        };
        let (failed_code, failed_detail) = one.failure.map_or((None, None), |failure| {
            let code = failure.code.map(|code| code.to_string());
            (code, failure.detail().map(str::to_owned))
        });
        Self {
            id: one.id,
            contact_id: one.contact_id,
            contact_name,
            contact_username,
            contact_phone,
            status: one.status.name(),
            failed_code,
            failed_detail,
            local_message_id: one.local_id,
            message_id: one.network_id,
            target: one.target,
            custom_params: one.params,
            created: one.created_at,
            bsuid,
        }
    }
}
