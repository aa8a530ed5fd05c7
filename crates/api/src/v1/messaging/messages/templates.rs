//! `POST /{tenantId}/api/v1/sendTemplateMessages`: sends a template to many people.

use app::messaging::messages::{
    AcceptedBroadcast, RecipientOutcome, RecipientProblem, Refusal, TemplateRecipient, TemplateSend,
};
use domain::{MessageId, Place};

use super::broadcast::{in_broadcast, template_send};
use super::sent::DryRunV1;
use super::template::{is_valid, problem_text};
use crate::input::{LegacyInput, required};
use crate::prelude::*;
use crate::shared::messaging::messages::dry_run::DryRunQuery;
use crate::shared::messaging::messages::template::{RecipientBody, RecipientInput, estimate, phone_of};
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
pub(crate) struct TemplatesSentV1<'a> {
    /// Whether at least one message is sent.
    result: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    info: Option<String>,
    template_name: &'a str,
    errors: TemplatesSentErrorsV1,
    /// In the order of the request.
    receivers: Vec<Receiver>,
    model: TemplatesSentModelV1,
    #[serde(flatten)]
    dry_run: Option<DryRunV1>,
}

#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TemplatesSentErrorsV1 {
    /// Why nothing at all is sent; empty otherwise.
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
pub(crate) struct TemplatesSentModelV1 {
    ids: Vec<MessageId>,
}

/// The result or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum TemplatesAnswerV1<'a> {
    Sent(Box<TemplatesSentV1<'a>>),
    Failure(Failure),
}

/// Send a template to many people
///
/// Sends a template to 1 to 1000 receivers. A refused receiver does not stop the others.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendTemplateMessages",
    tag = "templates",
    params(DryRunQuery),
    request_body(content = SendTemplatesRequest, content_type = "application/json"),
    responses((
        status = 200,
        description = "The outcome for each receiver, or why nothing is sent.",
        body = TemplatesAnswerV1
    )),
)]
pub(crate) async fn send_template_messages(Gated(state, caller): Gated, input: LegacyInput) -> ApiResult<Response> {
    let mut asked = SendTemplatesRequest::parse(&input)?;
    match asked.take_receivers()? {
        Ok(receivers) => {
            send(&state, &caller, asked.broadcast(DryRunQuery::is_set(&input)?).to(receivers)?, RECEIVERS).await
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
            return Ok(Err(app::Error::invalid(
                Place::named(RECEIVERS),
                format!("{} receivers, at most {MOST}", list.len()),
            )));
        }
        Ok(Ok(list.into_iter().map(TemplateRecipient::from).collect()))
    }
}

pub(super) fn refused(error: app::Error) -> ApiResult<Response> {
    Ok(Json(TemplatesAnswerV1::Failure(Failure::from_error(error)?)).into_response())
}

pub(super) async fn send(state: &ApiState, caller: &Caller, send: TemplateSend, list: &str) -> ApiResult<Response> {
    let dry_run = send.dry_run;
    let accepted = match state.app.messaging().messages().send_template(caller, send).await {
        Ok(accepted) => accepted,
        Err(error) => return refused(in_broadcast(error, list)),
    };
    let estimated_at = if dry_run { estimate(state, caller, &accepted).await? } else { None };
    let would = || DryRunV1::new(accepted.message_count() > 0, estimated_at);
    let ids = accepted.recipients.iter().filter_map(|one| one.message_id.filter(|_| !dry_run)).collect();
    let answer =
        TemplatesSentV1 { dry_run: dry_run.then(would), model: TemplatesSentModelV1 { ids }, ..shape(&accepted) };
    Ok(Json(TemplatesAnswerV1::Sent(Box::new(answer))).into_response())
}

fn shape(accepted: &AcceptedBroadcast) -> TemplatesSentV1<'_> {
    let result = accepted.message_count() > 0;
    let info = (!result).then(|| "None of the receivers can be sent to".to_owned());
    let refused = |wanted: fn(&RecipientProblem) -> bool| {
        let target = move |one: &RecipientOutcome| {
            one.problem.as_ref().filter(|problem| wanted(problem)).map(|_| one.target.clone())
        };
        accepted.recipients.iter().filter_map(target).collect()
    };
    let errors = TemplatesSentErrorsV1 {
        error: info.clone().unwrap_or_default(),
        invalid_whatsapp_numbers: refused(|one| matches!(one.refusal, Refusal::InvalidTarget | Refusal::InvalidNumber)),
        invalid_custom_parameters: refused(|one| one.refusal == Refusal::BadParameters),
    };
    TemplatesSentV1 {
        result,
        info,
        template_name: &accepted.template_name,
        errors,
        receivers: accepted.recipients.iter().map(Receiver::new).collect(),
        model: TemplatesSentModelV1 { ids: Vec::new() },
        dry_run: None,
    }
}
