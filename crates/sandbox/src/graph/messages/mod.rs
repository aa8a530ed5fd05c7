//! `POST /{phone_number_id}/messages`: checks a message as the network does, stores it for the person and schedules the
//! status webhooks.

mod check;
mod deliver;
mod draft;
mod interactive;
mod order;
mod plain;
mod read;
mod send;
mod template;
pub(super) mod text;

pub(crate) use deliver::{SendingChannel, Times, arrives_late};

use super::access::Key;
use super::error::{GraphError, GraphResult};
use super::parts::{Checked, Part};
use super::request::GraphRequest;
use crate::{Reply, Sandbox};

pub async fn post(sandbox: &Sandbox, key: &Key, request: GraphRequest, id: &str) -> GraphResult<Reply> {
    let opened = key.registered_number(sandbox, id).await?;
    let body = request.json().await?;
    let root = Part::root(&body)?;
    whatsapp(&root)?;
    if root.get("status").is_some() {
        let mark = read::Mark::parse(&root)?;
        return read::post(sandbox, opened, mark).await;
    }
    let draft = draft::Draft::parse(&root)?;
    send::post(sandbox, opened, draft).await
}

fn whatsapp(root: &Part<'_>) -> Checked<()> {
    match root.opt_text("messaging_product")? {
        Some("whatsapp") => Ok(()),
        Some(_) => Err(GraphError::parameter("Param messaging_product must be one of {WHATSAPP}")),
        None => Err(GraphError::parameter("The parameter messaging_product is required.")),
    }
}
