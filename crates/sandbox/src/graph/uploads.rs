//! The Resumable Upload API: a session for a file, its bytes in one or several requests, and the handle by which
//! templates name the file as their sample. An upload that breaks off can be continued after the last received byte.

use app::messaging::channels::OpenedChannel;
use domain::TenantId;
use domain::messaging::channels::SANDBOX;
use futures_util::StreamExt as _;
use http::Method;
use http_body_util::BodyDataStream;
use serde_json::{Value, json};
use store::Tx;
use store::platform::sandbox::records::{Kind, Record};

use super::access::Key;
use super::answer;
use super::error::{GraphError, GraphResult};
use super::media::MAX_FILE;
use super::request::GraphRequest;
use crate::core::dice::Dice;
use crate::core::records::parsed;
use crate::core::upload::{BEGINNING, Upload};
use crate::{Fault, FaultKind, Reply, Sandbox, fault};

/// Stands in a path for the id of the app that the token belongs to.
pub const OWN_APP: &str = "app";
pub const TOKEN: &str = "debug_token";
const TYPES: [&str; 5] = ["application/pdf", "image/jpeg", "image/jpg", "image/png", "video/mp4"];
const MAX_NAME: usize = 255;

/// Id of a tenant's app at the network. Derived from the tenant alone: it is the same after a restart and on every
/// node.
fn app_id(tenant: TenantId) -> String {
    Dice::new(tenant.number().unsigned_abs()).digits(&["app"], 16)
}

/// The channel that has this access token, if `id` is its app or `app`.
async fn channel_of_app(sandbox: &Sandbox, key: &Key, id: &str) -> GraphResult<OpenedChannel> {
    key.token()?;
    let found = sandbox.app().messaging().channels().find_opened(SANDBOX, &|opened| key.opens(opened)).await?;
    let opened = found.ok_or_else(|| GraphError::with_code(190))?;
    key.check_token(sandbox, &opened).await?;
    if id == OWN_APP || id == app_id(opened.tenant) { Ok(opened) } else { Err(key.no_object(id)) }
}

pub async fn app(sandbox: &Sandbox, key: &Key, request: &GraphRequest) -> GraphResult<Reply> {
    let opened = channel_of_app(sandbox, key, OWN_APP).await?;
    let app = json!({ "id": app_id(opened.tenant), "name": "switchboard", "link": "" });
    Ok(answer::ok(&answer::only(app, request.query.get("fields"))))
}

/// Answers what the request's own token is for. `expires_at` is 0: tokens of the sandbox have no expiry time.
pub async fn token(sandbox: &Sandbox, key: &Key) -> GraphResult<Reply> {
    let opened = channel_of_app(sandbox, key, OWN_APP).await?;
    let data = json!({
        "app_id": app_id(opened.tenant), "type": "SYSTEM_USER", "application": "switchboard", "is_valid": true,
        "expires_at": 0, "data_access_expires_at": 0,
        "scopes": ["whatsapp_business_management", "whatsapp_business_messaging"],
    });
    Ok(answer::ok(&json!({ "data": data })))
}

pub async fn open(sandbox: &Sandbox, key: &Key, request: &GraphRequest, id: &str) -> GraphResult<Reply> {
    let opened = channel_of_app(sandbox, key, id).await?;
    let text = |name: &str| request.query.get(name).filter(|text| !text.is_empty());
    let missing = |name: &str| GraphError::parameter(format!("The parameter {name} is required."));
    let required = |name: &str| text(name).ok_or_else(|| missing(name));
    let length = required("file_length")?.parse::<u64>().unwrap_or(0);
    if !(1..=MAX_FILE).contains(&length) {
        let why = format!("Param file_length must be a number of bytes from 1 to {MAX_FILE}");
        return Err(GraphError::parameter(why).into());
    }
    let file_type = required("file_type")?;
    if !TYPES.contains(&file_type.as_str()) {
        return Err(GraphError::parameter(format!("Param file_type must be one of {{{}}}", TYPES.join(", "))).into());
    }
    let upload = Upload {
        id: sandbox.ids().upload(),
        signature: sandbox.ids().other("signature"),
        channel: opened.channel.id,
        app_id: app_id(opened.tenant),
        file_name: text("file_name").map_or_else(String::new, |name| name.chars().take(MAX_NAME).collect()),
        file_type: file_type.clone(),
        file_length: length,
        offset: 0,
        beginning: Vec::new(),
        created_at: sandbox.now(),
    };
    upload.save(sandbox, opened.tenant).await?;
    Ok(answer::ok(&json!({ "id": upload.session() })))
}

