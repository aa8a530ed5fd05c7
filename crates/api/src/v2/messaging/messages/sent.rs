//! The response to V2 template sends.

use app::messaging::messages::{AcceptedBroadcast, TemplateRecipient, TemplateSend};
use domain::people::contacts::CustomParam;

use crate::prelude::*;
use crate::shared::messaging::messages::template::{estimate, with_one_channel};
use crate::v1::failure::info;
use crate::v1::messaging::messages::{Broadcast, DryRunV1, Receiver, in_broadcast};

/// The outcome. Failures also have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplateSentV2)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TemplateSentAnswer {
    /// Whether at least one message is sent.
    result: bool,
    /// The reason, if nothing is sent; otherwise null.
    error: Option<String>,
    /// The same as `error`, for older clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    info: Option<String>,
    #[schema(example = "order_update")]
    template_name: String,
    /// In the order of the request.
    receivers: Vec<Receiver>,
    parameters: Vec<CustomParam>,
    /// For a dry run only.
    #[serde(flatten)]
    #[schema(ignore)]
    dry_run: Option<DryRunV1>,
}

pub(super) async fn send(
    state: &ApiState,
    caller: &Caller,
    send: TemplateSend,
    parameters: Vec<CustomParam>,
    list: &str,
) -> ApiResult<Response> {
    let (dry_run, name) = (send.dry_run, send.template.clone());
    let accepted = match state.app.messaging().messages().send_template(caller, send).await {
        Ok(accepted) => accepted,
        Err(error) => return refused(in_broadcast(error, list), name, dry_run),
    };
    let estimated_at = if dry_run { estimate(state, caller, &accepted).await? } else { None };
    let dry_run = dry_run.then(|| DryRunV1::new(accepted.message_count() > 0, estimated_at));
    Ok(Json(TemplateSentAnswer { dry_run, ..shape(&accepted, parameters) }).into_response())
}

/// Sends to many people. The members of the broadcast are checked before the recipients.
pub(super) async fn to_many(
    state: &ApiState,
    caller: &Caller,
    broadcast: Broadcast,
    recipients: ApiResult<app::Result<Vec<TemplateRecipient>>>,
    list: &str,
) -> ApiResult<Response> {
    let asked = broadcast.to(Vec::new())?;
    match recipients? {
        Ok(recipients) => {
            let asked = with_one_channel(TemplateSend { recipients, ..asked });
            send(state, caller, asked, Vec::new(), list).await
        }
        Err(error) => refused(error, asked.template, asked.dry_run),
    }
}

/// Answers a business failure with 200; returns any other error as an error.
fn refused(error: app::Error, template_name: String, dry_run: bool) -> ApiResult<Response> {
    let info = Some(info(error)?);
    let dry_run = dry_run.then(|| DryRunV1::new(false, None));
    let (receivers, parameters) = (Vec::new(), Vec::new());
    let sent =
        TemplateSentAnswer { result: false, error: info.clone(), info, template_name, receivers, parameters, dry_run };
    Ok(Json(sent).into_response())
}

fn shape(accepted: &AcceptedBroadcast, parameters: Vec<CustomParam>) -> TemplateSentAnswer {
    let receivers: Vec<_> = accepted.recipients.iter().map(Receiver::new).collect();
    let result = accepted.message_count() > 0;
    let error = (!result).then(|| "None of the receivers can be sent to".to_owned());
    let template_name = accepted.template_name.clone();
    TemplateSentAnswer { result, info: error.clone(), error, template_name, receivers, parameters, dry_run: None }
}
