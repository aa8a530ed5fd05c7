//! Upload, download and deletion of files, streamed, with the network's limits for each kind.

mod kinds;

use std::collections::BTreeMap;

use app::messaging::channels::OpenedChannel;
use channels::transport::Body;
use futures_util::TryStreamExt as _;
use http::{HeaderValue, Response, header};
use http_body_util::{BodyDataStream, BodyExt as _, StreamBody};
use multer::{Constraints, Multipart, SizeLimit};
use serde_json::{Value, json};
use store::Tx;
use store::platform::sandbox::records::{Kind, Record};

use super::access::Key;
use super::answer;
use super::error::{GraphError, GraphResult, Refusal};
use super::request::GraphRequest;
pub use crate::core::media::Media;
use crate::core::media::{self, Writer};
use crate::core::records::parsed;
use crate::{Reply, Sandbox};

pub use kinds::MAX_FILE;

/// Limit of a request that uploads a file: the file and 64 KiB for the framing of the form.
const MAX_UPLOAD: u64 = MAX_FILE + 64 * 1024;
const MAX_FIELD: u64 = 1024;

pub async fn upload(sandbox: &Sandbox, key: &Key, request: GraphRequest, id: &str) -> GraphResult<Reply> {
    let opened = key.number(sandbox, id).await?;
    let boundary = multer::parse_boundary(request.content_type())
        .map_err(|_| GraphError::parameter("The request must be multipart/form-data with a file"))?;
    let size = SizeLimit::new().whole_stream(MAX_UPLOAD).per_field(MAX_FIELD).for_field("file", MAX_UPLOAD);
    let stream = BodyDataStream::new(request.into_body());
    let form = Multipart::with_constraints(stream, boundary, Constraints::new().size_limit(size));
    let media = Upload::new(sandbox, &opened).take(form).await?;
    Ok(answer::ok(&json!({ "id": media.id })))
}

/// An upload form while it is read: fields and file in any order.
struct Upload {
    writer: Writer,
    fields: BTreeMap<String, String>,
    mime_type: Option<String>,
    filename: Option<String>,
    has_file: bool,
}

impl Upload {
    fn new(sandbox: &Sandbox, opened: &OpenedChannel) -> Self {
        Self {
            writer: Writer::new(sandbox, opened.tenant, opened.channel.id),
            fields: BTreeMap::new(),
            mime_type: None,
            filename: None,
            has_file: false,
        }
    }

    async fn take(mut self, form: Multipart<'_>) -> GraphResult<Media> {
        let read = self.read(form).await;
        match read.and_then(|()| self.checked()) {
            Ok(mime_type) => Ok(self.writer.finish(&mime_type, self.filename).await?),
            Err(refusal) => {
                self.writer.give_up().await?;
                Err(refusal)
            }
        }
    }

    async fn read(&mut self, mut form: Multipart<'_>) -> GraphResult<()> {
        while let Some(field) = form.next_field().await.map_err(unreadable)? {
            if field.name() == Some("file") && !self.has_file {
                self.file(field).await?;
            } else if let Some(name) = field.name().map(str::to_owned) {
                self.fields.insert(name, field.text().await.map_err(unreadable)?);
            }
        }
        Ok(())
    }

    async fn file(&mut self, mut field: multer::Field<'_>) -> GraphResult<()> {
        self.has_file = true;
        self.mime_type = field.content_type().map(ToString::to_string);
        self.filename = field.file_name().map(str::to_owned);
        while let Some(bytes) = field.chunk().await.map_err(unreadable)? {
            self.writer.add(&bytes).await?;
            if self.writer.size > MAX_FILE {
                return Err(kinds::too_large(MAX_FILE).into());
            }
        }
        Ok(())
    }

    /// Validates the form; returns the media type to store.
    fn checked(&self) -> GraphResult<String> {
        if self.fields.get("messaging_product").map(String::as_str) != Some("whatsapp") {
            return Err(GraphError::parameter("The parameter messaging_product is required.").into());
        }
        if !self.has_file {
            return Err(GraphError::parameter("The parameter file is required.").into());
        }
        let mime_type = self.fields.get("type").or(self.mime_type.as_ref());
        let mime_type = mime_type.ok_or_else(|| GraphError::parameter("The parameter type is required."))?;
        kinds::check(mime_type, self.writer.size)?;
        Ok(mime_type.clone())
    }
}

