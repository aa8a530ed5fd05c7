//! `POST /{tenantId}/api/v1/assignOperator`, with the number in the path, the query, a form or the body.

use app::inbox::conversations::{AssignTo, Assignment};
use app::messaging::conversations::ConversationTarget;
use domain::Field;

use crate::error::Spelling;
use crate::input::{LegacyInput, NamedPerson, about_person};
use crate::prelude::*;
use crate::v1::answer::DoneAnswer;
use crate::v1::failure::or_failure;
use crate::v1::messaging::messages::{NumberInPath, NumberInQuery};

members! {
    pub(crate) query ConversationQuery from LegacyInput {
        /// A phone number, a contact id, a conversation id or a BSUID. Takes precedence over `whatsappNumber`.
        target: Option<String> = text["target"](),
        /// The channel's number or name.
        #[param(rename = "channelPhoneNumber", example = "14155550100")]
        channel_phone_number: Option<String> = text["channelPhoneNumber", "channelNumber", "channel_number"](),
    }
}

members! {
    pub(crate) query AssignOperatorQuery from LegacyInput {
        /// The e-mail address of the account to assign.
        #[param(example = "grace@example.com")]
        email: Option<String> = text["email"](),
        /// Assign only if this is the current assignee: an e-mail address, a team's name, `bot` or `unassigned`.
        from: Option<String> = text["from"](),
        /// Assign even if another operator has the conversation. Default: true.
        #[param(rename = "takeOver")]
        take_over: Option<bool> = flag["takeOver"](),
    }
}

/// Assign an operator
///
/// Without `email`, the conversation is assigned to the bot. A conversation of another operator is taken over unless
/// `takeOver` is false.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/assignOperator",
    tag = "conversations",
    params(AssignOperatorQuery, NumberInQuery, ConversationQuery),
    responses((status = 200, description = "The outcome.", body = DoneAnswer)),
)]
pub(crate) async fn assign_operator(Gated(state, caller): Gated, input: LegacyInput) -> ApiResult<Json<DoneAnswer>> {
    let number = NumberInQuery::parse(&input)?.whatsapp_number;
    assign(&state, &caller, number, &input).await
}

/// Assign an operator
///
/// Same as the operation with the number in the query, but takes the number from the path.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/assignOperator/{whatsappNumber}",
    tag = "conversations",
    params(NumberInPath, AssignOperatorQuery),
    responses((status = 200, description = "The outcome.", body = DoneAnswer)),
)]
pub(crate) async fn assign_operator_by_path(
    Gated(state, caller): Gated,
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
    };
    let assigned =
        state.app.inbox().conversations().assign(caller, ConversationTarget::latest(&named.target), assignment).await;
    let assigned = assigned.map_err(|error| Spelling(&[(Field::AssigneeEmail, "email")]).error(error));
    or_failure(assigned.map_err(about_person(named.named_by)).map(|_| DoneAnswer::DONE))
}
