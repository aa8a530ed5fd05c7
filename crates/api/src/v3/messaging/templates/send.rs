//! `POST /api/ext/v3/messageTemplates/send`: sends a template to one or many people.

use app::messaging::messages::{AcceptedBroadcast, RecipientProblem, SendFields, TemplateRecipient, TemplateSend};
use domain::{BroadcastId, Field};

use crate::error::{INVALID_BODY, Spelling, spelled};
use crate::input::RecipientsJson;
use crate::prelude::*;
use crate::shared::messaging::messages::dry_run::{DRY_RUN, why_not};
use crate::shared::messaging::messages::problem::ProblemShape;
use crate::shared::messaging::messages::template::{RecipientBody, estimate, phone_of, with_one_channel};
use crate::v3::permissions::BROADCAST;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = TemplateSend)]
pub(crate) struct SendTemplateRequest {
    /// A channel's name, number or id. Default: the default channel.
    #[serde(alias = "channelNumber", alias = "channel_number", alias = "channelPhoneNumber")]
    #[schema(example = "Support", nullable = false)]
    channel: Option<String>,
    /// The template's name or id.
    #[serde(alias = "templateName")]
    #[schema(example = "order_update")]
    template_name: String,
    /// The language, for templates in several languages. Default: the newest approved one.
    #[schema(example = "en_US", nullable = false)]
    language: Option<String>,
    #[serde(alias = "broadcastName")]
    #[schema(example = "May orders", max_length = 200)]
    broadcast_name: String,
    /// The recipients. Alias: `receivers`.
    #[schema(min_items = 1, max_items = 10_000)]
    recipients: Option<Vec<RecipientBody>>,
    #[schema(ignore)]
    receivers: Option<Vec<RecipientBody>>,
    /// Only for `messageTemplates/schedule`.
    #[serde(alias = "scheduledAt")]
    #[schema(ignore)]
    pub(super) scheduled_at: Option<String>,
}

/// An accepted broadcast. Deliveries are reported later by events.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = TemplateSent)]
pub(crate) struct SendTemplateAnswer {
    /// Whether at least one message is sent.
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    broadcast_id: Option<BroadcastId>,
    /// Why nothing is sent: the cause shared by all recipients, or a note that there are several causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    scheduled_at: Option<String>,
    /// In the order of the request.
    recipients: Vec<TemplateSentRecipient>,
    /// True for a dry run: nothing was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<bool>,
    /// For a dry run: the number of recipients who would get the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    would_send: Option<usize>,
    /// For a dry run: when the last message is expected to be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    estimated_at: Option<String>,
    /// For a dry run: why nothing would be sent at all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ProblemShape>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TemplateSentRecipient {
    /// Your id for the message, or a generated one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    local_message_id: Option<String>,
    /// The number in the request, unchanged. If the request has none, the recipient's number, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    phone_number: Option<String>,
    /// As in the request.
    target: String,
    /// For a dry run: whether this recipient would get the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    would_send: Option<bool>,
    /// Why nothing is sent to this recipient, in words. Empty otherwise.
    #[schema(example = json!(["phone_number: 11111111111 is not a valid phone number in any country"]))]
    errors: Vec<String>,
    /// The same as `errors`, in machine-readable form.
    error_details: Vec<ProblemShape>,
}

