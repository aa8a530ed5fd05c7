//! Templates to many people: the recipients in requests of all versions, and what these sends share.

use app::messaging::messages::{AcceptedBroadcast, RecipientOutcome, TemplateRecipient, TemplateSend};
use domain::Field;
use domain::people::contacts::{Target, TargetRef};

use super::params::{ParamBody, ParamInput, to_custom_params};
use crate::input::Scalar;
use crate::prelude::*;

/// One recipient. `target` takes precedence over `phone_number`, and `phone_number` over `whatsappNumber`.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = TemplateRecipient)]
pub(crate) struct RecipientBody {
    /// A phone number with country code. Aliases: `phoneNumber`, `whatsappNumber`.
    #[serde(alias = "phoneNumber")]
    #[schema(example = "14155552671", nullable = false)]
    phone_number: Option<String>,
    #[serde(alias = "whatsappNumber")]
    #[schema(ignore)]
    whatsapp_number: Option<String>,
    /// A phone number, a contact id or a BSUID.
    #[schema(example = "US.13491208655302741918", nullable = false)]
    target: Option<String>,
    /// Your id for the message, 1 to 64 characters. Alias: `localMessageId`.
    #[serde(alias = "localMessageId")]
    #[schema(nullable = false)]
    local_message_id: Option<String>,
    /// Values for the template's variables. Values that the template does not use are ignored. Alias: `customParams`.
    #[serde(alias = "customParams", alias = "parameters")]
    #[schema(nullable = false)]
    custom_params: Option<Vec<ParamBody>>,
}

impl RecipientBody {
    /// The number in the request, unchanged. None if it is absent or blank.
    pub fn sent_number(&self) -> Option<&str> {
        let number = self.phone_number.as_deref().or(self.whatsapp_number.as_deref());
        number.filter(|number| !number.trim().is_empty())
    }
}

impl From<RecipientBody> for TemplateRecipient {
    fn from(body: RecipientBody) -> Self {
        RecipientInput {
            phone_number: body.phone_number.map(Scalar),
            whatsapp_number: body.whatsapp_number.map(Scalar),
            target: body.target.map(Scalar),
            local_message_id: body.local_message_id.map(Scalar),
            custom_params: body.custom_params.map(|params| params.into_iter().map(ParamInput::from).collect()),
        }
        .into()
    }
}

/// One recipient of V1 and V2, which take numbers and booleans as their text.
#[derive(Debug, Deserialize)]
pub(crate) struct RecipientInput {
    #[serde(alias = "phoneNumber")]
    phone_number: Option<Scalar>,
    #[serde(alias = "whatsappNumber")]
    whatsapp_number: Option<Scalar>,
    target: Option<Scalar>,
    #[serde(alias = "localMessageId")]
    local_message_id: Option<Scalar>,
    #[serde(alias = "customParams", alias = "parameters")]
    custom_params: Option<Vec<ParamInput>>,
}

impl From<RecipientInput> for TemplateRecipient {
    fn from(input: RecipientInput) -> Self {
        let given = |field, text: Option<Scalar>| {
            let Scalar(text) = text.filter(|Scalar(text)| !text.trim().is_empty())?;
            Some((field, text))
        };
        let who = given(Field::Target, input.target)
            .or_else(|| given(Field::PhoneNumber, input.phone_number))
            .or_else(|| given(Field::WhatsappNumber, input.whatsapp_number));
        // A recipient without a target is not refused here: it is reported with the problems of other recipients.
        let (named_by, target) = who.unwrap_or((Field::PhoneNumber, String::new()));
        let local_id = given(Field::LocalMessageId, input.local_message_id).map(|(_, text)| text);
        Self { target, named_by, local_id, params: to_custom_params(input.custom_params) }
    }
}

/// The recipient's known number, otherwise the number in the request, if the target is one.
pub(crate) fn phone_of(outcome: &RecipientOutcome) -> Option<String> {
    let asked = || match Target::parse(&outcome.target).ok()?.person {
        TargetRef::Phone(digits) => Some(digits),
        _ => None,
    };
    outcome.phone.clone().or_else(asked)
}

/// If all targets name the same channel, and the request names no other, moves the channel from the targets to the
/// request.
pub(crate) fn with_one_channel(mut send: TemplateSend) -> TemplateSend {
    if !send.recipients.iter().all(|one| one.target.contains([':', '%'])) {
        return send;
    }
    let targets: Vec<Target> = send.recipients.iter().flat_map(|one| Target::parse(&one.target)).collect();
    let Some(named) = targets.first().and_then(|target| target.channel.clone()) else { return send };
    let agreed = targets.iter().all(|target| target.channel.as_ref() == Some(&named));
    if !agreed || targets.len() != send.recipients.len() || send.channel.as_ref().is_some_and(|one| *one != named) {
        return send;
    }
    for (one, target) in send.recipients.iter_mut().zip(&targets) {
        one.target = match &target.person {
            TargetRef::Id(id) => id.to_string(),
            TargetRef::Phone(digits) => digits.clone(),
            TargetRef::Bsuid(bsuid) => bsuid.as_str().to_owned(),
        };
    }
    TemplateSend { channel: Some(named), ..send }
}

/// The time at which the last of the messages is expected to be sent. None if there is no message.
pub(crate) async fn estimate(
    state: &ApiState,
    caller: &Caller,
    accepted: &AcceptedBroadcast,
) -> app::Result<Option<String>> {
    let Some(before) = accepted.message_count().checked_sub(1) else { return Ok(None) };
    let urgency = state.app.messaging().templates().find(caller, accepted.template_id).await?.category.urgency();
    let due = accepted.scheduled_at.unwrap_or_else(|| state.app.now());
    let queue = state.app.messaging().estimate_queue(caller, accepted.channel_id, urgency, due).await?;
    Ok(Some(queue.send_time(before).to_rfc3339()))
}
