//! `POST /{tenantId}/api/v1/assignOperator`, with the number in the path, the query, a form or the body.

use app::conversations::{AssignTo, Assignment, ConversationTarget};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{FromPath, LegacyInput, Members as _, NamedPerson, members};
use crate::v1::failure::{Failure, or_failure};
use crate::v1::messages::{NumberInPath, NumberInQuery};

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct ConversationQuery from LegacyInput {
        /// A phone number, a contact id, a conversation id or a BSUID. Wins over `whatsappNumber`.
        #[param(nullable = false)]
        target: Option<String> = text["target"](),
        /// Number or name of the channel.
        #[param(rename = "channelPhoneNumber", nullable = false, example = "14155550100")]
        channel_phone_number: Option<String> = text["channelPhoneNumber", "channelNumber", "channel_number"](),
    }
}

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct AssignOperatorQuery from LegacyInput {
        /// The account to assign, by its e-mail address.
        #[param(nullable = false, example = "grace@example.com")]
        email: Option<String> = text["email"](),
        /// Assign only if this is the present assignee: an e-mail address, a team's name, `bot` or `unassigned`.
        #[param(nullable = false)]
        from: Option<String> = text["from"](),
        /// Assign even if another operator has the conversation. Default: true.
        #[param(rename = "takeOver", nullable = false)]
        take_over: Option<bool> = flag["takeOver"](),
    }
}

/// The outcome, with status 200 also for failures.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DoneAnswer {
    #[schema(example = true)]
    result: bool,
    /// The reason for the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "email: there is no such operator")]
    info: Option<String>,
}

impl DoneAnswer {
    pub const DONE: Self = Self { result: true, info: None };
}

impl From<Failure> for DoneAnswer {
    fn from(failure: Failure) -> Self {
        Self { result: false, info: Some(failure.into_info()) }
    }
}

/// Assign an operator
///
/// Without `email` the conversation goes to the bot. A conversation of another operator is taken over, unless
/// `takeOver` is false.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/assignOperator",
    tag = "conversations",
    params(AssignOperatorQuery, NumberInQuery, ConversationQuery),
    responses((status = 200, description = "The outcome.", body = DoneAnswer)),
)]
pub(crate) async fn assign_operator(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Json<DoneAnswer>> {
    let number = NumberInQuery::parse(&input)?.whatsapp_number;
    assign(&state, &caller, number, &input).await
}

/// Assign an operator
///
/// Like the operation with the number in the query, but the number is in the path.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/assignOperator/{whatsappNumber}",
    tag = "conversations",
    params(NumberInPath, AssignOperatorQuery),
    responses((status = 200, description = "The outcome.", body = DoneAnswer)),
)]
pub(crate) async fn assign_operator_by_path(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<NumberInPath>,
    input: LegacyInput,
) -> ApiResult<Json<DoneAnswer>> {
    assign(&state, &caller, Some(path.whatsapp_number), &input).await
}

async fn assign(
    state: &ApiState,
    caller: &Caller,
    number: Option<String>,
    input: &LegacyInput,
) -> ApiResult<Json<DoneAnswer>> {
    let query = ConversationQuery::parse(input)?;
    let named = NamedPerson::choose(query.target, number)?.via_channel(query.channel_phone_number.as_deref());
    let asked = AssignOperatorQuery::parse(input)?;
    let assignment = Assignment {
        to: asked.email.map_or(AssignTo::Bot, AssignTo::Operator),
        from: asked.from,
        // Clients of the hosted platforms do not send this parameter, and expect to take over.
        take_over: asked.take_over.unwrap_or(true),
        member: "email",
    };
    let assigned = state
        .app
        .conversations()
        .assign(caller, ConversationTarget::latest(&named.target), named.member, assignment)
        .await;
    or_failure(assigned.map(|_| DoneAnswer::DONE))
}
