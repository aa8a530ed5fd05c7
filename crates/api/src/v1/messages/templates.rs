//! `POST /{tenantId}/api/v1/sendTemplateMessages`: sends a template to many.

use app::messages::{AcceptedBroadcast, RecipientOutcome, RecipientProblem, Refusal, TemplateRecipient, TemplateSend};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::MessageId;
use serde::Serialize;
use utoipa::ToSchema;

use super::broadcast::template_send;
use super::sent::DryRunResult;
use super::template::{is_valid, problem_text};
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{LegacyInput, Members as _, required};
use crate::messages::dry_run::DryRunQuery;
use crate::messages::template::{RecipientBody, RecipientInput, estimate, phone_of};
use crate::v1::failure::Failure;

const MOST: usize = 1000;
pub(crate) const RECEIVERS: &str = "receivers";

template_send! {
    TemplateMessagesV1, SendTemplatesRequest {
        /// Each has `whatsappNumber`, `customParams` and `localMessageId`.
        #[schema(value_type = Vec<RecipientBody>, min_items = 1, max_items = 1000)]
        receivers: Option<Vec<RecipientInput>> = json["receivers"](),
        #[schema(example = "14155550100")]
        channel_number: Option<String> = text["channelPhoneNumber", "channelNumber", "channel_number"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplatesSentV1)]
pub(crate) struct TemplatesSent<'a> {
    /// Whether at least one message is sent.
    result: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    info: Option<String>,
    template_name: &'a str,
    errors: TemplatesSentErrors,
    /// In the order of the request.
    receivers: Vec<Receiver>,
    model: TemplatesSentModel,
    #[serde(flatten)]
    dry_run: Option<DryRunResult>,
}

#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = TemplatesSentErrorsV1)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TemplatesSentErrors {
    /// Why nothing is sent at all; empty otherwise.
    #[schema(example = "")]
    error: String,
    invalid_whatsapp_numbers: Vec<String>,
    invalid_custom_parameters: Vec<String>,
}

/// The outcome for one receiver.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplateReceiver)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Receiver {
    #[schema(example = "16bf77ae-79e8-8b0d-8b0d-691eb4b00001")]
    local_message_id: Option<String>,
    #[schema(example = "14155552671")]
    wa_id: Option<String>,
    #[serde(rename = "isValidWhatsAppNumber")]
    is_valid_whatsapp_number: bool,
    errors: Vec<String>,
}

impl Receiver {
    pub fn new(one: &RecipientOutcome) -> Self {
        Self {
            local_message_id: Some(one.local_id.clone()).filter(|id| !id.is_empty()),
            wa_id: phone_of(one),
            is_valid_whatsapp_number: is_valid(one),
            errors: one.problem.iter().map(|problem| problem_text(problem, "customParams")).collect(),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplatesSentModelV1)]
pub(crate) struct TemplatesSentModel {
    #[schema(value_type = Vec<String>)]
    ids: Vec<MessageId>,
}

/// The outcome or the failure, both with status 200.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplatesAnswerV1)]
#[serde(untagged)]
pub(crate) enum TemplatesSentAnswer<'a> {
    Sent(Box<TemplatesSent<'a>>),
    Failure(Failure),
}

/// Send a template to many people
///
/// 1 to 1000 receivers. A receiver that is refused does not stop the others.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendTemplateMessages",
    tag = "templates",
    params(DryRunQuery),
    request_body(content = SendTemplatesRequest, content_type = "application/json"),
    responses((status = 200, description = "The outcome for each receiver, or the reason that nothing is sent.", body = TemplatesSentAnswer)),
)]
pub(crate) async fn send_template_messages(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    let mut asked = SendTemplatesRequest::parse(&input)?;
    match asked.take_receivers()? {
        Ok(receivers) => {
            send(&state, &caller, asked.broadcast(DryRunQuery::is_set(&input)?).to(receivers, RECEIVERS)?).await
        }
        Err(error) => refused(error),
    }
}

impl SendTemplatesRequest {
    /// Takes the receivers out of the request: at most 1000, the limit of the hosted platforms. A missing list is the
    /// outer error, too long a list the inner one, which is answered with 200.
    pub fn take_receivers(&mut self) -> ApiResult<app::Result<Vec<TemplateRecipient>>> {
        let list = required(RECEIVERS, self.receivers.take())?;
        if list.len() > MOST {
            return Ok(Err(app::Error::invalid(RECEIVERS, format!("{} receivers, at most {MOST}", list.len()))));
        }
        Ok(Ok(list.into_iter().map(TemplateRecipient::from).collect()))
    }
}

pub(super) fn refused(error: app::Error) -> ApiResult<Response> {
    Ok(Json(TemplatesSentAnswer::Failure(Failure::of(error)?)).into_response())
}

pub(super) async fn send(state: &ApiState, caller: &Caller, send: TemplateSend) -> ApiResult<Response> {
    let dry_run = send.dry_run;
    let accepted = match state.app.messages().send_template(caller, send).await {
        Ok(accepted) => accepted,
        Err(error) => return refused(error),
    };
    let estimated_at = if dry_run { estimate(state, caller, &accepted).await? } else { None };
    let would = || DryRunResult::of(accepted.message_count() > 0, estimated_at);
    let ids = accepted.recipients.iter().filter_map(|one| one.message_id.filter(|_| !dry_run)).collect();
    let answer = TemplatesSent { dry_run: dry_run.then(would), model: TemplatesSentModel { ids }, ..shape(&accepted) };
    Ok(Json(TemplatesSentAnswer::Sent(Box::new(answer))).into_response())
}

fn shape(accepted: &AcceptedBroadcast) -> TemplatesSent<'_> {
    let result = accepted.message_count() > 0;
    let info = (!result).then(|| "None of the receivers can be sent to".to_owned());
    let refused = |wanted: fn(&RecipientProblem) -> bool| {
        let target = move |one: &RecipientOutcome| {
            one.problem.as_ref().filter(|problem| wanted(problem)).map(|_| one.target.clone())
        };
        accepted.recipients.iter().filter_map(target).collect()
    };
    let errors = TemplatesSentErrors {
        error: info.clone().unwrap_or_default(),
        invalid_whatsapp_numbers: refused(|one| matches!(one.refusal, Refusal::InvalidTarget | Refusal::InvalidNumber)),
        invalid_custom_parameters: refused(|one| one.refusal == Refusal::BadParameters),
    };
    TemplatesSent {
        result,
        info,
        template_name: &accepted.template_name,
        errors,
        receivers: accepted.recipients.iter().map(Receiver::new).collect(),
        model: TemplatesSentModel { ids: Vec::new() },
        dry_run: None,
    }
}
