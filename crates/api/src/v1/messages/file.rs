//! `POST /{tenantId}/api/v1/sendSessionFile/{whatsappNumber}`: a file to one person, in a form.

use app::media::File;
use app::messages::SessionSend;
use axum::extract::{Request, State};
use axum::response::Response;
use utoipa::ToSchema;

use super::addressed::{InPath, InQuery, Over, Tenant};
use super::file_via_url::with_file;
use super::sent::{SentAnswer, answer, to};
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{FromPath, LegacyInput};
use crate::messages::upload::{Refused, Uploaded, required_file, upload};
use crate::messages::{checked_caption, discard, file};

#[derive(Debug, ToSchema)]
#[schema(as = SessionFileV1)]
#[expect(dead_code, reason = "a description of a form that is read part by part")]
pub(crate) struct Form {
    /// At most 100 MiB, of a type that the network takes.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    #[schema(max_length = 1024, nullable = false)]
    caption: Option<String>,
}

/// Send a file
///
/// The file is kept and goes to the network from here.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendSessionFile/{whatsappNumber}",
    tag = "conversations",
    params(
        InPath,
        Over,
        ("caption" = Option<String>, Query, nullable = false, description = "In the query or the form, at most 1024 characters."),
    ),
    request_body(content = Form, content_type = "multipart/form-data"),
    responses((status = 200, description = "The message, accepted, or why not.", body = SentAnswer)),
)]
pub(crate) async fn send_session_file(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<(String, String)>,
    request: Request,
) -> ApiResult<Response> {
    let (_tenant, number) = path;
    send(&state, &caller, Some(number), request).await
}

/// Send a file
///
/// The same with the number outside the path: in the query, a form or the JSON body.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendSessionFile",
    tag = "conversations",
    params(
        Tenant,
        InQuery,
        Over,
        ("caption" = Option<String>, Query, nullable = false, description = "In the query or the form, at most 1024 characters."),
    ),
    request_body(content = Form, content_type = "multipart/form-data"),
    responses((status = 200, description = "The message, accepted, or why not.", body = SentAnswer)),
)]
pub(crate) async fn send_session_file_by_query(
    State(state): State<ApiState>,
    caller: Caller,
    request: Request,
) -> ApiResult<Response> {
    send(&state, &caller, None, request).await
}

async fn send(state: &ApiState, caller: &Caller, path: Option<String>, request: Request) -> ApiResult<Response> {
    let asked = LegacyInput::of_query(&request)?.dry_run()?;
    match upload(state, caller, request).await {
        Ok(Uploaded { input, file }) => {
            let id = file.as_ref().map(|file| file.id);
            let (send, dry_run) = with_file(state, caller, id, read(&input, path, file)).await?;
            if let (Err(_), Some(id)) = (&send, id) {
                discard(state, caller, id).await;
            }
            answer(state, caller, dry_run, send).await
        }
        Err(Refused::File(error)) => answer(state, caller, asked, Err(error)).await,
        Err(refused) => Err(refused.into()),
    }
}

fn read(input: &LegacyInput, path: Option<String>, given: Option<File>) -> ApiResult<(app::Result<SessionSend>, bool)> {
    let named = input.person_over(path)?;
    let (caption, dry_run) = (input.text("caption")?, input.dry_run()?);
    let it = required_file(given)?;
    let send = match checked_caption("caption", caption.as_deref()) {
        Ok(()) => Ok(to(input, named, file(&it, caption))?),
        Err(error) => Err(error),
    };
    Ok((send, dry_run))
}
