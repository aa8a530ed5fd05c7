//! `POST /{tenantId}/api/v1/sendTemplateMessage`: sends a template to one person.

use app::messaging::messages::{
    AcceptedBroadcast, RecipientOutcome, RecipientProblem, Refusal, TemplateRecipient, TemplateSend,
};
use domain::people::contacts::CustomParam;
use domain::{Field, MessageId};
use serde_json::Value;

use super::broadcast::{in_broadcast, template_send};
use super::send_address::{NumberInPath, NumberInQuery, SendAddress, SendQuery};
use super::sent::DryRunV1;
use crate::error::{Spelling, spelled};
use crate::input::{LegacyInput, NamedPerson};
use crate::prelude::*;
use crate::shared::messaging::messages::params::ParamInput;
use crate::shared::messaging::messages::template::{estimate, phone_of};
use crate::v1::failure::Failure;
use crate::v1::people::contacts::shape::ContactShape;

const PARAMETERS: &str = "parameters";

template_send! {
    TemplateMessageV1, SendTemplateRequest {
        /// An array, or a string containing a JSON array.
        #[schema(value_type = Option<Vec<CustomParam>>)]
        parameters: Vec<ParamInput> = list["parameters", "customParams", "custom_params"](),
        /// The channel's number or name. Aliases: `channelNumber`, `channelPhoneNumber`.
        #[schema(example = "14155550100")]
        channel_number: Option<String> = text["channelPhoneNumber", "channelNumber", "channel_number"](),
        #[schema(ignore)]
        local_message_id: Option<String> = text["localMessageId", "local_message_id"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplateSentV1)]
pub(crate) struct TemplateSent<'a> {
    #[schema(example = true)]
    result: bool,
    /// The reason, if nothing is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    info: Option<String>,
    #[schema(example = "14155552671")]
    phone_number: Option<String>,
    #[schema(example = "order_update")]
    template_name: &'a str,
    parameteres: Vec<CustomParam>,
    /// As in `getContacts`; null if the contact is unknown.
    #[schema(value_type = Option<ContactShape<'static>>)]
    contact: Value,
    model: TemplateSentModelV1,
    #[serde(rename = "validWhatsAppNumber")]
    valid_whatsapp_number: bool,
    #[serde(flatten)]
    dry_run: Option<DryRunV1>,
}

/// The accepted messages.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TemplateSentModelV1 {
    #[schema(example = json!(["69eb4e9a1f0c2d3e4a5b6c7d"]))]
    ids: Vec<MessageId>,
}

/// The accepted message or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplateAnswerV1)]
#[serde(untagged)]
pub(crate) enum TemplateSentAnswer<'a> {
    Sent(Box<TemplateSent<'a>>),
    Failure(Failure),
}

/// Send a template
///
/// Sends a template to one person. An unknown contact is created. `200` with `result: true` means accepted and stored,
/// not delivered.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendTemplateMessage",
    tag = "templates",
    params(
        NumberInQuery,
        SendQuery,
        (
            "template_name" = Option<String>,
            Query,
            nullable = false,
            description = "Used if the body does not contain it.",
            example = "order_update"
        ),
        (
            "broadcast_name" = Option<String>,
            Query,
            nullable = false,
            description = "Used if the body does not contain it.",
            example = "May orders"
        ),
    ),
    request_body(content = Option<SendTemplateRequest>, content_type = "application/json"),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = TemplateSentAnswer)),
)]
pub(crate) async fn send_template_message(Gated(state, caller): Gated, input: LegacyInput) -> ApiResult<Response> {
    send(&state, &caller, None, &input).await
}

/// Send a template
///
/// Same as the operation with the number in the query, but takes the number from the path.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendTemplateMessage/{whatsappNumber}",
    tag = "templates",
    params(
        NumberInPath,
        SendQuery,
        (
            "template_name" = Option<String>,
            Query,
            nullable = false,
            description = "Used if the body does not contain it.",
            example = "order_update"
        ),
        (
            "broadcast_name" = Option<String>,
            Query,
            nullable = false,
            description = "Used if the body does not contain it.",
            example = "May orders"
        ),
    ),
    request_body(content = Option<SendTemplateRequest>, content_type = "application/json"),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = TemplateSentAnswer)),
)]
pub(crate) async fn send_template_message_by_path(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<NumberInPath>,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, Some(path), &input).await
}

