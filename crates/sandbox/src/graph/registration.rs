//! `POST /{phone_number_id}/register` and `/deregister`: a number that is not registered can neither send nor call.

use domain::Timestamp;

use super::access::Key;
use super::answer;
use super::error::{GraphError, GraphResult};
use super::parts::Part;
use super::request::GraphRequest;
use crate::core::network_state::NumberState;
use crate::{Reply, Sandbox};

const PIN_DIGITS: usize = 6;

pub async fn register(sandbox: &Sandbox, key: &Key, request: GraphRequest, id: &str) -> GraphResult<Reply> {
    let opened = key.number(sandbox, id).await?;
    let body = request.json().await?;
    let root = Part::root(&body)?;
    if root.opt_text("messaging_product")? != Some("whatsapp") {
        return Err(GraphError::parameter("The parameter messaging_product is required.").into());
    }
    let pin = root.opt_text("pin")?.ok_or_else(|| GraphError::parameter("The parameter pin is required."))?;
    if pin.len() != PIN_DIGITS || !pin.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(GraphError::parameter(format!("Param pin must be {PIN_DIGITS} characters long.")).into());
    }
    set_unregistered(sandbox, &opened, None).await
}

pub async fn deregister(sandbox: &Sandbox, key: &Key, id: &str) -> GraphResult<Reply> {
    let opened = key.number(sandbox, id).await?;
    set_unregistered(sandbox, &opened, Some(sandbox.now())).await
}

async fn set_unregistered(
    sandbox: &Sandbox,
    opened: &app::messaging::channels::OpenedChannel,
    unregistered_since: Option<Timestamp>,
) -> GraphResult<Reply> {
    let (tenant, channel) = (opened.tenant, opened.channel.id);
    let state = sandbox.number_state(tenant, channel).await?;
    sandbox.set_number_state(tenant, channel, &NumberState { unregistered_since, ..state }).await?;
    Ok(answer::success())
}