fn channel_of(record: &Record) -> Option<domain::ChannelId> {
    parsed::<Upload>(record).map(|upload| upload.channel)
}

async fn known(sandbox: &Sandbox, key: &Key, request: &GraphRequest, id: &str) -> GraphResult<(TenantId, Upload)> {
    // For requests to a session, the network ignores a token in the query.
    if sandbox.config().strict && !request.has_header_token() {
        return Err(GraphError::with_code(104).into());
    }
    key.token()?;
    let found = key.record(sandbox, Kind::Upload, id, &channel_of).await?;
    let upload = found.and_then(|(opened, record)| Some((opened.tenant, parsed::<Upload>(&record)?)));
    let signed = |upload: &Upload| request.query.get("sig") == Some(&upload.signature);
    upload.filter(|(_, upload)| signed(upload)).ok_or_else(|| key.no_object(id))
}

/// A request to a session: `GET` answers its progress, `POST` adds bytes of its file.
pub async fn session(sandbox: &Sandbox, key: &Key, request: GraphRequest, id: &str) -> GraphResult<Reply> {
    let (tenant, upload) = known(sandbox, key, &request, id).await?;
    match request.method.clone() {
        Method::GET => Ok(answer::ok(&state(&upload))),
        Method::POST => append(sandbox, tenant, upload, request).await,
        _ => Err(key.no_object(id)),
    }
}

fn state(upload: &Upload) -> Value {
    json!({ "id": upload.session(), "file_offset": upload.offset })
}

/// Counts the body's bytes, which must start at the session's offset. The answer has the handle once the file is
/// complete. A `cut_upload` fault resets the connection after half of the file.
async fn append(sandbox: &Sandbox, tenant: TenantId, mut upload: Upload, request: GraphRequest) -> GraphResult<Reply> {
    let offset = request.head.headers.get("file_offset").and_then(|offset| offset.to_str().ok()?.parse::<u64>().ok());
    if offset != Some(upload.offset) {
        let why = format!("The header file_offset must be {}, the number of bytes received so far", upload.offset);
        return Err(GraphError::parameter(why).into());
    }
    let input = (tenant, sandbox.now());
    let cut = sandbox.db().write(input, |tx, (tenant, now)| Box::pin(cut(tx, *tenant, *now))).await?;
    let most = if cut { upload.file_length / 2 } else { upload.file_length };
    let received = receive(&mut upload, request, most).await;
    upload.save(sandbox, tenant).await?;
    match received {
        Received::TooMuch if cut => Ok(Reply::Reset),
        Received::TooMuch => Err(GraphError::parameter("The file has more bytes than file_length says").into()),
        Received::Ended | Received::Broken if upload.is_complete() => Ok(answer::ok(&json!({ "h": upload.handle() }))),
        Received::Ended => Ok(answer::ok(&state(&upload))),
        Received::Broken => Err(GraphError::unreadable("the body broke off").into()),
    }
}

async fn cut(tx: &mut Tx<'_>, tenant: TenantId, now: domain::Timestamp) -> store::Result<bool> {
    let is_here = |fault: &Fault| fault.kind == FaultKind::CutUpload;
    Ok(fault::consume(tx, tenant, now, &is_here).await?.is_some())
}

/// How the body of a request ended.
enum Received {
    Ended,
    Broken,
    /// The body has more bytes than allowed; those up to the limit are counted.
    TooMuch,
}

async fn receive(upload: &mut Upload, request: GraphRequest, most: u64) -> Received {
    let mut body = BodyDataStream::new(request.into_body());
    while let Some(chunk) = body.next().await {
        let Ok(chunk) = chunk else { return Received::Broken };
        let room = usize::try_from(most.saturating_sub(upload.offset)).unwrap_or(usize::MAX);
        let taken = &chunk[..chunk.len().min(room)];
        let missing = BEGINNING.saturating_sub(upload.beginning.len()).min(taken.len());
        upload.beginning.extend_from_slice(&taken[..missing]);
        upload.offset += taken.len() as u64;
        if chunk.len() > room {
            return Received::TooMuch;
        }
    }
    Received::Ended
}
