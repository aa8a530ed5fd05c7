//! `POST /{tenantId}/api/v1/sendTemplateMessage`: a template to one person.

use app::messages::{Accepted, Members, Outcome, Problem, Recipient, Refusal, Source, TemplateSend};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::MessageId;
use domain::contacts::CustomParam;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::addressed::{InPath, InQuery, Over, Tenant};
use super::sent::Rehearsal;
use crate::ApiState;
use crate::contacts::ParamShape;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{FromPath, LegacyInput, required};
use crate::messages::params::{Param, values};
use crate::messages::renamed;
use crate::messages::template::{estimate, phone_of, with_one_channel};
use crate::v1::contacts::shape::ContactShape;
use crate::v1::failure::{Failure, or_failure};

const TEMPLATE: [&str; 3] = ["template_name", "templateName", "elementName"];
const BROADCAST: [&str; 2] = ["broadcast_name", "broadcastName"];
const PARAMETERS: [&str; 3] = ["parameters", "customParams", "custom_params"];

#[derive(Debug, ToSchema)]
#[schema(as = TemplateMessageV1)]
#[expect(dead_code, reason = "a description of what is read member by member")]
pub(crate) struct Input {
    #[schema(example = "order_update")]
    template_name: String,
    #[schema(example = "May orders", max_length = 200)]
    broadcast_name: String,
    /// An array, or a string that holds one as JSON.
    parameters: Option<Vec<ParamShape>>,
    /// Also accepted: `channelNumber`, `channelPhoneNumber`.
    #[schema(example = "14155550100")]
    channel_number: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplateSentV1)]
pub(crate) struct Sent<'a> {
    #[schema(example = true)]
    result: bool,
    /// Why nothing is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    info: Option<String>,
    #[schema(example = "14155552671")]
    phone_number: Option<String>,
    #[schema(example = "order_update")]
    template_name: &'a str,
    #[schema(value_type = Vec<ParamShape>)]
    parameteres: Vec<CustomParam>,
    /// As `getContacts` shows it; null when nobody is known.
    #[schema(value_type = Option<ContactShape<'static>>)]
    contact: Value,
    model: Model,
    #[serde(rename = "validWhatsAppNumber")]
    valid_whatsapp_number: bool,
    #[serde(flatten)]
    dry_run: Option<Rehearsal>,
}

/// The messages that were accepted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplateSentModelV1)]
pub(crate) struct Model {
    #[schema(value_type = Vec<String>, example = json!(["69eb4e9a1f0c2d3e4a5b6c7d"]))]
    ids: Vec<MessageId>,
}

/// Either it is accepted or it says why not, both with status 200.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplateAnswerV1)]
#[serde(untagged)]
#[expect(dead_code, reason = "a description of two answers")]
pub(crate) enum SentAnswer {
    Sent(Box<Sent<'static>>),
    Failure(Failure),
}

/// Send a template
///
/// To one person; an unknown contact is made. 200 with `result: true` means accepted and stored, never delivered.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendTemplateMessage",
    tag = "templates",
    params(
        Tenant,
        InQuery,
        Over,
        ("template_name" = Option<String>, Query, nullable = false, description = "Where the body does not have it.", example = "order_update"),
        ("broadcast_name" = Option<String>, Query, nullable = false, description = "Where the body does not have it.", example = "May orders"),
    ),
    request_body(content = Option<Input>, content_type = "application/json"),
    responses((status = 200, description = "The message, accepted, or why not.", body = SentAnswer)),
)]
pub(crate) async fn send_template_message(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, None, &input).await
}

/// Send a template
///
/// The same with the number in the path.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendTemplateMessage/{whatsappNumber}",
    tag = "templates",
    params(
        InPath,
        Over,
        ("template_name" = Option<String>, Query, nullable = false, description = "Where the body does not have it.", example = "order_update"),
        ("broadcast_name" = Option<String>, Query, nullable = false, description = "Where the body does not have it.", example = "May orders"),
    ),
    request_body(content = Option<Input>, content_type = "application/json"),
    responses((status = 200, description = "The message, accepted, or why not.", body = SentAnswer)),
)]
pub(crate) async fn send_template_message_by_path(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<(String, String)>,
    input: LegacyInput,
) -> ApiResult<Response> {
    let (_tenant, number) = path;
    send(&state, &caller, Some(number), &input).await
}