/// Send a template
///
/// Sends a template to 1 to 10 000 recipients. `200` means accepted and stored, not delivered. A refused recipient has
/// an entry in `errors` and does not stop the others. Unknown contacts are created. The body can be up to 8 MiB. The
/// roles `OPERATOR` and `TRIAL` can send to one recipient per request.
#[described::path(
    post,
    path = "/api/ext/v3/messageTemplates/send",
    params((
        "dry_run" = Option<bool>,
        Query,
        nullable = false,
        description = "Dry run: returns what would happen to each recipient without sending or storing anything."
    )),
    request_body = SendTemplateRequest,
    responses(
        (status = 200, description = "The accepted broadcast, with the outcome for each recipient.", body = SendTemplateAnswer),
        (
            status = 400,
            description = "Reasons: `invalid_parameter`; `parameter` names the template or channel if it does not \
                exist, or another member.",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn send_template(
    Gated(state, caller): Gated,
    query: Query,
    RecipientsJson(input): RecipientsJson<SendTemplateRequest>,
) -> ApiResult<Json<SendTemplateAnswer>> {
    if input.scheduled_at.is_some() {
        return Err(ApiError::invalid(
            "scheduled_at",
            "is only allowed with POST /api/ext/v3/messageTemplates/schedule",
        ));
    }
    send(&state, &caller, query.flag(DRY_RUN)?, input, None).await
}

pub(super) async fn send(
    state: &ApiState,
    caller: &Caller,
    dry_run: bool,
    input: SendTemplateRequest,
    scheduled_at: Option<Timestamp>,
) -> ApiResult<Json<SendTemplateAnswer>> {
    let RequestedRecipients { list, sent_numbers, recipients } = recipients(input.recipients, input.receivers)?;
    if recipients.len() > 1 {
        caller.require_role(BROADCAST.roles)?;
    }
    let send = with_one_channel(TemplateSend {
        channel: input.channel.filter(|channel| !channel.trim().is_empty()),
        template: input.template_name,
        language: input.language.filter(|language| !language.trim().is_empty()),
        broadcast_name: input.broadcast_name,
        recipients,
        scheduled_at,
        source: caller.message_source(),
        dry_run,
        fields: SendFields::default(),
    });
    let outcome = state.app.messaging().messages().send_template(caller, send).await;
    match outcome.map_err(|error| Spelling(&[(Field::Recipients, list)]).error(error)) {
        Ok(accepted) => {
            let estimated_at = if dry_run { estimate(state, caller, &accepted).await? } else { None };
            Ok(Json(SendTemplateAnswer { estimated_at, ..shape(&accepted, list, &sent_numbers, dry_run) }))
        }
        Err(error) if dry_run => {
            let why = why_not(error)?;
            let error = Some(why.message().to_owned());
            Ok(Json(SendTemplateAnswer {
                error,
                dry_run: Some(true),
                would_send: Some(0),
                errors: vec![why],
                ..SendTemplateAnswer::default()
            }))
        }
        Err(error) => Err(error.into()),
    }
}

/// The recipients of a request.
struct RequestedRecipients {
    /// The name of the list in the request: `recipients` or `receivers`.
    list: &'static str,
    /// The numbers in the request, unchanged, one entry for each recipient.
    sent_numbers: Vec<Option<String>>,
    recipients: Vec<TemplateRecipient>,
}

fn recipients(
    recipients: Option<Vec<RecipientBody>>,
    receivers: Option<Vec<RecipientBody>>,
) -> ApiResult<RequestedRecipients> {
    let (list, found) = match (recipients, receivers) {
        (Some(_), Some(_)) => {
            return Err(ApiError::about(INVALID_BODY, "receivers", "cannot be combined with recipients"));
        }
        (None, Some(list)) => ("receivers", list),
        (list, None) => ("recipients", list.ok_or_else(|| ApiError::about(INVALID_BODY, "recipients", "is required"))?),
    };
    let sent_numbers = found.iter().map(|one| one.sent_number().map(str::to_owned)).collect();
    Ok(RequestedRecipients { list, sent_numbers, recipients: found.into_iter().map(TemplateRecipient::from).collect() })
}

fn shape(
    accepted: &AcceptedBroadcast,
    list: &str,
    sent_numbers: &[Option<String>],
    dry_run: bool,
) -> SendTemplateAnswer {
    let leaving = accepted.message_count();
    let none_sent = || common_cause(accepted).unwrap_or_else(|| several_causes(accepted, list));
    let sent_number = |place: usize| sent_numbers.get(place).cloned().flatten();
    let recipient = |(place, one): (usize, &app::messaging::messages::RecipientOutcome)| TemplateSentRecipient {
        local_message_id: Some(one.local_id.clone()).filter(|id| !id.is_empty()),
        phone_number: sent_number(place).or_else(|| phone_of(one)),
        target: one.target.clone(),
        would_send: dry_run.then_some(one.problem.is_none()),
        errors: one.problem.iter().map(problem_text).collect(),
        error_details: one
            .problem
            .iter()
            .map(|it| ProblemShape::of_recipient(it, &format!("{list}[{place}]")))
            .collect(),
    };
    SendTemplateAnswer {
        success: leaving > 0,
        broadcast_id: Some(accepted.broadcast_id).filter(|_| !dry_run),
        error: (leaving == 0).then(none_sent),
        scheduled_at: accepted.scheduled_at.map(Timestamp::to_rfc3339),
        recipients: accepted.recipients.iter().enumerate().map(recipient).collect(),
        dry_run: dry_run.then_some(true),
        would_send: dry_run.then_some(leaving),
        ..SendTemplateAnswer::default()
    }
}

fn problem_text(problem: &RecipientProblem) -> String {
    format!("{}: {}", spelled(&problem.place), problem.message)
}

/// The cause, if it is the same for all recipients.
fn common_cause(accepted: &AcceptedBroadcast) -> Option<String> {
    let problems: Vec<&RecipientProblem> = accepted.recipients.iter().filter_map(|one| one.problem.as_ref()).collect();
    let first = problems.first()?;
    if problems.iter().all(|one| one.message == first.message) {
        return Some(first.message.clone());
    }
    problems.iter().all(|one| one.refusal == first.refusal).then(|| first.refusal.text().to_owned())
}

fn several_causes(accepted: &AcceptedBroadcast, list: &str) -> String {
    format!("none of the {} {list} can be sent to, for several reasons", accepted.recipients.len())
}