async fn send(
    state: &ApiState,
    caller: &Caller,
    path: Option<NumberInPath>,
    input: &LegacyInput,
) -> ApiResult<Response> {
    let (send, params) = parse_template_send(input, path)?;
    let dry_run = send.dry_run;
    let accepted = match state.app.messaging().messages().send_template(caller, send).await {
        Ok(accepted) => accepted,
        Err(error) => return refused(in_broadcast(error, "whatsappNumber")),
    };
    let estimated_at = if dry_run { estimate(state, caller, &accepted).await? } else { None };
    let Some(one) = accepted.recipients.first() else { return refused(app::Error::NotFound(app::Thing::Message)) };
    let would = || DryRunV1::new(one.problem.is_none(), estimated_at);
    let contact = contact(state, caller, one).await;
    let ids = one.message_id.filter(|_| !dry_run).into_iter().collect();
    let model = TemplateSentModelV1 { ids };
    let answer = TemplateSent { dry_run: dry_run.then(would), contact, model, ..shape(&accepted, one, params) };
    Ok(Json(TemplateSentAnswer::Sent(Box::new(answer))).into_response())
}

fn refused(error: app::Error) -> ApiResult<Response> {
    Ok(Json(TemplateSentAnswer::Failure(Failure::from_error(error)?)).into_response())
}

/// Parses a send to one person; also returns the values, for the answer.
pub(crate) fn parse_template_send(
    input: &LegacyInput,
    path: Option<NumberInPath>,
) -> ApiResult<(TemplateSend, Vec<CustomParam>)> {
    let address = SendAddress::parse(input, path)?;
    let asked = SendTemplateRequest::parse(input)?;
    let broadcast = asked.broadcast(address.dry_run);
    let params: Vec<_> = asked.parameters.into_iter().map(CustomParam::from).collect();
    let NamedPerson { named_by, target } = address.person;
    let recipient = TemplateRecipient { target, named_by, local_id: asked.local_message_id, params: params.clone() };
    Ok((broadcast.to(vec![recipient])?, params))
}

fn shape<'a>(accepted: &'a AcceptedBroadcast, one: &RecipientOutcome, params: Vec<CustomParam>) -> TemplateSent<'a> {
    TemplateSent {
        result: one.problem.is_none(),
        info: one.problem.as_ref().map(|problem| problem_text(problem, PARAMETERS)),
        phone_number: phone_of(one),
        template_name: &accepted.template_name,
        parameteres: params,
        contact: Value::Null,
        model: TemplateSentModelV1 { ids: Vec::new() },
        valid_whatsapp_number: is_valid(one),
        dry_run: None,
    }
}

/// A problem in one line. `params` is the version's name for the values of a template.
pub(crate) fn problem_text(problem: &RecipientProblem, params: &str) -> String {
    let place = Spelling(&[(Field::CustomParams, params)]).place(problem.place.clone());
    format!("{}: {}", spelled(&place), problem.message)
}

pub(crate) fn is_valid(one: &RecipientOutcome) -> bool {
    let wrong = |problem: &RecipientProblem| matches!(problem.refusal, Refusal::InvalidTarget | Refusal::InvalidNumber);
    !one.problem.as_ref().is_some_and(wrong)
}

/// The contact for the answer. A failed look-up leaves it out: the message is accepted, so the answer must not be an
/// error.
async fn contact(state: &ApiState, caller: &Caller, one: &RecipientOutcome) -> Value {
    let Some(id) = one.contact_id else { return Value::Null };
    let mut shown = Value::Null;
    let mut show = |contact: &domain::people::contacts::ContactView<'_>| {
        shown = serde_json::to_value(ContactShape::from(contact)).unwrap_or(Value::Null);
    };
    match state.app.people().contacts().find(caller, &id.to_string(), &mut show).await {
        Ok(()) | Err(app::Error::NotFound(_)) => {}
        Err(error) => tracing::warn!(%error, "the contact of an accepted message could not be read"),
    }
    shown
}