async fn send(state: &ApiState, caller: &Caller, path: Option<String>, input: &LegacyInput) -> ApiResult<Response> {
    let (recipient, params) = asked(input, path)?;
    let send = broadcast(input, vec![recipient], "whatsappNumber")?;
    let dry_run = send.dry_run;
    let accepted = match state.app.messages().send_template(caller, send).await {
        Ok(accepted) => accepted,
        Err(error) => return or_failure(Err(error)),
    };
    let estimated_at = if dry_run { estimate(state, caller, &accepted).await? } else { None };
    let Some(one) = accepted.recipients.first() else {
        return or_failure(Err(app::Error::NotFound(app::Thing::Message)));
    };
    let would = || Rehearsal::of(one.problem.is_none(), estimated_at);
    let contact = contact(state, caller, one).await;
    let ids = one.message_id.filter(|_| !dry_run).into_iter().collect();
    let model = Model { ids };
    Ok(Json(Sent { dry_run: dry_run.then(would), contact, model, ..shape(&accepted, one, params) }).into_response())
}

/// Who gets it, and with which values.
pub(crate) fn asked(input: &LegacyInput, path: Option<String>) -> ApiResult<(Recipient, Vec<CustomParam>)> {
    let named = input.person(path)?;
    let mut params = Vec::new();
    for name in PARAMETERS {
        if params.is_empty() {
            params = values(input.json::<Vec<Param>>(name)?);
        }
    }
    let local_id = input.any(&["localMessageId", "local_message_id"])?;
    let recipient = Recipient { target: named.target, member: named.member, local_id, params: params.clone() };
    Ok((recipient, params))
}

/// What all template sends of V1 and V2 have in common. `list` is the member that names the recipients.
pub(crate) fn broadcast(
    input: &LegacyInput,
    recipients: Vec<Recipient>,
    list: &'static str,
) -> ApiResult<TemplateSend> {
    Ok(with_one_channel(TemplateSend {
        channel: input.channel()?,
        template: required(TEMPLATE[0], input.any(&TEMPLATE)?)?,
        language: input.text("language")?,
        broadcast_name: required(BROADCAST[0], input.any(&BROADCAST)?)?,
        recipients,
        scheduled_at: None,
        source: Source::Api,
        dry_run: input.dry_run()?,
        members: Members {
            channel: "channel_number",
            template: TEMPLATE[0],
            broadcast_name: BROADCAST[0],
            recipients: list,
            params: "custom_params",
        },
    }))
}

fn shape<'a>(accepted: &'a Accepted, one: &Outcome, params: Vec<CustomParam>) -> Sent<'a> {
    Sent {
        result: one.problem.is_none(),
        info: one.problem.as_ref().map(|problem| told(problem, PARAMETERS[0])),
        phone_number: phone_of(one),
        template_name: &accepted.template_name,
        parameteres: params,
        contact: Value::Null,
        model: Model { ids: Vec::new() },
        valid_whatsapp_number: is_valid(one),
        dry_run: None,
    }
}

/// In one line, with the values under the name that the version has for them.
pub(crate) fn told(problem: &Problem, params: &str) -> String {
    format!("{}: {}", renamed(&problem.parameter, "custom_params", params), problem.message)
}

pub(crate) fn is_valid(one: &Outcome) -> bool {
    let wrong = |problem: &Problem| matches!(problem.refusal, Refusal::InvalidTarget | Refusal::InvalidNumber);
    !one.problem.as_ref().is_some_and(wrong)
}

/// It is accepted: whoever cannot be read is left out, and nobody is told that it failed.
async fn contact(state: &ApiState, caller: &Caller, one: &Outcome) -> Value {
    let Some(id) = one.contact_id else { return Value::Null };
    let mut shown = Value::Null;
    let show = |contact: &domain::contacts::ContactView<'_>| {
        shown = serde_json::to_value(ContactShape::from(contact)).unwrap_or(Value::Null);
    };
    match state.app.contacts().find(caller, &id.to_string(), show).await {
        Ok(()) | Err(app::Error::NotFound(_)) => {}
        Err(error) => tracing::warn!(%error, "the contact of an accepted message could not be read"),
    }
    shown
}