fn unreadable(error: multer::Error) -> Refusal {
    match error {
        multer::Error::StreamSizeExceeded { .. } => kinds::too_large(MAX_FILE).into(),
        multer::Error::FieldSizeExceeded { field_name, .. } => {
            GraphError::invalid(&field_name.unwrap_or_default(), "is too long").into()
        }
        other => GraphError::unreadable(other).into(),
    }
}

#[boxed::futures]
impl Media {
    /// Checks that the file `id` exists, is not gone, and can be sent as `kind`. The error names `member`.
    pub async fn needed(
        tx: &mut Tx<'_>,
        tenant: domain::TenantId,
        (member, id, kind): (&str, &str, &str),
        is_gone: &(dyn Fn(&Self) -> bool + Sync),
    ) -> GraphResult<()> {
        let Some(media) = Self::find(tx, tenant, id).await?.filter(|media| !is_gone(media)) else {
            return Err(GraphError::invalid(member, "there is no file with this id").into());
        };
        let known = kinds::for_mime(&media.mime_type).is_some_and(|known| kinds::serves(known.name, kind));
        if known { Ok(()) } else { Err(GraphError::invalid(member, format!("is not a file of kind {kind}")).into()) }
    }
}

fn channel_of(record: &Record) -> Option<domain::ChannelId> {
    parsed::<Media>(record).map(|media| media.channel)
}

async fn known(sandbox: &Sandbox, key: &Key, id: &str) -> GraphResult<Option<(OpenedChannel, Media)>> {
    let found = key.record(sandbox, Kind::Media, id, &channel_of).await?;
    let found = found.and_then(|(opened, record)| Some((opened, parsed::<Media>(&record)?)));
    let is_gone = |media: &Media| sandbox.config().strict && media.is_expired(sandbox.now());
    Ok(found.filter(|(_, media)| !is_gone(media)))
}

/// In strict mode, refuses a request whose `phone_number_id` is not the number that uploaded the file. Of a file that a
/// person sent, every `phone_number_id` is refused.
fn check_number(sandbox: &Sandbox, request: &GraphRequest, opened: &OpenedChannel, media: &Media) -> GraphResult<()> {
    let named = request.query.get("phone_number_id");
    let fits = named.is_none_or(|id| !media.received && *id == opened.channel.phone_number_id);
    if fits || !sandbox.config().strict {
        return Ok(());
    }
    Err(GraphError::parameter("Param phone_number_id is not a valid whatsapp business phone number id ID").into())
}

/// Type, size and URL of a file; `None` when it does not exist.
pub async fn describe(sandbox: &Sandbox, key: &Key, request: &GraphRequest, id: &str) -> GraphResult<Option<Value>> {
    let Some((opened, media)) = known(sandbox, key, id).await? else { return Ok(None) };
    check_number(sandbox, request, &opened, &media)?;
    Ok(Some(json!({
        "messaging_product": "whatsapp",
        "url": format!("{}/{}/media/{}/content", request.origin(), request.version, media.id),
        "mime_type": media.mime_type,
        "sha256": media.sha256_hex(),
        "file_size": media.file_size,
        "id": media.id,
    })))
}

pub async fn content(sandbox: &Sandbox, key: &Key, id: &str) -> GraphResult<Reply> {
    key.token()?;
    let Some((opened, media)) = known(sandbox, key, id).await? else { return Err(key.no_object(id)) };
    let mut response = Response::new(bytes_of(sandbox, opened.tenant, &media));
    let headers = response.headers_mut();
    let mime_type = HeaderValue::from_str(&media.mime_type);
    headers.insert(header::CONTENT_TYPE, mime_type.unwrap_or(HeaderValue::from_static("application/octet-stream")));
    headers.insert(header::CONTENT_LENGTH, media.file_size.into());
    Ok(Reply::Answer(response))
}

/// Streams the pieces, each read when the client is ready for it.
fn bytes_of(sandbox: &Sandbox, tenant: domain::TenantId, file: &Media) -> Body {
    StreamBody::new(media::content(sandbox.db(), tenant, &file.id).map_ok(http_body::Frame::data)).boxed_unsync()
}

pub async fn delete(sandbox: &Sandbox, key: &Key, id: &str) -> GraphResult<Reply> {
    key.token()?;
    let Some((opened, media)) = known(sandbox, key, id).await? else { return Err(key.no_object(id)) };
    let input = (opened.tenant, media.id);
    let removed = sandbox.db().write(input, |tx, (tenant, id)| Box::pin(Media::remove(tx, *tenant, id)));
    let _: bool = removed.await?;
    Ok(answer::success())
}
