//! The Graph server of the sandbox: parses requests as the network does and answers in its format and with its errors.
//!
//! `route` below chooses the operation, which authorizes the request by the access token of a channel (`access.rs`). An
//! operation that causes webhooks changes the state and schedules them in one transaction, so a crash leaves neither a
//! message without its statuses nor statuses without a message. Ids and times are generated before the transaction,
//! because it may run again. The parser shares no type with the client in `channels/src/graph`.

mod access;
mod answer;
mod call_permissions;
mod calls;
pub(crate) mod error;
mod media;
mod messages;
pub(crate) mod number_settings;
mod objects;
mod parts;
mod payments;
mod profile;
mod registration;
mod request;
mod templates;
mod uploads;

use channels::transport::Body;
use http::{Method, Request};

use crate::{Reply, Sandbox};
use access::{Area, Key};
use answer::unsupported;
use error::{GraphError, GraphResult, Refusal};
use request::GraphRequest;

pub(crate) use messages::{SendingChannel, Times, arrives_late};

#[boxed::futures]
impl Sandbox {
    /// Answers one Graph request.
    pub async fn graph(&self, request: Request<Body>) -> Reply {
        let error = match route(self, GraphRequest::new(request)).await {
            Ok(reply) => return reply,
            Err(Refusal::Graph(error)) => *error,
            // A NUL character in a text is an error of the request: the database cannot store one.
            Err(Refusal::Store(store::Error::NulInText)) => GraphError::parameter("Text must not hold a NUL character"),
            Err(Refusal::Store(error)) => {
                tracing::error!(%error, "the sandbox's database failed");
                GraphError::with_code(2)
            }
        };
        answer::refused(&error, &self.ids().trace())
    }
}

async fn route(sandbox: &Sandbox, request: GraphRequest) -> GraphResult<Reply> {
    let segments: Vec<String> = request.segments.clone();
    let path: Vec<&str> = segments.iter().map(String::as_str).collect();
    let key = Key::new(&request.method, request.token(), Area::for_path(&path));
    if let Some(session) = path.first().and_then(|first| first.strip_prefix("upload:")) {
        return uploads::session(sandbox, &key, request, session).await;
    }
    let id = if let ["media", id, ..] = path.as_slice() { Some(id) } else { path.first() };
    if !id.is_some_and(|id| is_network_id(id) || [uploads::OWN_APP, uploads::TOKEN].contains(id)) {
        return Err(unsupported(&request.method, id.copied().unwrap_or_default()));
    }
    match (request.method.clone(), path.as_slice()) {
        (Method::GET, ["media", id, "content"]) => media::content(sandbox, &key, id).await,
        (Method::GET, [uploads::TOKEN]) => uploads::token(sandbox, &key).await,
        (Method::GET, [uploads::OWN_APP]) => uploads::app(sandbox, &key, &request).await,
        (Method::POST, [id, "uploads"]) => uploads::open(sandbox, &key, &request, id).await,
        (Method::GET, [id]) => objects::get(sandbox, &key, request, id).await,
        (Method::POST, [id]) => templates::edit(sandbox, &key, request, id).await,
        (Method::DELETE, [id]) => media::delete(sandbox, &key, id).await,
        (Method::POST, [id, "messages"]) => messages::post(sandbox, &key, request, id).await,
        (Method::POST, [id, "media"]) => media::upload(sandbox, &key, request, id).await,
        (Method::POST, [id, "calls"]) => calls::post(sandbox, &key, request, id).await,
        (Method::GET, [id, "payments", configuration, reference]) => {
            payments::get(sandbox, &key, id, configuration, reference).await
        }
        (Method::GET, [id, "call_permissions"]) => call_permissions::get(sandbox, &key, &request, id).await,
        (Method::GET, [id, "settings"]) => number_settings::get(sandbox, &key, id).await,
        (Method::POST, [id, "settings"]) => number_settings::update(sandbox, &key, request, id).await,
        (Method::POST, [id, "register"]) => registration::register(sandbox, &key, request, id).await,
        (Method::POST, [id, "deregister"]) => registration::deregister(sandbox, &key, id).await,
        (Method::GET, [id, "whatsapp_business_profile"]) => profile::get(sandbox, &key, &request, id).await,
        (Method::POST, [id, "whatsapp_business_profile"]) => profile::update(sandbox, &key, request, id).await,
        (Method::GET, [id, "phone_numbers"]) => objects::phone_numbers(sandbox, &key, &request, id).await,
        (method, [id, "subscribed_apps"]) => objects::subscribed_apps(sandbox, &key, &method, id).await,
        (Method::POST, [id, "message_templates"]) => templates::create(sandbox, &key, request, id).await,
        (Method::GET, [id, "message_templates"]) => templates::list(sandbox, &key, &request, id).await,
        (Method::DELETE, [id, "message_templates"]) => templates::delete(sandbox, &key, &request, id).await,
        (method, path) => Err(unsupported(&method, path.first().copied().unwrap_or_default())),
    }
}

/// The network's ids of objects are 1 to 32 digits.
fn is_network_id(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_digit())
}
